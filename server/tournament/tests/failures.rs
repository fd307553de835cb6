//! What went wrong elsewhere: one test for each report about pairing or ranking in other programs, named after what it shows.
//! The table in the README says which report it is.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;

use tournament::{
    Column, Entrant, EntrantNo, Event, EventData, FloatCause, LadderKey, Options, Pairing, PairingError,
    Points, Reason, ResultEntry, ResultKind, RoundNo, TableNo, Warning, check_pairing, pair_round, standings,
};
use xiangqi::BySide;

fn no(number: u16) -> EntrantNo {
    EntrantNo(number)
}

fn event(entrants: u16, rounds: u16) -> Event {
    with_options(entrants, rounds, Options::default())
}

fn with_options(entrants: u16, rounds: u16, options: Options) -> Event {
    let field = (1..=entrants).map(|number| Entrant::new(no(number), format!("P{number}"), ""));
    Event::new(EventData { rounds, entrants: field.collect(), options, ..EventData::default() }).unwrap()
}

fn game(round: u16, table: u16, red: u16, black: u16, score: [u32; 2]) -> ResultEntry {
    let score = BySide { red: Points(score[0]), black: Points(score[1]) };
    ResultEntry::played(RoundNo(round), TableNo(table), no(red), no(black), score)
}

/// Records games of a round as `(red, black, red's points)`.
fn round(event: &mut Event, round: u16, games: &[(u16, u16, u32)]) {
    for (&(red, black, points), table) in games.iter().zip(1..) {
        event.record(game(round, table, red, black, [points, 2 - points])).unwrap();
    }
}

/// Plays proposed rounds until one is left; the smaller number wins.
fn play_on(event: &mut Event, rounds: u16) {
    for round in event.last_round().next().0..=rounds {
        let proposal = pair_round(event, RoundNo(round)).unwrap();
        for pair in proposal.pairings {
            let result = match pair.black {
                Some(black) => {
                    let points = if pair.red < black { [2, 0] } else { [0, 2] };
                    game(round, pair.table.0, pair.red.0, black.0, points)
                }
                None => ResultEntry::bye(RoundNo(round), pair.red, Points(2)),
            };
            event.record(result).unwrap();
        }
    }
}

fn pairs(event: &Event, round: u16) -> BTreeSet<(u16, u16)> {
    let proposal = pair_round(event, RoundNo(round)).unwrap();
    let games = proposal.pairings.iter().filter_map(|pair| Some((pair.red, pair.black?)));
    games.map(|(red, black)| (red.min(black).0, red.max(black).0)).collect()
}

fn bye(event: &Event, round: u16) -> Option<u16> {
    let proposal = pair_round(event, RoundNo(round)).unwrap();
    proposal.pairings.iter().find(|pair| pair.black.is_none()).map(|pair| pair.red.0)
}

fn rank(event: &Event, after: u16, number: u16) -> u16 {
    standings(event, RoundNo(after)).rows.iter().find(|row| row.no == no(number)).unwrap().rank
}

fn figure(event: &Event, key: LadderKey, after: u16, number: u16) -> String {
    let standing = standings(event, RoundNo(after));
    let column = standing.ladder.0.iter().position(|&rung| rung == key).unwrap();
    standing.rows.iter().find(|row| row.no == no(number)).unwrap().figures[column].unwrap().to_string()
}

#[test]
fn f01_the_withdrawn_are_never_paired_and_an_empty_hall_is_said_so() {
    let mut event = event(4, 5);
    play_on(&mut event, 1);
    for number in [2, 3, 4] {
        event.withdraw(no(number), RoundNo(2)).unwrap();
    }
    let error = pair_round(&event, RoundNo(2)).unwrap_err();
    assert_eq!(error, PairingError::TooFew { round: RoundNo(2), present: 1 });
    event.readmit(no(4)).unwrap();
    assert_eq!(pairs(&event, 2), BTreeSet::from([(1, 4)]));
}

