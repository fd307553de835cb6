//! What a regular ply costs a reading: the less of it was seen, and the less in order, the more.

use firmware_proto::{Epoch, SensingKind};
use xiangqi::{Move, Piece, Side};

use super::untouched::{between, beyond};
use super::{Hypothesis, Scene, Which};
use crate::Irregularity;
use crate::line::{Placement, Ply};
use crate::params::Cost;

/// A hand that has put a piece down needs at least so long until it puts down the next one, ms.
const HAND_RETURNS: i64 = 200;

/// What a ply costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    pub cost: Cost,
    /// When its piece was placed, as far as can be told.
    pub placed: Epoch,
    /// How its piece was seen placed.
    pub placement: Placement,
    /// What of the price is for it that this was not seen.
    pub unseen: Cost,
    /// Its piece is not sensed where it was placed.
    pub silent: bool,
    /// Its piece still shows where it came from.
    pub stays: bool,
    /// What it captured, or where its piece stands, is guessed.
    pub guessed: bool,
    /// What of the price is for a better capture that was overlooked.
    pub overlooked: Cost,
    /// What of the price is for it that its player pressed while its piece was gone from its target.
    pub gone: Cost,
    /// When it was told where its piece stands, if the record of that was lost.
    pub told_late: Option<Epoch>,
}

impl Price {
    /// The price of a ply that was seen as it should be.
    pub fn seen(cost: Cost, placed: Epoch) -> Price {
        Price {
            cost,
            placed,
            placement: Placement::Seen,
            unseen: 0,
            silent: false,
            stays: false,
            guessed: false,
            overlooked: 0,
            gone: 0,
            told_late: None,
        }
    }
}

