//! The game of record: regulation, clocks, fouls, alerts, remedies and endings.
//!
//! Pure. A [`Game`] is the fold of its [`GameFact`]s; [`Game::consequences`] tells what follows from each under
//! the event's [`Regulation`]: endings that the rules leave no doubt about, and alerts with evidence and a
//! proposed ruling for everything else (疑案从无: no evidence, no offence).

mod after_board;
mod after_cases;
mod after_clock;
mod after_people;
mod alert;
mod cases;
mod consequence;
mod disturbance;
mod draw_talk;
mod evidence;
mod fact;
pub mod form;
mod game;
mod notice;
mod offence;
mod outcome;
mod regulation;
mod remedy;
mod say;
mod waits;

pub use alert::{AlertCode, Severity};
pub use consequence::Consequence;
pub use disturbance::{Sign, Suspicion};
pub use draw_talk::DrawTalk;
pub use evidence::Evidence;
pub use fact::{ClockReading, GameFact, Occasion, ResultSource, VaryOrder};
pub use game::{Game, RecordedPly};
pub use notice::{Notice, Words};
pub use offence::{Misconduct, Offence};
pub use outcome::{Ending, GameResult, Outcome};
pub use regulation::{
    DisturbedRule, FlagRule, FoulRule, Regulation, RegulationError, RepetitionRule, TimeControl,
};
pub use remedy::{Remedy, Step};
