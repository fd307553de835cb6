//! What an arbiter should know beside the plies: a board that does not fit, a board in disorder, a press without
//! a move.

use firmware_proto::Epoch;
use xiangqi::{BySide, Point, Points, Side};

use crate::inference::Inference;
use crate::line::Ply;
use crate::params::Params;
use crate::reading::Hypothesis;
use crate::sense::{Difference, Image};
use crate::suspects::Suspects;
use crate::{Finding, PlyNo};

/// A board in disorder is said when it has been quiet for this long, ms.
const DISTURBED_AFTER: i64 = 300;

/// A difference is said when the board has been quiet for this long, ms.
const SAID_AFTER: i64 = 300;

/// Pieces that left points which had shown nothing of them are looked for among so many plies.
const LOOKS_BACK: usize = 60;

/// What was said so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// Since when board and best reading differ.
    differs_since: Option<Epoch>,
    /// The points that were named as differing.
    said: Points,
    disturbed: bool,
    /// The points that were named as in disorder and have differed since.
    disorder: Points,
    pressed: Option<PressWithoutMove>,
    levers: Levers,
    /// Points that differ, since when and since after how many plies.
    misfits: Vec<Misfit>,
    /// Points that came to seem at fault at the same time.
    at_once: Points,
    silent: Suspects,
}

/// Whose levers were pressed since the game began: those of who had moved, or the other ones.
#[derive(Clone, Copy, Debug, Default)]
struct Levers {
    /// One was that of who had moved: the clock stands right.
    right: bool,
    /// So many plies were answered by the other lever, by whose it was.
    wrong: BySide<u8>,
    /// The last of those plies.
    after: u16,
    /// The clock was said to be turned.
    said: bool,
}

/// So many wrong presses of each side, and no right one, are no players' mistakes any more.
const TURNED_FROM: u8 = 2;

/// A point that may sense wrongly.
#[derive(Clone, Copy, Debug)]
struct Misfit {
    point: Point,
    stuck: bool,
    since: Epoch,
    plies: u16,
}

/// A press by a player who has not moved, as far as is known yet.
#[derive(Clone, Copy, Debug)]
struct PressWithoutMove {
    side: Side,
    at: Epoch,
    plies: u16,
}

impl Watch {
    /// A player pressed; `best` is the best reading now.
    pub fn pressed(&mut self, side: Side, at: Epoch, best: &Hypothesis) {
        if best.early_press.is_some_and(|(early, _)| early == side) {
            self.pressed = Some(PressWithoutMove { side, at, plies: best.plies() });
        }
    }

    /// A lever is pushed; `best` is the best reading before that.
    pub fn lever(&mut self, side: Side, best: &Hypothesis) {
        let moved = best.position.side_to_move() != side;
        // Who starts the clock has not moved.
        self.levers.right |= moved && best.plies() > 0;
        if !moved && best.plies() > self.levers.after {
            self.levers.after = best.plies();
            self.levers.wrong[side] = self.levers.wrong[side].saturating_add(1);
        }
    }

    /// Looks at the board in a pause.
    pub fn look(
        &mut self,
        inference: &Inference,
        best: &Hypothesis,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) {
        let now = inference.known.now;
        let Some(scene) = inference.known.scene(params) else { return };
        if let Some(press) = self.pressed {
            // What was moved while the board cannot be seen, its next image tells.
            if best.plies() > press.plies || inference.is_blind() || self.levers.said {
                self.pressed = None;
            } else if now.since(press.at) >= params.press_alert_after {
                self.pressed = None;
                findings.push(Finding::PressWithoutMove(press.side, press.at));
            }
        }
        let Levers { right, wrong, said, .. } = self.levers;
        if !right
            && !said
            && wrong.red.min(wrong.black) >= TURNED_FROM
            && let Some((side, at)) = inference.known.clock.pressed
        {
            self.levers.said = true;
            findings.push(Finding::ClockTurned(side, at));
        }
        if inference.tells_nothing() {
            // Whatever the board showed last: time says nothing more of it.
            self.differs_since = None;
            return;
        }
        let difference = scene.image.difference(best.board());
        self.note_misfits(difference, best, inference);
        let differing = difference.points() - inference.known.health.bad();
        if differing.is_empty() {
            self.differs_since = None;
            if !self.said.is_empty() || self.disturbed {
                findings.push(Finding::Restored(now));
            }
            self.said = Points::EMPTY;
            self.disturbed = false;
            self.disorder = Points::EMPTY;
            return;
        }
        let since = *self.differs_since.get_or_insert(now.plus(-inference.quiet()));
        // A board that is in disorder already may be knocked over once more.
        self.disorder = self.disorder & differing;
        if (differing - self.disorder).len() >= params.disturbed_points
            && inference.quiet() >= DISTURBED_AFTER
        {
            self.disturbed = true;
            self.disorder = differing;
            findings.push(Finding::Disturbed {
                points: differing.into_iter().collect(),
                running: inference.known.clock.running,
                since,
            });
        }
        let patience = if in_hand(difference) { params.in_hand } else { params.mismatch_after };
        if now.since(since) >= patience && inference.quiet() >= SAID_AFTER && differing != self.said {
            self.said = differing;
            findings.push(Finding::Mismatch { points: differing.into_iter().collect(), since });
        }
    }

