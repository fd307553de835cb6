//! What a reading has paid for each point that does not show what the reading has there.
//!
//! A piece that is not sensed has slipped off its point, or a hand holds it: the longer, the less likely the hand, until
//! nothing is left but the slip. From then on time says nothing more. So a dispute grows dearer by the second up to the
//! price of its last explanation, and ends when the point agrees again.

use firmware_proto::Epoch;
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
    since: Epoch,
    paid: Cost,
    /// The piece was put there just before.
    fresh: bool,
    /// When a hand took it, as it seemed: then it has not slipped.
    taken: Option<Epoch>,
    /// A piece that was knocked over stands beside its point, which is one of the two.
    beside: bool,
    /// How long it has lasted, ms.
    lasted: i64,
}

impl Dispute {
    /// Whether the piece slipped as it was put there.
    const fn has_slipped(&self) -> bool {
        self.fresh && self.taken.is_none()
    }
}

/// A point may lose its piece for so long without anybody's doing, ms.
const FLICKERS: i64 = 250;

impl Disputes {
    /// What the differences cost in so many milliseconds more.
    pub fn pay(&mut self, scene: Scene, differing: Differing, millis: i64) -> Cost {
        let params = scene.params;
        let Differing { difference, waiting, fresh, beside, stuck } = differing;
        let open = difference.points() | stuck;
        self.0.retain(|dispute| open.contains(dispute.point));
        for dispute in self.0.iter_mut().filter(|dispute| beside.contains(dispute.point)) {
            dispute.beside = true;
        }
        let missing = Rate {
            at_once: 0,
            per_second: params.missing,
            at_most: params.missing_at_most,
            at_most_fresh: params.missing_fresh_at_most,
        };
        let slipped = Rate { at_once: params.slipped, ..missing };
        let extra = Rate {
            at_once: params.extra_at_once,
            per_second: params.extra,
            at_most: params.extra_at_most,
            at_most_fresh: params.extra_at_most,
        };
        let wrong = Rate {
            at_once: 0,
            per_second: params.wrong,
            at_most: params.wrong_at_most,
            at_most_fresh: params.wrong_at_most,
        };
        self.pay_for(scene, difference.missing - waiting, missing, fresh, millis)
            + self.pay_for(scene, difference.missing & waiting, slipped, fresh, millis)
            + self.pay_for(scene, difference.extra, extra, fresh, millis)
            + self.pay_for(scene, difference.wrong, wrong, fresh, millis)
    }

    /// The piece that is not sensed on one point stands on the other one, and is not sensed there: what was paid for that
    /// is paid.
    pub fn carried(&mut self, from: Point, to: Point) {
        for dispute in self.0.iter_mut().filter(|dispute| dispute.point == from) {
            dispute.point = to;
        }
    }

    /// Pieces that are missing from the beginning were told at the set-up: time says nothing more of them.
    pub fn known_missing(&mut self, scene: Scene, missing: Points) {
        let paid = scene.params.missing_at_most;
        self.0.extend(missing.into_iter().map(|point| Dispute {
            point,
            since: scene.now,
            paid,
            fresh: false,
            taken: None,
            beside: false,
            lasted: FLICKERS,
        }));
    }

    /// `point` agrees, and what was paid for it comes to no more than `at_most`: what is given back of it.
    pub fn settle(&mut self, point: Point, at_most: Cost) -> Cost {
        let Some(index) = self.0.iter().position(|dispute| dispute.point == point) else { return 0 };
        (self.0.remove(index).paid - at_most).max(0)
    }

    /// What was paid for `point`.
    pub fn paid(&self, point: Point) -> Cost {
        self.0.iter().find(|dispute| dispute.point == point).map_or(0, |dispute| dispute.paid)
    }

    /// What was paid for `point`, if it was in order until `since`.
    pub fn paid_since(&self, point: Point, since: Epoch) -> Cost {
        let begun = |dispute: &&Dispute| dispute.point == point && dispute.since >= since;
        self.0.iter().find(begun).map_or(0, |dispute| dispute.paid)
    }

