//! What could not be read, and where.

use core::fmt;

use thiserror::Error;

use super::{Encoding, Format, Game};
use crate::{FenError, Illegal, NotationError, SetupError};

/// What came of reading a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadResult {
    /// The format that the file was taken for; `None` if it is like none.
    pub format: Option<Format>,
    /// The encoding that its text was taken for; `None` for binary formats.
    pub encoding: Option<Encoding>,
    /// The games that could be read, in the order of the file. A game is here
    /// if its main line was read to the end; what was lost of its variations
    /// and headings is among the errors.
    pub games: Vec<Game>,
    /// What could not be read. Empty: nothing of the file was lost.
    pub errors: Vec<ReadError>,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("game {game}, {place}: {problem}")]
pub struct ReadError {
    /// In which game of the file, from 1.
    pub game: usize,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    #[source]
    pub problem: Problem,
    /// The game up to there, if this error ended it: it is not among
    /// [`ReadResult::games`].
    pub partial: Option<Box<Game>>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In a text.
    Line {
        /// The line, from 1.
        line: usize,
        /// The word, tag or move that was being read; empty if none was.
        token: String,
    },
    /// In a binary file: the offset from its beginning, from 0.
    Byte(usize),
}

impl Place {
    /// A place in a text; of a long token the beginning is enough to find it.
    pub(crate) fn line(line: usize, token: &str) -> Place {
        const LONGEST: usize = 40;
        let mut shown: String = token.chars().take(LONGEST).collect();
        if shown.len() < token.len() {
            shown.push('…');
        }
        Place::Line { line, token: shown }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line { line, token } if token.is_empty() => write!(f, "line {line}"),
            Place::Line { line, token } => write!(f, "line {line}, `{token}`"),
            Place::Byte(offset) => write!(f, "byte {offset} (0x{offset:x})"),
        }
    }
}

/// Why something could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The bytes are no game file that is known here.
    #[error("this is no game file: PGN, DhtmlXQ, WXF, ICCS or UCI text, XQF, CBF or CBR was expected")]
    UnknownFormat,
    /// The file is larger than is read.
    #[error("the file has {size} bytes; no more than {limit} are read: split it")]
    TooLarge {
        /// How large it is.
        size: usize,
        /// How large it may be.
        limit: usize,
    },
    /// Bytes that mean nothing in the encoding.
    #[error("bytes that mean nothing in {0} were replaced by U+FFFD")]
    Malformed(Encoding),
    /// A word that is no move, no number, no result and no comment.
    #[error("this is not a move in any notation")]
    NotAMove,
    /// A move that cannot be understood or is illegal.
    #[error(transparent)]
    Move(#[from] NotationError),
    /// A move in coordinates that is illegal.
    #[error("move {ply} is illegal: {reason}")]
    Illegal {
        /// Which move of its line it is, counted from the start: 1 …
        ply: usize,
        /// Why.
        reason: Illegal,
    },
    /// The FEN of the start is not one.
    #[error("the start: {0}")]
    Fen(#[from] FenError),
    /// The start is not a position in which a game can stand.
    #[error("the start: {0}")]
    Start(#[from] SetupError),
    /// A comment begins and does not end.
    #[error("the comment that begins here has no `}}`")]
    UnclosedComment,
    /// A variation begins and does not end.
    #[error("the variation that begins here has no `)`")]
    UnclosedVariation,
    /// A `)` ends a variation that did not begin.
    #[error("there is no variation for this `)` to end")]
    NoVariationToClose,
    /// A variation begins before there is a move that it could replace.
    #[error("there is no move yet for this variation to replace")]
    NoMoveToVary,
    /// A tag has no closing quote or bracket.
    #[error("the tag is not of the form [Name \"text\"]")]
    Tag,
    /// A field does not hold what it should.
    #[error("{expected} was expected")]
    Field {
        /// What should be there.
        expected: &'static str,
    },
    /// A variation goes off from a move that is not there.
    #[error("there is no move {ply} in line {branch} for this to belong to")]
    NoSuchPlace {
        /// The number of the line.
        branch: usize,
        /// The number of the move, from 1.
        ply: usize,
    },
    /// Variations within variations, more than are read.
    #[error("variations are nested more than {0} deep")]
    TooDeep(usize),
    /// More moves in one game than are read.
    #[error("the game has more than {0} moves")]
    TooManyMoves(usize),
    /// The file ends in the middle of something.
    #[error("the file ends before {what}")]
    Truncated {
        /// What is missing.
        what: &'static str,
    },
    /// A version of a format that is not known here.
    #[error("{format} files of version {version} are not known")]
    Version {
        /// The format.
        format: Format,
        /// Its version.
        version: u8,
    },
}
