//! 组别: men, women, youth … in one hall. The groups are a partition of the entrants of one event: numbers and tables run
//! through the hall, and each group is paired and ranked as an event of its own, by its own system and over its own rounds.
//! They play in step: round 3 of one is round 3 of all, and a group with fewer rounds ends earlier.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::pairing::{ColourRule, Reason};
use crate::{
    Entrant, EntrantNo, Event, EventData, GroupNo, Options, Pairing, PairingError, RoundNo, RoundPairing,
    System, TableNo, Warning, fixed_tables, pairing,
};

/// One group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its name, such as 女子组.
    pub name: String,
    /// How many rounds it plays by the Swiss system; the other systems know by themselves.
    pub rounds: u16,
    /// 赛制.
    #[serde(default, skip_serializing_if = "is_swiss")]
    pub system: System,
    /// Its first table; without one its tables follow on those of the group before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_table: Option<TableNo>,
}

fn is_swiss(system: &System) -> bool {
    *system == System::Swiss
}

impl Event {
    /// The numbers of its groups, in order. An event without groups is group 1.
    pub fn group_numbers(&self) -> impl Iterator<Item = GroupNo> + use<> {
        (1..=self.data().groups.len().max(1) as u16).map(GroupNo)
    }

    /// The group with this number; `None` where there are no groups.
    #[must_use]
    pub fn group(&self, no: GroupNo) -> Option<&Group> {
        self.data().groups.get(usize::from(no.0).checked_sub(1)?)
    }

    /// The group that an entrant belongs to.
    #[must_use]
    pub fn group_of(&self, no: EntrantNo) -> Option<GroupNo> {
        self.entrant(no).map(|entrant| entrant.group)
    }

    /// A group as an event of its own: its entrants and their results, its system and its rounds. Where there are no groups,
    /// the event itself.
    #[must_use]
    pub fn of_group(&self, no: GroupNo) -> Cow<'_, Event> {
        let Some(group) = self.group(no) else { return Cow::Borrowed(self) };
        let data = self.data();
        let is_member = |who: EntrantNo| self.group_of(who) == Some(no);
        let entrants = data.entrants.iter().filter(|entrant| entrant.group == no);
        let entrants = entrants.map(|entrant| Entrant { group: GroupNo::default(), ..entrant.clone() });
        let forbidden = data.options.forbidden.iter().filter(|pair| pair.iter().all(|who| is_member(*who)));
        Cow::Owned(Event::indexed(EventData {
            scoring: data.scoring,
            rounds: group.rounds,
            ladder: data.ladder.clone(),
            entrants: entrants.collect(),
            results: data.results.iter().filter(|result| is_member(result.red)).copied().collect(),
            options: Options {
                system: group.system,
                forbidden: forbidden.copied().collect(),
                // Tables are given in the hall, not in a group.
                tables: Vec::new(),
                ..data.options.clone()
            },
            groups: Vec::new(),
        }))
    }

    /// Every group as an event of its own, in order.
    pub fn by_group(&self) -> impl Iterator<Item = (GroupNo, Cow<'_, Event>)> {
        self.group_numbers().map(|no| (no, self.of_group(no)))
    }
}

/// The next round of every group that still plays, at tables of one numbering.
pub(crate) fn pair_round(event: &Event, round: RoundNo) -> Result<RoundPairing, PairingError> {
    let mut pairings = Vec::new();
    let mut warnings = Vec::new();
    let mut playing = false;
    for (no, part) in event.by_group() {
        if is_done(&part, round) {
            continue;
        }
        playing = true;
        let proposed = pairing::propose(&part, round).map_err(|why| in_group(event, no, why))?;
        warnings.extend(pairing::of_proposal(&part, round, &proposed));
        pairings.extend(proposed);
    }
    if !playing {
        return Err(PairingError::RoundOutside { round, rounds: event.rounds() });
    }
    if pairings.iter().all(|pairing| pairing.black.is_none()) {
        return Err(PairingError::TooFew { round, present: pairings.len() });
    }
    Ok(RoundPairing { round, pairings: number_tables(event, pairings)?, warnings })
}

