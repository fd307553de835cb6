//! A move, and a list of them that needs no allocation.

use core::fmt;
use core::ops::Deref;
use core::str::FromStr;

use thiserror::Error;

use crate::Point;

/// A piece goes from one point to another. Written in UCI text, `h2e2`.
///
/// ```
/// use xiangqi::Move;
/// let mv: Move = "H2-E2".parse()?;
/// assert_eq!(mv.to_string(), "h2e2");
/// # Ok::<(), xiangqi::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Where the piece stood.
    pub from: Point,
    /// Where it goes.
    pub to: Point,
}

impl Move {
    /// The move from `from` to `to`.
    #[must_use]
    pub const fn new(from: Point, to: Point) -> Move {
        Move { from, to }
    }

    /// The same move seen from the other side of the table.
    #[must_use]
    pub const fn rotated(self) -> Move {
        Move { from: self.from.rotated(), to: self.to.rotated() }
    }

    /// The same move reflected left to right.
    #[must_use]
    pub const fn mirrored(self) -> Move {
        Move { from: self.from.mirrored(), to: self.to.mirrored() }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a move: two points were expected, as in `h2e2` or `H2-E2`")]
pub struct ParseMoveError(pub(crate) String);

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads UCI `h2e2` and ICCS `H2-E2`, in either case.
    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let points = match text.len() {
            4 => text.split_at_checked(2),
            5 => text.split_once('-'),
            _ => None,
        };
        points
            .and_then(|(from, to)| Some(Move::new(from.parse().ok()?, to.parse().ok()?)))
            .ok_or_else(|| ParseMoveError(text.to_owned()))
    }
}

/// The moves of a position: a slice that lives on the stack.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MoveList::CAPACITY],
    len: usize,
}

impl MoveList {
    /// No side can have more moves than this: a full set, each piece with its
    /// widest reach, has 119.
    pub const CAPACITY: usize = 128;

    pub(crate) const fn new() -> MoveList {
        MoveList { moves: [Move::new(Point::ALL[0], Point::ALL[0]); MoveList::CAPACITY], len: 0 }
    }

    pub(crate) fn push(&mut self, mv: Move) {
        self.moves[self.len] = mv;
        self.len += 1;
    }
}

impl Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = core::iter::Copied<core::slice::Iter<'a, Move>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = core::iter::Take<core::array::IntoIter<Move, { MoveList::CAPACITY }>>;

    fn into_iter(self) -> Self::IntoIter {
        self.moves.into_iter().take(self.len)
    }
}
