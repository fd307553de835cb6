//! Whether the data of an event make sense: each part as it is added.

use std::collections::BTreeSet;

use crate::numbers::EntrantNo;
use crate::{
    Entrant, Event, EventData, EventError, EventProblem, LadderKey, ResultEntry, RoundNo, System, TableNo,
};

/// The most rounds an event can have: a double round robin of 100.
pub(crate) const MOST_ROUNDS: u16 = 200;

/// Everything but entrants and results.
pub(crate) fn settings(data: &EventData) -> Result<(), EventError> {
    if !(1..=MOST_ROUNDS).contains(&data.rounds) {
        return Err(EventError::new("rounds", EventProblem::Rounds(data.rounds)));
    }
    if !data.scoring.is_ordered() {
        return Err(EventError::new("scoring", EventProblem::Scoring));
    }
    groups(data)?;
    let mut seen = BTreeSet::new();
    for (place, &key) in data.ladder.0.iter().enumerate() {
        if !seen.insert(key) {
            return Err(EventError::new(format!("ladder[{place}]"), EventProblem::LadderKeyTwice(key)));
        }
    }
    match data.ladder.0.first() {
        None => Err(EventError::new("ladder", EventProblem::NoLadder)),
        Some(LadderKey::PreviousRound) => Err(EventError::new("ladder[0]", EventProblem::NothingBefore)),
        Some(_) => Ok(()),
    }
}

fn groups(data: &EventData) -> Result<(), EventError> {
    let mut names = BTreeSet::new();
    for (place, group) in data.groups.iter().enumerate() {
        let fail = |field: &str, problem| Err(EventError::new(format!("groups[{place}].{field}"), problem));
        if !(1..=MOST_ROUNDS).contains(&group.rounds) {
            return fail("rounds", EventProblem::Rounds(group.rounds));
        }
        if group.name.trim().is_empty() {
            return fail("name", EventProblem::GroupWithoutName);
        }
        if !names.insert(group.name.trim()) {
            return fail("name", EventProblem::GroupNameTwice);
        }
        if group.first_table == Some(TableNo(0)) {
            return fail("first_table", EventProblem::TableZero);
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
        return Err(EventError::new(at("first_round"), EventProblem::EntersOutside { no, rounds }));
    }
    if entrant.first_round.is_some() && system != System::Swiss {
        return Err(EventError::new(at("first_round"), EventProblem::EntersLate(no)));
    }
    if entrant.withdrawn_from == Some(RoundNo(0)) {
        return Err(EventError::new(at("withdrawn_from"), EventProblem::WithdrawsFromZero(no)));
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
            return fail("black", EventProblem::NeedsOpponent);
        }
        (false, Some(_)) => {
            return fail("black", EventProblem::HasOpponent);
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
        return fail("score", EventProblem::Score { red: score.red, black: score.black, allowed });
    }
    if let Some(boards) = result.boards
        && kind == crate::ResultKind::Played
        && boards.points.red.cmp(&boards.points.black) != score.red.cmp(&score.black)
        && score.red != score.black
    {
        return fail("boards", EventProblem::Boards);
    }
    Ok(())
}
