//! What a reading has paid for each point that does not show what the reading has there.
//!
//! A piece that is not sensed has slipped off its point, or a hand holds it: the longer, the less likely the hand, until
//! nothing is left but the slip. From then on time says nothing more. So a dispute grows dearer by the second up to the
//! price of its last explanation, and ends when the point agrees again.

use xiangqi::{Point, Points};

use crate::params::Cost;
use crate::reading::Scene;
use crate::sense::Difference;

/// The open disputes of one reading with the board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disputes(Vec<Dispute>);

#[derive(Clone, Copy, Debug)]
struct Dispute {
    point: Point,
    paid: Cost,
}

impl Disputes {
    /// What `difference` costs in so many milliseconds more; `waiting` are the pieces of the side not to move.
    pub fn pay(&mut self, scene: Scene, difference: Difference, waiting: Points, millis: i64) -> Cost {
        let params = scene.params;
        let open = difference.points();
        self.0.retain(|dispute| open.contains(dispute.point));
        let missing = Rate { at_once: 0, per_second: params.missing, at_most: params.missing_at_most };
        let slipped = Rate { at_once: params.slipped, ..missing };
        let extra = Rate { at_once: 0, per_second: params.extra, at_most: params.extra_at_most };
        let wrong = Rate { at_once: 0, per_second: params.wrong, at_most: params.wrong_at_most };
        self.pay_for(scene, difference.missing - waiting, missing, millis)
            + self.pay_for(scene, difference.missing & waiting, slipped, millis)
            + self.pay_for(scene, difference.extra, extra, millis)
            + self.pay_for(scene, difference.wrong, wrong, millis)
    }

    /// Pieces that are missing from the beginning were told at the set-up: time says nothing more of them.
    pub fn known_missing(&mut self, scene: Scene, missing: Points) {
        let paid = scene.params.missing_at_most;
        self.0.extend(missing.into_iter().map(|point| Dispute { point, paid }));
    }

    /// What was paid for `point`.
    pub fn paid(&self, point: Point) -> Cost {
        self.0.iter().find(|dispute| dispute.point == point).map_or(0, |dispute| dispute.paid)
    }

    fn pay_for(&mut self, scene: Scene, points: Points, rate: Rate, millis: i64) -> Cost {
        let mut cost = 0;
        for point in points {
            let dispute = match self.0.iter_mut().position(|dispute| dispute.point == point) {
                Some(index) => &mut self.0[index],
                None => {
                    self.0.push(Dispute { point, paid: 0 });
                    self.0.last_mut().expect("just pushed")
                }
            };
            let due = (rate.per_second * millis / 1000).max(rate.at_once - dispute.paid);
            let paid = scene.health.discounted(point, due).min((rate.at_most - dispute.paid).max(0));
            dispute.paid += paid;
            cost += paid;
        }
        cost
    }
}

/// What a dispute costs.
#[derive(Clone, Copy, Debug)]
struct Rate {
    at_once: Cost,
    per_second: Cost,
    at_most: Cost,
}
