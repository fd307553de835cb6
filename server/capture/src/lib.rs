//! Observations of one table to plies: the hypothesis tracker.
//!
//! Pure: what the board and the clock did goes in ([`Seen`]), what was played comes out ([`Finding`]).
//! Device coordinates are mapped here, once, by the table's [`Seating`]; above this crate there are only
//! [`xiangqi::Point`]s and [`xiangqi::Side`]s.

mod beam;
mod complete;
mod dark;
mod dispute;
mod doubt;
mod ending;
mod evidence;
mod finding;
mod foresight;
mod inference;
mod known;
mod line;
pub mod log;
mod params;
mod points;
mod publish;
mod reading;
mod seen;
mod sense;
mod setup;
mod suspects;
mod touch;
mod tracker;
mod watch;
mod why;
mod worth;

pub use finding::{Finding, Irregularity, PlyNo, PlyRead, PlyState};
pub use params::{Cost, Params};
pub use seen::{Readings, Seating, Seen, Times, What};
pub use sense::{Difference, Image, Sense};
pub use tracker::Tracker;
pub use why::{Completed, Doubt, Rival, Waits, Why};
