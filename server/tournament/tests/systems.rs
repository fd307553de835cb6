//! Whole events by a table and by a bracket: every round paired from the results before it, as the hall does it.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::{BTreeMap, BTreeSet};

use tournament::{
    Entrant, EntrantNo, Event, EventData, Ladder, Options, PairingError, Points, ResultEntry, ResultKind,
    RoundNo, System, Warning, check_pairing, pair_round, standings,
};
use xiangqi::{BySide, Side};

fn event(entrants: u16, system: System) -> Event {
    let entrants = (1..=entrants).map(|no| Entrant::new(EntrantNo(no), format!("棋手{no}"), "")).collect();
    let options = Options { system, ..Options::default() };
    let ladder = Ladder::round_robin();
    Event::new(EventData { rounds: 7, ladder, entrants, options, ..EventData::default() }).unwrap()
}

/// Pairs a round and enters what `score` says of each game; returns the games.
fn play(event: &mut Event, round: u16, score: impl Fn(u16, u16) -> (u32, u32)) -> Vec<(u16, u16)> {
    let round = RoundNo(round);
    let paired = pair_round(event, round).unwrap();
    let mut games = Vec::new();
    for pairing in paired.pairings {
        let Some(black) = pairing.black else {
            event.record(ResultEntry::bye(round, pairing.red, event.bye(round, pairing.red))).unwrap();
            continue;
        };
        let (red, black_points) = score(pairing.red.0, black.0);
        let score = BySide { red: Points(red), black: Points(black_points) };
        event.record(ResultEntry::played(round, pairing.table, pairing.red, black, score)).unwrap();
        games.push((pairing.red.0, black.0));
    }
    games
}

/// The smaller number wins.
fn smaller(red: u16, black: u16) -> (u32, u32) {
    if red < black { (2, 0) } else { (0, 2) }
}

