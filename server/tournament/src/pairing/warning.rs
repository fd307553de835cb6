//! What a pairing officer is warned of: in the engine's own proposal, and in a pairing made or changed by hand.

use std::collections::{BTreeMap, BTreeSet};

use super::card::{self, Card};
use super::{Pairing, PairingError, present, propose};
use crate::words::Words;
use crate::{EntrantNo, Event, RoundNo, System, TableNo, fixed_tables, groups};

/// One thing to know about a pairing before it is published.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// The two have met.
    Rematch(EntrantNo, EntrantNo),
    /// A second bye.
    SecondBye(EntrantNo),
    /// The organiser forbids this pair.
    Forbidden(EntrantNo, EntrantNo),
    /// A third game in a row with one colour, or a surplus of three.
    ThirdColour(EntrantNo),
    /// One unit meets itself in round 1.
    SameUnit(EntrantNo, EntrantNo),
    /// The two are in different groups.
    OtherGroup(EntrantNo, EntrantNo),
    /// Not in the list of entrants.
    Unknown(EntrantNo),
    /// Withdrawn, absent, or with a result in the round already.
    NotPresent(EntrantNo),
    /// Present, but not in the pairing.
    LeftOut(EntrantNo),
    /// In the pairing twice.
    Twice(EntrantNo),
    /// A table given twice.
    TableTwice(TableNo),
    /// Not at the table that is kept for this entrant.
    OtherTable(EntrantNo, TableNo),
    /// More byes than one, or a bye where the field is even.
    Byes(usize),
    /// The engine would pair this entrant otherwise: with whom (nobody: the bye).
    Differs(EntrantNo, Option<EntrantNo>),
    /// The engine would give these two the other colours.
    ColoursDiffer(EntrantNo, EntrantNo),
    /// The table of the round robin, or the bracket, has it otherwise: with whom (nobody: free).
    OffTable(EntrantNo, Option<EntrantNo>),
}

impl Warning {
    /// Whether the round must not be published without the pairing officer's word.
    #[must_use]
    pub const fn needs_confirmation(&self) -> bool {
        match self {
            Warning::Rematch(..)
            | Warning::SecondBye(_)
            | Warning::Forbidden(..)
            | Warning::NotPresent(_)
            | Warning::LeftOut(_)
            | Warning::OffTable(..)
            | Warning::Byes(_) => true,
            Warning::ThirdColour(_)
            | Warning::SameUnit(..)
            | Warning::OtherTable(..)
            | Warning::Differs(..)
            | Warning::ColoursDiffer(..)
            | Warning::OtherGroup(..)
            | Warning::Unknown(_)
            | Warning::Twice(_)
            | Warning::TableTwice(_) => false,
        }
    }

    /// Whether the pairing cannot be published at all.
    #[must_use]
    pub const fn forbids_publishing(&self) -> bool {
        matches!(
            self,
            Warning::OtherGroup(..) | Warning::Unknown(_) | Warning::Twice(_) | Warning::TableTwice(_)
        )
    }

    /// Whom it is about.
    #[must_use]
    pub fn entrants(&self) -> Vec<EntrantNo> {
        match *self {
            Warning::Rematch(a, b)
            | Warning::Forbidden(a, b)
            | Warning::OtherGroup(a, b)
            | Warning::SameUnit(a, b)
            | Warning::ColoursDiffer(a, b) => vec![a, b],
            Warning::SecondBye(no)
            | Warning::ThirdColour(no)
            | Warning::Unknown(no)
            | Warning::NotPresent(no)
            | Warning::LeftOut(no)
            | Warning::Twice(no)
            | Warning::OffTable(no, _)
            | Warning::OtherTable(no, _)
            | Warning::Differs(no, _) => vec![no],
            Warning::TableTwice(_) | Warning::Byes(_) => Vec::new(),
        }
    }

