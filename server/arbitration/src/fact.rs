//! What can happen to a game of record: the entries that its state is the fold of.

use capture::{Finding, Times};
use firmware_proto::{Epoch, Millis, PlayerSignal};
use serde::{Deserialize, Serialize};
use xiangqi::{BySide, Side};

use crate::Outcome;

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
        /// For what.
        why: String,
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
