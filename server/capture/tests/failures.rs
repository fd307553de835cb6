//! What went wrong on other systems' boards, and does not here. The numbers are those of FAILURES.md, which names the
//! tests of the reports that are not here.

mod hands;

use capture::{Finding, Irregularity, PlyNo, Seating};
use firmware_proto::{Cell, Epoch, Half, SensingKind};
use hands::{Table, moves};
use xiangqi::Side;

/// F01, F03.
#[test]
fn generals_put_on_the_centre_to_show_the_result_are_cut_from_the_record() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    let end = table.now;
    table.wait(3_000);
    // Both are legal moves of generals.
    table.carry("e0e1");
    table.wait(2_000);
    table.carry("e9e8");
    table.wait(4_000);
    table.tracker.close(Epoch(end));
    assert_eq!(table.moves(), "h2e2 h9g7");
}

/// F02.
#[test]
fn a_general_that_moved_last_is_not_moved_on_by_whoever_shows_the_result() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h0g2 e9e8");
    table.wait(1_000);
    let end = table.now;
    table.wait(2_000);
    table.carry("e8e7");
    table.wait(3_000);
    table.tracker.close(Epoch(end));
    assert_eq!(table.moves(), "h0g2 e9e8");
}

/// A game ends on the board when its last piece was placed; a bouncing contact tells only later that it was lifted.
#[test]
fn a_mating_piece_that_is_told_to_be_lifted_after_it_was_placed_stays_in_the_record() {
    for late in [10, 60, 110] {
        let before = "9/6R1C/3k1a3/2P1R4/9/9/5r3/4B4/4A2c1/r1BAK2N1 w";
        let mut table = Table::started_from(SensingKind::Colour, before);
        table.wait(5_000);
        let placed = table.now;
        table.place("d6", firmware_proto::Reading(1));
        table.wait(late);
        table.lift("c6");
        table.wait(2_500);
        assert_eq!(table.state(1), capture::PlyState::Confirmed);
        table.tracker.close(Epoch(placed));
        assert_eq!(table.moves(), "c6d6", "the lift came {late} ms late");
    }
}

/// F10.
#[test]
fn a_capture_is_read_whatever_the_order_of_its_reports() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    // The cannon's new point is reported before its old one, and the target is never reported empty.
    let cannon = firmware_proto::Reading(1);
    table.place("h8", cannon);
    table.wait(60);
    table.place("h9", cannon);
    table.wait(200);
    table.lift("h2");
    table.wait(60);
    table.lift("h8");
    table.wait(300);
    table.press(Side::Red);
    table.wait(1_500);
    assert_eq!(table.moves(), "h2h9");
}

/// F22.
#[test]
fn an_illegal_move_is_told_within_two_seconds_of_its_press() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    table.carry("b0b1");
    table.press(Side::Red);
    table.forget();
    table.wait(2_000);
    let irregular = |ply: &capture::PlyRead| ply.irregular == Some(Irregularity::Illegal);
    assert!(table.tracker.plies().iter().any(irregular), "{:?}", table.tracker.plies());
}

/// F27.
#[test]
fn the_start_position_in_mid_game_is_no_new_game() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7 h0g2 b9c7");
    table.wait(1_000);
    for back in ["c7b9", "g2h0", "g7h9", "e2h2"] {
        table.carry(back);
    }
    table.wait(6_000);
    assert!(table.moves().starts_with("h2e2 h9g7"), "{}", table.moves());
    assert!(table.tracker.plies().len() >= 4, "{}", table.moves());
}

/// F27, F30.
#[test]
fn all_plies_can_be_taken_back_and_more_than_once() {
    let mut table = Table::started(SensingKind::Colour);
    for _ in 0..2 {
        table.play_all("h2e2 h9g7");
        table.wait(1_000);
        let now = Epoch(table.now);
        table.tracker.correct(PlyNo(1), &[], now);
        table.carry("g7h9");
        table.carry("e2h2");
        table.wait(2_000);
        assert_eq!(table.moves(), "");
    }
    table.play_all("c3c4 h9g7");
    assert_eq!(table.moves(), "c3c4 h9g7");
}

/// F28. Which piece stands where, a colour board cannot sense; the first move that cannot be tells.
#[test]
fn horse_and_elephant_swapped_at_the_set_up_are_told_by_their_first_move() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    // The horse stands on the elephant's point.
    table.play("c0d2");
    table.wait(2_000);
    assert_eq!(table.moves(), "c0d2");
    assert_eq!(table.tracker.plies()[0].irregular, Some(Irregularity::Illegal));
}

