//! Pieces that are not sensed where they stand: they slipped off their point, or their magnet is weak. Who presses while
//! nothing else of his has moved may have moved such a one, and nothing was seen of that.

use super::price::Price;
use super::{Hypothesis, Scene};
use crate::line::Placement;

impl Hypothesis {
    /// The readings in which a player who pressed had moved a piece that no sensor showed before or shows now.
    pub fn moved_unsensed(&self, scene: Scene, into: &mut Vec<Hypothesis>) {
        let mover = self.position.side_to_move();
        if self.early_press.is_none_or(|(side, _)| side != mover) {
            return;
        }
        let changed = scene.evidence.changed_since(self.placed.plus(-scene.params.overlap));
        let difference = scene.image.difference(self.board());
        let own = self.board().of_side(mover);
        // If a piece of his has left its point or come to one, that one was moved.
        let moved = (difference.missing & own | difference.extra | difference.wrong) & changed;
        // Of what has not shown since play began the piece may be at fault, and not its point.
        let at_fault = scene.health.bad() - scene.health.unshown();
        let unsensed = (difference.missing & own) - at_fault;
        if unsensed.is_empty() || !moved.is_empty() {
            return;
        }
        for &mv in self.moves() {
            // What he takes is gone from its point.
            let taken = self.position.piece_at(mv.to).is_none() || changed.contains(mv.to);
            if !unsensed.contains(mv.from) || !taken || scene.image.occupied().contains(mv.to) {
                continue;
            }
            let overlooked = self.overlooks(scene, mv);
            let cost = scene.params.unsensed + self.carelessness(scene, mv).max(0) + overlooked;
            let price = Price {
                placement: Placement::Unseen,
                guessed: true,
                overlooked,
                ..Price::seen(cost, scene.now.max(self.placed))
            };
            let mut next = self.with(scene, mv, price, None);
            next.disputes.carried(mv.from, mv.to);
            into.push(next);
        }
    }
}