    /// The warning in Chinese and English.
    #[must_use]
    pub fn words(&self) -> Words {
        let (zh, en) = match self {
            Warning::Rematch(a, b) => (format!("{a}号与{b}号已交过手"), format!("{a} and {b} have met")),
            Warning::SecondBye(no) => (format!("{no}号第二次轮空"), format!("a second bye for {no}")),
            Warning::Forbidden(a, b) => {
                (format!("{a}号与{b}号被禁止编在一起"), format!("{a} and {b} must not be paired"))
            }
            Warning::ThirdColour(no) => {
                (format!("{no}号第三次同先后手"), format!("a third game with one colour for {no}"))
            }
            Warning::SameUnit(a, b) => {
                (format!("{a}号与{b}号同单位"), format!("{a} and {b} are of one unit"))
            }
            Warning::OtherGroup(a, b) => {
                (format!("{a}号与{b}号不同组"), format!("{a} and {b} are in different groups"))
            }
            Warning::Unknown(no) => (format!("没有{no}号"), format!("there is no entrant {no}")),
            Warning::NotPresent(no) => {
                (format!("{no}号本轮不在场"), format!("{no} is not present in this round"))
            }
            Warning::LeftOut(no) => (format!("{no}号未编入"), format!("{no} is left out")),
            Warning::Twice(no) => (format!("{no}号编了两次"), format!("{no} is paired twice")),
            Warning::TableTwice(table) => {
                (format!("{table}台用了两次"), format!("table {table} is used twice"))
            }
            Warning::OtherTable(no, table) => {
                (format!("{no}号固定在{table}台"), format!("{no} is to sit at table {table}"))
            }
            Warning::Byes(byes) => (format!("轮空{byes}人"), format!("{byes} byes")),
            Warning::Differs(no, Some(other)) => {
                (format!("电脑编排: {no}号对{other}号"), format!("the engine pairs {no} with {other}"))
            }
            Warning::Differs(no, None) => {
                (format!("电脑编排: {no}号轮空"), format!("the engine gives {no} the bye"))
            }
            Warning::OffTable(no, Some(other)) => (
                format!("与赛制不符: {no}号应对{other}号"),
                format!("not as the system has it: {no} meets {other}"),
            ),
            Warning::OffTable(no, None) => {
                (format!("与赛制不符: {no}号应轮空"), format!("not as the system has it: {no} is free"))
            }
            Warning::ColoursDiffer(red, black) => (
                format!("电脑编排: {red}号执红, {black}号执黑"),
                format!("the engine gives {red} Red and {black} Black"),
            ),
        };
        Words::new(zh, en)
    }
}

/// Checks a pairing made or changed by hand against everything the engine would look at, and against the engine's own.
/// An empty answer means: exactly as the engine would.
///
/// # Errors
/// The round cannot be paired at all, by hand or otherwise: see [`pair_round`].
pub fn check_pairing(
    event: &Event,
    round: RoundNo,
    pairings: &[Pairing],
) -> Result<BTreeSet<Warning>, PairingError> {
    if !event.data().groups.is_empty() {
        return groups::check_pairing(event, round, pairings);
    }
    let mut warnings = check_field(event, round, pairings)?;
    warnings.extend(fixed_tables::not_kept(event, pairings));
    Ok(warnings)
}

/// The check of one field.
pub(crate) fn check_field(
    event: &Event,
    round: RoundNo,
    pairings: &[Pairing],
) -> Result<BTreeSet<Warning>, PairingError> {
    let system = event.data().options.system;
    let proposal = propose(event, round);
    let present = match (system, &proposal) {
        (System::Swiss, _) => present(event, round)?,
        (System::RoundRobin { .. } | System::Knockout { .. }, Ok(proposal)) => {
            opponents(proposal).into_keys().collect()
        }
        (System::RoundRobin { .. } | System::Knockout { .. }, Err(why)) => return Err(why.clone()),
    };
    let mut warnings: BTreeSet<Warning> = of_proposal(event, round, pairings).into_iter().collect();
    warnings.extend(tables_twice(pairings));
    let mut seen = BTreeSet::new();
    for pairing in pairings {
        for no in core::iter::once(pairing.red).chain(pairing.black) {
            if !seen.insert(no) {
                warnings.insert(Warning::Twice(no));
            }
            if event.entrant(no).is_none() {
                warnings.insert(Warning::Unknown(no));
            } else if !present.contains(&no) {
                warnings.insert(Warning::NotPresent(no));
            }
        }
    }
    warnings.extend(present.difference(&seen).map(|&no| Warning::LeftOut(no)));
    let byes = pairings.iter().filter(|pairing| pairing.black.is_none()).count();
    if system == System::Swiss && byes != present.len() % 2 {
        warnings.insert(Warning::Byes(byes));
    }
    if let Ok(proposal) = proposal {
        warnings.extend(differences(&proposal, pairings).into_iter().map(|warning| {
            match (system, warning) {
                (System::RoundRobin { .. } | System::Knockout { .. }, Warning::Differs(no, other)) => {
                    Warning::OffTable(no, other)
                }
                (_, warning) => warning,
            }
        }));
    }
    Ok(warnings)
}

