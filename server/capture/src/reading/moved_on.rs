//! The last piece goes on to another point before its ply is complete.

use std::ops::Range;

use firmware_proto::Epoch;
use xiangqi::Side;

use super::price::Price;
use super::{Hypothesis, Scene};
use crate::line::Placement;

/// A player may press so long after he took his piece up again and before it stands, ms; a lift is seen a little
/// later than it happens.
const PRESSED_IN_HAND: Range<i64> = -150..1_500;

impl Hypothesis {
    /// Whether the last ply, of this side, was complete when its piece left its point: its player had pressed, and not with
    /// the piece in his hand again.
    pub(super) fn is_complete(&self, scene: Scene, side: Side, left: Epoch) -> bool {
        let pressed_in_hand =
            scene.presses[side].is_some_and(|press| PRESSED_IN_HAND.contains(&press.since(left)));
        self.unpressed == 0 && !pressed_in_hand
    }

    /// The readings in which the last piece went on to another point before its ply was complete.
    pub fn moved_on(&self, scene: Scene, into: &mut Vec<Hypothesis>) {
        let Some(last) = self.line.last() else { return };
        let Some(piece) = self.position.piece_at(last.mv.to) else { return };
        let Some(left) = scene.evidence.last_lift(piece, last.mv.to, last.at, scene.now) else { return };
        // Only an image tells it: the piece may have gone on as soon as it was put there.
        let told_late = scene.evidence.record_lost(last.mv.to, left);
        let left = if told_late { last.at } else { left };
        let press = scene.presses[piece.side];
        let answered = scene.presses[piece.side.opposite()].is_some_and(|press| press > last.at);
        if self.is_complete(scene, piece.side, left) && !told_late || self.unpressed == 0 && answered {
            return;
        }
        let after_press =
            if self.unpressed == 0 && !told_late { scene.params.moved_on_after_press } else { 0 };
        let stood = left.since(last.at) > scene.params.stood_long_after;
        let stood_long = if stood { scene.params.stood_long } else { 0 };
        // Put down again before the press, where no sensor shows it, after it was last seen here.
        let by_elimination = self.unpressed == 0
            && press.is_some_and(|press| press >= left)
            && !self.seen_later(scene, last.mv, piece, last.at);
        // That the piece is gone from there is explained, but not that what it captured there is gone, too.
        let captured = last.before.is_capture(last.mv);
        let explained = if captured { 0 } else { self.disputes.paid(last.mv.to) };
        let Some(earlier) = self.before_last() else { return };
        for &mv in earlier.moves() {
            if mv.from != last.mv.from || mv.to == last.mv.to {
                continue;
            }
            // A point that it passed on its way to where it stood is none that it went on to.
            let went_on = left.plus(-scene.params.overlap).max(last.at);
            let placed = scene.evidence.last_placement(piece, mv.to, went_on);
            let unseen = !scene.image.occupied().contains(mv.to);
            let price = match placed {
                Some(placed) => {
                    let fits = scene.image.at(mv.to).may_be(Some(piece))
                        && !scene.image.at(last.mv.to).may_be(Some(piece));
                    let gone = || earlier.gone_again(scene, mv, piece, placed, left);
                    let cost = if fits { 0 } else { scene.params.image_differs + gone() };
                    if scene.evidence.record_lost(mv.to, placed) {
                        let cost = cost + after_press + scene.params.placement_by_image;
                        Price { told_late: Some(placed), ..Price::seen(cost, left) }
                    } else {
                        Price::seen(cost + after_press, placed)
                    }
                }
                None if earlier.is_blind(scene, mv.to, piece) || earlier.silent.contains(mv.to) && unseen => {
                    let unseen = scene.params.known_dead + earlier.strayed(scene, mv, piece, last.at);
                    Price { placement: Placement::Unseen, unseen, ..Price::seen(unseen + after_press, left) }
                }
                None if by_elimination && unseen => {
                    let unseen = earlier.silence(scene, mv, piece, last.at);
                    // He pressed for the point where it is now.
                    let cost = unseen - self.gone;
                    Price {
                        placement: Placement::Unseen,
                        unseen,
                        silent: true,
                        guessed: true,
                        ..Price::seen(cost, left)
                    }
                }
                None => continue,
            };
            let price = Price { cost: scene.params.moved_on + stood_long + price.cost - explained, ..price };
            into.push(earlier.with(scene, mv, price, None));
        }
    }
}
