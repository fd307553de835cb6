//! What makes an event file make no sense, and how that is said: the place in the file, what is wrong, what would be right.

use std::collections::BTreeSet;

use crate::{
    Entrant, EntrantNo, Event, EventData, GroupNo, LadderKey, ResultEntry, RoundNo, System, TableNo,
};

/// The most rounds an event can have: a double round robin of 100.
const MOST_ROUNDS: u16 = 200;

/// Why these are not the data of an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct EventError {
    /// The place: a field such as `results[3].black`, or `line 4, column 7`.
    pub at: String,
    /// What is wrong there.
    pub problem: EventProblem,
}

/// What can be wrong with an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventProblem {
    /// Not JSON, or not these fields.
    #[error("{0}")]
    NotAnEventFile(String),
    /// Too few or too many rounds.
    #[error("{rounds} rounds; an event has 1 to {MOST_ROUNDS}")]
    Rounds {
        /// The number given.
        rounds: u16,
    },
    /// A draw not between a win and a loss, or a bye worth more than a win.
    #[error("a win must be worth more than a draw, a draw more than a loss, and a bye no more than a win")]
    Scoring,
    /// An empty ladder, a rung twice, or nothing before `previous_round`.
    #[error("{0}")]
    Ladder(String),
    /// Numbers start at 1.
    #[error("entrants are numbered from 1")]
    NumberZero,
    /// Two entrants with one number.
    #[error("number {0} is already taken")]
    NumberTaken(EntrantNo),
    /// An entrant without a name.
    #[error("entrant {0} has no name")]
    NoName(EntrantNo),
    /// Rounds of an entrant that do not fit the event.
    #[error("{0}")]
    EntrantRounds(String),
    /// Groups without names, with one name, or with a first table 0.
    #[error("{0}")]
    Groups(&'static str),
    /// A group that the event does not have.
    #[error("there is no group {0}")]
    NoGroup(GroupNo),
    /// Two tables for one entrant, or two entrants at one table.
    #[error("entrant {0} or table {1} is fixed twice")]
    FixedTwice(EntrantNo, TableNo),
    /// A game between two groups.
    #[error("entrants {0} and {1} are in different groups")]
    OtherGroup(EntrantNo, EntrantNo),
    /// Not in the list of entrants.
    #[error("entrant {0} is not in the list of entrants")]
    UnknownEntrant(EntrantNo),
    /// A round outside the event.
    #[error("round {round} is outside the event's {rounds} rounds")]
    RoundOutside {
        /// The round given.
        round: RoundNo,
        /// The number of rounds.
        rounds: RoundNo,
    },
    /// An entrant against itself.
    #[error("entrant {0} cannot be paired with itself")]
    Itself(EntrantNo),
    /// A kind of result that needs an opponent, or must have none.
    #[error("{0}")]
    Opponent(&'static str),
    /// A game without a table.
    #[error("a game needs its table, numbered from 1")]
    NoTable,
    /// Two results at one table of a round.
    #[error("table {table} already has a result in round {round}")]
    TableTaken {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
    },
    /// Two results of one entrant in a round.
    #[error("entrant {no} already has a result in round {round}")]
    SecondResult {
        /// The round.
        round: RoundNo,
        /// The entrant.
        no: EntrantNo,
    },
    /// A score that this kind of result cannot have.
    #[error("the score [{red},{black}] does not fit; allowed: {allowed}")]
    Score {
        /// Red's points.
        red: u32,
        /// Black's points.
        black: u32,
        /// The scores that fit.
        allowed: String,
    },
    /// Board points that do not give this match score.
    #[error("{0}")]
    Boards(&'static str),
}

impl EventError {
    pub(crate) fn new(at: impl Into<String>, problem: EventProblem) -> EventError {
        EventError { at: at.into(), problem }
    }

    pub(crate) fn unknown(at: impl Into<String>, no: EntrantNo) -> EventError {
        EventError::new(at, EventProblem::UnknownEntrant(no))
    }

    pub(crate) fn from_json(error: serde_json::Error) -> EventError {
        let at = format!("line {}, column {}", error.line(), error.column());
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        EventError::new(at, EventProblem::NotAnEventFile(text.replace(&place, "")))
    }
}

/// Everything but entrants and results.
pub(crate) fn settings(data: &EventData) -> Result<(), EventError> {
    if !(1..=MOST_ROUNDS).contains(&data.rounds) {
        return Err(EventError::new("rounds", EventProblem::Rounds { rounds: data.rounds }));
    }
    if !data.scoring.is_ordered() {
        return Err(EventError::new("scoring", EventProblem::Scoring));
    }
    groups(data)?;
    let mut seen = BTreeSet::new();
    for (place, &key) in data.ladder.0.iter().enumerate() {
        if !seen.insert(key) {
            let problem = EventProblem::Ladder(format!("{key} stands twice in the ladder"));
            return Err(EventError::new(format!("ladder[{place}]"), problem));
        }
    }
    match data.ladder.0.first() {
        None => {
            Err(EventError::new("ladder", EventProblem::Ladder("the ladder needs at least one key".into())))
        }
        Some(LadderKey::PreviousRound) => {
            let problem =
                EventProblem::Ladder("previous_round compares the keys before it; there are none".into());
            Err(EventError::new("ladder[0]", problem))
        }
        Some(_) => Ok(()),
    }
}

fn groups(data: &EventData) -> Result<(), EventError> {
    let mut names = BTreeSet::new();
    for (place, group) in data.groups.iter().enumerate() {
        let fail = |field: &str, problem| Err(EventError::new(format!("groups[{place}].{field}"), problem));
        if !(1..=MOST_ROUNDS).contains(&group.rounds) {
            return fail("rounds", EventProblem::Rounds { rounds: group.rounds });
        }
        if group.name.trim().is_empty() {
            return fail("name", EventProblem::Groups("a group needs a name"));
        }
        if !names.insert(group.name.trim()) {
            return fail("name", EventProblem::Groups("two groups of one name"));
        }
        if group.first_table == Some(TableNo(0)) {
            return fail("first_table", EventProblem::Groups("tables are numbered from 1"));
        }
    }
    Ok(())
}

/// An entrant about to be added.
pub(crate) fn entrant(event: &Event, entrant: &Entrant) -> Result<(), EventError> {
    let at = |field: &str| format!("entrants[{}].{field}", event.data().entrants.len());
    let no = entrant.no;
    if no == EntrantNo(0) {
        return Err(EventError::new(at("no"), EventProblem::NumberZero));
    }
    if event.entrant(no).is_some() {
        return Err(EventError::new(at("no"), EventProblem::NumberTaken(no)));
    }
    if entrant.name.trim().is_empty() {
        return Err(EventError::new(at("name"), EventProblem::NoName(no)));
    }
    let group = entrant.group;
    if !event.group_numbers().any(|known| known == group) {
        return Err(EventError::new(at("group"), EventProblem::NoGroup(group)));
    }
    let (system, rounds) = (event.system_of(group), event.rounds_of(group));
    if entrant.first_round.is_some_and(|first| first == RoundNo(0) || first > rounds) {
        let problem = format!("entrant {no} would enter outside the event's {rounds} rounds");
        return Err(EventError::new(at("first_round"), EventProblem::EntrantRounds(problem)));
    }
    if entrant.first_round.is_some() && system != System::Swiss {
        let problem = format!(
            "entrant {no} would enter late: a round robin's table and a bracket have no place for it"
        );
        return Err(EventError::new(at("first_round"), EventProblem::EntrantRounds(problem)));
    }
    if entrant.withdrawn_from == Some(RoundNo(0)) {
        let problem = format!("entrant {no} withdraws from a round numbered from 1");
        return Err(EventError::new(at("withdrawn_from"), EventProblem::EntrantRounds(problem)));
    }
    Ok(())
}

/// The organiser's forbidden pairs.
pub(crate) fn forbidden(event: &Event) -> Result<(), EventError> {
    for (place, pair) in event.data().options.forbidden.iter().enumerate() {
        let at = format!("options.forbidden[{place}]");
        if let Some(&no) = pair.iter().find(|&&no| event.entrant(no).is_none()) {
            return Err(EventError::unknown(at, no));
        }
        if pair[0] == pair[1] {
            return Err(EventError::new(at, EventProblem::Itself(pair[0])));
        }
    }
    Ok(())
}

/// The tables that belong to entrants.
pub(crate) fn fixed_tables(event: &Event) -> Result<(), EventError> {
    let mut seen = (BTreeSet::new(), BTreeSet::new());
    for (place, &(no, table)) in event.data().options.tables.iter().enumerate() {
        let at = format!("options.tables[{place}]");
        if event.entrant(no).is_none() {
            return Err(EventError::unknown(at, no));
        }
        if table == TableNo(0) {
            return Err(EventError::new(at, EventProblem::NoTable));
        }
        if !seen.0.insert(no) || !seen.1.insert(table) {
            return Err(EventError::new(at, EventProblem::FixedTwice(no, table)));
        }
    }
    Ok(())
}

/// A result about to be added.
pub(crate) fn result(event: &Event, result: &ResultEntry) -> Result<(), EventError> {
    let at = |field: &str| format!("results[{}].{field}", event.data().results.len());
    let fail = |field: &str, problem: EventProblem| Err(EventError::new(at(field), problem));
    let ResultEntry { round, red, black, kind, score, .. } = *result;
    let rounds = event.rounds_of(event.group_of(red).unwrap_or_default());
    if round == RoundNo(0) || round > rounds {
        return fail("round", EventProblem::RoundOutside { round, rounds });
    }
    match (kind.has_opponent(), black) {
        (true, None) => {
            return fail("black", EventProblem::Opponent("this kind of result needs an opponent"));
        }
        (false, Some(_)) => {
            return fail("black", EventProblem::Opponent("a bye or an absence has no opponent: null"));
        }
        (true, Some(black)) if black == red => return fail("black", EventProblem::Itself(red)),
        (true, Some(_)) | (false, None) => {}
    }
    for (side, no) in result.entrants() {
        let field = side.to_string();
        if event.entrant(no).is_none() {
            return fail(&field, EventProblem::UnknownEntrant(no));
        }
        if event.result_of(round, no).is_some() {
            return fail(&field, EventProblem::SecondResult { round, no });
        }
    }
    if let Some(black) = black.filter(|black| event.group_of(*black) != event.group_of(red)) {
        return fail("black", EventProblem::OtherGroup(red, black));
    }
    if kind.has_opponent() {
        match result.table {
            None | Some(TableNo(0)) => return fail("table", EventProblem::NoTable),
            Some(table) if event.tables.contains(&(round, table)) => {
                return fail("table", EventProblem::TableTaken { round, table });
            }
            Some(_) => {}
        }
    }
    let scoring = &event.data().scoring;
    if !scoring.fits(kind, score) {
        let allowed = scoring.allowed(kind);
        return fail("score", EventProblem::Score { red: score.red.0, black: score.black.0, allowed });
    }
    if let Some(boards) = result.boards
        && kind == crate::ResultKind::Played
        && boards.points.red.cmp(&boards.points.black) != score.red.cmp(&score.black)
        && score.red != score.black
    {
        return fail("boards", EventProblem::Boards("the side with fewer board points cannot win the match"));
    }
    Ok(())
}
