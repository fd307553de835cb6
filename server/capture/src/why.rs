//! Why the tracker says what it says, as data; the words are made where people read them.

use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use xiangqi::Move;

use crate::Cost;
use crate::inference::Inference;
use crate::line::Ply;
use crate::params::Params;
use crate::reading::Hypothesis;

/// What speaks for a ply that is read, and what against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// When its piece was seen lifted; `None`: that was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifted: Option<Epoch>,
    /// When its piece was seen placed; `None`: that was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Epoch>,
    /// It captures, and its target showed nothing of that: what it captured is a guess.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untouched: bool,
    /// The nearest reading in which it was not played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rival: Option<Rival>,
}

/// A reading beside the best one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rival {
    /// How much dearer it is: 1,000 more is about e times less likely.
    pub dearer: Cost,
    /// Its plies from the one in question on; none: that was not played yet.
    pub line: Vec<Move>,
}

/// Why a ply is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completed {
    /// Its player pressed (按钟).
    Pressed,
    /// The opponent answered it.
    Answered,
    /// There is no clock, and it has stood for long.
    Stood,
    /// It ends the game on the board, and has stood.
    Over,
    /// It stood when the game ended.
    Ended,
}

/// What the next ply to be confirmed waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waits {
    /// Its player has not pressed, and what answers it has not stood.
    Press,
    /// Its piece was not seen to stand: it may still be in a hand.
    Stand,
    /// Another reading is near.
    Rival,
    /// Other readings are as far as they should be, but pieces are amiss.
    Amiss,
}

/// Why several readings fit, or one fits badly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Another reading is nearly as likely.
    #[default]
    Rival,
    /// What was captured showed nothing of it.
    Untouched,
    /// Another line led to the same position.
    SamePosition,
    /// The board did much that the plies do not explain.
    Unexplained,
    /// Plies that had been confirmed were given up for others.
    Revised,
    /// After this ply (0: from the beginning) others were played while the board could not be seen, and nothing tells
    /// which. No line is offered.
    Missed,
    /// The game ended while the board could not be seen: whether something was played last, and what, nobody saw. No line
    /// is offered.
    Unseen,
}

impl Why {
    /// What speaks for a ply of the best reading, as far back as changes are kept.
    pub(crate) fn of(ply: &Ply, best: &Hypothesis, inference: &Inference, params: &Params) -> Why {
        let since = ply.previous.plus(-params.overlap);
        let until = ply.at.plus(params.order_doubtful);
        let evidence = &inference.known.evidence;
        let piece = ply.before.piece_at(ply.mv.from);
        Why {
            lifted: piece.and_then(|piece| evidence.last_lift(piece, ply.mv.from, since, until)),
            placed: ply.is_seen().then_some(ply.at),
            untouched: ply.before.piece_at(ply.mv.to).is_some() && !evidence.has_changed(ply.mv.to, since),
            rival: rival(ply, best, inference),
        }
    }
}

/// The cheapest of the other readings in which the ply was not played.
fn rival(ply: &Ply, best: &Hypothesis, inference: &Inference) -> Option<Rival> {
    let parts = |other: &&Hypothesis| best.line.parts_from(&other.line).is_some_and(|from| from <= ply.no);
    let other = inference.beam.readings().iter().find(parts)?;
    let line = other.line.since(ply.no).iter().map(|ply| ply.mv).collect();
    Some(Rival { dearer: other.cost - best.cost, line })
}
