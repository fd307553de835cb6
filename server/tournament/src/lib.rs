//! Entries, draw, pairing, line-ups, standings and prizes of a tournament.
//!
//! Pure: an [`Event`] is a value that is made from its results; pairings and standings are functions of it. Nothing here
//! knows a device, a file or the time, and the draw's seed comes in as an argument.

mod bracket;
mod check;
mod draw;
mod entrant;
mod event;
mod fixed_tables;
mod groups;
mod knockout;
mod ladder;
mod ledger;
mod lines;
mod matching;
mod numbers;
mod options;
mod pairing;
mod prizes;
mod problem;
mod result;
mod round_robin;
mod scoring;
mod standings;
mod system;
mod team;
mod totals;
mod words;

pub use bracket::Stage;
pub use draw::{draw_halves, draw_numbers};
pub use entrant::Entrant;
pub use event::{Event, EventData};
pub use groups::{Group, number_tables};
pub use knockout::{Knockout, KnockoutError, Tie, TieState};
pub use ladder::{Ladder, LadderKey};
pub use lines::{LinesError, pair_json, standings_json};
pub use numbers::{EntrantNo, Figure, GroupNo, Points, RoundNo, TableNo};
pub use options::{AbsenceOpponent, ForfeitOpponent, Options, OrderKey, Pattern, PreviousRound, ThirdColour};
pub use pairing::{
    ByePassed, ColourRule, FloatCause, Pairing, PairingError, Reason, RoundPairing, Warning, check_pairing,
    pair_round,
};
pub use prizes::{
    Award, Contest, Money, MoneyError, Rounding, close_ranks, give_one_prize_each, give_prizes,
};
pub use problem::{EventError, EventProblem};
pub use result::{BoardTally, ResultEntry, ResultKind};
pub use round_robin::round_robin;
pub use scoring::{Scoring, Verdict};
pub use standings::{Column, Decision, Row, Standing, standings};
pub use system::System;
pub use team::{
    BoardNo, BoardResult, HomeAway, Lineup, LineupError, Match, MatchError, MemberNo, Performance, TeamRules,
    home_colour, performances, team_bye,
};
pub use totals::{TeamTotal, team_totals};
pub use words::Words;
