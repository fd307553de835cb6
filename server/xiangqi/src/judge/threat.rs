//! What the side to move could win at once by a capture: its threats.

use super::class::Prey;
use super::reckon::Reckoning;
use super::worth::{GUARD, MATE, SOLDIER, Worth, worth_at};
use crate::{Move, Piece, Point, Position, Role};

/// How many checks are looked at when asking whether a win of material is
/// answered by mate (24.3: 得子后立即被将死者不算捉).
const PUNISHING_CHECKS: u8 = 5;

/// Where the gain comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gain {
    /// The captures on the target's own point win.
    Local,
    /// They do not, but what follows elsewhere does: a complete exchange.
    Exchange,
}

/// Whose captures are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hunters {
    /// Everybody's.
    All,
    /// Those of chariots, horses, cannons, advisors and elephants.
    Pieces,
}

/// What becomes of captures that are answered by mate: no threats, but they
/// may become some when the danger goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mated {
    /// They are listed, and marked.
    Kept,
    /// They are left out.
    Dropped,
}

/// A capture that would win something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threat {
    pub(super) mv: Move,
    /// What it wins on the whole board, the opponent answering as best he can.
    pub(super) net: Worth,
    /// What it wins on the target's point.
    pub(super) local: Worth,
    pub(super) gain: Gain,
    pub(super) prey: Prey,
    /// The capturer's side would be mated for it.
    pub(super) mated: bool,
}

impl Threat {
    pub(super) const fn target(&self) -> Point {
        self.mv.to
    }
}

const fn is_general_or_soldier(piece: Piece) -> bool {
    matches!(piece.role, Role::King | Role::Soldier)
}

impl Reckoning {
    /// Whether the capture `mv` only offers an exchange (兑): the same kind of
    /// piece, which could as well capture the capturer, without loss by it and
    /// without being mated for it.
    pub(super) fn offers_exchange(&mut self, position: &Position, mv: Move) -> bool {
        let role = |point| position.piece_at(point).map(|piece| piece.role);
        if role(mv.from) != role(mv.to) {
            return false;
        }
        let mut theirs = position.pass();
        let back = Move::new(mv.to, mv.from);
        if !theirs.is_legal(back) {
            return false;
        }
        let prize = worth_at(&theirs, back.to);
        self.after(&mut theirs, back, |r, p| prize - r.captures(p) >= 0 && !r.mates(p, PUNISHING_CHECKS, &[]))
    }

    /// Every capture of the side to move that only offers an exchange.
    pub(super) fn exchange_offers(&mut self, position: &Position) -> Vec<Move> {
        let captures = position.legal_captures();
        captures.into_iter().filter(|&mv| self.offers_exchange(position, mv)).collect()
    }

    /// Everything that `hunters` of the side to move could win at once; for
    /// each target all captures with the best net result.
    pub(super) fn threats(&mut self, position: &Position, hunters: Hunters, mated: Mated) -> Vec<Threat> {
        let mut position = position.clone();
        let mut captures: Vec<(Move, Worth)> = Vec::new();
        for mv in &position.legal_captures() {
            if worth_at(&position, mv.to) > 0 {
                captures.push((mv, self.net(&mut position, mv)));
            }
        }
        let mut threats: Vec<Threat> = Vec::new();
        for &(mv, net) in &captures {
            let asked = match hunters {
                Hunters::All => true,
                Hunters::Pieces => !position.piece_at(mv.from).is_some_and(is_general_or_soldier),
            };
            let elsewhere = captures.iter().filter(|(other, _)| other.to != mv.to).map(|&(_, net)| net);
            let elsewhere = elsewhere.max().unwrap_or(0).max(0);
            if asked && let Some(threat) = self.threat(&mut position, mv, net, elsewhere) {
                threats.push(threat);
            }
        }
        threats.retain(|threat| mated == Mated::Kept || !threat.mated);
        let all = threats.clone();
        threats.retain(|threat| {
            let rivals = all.iter().filter(|t| t.target() == threat.target() && t.mated == threat.mated);
            rivals.map(|rival| rival.net).max() == Some(threat.net)
        });
        threats
    }

    /// The capture `mv` with its `net` result, if it is a threat. `elsewhere`
    /// is the best that the side wins on another point in the same position: a
    /// gain that stands there must not dress up a bad capture here.
    fn threat(&mut self, position: &mut Position, mv: Move, net: Worth, elsewhere: Worth) -> Option<Threat> {
        let hunter = position.piece_at(mv.from)?;
        let target = position.piece_at(mv.to)?;
        let local = self.local(position, mv);
        let answers = self.answers_on_point(position, mv);
        let guards = matches!(hunter.role, Role::Advisor | Role::Elephant);
        if target.role == Role::Soldier && guards && answers.roots > 0 {
            // A piece for a soldier is no gain, whichever is worth more.
            return None;
        }
        // Nor is a soldier for a piece a loss: what costs that much is even.
        let slack = match target.role {
            _ if answers.roots > 0 => 0,
            Role::Soldier => SOLDIER,
            Role::Advisor | Role::Elephant => SOLDIER - GUARD,
            Role::King | Role::Horse | Role::Chariot | Role::Cannon => 0,
        };
        // 各吃各子: even in the whole it counts (26.5), unless it is the
        // recapture that makes it even: that is an exchange.
        let gain = if local > 0 && (net > 0 || net >= -slack && answers.after_recapture > 0) {
            Gain::Local
        } else if local <= 0 && net > elsewhere && !is_general_or_soldier(hunter) {
            Gain::Exchange
        } else {
            return None;
        };
        if self.offers_exchange(position, mv) {
            return None;
        }
        let mated = self.after(position, mv, |r, p| r.mates(p, PUNISHING_CHECKS, &[]));
        let chariot = target.role == Role::Chariot
            && gain == Gain::Local
            && (hunter.role != Role::Chariot || answers.roots == 0);
        let prey = if chariot {
            Prey::Chariot
        } else if answers.roots == 0 && answers.bound_roots == 0 {
            Prey::Unprotected
        } else {
            Prey::Joint
        };
        Some(Threat { mv, net, local, gain, prey, mated })
    }

    /// How the opponent can answer the capture `mv` on its own point.
    fn answers_on_point(&mut self, position: &mut Position, mv: Move) -> AnswersOnPoint {
        let kept = worth_at(position, mv.to) - worth_at(position, mv.from);
        self.after(position, mv, |r, p| {
            let roots = p.legal_captures_on(mv.to);
            let aiming = p.attackers(mv.to, p.side_to_move()).len();
            let mut after_recapture = MATE;
            for back in &roots {
                after_recapture = after_recapture.min(kept + r.after(p, back, Self::captures));
            }
            AnswersOnPoint { roots: roots.len(), bound_roots: aiming - roots.len(), after_recapture }
        })
    }
}

/// How a capture can be answered on its own point.
struct AnswersOnPoint {
    /// 真根: men that can recapture.
    roots: usize,
    /// 假根: men that aim at the point but may not recapture.
    bound_roots: usize,
    /// The capturer's worst result if it is recaptured; [`MATE`] if it cannot be.
    after_recapture: Worth,
}