    /// A hand took the piece from `point`, as it seems now: it has not slipped off it.
    pub fn taken(&mut self, point: Point, now: Epoch) {
        for dispute in self.0.iter_mut().filter(|dispute| dispute.point == point) {
            dispute.taken = dispute.taken.or(Some(now));
        }
    }

    /// What seemed since then to be a piece that a hand had taken was another one.
    pub fn not_taken(&mut self, since: Epoch) {
        for dispute in &mut self.0 {
            dispute.taken = dispute.taken.filter(|taken| *taken < since);
        }
    }

    /// Whether the piece on `point` slipped as soon as it was put there, rather than that a hand has it again; `None`: it was
    /// not missed yet.
    pub fn has_slipped(&self, point: Point) -> Option<bool> {
        self.0.iter().find(|dispute| dispute.point == point).map(Dispute::has_slipped)
    }

    fn pay_for(&mut self, scene: Scene, points: Points, rate: Rate, fresh: Points, millis: i64) -> Cost {
        let mut cost = 0;
        for point in points {
            let dispute = match self.0.iter_mut().position(|dispute| dispute.point == point) {
                Some(index) => &mut self.0[index],
                None => {
                    self.0.push(Dispute {
                        point,
                        since: scene.now,
                        paid: 0,
                        fresh: fresh.contains(point),
                        taken: None,
                        beside: false,
                        lasted: 0,
                    });
                    self.0.last_mut().expect("just pushed")
                }
            };
            dispute.lasted += millis;
            let at_once = if dispute.lasted < FLICKERS { 0 } else { rate.at_once };
            let due = (rate.per_second * millis / 1000).max(at_once - dispute.paid);
            let at_most = match (dispute.beside, dispute.has_slipped()) {
                (true, _) => scene.params.put_beside_at_most,
                (false, true) => rate.at_most_fresh,
                (false, false) => rate.at_most,
            };
            let paid = scene.health.discounted(point, due).min((at_most - dispute.paid).max(0));
            dispute.paid += paid;
            cost += paid;
        }
        cost
    }
}

/// Where a reading differs from the board, and what is known of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Differing {
    pub difference: Difference,
    /// The pieces of the side not to move.
    pub waiting: Points,
    /// Where pieces were put just now.
    pub fresh: Points,
    /// A piece that was knocked over stands beside its point: both points.
    pub beside: Points,
    /// Points that show a piece for ever: what was paid for them is not paid again when they agree for a while.
    pub stuck: Points,
}

/// What a dispute costs.
#[derive(Clone, Copy, Debug)]
struct Rate {
    at_once: Cost,
    per_second: Cost,
    at_most: Cost,
    /// That, of a piece that was put there just before.
    at_most_fresh: Cost,
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Reading, SensingKind};
    use xiangqi::BySide;

    use super::*;
    use crate::Readings;
    use crate::evidence::Evidence;
    use crate::foresight::Foresight;
    use crate::params::Params;
    use crate::points::PointHealth;
    use crate::sense::Image;

    /// A capture explains why its piece was gone since the last ply, and not why it was gone before.
    #[test]
    fn a_dispute_that_is_older_than_the_last_ply_has_paid_for_nothing_since() {
        let point: Point = "e4".parse().expect("a point");
        let points = [Reading::EMPTY; 90];
        let image = Image::new(&Readings { kind: SensingKind::Occupancy, points });
        let (params, evidence, health) = (Params::default(), Evidence::new(), PointHealth::new());
        let foresight = Foresight::default();
        let scene = Scene {
            params: &params,
            image: &image,
            evidence: &evidence,
            health: &health,
            foresight: &foresight,
            clock: true,
            presses: BySide { red: None, black: None },
            now: Epoch(1_000),
        };
        let missing = Difference { missing: Points::EMPTY.with(point), ..Difference::default() };
        let missing = Differing { difference: missing, ..Differing::default() };
        let mut disputes = Disputes::default();
        let paid = disputes.pay(scene, missing, 1_000);
        assert_eq!(paid, params.missing);
        assert_eq!(disputes.paid_since(point, Epoch(500)), paid);
        assert_eq!(disputes.paid_since(point, Epoch(5_000)), 0);
    }
}
