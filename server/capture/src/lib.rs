//! Observations of one table to plies: the hypothesis tracker.
//!
//! Pure: what the board and the clock did goes in ([`Seen`]), what was played comes out ([`Finding`]).
//! Device coordinates are mapped here, once, by the table's [`Seating`]; above this crate there are only
//! [`xiangqi::Point`]s and [`xiangqi::Side`]s.

mod finding;
mod seen;

pub use finding::{Finding, Irregularity, PlyNo, PlyRead, PlyState};
pub use seen::{Readings, Seating, Seen, Times, What};
