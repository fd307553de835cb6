//! Adjudication (棋例): what each ply is, what a repetition means for the two
//! sides, and when the natural limit is reached. It proposes; arbiters decide.
mod asian;
mod class;
mod classify;
mod cli;
mod judgement;
mod limit;
mod lines;
mod mate;
mod novelty;
mod reckon;
mod rules;
mod threat;
mod watch;
mod words;
mod worth;

pub use class::{Chase, Class, Classified, Man, Prey, Reason};
pub use classify::classify;
pub use cli::{CliError, CliLine, cli_line};
pub use judgement::{Conduct, IllegalPly, Judgement, Kind, Verdict, judge};
pub use limit::{CountFrom, Counted, Exclusion, NaturalLimit, NaturalLimitRule};
pub use rules::{BothCheck, BothProhibited, RuleSet, Rules, UnknownRuleSet};
pub use watch::{Repetition, Watch};
