//! Whether a ply may be confirmed: what completes it, how far every other reading must be, and what it waits for otherwise.

use firmware_proto::Epoch;

use crate::inference::Inference;
use crate::known::Clock;
use crate::line::Ply;
use crate::params::{Cost, Params};
use crate::reading::Hypothesis;
use crate::{Completed, Waits};

/// An answered ply is complete when the answer has stood this long, ms.
const ANSWERED_AFTER: i64 = 300;
/// A mating ply is complete when it has stood this long, ms: nobody presses after it.
const OVER_AFTER: i64 = 1_500;
/// A ply whose piece was not seen placed, or was gone again before its player pressed, is complete only when the board
/// has been quiet for so long, ms: the piece may still be in a hand.
const UNSEEN_AFTER: i64 = 1_500;
/// That, when it captures, the target shows a piece as it should, and its player has pressed so long ago: he may press
/// before his piece stands, but not earlier.
const SWAPPED_AFTER: i64 = 300;

/// Whether every reading without the ply is far enough for it to be confirmed: `margin` dearer; `None`: there is none. Where
/// pieces are amiss, what goes on is seldom what it seems. One that is missing may be in a hand; but what the hand does
/// with it tells of a ply whose piece was not seen placed, where it could have been.
pub(crate) fn is_ahead(
    best: &Hypothesis,
    ply: &Ply,
    margin: Option<Cost>,
    inference: &Inference,
    params: &Params,
) -> Result<(), Waits> {
    let Some(margin) = margin else { return Ok(()) };
    let dead = inference.known.health.bad();
    let difference =
        inference.known.image.as_ref().map(|image| image.difference(best.board())).unwrap_or_default();
    let missing = (difference.missing - dead).len();
    let other = ((difference.extra | difference.wrong) - dead).len();
    let unseen = !ply.is_seen() && !dead.contains(ply.mv.to);
    let amiss = if unseen { missing + other } else { missing.saturating_sub(1) + other };
    let needed = if best.plies() - ply.no >= params.confirm_later_after {
        params.confirm_margin_later
    } else if unseen {
        params.confirm_margin_unseen
    } else {
        params.confirm_margin
    };
    if margin < needed {
        Err(Waits::Rival)
    } else if margin < needed + params.confirm_margin_amiss * amiss as Cost {
        Err(Waits::Amiss)
    } else {
        Ok(())
    }
}

/// Whether its piece still stood where it was placed when its player pressed: what slips later was played all the same.
fn stood_when_pressed(ply: &Ply, inference: &Inference) -> bool {
    let Some(piece) = ply.before.piece_at(ply.mv.from) else { return false };
    let pressed = inference.known.clock.presses[piece.side].filter(|press| *press >= ply.at);
    pressed.is_some_and(|press| inference.known.evidence.last_lift(piece, ply.mv.to, ply.at, press).is_none())
}

/// Whether its player has pressed since it was played, long enough ago for his piece to stand.
fn pressed_since(ply: &Ply, inference: &Inference) -> bool {
    let side = ply.before.side_to_move();
    let pressed = inference.known.clock.presses[side].filter(|press| *press >= ply.at);
    pressed.is_some_and(|press| inference.known.now.since(press) >= SWAPPED_AFTER)
}

/// When and by what the ply was completed, or what it waits for.
pub(crate) fn completed(
    best: &Hypothesis,
    ply: &Ply,
    next: Option<&Ply>,
    inference: &Inference,
    params: &Params,
) -> Result<(Epoch, Completed), Waits> {
    let Clock { present, pressed, .. } = inference.known.clock;
    let now = inference.known.now;
    let shows = inference.known.image.as_ref().is_some_and(|image| {
        image.at(ply.mv.to).may_be(best.position.piece_at(ply.mv.to))
            || inference.known.health.bad().contains(ply.mv.to)
    });
    if next.is_none() && inference.lost_sight_of(ply) {
        return Err(Waits::Stand);
    }
    let seen_to_stand = ply.is_seen() && (shows || stood_when_pressed(ply, inference));
    let swapped = !ply.is_seen() && shows && ply.before.is_capture(ply.mv) && pressed_since(ply, inference);
    let quiet_for = match (seen_to_stand, swapped) {
        (true, _) => 0,
        (false, true) => SWAPPED_AFTER,
        (false, false) => UNSEEN_AFTER,
    };
    if next.is_none() && inference.quiet() < quiet_for {
        return Err(Waits::Stand);
    }
    if present && ply.no + u16::from(best.unpressed) <= best.plies() {
        return Ok((pressed.map_or(ply.at, |(_, at)| at.max(ply.at)), Completed::Pressed));
    }
    let stood = |since: Epoch, millis: i64| now.since(since) >= millis;
    if let Some(next) = next {
        return if stood(next.at, ANSWERED_AFTER) {
            Ok((next.at, Completed::Answered))
        } else {
            Err(Waits::Press)
        };
    }
    if !present && stood(ply.at, params.settles_without_clock) {
        return Ok((ply.at.plus(params.settles_without_clock), Completed::Stood));
    }
    if best.is_over() && stood(ply.at, OVER_AFTER) {
        return Ok((ply.at.plus(OVER_AFTER), Completed::Over));
    }
    Err(Waits::Press)
}