#[test]
fn f02_no_rematch_while_a_complete_pairing_without_one_exists() {
    let mut event = event(6, 5);
    play_on(&mut event, 4);
    let met: BTreeSet<(u16, u16)> = event
        .data()
        .results
        .iter()
        .map(|result| (result.red.0.min(result.black.unwrap().0), result.red.0.max(result.black.unwrap().0)))
        .collect();
    assert_eq!(met.len(), 12, "no rematch in four rounds");
    assert!(pairs(&event, 5).is_disjoint(&met));
}

#[test]
fn f03_leaders_who_have_met_are_told_so() {
    let mut event = event(4, 3);
    round(&mut event, 1, &[(1, 2, 1), (4, 3, 1)]);
    round(&mut event, 2, &[(1, 3, 2), (2, 4, 2)]);
    // 1 and 2 lead with 3 points each and have met.
    let proposal = pair_round(&event, RoundNo(3)).unwrap();
    let first = &proposal.pairings[0];
    assert!(
        first.reasons.iter().any(|reason| matches!(reason, Reason::Float { cause: FloatCause::MetAll, .. })),
        "{first:?}"
    );
    let words: Vec<String> = first.reasons.iter().map(|reason| reason.words().zh).collect();
    assert!(words.iter().any(|words| words.contains("已交过手")), "{words:?}");
}

#[test]
fn f05_f34_a_round_has_one_result_of_each_entrant_and_table() {
    let mut event = event(4, 3);
    event.record(game(1, 1, 1, 2, [2, 0])).unwrap();
    assert!(event.record(game(1, 1, 1, 2, [2, 0])).unwrap_err().to_string().contains("already has a result"));
    assert!(event.record(game(1, 1, 3, 4, [2, 0])).unwrap_err().to_string().contains("table 1 already"));
    assert!(matches!(pair_round(&event, RoundNo(1)), Err(PairingError::HasResults { .. })));
}

#[test]
fn f06_f07_f30_nobody_has_a_second_bye_while_another_can_have_it() {
    let mut event = event(5, 5);
    play_on(&mut event, 5);
    let byes: Vec<EntrantNo> = event
        .data()
        .results
        .iter()
        .filter(|result| result.kind == ResultKind::Bye)
        .map(|result| result.red)
        .collect();
    assert_eq!(byes.len(), 5);
    assert_eq!(byes.iter().collect::<BTreeSet<_>>().len(), 5, "everybody once: {byes:?}");
}

#[test]
fn f07_a_walk_over_bars_from_the_bye_where_the_event_says_so() {
    for bars in [false, true] {
        let mut event = with_options(3, 3, Options { forfeit_win_bars_bye: bars, ..Options::default() });
        event.record(ResultEntry { kind: ResultKind::Forfeit, ..game(1, 1, 1, 2, [0, 2]) }).unwrap();
        event.record(ResultEntry::bye(RoundNo(1), no(3), Points(2))).unwrap();
        event.record(ResultEntry { kind: ResultKind::Forfeit, ..game(2, 1, 1, 3, [2, 0]) }).unwrap();
        event.record(ResultEntry::absent(RoundNo(2), no(2))).unwrap();
        event.record(ResultEntry::absent(RoundNo(3), no(3))).unwrap();
        // Only 1 and 2 are here, so there is no bye; with 3 back, 3 has had one, and 1 and 2 had walk-overs.
        assert_eq!(bye(&event, 3), None);
        let mut data = event.data().clone();
        data.results.pop();
        let event = Event::new(data).unwrap();
        let proposal = pair_round(&event, RoundNo(3)).unwrap();
        assert_eq!(proposal.needs_confirmation(), bars, "with all barred a second bye must be confirmed");
    }
}

#[test]
fn f08_f10_a_bye_is_a_bye_whatever_it_is_worth() {
    let mut event = event(3, 3);
    event.record(game(1, 1, 1, 2, [2, 0])).unwrap();
    event.record(ResultEntry::bye(RoundNo(1), no(3), Points(1))).unwrap();
    assert_eq!(figure(&event, LadderKey::Points, 1, 3), "1");
    assert_eq!(bye(&event, 2), Some(2), "3 has had its bye");
}