    /// Points of which one must sense nothing, a piece having been put there unseen.
    pub fn silent_points(&mut self, inference: &mut Inference, params: &Params, findings: &mut Vec<Finding>) {
        self.silent.look(inference, params, findings);
    }

    /// Tells of a point that is at fault, once. Of several that come to be so at the same time none is named: rather the line
    /// is a wrong one. Returns from which ply on the record is doubtful for all that.
    pub fn bad_points(
        &mut self,
        inference: &mut Inference,
        best: &Hypothesis,
        strained: bool,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) -> Option<PlyNo> {
        let AtFault { dead, stuck } = self.at_fault(inference, best, strained, params)?;
        let at_once = (dead | stuck) - inference.known.health.unshown();
        if at_once.len() > 1 {
            let told = (at_once - self.at_once).is_empty();
            self.at_once = at_once;
            return if told { None } else { self.since(at_once) };
        }
        let doubtful = self.since(self.doubtful(dead, stuck, inference, best));
        for point in dead {
            inference.found_dead(point, params);
            findings.push(Finding::BadPoint { point, stuck: false });
        }
        for point in stuck {
            inference.known.health.declare_stuck(point);
            findings.push(Finding::BadPoint { point, stuck: true });
        }
        self.misfits.retain(|misfit| !(dead | stuck).contains(misfit.point));
        doubtful
    }

    /// Points that have differed for so long that the point is at fault, not a hand: no near reading knows of another
    /// reason, and none that is anyhow possible if the point has sensed in this game. Where much was left unexplained
    /// (`strained`), what is missing may stand anywhere: no point is named for a piece that is.
    fn at_fault(
        &self,
        inference: &Inference,
        best: &Hypothesis,
        strained: bool,
        params: &Params,
    ) -> Option<AtFault> {
        let scene = inference.known.scene(params)?;
        let missing = scene.image.difference(best.board()).missing;
        let silent = if strained {
            Points::EMPTY
        } else {
            self.misfits_due(false, best, inference, params) | never_shown(best, inference, params)
        };
        let showing = if strained && !missing.is_empty() {
            Points::EMPTY
        } else {
            self.misfits_due(true, best, inference, params) - best.doubted_origins()
        };
        let (mut dead, mut stuck) = (silent, showing);
        if !(silent | showing).is_empty() {
            let proven = inference.known.health.proven();
            for reading in inference.beam.near(params.lock_margin) {
                let missing = scene.image.difference(reading.board()).missing;
                let excused = silent - missing - never_shown(reading, inference, params);
                if reading.cost < params.suspected {
                    dead = dead - excused;
                    stuck = stuck & reading.shows_for_ever(scene);
                } else {
                    dead = dead - (excused & proven);
                }
            }
        }
        Some(AtFault { dead, stuck })
    }

    /// A point that has sensed and senses nothing any more was rather left by its piece, and one that shows a piece for ever
    /// may show the one that is missing elsewhere.
    fn doubtful(&self, dead: Points, stuck: Points, inference: &Inference, best: &Hypothesis) -> Points {
        let Some(image) = &inference.known.image else { return Points::EMPTY };
        let shows = |point: &Point| may_show_missing(image, *point, best);
        (dead & inference.known.health.proven()) | stuck.into_iter().filter(shows).collect()
    }