/// The checks of every group's part of a pairing, and that no two of different groups meet.
pub(crate) fn check_pairing(
    event: &Event,
    round: RoundNo,
    pairings: &[Pairing],
) -> Result<BTreeSet<Warning>, PairingError> {
    let strangers = |pairing: &&Pairing| {
        pairing.black.is_some_and(|black| event.group_of(black) != event.group_of(pairing.red))
    };
    let (apart, together): (Vec<&Pairing>, Vec<&Pairing>) = pairings.iter().partition(strangers);
    let mut warnings = BTreeSet::new();
    for pairing in apart {
        warnings.extend(pairing.black.map(|black| Warning::OtherGroup(pairing.red, black)));
    }
    for pairing in &together {
        if event.group_of(pairing.red).is_none() {
            warnings.insert(Warning::Unknown(pairing.red));
        }
    }
    for (no, part) in event.by_group() {
        let of_group: Vec<Pairing> = together
            .iter()
            .filter(|pairing| event.group_of(pairing.red) == Some(no))
            .map(|&pairing| pairing.clone())
            .collect();
        if is_done(&part, round) {
            let seated = of_group.iter().flat_map(|pairing| [Some(pairing.red), pairing.black]);
            warnings.extend(seated.flatten().map(Warning::NotPresent));
            continue;
        }
        let found = pairing::check_field(&part, round, &of_group).map_err(|why| in_group(event, no, why))?;
        warnings.extend(found);
    }
    warnings.extend(pairing::tables_twice(pairings));
    warnings.extend(fixed_tables::not_kept(event, pairings));
    Ok(warnings)
}

/// Gives every game its table: a group's from its first table on, or after the group before. Byes have the numbers after
/// the last table of the hall.
///
/// # Errors
/// The tables of two groups overlap.
pub fn number_tables(event: &Event, pairings: Vec<Pairing>) -> Result<Vec<Pairing>, PairingError> {
    let mut of_group: BTreeMap<Option<GroupNo>, Vec<Pairing>> = BTreeMap::new();
    for pairing in pairings {
        of_group.entry(event.group_of(pairing.red)).or_default().push(pairing);
    }
    let mut taken: BTreeMap<u16, Option<GroupNo>> = BTreeMap::new();
    let mut games = Vec::new();
    let mut byes = Vec::new();
    let mut next = 1;
    for (no, pairings) in of_group {
        let (playing, free): (Vec<Pairing>, Vec<Pairing>) =
            pairings.into_iter().partition(|pairing| pairing.black.is_some());
        byes.extend(free);
        let set = no.and_then(|no| event.group(no)).and_then(|group| group.first_table);
        next = set.map_or(next, |first| first.0);
        for (place, game) in (1..).zip(playing) {
            if let Some(other) = taken.insert(next, no) {
                let name = |no: Option<GroupNo>| {
                    no.and_then(|no| event.group(no)).map(|group| group.name.clone()).unwrap_or_default()
                };
                let groups = [name(other), name(no)];
                return Err(PairingError::TablesOverlap { table: TableNo(next), groups });
            }
            games.push(at_table(game, TableNo(next), TableNo(place)));
            next = next.saturating_add(1);
        }
    }
    games.sort_by_key(|game| game.table);
    let after_last = taken.keys().next_back().map_or(1, |last| last.saturating_add(1));
    let byes = (after_last..).zip(byes).map(|(table, bye)| Pairing { table: TableNo(table), ..bye });
    games.extend(byes);
    Ok(fixed_tables::keep(event, games))
}

