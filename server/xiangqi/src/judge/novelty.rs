//! Which threats a move made (从没捉到捉): results are compared, not moves.

use super::class::Prey;
use super::reckon::{Reckoning, with_turn};
use super::threat::{Gain, Threat};
use super::worth::{MATE, Worth};
use crate::{Move, Point, Position, Role, Side};

/// A move and the positions around it.
pub(super) struct Scene<'a> {
    /// Before the opponent's last move, if the game began earlier.
    pub(super) earlier: Option<&'a Position>,
    /// Before the move.
    pub(super) before: &'a Position,
    pub(super) mv: Move,
    /// After it, the mover to play again (the opponent passes).
    pub(super) again: &'a Position,
    pub(super) mover: Side,
    /// The mover answered a check.
    pub(super) in_check: bool,
    /// The mover's general moved.
    pub(super) general_moved: bool,
}

impl Scene<'_> {
    /// What the threats are compared with: the position before the move, or,
    /// when that was a check, the one before the check.
    pub(super) fn compared(&self) -> Position {
        match self.earlier {
            Some(earlier) if self.in_check => with_turn(earlier, self.mover),
            Some(_) | None => self.before.clone(),
        }
    }

    /// Whether the capture was already aimed at by the same piece before the move.
    fn stood(&self, capture: Move) -> bool {
        capture.from != self.mv.to
            && self.before.attackers(capture.to, self.mover).contains(capture.from)
            && self.before.piece_at(capture.to).is_some()
    }

    /// The position after the move without the moved piece.
    fn without_moved(&self) -> Position {
        let mut setup = self.again.setup();
        setup.board.set(self.mv.to, None);
        Position::of(setup)
    }
}

/// A new threat.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewThreat {
    pub(super) mv: Move,
    pub(super) prey: Prey,
    pub(super) gain: Gain,
}

impl Reckoning {
    /// The threats that the move made, and all that stand after it.
    pub(super) fn new_threats(&mut self, scene: &Scene) -> Vec<NewThreat> {
        let now = self.threats(scene.again, false);
        if now.is_empty() {
            return Vec::new();
        }
        let then = self.threats(&scene.compared(), true);
        let mut found = Vec::new();
        for threat in &now {
            let role = scene.again.piece_at(threat.mv.from).map(|p| p.role);
            if matches!(role, Some(Role::King | Role::Soldier)) && !self.general_supported(scene, threat) {
                continue;
            }
            if self.is_new(scene, threat, &then) {
                let lifted = then.iter().any(|t| t.mated && t.target() == threat.target());
                let prey = if self.over_own_screen(scene, threat) && scene.stood(threat.mv) && !lifted {
                    Prey::Joint
                } else {
                    threat.prey
                };
                found.push(NewThreat { mv: threat.mv, prey, gain: threat.gain });
            }
        }
        found
    }

    /// 26.1.2: a general or soldier attacks together with another man that has
    /// come to support the capture.
    fn general_supported(&mut self, scene: &Scene, threat: &Threat) -> bool {
        let _ = (scene, threat);
        false
    }

    fn over_own_screen(&self, scene: &Scene, threat: &Threat) -> bool {
        let board = scene.again;
        board.piece_at(threat.mv.from).is_some_and(|p| p.role == Role::Cannon)
            && crate::reach::between(threat.mv.from, threat.mv.to)
                .into_iter()
                .any(|p| board.piece_at(p).is_some_and(|p| p.side == scene.mover))
    }

    fn local_if_legal(&mut self, position: &Position, mv: Move) -> Worth {
        if position.legal_captures_on(mv.to).contains(&mv) {
            self.local(&mut position.clone(), mv)
        } else {
            -MATE
        }
    }

    fn is_new(&mut self, scene: &Scene, threat: &Threat, then: &[Threat]) -> bool {
        let target = threat.target();
        let stood = scene.stood(threat.mv);
        let old = then.iter().filter(|t| t.target() == target && !t.mated).max_by_key(|t| t.net);
        let lifted = then.iter().any(|t| t.target() == target && t.mated);
        let local_then =
            if stood && !scene.in_check { self.local_if_legal(scene.before, threat.mv) } else { -MATE };
        match old {
            Some(old) => {
                threat.net > old.net
                    && (threat.local > local_then_of(old, local_then)
                        || !stood
                        || self.improved(scene, threat, stood))
            }
            None => lifted || !stood || threat.local > local_then || self.improved(scene, threat, stood),
        }
    }

    fn improved(&mut self, scene: &Scene, threat: &Threat, stood: bool) -> bool {
        let target = threat.target();
        if threat.mv.from == scene.mv.to {
            return true;
        }
        let unprovoked = match scene.earlier {
            Some(earlier) => self.on_point(&mut with_turn(earlier, scene.mover), target) > 0,
            None => false,
        };
        let is_chariot = scene.again.piece_at(target).is_some_and(|p| p.role == Role::Chariot);
        if is_chariot
            && (unprovoked
                || scene.earlier.is_some_and(|e| e.piece_at(target) != scene.before.piece_at(target)))
        {
            return true;
        }
        if scene.general_moved {
            return stood && self.frees(scene, threat);
        }
        let bare = scene.without_moved();
        let part = match threat.gain {
            Gain::Local => {
                self.local_if_legal(&bare, threat.mv) < threat.local
                    || bare.legal_captures_on(target).contains(&threat.mv)
                        && self.offers_exchange(&bare, threat.mv)
            }
            Gain::Exchange => self.threats(&bare, false).iter().all(|t| t.target() != target),
        };
        if part {
            return true;
        }
        let hanging = !scene.in_check && {
            let theirs = scene.before.pass();
            self.threats(&theirs, false).iter().any(|t| t.target() == scene.mv.from)
        };
        if !hanging {
            return stood && self.frees(scene, threat);
        }
        unprovoked && self.threats(&bare, false).iter().all(|t| t.target() != target || t.net < threat.net)
    }

    /// The attacker was bound to guard the moved piece: had it captured before
    /// the move, the moved piece would have been won.
    fn frees(&mut self, scene: &Scene, threat: &Threat) -> bool {
        let moved = scene.mv.from;
        if !scene.before.legal_captures_on(threat.target()).contains(&threat.mv) {
            return false;
        }
        let mut before = scene.before.clone();
        self.after(&mut before, threat.mv, |r, p| {
            p.legal_captures_on(moved).into_iter().any(|back| r.local(p, back) > 0)
        })
    }
}

fn local_then_of(_old: &Threat, local_then: Worth) -> Worth {
    local_then
}

/// The points of a list of threats, for tests and reports.
pub(super) fn _targets(threats: &[NewThreat]) -> Vec<Point> {
    threats.iter().map(|t| t.mv.to).collect()
}