/// F29.
#[test]
fn the_move_after_a_correction_is_followed() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7 h0g2");
    table.wait(1_000);
    let now = Epoch(table.now);
    table.tracker.correct(PlyNo(3), &moves("h0i2"), now);
    // The board is put as the arbiter says.
    table.carry("g2i2");
    table.wait(2_000);
    table.carry("b9c7");
    table.press(Side::Black);
    table.wait(1_500);
    assert_eq!(table.moves(), "h2e2 h9g7 h0i2 b9c7");
}

/// F31. The start position looks the same from both sides; that Black seems to move first tells.
#[test]
fn an_occupancy_board_that_lies_the_wrong_way_round_is_told_by_the_first_ply() {
    let mut table = Table::started(SensingKind::Occupancy);
    table.wait(2_000);
    // Red plays h2e2.
    table.carry("b7e7");
    table.press(Side::Red);
    table.wait(3_000);
    let irregular = |finding: &Finding| matches!(finding, Finding::Read(ply) if ply.irregular == Some(Irregularity::OutOfTurn));
    let told = table.said(|finding| irregular(finding) || matches!(finding, Finding::Mismatch { .. }));
    assert!(!told.is_empty(), "{:?}", table.said);
}

/// F34.
#[test]
fn points_are_turned_once_by_the_seating_and_nowhere_else() {
    let seating = Seating { red: Half::B };
    for cell in Cell::all() {
        assert_eq!(seating.cell(seating.point(cell)), cell);
        assert_eq!(seating.point(cell), Seating { red: Half::A }.point(cell).rotated());
    }
    assert_eq!((seating.side(Half::A), seating.side(Half::B)), (Side::Black, Side::Red));
}

/// F41.
#[test]
fn a_change_that_was_lost_is_made_up_for_by_the_next_image() {
    let mut table = Table::started(SensingKind::Colour);
    table.play("h2e2");
    table.wait(2_000);
    table.carry_unseen("h9g7");
    table.press(Side::Black);
    table.wait(3_000);
    table.image();
    table.wait(1_000);
    table.play_all("h0g2 b9c7");
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 b9c7");
}

/// F42.
#[test]
fn the_first_image_is_all_it_takes_to_be_in_step() {
    let mut table = Table::standing(SensingKind::Colour);
    table.see(capture::What::ClockUp);
    table.wait(1_000);
    assert_eq!(table.said(|finding| matches!(finding, Finding::SetUpRight)).len(), 1);
}

/// F44.
#[test]
fn a_board_that_is_away_while_its_player_thinks_ends_nothing() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.see(capture::What::BoardDown);
    table.wait(20 * 60_000);
    table.see(capture::What::BoardUp(SensingKind::Colour));
    table.image();
    table.wait(1_000);
    table.play_all("h0g2 b9c7");
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 b9c7");
    assert!(!table.tracker.in_doubt());
}

/// F50.
#[test]
fn a_piece_that_comes_and_goes_on_its_point_makes_no_ply() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    for _ in 0..8 {
        let man = table.lift("e9");
        table.wait(70);
        table.place("e9", man);
        table.wait(400);
    }
    table.play_all("h0g2 b9c7");
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 b9c7");
}

/// F52.
#[test]
fn a_piece_that_slips_off_its_point_starts_no_move_of_another() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(500);
    let slipped = table.lift("g7");
    table.wait(1_000);
    table.play_all("h0g2 b9c7");
    table.place("g7", slipped);
    table.wait(1_000);
    table.play_all("b0c2 g7e8");
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 b9c7 b0c2 g7e8");
}

/// F33.
#[test]
fn a_clock_that_stands_the_wrong_way_round_is_said_to_after_four_plies() {
    let turned = |table: &Table| table.said(|finding| matches!(finding, Finding::ClockTurned(..))).len();
    let mut table = Table::started(SensingKind::Colour);
    // Each player pushes the lever beside him, which the clock takes for the other's.
    let plies = [("h2e2", Side::Black), ("h9g7", Side::Red), ("h0g2", Side::Black), ("i9h9", Side::Red)];
    for (index, (mv, lever)) in plies.into_iter().enumerate() {
        assert_eq!(turned(&table), 0, "{index} plies may be slips");
        table.carry(mv);
        table.wait(400);
        table.press(lever);
        table.wait(800);
    }
    assert_eq!(turned(&table), 1);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 i9h9", "what was played is read all the same");
}

/// F33, and a player who presses too early or for his opponent now and then.
#[test]
fn one_press_of_who_had_moved_shows_that_the_clock_stands_right() {
    let mut table = Table::started(SensingKind::Colour);
    table.play("h2e2");
    for (mv, lever) in
        [("h9g7", Side::Red), ("h0g2", Side::Black), ("i9h9", Side::Red), ("g3g4", Side::Black)]
    {
        table.carry(mv);
        table.wait(400);
        table.press(lever);
        table.wait(800);
    }
    assert!(table.said(|finding| matches!(finding, Finding::ClockTurned(..))).is_empty());
}
