//! What an arbiter has to hear of, and that the game goes on.

mod hands;

use capture::{Finding, Irregularity, PlyNo, PlyState};
use firmware_proto::{Epoch, SensingKind};
use hands::{Table, moves};
use xiangqi::Side;

#[test]
fn an_illegal_move_is_recorded_and_the_game_goes_on() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    // A chariot goes diagonally.
    table.play("a0b1");
    table.wait(2_000);
    assert_eq!(table.tracker.plies()[2].irregular, Some(Irregularity::Illegal));
    table.play("b9c7");
    table.play("b1c1");
    assert_eq!(table.moves(), "h2e2 h9g7 a0b1 b9c7 b1c1");
}

#[test]
fn a_move_that_exposes_the_own_general_is_told_apart_from_a_breach() {
    let mut table = Table::started(SensingKind::Colour);
    // The advisor makes itself the screen over which Red's cannon attacks its general.
    table.play_all("h2e2 h9g7 e2e6 d9e8");
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7 e2e6 d9e8");
    assert_eq!(table.tracker.plies()[3].irregular, Some(Irregularity::ExposesGeneral));
}

#[test]
fn two_plies_by_one_side_are_followed() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7 h0g2");
    table.wait(1_000);
    table.carry("b0c2");
    table.wait(3_000);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 b0c2");
    assert_eq!(table.tracker.plies()[3].irregular, Some(Irregularity::OutOfTurn));
}

#[test]
fn no_hand_puts_two_pieces_down_at_once() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    let (horse, other) = (table.lift("h0"), table.lift("b0"));
    table.wait(250);
    table.place("g2", horse);
    table.wait(20);
    table.place("c2", other);
    table.wait(400);
    table.press(Side::Red);
    table.wait(3_000);
    assert_eq!(table.tracker.plies().len(), 3, "{}", table.moves());
    assert_eq!(table.said(|finding| matches!(finding, Finding::Mismatch { .. })).len(), 1);
}

#[test]
fn a_press_without_a_move_is_told_once() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    table.press(Side::Red);
    table.wait(4_000);
    let told = table.said(|finding| matches!(finding, Finding::PressWithoutMove(Side::Red, _)));
    assert_eq!(told.len(), 1);
}

#[test]
fn a_press_just_before_the_piece_stands_is_no_press_without_a_move() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    let man = table.lift("h2");
    table.wait(300);
    table.press(Side::Red);
    table.wait(150);
    table.place("e2", man);
    table.wait(3_000);
    assert_eq!(table.moves(), "h2e2");
    assert_eq!(table.state(1), PlyState::Confirmed);
    assert!(table.said(|finding| matches!(finding, Finding::PressWithoutMove(..))).is_empty());
}

#[test]
fn a_touched_piece_that_is_not_played_is_told() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    let man = table.lift("b0");
    table.wait(900);
    table.place("b0", man);
    table.wait(500);
    table.play("h2e2");
    let told = table.said(|finding| matches!(finding, Finding::TouchMove { .. }));
    let expected =
        Finding::TouchMove { side: Side::Red, touched: "b0".parse().unwrap(), played: PlyNo(1), held: 900 };
    assert_eq!(told, [&expected]);
}

#[test]
fn a_wrong_set_up_is_named_before_the_clock_starts() {
    let mut table = Table::standing(SensingKind::Type);
    let (horse, elephant) = (table.lift("b0"), table.lift("c0"));
    table.place("b0", elephant);
    table.place("c0", horse);
    table.wait(4_000);
    let told = table.said(|finding| matches!(finding, Finding::SetUp { .. }));
    assert!(matches!(told[..], [Finding::SetUp { wrong }] if wrong.len() == 2), "{told:?}");
    assert!(table.moves().is_empty());
}

#[test]
fn nothing_is_recorded_after_the_end() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    let end = table.now;
    // The result arrives late: a ply was played on the board meanwhile.
    table.wait(2_000);
    table.carry("h0g2");
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2");
    let found = table.tracker.close(Epoch(end));
    assert!(found.contains(&Finding::Withdrawn(PlyNo(3))), "{found:?}");
    table.play_all("b9c7 a0a1");
    assert_eq!(table.moves(), "h2e2 h9g7");
}

#[test]
fn kings_put_on_the_centre_after_the_end_are_no_move() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    let now = Epoch(table.now);
    table.tracker.close(now);
    let general = table.lift("e0");
    table.place("e1", general);
    table.wait(5_000);
    assert_eq!(table.moves(), "h2e2 h9g7");
}

#[test]
fn a_correction_is_followed_by_what_was_seen_after_it() {
    let mut table = Table::started(SensingKind::Occupancy);
    table.play_all("h2e2 h9g7 h0g2 b9c7");
    table.forget();
    let now = Epoch(table.now);
    // The arbiter says that ply 3 was another move; the board shows what was seen, so it is said to differ.
    let found = table.tracker.correct(PlyNo(3), &moves("h0i2"), now);
    assert!(found.contains(&Finding::Withdrawn(PlyNo(3))));
    assert_eq!(table.tracker.plies()[2].irregular, Some(Irregularity::Entered));
    assert_eq!(table.moves(), "h2e2 h9g7 h0i2 b9c7");
}

