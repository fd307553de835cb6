//! How far each point can be trusted.

use xiangqi::{Point, Points};

use crate::params::Cost;

/// What is known of the points as sensors.
#[derive(Clone, Debug)]
pub(crate) struct PointHealth {
    dead: Points,
    stuck: Points,
    proven: Points,
    /// Points that should have shown a piece when play began, and have shown none since.
    unshown: Points,
}

impl PointHealth {
    pub fn new() -> PointHealth {
        PointHealth {
            dead: Points::EMPTY,
            stuck: Points::EMPTY,
            proven: Points::EMPTY,
            unshown: Points::EMPTY,
        }
    }

    /// Points that are known to say nothing: those that sense nothing, and those that show a piece for ever.
    pub fn bad(&self) -> Points {
        self.dead | self.stuck
    }

    /// Points that are known to sense nothing.
    pub fn dead(&self) -> Points {
        self.dead
    }

    /// Points that are known to show a piece for ever.
    pub fn stuck(&self) -> Points {
        self.stuck
    }

    /// Points to which a piece has come in this game: they sense.
    pub fn proven(&self) -> Points {
        self.proven
    }

    pub fn declare_dead(&mut self, point: Point) {
        self.dead = self.dead.with(point);
    }

    pub fn declare_stuck(&mut self, point: Point) {
        self.stuck = self.stuck.with(point);
    }

    /// Points that should have shown a piece when play began, and have shown none since.
    pub fn unshown(&self) -> Points {
        self.unshown
    }

    /// Play begins; these points show a piece, so they sense, and those do not show the one that should stand there.
    pub fn starts(&mut self, occupied: Points, missing: Points) {
        self.proven = occupied;
        self.unshown = missing;
    }

    /// A piece came to a point and was sensed there.
    pub fn sensed(&mut self, point: Point) {
        self.proven = self.proven.with(point);
        self.dead = self.dead.without(point);
        self.unshown = self.unshown.without(point);
    }

    /// A point shows that it is empty: it shows no piece for ever.
    pub fn emptied(&mut self, point: Point) {
        self.stuck = self.stuck.without(point);
    }

    /// A price for disagreement at a point: nothing is expected of a bad one.
    pub fn discounted(&self, point: Point, cost: Cost) -> Cost {
        if self.bad().contains(point) { 0 } else { cost }
    }
}
