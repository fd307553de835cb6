//! The game of Xiangqi (象棋): board, moves, legality, notation, game files and
//! adjudication.
//!
//! Pure: nothing here reads a file, a clock or a random source.
//!
//! ```
//! use xiangqi::{Breach, Illegal, Notation, Position, notation};
//!
//! let start = Position::start();
//! let mv = notation::parse(Notation::Chinese, &start, "炮二平五")?;
//! let next = start.play(mv)?;
//! assert_eq!(next.fen(), "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1");
//!
//! let leap = "h9f8".parse()?;
//! assert_eq!(next.legality(leap), Err(Illegal::Breaks(Breach::HorseLegBlocked)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attack;
mod board;
mod fen;
pub mod files;
mod generate;
mod guard;
pub mod judge;
mod legality;
mod line;
mod moves;
pub mod notation;
mod perft;
mod piece;
mod point;
mod points;
mod position;
mod reach;
#[cfg(feature = "serde")]
mod serde;
mod setup;
mod side;
mod zobrist;

pub use board::Board;
pub use fen::FenError;
pub use generate::Status;
pub use legality::{Breach, Exposure, Illegal};
pub use moves::{Move, MoveList, ParseMoveError};
pub use notation::{Notation, NotationError};
pub use perft::perft;
pub use piece::{Piece, Role};
pub use point::{FILES, ParsePointError, Point, RANKS};
pub use points::{Points, PointsIter};
pub use position::{Position, Undo};
pub use setup::{Defect, Defects, Setup, SetupError};
pub use side::{BySide, Side};

/// The examples of the README compile and hold.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;
