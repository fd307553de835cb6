//! A piece that leaves its point before its ply is complete hardly stood there: its player may have put it elsewhere.

use xiangqi::{Move, Point, Points};

use super::{Hypothesis, Scene};
use crate::line::{Line, Placement, Ply};
use crate::sense::Sense;

impl Hypothesis {
    /// The line, its last ply being complete now: if its piece is gone, it hardly stood there.
    pub(super) fn completed(&self, scene: Scene) -> Line {
        let gone = |last: &&Ply| {
            last.placement == Placement::Seen
                && !scene.health.bad().contains(last.mv.to)
                && !scene.image.at(last.mv.to).may_be(self.position.piece_at(last.mv.to))
        };
        match self.line.last().filter(gone) {
            Some(_) => self.line.with_last_placed(Placement::Fleeting),
            None => self.line.clone(),
        }
    }

    /// The piece on `point` has left it: if that is the last ply's, its player may have had it in his hand when he pressed;
    /// if it is the opponent's, what was seen elsewhere just before may be that one.
    pub(super) fn taken_up(&mut self, scene: Scene, point: Point) {
        if self.position.piece_at(point).is_some_and(|piece| piece.side == self.position.side_to_move()) {
            self.disputes.not_taken(scene.now.plus(-scene.params.order_doubtful));
        }
        if let Some(last) = self.line.last().filter(|last| last.mv.to == point)
            && self.unpressed == 0
            && !self.is_complete(scene, last.before.side_to_move(), scene.now)
        {
            self.line = self.completed(scene);
        }
    }

    /// The piece on `point` has come back to it: if that is the last ply's, it stands there after all.
    pub(super) fn put_back(&mut self, point: Point) {
        let fleeting = |last: &&Ply| last.mv.to == point && last.placement == Placement::Fleeting;
        if self.line.last().filter(fleeting).is_some() {
            self.line = self.line.with_last_placed(Placement::Seen);
        }
    }

    /// What shows as `sense` has come to `point`: if it can only be the last ply's piece, which could have gone there, a hand
    /// took it from where it was put.
    pub(super) fn seen_elsewhere(&mut self, scene: Scene, point: Point, sense: Sense) {
        let incomplete = |last: &&Ply| self.unpressed > 0 || last.placement == Placement::Fleeting;
        let Some(last) = self.line.last().filter(incomplete) else { return };
        let missing = scene.image.difference(self.board()).missing;
        if missing == Points::EMPTY.with(last.mv.to)
            && sense.may_be(last.before.piece_at(last.mv.from))
            && last.before.legality(Move::new(last.mv.from, point)).is_ok()
        {
            self.disputes.taken(last.mv.to, scene.now);
        }
    }
}
