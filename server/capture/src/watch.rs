//! What an arbiter should know beside the plies: a board that does not fit, a board in disorder, a press without
//! a move.

use firmware_proto::Epoch;
use xiangqi::{Points, Side};

use crate::Finding;
use crate::inference::Inference;
use crate::params::Params;
use crate::reading::Hypothesis;
use crate::sense::Difference;

/// A board in disorder is said when it has been quiet for this long, ms.
const DISTURBED_AFTER: i64 = 150;

/// What was said so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// Since when board and best reading differ.
    differs_since: Option<Epoch>,
    /// The points that were named as differing.
    said: Points,
    disturbed: bool,
    pressed: Option<PressWithoutMove>,
}

/// A press by a player who has not moved, as far as is known yet.
#[derive(Clone, Copy, Debug)]
struct PressWithoutMove {
    side: Side,
    at: Epoch,
    plies: u16,
}

impl Watch {
    /// A player pressed; `best` is the best reading then.
    pub fn pressed(&mut self, side: Side, at: Epoch, best: &Hypothesis) {
        if best.position.side_to_move() == side {
            self.pressed = Some(PressWithoutMove { side, at, plies: best.plies() });
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
        let now = inference.now;
        let Some(scene) = inference.scene(params) else { return };
        if let Some(press) = self.pressed {
            if best.plies() > press.plies {
                self.pressed = None;
            } else if now.since(press.at) >= params.press_alert_after {
                self.pressed = None;
                findings.push(Finding::PressWithoutMove(press.side, press.at));
            }
        }
        let difference = scene.image.difference(best.board());
        let differing = difference.points() - inference.health.dead();
        if differing.is_empty() {
            self.differs_since = None;
            if !self.said.is_empty() || self.disturbed {
                findings.push(Finding::Restored(now));
            }
            self.said = Points::EMPTY;
            self.disturbed = false;
            return;
        }
        let since = *self.differs_since.get_or_insert(now.plus(-inference.quiet()));
        if !self.disturbed
            && differing.len() >= params.disturbed_points
            && inference.quiet() >= DISTURBED_AFTER
        {
            self.disturbed = true;
            findings.push(Finding::Disturbed {
                points: differing.into_iter().collect(),
                running: inference.clock.running,
                since,
            });
        }
        let patience = if in_hand(difference) { params.in_hand } else { params.mismatch_after };
        if now.since(since) >= patience
            && inference.quiet() >= params.mismatch_after
            && differing != self.said
        {
            self.said = differing;
            findings.push(Finding::Mismatch { points: differing.into_iter().collect(), since });
        }
    }

    /// Whether something was said that has not been taken back.
    pub fn open(&self) -> bool {
        !self.said.is_empty() || self.disturbed
    }
}

/// One piece is missing, nothing else differs: a player may be holding it.
fn in_hand(difference: Difference) -> bool {
    difference.points().len() == 1 && difference.missing.len() == 1
}
