//! XQF (象棋演播室): a header of 1,024 bytes, then the tree of moves, move by
//! move, comments in GBK between them.
//!
//! Up to version 10 (XQF 1.0) everything stands in the clear. From 11 on the
//! moves are scrambled by a stream of 32 bytes, and the squares and the lengths
//! of comments are shifted; from 12 on the pieces are shuffled as well. All
//! keys are made of eleven bytes of the header: see `scramble`.

mod header;
mod read;
mod scramble;
mod write;

pub(super) use read::read;
pub use write::write;

use crate::Point;

/// What an XQF file begins with.
pub(super) const MAGIC: &[u8] = b"XQ";
/// The version that is written, and the last that is not scrambled.
const PLAIN: u8 = 10;
/// Where the tree begins.
const TREE: usize = 1024;
/// What is added to the squares of a move, from and to.
const SHIFT: [u8; 2] = [24, 32];

/// A square: ten times the file plus the rank. `None`: off the board.
const fn point(square: u8) -> Option<Point> {
    Point::new(square / 10, square % 10)
}

const fn square(point: Point) -> u8 {
    point.file() * 10 + point.rank()
}

#[cfg(test)]
mod tests;
