//! What the side to move could win at once by a capture: its threats (捉).

use super::class::Prey;
use super::reckon::{Reckoning, recaptures};
use super::worth::{GUARD, MATE, SOLDIER, Worth, worth_at};
use crate::{Move, Point, Position, Role};

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

/// A capture that would win something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threat {
    pub(super) mv: Move,
    pub(super) net: Worth,
    pub(super) local: Worth,
    pub(super) gain: Gain,
    pub(super) prey: Prey,
    /// The capturer would be mated for it: no threat, but one that waits for
    /// that danger to go.
    pub(super) mated: bool,
}

impl Threat {
    pub(super) const fn target(&self) -> Point {
        self.mv.to
    }
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

    /// Everything that the side to move could win at once; for each target all
    /// captures with the best net result. With `keep_mated`, captures that
    /// would be answered by mate too, marked so.
    pub(super) fn threats(&mut self, position: &Position, keep_mated: bool) -> Vec<Threat> {
        let mut position = position.clone();
        let mut captures: Vec<(Move, Worth)> = Vec::new();
        for mv in &position.legal_captures() {
            if worth_at(&position, mv.to) > 0 {
                captures.push((mv, self.net(&mut position, mv)));
            }
        }
        let mut threats: Vec<Threat> = Vec::new();
        for &(mv, net) in &captures {
            let elsewhere = captures.iter().filter(|(other, _)| other.to != mv.to).map(|&(_, net)| net);
            let base = elsewhere.max().unwrap_or(0).max(0);
            if let Some(threat) = self.threat(&mut position, mv, net, base)
                && (keep_mated || !threat.mated)
            {
                threats.push(threat);
            }
        }
        let best = |threats: &[Threat], of: &Threat| {
            threats.iter().filter(|t| t.target() == of.target() && t.mated == of.mated).map(|t| t.net).max()
        };
        let all = threats.clone();
        threats.retain(|threat| best(&all, threat) == Some(threat.net));
        threats
    }

    fn threat(&mut self, position: &mut Position, mv: Move, net: Worth, base: Worth) -> Option<Threat> {
        let piece = position.piece_at(mv.from)?;
        let target = position.piece_at(mv.to)?;
        let prize = worth_at(position, mv.to);
        let own = worth_at(position, mv.from);
        let local = self.local(position, mv);
        let (roots, bound_roots, retaken) = self.after(position, mv, |r, p| {
            let roots = recaptures(p, mv.to);
            let hitting = p.attackers(mv.to, p.side_to_move()).len();
            let mut retaken = MATE;
            for back in &roots {
                retaken = retaken.min(prize - own + r.after(p, back, Self::captures));
            }
            (roots.len(), hitting - roots.len(), retaken)
        });
        let slack = match target.role {
            _ if roots > 0 => 0,
            Role::Soldier => SOLDIER,
            Role::Advisor | Role::Elephant => SOLDIER - GUARD,
            Role::King | Role::Horse | Role::Chariot | Role::Cannon => 0,
        };
        let gain = if local > 0 && (net > 0 || net >= -slack && retaken > 0) {
            Gain::Local
        } else if local <= 0 && net > base && !matches!(piece.role, Role::King | Role::Soldier) {
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
            && (piece.role != Role::Chariot || roots == 0);
        let prey = if chariot {
            Prey::Chariot
        } else if roots == 0 && bound_roots == 0 {
            Prey::Unprotected
        } else {
            Prey::Joint
        };
        Some(Threat { mv, net, local, gain, prey, mated })
    }
}