/// A game at another table than its place in its field says. What was said of tables is said of that order.
pub(crate) fn at_table(mut game: Pairing, table: TableNo, own: TableNo) -> Pairing {
    for reason in &mut game.reasons {
        if let Reason::Colour { rule: rule @ ColourRule::TableParity, .. } = reason
            && table != own
        {
            *rule = ColourRule::OrderParity;
        }
    }
    Pairing { table, ..game }
}

/// Whether a group has played its last round before this one.
fn is_done(part: &Event, round: RoundNo) -> bool {
    part.last_round() < round && (round > part.rounds() || part.is_over() || part.data().entrants.is_empty())
}

fn in_group(event: &Event, no: GroupNo, why: PairingError) -> PairingError {
    match event.group(no) {
        Some(group) => PairingError::InGroup { group: group.name.clone(), why: Box::new(why) },
        None => why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(table: u16, red: u16, black: Option<u16>) -> Pairing {
        let black = black.map(EntrantNo);
        Pairing { table: TableNo(table), red: EntrantNo(red), black, reasons: Vec::new() }
    }

    fn event(first_tables: [Option<u16>; 2]) -> Event {
        let group = |name: &str, first: Option<u16>| Group {
            name: name.into(),
            rounds: 3,
            system: System::Swiss,
            first_table: first.map(TableNo),
        };
        let entrant = |no: u16| Entrant {
            group: GroupNo(if no <= 5 { 1 } else { 2 }),
            ..Entrant::new(EntrantNo(no), format!("棋手{no}"), "")
        };
        Event::new(EventData {
            rounds: 3,
            groups: vec![group("男子组", first_tables[0]), group("女子组", first_tables[1])],
            entrants: (1..=10).map(entrant).collect(),
            ..EventData::default()
        })
        .unwrap()
    }

    fn tables(event: &Event) -> Vec<(u16, u16, Option<u16>)> {
        let round = pair_round(event, RoundNo(1)).unwrap();
        round.pairings.iter().map(|it| (it.table.0, it.red.0, it.black.map(|no| no.0))).collect()
    }

    #[test]
    fn tables_follow_on_and_byes_come_after_the_last() {
        let paired = tables(&event([None, None]));
        let expected =
            [(1, 1, Some(2)), (2, 4, Some(3)), (3, 6, Some(7)), (4, 9, Some(8)), (5, 5, None), (6, 10, None)];
        assert_eq!(paired, expected);
    }

    #[test]
    fn a_group_begins_at_its_own_table_and_two_never_share_one() {
        let tables_of = |event: &Event| tables(event).iter().map(|(table, ..)| *table).collect::<Vec<_>>();
        assert_eq!(tables_of(&event([Some(21), Some(1)])), [1, 2, 21, 22, 23, 24]);
        let overlap = pair_round(&event([Some(4), Some(5)]), RoundNo(1)).unwrap_err();
        let groups = ["男子组".to_owned(), "女子组".to_owned()];
        assert_eq!(overlap, PairingError::TablesOverlap { table: TableNo(5), groups });
    }

    #[test]
    fn two_of_different_groups_cannot_be_published_together() {
        let event = event([None, None]);
        let mut pairings = pair_round(&event, RoundNo(1)).unwrap().pairings;
        assert_eq!(check_pairing(&event, RoundNo(1), &pairings).unwrap(), BTreeSet::new());
        pairings[0] = game(1, 1, Some(7));
        pairings[2] = game(3, 6, Some(2));
        let warnings = check_pairing(&event, RoundNo(1), &pairings).unwrap();
        for pair in [[1, 7], [6, 2]] {
            let warning = Warning::OtherGroup(EntrantNo(pair[0]), EntrantNo(pair[1]));
            assert!(warnings.contains(&warning) && warning.forbids_publishing());
        }
        pairings[0] = game(3, 1, Some(2));
        assert!(
            check_pairing(&event, RoundNo(1), &pairings).unwrap().contains(&Warning::TableTwice(TableNo(3)))
        );
    }
}
