//! The game of record: regulation, clocks, fouls, alerts, remedies and endings.
//!
//! Pure. A [`Game`] is the fold of its [`GameFact`]s; [`Game::consequences`] tells what follows from each under
//! the event's [`Regulation`]: endings that the rules leave no doubt about, and alerts with evidence and a
//! proposed ruling for everything else (疑案从无: no evidence, no offence).

mod alert;
mod cases;
mod consequence;
mod fact;
mod game;
mod outcome;
mod regulation;

pub use alert::{AlertCode, Severity};
pub use consequence::{Consequence, Notice, Words};
pub use fact::{ClockReading, GameFact, Occasion};
pub use game::{Game, RecordedPly};
pub use outcome::{Ending, GameResult, Outcome};
pub use regulation::{
    DisturbedRule, FlagRule, FoulRule, Regulation, RegulationError, RepetitionRule, TimeControl,
};