    /// The ply from which on one of these points has differed.
    fn since(&self, points: Points) -> Option<PlyNo> {
        let differ = self.misfits.iter().filter(|misfit| points.contains(misfit.point));
        differ.map(|misfit| PlyNo(misfit.plies + 1)).min()
    }

    /// Points that have shown nothing, or a piece, for long enough.
    fn misfits_due(&self, stuck: bool, best: &Hypothesis, inference: &Inference, params: &Params) -> Points {
        let proven = inference.known.health.proven();
        let Some(image) = &inference.known.image else { return Points::EMPTY };
        let due = |misfit: &&Misfit| {
            let (after, plies) = if stuck && !may_show_missing(image, misfit.point, best) {
                (params.stuck_after, params.stuck_after_plies)
            } else if stuck || proven.contains(misfit.point) {
                (params.bad_after, params.bad_after_plies)
            } else {
                (params.dead_after, params.dead_after_plies)
            };
            misfit.stuck == stuck
                && inference.known.now.since(misfit.since) >= after
                && best.plies() >= misfit.plies.saturating_add(plies)
        };
        self.misfits.iter().filter(due).map(|misfit| misfit.point).collect()
    }

    fn note_misfits(&mut self, difference: Difference, best: &Hypothesis, inference: &Inference) {
        let known = inference.known.health.bad();
        // Where a piece shows for ever, one may stand for a while.
        let stuck = difference.extra | best.stuck();
        let differs = |misfit: &Misfit| {
            let points = if misfit.stuck { stuck } else { difference.missing };
            points.contains(misfit.point)
        };
        self.misfits.retain(differs);
        for (points, stuck) in [(difference.missing, false), (stuck, true)] {
            for point in points - known {
                if !self.misfits.iter().any(|misfit| misfit.point == point && misfit.stuck == stuck) {
                    let since = inference.known.now.plus(-inference.quiet());
                    self.misfits.push(Misfit { point, stuck, since, plies: best.plies() });
                }
            }
        }
    }

    /// The game is over: what differs now is said whatever the patience.
    pub fn close(
        &mut self,
        inference: &Inference,
        best: &Hypothesis,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) {
        let Some(scene) = inference.known.scene(params) else { return };
        let differing = scene.image.difference(best.board()).points() - inference.known.health.bad();
        if !differing.is_empty() && differing != self.said {
            self.said = differing;
            let since = self.differs_since.unwrap_or(inference.known.now);
            findings.push(Finding::Mismatch { points: differing.into_iter().collect(), since });
        }
    }

    /// Whether something was said that has not been taken back.
    pub fn open(&self) -> bool {
        !self.said.is_empty() || self.disturbed
    }
}

/// Points that are at fault.
struct AtFault {
    /// They sense nothing.
    dead: Points,
    /// They show a piece for ever.
    stuck: Points,
}

/// Whether what a point shows may be a piece that is missing where it should stand.
fn may_show_missing(image: &Image, point: Point, best: &Hypothesis) -> bool {
    let shown = image.at(point);
    let missing = image.difference(best.board()).missing;
    missing.into_iter().any(|missing| shown.may_be(best.position.piece_at(missing)))
}

/// Points on which a piece stood for some plies or since play began, as its next ply tells, and which showed nothing of
/// it all the time.
fn never_shown(best: &Hypothesis, inference: &Inference, params: &Params) -> Points {
    let known = inference.known.health.proven() | inference.known.health.bad();
    let mut left: Vec<&Ply> = Vec::new();
    let mut never = Points::EMPTY;
    for ply in best.line.backward().take(LOOKS_BACK) {
        if !ply.is_seen() && !known.contains(ply.mv.to) {
            let stayed = |next: &&&Ply| {
                next.no >= ply.no + params.dead_after_plies && next.at.since(ply.at) >= params.dead_after
            };
            let next = left.iter().rev().find(|next| next.mv.from == ply.mv.to);
            if next.filter(stayed).is_some() {
                never = never.with(ply.mv.to);
            }
        }
        if inference.known.health.unshown().contains(ply.mv.from) && !known.contains(ply.mv.from) {
            never = never.with(ply.mv.from);
        }
        left.push(ply);
    }
    never
}

/// One piece is missing, nothing else differs: a player may be holding it.
fn in_hand(difference: Difference) -> bool {
    difference.points().len() == 1 && difference.missing.len() == 1
}
