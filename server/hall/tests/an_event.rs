//! An event from the opening to the standing, over tables without noise.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test binary uses its part")]
mod venue;

use arbitration::{AlertCode, Ending, GameResult, Offence, Outcome};
use capture::PlyNo;
use firmware_proto::{Command, Observation, PlayerSignal, Sighting};
use hall::view::GameStatus;
use hall::{Act, Hall, Input};
use tournament::RoundNo;
use venue::{Venue, arbiter};
use xiangqi::Side;

/// Both cannons on the middle file mate (重炮).
const MATE: &str = "h2e2 a9a8 e2e6 a8a9 b2b4 i9i8 b4e4";

fn ended(venue: &Venue, table: usize) -> Option<(GameResult, Ending)> {
    match venue.game(table).status {
        GameStatus::Finished(outcome) => Some((outcome.result, outcome.ending)),
        GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending | GameStatus::Withheld => None,
    }
}

#[test]
fn a_game_is_recorded_as_it_was_played() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2 h9g7 h0g2 i9h9 g3g4 c6c5 e2e6 g7e6");
    assert_eq!(venue.moves(0), "h2e2 h9g7 h0g2 i9h9 g3g4 c6c5 e2e6 g7e6");
    let game = venue.game(0);
    assert_eq!(game.plies[0].zh, "炮二平五");
    assert_eq!(game.plies[1].zh, "马８进７");
    assert_eq!(game.plies[0].used_ms, Some(3_200));
    assert!(game.plies[6].capture);
    assert_eq!(game.status, GameStatus::Playing);
    assert_eq!(venue.hall.alert_view().open, []);
}

#[test]
fn a_resignation_ends_the_game_stops_its_clock_and_counts() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2 h9g7");
    let resign = venue.tables[0].signal(Side::Red, PlayerSignal::Resign, venue.now);
    venue.observe(vec![resign]);
    venue.pass(1_000);
    assert_eq!(ended(&venue, 0), Some((GameResult::BlackWins, Ending::Resignation)));
    assert_eq!(venue.game(0).clocks.running, None);
    let standing = venue.hall.standing_view().unwrap();
    assert_eq!((standing.rows[0].values[0].as_str(), standing.rows[1].values[0].as_str()), ("2", "0"));
    assert!(venue.hall.event_view().unwrap().finished);
}

#[test]
fn a_draw_is_agreed_when_both_say_so() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2 h9g7");
    let offer = venue.tables[0].signal(Side::Black, PlayerSignal::Draw, venue.now);
    venue.observe(vec![offer]);
    venue.pass(1_000);
    assert_eq!(venue.hall.alert_view().open[0].code, AlertCode::DrawOffer);
    let accepted = venue.tables[0].signal(Side::Red, PlayerSignal::Draw, venue.now);
    venue.observe(vec![accepted]);
    venue.pass(1_000);
    assert_eq!(ended(&venue, 0), Some((GameResult::Draw, Ending::Agreement)));
    assert_eq!(venue.hall.alert_view().open, []);
}

#[test]
fn the_first_flag_loses() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2");
    let flag = venue.tables[0].flag(Side::Black, venue.now);
    venue.observe(vec![flag]);
    venue.pass(1_000);
    assert_eq!(ended(&venue, 0), Some((GameResult::RedWins, Ending::Flag)));
}

#[test]
fn mate_on_the_board_ends_the_game_without_a_press() {
    let mut venue = Venue::started(1, 2, 1);
    let (before, mating) = MATE.split_at(MATE.len() - 4);
    venue.play(0, before);
    venue.pass(1_000);
    let mut hand = venue.tables[0].play(mating.parse().unwrap(), venue.now);
    hand.pop(); // the press
    venue.pass(800);
    venue.observe(hand);
    assert_eq!(ended(&venue, 0), None, "a hand may still rest there");
    venue.pass(5_000);
    assert_eq!(ended(&venue, 0), Some((GameResult::RedWins, Ending::Checkmate)));
}

#[test]
fn rounds_follow_one_another_without_rematches() {
    let mut venue = Venue::started(2, 4, 3);
    let mut met = Vec::new();
    for round in 1..=3 {
        if round > 1 {
            venue.next_round();
        }
        for pairing in venue.hall.round_view(RoundNo(round)).unwrap().pairings {
            let mut pair = [pairing.red.no, pairing.black.unwrap().no];
            pair.sort();
            assert!(!met.contains(&pair), "{pair:?} meet twice");
            met.push(pair);
        }
        for table in 0..2 {
            venue.play(table, "h2e2");
            let resign = venue.tables[table].signal(Side::Black, PlayerSignal::Resign, venue.now);
            venue.observe(vec![resign]);
            venue.pass(1_000);
        }
    }
    assert_eq!(met.len(), 6);
    assert!(venue.hall.event_view().unwrap().finished);
}

