//! How far each point can be trusted.

use xiangqi::{Point, Points};

use crate::params::Cost;

/// What is known of the points as sensors.
#[derive(Clone, Debug)]
pub(crate) struct PointHealth {
    dead: Points,
    proven: Points,
    /// Thousandths; a disagreement is divided by 1 + this.
    unreliable: [i64; Point::COUNT],
}

impl PointHealth {
    /// A second of disagreement adds this, thousandths.
    const GROWS: i64 = 150;
    /// Never above this, thousandths.
    const MOST: i64 = 12_000;

    pub fn new() -> PointHealth {
        PointHealth { dead: Points::EMPTY, proven: Points::EMPTY, unreliable: [0; Point::COUNT] }
    }

    /// Points that are known to sense nothing.
    pub fn dead(&self) -> Points {
        self.dead
    }

    /// Points that have changed in this game: they sense.
    pub fn proven(&self) -> Points {
        self.proven
    }

    pub fn declare_dead(&mut self, point: Point) {
        self.dead = self.dead.with(point);
    }

    pub fn changed(&mut self, point: Point) {
        self.proven = self.proven.with(point);
        self.dead = self.dead.without(point);
    }

    /// The board agreed with the best reading but for these points.
    pub fn observe(&mut self, differing: Points, millis: i64) {
        for point in Point::ALL {
            let value = &mut self.unreliable[point.index()];
            if differing.contains(point) {
                *value = (*value + Self::GROWS * millis / 1000).min(Self::MOST);
            } else if *value > 0 {
                *value = *value * 97 / 100;
            }
        }
    }

    /// A price for disagreement at a point, as far as the point can be trusted.
    pub fn discounted(&self, point: Point, cost: Cost) -> Cost {
        if self.dead.contains(point) { 0 } else { cost * 1000 / (1000 + self.unreliable[point.index()]) }
    }
}
