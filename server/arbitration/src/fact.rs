//! What can happen to a game of record: the entries that its state is the fold of.

use capture::{Finding, PlyNo, Times};
use firmware_proto::{Epoch, Millis, PlayerSignal};
use serde::{Deserialize, Serialize};
use xiangqi::judge::Class;
use xiangqi::{BySide, Side};

use crate::{GameResult, Misconduct, Offence, Outcome};

/// An entry of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameFact {
    /// The tracker concluded something.
    Found(Finding),
    /// The clock device told both times.
    Clocked(ClockReading),
    /// A player signalled on the clock's buttons.
    Signalled {
        /// Who.
        side: Side,
        /// What.
        signal: PlayerSignal,
        /// When.
        at: Epoch,
    },
    /// The board's or the clock's link came or went.
    Linked {
        /// Whether the board is there.
        board: bool,
        /// Whether the clock is there.
        clock: bool,
        /// Since when.
        at: Epoch,
    },
    /// A foul was given, or taken back (犯规).
    Fouled {
        /// Whose.
        side: Side,
        /// False: one is taken back.
        given: bool,
        /// What kind of offence.
        offence: Offence,
        /// For what, in the arbiter's words.
        why: String,
        /// When.
        at: Epoch,
    },
    /// An arbiter saw a breach of discipline (违纪).
    Misbehaved {
        /// Who.
        side: Side,
        /// What.
        what: Misconduct,
        /// When.
        at: Epoch,
    },
    /// A player was warned (警告), or a warning was taken back.
    Warned {
        /// Who.
        side: Side,
        /// False: one is taken back.
        given: bool,
        /// For what.
        what: Misconduct,
        /// When.
        at: Epoch,
    },
    /// A player offers a draw (提和), as an arbiter heard it.
    DrawOffered {
        /// Who.
        side: Side,
        /// When.
        at: Epoch,
    },
    /// A draw that was offered is declined, or the offer is invalid.
    DrawDeclined {
        /// When.
        at: Epoch,
    },
    /// A side is ordered to vary (令其变着) by its ply of this number at the latest, or the order is lifted.
    Ordered {
        /// The order; `None`: lifted.
        order: Option<VaryOrder>,
        /// When.
        at: Epoch,
    },
    /// The natural limit is claimed (提出自然限着), or the claim is withdrawn.
    LimitClaimed {
        /// By whom, and from which ply on it is counted; `None`: withdrawn.
        claim: Option<(Side, PlyNo)>,
        /// When.
        at: Epoch,
    },
    /// An arbiter ruled what plies are (裁判改判); `None`: what the rules say.
    Classed {
        /// Each with its class.
        classes: Vec<(PlyNo, Option<Class>)>,
        /// When.
        at: Epoch,
    },
    /// A player calls the arbiter otherwise than by the clock's button (呼叫裁判).
    Called {
        /// Who.
        side: Side,
        /// When.
        at: Epoch,
    },
    /// An arbiter saw that a player is there, or took that back (到场).
    Present {
        /// Who.
        side: Side,
        /// Whether he is there.
        present: bool,
        /// When.
        at: Epoch,
    },
    /// Somebody reported the result (报告结果).
    Reported {
        /// Who.
        source: ResultSource,
        /// What; `None`: taken back.
        result: Option<GameResult>,
        /// When.
        at: Epoch,
    },
    /// The game goes on: its end was taken back.
    Reopened {
        /// When.
        at: Epoch,
    },
    /// The game has ended, or its result was corrected.
    Ended {
        /// How.
        outcome: Outcome,
        /// When.
        at: Epoch,
    },
}

impl GameFact {
    /// When the clock told this, if it did.
    #[must_use]
    pub fn told_by_the_clock(&self) -> Option<Epoch> {
        match self {
            GameFact::Clocked(reading) => Some(reading.at),
            GameFact::Signalled { at, .. } => Some(*at),
            GameFact::Found(_)
            | GameFact::Linked { .. }
            | GameFact::Fouled { .. }
            | GameFact::Misbehaved { .. }
            | GameFact::Warned { .. }
            | GameFact::DrawOffered { .. }
            | GameFact::DrawDeclined { .. }
            | GameFact::Ordered { .. }
            | GameFact::LimitClaimed { .. }
            | GameFact::Classed { .. }
            | GameFact::Called { .. }
            | GameFact::Present { .. }
            | GameFact::Reported { .. }
            | GameFact::Reopened { .. }
            | GameFact::Ended { .. } => None,
        }
    }
}

/// Both times as the clock device told them: the only authority on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReading {
    /// Red's time left, ms.
    pub red_ms: u32,
    /// Black's time left, ms.
    pub black_ms: u32,
    /// Whose time runs.
    pub running: Option<Side>,
    /// When the device told it.
    pub at: Epoch,
    /// On what occasion.
    pub occasion: Occasion,
}

/// On what occasion a clock told its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// This side pressed.
    Pressed(Side),
    /// This side's time ran out.
    Flagged(Side),
    /// The clock was set, started or paused.
    Set,
}

impl ClockReading {
    /// A reading of both times.
    #[must_use]
    pub fn new(times: Times, running: Option<Side>, at: Epoch, occasion: Occasion) -> ClockReading {
        ClockReading { red_ms: times.red.0, black_ms: times.black.0, running, at, occasion }
    }

    /// Both times.
    #[must_use]
    pub fn left(&self) -> BySide<Millis> {
        BySide { red: Millis(self.red_ms), black: Millis(self.black_ms) }
    }
}

/// The order to vary (令其变着).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VaryOrder {
    /// Who must vary; `None`: either side, or the game is drawn.
    pub side: Option<Side>,
    /// When this ply has repeated again, it is too late.
    pub by: PlyNo,
}

/// Who reports a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultSource {
    /// Red's slip.
    Red,
    /// Black's slip.
    Black,
    /// The desk.
    Desk,
}

impl ResultSource {
    /// The word on pages.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            ResultSource::Red => "红方",
            ResultSource::Black => "黑方",
            ResultSource::Desk => "编排处",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            ResultSource::Red => "Red",
            ResultSource::Black => "Black",
            ResultSource::Desk => "the desk",
        }
    }
}