#[test]
fn a_restart_in_mid_game_gives_the_same_state_and_concludes_nothing_twice() {
    let mut venue = Venue::started(2, 4, 1);
    venue.play(0, "h2e2 h9g7 h0g2 i9h9");
    venue.play(1, MATE.split_at(24).0.trim());
    let restarted = venue.restarted();
    for table in 0..2 {
        let round = RoundNo(1);
        assert_eq!(
            restarted.game_view(round, venue.tables[table].no).unwrap().plies,
            venue.game(table).plies
        );
    }
    assert_eq!(restarted.standing_view(), venue.hall.standing_view());
    venue.hall = restarted;
    venue.play(0, "g3g4");
    venue.beat(0);
    assert_eq!(venue.moves(0), "h2e2 h9g7 h0g2 i9h9 g3g4");
}

#[test]
fn what_was_played_while_the_board_was_unplugged_is_taken_in_in_order() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2 h9g7");
    let board = venue.tables[0].board();
    venue.observe(vec![Observation { device: board, at: venue.now, sighting: Sighting::Detached }]);
    venue.pass(2_000);
    assert_eq!(venue.hall.alert_view().open[0].code, AlertCode::BoardDown);
    // Two plies meanwhile: the clock tells its presses at once, the board keeps what it sensed.
    let mut kept = Vec::new();
    for mv in ["h0g2", "i9h9"] {
        venue.pass(3_000);
        let (clock, sensed): (Vec<_>, Vec<_>) = venue.tables[0]
            .play(mv.parse().unwrap(), venue.now)
            .into_iter()
            .partition(|observation| observation.device != board);
        kept.extend(sensed);
        venue.pass(1_200);
        venue.observe(clock);
    }
    venue.pass(2_000);
    assert_eq!(venue.moves(0), "h2e2 h9g7");
    let hello = venue.tables[0].hello(true, venue.now);
    venue.observe(vec![hello]);
    venue.observe(kept);
    venue.pass(1_000);
    assert_eq!(venue.moves(0), "h2e2 h9g7 h0g2 i9h9");
    assert_eq!(venue.hall.alert_view().open, []);
}

#[test]
fn what_was_played_while_the_board_was_down_is_caught_up_from_its_first_image() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2 h9g7");
    let board = venue.tables[0].board();
    venue.observe(vec![Observation { device: board, at: venue.now, sighting: Sighting::Detached }]);
    // Four plies meanwhile, of which the board keeps nothing: its supply was cut.
    for mv in ["e2e6", "b9c7", "e6e5", "i9i8"] {
        venue.pass(3_000);
        let played = venue.tables[0].play(mv.parse().unwrap(), venue.now);
        venue.pass(1_200);
        venue.observe(played.into_iter().filter(|observation| observation.device != board).collect());
    }
    venue.pass(2_000);
    assert_eq!(venue.moves(0), "h2e2 h9g7");
    let back = venue.tables[0].reset_board(venue.now);
    venue.observe(back);
    venue.pass(3_000);
    let open = venue.hall.alert_view().open;
    assert_eq!(open.iter().map(|one| one.code).collect::<Vec<_>>(), [AlertCode::LostMove], "several orders");
    venue.act(Act::Remedy { alert: open[0].id, choice: 0, why: "双方同意".into() });
    venue.play(0, "h0g2");
    assert!(
        venue.moves(0).starts_with("h2e2 h9g7 ") && venue.moves(0).ends_with(" h0g2"),
        "{}",
        venue.moves(0)
    );
    assert_eq!(venue.game(0).plies.len(), 7);
    venue.restarted();
}

#[test]
fn a_gateway_that_goes_raises_one_alert_and_its_return_clears_it() {
    let mut venue = Venue::started(2, 4, 1);
    for table in 0..2 {
        venue.play(table, "h2e2");
    }
    let id = firmware_proto::GatewayId::new("hall-1").unwrap();
    for up in [true, false, false] {
        let out = venue.hall.handle(Input::Gateway { id: id.clone(), up }, venue.now).unwrap();
        venue.journal.extend(out.entries);
    }
    let open = venue.hall.alert_view().open;
    assert_eq!(open.iter().map(|alert| alert.code).collect::<Vec<_>>(), [AlertCode::GwDown]);
    let out = venue.hall.handle(Input::Gateway { id, up: true }, venue.now).unwrap();
    assert_eq!(venue.hall.alert_view().open, []);
    assert!(!out.entries.is_empty());
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let mut hall = Hall::new(hall::SKEW);
    let now = firmware_proto::Epoch(0);
    let refused =
        |hall: &mut Hall, act| hall.handle(Input::Act(act, arbiter()), now).unwrap_err().to_string();
    assert_eq!(refused(&mut hall, Act::Draw), "the event is not open");
    assert_eq!(refused(&mut hall, Act::Pair), "the numbers are not drawn");
    let open =
        |regulation: &str| Act::Open { title: "x".into(), rounds: 3, regulation: regulation.into(), seed: 1 };
    assert!(refused(&mut hall, open("q")).contains("“q”"));
    hall.handle(Input::Act(open("b"), arbiter()), now).unwrap();
    assert_eq!(refused(&mut hall, open("a")), "the event is open already");
}

