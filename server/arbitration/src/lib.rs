//! The game of record: regulation, clocks, fouls, alerts, remedies and endings.
//!
//! Pure: findings of `capture`, readings of the clock, time and people's acts go in; entries come out.

mod alert;
mod outcome;

pub use alert::{AlertCode, Severity};
pub use outcome::{Ending, GameResult, Outcome};