#[test]
fn f12_f22_standings_are_computed_from_the_results_each_time() {
    let mut event = event(3, 3);
    event.record(ResultEntry::bye(RoundNo(1), no(3), Points(2))).unwrap();
    assert_eq!(figure(&event, LadderKey::Wins, 1, 3), "1");
    event.enter(Entrant::new(no(4), "late", "")).unwrap();
    event.correct(game(1, 2, 3, 4, [0, 2])).unwrap();
    assert_eq!(figure(&event, LadderKey::Wins, 1, 3), "0");
    assert_eq!(figure(&event, LadderKey::Wins, 1, 4), "1");
}

#[test]
fn f13_the_bye_goes_to_the_lowest_without_whom_the_rest_can_be_paired() {
    let mut event = event(5, 4);
    round(&mut event, 1, &[(1, 2, 2), (4, 3, 2)]);
    event.record(ResultEntry::bye(RoundNo(1), no(5), Points(2))).unwrap();
    round(&mut event, 2, &[(5, 1, 0), (2, 4, 0)]);
    event.record(ResultEntry::bye(RoundNo(2), no(3), Points(2))).unwrap();
    // 2 is last with no points and has had no bye.
    assert_eq!(bye(&event, 3), Some(2));
    // If 3 may meet nobody but 2, 2 is needed. 5 and 3 have had byes; without 4, 1 and 5 are left, who have met. So it is 1.
    let forbidden = [1, 4, 5].map(|other| [no(3), no(other)]).to_vec();
    let options = Options { forbidden, ..Options::default() };
    let event = Event::new(EventData { options, ..event.data().clone() }).unwrap();
    assert_eq!(bye(&event, 3), Some(1));
}

#[test]
fn f14_there_are_as_many_byes_as_the_field_is_odd() {
    for entrants in 2..12 {
        let event = event(entrants, 3);
        let byes = pair_round(&event, RoundNo(1))
            .unwrap()
            .pairings
            .iter()
            .filter(|pair| pair.black.is_none())
            .count();
        assert_eq!(byes, usize::from(entrants % 2));
    }
}

#[test]
fn f15_a_bye_makes_no_difference_to_who_is_met() {
    // 5 and 6 had byes, 1 and 4 won; all have 2 points. Neighbours meet, bye or not.
    let mut event = event(6, 4);
    round(&mut event, 1, &[(1, 2, 2), (3, 4, 0)]);
    event.record(ResultEntry::bye(RoundNo(1), no(5), Points(2))).unwrap();
    event.record(ResultEntry::bye(RoundNo(1), no(6), Points(2))).unwrap();
    assert_eq!(pairs(&event, 2), BTreeSet::from([(1, 4), (5, 6), (2, 3)]));
}

#[test]
fn f16_the_order_inside_a_score_is_the_number_unless_the_event_says_otherwise() {
    let file = |order: &str| {
        Event::from_json(&format!(
            r#"{{"rounds":5,"entrants":[{}],"options":{{"order":"{order}"}},"results":[
            {{"round":1,"table":1,"red":1,"black":2,"score":[1,1],"kind":"played"}},
            {{"round":1,"table":2,"red":4,"black":3,"score":[1,1],"kind":"played"}},
            {{"round":1,"table":3,"red":5,"black":6,"score":[1,1],"kind":"forfeit"}}]}}"#,
            (1..=6).map(|n| format!(r#"{{"no":{n},"name":"P"}}"#)).collect::<Vec<_>>().join(",")
        ))
    };
    let said = file("number").unwrap_err().to_string();
    assert!(said.contains("results[2].score"), "a drawn forfeit is refused: {said}");
    let mut by_number = event(6, 5);
    round(&mut by_number, 1, &[(1, 2, 1), (4, 3, 1), (5, 6, 1)]);
    let random = |seed| {
        let options = Options { order: tournament::OrderKey::Random, seed, ..Options::default() };
        pairs(&Event::new(EventData { options, ..by_number.data().clone() }).unwrap(), 2)
    };
    assert_eq!(random(1), random(1), "the same lots each time");
    assert!((0..20).any(|seed| random(seed) != random(1)));
}

