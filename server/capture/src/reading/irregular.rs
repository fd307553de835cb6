//! Plies that are not regular: against the rules, leaving the own general in danger, or by the side that is not to move.
//!
//! They are dear, and must be seen whole: the piece lifted where it stood and put down where it stands now. What differed
//! before it was lifted, a piece that slipped or is not sensed, says nothing against it. Once a player has pressed, one
//! piece more may have slipped meanwhile, the moved one itself, too.

use firmware_proto::Epoch;
use xiangqi::{Illegal, Move, Piece, Position, Role, Side};

use super::price::Price;
use super::{Hypothesis, PRESSED_EARLY, Scene};
use crate::Irregularity;
use crate::params::{Cost, Params};
use crate::sense::Difference;

/// So many points may have differed before.
const AMISS_BEFORE: usize = 2;
/// So many pieces may have slipped since, if a player pressed.
const SLIPPED_SINCE: usize = 1;

impl Hypothesis {
    /// The readings with one irregular ply that explains what the board shows since the last one.
    pub fn irregular(&self, scene: Scene, into: &mut Vec<Hypothesis>) {
        let difference = scene.image.difference(self.board());
        let since = self.placed.plus(-scene.params.overlap);
        let changed = scene.evidence.changed_since(since);
        for from in (difference.missing | difference.wrong) & changed {
            let Some(piece) = self.position.piece_at(from) else { continue };
            for to in changed.without(from) {
                let taken = self.position.piece_at(to);
                if taken.is_some_and(|taken| taken.side == piece.side || taken.role == Role::King) {
                    continue;
                }
                let mv = Move::new(from, to);
                let mover = if piece.side == self.position.side_to_move() {
                    self.position.clone()
                } else {
                    self.position.pass()
                };
                let Some((irregularity, cost)) = self.irregularity(&mover, mv, piece, scene.params) else {
                    continue;
                };
                let after = mover.play_irregular(mv);
                let Some(seen) = self.seen_whole(scene, mv, piece, &after) else { continue };
                let fell = if self.fell(scene, from) { scene.params.fallen } else { 0 };
                // Of the side to move a piece may well stand on its target, or have been there.
                let explained = if piece.side == self.position.side_to_move() {
                    self.paid_since_last(scene, to) + self.paid_for_leaving(to)
                } else {
                    0
                };
                let gone = if seen.stands { 0 } else { scene.params.image_differs };
                // Who pressed for it was to move, and has moved a piece of the opponent.
                let pressed_for = self.early_press.is_some_and(|(side, press)| {
                    side != piece.side && press.since(seen.placed) >= -PRESSED_EARLY
                });
                let pressed_for = if pressed_for { scene.params.press_without_move } else { 0 };
                let cost = cost + fell + gone - explained - pressed_for;
                into.push(self.with_position(
                    Some(scene),
                    mv,
                    after,
                    Price::seen(cost, seen.placed),
                    Some(irregularity),
                ));
            }
        }
    }

    /// Why a ply is not regular, and what that costs; `None`: it is, or no ply at all.
    fn irregularity(
        &self,
        mover: &Position,
        mv: Move,
        piece: Piece,
        params: &Params,
    ) -> Option<(Irregularity, Cost)> {
        let to_move = self.position.side_to_move();
        let (irregularity, cost) = match (mover.legality(mv), piece.side == to_move) {
            (Ok(()), true) => return None,
            (Ok(()), false) => (Irregularity::OutOfTurn, params.out_of_turn),
            (Err(Illegal::ExposesGeneral(_)), true) => (Irregularity::ExposesGeneral, params.exposes),
            (Err(Illegal::Breaks(_)), true) => (Irregularity::Illegal, params.illegal),
            (Err(Illegal::ExposesGeneral(_) | Illegal::Breaks(_)), false) => {
                (Irregularity::OutOfTurn, params.out_of_turn * 2)
            }
        };
        // The same piece once more is the same ply put elsewhere or taken back before the press; rather a ply put right
        // after it.
        let again = self.line.last().is_some_and(|last| last.mv.to == mv.from);
        if again && self.unpressed > 0 {
            return None;
        }
        let again = if again { params.moved_on_after_press } else { 0 };
        Some((irregularity, cost + again))
    }

    /// Whether the piece was seen lifted and put down, and the ply leaves of what happened since no more unexplained than
    /// what slips by itself.
    fn seen_whole(&self, scene: Scene, mv: Move, piece: Piece, after: &Position) -> Option<SeenWhole> {
        let Scene { params, evidence, image, .. } = scene;
        let since = self.placed.plus(-params.overlap);
        let placed = evidence.last_placement(piece, mv.to, self.since_at(scene, mv.to))?;
        let lifted = evidence.last_lift(piece, mv.from, since, placed.plus(params.order_doubtful))?;
        if scene.now.since(placed) < params.stable {
            return None;
        }
        if self.hurries(scene, piece.side, placed) {
            return None;
        }
        let Difference { missing, extra, wrong } = image.difference(after.board());
        let differing = (missing | extra | wrong) - scene.health.bad();
        let before = differing - evidence.changed_since(lifted.min(placed));
        // Who has another piece in his hand has moved that one.
        let own = self.board().of_side(self.position.side_to_move());
        if !(before & own & evidence.changed_since(since)).is_empty() {
            return None;
        }
        // Who has pressed since the last ply has played: the other side answers him.
        let to_move = self.position.side_to_move();
        let played = |press: Epoch| (self.placed..lifted).contains(&press);
        if piece.side != to_move && scene.presses[to_move].is_some_and(played) {
            return None;
        }
        let slipped = differing - before;
        let for_it = |press: Epoch| press.since(placed) >= -PRESSED_EARLY;
        let pressed = Side::ALL.into_iter().any(|side| scene.presses[side].is_some_and(for_it));
        let slips = if pressed { SLIPPED_SINCE } else { 0 };
        let whole = before.len() <= AMISS_BEFORE && slipped.len() <= slips && (slipped - missing).is_empty();
        whole.then(|| SeenWhole { placed, stands: !slipped.contains(mv.to) })
    }
}

/// How an irregular ply was seen.
struct SeenWhole {
    placed: Epoch,
    /// Its piece still shows where it was put.
    stands: bool,
}
