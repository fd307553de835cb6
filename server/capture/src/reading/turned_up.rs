//! Pieces that were put where nothing showed them, and of which it turns out later where: the record of their placement
//! was lost, and an image tells it, or the next record of the point.
//!
//! By then plies may have followed. A reading that has the piece elsewhere, where nothing showed it either, is put right
//! from there, if what followed could be played all the same.

use xiangqi::Move;

use super::{Hypothesis, Scene};
use crate::evidence::Evidence;
use crate::line::{Placement, Ply};

impl Hypothesis {
    /// The readings in which a piece that was not seen placed was put where it has been seen since.
    pub fn turned_up(&self, scene: Scene, into: &mut Vec<Hypothesis>) {
        let mut moved = Vec::new();
        let kept = scene.now.plus(-Evidence::KEPT);
        for ply in self.line.backward().take_while(|ply| ply.at >= kept) {
            let stands = !moved.contains(&ply.mv.to);
            moved.extend([ply.mv.from, ply.mv.to]);
            let may_be_elsewhere = stands && ply.placement != Placement::Seen;
            let Some(piece) = ply.before.piece_at(ply.mv.from).filter(|_| may_be_elsewhere) else { continue };
            for &mv in ply.before.legal_moves().iter().filter(|mv| mv.from == ply.mv.from) {
                let told = scene.evidence.last_placement(piece, mv.to, ply.at.plus(1));
                if mv.to != ply.mv.to
                    && self.position.piece_at(mv.to).is_none()
                    && told.is_some_and(|told| scene.evidence.record_lost(mv.to, told))
                {
                    into.extend(self.put_right(scene, ply, mv));
                }
            }
        }
    }

    /// With another ply in the place of `wrong`; `None`: what followed could not be played then.
    fn put_right(&self, scene: Scene, wrong: &Ply, mv: Move) -> Option<Hypothesis> {
        let followed = self.line.since(wrong.no + 1);
        let mut line = self.line.clone();
        while line.last().is_some_and(|last| last.no >= wrong.no) {
            line = line.without_last();
        }
        let mut position = wrong.before.play_irregular(mv);
        let mut line = line.with(Ply { mv, placement: Placement::Seen, unseen: 0, ..wrong.clone() });
        for ply in followed {
            if ply.irregular.is_some() || position.legality(ply.mv).is_err() {
                return None;
            }
            let after = position.play_irregular(ply.mv);
            let before = std::mem::replace(&mut position, after);
            line = line.with(Ply { before, ..ply.clone() });
        }
        let mut next = self.with_line(line, position);
        next.silent = next.silent.without(wrong.mv.to);
        next.cost += scene.params.placement_by_image - wrong.unseen;
        next.cost -= next.disputes.settle(wrong.mv.to, 0) + next.disputes.settle(mv.to, 0);
        Some(next)
    }
}