#[test]
fn f17_f19_absent_withdrawn_and_not_yet_entered_are_different_things() {
    let mut event = event(6, 5);
    event.record(ResultEntry::absent(RoundNo(1), no(1))).unwrap();
    event.withdraw(no(2), RoundNo(1)).unwrap();
    let late = Entrant { first_round: Some(RoundNo(2)), ..Entrant::new(no(7), "late", "") };
    event.enter(late).unwrap();
    assert_eq!(pairs(&event, 1), BTreeSet::from([(3, 4), (5, 6)]));
    play_on(&mut event, 1);
    let paired: BTreeSet<u16> = pairs(&event, 2).into_iter().flat_map(|(a, b)| [a, b]).collect();
    assert_eq!(paired, BTreeSet::from([1, 3, 4, 5, 6, 7]));
}

#[test]
fn f20_pairs_made_by_hand_count_as_met() {
    let mut event = event(4, 3);
    play_on(&mut event, 1);
    event.enter(Entrant { first_round: Some(RoundNo(2)), ..Entrant::new(no(5), "late", "") }).unwrap();
    event.enter(Entrant { first_round: Some(RoundNo(2)), ..Entrant::new(no(6), "late", "") }).unwrap();
    round(&mut event, 2, &[(5, 6, 1), (1, 4, 2), (2, 3, 2)]);
    assert!(!pairs(&event, 3).contains(&(5, 6)));
}

#[test]
fn f21_a_newcomer_takes_the_place_of_the_bye() {
    let mut event = event(3, 3);
    event.record(game(1, 1, 1, 2, [2, 0])).unwrap();
    event.record(ResultEntry::bye(RoundNo(1), no(3), Points(2))).unwrap();
    let newcomer = event.next_free_number();
    event.enter(Entrant::new(newcomer, "late", "")).unwrap();
    let replaced = event.correct(game(1, 2, 3, newcomer.0, [1, 1])).unwrap();
    assert_eq!(replaced[0].kind, ResultKind::Bye);
    assert_eq!(
        event.result_of(RoundNo(1), no(1)).unwrap().score.red,
        Points(2),
        "other tables are not touched"
    );
}

#[test]
fn f23_f44_the_withdrawn_keep_their_results_and_rank() {
    let mut event = event(6, 5);
    play_on(&mut event, 2);
    event.withdraw(no(1), RoundNo(3)).unwrap();
    play_on(&mut event, 5);
    assert_eq!(standings(&event, RoundNo(5)).rows.len(), 6);
    assert_eq!(figure(&event, LadderKey::Points, 5, 1), "4");
    // Opponents go on counting with what they have now, not with what they had when 1 left.
    let opponents: u32 = event
        .data()
        .results
        .iter()
        .filter_map(|result| match (result.red == no(1), result.black == Some(no(1))) {
            (true, _) => result.black,
            (_, true) => Some(result.red),
            _ => None,
        })
        .map(|other| figure(&event, LadderKey::Points, 5, other.0).parse::<u32>().unwrap())
        .sum();
    assert_eq!(figure(&event, LadderKey::Opponents, 5, 1), opponents.to_string());
}

#[test]
fn f24_a_withdrawal_after_pairing_shows_in_the_check() {
    let mut event = event(4, 3);
    let proposal = pair_round(&event, RoundNo(1)).unwrap();
    assert!(check_pairing(&event, RoundNo(1), &proposal.pairings).unwrap().is_empty());
    event.withdraw(no(4), RoundNo(1)).unwrap();
    let warnings = check_pairing(&event, RoundNo(1), &proposal.pairings).unwrap();
    assert!(warnings.contains(&Warning::NotPresent(no(4))), "{warnings:?}");
}

#[test]
fn f26_a_house_player_fills_in_only_where_the_others_are_odd() {
    let mut event = event(5, 3);
    event.enter(Entrant { house: true, ..Entrant::new(no(9), "house", "") }).unwrap();
    assert_eq!(pairs(&event, 1), BTreeSet::from([(1, 2), (3, 4), (5, 9)]));
    event.record(ResultEntry::absent(RoundNo(1), no(5))).unwrap();
    assert_eq!(pairs(&event, 1), BTreeSet::from([(1, 2), (3, 4)]));
}

