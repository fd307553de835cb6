//! DhtmlXQ (东萍 UBB): the fields of a game in square brackets, in forum posts,
//! web pages and files of their own.
//!
//! ```text
//! [DhtmlXQ]
//! [DhtmlXQ_binit]8979…[/DhtmlXQ_binit]           where the 32 pieces stand, xy
//! [DhtmlXQ_movelist]77477062…[/DhtmlXQ_movelist] the main line, xyxy a move
//! [DhtmlXQ_move_0_5_1]8979…[/DhtmlXQ_move_0_5_1] line 1, instead of move 5 of line 0
//! [DhtmlXQ_comment5]…[/DhtmlXQ_comment5]         after move 5 of the main line
//! [DhtmlXQ_comment1_6]…[/DhtmlXQ_comment1_6]     after move 6, in line 1
//! [/DhtmlXQ]
//! ```
//!
//! x goes from 0 to 8 from Red's left, y from 0 to 9 from Black's side. Moves
//! are numbered from 1 from the start of the game, in variations too. `||` in
//! a comment is the end of a line.

mod names;
mod read;
mod scan;
mod write;

pub(super) use read::read;
pub use write::write;

use crate::{Move, Point};

/// What stands for a captured piece in `binit`.
const CAPTURED: &str = "99";

fn digits(point: Point) -> [char; 2] {
    [point.file(), 9 - point.rank()].map(|digit| char::from(b'0' + digit))
}

fn move_digits(mv: Move) -> impl Iterator<Item = char> {
    digits(mv.from).into_iter().chain(digits(mv.to))
}

fn point(digits: &[u8]) -> Option<Point> {
    let &[x, y] = digits else { return None };
    Point::new(x.checked_sub(b'0')?, b'9'.checked_sub(y)?)
}

/// The move of four digits.
pub(super) fn parse_move(digits: &[u8]) -> Option<Move> {
    let (from, to) = digits.split_at_checked(2)?;
    Some(Move::new(point(from)?, point(to)?))
}

#[cfg(test)]
mod tests;
