//! Captures whose target shows no change: a swap in the hand that never leaves the point empty, to a board that senses
//! occupancy only. What speaks for one target and against another is what happened beside it.

use firmware_proto::Epoch;
use xiangqi::{Move, Point, Position};

use super::exchange::{exchange, pays};
use super::{Hypothesis, Scene};
use crate::params::Cost;

impl Hypothesis {
    /// What a capture costs whose target shows no change since `since`, when the capturing piece was lifted; and whether its
    /// player has pressed for it.
    pub(super) fn untouched_target(&self, scene: Scene, mv: Move, since: Epoch, pressed: bool) -> Cost {
        let Scene { params, evidence, .. } = scene;
        let mut cost = params.untouched_target;
        if beside(mv.to).any(|point| evidence.longest_visit(point, since).is_some()) {
            cost -= params.carried_off;
        }
        if evidence.changed_since(since).into_iter().any(|point| self.rested(scene, mv, point, since)) {
            cost += params.rested_elsewhere;
        }
        let since = since.max(self.placed.plus(1));
        let captures = self.position.legal_captures();
        let captures: Vec<Move> = captures.iter().copied().filter(|other| other.from == mv.from).collect();
        if captures.iter().any(|other| *other != mv && evidence.has_changed(other.to, since)) {
            return cost + params.touched_another;
        }
        let positions = if pressed { params.long_look } else { params.glance };
        let poorer = scene.foresight.poorer(&self.position, mv, &captures, positions);
        cost + (params.poor_capture * poorer).min(params.poor_capture_at_most)
    }

    /// What a ply costs that nobody saw placed, for what the opponent wins after it; less for what it threatens to win.
    pub(super) fn carelessness(&self, scene: Scene, mv: Move) -> Cost {
        carelessness(scene, &self.position.play_irregular(mv))
    }

    /// What a ply costs for the better capture that its player left out, where what stands on the board is a guess: a
    /// piece that could be taken for nothing ply after ply is hardly there.
    pub(super) fn overlooks(&self, scene: Scene, mv: Move) -> Cost {
        if self.guessed == 0 {
            return 0;
        }
        let Scene { params, .. } = scene;
        let best = *self.pays.get_or_init(|| pays(&self.position));
        let left_out = (best - exchange(&self.position, mv)).max(0);
        let unseen = self.silent & self.board().occupied();
        let at_most =
            if unseen.is_empty() { params.overlooked_at_most } else { params.overlooked_silent_at_most };
        (params.overlooked * left_out).min(params.overlooked_in_a_ply).min((at_most - self.overlooked).max(0))
    }

    /// Whether the moving piece was put down on `point` on its way: not where it slides over on its line, nor where
    /// the taken piece is carried off.
    fn rested(&self, scene: Scene, mv: Move, point: Point, since: Epoch) -> bool {
        if point == mv.from || self.position.piece_at(point).is_some() {
            return false;
        }
        let Some(stay) = scene.evidence.longest_visit(point, since) else { return false };
        let on_its_way = || between(mv).chain(beside(mv.to)).any(|passed| passed == point);
        stay > scene.params.passes_within || !on_its_way()
    }
}

/// What a position costs for what the opponent of the player who left it wins there; less for what that player threatens
/// to win.
pub(super) fn carelessness(scene: Scene, after: &Position) -> Cost {
    let Scene { params, .. } = scene;
    let loses = (params.careless * pays(after)).min(params.careless_at_most);
    loses - (params.threatens * pays(&after.pass())).min(params.threatens_at_most)
}

/// The points between two on a line.
pub(super) fn between(mv: Move) -> impl Iterator<Item = Point> {
    let files = i16::from(mv.to.file()) - i16::from(mv.from.file());
    let ranks = i16::from(mv.to.rank()) - i16::from(mv.from.rank());
    let steps = if files == 0 || ranks == 0 { files.abs().max(ranks.abs()) } else { 0 };
    (1..steps).filter_map(move |step| {
        let part = |whole: i16| i8::try_from(whole / steps * step).unwrap_or_default();
        mv.from.offset(part(files), part(ranks))
    })
}

/// The point after the target on the line of a move; `None`: there is none, or it goes on no line.
pub(super) fn beyond(mv: Move) -> Option<Point> {
    let files = i16::from(mv.to.file()) - i16::from(mv.from.file());
    let ranks = i16::from(mv.to.rank()) - i16::from(mv.from.rank());
    let step = |way: i16| i8::try_from(way.signum()).unwrap_or_default();
    (files == 0 || ranks == 0).then(|| mv.to.offset(step(files), step(ranks))).flatten()
}

/// The points next to a point.
pub(super) fn beside(point: Point) -> impl Iterator<Item = Point> {
    [(1, 0), (-1, 0), (0, 1), (0, -1)]
        .into_iter()
        .filter_map(move |(files, ranks)| point.offset(files, ranks))
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Reading, SensingKind};
    use xiangqi::Points;

    use super::*;
    use crate::Readings;
    use crate::known::Known;
    use crate::params::Params;
    use crate::sense::Image;

    /// In many readings a piece that stands unseen hangs, in the right one, too; once it has moved on, it is seen where it
    /// is.
    #[test]
    fn oversights_weigh_less_only_while_a_piece_stands_where_nothing_shows_it() {
        let (params, mut known) = (Params::default(), Known::new(Epoch(1_000)));
        known.image =
            Some(Image::new(&Readings { kind: SensingKind::Occupancy, points: [Reading::EMPTY; 90] }));
        let scene = known.scene(&params).expect("the board was seen");
        // Red's chariot leaves out a soldier that hangs.
        let position = Position::from_fen("3k5/9/9/9/2p1R4/9/9/9/9/4K4 w - - 0 1").expect("a position");
        let left_out: Move = "e5e6".parse().expect("a move");
        let overlooked = |silent: &str| {
            let silent = Points::EMPTY.with(silent.parse().expect("a point"));
            let mut reading = Hypothesis::new(position.clone(), Epoch(0));
            (reading.guessed, reading.silent) = (1, silent);
            reading.overlooked = params.overlooked_silent_at_most;
            reading.overlooks(scene, left_out)
        };
        assert_eq!(overlooked("c5"), 0, "the soldier may stand there, and nothing shows it");
        assert!(overlooked("c6") > 0, "nothing stands there any more");
    }
}