impl Hypothesis {
    /// What a ply costs and when it was placed; `None`: nothing speaks for it.
    pub(super) fn price(&self, scene: Scene, mv: Move, which: Which, need_evidence: bool) -> Option<Price> {
        let Scene { params, image, evidence, .. } = scene;
        let piece = self.position.piece_at(mv.from)?;
        let captured = self.position.piece_at(mv.to);
        let since = self.placed.plus(-params.overlap);
        let since_there = self.since_at(scene, mv.to);
        let placement = match which {
            Which::First => evidence.first_placement(piece, mv.to, since_there),
            Which::Last => evidence.last_placement(piece, mv.to, since_there),
        };
        let in_order = placement
            .and_then(|placed| evidence.last_lift(piece, mv.from, since, placed.plus(params.order_slack)));
        let lift = in_order.or_else(|| evidence.last_lift(piece, mv.from, since, scene.now));
        let stands = image.at(mv.to).may_be(Some(piece));
        let left = !image.at(mv.from).may_be(Some(piece));
        let dead_origin = self.is_blind(scene, mv.from, piece);
        let dead_target = self.is_blind(scene, mv.to, piece);
        let by_image = (stands || dead_target) && (left || dead_origin);
        let by_evidence = (placement.is_some() || dead_target) && (lift.is_some() || dead_origin);
        // Lifted and pressed, but seen nowhere: it stands where no sensor shows it.
        let pressed = self.early_press.is_some_and(|(side, _)| side == piece.side);
        let by_elimination = !need_evidence
            && (pressed || !scene.clock)
            && lift.is_some()
            && left
            && !image.occupied().contains(mv.to);
        if !(by_evidence || !need_evidence && by_image || by_elimination)
            || (dead_origin && dead_target && !by_evidence)
        {
            return None;
        }
        let mut cost = params.ply;
        if lift.is_none() {
            // Where the piece was not sensed it could not be seen lifted; that was paid for already.
            let unsensed = !image.occupied().contains(mv.from) && !evidence.has_changed(mv.from, since);
            cost += match (dead_origin, unsensed) {
                (true, _) => params.known_dead,
                (false, true) => 0,
                (false, false) => params.no_lift,
            };
        }
        if lift.is_some_and(|lift| self.placed.since(lift) > params.order_slack) && !self.line.is_empty() {
            cost += params.early_lift;
        }
        // Only an image told of the placement: it happened then or earlier.
        let told_late = placement.filter(|placed| evidence.record_lost(mv.to, *placed));
        let (mut unseen, mut gone) = (0, 0);
        match placement {
            Some(placed) => {
                if let Some(lift) = lift.filter(|_| in_order.is_none()) {
                    cost += params.wrong_order;
                    if lift.since(placed) > params.order_doubtful {
                        cost += params.wrong_order_by_far;
                    }
                }
                if told_late.is_some() {
                    cost += params.placement_by_image;
                }
                if placed < self.placed && told_late.is_none() {
                    cost += params.late_placement;
                }
                if in_order.is_some_and(|lift| placed.since(lift) > params.held_long_after)
                    && told_late.is_none()
                {
                    cost += params.held_long;
                }
                if !stands {
                    let gone_again = self.gone_again(scene, mv, piece, placed, lift.unwrap_or(since));
                    cost += gone_again;
                    if pressed {
                        let careless = self.carelessness(scene, mv);
                        cost += careless;
                        gone = gone_again + careless;
                    }
                }
            }
            None if dead_target || self.silent.contains(mv.to) && !by_image => {
                unseen = params.known_dead + self.strayed(scene, mv, piece, lift.unwrap_or(since));
            }
            None if by_elimination && !by_image => {
                unseen = self.silence(scene, mv, piece, lift.unwrap_or(since));
            }
            None => {
                let swapped = captured.is_some() && image.kind() == SensingKind::Occupancy;
                // A swap that never leaves the point empty shows nothing there; once pressed, it is likely. After mate
                // nobody presses.
                let pressed = pressed || swapped && self.position.play_irregular(mv).legal_moves().is_empty();
                if !swapped || !pressed {
                    unseen += params.no_placement;
                }
                if swapped && !pressed {
                    unseen += params.no_placement_on_a_piece;
                }
            }
        }
        cost += unseen;
        let untouched = captured.is_some() && !dead_target && !evidence.has_changed(mv.to, since_there);
        if untouched {
            let lifted = lift.map_or(since, |lift| lift.plus(-params.order_slack));
            cost += self.untouched_target(scene, mv, lifted, pressed);
        }
        // Who presses for it has played it.
        if !pressed && self.fell(scene, mv.from) {
            cost += params.fallen;
        }
        let overlooked = self.overlooks(scene, mv);
        cost += overlooked;
        if !(by_image || by_elimination && placement.is_none()) {
            cost += params.image_differs;
        }
        if scene.clock {
            cost += params.unpressed * Cost::from(self.unpressed.min(2));
        }
        let silent = placement.is_none() && !dead_target && !stands;
        let lifted = lift.filter(|lift| !evidence.record_lost(mv.from, *lift));
        // What was paid for its two points since is explained, and so is what was played before that was told.
        let waited = placement.zip(self.told_late).is_some_and(|(placed, told)| placed <= told);
        if told_late.is_some() || waited {
            cost -= self.paid_since_last(scene, mv.from) + self.paid_for_target(scene, mv);
        }
        let placed = match placement {
            Some(_) if told_late.is_some() => lifted.unwrap_or(self.placed).max(self.placed),
            Some(placed) => placed,
            None => lift.unwrap_or(scene.now).max(self.placed),
        };
        if told_late.is_none() && self.hurries(scene, piece.side, placed) {
            cost += params.hurried;
        }
        let guessed = silent || untouched && image.kind() == SensingKind::Occupancy;
        let placement = match placement {
            Some(_) if stands => Placement::Seen,
            Some(_) => Placement::Fleeting,
            None => Placement::Unseen,
        };
        Some(Price {
            cost,
            placed,
            placement,
            unseen,
            silent,
            stays: false,
            guessed,
            overlooked,
            gone,
            told_late,
        })
    }

    /// Whether `side` put its last piece down so shortly before this that its hand cannot have put down another one, as far
    /// as the moment of the last one is known.
    pub(super) fn hurries(&self, scene: Scene, side: Side, placed: Epoch) -> bool {
        let own = |ply: &&Ply| ply.before.piece_at(ply.mv.from).is_some_and(|piece| piece.side == side);
        let last = self.line.backward().take(2).find(own);
        last.is_some_and(|last| {
            let told_late = scene.evidence.record_lost(last.mv.to, last.at);
            let entered = last.irregular == Some(Irregularity::Entered);
            placed.since(last.at) < HAND_RETURNS && !told_late && !entered
        })
    }

    /// What it costs that a piece that was lifted then is nowhere seen and must stand on its target.
    pub(super) fn silence(&self, scene: Scene, mv: Move, piece: Piece, lifted: Epoch) -> Cost {
        let Scene { params, health, .. } = scene;
        let mut cost =
            params.no_placement + self.carelessness(scene, mv) + self.strayed(scene, mv, piece, lifted);
        if slid_on(scene, mv, piece, lifted) {
            cost -= params.slid_on;
        }
        if health.proven().contains(mv.to) {
            cost += params.silent_though_proven;
        }
        cost
    }

