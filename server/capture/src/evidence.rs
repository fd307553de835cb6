//! The changes of the last seconds, point by point: who was lifted, who was placed, and when.

use std::collections::VecDeque;

use firmware_proto::Epoch;
use xiangqi::{Piece, Point, Points};

use crate::sense::Sense;

#[derive(Clone, Copy, Debug)]
struct Change {
    at: Epoch,
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

    pub fn record(&mut self, at: Epoch, point: Point, old: Sense, new: Sense) {
        while let Some(&(oldest, there)) = self.order.front() {
            if at.since(oldest) <= Self::KEPT {
                break;
            }
            self.order.pop_front();
            self.points[there.index()].pop_front();
        }
        self.points[point.index()].push_back(Change { at, old, new });
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

    /// When `piece` was last lifted from `point` in `since..=until`.
    pub fn last_lift(&self, piece: Piece, point: Point, since: Epoch, until: Epoch) -> Option<Epoch> {
        self.points[point.index()]
            .iter()
            .rev()
            .skip_while(|change| change.at > until)
            .take_while(|change| change.at >= since)
            .find(|change| change.lifts(piece))
            .map(|change| change.at)
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

    /// When `piece` was first placed on `point`, at or after `since`.
    pub fn first_placement(&self, piece: Piece, point: Point, since: Epoch) -> Option<Epoch> {
        self.points[point.index()]
            .iter()
            .find(|change| change.at >= since && change.places(piece))
            .map(|change| change.at)
    }
}