#[test]
fn eight_play_a_round_robin_of_seven_rounds() {
    let mut event = event(8, System::RoundRobin { double: false });
    assert_eq!(event.rounds(), RoundNo(7), "the table, not the settings, says how many");
    let mut met = BTreeSet::new();
    for round in 1..=7 {
        for (red, black) in play(&mut event, round, smaller) {
            assert!(met.insert((red.min(black), red.max(black))));
        }
    }
    assert_eq!(met.len(), 28);
    assert!(event.is_over());
    assert!(matches!(pair_round(&event, RoundNo(8)), Err(PairingError::RoundOutside { .. })));
    let rows = standings(&event, RoundNo(7)).rows;
    assert_eq!(rows.iter().map(|row| row.no.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(rows[1].figures[0].unwrap().to_string(), "12");
}

#[test]
fn a_double_round_robin_of_five_meets_twice_with_colours_changed_and_a_free_round_is_worth_nothing() {
    let mut event = event(5, System::RoundRobin { double: true });
    let mut games: BTreeMap<(u16, u16), u16> = BTreeMap::new();
    for round in 1..=10 {
        for game in play(&mut event, round, |_, _| (1, 1)) {
            *games.entry(game).or_default() += 1;
        }
    }
    assert_eq!(games.len(), 20, "each pair with each colour");
    let standing = standings(&event, RoundNo(10));
    assert!(standing.rows.iter().all(|row| row.figures[0].unwrap().to_string() == "8"), "eight draws");
    assert!(standing.rows.iter().all(|row| row.rank == 1 && row.figures[2].unwrap().to_string() == "0"));
}

#[test]
fn who_leaves_a_round_robin_before_half_of_the_games_counts_for_nobody() {
    for (from, counts) in [(4, false), (5, true)] {
        let mut event = event(8, System::RoundRobin { double: false });
        for round in 1..=7 {
            if round == from {
                event.withdraw(EntrantNo(1), RoundNo(from)).unwrap();
            }
            play(&mut event, round, smaller);
        }
        let points = |no: u16| {
            let rows = standings(&event, RoundNo(7)).rows;
            rows.iter().find(|row| row.no.0 == no).unwrap().figures[0].unwrap().to_string()
        };
        // Of seven games 1 played three (annulled) or four (they stand, and the others win without play).
        let met: Vec<u16> = event
            .data()
            .results
            .iter()
            .filter(|result| result.red.0 == 1 || result.black == Some(EntrantNo(1)))
            .map(|result| if result.red.0 == 1 { result.black.unwrap().0 } else { result.red.0 })
            .collect();
        assert_eq!(met.len(), usize::from(from) - 1);
        for no in 2..=8 {
            let wins = u32::from(8 - no);
            let bye = u32::from(counts && !met.contains(&no));
            assert_eq!(points(no), (2 * (wins + bye)).to_string(), "{no}, 1 left before round {from}");
        }
        assert_eq!(points(1), if counts { "8" } else { "0" });
    }
}

#[test]
fn twelve_play_a_knock_out_and_a_drawn_tie_is_played_again_with_colours_changed() {
    let mut event = event(12, System::Knockout { replays: 1 });
    // 1 to 4 are free; 8 and 9 draw twice, and Black of the second game goes on.
    let drawn = |red: u16, black: u16| {
        if [8, 9].contains(&red) && [8, 9].contains(&black) { (1, 1) } else { smaller(red, black) }
    };
    let first = play(&mut event, 1, drawn);
    assert_eq!(first.len(), 4);
    let nine_had_red = first.contains(&(9, 8));
    assert_eq!(standings(&event, RoundNo(1)).rows[0].figures[0].unwrap().to_string(), "8");

    let again = play(&mut event, 2, drawn);
    assert_eq!(again, [if nine_had_red { (8, 9) } else { (9, 8) }], "only the drawn tie, colours changed");
    let through = again[0].1;
    let pairing = pair_round(&event, RoundNo(3)).unwrap();
    let said: Vec<String> = pairing.pairings.iter().map(|pair| pair.reasons[0].words().zh).collect();
    assert_eq!(said, ["四分之一决赛"; 4]);
    assert!(
        pairing.pairings.iter().any(|pair| pair.red.0 == through || pair.black == Some(EntrantNo(through)))
    );

    play(&mut event, 3, smaller);
    play(&mut event, 4, smaller);
    assert!(!event.is_over());
    let last = play(&mut event, 5, smaller);
    let sets: Vec<[u16; 2]> = last.iter().map(|&(a, b)| [a.min(b), a.max(b)]).collect();
    assert_eq!(sets, [[1, 2], [3, 4]], "the final, and the match for third place");
    assert!(event.is_over());
    assert_eq!(pair_round(&event, RoundNo(6)), Err(PairingError::Decided { round: RoundNo(6) }));
    let standing = standings(&event, RoundNo(5));
    assert!(standing.open.is_empty());
    let ranks: Vec<(u16, u16)> = standing.rows.iter().map(|row| (row.rank, row.no.0)).collect();
    assert_eq!(ranks[..4], [(1, 1), (2, 2), (3, 3), (4, 4)]);
    assert_eq!(ranks[4..8].iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [5; 4]);
    assert_eq!(ranks[8..].iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [9; 4]);
}

#[test]
fn in_a_knock_out_a_double_forfeit_puts_both_out_and_a_withdrawal_the_other_through() {
    let mut event = event(4, System::Knockout { replays: 0 });
    let round = RoundNo(1);
    let pairing = pair_round(&event, round).unwrap();
    for pair in &pairing.pairings {
        let both = BySide { red: pair.red, black: pair.black.unwrap() };
        let forfeit = pair.red.0 == 1 || pair.black.unwrap().0 == 1;
        let score = if forfeit { (0, 0) } else { smaller(both[Side::Red].0, both[Side::Black].0) };
        event
            .record(ResultEntry {
                kind: if forfeit { ResultKind::DoubleForfeit } else { ResultKind::Played },
                ..ResultEntry::played(
                    round,
                    pair.table,
                    pair.red,
                    both.black,
                    BySide { red: Points(score.0), black: Points(score.1) },
                )
            })
            .unwrap();
    }
    assert!(event.is_over(), "2 has nobody to play");
    assert_eq!(standings(&event, round).rows[0].no, EntrantNo(2));

    let mut event = self::event(4, System::Knockout { replays: 0 });
    play(&mut event, 1, smaller);
    event.withdraw(EntrantNo(1), RoundNo(2)).unwrap();
    assert_eq!(play(&mut event, 2, smaller).len(), 1, "only the match for third place is left");
    let ranks: Vec<u16> = standings(&event, RoundNo(2)).rows.iter().map(|row| row.no.0).collect();
    assert_eq!(ranks, [2, 1, 3, 4]);
}

#[test]
fn a_pairing_by_hand_that_leaves_the_table_is_to_be_confirmed() {
    let event = event(6, System::RoundRobin { double: false });
    let mut pairings = pair_round(&event, RoundNo(1)).unwrap().pairings;
    assert_eq!(check_pairing(&event, RoundNo(1), &pairings), Ok(BTreeSet::new()));
    let other = pairings[1].black;
    pairings[1].black = pairings[0].black;
    pairings[0].black = other;
    let warnings = check_pairing(&event, RoundNo(1), &pairings).unwrap();
    assert!(warnings.contains(&Warning::OffTable(EntrantNo(1), Some(EntrantNo(6)))));
    assert!(warnings.iter().any(Warning::needs_confirmation));
}

#[test]
fn nobody_enters_a_table_or_a_bracket_late() {
    let mut event = event(6, System::Knockout { replays: 1 });
    let late = Entrant { first_round: Some(RoundNo(2)), ..Entrant::new(EntrantNo(7), "迟到者", "") };
    assert!(event.enter(late).unwrap_err().to_string().contains("no place for it"));
}