/// The tables that are given twice.
pub(crate) fn tables_twice(pairings: &[Pairing]) -> impl Iterator<Item = Warning> {
    let mut tables = BTreeSet::new();
    let again = pairings.iter().map(|pairing| pairing.table).filter(move |table| !tables.insert(*table));
    again.map(Warning::TableTwice)
}

/// What the pairs themselves give cause to say.
pub(crate) fn of_proposal(event: &Event, round: RoundNo, pairings: &[Pairing]) -> Vec<Warning> {
    if event.data().options.system != System::Swiss {
        // The table and the bracket know of no rematch, bye or colour to avoid.
        return Vec::new();
    }
    let everybody = event.data().entrants.iter().map(|entrant| entrant.no).collect();
    let cards = card::list(event, round, &everybody);
    let cards: BTreeMap<EntrantNo, &Card> = cards.iter().map(|card| (card.no, card)).collect();
    let avoid_same_unit = event.data().options.avoid_same_unit && round == RoundNo(1);
    let mut warnings = Vec::new();
    for pairing in pairings {
        let Some(red) = cards.get(&pairing.red) else { continue };
        match pairing.black.map(|black| cards.get(&black)) {
            None if red.barred_from_bye => warnings.push(Warning::SecondBye(red.no)),
            None | Some(None) => {}
            Some(Some(black)) => {
                if red.met.contains(&black.no) {
                    warnings.push(Warning::Rematch(red.no, black.no));
                }
                if red.forbidden.contains(&black.no) {
                    warnings.push(Warning::Forbidden(red.no, black.no));
                }
                if avoid_same_unit && !red.unit.is_empty() && red.unit == black.unit {
                    warnings.push(Warning::SameUnit(red.no, black.no));
                }
                let overdone = [(red, red.overdone().red), (black, black.overdone().black)];
                let thirds = overdone.into_iter().filter(|&(_, overdone)| overdone);
                warnings.extend(thirds.map(|(card, _)| Warning::ThirdColour(card.no)));
            }
        }
    }
    warnings
}

/// Whom everybody in a pairing meets; nobody: a bye.
fn opponents(pairings: &[Pairing]) -> BTreeMap<EntrantNo, Option<EntrantNo>> {
    let both = pairings.iter().flat_map(|pairing| {
        let back = pairing.black.map(|black| (black, Some(pairing.red)));
        core::iter::once((pairing.red, pairing.black)).chain(back)
    });
    both.collect()
}

/// Where the engine would have it otherwise.
fn differences(engine: &[Pairing], hand: &[Pairing]) -> Vec<Warning> {
    let of_hand = opponents(hand);
    let mut warnings = Vec::new();
    for (no, opponent) in opponents(engine) {
        if of_hand.get(&no).is_some_and(|&by_hand| by_hand != opponent) {
            warnings.push(Warning::Differs(no, opponent));
        }
    }
    for pairing in engine {
        let turned =
            |by_hand: &&Pairing| Some(by_hand.red) == pairing.black && by_hand.black == Some(pairing.red);
        if let (Some(black), true) = (pairing.black, hand.iter().any(|by_hand| turned(&by_hand))) {
            warnings.push(Warning::ColoursDiffer(pairing.red, black));
        }
    }
    warnings
}
