//! 循环赛: everybody meets everybody, once or twice, by the Berger table. All rounds are known beforehand.

use std::collections::BTreeSet;

use crate::{EntrantNo, Event, Pairing, Points, Reason, ResultKind, RoundNo, TableNo};

/// Who meets whom in every round, the first with Red; with nobody where the field is odd. In a double round robin the second
/// half repeats the first with colours changed.
///
/// Only the places in `entrants` matter, which is the order of the numbers drawn.
#[must_use]
pub fn round_robin(entrants: &[EntrantNo], double: bool) -> Vec<Vec<(EntrantNo, Option<EntrantNo>)>> {
    let size = entrants.len().next_multiple_of(2);
    if entrants.len() < 2 {
        return Vec::new();
    }
    let cycle = size - 1;
    let rounds = if double { 2 * cycle } else { cycle };
    let entrant = |place: usize| entrants.get(place).copied();
    let pair = |[red, black]: [usize; 2]| match (entrant(red), entrant(black)) {
        (Some(red), black) => Some((red, black)),
        (None, alone) => alone.map(|alone| (alone, None)),
    };
    let round = |index: usize| {
        let turned = index >= cycle;
        let pairs = berger(size, index % cycle).into_iter();
        pairs.filter_map(|[red, black]| pair(if turned { [black, red] } else { [red, black] })).collect()
    };
    (0..rounds).map(round).collect()
}

/// The table of an event: of everybody who was there when it began.
fn table(event: &Event, double: bool) -> Vec<Vec<(EntrantNo, Option<EntrantNo>)>> {
    round_robin(&event.regulars(), double)
}

/// A round by the table: who meets nobody, because the field is odd or the other has withdrawn or is absent, has a bye.
pub(crate) fn pair(event: &Event, double: bool, round: RoundNo) -> Vec<Pairing> {
    let table = table(event, double);
    let Some(pairs) = table.get(usize::from(round.0).saturating_sub(1)) else { return Vec::new() };
    let here = |no: &EntrantNo| {
        event.entrant(*no).is_some_and(|entrant| entrant.takes_part_in(round))
            && event.result_of(round, *no).is_none()
    };
    let mut games = Vec::new();
    let mut byes = Vec::new();
    for &(red, black) in pairs {
        match (Some(red).filter(here), black.filter(here), black) {
            (Some(red), Some(black), _) => games.push((red, Some(black), Reason::RoundRobin)),
            (Some(alone), None, None) => byes.push((alone, None, Reason::RoundRobin)),
            (Some(alone), None, Some(missing)) => byes.push((alone, None, Reason::OpponentMissing(missing))),
            (None, Some(alone), _) => byes.push((alone, None, Reason::OpponentMissing(red))),
            (None, None, _) => {}
        }
    }
    let seats = games.into_iter().chain(byes);
    (1..)
        .map(TableNo)
        .zip(seats)
        .map(|(table, (red, black, reason))| Pairing { table, red, black, reasons: vec![reason] })
        .collect()
}

/// What a bye in this round is worth: nothing where the field is odd, for everybody has one; a win where the other is
/// missing.
pub(crate) fn bye(event: &Event, double: bool, round: RoundNo, no: EntrantNo) -> Points {
    let table = table(event, double);
    let pairs = table.get(usize::from(round.0).saturating_sub(1)).into_iter().flatten();
    let scoring = &event.data().scoring;
    if pairs.clone().any(|&pair| pair == (no, None)) { scoring.loss } else { scoring.bye() }
}

/// The results that do not count: those of whoever withdrew before half of its games were played, and the points without
/// play of those who would have met it (art. 20.3 of 2007).
pub(crate) fn annulled(event: &Event, double: bool) -> BTreeSet<(RoundNo, EntrantNo)> {
    let table = table(event, double);
    let mut annulled = BTreeSet::new();
    for entrant in event.data().entrants.iter().filter(|entrant| entrant.withdrawn_from.is_some()) {
        let opponents = (1..).map(RoundNo).zip(&table).filter_map(|(round, pairs)| {
            pairs.iter().find_map(|&(red, black)| match black {
                Some(black) if red == entrant.no => Some((round, black)),
                Some(black) if black == entrant.no => Some((round, red)),
                Some(_) | None => None,
            })
        });
        let games: Vec<(RoundNo, EntrantNo)> = opponents.collect();
        let played = |round: RoundNo| {
            event.result_of(round, entrant.no).is_some_and(|result| result.kind == ResultKind::Played)
        };
        if 2 * games.iter().filter(|(round, _)| played(*round)).count() < games.len() {
            annulled.extend(games.iter().copied());
            annulled.extend(games.iter().map(|(round, _)| (*round, entrant.no)));
        }
    }
    annulled
}

/// A round of the Berger table, places counted from 0: the last place stays and has Black and Red by turns, the others
/// move round by half the field.
fn berger(size: usize, round: usize) -> Vec<[usize; 2]> {
    let moving = size - 1;
    let first = round * (size / 2) % moving;
    let against_last = if round.is_multiple_of(2) { [first, size - 1] } else { [size - 1, first] };
    let others = (1..size / 2).map(|step| [(first + step) % moving, (first + moving - step) % moving]);
    core::iter::once(against_last).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn numbers(count: u16) -> Vec<EntrantNo> {
        (1..=count).map(EntrantNo).collect()
    }

    fn games(rounds: &[Vec<(EntrantNo, Option<EntrantNo>)>]) -> Vec<Vec<(u16, u16)>> {
        let of_round = |round: &Vec<(EntrantNo, Option<EntrantNo>)>| {
            round.iter().filter_map(|&(red, black)| Some((red.0, black?.0))).collect()
        };
        rounds.iter().map(of_round).collect()
    }

    #[test]
    fn six_meet_by_the_berger_table() {
        let expected = [
            [(1, 6), (2, 5), (3, 4)],
            [(6, 4), (5, 3), (1, 2)],
            [(2, 6), (3, 1), (4, 5)],
            [(6, 5), (1, 4), (2, 3)],
            [(3, 6), (4, 2), (5, 1)],
        ];
        assert_eq!(games(&round_robin(&numbers(6), false)), expected);
    }

    #[test]
    fn everybody_meets_everybody_and_colours_differ_by_one_at_most() {
        for count in 2..=13 {
            for double in [false, true] {
                let rounds = round_robin(&numbers(count), double);
                let mut met: BTreeMap<(u16, u16), u16> = BTreeMap::new();
                let mut balance: BTreeMap<u16, i32> = BTreeMap::new();
                for (red, black) in games(&rounds).into_iter().flatten() {
                    *met.entry((red.min(black), red.max(black))).or_default() += 1;
                    *balance.entry(red).or_default() += 1;
                    *balance.entry(black).or_default() -= 1;
                }
                assert_eq!(met.len(), usize::from(count) * usize::from(count - 1) / 2);
                assert!(met.values().all(|&times| times == if double { 2 } else { 1 }));
                let most = if double { 0 } else { 1 };
                assert!(balance.values().all(|surplus| surplus.abs() <= most), "{count}: {balance:?}");
                let byes = |round: &Vec<(EntrantNo, Option<EntrantNo>)>| {
                    round.iter().filter(|(_, black)| black.is_none()).count()
                };
                assert!(rounds.iter().all(|round| byes(round) == usize::from(count % 2)));
            }
        }
    }

    #[test]
    fn one_entrant_alone_has_no_rounds() {
        assert!(round_robin(&numbers(1), true).is_empty());
    }
}