#[test]
fn f27_an_impossible_pairing_names_who_is_in_the_way() {
    let forbidden = [2, 3, 4].map(|other| [no(1), no(other)]).to_vec();
    let mut event = with_options(4, 3, Options { forbidden, ..Options::default() });
    round(&mut event, 1, &[(1, 2, 2), (4, 3, 2)]);
    let error = pair_round(&event, RoundNo(2)).unwrap_err();
    assert_eq!(error, PairingError::Impossible { round: RoundNo(2), stuck: vec![no(1)] });
    assert!(error.to_string().ends_with("in the way: 1"), "{error}");
}

#[test]
fn f28_f29_the_last_round_of_a_small_event_is_paired_without_repeats() {
    for entrants in [4, 6, 8] {
        let mut event = event(entrants, entrants - 1);
        play_on(&mut event, entrants - 1);
        let mut met = BTreeSet::new();
        let repeats = event.data().results.iter().filter(|result| {
            let (a, b) = (result.red, result.black.unwrap());
            !met.insert((a.min(b), a.max(b)))
        });
        // A round robin's number of rounds: the engine looks one round ahead, not to the end, so late rounds may repeat,
        // but then each repeat was reported for confirmation.
        let repeats: BTreeSet<RoundNo> = repeats.map(|result| result.round).collect();
        for round in event.rounds().up_to() {
            let results = event.data().results.iter().filter(|result| result.round < round).copied();
            let data = EventData { results: results.collect(), ..event.data().clone() };
            let proposal = pair_round(&Event::new(data).unwrap(), round).unwrap();
            assert_eq!(proposal.needs_confirmation(), repeats.contains(&round));
        }
    }
}

#[test]
fn f31_drawn_games_are_paired_by_whole_points() {
    let mut event = event(6, 5);
    round(&mut event, 1, &[(1, 2, 1), (4, 3, 2), (5, 6, 1)]);
    // 4 has 2; 1, 2, 5, 6 have 1; 3 has 0: 4 floats to 1 point, one of 1 point to 3.
    let proposal = pair_round(&event, RoundNo(2)).unwrap();
    let floats: Vec<_> = proposal
        .pairings
        .iter()
        .flat_map(|pair| &pair.reasons)
        .filter_map(
            |reason| {
                if let Reason::Float { from, to, .. } = reason { Some((from.0, to.0)) } else { None }
            },
        )
        .collect();
    assert_eq!(floats, [(2, 1), (1, 0)]);
}

#[test]
fn f33_tables_go_by_score_then_sum_then_number() {
    let mut event = event(6, 5);
    round(&mut event, 1, &[(1, 2, 1), (4, 3, 2), (5, 6, 1)]);
    let proposal = pair_round(&event, RoundNo(2)).unwrap();
    let sums: Vec<u32> = proposal
        .pairings
        .iter()
        .map(|pair| {
            let points = |of: EntrantNo| figure(&event, LadderKey::Points, 1, of.0).parse::<u32>().unwrap();
            10 * points(pair.red).max(points(pair.black.unwrap()))
                + points(pair.red)
                + points(pair.black.unwrap())
        })
        .collect();
    assert!(sums.is_sorted_by(|a, b| a >= b), "{sums:?}");
}

#[test]
fn f35_f37_a_correction_changes_standings_and_later_pairings_but_no_round_played() {
    let mut event = event(4, 3);
    play_on(&mut event, 2);
    let of_round_2: Vec<ResultEntry> =
        event.data().results.iter().filter(|result| result.round == RoundNo(2)).copied().collect();
    let before = pairs(&event, 3);
    let replaced = event.correct(game(1, 1, 1, 2, [0, 2])).unwrap();
    assert_eq!(replaced, [game(1, 1, 1, 2, [2, 0])]);
    assert_eq!(figure(&event, LadderKey::Points, 1, 2), "2");
    let now: Vec<ResultEntry> =
        event.data().results.iter().filter(|result| result.round == RoundNo(2)).copied().collect();
    assert_eq!(of_round_2, now);
    assert_eq!(before.len(), pairs(&event, 3).len());
}

