//! Which threats a move made (从没捉到捉): results are compared, not moves.
//!
//! A threat that stood before, and is only affordable now because a man in
//! danger got away, is no new chase (从捉到捉). It is one if the man that moved
//! takes part in it.

use super::class::Prey;
use super::reckon::{Reckoning, with_turn};
use super::threat::{Gain, Hunters, Mated, Threat};
use super::worth::{MATE, Worth};
use crate::reach::between;
use crate::{Move, Position, Role, Side};

/// A move and the positions around it.
pub(super) struct Scene<'a> {
    /// Before the opponent's last move, if the game began earlier.
    pub(super) earlier: Option<&'a Position>,
    /// Before the move.
    pub(super) before: &'a Position,
    /// The move.
    pub(super) mv: Move,
    /// After it, the mover to play again (the opponent passes).
    pub(super) again: &'a Position,
    /// Who moved.
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

    /// Whether the same man already aimed at the same target before the move.
    fn stood(&self, capture: Move) -> bool {
        capture.from != self.mv.to
            && self.before.piece_at(capture.to).is_some()
            && self.before.attackers(capture.to, self.mover).contains(capture.from)
    }

    /// The position after the move without the man that moved.
    fn without_moved(&self) -> Position {
        let mut setup = self.again.setup();
        setup.board.set(self.mv.to, None);
        Position::of(setup)
    }

    /// Whether a cannon captures over a man of its own side.
    fn over_own_screen(&self, capture: Move) -> bool {
        let board = self.again.board();
        board.piece_at(capture.from).is_some_and(|piece| piece.role == Role::Cannon)
            && !(between(capture.from, capture.to) & board.of_side(self.mover)).is_empty()
    }
}

impl Reckoning {
    /// The threats that the move made.
    pub(super) fn new_threats(&mut self, scene: &Scene) -> Vec<Threat> {
        // 26.1: generals and soldiers may attack as they like, so their threats
        // neither make a chase nor excuse one.
        let now = self.threats(scene.again, Hunters::Pieces, Mated::Dropped);
        if now.is_empty() {
            return Vec::new();
        }
        let then = self.threats(&scene.compared(), Hunters::Pieces, Mated::Kept);
        now.into_iter().filter_map(|threat| self.if_new(scene, threat, &then)).collect()
    }

    /// The threat, if the move made it, with the way its prey stands.
    fn if_new(&mut self, scene: &Scene, threat: Threat, then: &[Threat]) -> Option<Threat> {
        let stood = scene.stood(threat.mv);
        let same_target = || then.iter().filter(|old| old.target() == threat.target());
        // 避杀捉子: the capture would have been answered by mate.
        let lifted = same_target().any(|old| old.mated);
        let best_then = same_target().filter(|old| !old.mated).map(|old| old.net).max();
        let local_then = if stood { self.local_if_legal(scene.before, threat.mv) } else { -MATE };
        let unlike = !stood || threat.local > local_then;
        let new = match best_then {
            Some(best_then) => threat.net > best_then && (unlike || self.takes_part(scene, &threat)),
            None => lifted || unlike || self.takes_part(scene, &threat),
        };
        // A cannon's standing shot over a man of its own is the work of both.
        let joint = stood && !lifted && scene.over_own_screen(threat.mv);
        new.then_some(if joint { Threat { prey: Prey::Joint, ..threat } } else { threat })
    }

    fn local_if_legal(&mut self, position: &Position, mv: Move) -> Worth {
        if position.legal_captures_on(mv.to).contains(&mv) {
            self.local(&mut position.clone(), mv)
        } else {
            -MATE
        }
    }

    /// Whether the man that moved has a part in a threat that stood: by
    /// supporting the capture, by guarding the capturer or its screen, by no
    /// longer binding the capturer to its own protection; or whether the target
    /// is a chariot, which came under attack as it went after the mover's men.
    fn takes_part(&mut self, scene: &Scene, threat: &Threat) -> bool {
        let target = threat.target();
        let aimed_earlier = scene
            .earlier
            .is_some_and(|earlier| self.on_point(&mut with_turn(earlier, scene.mover), target) > 0);
        let just_came =
            scene.earlier.is_some_and(|earlier| earlier.piece_at(target) != scene.before.piece_at(target));
        let chariot = scene.again.piece_at(target).is_some_and(|piece| piece.role == Role::Chariot);
        if chariot && (aimed_earlier || just_came) {
            return true;
        }
        if scene.general_moved {
            return false;
        }
        let bare = scene.without_moved();
        let supports = match threat.gain {
            Gain::Local => {
                self.local_if_legal(&bare, threat.mv) < threat.local
                    || bare.legal_captures_on(target).contains(&threat.mv)
                        && self.offers_exchange(&bare, threat.mv)
            }
            Gain::Exchange => self.best_on(&bare, threat).is_none(),
        };
        if supports {
            return true;
        }
        if self.moved_was_hanging(scene) {
            // What the opponent's last move brought upon himself is no chase.
            aimed_earlier && self.best_on(&bare, threat).is_none_or(|net| net < threat.net)
        } else {
            self.was_bound(scene, threat)
        }
    }

    /// The best net result on the target of `threat`.
    fn best_on(&mut self, position: &Position, threat: &Threat) -> Option<Worth> {
        let threats = self.threats(position, Hunters::All, Mated::Dropped);
        threats.iter().filter(|other| other.target() == threat.target()).map(|other| other.net).max()
    }

    /// Whether the opponent could have won the moved man where it stood.
    fn moved_was_hanging(&mut self, scene: &Scene) -> bool {
        !scene.in_check && {
            let theirs = self.threats(&scene.before.pass(), Hunters::All, Mated::Dropped);
            theirs.iter().any(|threat| threat.target() == scene.mv.from)
        }
    }

    /// Whether the capturer was bound to guard the moved man: had it captured
    /// before the move, that man would have been won.
    fn was_bound(&mut self, scene: &Scene, threat: &Threat) -> bool {
        let moved = scene.mv.from;
        scene.before.legal_captures_on(threat.target()).contains(&threat.mv)
            && self.after(&mut scene.before.clone(), threat.mv, |r, p| {
                p.legal_captures_on(moved).into_iter().any(|capture| r.local(p, capture) > 0)
            })
    }
}