#[test]
fn plies_taken_back_by_the_arbiter_stay_back_when_the_board_is_set_up_again() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7 h0g2");
    let now = Epoch(table.now);
    table.tracker.correct(PlyNo(3), &[], now);
    table.wait(500);
    assert_eq!(table.moves(), "h2e2 h9g7");
    table.carry("g2h0");
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7");
    table.play("b0c2");
    assert_eq!(table.moves(), "h2e2 h9g7 b0c2");
}

#[test]
fn records_that_come_late_are_put_in_their_place() {
    let mut table = Table::started(SensingKind::Colour);
    table.play("h2e2");
    table.wait(2_000);
    // The board's link is down: Black's move and Red's reply come after both presses.
    let down = table.now;
    table.wait(1_000);
    table.press(Side::Black);
    table.wait(3_000);
    table.press(Side::Red);
    table.wait(1_000);
    let up = table.now;
    table.now = down;
    table.carry("h9g7");
    table.now = down + 2_000;
    table.carry("h0g2");
    table.now = up;
    table.wait(1_000);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2");
    assert_eq!(table.state(3), PlyState::Confirmed);
}

#[test]
fn a_point_that_senses_no_more_is_named() {
    // The horse's point shows nothing from the beginning.
    let mut table = Table::standing_without(SensingKind::Colour, "b0");
    table.see(capture::What::ClockUp);
    table.wait(1_000);
    table.press(Side::Black);
    table.wait(1_000);
    table.play_all("h2e2 h9g7 h0g2 i9h9 i0h0 b9c7");
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7");
    let told = table.said(|finding| matches!(finding, Finding::BadPoint { .. }));
    assert_eq!(told, [&Finding::BadPoint { point: "b0".parse().unwrap(), stuck: false }]);
}

#[test]
fn the_same_log_gives_the_same_findings_however_often_time_is_told() {
    let script = |step: i64| {
        let mut table = Table::started(SensingKind::Colour);
        for mv in ["h2e2", "h9g7", "h0g2", "b9c7"] {
            for _ in 0..2_000 / step {
                table.wait(step);
            }
            let side = if table.tracker.plies().len().is_multiple_of(2) { Side::Red } else { Side::Black };
            table.carry(mv);
            table.press(side);
        }
        table.wait(5_000);
        table.said
    };
    assert_eq!(script(10), script(2_000));
}

#[test]
fn a_point_that_never_sensed_is_named_three_plies_after_the_start() {
    let mut table = Table::standing_without(SensingKind::Colour, "i9");
    table.see(capture::What::ClockUp);
    table.wait(1_000);
    table.press(Side::Black);
    table.play_all("h2e2 h9g7 h0g2");
    table.wait(2_000);
    let told = table.said(|finding| matches!(finding, Finding::BadPoint { .. }));
    assert_eq!(told, [&Finding::BadPoint { point: "i9".parse().unwrap(), stuck: false }]);
}

#[test]
fn an_end_that_is_told_late_cuts_what_hands_did_after_it() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7 h0g2");
    let ended = table.now;
    table.wait(1_000);
    // They look at another line and put the pieces together; nobody presses.
    table.carry("i9i8");
    table.wait(3_000);
    table.carry("g2f4");
    table.wait(3_000);
    for point in ["e2", "e9", "a0", "a9"] {
        table.lift(point);
        table.wait(300);
    }
    let said = table.tracker.close(Epoch(ended));
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2");
    assert!(said.iter().all(|finding| !matches!(finding, Finding::Mismatch { .. })), "{said:?}");
}

/// A game that was given up, and then a move on its board.
fn given_up() -> Table {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.see(capture::What::Signalled(Side::Red, firmware_proto::PlayerSignal::Resign));
    table.carry("h0g2");
    table.wait(10_000);
    assert_eq!(table.moves(), "h2e2 h9g7");
    table
}

#[test]
fn presses_in_the_analysis_after_a_resignation_bring_nothing_into_the_record() {
    let mut table = given_up();
    table.press(Side::Red);
    table.wait(1_000);
    table.carry("b9c7");
    table.press(Side::Black);
    table.wait(5_000);
    assert_eq!(table.moves(), "h2e2 h9g7");
}

#[test]
fn a_resignation_that_was_a_mistake_is_over_when_the_clock_is_made_to_run() {
    let mut table = given_up();
    let times = xiangqi::BySide::both(firmware_proto::Millis(600_000));
    table.see(capture::What::ClockSet(times, Some(Side::Red)));
    table.press(Side::Red);
    table.wait(1_000);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2");
}

#[test]
fn a_resignation_that_nobody_heeds_for_a_minute_ends_nothing() {
    let mut table = given_up();
    table.wait(60_000);
    table.press(Side::Red);
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2");
}