#[test]
fn f41_f42_an_open_game_counts_for_nothing_and_is_named() {
    let mut event = event(4, 3);
    event.record(game(1, 1, 1, 2, [2, 0])).unwrap();
    let standing = standings(&event, RoundNo(1));
    assert_eq!(standing.open, [no(3), no(4)]);
    assert_eq!(figure(&event, LadderKey::Opponents, 1, 3), "0");
    let error = pair_round(&event, RoundNo(2)).unwrap_err();
    assert_eq!(error, PairingError::Unfinished { round: RoundNo(1), entrants: vec![no(3), no(4)] });
}

#[test]
fn f43_direct_encounter_compares_exact_equals_only() {
    let mut data = event(4, 3).data().clone();
    data.ladder = tournament::Ladder(vec![LadderKey::Points, LadderKey::Direct]);
    let mut event = Event::new(data).unwrap();
    round(&mut event, 1, &[(2, 1, 2), (3, 4, 2)]);
    round(&mut event, 2, &[(1, 4, 2), (2, 3, 0)]);
    round(&mut event, 3, &[(1, 3, 2), (4, 2, 0)]);
    // 1, 2 and 3 have 4 points and have all met: 2 beat 1, 3 beat 2, 1 beat 3: nothing separates them.
    assert_eq!([1, 2, 3].map(|number| rank(&event, 3, number)), [1, 1, 1]);
    event.correct(game(3, 1, 1, 3, [1, 1])).unwrap();
    // Now 3 has 5, 2 has 4, 1 has 3.
    assert_eq!([1, 2, 3].map(|number| rank(&event, 3, number)), [3, 2, 1]);
}

#[test]
fn f45_every_column_says_what_it_shows() {
    for key in LadderKey::ALL {
        let heading = Column::Now { key }.heading();
        assert!(!heading.zh.is_empty() && !heading.en.is_empty());
    }
    assert_eq!(Column::Now { key: LadderKey::Opponents }.heading().zh, "对手分");
    assert_eq!(Column::Now { key: LadderKey::Progressive }.heading().zh, "累进分");
}

#[test]
fn f47_games_not_played_give_no_colour() {
    let mut event = event(4, 3);
    event.record(ResultEntry { kind: ResultKind::Forfeit, ..game(1, 1, 1, 2, [2, 0]) }).unwrap();
    event.record(game(1, 2, 4, 3, [2, 0])).unwrap();
    // 4 had Red in a game, 1 only on paper: 1 gets Red because 4 alternates.
    let proposal = pair_round(&event, RoundNo(2)).unwrap();
    assert_eq!((proposal.pairings[0].red, proposal.pairings[0].black), (no(1), Some(no(4))));
    assert_eq!(figure(&event, LadderKey::BlackGames, 1, 2), "0");
}

#[test]
fn f48_colours_of_round_1_follow_the_table_after_absentees_are_taken_out() {
    let mut event = event(5, 3);
    event.record(ResultEntry::absent(RoundNo(1), no(1))).unwrap();
    let seats: Vec<_> = pair_round(&event, RoundNo(1))
        .unwrap()
        .pairings
        .iter()
        .map(|p| (p.red.0, p.black.unwrap().0))
        .collect();
    assert_eq!(seats, [(2, 3), (5, 4)]);
}

#[test]
fn f49_f50_colours_reversed_at_the_table_are_the_colours_stored() {
    let mut event = event(4, 3);
    round(&mut event, 1, &[(1, 2, 2), (4, 3, 2)]);
    event.correct(game(1, 1, 2, 1, [0, 2])).unwrap();
    assert_eq!(figure(&event, LadderKey::BlackGames, 1, 1), "1");
    assert_eq!(figure(&event, LadderKey::Points, 1, 1), "2");
    // 1 had Black, 4 Red: they change.
    let proposal = pair_round(&event, RoundNo(2)).unwrap();
    assert_eq!((proposal.pairings[0].red, proposal.pairings[0].black), (no(1), Some(no(4))));
}