#[test]
fn an_arbiter_corrects_a_ply_and_a_restart_keeps_the_correction() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2 h9g7 h0g2");
    let table = venue.tables[0].no;
    venue.act(Act::Correct { table, from: PlyNo(3), line: vec!["h0i2".parse().unwrap()] });
    assert_eq!(venue.moves(0), "h2e2 h9g7 h0i2");
    assert!(venue.game(0).plies[2].irregular);
    let restarted = venue.restarted();
    assert_eq!(restarted.game_view(RoundNo(1), table).unwrap().plies, venue.game(0).plies);
    let beyond = Act::Correct { table, from: PlyNo(9), line: Vec::new() };
    assert!(venue.hall.handle(Input::Act(beyond, arbiter()), venue.now).is_err());
}

#[test]
fn setting_a_clock_is_one_command_for_the_device_with_both_times_and_the_increment() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2");
    let table = venue.tables[0].no;
    let out =
        venue.act(Act::SetClock { table, red_ms: 60_000, black_ms: 120_000, running: Some(Side::Black) });
    let [outgoing] = out.commands[..] else { panic!("one command, not {:?}", out.commands) };
    assert_eq!(outgoing.device, venue.tables[0].clock());
    let Command::SetClock(setting) = outgoing.command else { panic!("{:?}", outgoing.command) };
    assert_eq!((setting.face.left.a.0, setting.face.left.b.0, setting.increment.0), (60_000, 120_000, 5_000));
    assert_eq!(out.entries[0].by, arbiter());
    let all = venue.act(Act::Pause(Vec::new()));
    assert_eq!(all.commands.iter().map(|one| one.command).collect::<Vec<_>>(), [Command::Pause]);
}

#[test]
fn a_11_three_fouls_are_proposed_as_a_loss_and_one_can_be_taken_back() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2");
    let table = venue.tables[0].no;
    let offence = Offence::PressWithoutMove;
    let foul = |given| Act::Foul { table, side: Side::Red, given, offence, why: String::new() };
    let open =
        |venue: &Venue| venue.hall.alert_view().open.iter().map(|alert| alert.code).collect::<Vec<_>>();
    venue.act(foul(true));
    assert_eq!(open(&venue), []);
    venue.act(foul(true));
    assert_eq!(open(&venue), [AlertCode::FoulEdge]);
    venue.act(foul(true));
    assert_eq!(open(&venue), [AlertCode::FoulLimit]);
    assert_eq!(ended(&venue, 0), None, "a loss is proposed, not imposed");
    venue.act(foul(false));
    assert_eq!(open(&venue), [AlertCode::FoulEdge]);
    assert_eq!(venue.game(0).fouls, [2, 0]);
}

#[test]
fn an_end_is_taken_back_and_the_game_goes_on() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2 h9g7");
    let resign = venue.tables[0].signal(Side::Red, PlayerSignal::Resign, venue.now);
    venue.observe(vec![resign]);
    venue.pass(1_000);
    let table = venue.tables[0].no;
    venue.act(Act::Reopen(table));
    assert_eq!(ended(&venue, 0), None);
    assert_eq!(venue.hall.standing_view().unwrap().rows[0].values[0], "0");
    venue.play(0, "h0g2");
    assert_eq!(venue.moves(0), "h2e2 h9g7 h0g2");
    venue.restarted();
}

#[test]
fn a_result_corrected_two_rounds_back_changes_the_standing_and_no_pairing() {
    let mut venue = Venue::started(2, 4, 3);
    for round in 1..=2 {
        if round > 1 {
            venue.next_round();
        }
        for table in 0..2 {
            venue.play(table, "h2e2");
            let resign = venue.tables[table].signal(Side::Black, PlayerSignal::Resign, venue.now);
            venue.observe(vec![resign]);
            venue.pass(1_000);
        }
    }
    venue.next_round();
    let pairings = |venue: &Venue| {
        let view = venue.hall.round_view(RoundNo(3)).unwrap();
        view.pairings.iter().map(|one| (one.red.no, one.black.as_ref().unwrap().no)).collect::<Vec<_>>()
    };
    let (before, standing) = (pairings(&venue), venue.hall.standing_view());
    let outcome = Outcome { result: GameResult::BlackWins, ending: Ending::Ruling };
    venue.act(Act::Result { round: RoundNo(1), table: venue.tables[0].no, outcome });
    assert_ne!(venue.hall.standing_view(), standing);
    assert_eq!(pairings(&venue), before);
}
