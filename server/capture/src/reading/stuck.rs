//! Points that go on to show a piece which this reading does not have there.
//!
//! A ply of which everything is in order but that its piece still shows where it came from: the record of its lift was
//! lost, or that point shows a piece for ever. An image tells the first soon. What a point says that shows a piece for
//! ever is worth nothing as long as it is just that piece.

use xiangqi::{Piece, Point, Points};

use super::price::Price;
use super::{Hypothesis, Scene};
use crate::params::Cost;
use crate::sense::Sense;

impl Hypothesis {
    /// Whether nothing that `point` shows of `piece` means anything.
    pub(super) fn is_blind(&self, scene: Scene, point: Point, piece: Piece) -> bool {
        scene.health.dead().contains(point)
            || self.is_stuck(scene, point) && scene.image.at(point).may_be(Some(piece))
    }

    fn is_stuck(&self, scene: Scene, point: Point) -> bool {
        (self.stuck | scene.health.stuck()).contains(point)
    }

    /// Points that by this reading show a piece for ever.
    pub fn stuck(&self) -> Points {
        self.stuck
    }

    /// Points from which pieces moved in the plies that are in doubt: which of them shows its piece still is what they
    /// differ in.
    pub fn doubted_origins(&self) -> Points {
        let mut origins = Points::EMPTY;
        for (from, other) in &self.doubts {
            let until = other.last().map_or(0, |last| last.no);
            let own = self.line.since(*from).into_iter().filter(|ply| ply.no <= until);
            for ply in own.chain(other.since(*from)) {
                origins = origins.with(ply.mv.from);
            }
        }
        origins
    }

    /// Points that show a piece, and by this reading none is there or it would show for ever.
    pub fn shows_for_ever(&self, scene: Scene) -> Points {
        scene.image.difference(self.board()).extra | self.stuck
    }

    /// The readings with one ply more whose player pressed for it, whose piece was seen placed and still shows where it
    /// came from.
    pub fn left_behind(&self, scene: Scene, into: &mut Vec<Hypothesis>) {
        let mover = self.position.side_to_move();
        if scene.clock && self.early_press.is_none_or(|(side, _)| side != mover) {
            return;
        }
        let since = self.placed.plus(-scene.params.overlap);
        let changed = scene.evidence.changed_since(since);
        // If one of his pieces has left its point, that one was moved.
        let missing = scene.image.difference(self.board()).missing & changed;
        if !(missing & self.board().of_side(mover)).is_empty() {
            return;
        }
        let targets = changed & scene.image.occupied();
        for &mv in self.moves() {
            let Some(piece) = self.position.piece_at(mv.from).filter(|_| targets.contains(mv.to)) else {
                continue;
            };
            let since_there = self.since_at(scene, mv.to);
            let shows = |point: Point| scene.image.at(point).may_be(Some(piece));
            let lifted = scene.evidence.last_lift(piece, mv.from, since, scene.now).is_some();
            if !shows(mv.to) || !shows(mv.from) || lifted || self.is_blind(scene, mv.from, piece) {
                continue;
            }
            let Some(placed) = scene.evidence.last_placement(piece, mv.to, since_there) else { continue };
            let unpressed = if scene.clock { Cost::from(self.unpressed.min(2)) } else { 0 };
            let overlooked = self.overlooks(scene, mv);
            // That the piece is on its target is explained.
            let explained = self.paid_for_target(scene, mv);
            let cost = scene.params.ply
                + scene.params.no_lift
                + scene.params.image_differs
                + scene.params.unpressed * unpressed
                + overlooked
                - explained;
            let price = Price { overlooked, stays: true, ..Price::seen(cost, placed) };
            into.push(self.with(scene, mv, price, None));
        }
    }

    /// What showed as `sense` has left `point`, where it had stayed for so long, if that is known: a reading that never had
    /// it there has to explain that, by a hand that passed over the point or by a ghost. If only an image tells it, the
    /// record was lost, and the piece has left at any time; a ply that left it behind has paid for that.
    pub fn left(&mut self, scene: Scene, point: Point, sense: Sense, stayed: Option<i64>) {
        let left_behind = self.stuck.contains(point);
        // What shows that it is empty shows no piece for ever, whatever was there.
        let empty = scene.image.at(point) == Sense::Empty;
        if empty {
            self.stuck = self.stuck.without(point);
        }
        let stood = sense.may_be(self.position.piece_at(point));
        if stood {
            self.taken_up(scene, point);
        }
        if stood || !empty && self.is_stuck(scene, point) {
            return;
        }
        let paid = match stayed {
            None if left_behind => 0,
            None => scene.params.visit,
            Some(stayed) if stayed <= scene.params.passes_within && self.has_in_hand(scene, sense) => {
                scene.params.visit
            }
            Some(_) => scene.params.ghost,
        };
        self.cost += paid;
        self.left.push((point, paid));
    }

    /// What `point` shows now is told later than it happened. A reading that has it so was right all the time, and the
    /// record was lost: that is as likely as it is, however long it lasted.
    pub fn told_later(&mut self, scene: Scene, point: Point) {
        if scene.image.at(point).may_be(self.position.piece_at(point)) {
            if self.silent.contains(point) {
                self.cost -= scene.params.no_placement - scene.params.placement_by_image;
            }
            let at_most = if self.stuck.contains(point) { 0 } else { scene.params.record_lost };
            self.cost -= self.disputes.settle(point, at_most);
        }
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Epoch, Reading, SensingKind};
    use xiangqi::{Position, Side};

    use super::*;
    use crate::Readings;
    use crate::known::Known;
    use crate::params::Params;
    use crate::sense::Image;

    fn point(name: &str) -> Point {
        name.parse().expect("a point")
    }

    #[test]
    fn a_point_that_shows_that_it_is_empty_shows_no_piece_for_ever_though_its_piece_was_there() {
        let (params, mut known) = (Params::default(), Known::new(Epoch(0)));
        known.image = Some(Image::new(&Readings { kind: SensingKind::Colour, points: [Reading::EMPTY; 90] }));
        let scene = known.scene(&params).expect("the board was seen");
        let mut reading = Hypothesis::new(Position::start(), Epoch(0));
        reading.stuck = Points::EMPTY.with(point("d9"));
        reading.left(scene, point("d9"), Sense::Of(Side::Black), Some(5_000));
        assert_eq!(reading.stuck(), Points::EMPTY);
    }

    #[test]
    fn what_two_lines_differ_in_until_they_meet_is_from_where_pieces_moved() {
        let play = |reading: &Hypothesis, word: &str| {
            let mv = word.parse().expect("a move");
            reading.entered(mv, reading.position.play_irregular(mv), Epoch(0), None)
        };
        let start = play(&Hypothesis::new(Position::start(), Epoch(0)), "h2e2");
        let other = play(&start, "f9e8");
        let mut best = play(&play(&start, "d9e8"), "h0g2");
        best.doubts = vec![(2, other.line)];
        assert_eq!(best.doubted_origins(), Points::EMPTY.with(point("d9")).with(point("f9")));
    }
}