#[test]
fn f52_a_pairing_by_hand_is_warned_of_everything_and_compared() {
    let mut event = event(5, 5);
    round(&mut event, 1, &[(1, 2, 2), (4, 3, 2)]);
    event.record(ResultEntry::bye(RoundNo(1), no(5), Points(2))).unwrap();
    let hand = |table: u16, red: u16, black: Option<u16>| Pairing {
        table: TableNo(table),
        red: no(red),
        black: black.map(no),
        reasons: vec![],
    };
    let by_hand = [hand(1, 2, Some(1)), hand(1, 3, Some(7)), hand(2, 5, None)];
    let warnings = check_pairing(&event, RoundNo(2), &by_hand).unwrap();
    for expected in [
        Warning::Rematch(no(2), no(1)),
        Warning::TableTwice(TableNo(1)),
        Warning::Unknown(no(7)),
        Warning::LeftOut(no(4)),
        Warning::SecondBye(no(5)),
    ] {
        assert!(warnings.contains(&expected), "{expected:?} in {warnings:?}");
    }
    assert!(warnings.iter().any(|warning| matches!(warning, Warning::Differs(..))));
    let proposal = pair_round(&event, RoundNo(2)).unwrap();
    let mut turned = proposal.pairings.clone();
    let black = turned[0].black.unwrap();
    turned[0] = Pairing { red: black, black: Some(turned[0].red), ..turned[0].clone() };
    let warnings = check_pairing(&event, RoundNo(2), &turned).unwrap();
    assert!(warnings.contains(&Warning::ColoursDiffer(proposal.pairings[0].red, black)), "{warnings:?}");
}

#[test]
fn f52_a_third_colour_by_hand_is_warned_of() {
    let mut event = event(6, 5);
    round(&mut event, 1, &[(1, 2, 2), (4, 3, 2), (5, 6, 2)]);
    round(&mut event, 2, &[(1, 3, 2), (4, 6, 2), (5, 2, 2)]);
    let hand = |table: u16, red: u16, black: u16| Pairing {
        table: TableNo(table),
        red: no(red),
        black: Some(no(black)),
        reasons: vec![],
    };
    let by_hand = [hand(1, 1, 4), hand(2, 2, 6), hand(3, 3, 5)];
    let warnings = check_pairing(&event, RoundNo(3), &by_hand).unwrap();
    assert!(warnings.contains(&Warning::ThirdColour(no(1))), "{warnings:?}");
}

#[test]
fn f54_the_number_of_rounds_can_change_but_not_below_what_was_played() {
    let mut event = event(4, 2);
    play_on(&mut event, 2);
    assert!(matches!(pair_round(&event, RoundNo(3)), Err(PairingError::RoundOutside { .. })));
    event.set_rounds(3).unwrap();
    assert!(pair_round(&event, RoundNo(3)).is_ok());
    assert!(event.set_rounds(1).unwrap_err().to_string().contains("round 2 is outside"));
    assert_eq!(event.rounds(), RoundNo(3));
}

#[test]
fn f57_every_rank_comes_with_every_figure() {
    let mut event = event(6, 3);
    play_on(&mut event, 3);
    for row in standings(&event, RoundNo(3)).rows {
        let missing = row.figures.iter().filter(|figure| figure.is_none()).count();
        assert_eq!(missing, 1, "only 前一轮 is no figure of its own");
    }
}

#[test]
fn f59_teams_are_paired_by_match_points_not_by_board_points() {
    let mut event = event(4, 3);
    let boards = |home: u32, away: u32| {
        let points = BySide { red: Points(home), black: Points(away) };
        Some(tournament::BoardTally { points, wins: BySide { red: 0, black: 0 } })
    };
    event.record(ResultEntry { boards: boards(6, 4), ..game(1, 1, 1, 2, [2, 0]) }).unwrap();
    event.record(ResultEntry { boards: boards(10, 0), ..game(1, 2, 4, 3, [2, 0]) }).unwrap();
    assert_eq!(pairs(&event, 2), BTreeSet::from([(1, 4), (2, 3)]));
    assert!(event.record(ResultEntry { boards: boards(0, 10), ..game(2, 1, 1, 4, [2, 0]) }).is_err());
}
