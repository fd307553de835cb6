//! 循环赛: everybody meets everybody, once or twice, by the Berger table. All rounds are known beforehand.

use crate::{EntrantNo, Pairing, Reason, RoundNo, RoundPairing, TableNo};

/// Every round of a round robin. With an odd field each has one bye; in a double round robin the second half repeats the
/// first with colours changed.
///
/// Only the places in `entrants` matter, which is the order of the numbers drawn.
#[must_use]
pub fn round_robin(entrants: &[EntrantNo], double: bool) -> Vec<RoundPairing> {
    let size = entrants.len().next_multiple_of(2);
    if entrants.len() < 2 {
        return Vec::new();
    }
    let cycle = size - 1;
    let rounds = if double { 2 * cycle } else { cycle };
    let entrant = |place: usize| entrants.get(place).copied();
    (0..rounds)
        .map(|index| {
            let mut pairs = berger(size, index % cycle);
            if index >= cycle {
                pairs.iter_mut().for_each(|pair| pair.swap(0, 1));
            }
            let mut games = Vec::new();
            let mut bye = None;
            for [red, black] in pairs {
                match (entrant(red), entrant(black)) {
                    (Some(red), Some(black)) => games.push((red, black)),
                    (Some(alone), None) | (None, Some(alone)) => bye = Some(alone),
                    (None, None) => {}
                }
            }
            let games = games.into_iter().map(|(red, black)| (red, Some(black)));
            let seats = games.chain(bye.map(|alone| (alone, None)));
            let pairings = (1..).map(TableNo).zip(seats);
            RoundPairing {
                round: RoundNo(index as u16 + 1),
                pairings: pairings
                    .map(|(table, (red, black))| Pairing {
                        table,
                        red,
                        black,
                        reasons: vec![Reason::RoundRobin],
                    })
                    .collect(),
                warnings: Vec::new(),
            }
        })
        .collect()
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

    fn games(rounds: &[RoundPairing]) -> Vec<Vec<(u16, u16)>> {
        let of_round = |round: &RoundPairing| {
            round.pairings.iter().filter_map(|pair| Some((pair.red.0, pair.black?.0))).collect()
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
                let byes =
                    |round: &RoundPairing| round.pairings.iter().filter(|pair| pair.black.is_none()).count();
                assert!(rounds.iter().all(|round| byes(round) == usize::from(count % 2)));
            }
        }
    }

    #[test]
    fn one_entrant_alone_has_no_rounds() {
        assert!(round_robin(&numbers(1), true).is_empty());
    }
}