    /// What it costs that a piece which is to stand where nothing shows it was seen for a moment elsewhere, where it could
    /// have gone, too, and not on its way: it has rather slipped off there than been put down and taken up so soon.
    pub(super) fn strayed(&self, scene: Scene, mv: Move, piece: Piece, lifted: Epoch) -> Cost {
        let Scene { params, evidence, .. } = scene;
        let since = lifted.plus(-params.order_slack);
        let strays = |other: &Move| {
            let there = other.to;
            other.from == mv.from
                && there != mv.to
                && between(mv).all(|point| point != there)
                && evidence.last_placement(piece, there, since).is_some()
                && evidence.longest_visit(there, since).is_some_and(|stayed| stayed <= params.passes_within)
        };
        if self.moves().iter().any(strays) { params.ghost } else { 0 }
    }

    /// What it costs that the piece that was lifted and placed then is seen on its target no more, for what was seen
    /// of it since.
    pub(super) fn gone_again(
        &self,
        scene: Scene,
        mv: Move,
        piece: Piece,
        placed: Epoch,
        lifted: Epoch,
    ) -> Cost {
        if passed_by(scene, mv, piece, placed) {
            scene.params.no_placement + scene.params.silent_though_proven
        } else if self.seen_later(scene, mv, piece, placed) {
            scene.params.seen_later
        } else {
            hardly_rested(scene, mv, piece, lifted)
        }
    }

    /// Whether the piece was placed somewhere else after it had been placed on its target.
    pub(super) fn seen_later(&self, scene: Scene, mv: Move, piece: Piece, placed: Epoch) -> bool {
        let after = placed.plus(1);
        let elsewhere = scene.evidence.changed_since(after).without(mv.to).without(mv.from);
        elsewhere.into_iter().any(|point| {
            self.position.piece_at(point).is_none()
                && scene.evidence.last_placement(piece, point, after).is_some()
        })
    }
}

/// Whether the piece was last seen pushed over the point before its target, on the line that leads there.
fn slid_on(scene: Scene, mv: Move, piece: Piece, lifted: Epoch) -> bool {
    let before = between(mv).last();
    before.is_some_and(|point| pushed_over(scene, Move::new(mv.from, point), piece, lifted).is_some())
}

/// Whether the piece was pushed over the target of a move and then seen on the next point of the line.
fn passed_by(scene: Scene, mv: Move, piece: Piece, placed: Epoch) -> bool {
    let Scene { params, evidence, .. } = scene;
    let Some(next) = beyond(mv) else { return false };
    let stayed = evidence.longest_visit(mv.to, placed).is_some_and(|stayed| stayed <= params.passes_within);
    let went_on = evidence.last_placement(piece, next, placed.plus(1));
    stayed && went_on.is_some_and(|there| there.since(placed) <= params.passes_within)
}

/// What it costs that the piece was pushed to its target and was gone from there at once: the sooner, the less likely did a
/// hand let go of it there rather than push it on.
fn hardly_rested(scene: Scene, mv: Move, piece: Piece, lifted: Epoch) -> Cost {
    let Scene { params, image, .. } = scene;
    let goes_on = beyond(mv).is_some_and(|next| !image.occupied().contains(next));
    let rested = if goes_on { pushed_over(scene, mv, piece, lifted) } else { None };
    rested.map_or(0, |rested| params.hardly_rested * (params.passes_within - rested) / params.passes_within)
}

/// If the last thing seen of the piece is that it was pushed to the target of a move and left it at once: how long it
/// rested there, ms.
fn pushed_over(scene: Scene, mv: Move, piece: Piece, lifted: Epoch) -> Option<i64> {
    let Scene { params, evidence, .. } = scene;
    let since = lifted.plus(-params.order_slack);
    let came = evidence.last_placement(piece, mv.to, since)?;
    let before = between(mv).last().unwrap_or(mv.from);
    let until = came.plus(params.order_doubtful);
    evidence.last_lift(piece, before, came.plus(-params.passes_within), until)?;
    let last = evidence.last_passed(since, params.passes_within) == Some(mv.to);
    last.then(|| evidence.longest_visit(mv.to, since)).flatten()
}