/// A piece that had slipped off its point before says nothing against what is moved.
#[test]
fn an_illegal_move_is_told_though_another_piece_is_not_sensed() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    table.lift("i6");
    table.wait(8_000);
    table.carry("a0b1");
    table.press(Side::Red);
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7 a0b1");
    assert_eq!(table.tracker.plies()[2].irregular, Some(Irregularity::Illegal));
    assert!(table.said(|finding| matches!(finding, Finding::PressWithoutMove(..))).is_empty());
}

#[test]
fn an_illegal_move_is_told_though_its_piece_slips_before_the_press() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    let chariot = table.lift("a0");
    table.wait(400);
    table.place("b1", chariot);
    table.wait(200);
    table.lift("b1");
    table.wait(200);
    table.press(Side::Red);
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7 a0b1");
    assert_eq!(table.tracker.plies()[2].irregular, Some(Irregularity::Illegal));
}

#[test]
fn who_moves_a_piece_of_the_opponent_and_presses_has_pressed_for_that() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    table.carry("b9c7");
    table.wait(500);
    table.press(Side::Red);
    table.wait(3_000);
    assert_eq!(table.moves(), "h2e2 h9g7 b9c7");
    assert_eq!(table.tracker.plies()[2].irregular, Some(Irregularity::OutOfTurn));
    assert!(table.said(|finding| matches!(finding, Finding::PressWithoutMove(..))).is_empty());
}

/// While a player has a piece in his hand, the opponent plays nothing: what he lifted he has played.
#[test]
fn an_answer_to_a_ply_that_no_sensor_shows_is_no_second_ply() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    table.lift("h0");
    table.wait(400);
    table.press(Side::Red);
    table.play("i9h9");
    table.wait(3_000);
    assert_eq!(table.tracker.plies().len(), 4, "{}", table.moves());
    assert!(table.tracker.plies().iter().all(|ply| ply.irregular.is_none()), "{}", table.moves());
}

/// The clock runs again: play goes on, and the piece is not waited for.
#[test]
fn plies_are_read_after_a_take_back_though_a_piece_is_not_sensed() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7 h0g2");
    table.wait(2_000);
    let times = xiangqi::BySide::both(firmware_proto::Millis(600_000));
    table.see(capture::What::ClockSet(times, None));
    let now = Epoch(table.now);
    table.tracker.correct(PlyNo(3), &[], now);
    table.wait(1_000);
    let horse = table.lift("g2");
    table.wait(400);
    table.place("h0", horse);
    table.lift("i6");
    table.wait(2_000);
    table.see(capture::What::ClockSet(times, Some(Side::Red)));
    table.play_all("b0c2 b9c7");
    table.wait(1_000);
    assert_eq!(table.moves(), "h2e2 h9g7 b0c2 b9c7");
    assert_eq!(table.state(4), PlyState::Confirmed);
}

/// The horse has slipped off its point and is moved: nobody sees it leave or come.
#[test]
fn a_press_for_a_piece_that_is_not_sensed_is_read_once_it_is_answered() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    table.lift("b9");
    table.wait(8_000);
    table.play("i0i1");
    table.wait(4_000);
    table.press(Side::Black);
    table.wait(2_000);
    assert_eq!(table.said(|finding| matches!(finding, Finding::PressWithoutMove(..))).len(), 1);
    table.wait(2_000);
    table.carry("h0g2");
    table.press(Side::Red);
    table.wait(2_000);
    assert_eq!(table.tracker.plies().len(), 5, "{}", table.moves());
    assert!(table.moves().starts_with("h2e2 h9g7 i0i1 b9"), "{}", table.moves());
    assert!(table.moves().ends_with("h0g2"), "{}", table.moves());
    assert!(table.tracker.in_doubt());
}

/// Black takes up his soldier and presses, and it shows nowhere, though all points sense. Red's chariot goes where it stood:
/// that answers him, and takes nothing.
#[test]
fn a_ply_that_answers_a_piece_which_nothing_shows_is_not_out_of_turn() {
    let mut table = Table::started_from(SensingKind::Colour, "3k5/9/9/9/9/9/2p4R1/9/9/4K4 w - - 0 1");
    let soldier = table.lift("c3");
    for point in ["b3", "d3", "c2", "c3"] {
        table.place(point, soldier);
        table.wait(3_000);
        table.lift(point);
    }
    table.place("c3", soldier);
    table.wait(60_000);
    table.play("e0e1");
    table.wait(3_000);
    table.lift("c3");
    table.wait(900);
    table.press(Side::Black);
    table.wait(13_000);
    table.carry("h3c3");
    table.wait(800);
    table.press(Side::Red);
    table.wait(3_000);
    table.carry("d9d8");
    table.press(Side::Black);
    table.wait(3_000);
    let plies = table.tracker.plies();
    assert!(table.moves().ends_with("h3c3 d9d8") && plies.len() == 4, "{}", table.moves());
    assert!(plies.iter().all(|ply| ply.irregular.is_none()));
}
