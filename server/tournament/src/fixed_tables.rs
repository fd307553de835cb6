//! 固定台: entrants who sit at one table in every round (F55). Whoever would sit there changes places with them; who meets whom,
//! and with which colour, stays as it was.

use crate::groups::at_table;
use crate::{EntrantNo, Event, Pairing, TableNo, Warning};

/// The pairing with everybody who has a table at it. Where two of them meet, they sit at the first one's.
pub(crate) fn keep(event: &Event, mut pairings: Vec<Pairing>) -> Vec<Pairing> {
    let mut placed: Vec<usize> = Vec::new();
    for &(no, table) in &event.data().options.tables {
        let Some(at) = game_of(&pairings, no).filter(|at| !placed.contains(at)) else { continue };
        let own = pairings[at].table;
        if let Some(other) = pairings.iter().position(|other| other.table == table && other.black.is_some()) {
            pairings[other] = at_table(pairings[other].clone(), own, table);
        }
        pairings[at] = at_table(pairings[at].clone(), table, own);
        placed.push(at);
    }
    if !placed.is_empty() {
        pairings.sort_by_key(|pairing| (pairing.black.is_none(), pairing.table));
        let games = pairings.iter().filter(|pairing| pairing.black.is_some());
        let last = games.map(|game| game.table.0).max().unwrap_or(0);
        let byes = pairings.iter_mut().filter(|pairing| pairing.black.is_none());
        for (bye, table) in byes.zip(last.saturating_add(1)..) {
            bye.table = TableNo(table);
        }
    }
    pairings
}

/// Who of those with a table sits elsewhere.
pub(crate) fn not_kept(event: &Event, pairings: &[Pairing]) -> impl Iterator<Item = Warning> {
    let elsewhere = |&&(no, table): &&(EntrantNo, TableNo)| {
        game_of(pairings, no).is_some_and(|at| pairings[at].table != table)
    };
    event.data().options.tables.iter().filter(elsewhere).map(|&(no, table)| Warning::OtherTable(no, table))
}

fn game_of(pairings: &[Pairing], no: EntrantNo) -> Option<usize> {
    pairings
        .iter()
        .position(|pairing| pairing.black.is_some() && (pairing.red == no || pairing.black == Some(no)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entrant, EventData, Options, RoundNo, check_pairing, pair_round};

    fn event(tables: Vec<(EntrantNo, TableNo)>) -> Result<Event, crate::EventError> {
        let entrants = (1..=9).map(|no| Entrant::new(EntrantNo(no), format!("棋手{no}"), ""));
        let options = Options { tables, ..Options::default() };
        Event::new(EventData { rounds: 5, entrants: entrants.collect(), options, ..EventData::default() })
    }

    fn fixed(list: &[(u16, u16)]) -> Vec<(EntrantNo, TableNo)> {
        list.iter().map(|(no, table)| (EntrantNo(*no), TableNo(*table))).collect()
    }

    #[test]
    fn f55_who_has_a_table_sits_there_and_the_others_make_room() {
        let pairs = |list: &[(u16, u16)]| -> Vec<(u16, u16, u16)> {
            let paired = pair_round(&event(fixed(list)).unwrap(), RoundNo(1)).unwrap().pairings;
            paired.iter().map(|it| (it.table.0, it.red.0, it.black.map_or(0, |no| no.0))).collect()
        };
        assert_eq!(pairs(&[]), [(1, 1, 2), (2, 4, 3), (3, 5, 6), (4, 8, 7), (5, 9, 0)]);
        assert_eq!(pairs(&[(7, 1)]), [(1, 8, 7), (2, 4, 3), (3, 5, 6), (4, 1, 2), (5, 9, 0)]);
        assert_eq!(
            pairs(&[(3, 12)]),
            [(1, 1, 2), (3, 5, 6), (4, 8, 7), (12, 4, 3), (13, 9, 0)],
            "an empty table"
        );
        // Two who meet sit at the first one's; one without a game sits nowhere.
        assert_eq!(pairs(&[(4, 3), (3, 1), (9, 2)]), [(1, 1, 2), (2, 5, 6), (3, 4, 3), (4, 8, 7), (5, 9, 0)]);
    }

    #[test]
    fn f55_a_table_not_kept_is_said_and_a_table_cannot_be_given_twice() {
        let event_with = event(fixed(&[(7, 1)])).unwrap();
        let by_hand = pair_round(&event(Vec::new()).unwrap(), RoundNo(1)).unwrap().pairings;
        let warnings = check_pairing(&event_with, RoundNo(1), &by_hand).unwrap();
        assert_eq!(warnings.into_iter().collect::<Vec<_>>(), [Warning::OtherTable(EntrantNo(7), TableNo(1))]);
        let kept = pair_round(&event_with, RoundNo(1)).unwrap().pairings;
        assert!(check_pairing(&event_with, RoundNo(1), &kept).unwrap().is_empty());
        for wrong in [&[(7, 1), (8, 1)][..], &[(7, 1), (7, 2)], &[(10, 1)], &[(7, 0)]] {
            assert!(event(fixed(wrong)).unwrap_err().to_string().starts_with("options.tables["));
        }
    }
}
