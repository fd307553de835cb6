//! Where a result comes from: board and clock, an arbiter, a slip at the table, the desk, a player's word. What was said of a
//! game is kept side by side; the last decision counts, a player's word alone never does.

use arbitration::{Ending, GameResult, Outcome, ResultSource};
use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};

use crate::{Actor, Entry};

/// Where a result is written down by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnteredAt {
    /// At the desk, from a slip of paper.
    #[default]
    Desk,
    /// At the table, on a phone.
    Table,
}

/// Who or what says how a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Board and clock saw it.
    Board,
    /// Nobody was named for a side of the board.
    LineUp,
    /// An arbiter decided it.
    Arbiter,
    /// It was entered on a phone at the table.
    Slip,
    /// It was entered at the desk.
    Desk,
    /// Red says so.
    Red,
    /// Black says so.
    Black,
}

impl Source {
    /// The word on pages.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Source::Board => "棋盘棋钟",
            Source::LineUp => "出场名单",
            Source::Arbiter => "裁判",
            Source::Slip => "台边成绩条",
            Source::Desk => "编排处",
            Source::Red => "红方自报",
            Source::Black => "黑方自报",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Source::Board => "board and clock",
            Source::LineUp => "line-up",
            Source::Arbiter => "arbiter",
            Source::Slip => "slip at the table",
            Source::Desk => "desk",
            Source::Red => "Red's word",
            Source::Black => "Black's word",
        }
    }
}

impl From<ResultSource> for Source {
    fn from(source: ResultSource) -> Source {
        match source {
            ResultSource::Red => Source::Red,
            ResultSource::Black => Source::Black,
            ResultSource::Desk => Source::Desk,
        }
    }
}

/// What one source said of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Which.
    pub source: Source,
    /// The result.
    pub result: GameResult,
    /// How it came about; a player's word does not say.
    pub ending: Option<Ending>,
    /// Who entered it.
    pub by: String,
    /// When.
    pub at: Epoch,
    /// Whether this one counts.
    pub counts: bool,
}

impl Told {
    /// A decision: it counts until the next one.
    pub(crate) fn decided(outcome: Outcome, entered: Option<EnteredAt>, entry: &Entry) -> Told {
        let source = match (&entry.by, entered) {
            (Actor::Hall, _) if outcome.ending == Ending::Forfeit => Source::LineUp,
            (Actor::Hall, _) => Source::Board,
            (Actor::Person { .. }, Some(EnteredAt::Table)) => Source::Slip,
            (Actor::Person { .. }, Some(EnteredAt::Desk)) => Source::Desk,
            (Actor::Person { .. }, None) => Source::Arbiter,
        };
        Told {
            source,
            result: outcome.result,
            ending: Some(outcome.ending),
            by: entry.by.name().to_owned(),
            at: entry.at,
            counts: true,
        }
    }

    /// A report, which only an official's decision makes a result.
    pub(crate) fn reported(source: ResultSource, result: GameResult, entry: &Entry) -> Told {
        let source = Source::from(source);
        Told { source, result, ending: None, by: entry.by.name().to_owned(), at: entry.at, counts: false }
    }
}
