//! The changes of the last seconds, point by point: who was lifted, who was placed, and when.

use std::collections::VecDeque;

use firmware_proto::Epoch;
use xiangqi::{Piece, Point, Points};

use crate::sense::Sense;

/// How a change was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// By a record: it happened then.
    ByRecord,
    /// By an image or the next record of the point, its own being lost: it happened then or earlier.
    Later,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    at: Epoch,
    told: Told,
    old: Sense,
    new: Sense,
}

impl Change {
    /// `piece` left the point.
    fn lifts(self, piece: Piece) -> bool {
        self.old.may_be(Some(piece)) && (self.new == Sense::Empty || !self.new.may_be(Some(piece)))
    }

    /// `piece` came to the point.
    fn places(self, piece: Piece) -> bool {
        self.new.may_be(Some(piece)) && (self.old == Sense::Empty || !self.old.may_be(Some(piece)))
    }
}

/// The changes of the last [`Evidence::KEPT`] milliseconds.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    points: Vec<VecDeque<Change>>,
    order: VecDeque<(Epoch, Point)>,
}

impl Evidence {
    /// How long a change is kept, ms.
    pub const KEPT: i64 = 40_000;

    pub fn new() -> Evidence {
        Evidence { points: vec![VecDeque::new(); Point::COUNT], order: VecDeque::new() }
    }

    pub fn record(&mut self, at: Epoch, told: Told, point: Point, old: Sense, new: Sense) {
        while let Some(&(oldest, there)) = self.order.front() {
            if at.since(oldest) <= Self::KEPT {
                break;
            }
            self.order.pop_front();
            self.points[there.index()].pop_front();
        }
        self.points[point.index()].push_back(Change { at, told, old, new });
        self.order.push_back((at, point));
    }

    /// Points that changed at or after `since`.
    pub fn changed_since(&self, since: Epoch) -> Points {
        self.order.iter().rev().take_while(|(at, _)| *at >= since).map(|&(_, point)| point).collect()
    }

    /// When `point` last changed, as far back as changes are kept.
    pub fn last_change(&self, point: Point) -> Option<Epoch> {
        self.points[point.index()].back().map(|change| change.at)
    }

    /// Whether `point` changed at or after `since`.
    pub fn has_changed(&self, point: Point, since: Epoch) -> bool {
        self.points[point.index()].back().is_some_and(|change| change.at >= since)
    }

    /// How long the longest visit to `point` lasted of a piece that came to it at or after `since` and left it again,
    /// ms.
    pub fn longest_visit(&self, point: Point, since: Epoch) -> Option<i64> {
        let changes = &self.points[point.index()];
        let visits = changes.iter().zip(changes.iter().skip(1));
        visits
            .filter(|(came, left)| came.at >= since && came.old == Sense::Empty && left.new == Sense::Empty)
            .map(|(came, left)| left.at.since(came.at))
            .max()
    }

    /// The point that was last visited at or after `since`, and left empty again within so many ms.
    pub fn last_passed(&self, since: Epoch, within: i64) -> Option<Point> {
        let visited = self.order.iter().rev().take_while(|(at, _)| *at >= since);
        visited
            .map(|&(_, point)| point)
            .find(|point| self.longest_visit(*point, since).is_some_and(|stayed| stayed <= within))
    }

    /// When `piece` was last lifted from `point` in `since..=until`.
    pub fn last_lift(&self, piece: Piece, point: Point, since: Epoch, until: Epoch) -> Option<Epoch> {
        self.points[point.index()]
            .iter()
            .rev()
            .skip_while(|change| change.at > until && change.told == Told::ByRecord)
            .take_while(|change| change.at >= since)
            .find(|change| change.lifts(piece))
            .map(|change| change.at.min(until))
    }

    /// When `piece` was last placed on `point`, at or after `since`.
    pub fn last_placement(&self, piece: Piece, point: Point, since: Epoch) -> Option<Epoch> {
        self.points[point.index()]
            .iter()
            .rev()
            .take_while(|change| change.at >= since)
            .find(|change| change.places(piece))
            .map(|change| change.at)
    }

    /// Whether it was told later what came to `point` at `moment`: its own record was lost.
    pub fn record_lost(&self, point: Point, moment: Epoch) -> bool {
        let mut changes = self.points[point.index()].iter().rev();
        changes.any(|change| change.at == moment && change.told == Told::Later)
    }

    /// When `piece` was first placed on `point`, at or after `since`.
    pub fn first_placement(&self, piece: Piece, point: Point, since: Epoch) -> Option<Epoch> {
        self.points[point.index()]
            .iter()
            .find(|change| change.at >= since && change.places(piece))
            .map(|change| change.at)
    }
}
