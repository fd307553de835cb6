//! Moves as people write them: Chinese (纵线), WXF, ICCS and UCI.
//!
//! Reading takes a position, because the Chinese and WXF forms mean nothing
//! without one, and gives a legal move or the reason why there is none.

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use crate::{Illegal, Move, Position};

pub mod chinese;
mod coordinates;
mod relative;
pub mod wxf;

pub use coordinates::{iccs, uci};

/// A way to write moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Notation {
    /// 纵线: `炮二平五`.
    Chinese,
    /// `C2=5`.
    Wxf,
    /// `H2-E2`.
    Iccs,
    /// `h2e2`.
    Uci,
}

impl Notation {
    /// All four.
    pub const ALL: [Notation; 4] = [Notation::Chinese, Notation::Wxf, Notation::Iccs, Notation::Uci];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Notation::Chinese => "chinese",
            Notation::Wxf => "wxf",
            Notation::Iccs => "iccs",
            Notation::Uci => "uci",
        }
    }

    /// The move of the central cannon, 当头炮, in it.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Notation::Chinese => "炮二平五",
            Notation::Wxf => "C2=5",
            Notation::Iccs => "H2-E2",
            Notation::Uci => "h2e2",
        }
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no notation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a notation: chinese, wxf, iccs or uci was expected")]
pub struct ParseNotationNameError(String);

impl FromStr for Notation {
    type Err = ParseNotationNameError;

    fn from_str(text: &str) -> Result<Notation, ParseNotationNameError> {
        Notation::ALL
            .into_iter()
            .find(|notation| text.eq_ignore_ascii_case(notation.name()))
            .ok_or_else(|| ParseNotationNameError(text.to_owned()))
    }
}

/// Why a text is not a legal move of a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotationError {
    /// It has not the form of a move in that notation.
    #[error("`{text}` is not a move in {notation} notation, such as `{}`", notation.example())]
    Unreadable {
        /// What was read.
        text: String,
        /// How it was read.
        notation: Notation,
    },
    /// No piece of the side to move answers the description.
    #[error("`{text}`: there is no such piece, or it has no such move")]
    NoSuchMove {
        /// What was read.
        text: String,
    },
    /// It describes one move, which is illegal.
    #[error("`{text}` ({mv}) is illegal: {reason}")]
    Illegal {
        /// What was read.
        text: String,
        /// The move that it describes.
        mv: Move,
        /// Why that is illegal.
        reason: Illegal,
    },
    /// It describes several legal moves.
    #[error("`{text}` can mean {moves:?}")]
    Ambiguous {
        /// What was read.
        text: String,
        /// The moves that it describes.
        moves: Vec<Move>,
    },
}

/// `mv`, which may be illegal, in a notation. What Chinese or WXF notation has
/// no words for (a chariot that goes diagonally) is written in ICCS.
#[must_use]
pub fn write(notation: Notation, position: &Position, mv: Move) -> String {
    match notation {
        Notation::Chinese => chinese::write(position, mv),
        Notation::Wxf => wxf::write(position, mv),
        Notation::Iccs => iccs::write(mv),
        Notation::Uci => uci::write(mv),
    }
}

/// The legal move that `text` describes.
///
/// # Errors
/// Why there is none.
pub fn parse(notation: Notation, position: &Position, text: &str) -> Result<Move, NotationError> {
    match notation {
        Notation::Chinese => chinese::parse(position, text),
        Notation::Wxf => wxf::parse(position, text),
        Notation::Iccs => iccs::parse(position, text),
        Notation::Uci => uci::parse(position, text),
    }
}

/// The notation that a move's text has the form of, if any.
///
/// ```
/// use xiangqi::{Notation, notation};
/// assert_eq!(notation::detect("炮二平五"), Some(Notation::Chinese));
/// assert_eq!(notation::detect("C2=5"), Some(Notation::Wxf));
/// assert_eq!(notation::detect("H2-E2"), Some(Notation::Iccs));
/// assert_eq!(notation::detect("h2e2"), Some(Notation::Uci));
/// ```
#[must_use]
pub fn detect(text: &str) -> Option<Notation> {
    let text = text.trim();
    if text.parse::<Move>().is_ok() {
        let iccs = text.contains('-') || text.starts_with(|first: char| first.is_ascii_uppercase());
        Some(if iccs { Notation::Iccs } else { Notation::Uci })
    } else if wxf::is_wxf(text) {
        Some(Notation::Wxf)
    } else if chinese::is_chinese(text) {
        Some(Notation::Chinese)
    } else {
        None
    }
}

/// A line of play in another notation, and where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The moves in the notation asked for.
    pub moves: Vec<String>,
    /// The position after the last.
    pub end: Position,
}

/// A line of play could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {ply}: {error}")]
pub struct TranscribeError {
    /// Which move it was, from 1.
    pub ply: usize,
    /// What was wrong with it.
    #[source]
    pub error: NotationError,
}

/// Writes a line of play from `start` in the notation `to`. Each move is read
/// in the notation `from`, or in the one whose form it has.
///
/// # Errors
/// The first move that cannot be read or is illegal.
///
/// ```
/// use xiangqi::{Notation, Position, notation};
/// let line = notation::transcribe(&Position::start(), ["h2e2", "马8进7"], None, Notation::Chinese)?;
/// assert_eq!(line.moves, ["炮二平五", "马８进７"]);
/// # Ok::<(), notation::TranscribeError>(())
/// ```
pub fn transcribe<T: AsRef<str>>(
    start: &Position,
    moves: impl IntoIterator<Item = T>,
    from: Option<Notation>,
    to: Notation,
) -> Result<Transcript, TranscribeError> {
    let mut line = Transcript { moves: Vec::new(), end: start.clone() };
    for (ply, text) in (1..).zip(moves) {
        let text = text.as_ref();
        let notation = from.or_else(|| detect(text)).unwrap_or(Notation::Chinese);
        let mv = parse(notation, &line.end, text).map_err(|error| TranscribeError { ply, error })?;
        line.moves.push(write(to, &line.end, mv));
        line.end = line.end.play_irregular(mv);
    }
    Ok(line)
}

/// `mv` if it is legal.
fn legal(position: &Position, text: &str, mv: Move) -> Result<Move, NotationError> {
    match position.legality(mv) {
        Ok(()) => Ok(mv),
        Err(reason) => Err(NotationError::Illegal { text: text.to_owned(), mv, reason }),
    }
}
