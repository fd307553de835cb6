//! However a move is made, it is read: gestures that other boards were reported to stumble over.

mod hands;

use capture::{Finding, Irregularity, PlyState};
use firmware_proto::{Reading, SensingKind};
use hands::Table;
use xiangqi::Side;

const KINDS: [SensingKind; 4] =
    [SensingKind::Occupancy, SensingKind::Colour, SensingKind::Type, SensingKind::Identity];

#[test]
fn a_game_is_read_by_every_kind_of_board() {
    for kind in KINDS {
        let mut table = Table::started(kind);
        let game = "h2e2 h9g7 h0g2 i9h9 e2e6 a9a8";
        table.play_all(game);
        assert_eq!(table.moves(), game, "{kind:?}");
        assert_eq!(table.state(1), PlyState::Locked, "{kind:?}");
        assert_eq!(table.state(6), PlyState::Confirmed, "{kind:?}");
        assert_eq!(
            table.said(|f| matches!(f, Finding::Mismatch { .. } | Finding::Disturbed { .. })),
            [] as [&Finding; 0]
        );
    }
}

#[test]
fn a_slide_that_rests_on_a_legal_point_is_one_ply() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    let man = table.lift("a0");
    table.place("a1", man);
    // Long enough to be read as a move of its own: whoever stops at a1 has not pressed.
    table.wait(500);
    assert_eq!(table.moves(), "a0a1");
    table.lift("a1");
    table.place("a2", man);
    table.wait(600);
    table.press(Side::Red);
    table.wait(300);
    assert_eq!(table.moves(), "a0a2");
    assert_eq!(table.state(1), PlyState::Confirmed);
}

#[test]
fn a_completed_ply_is_not_extended_by_a_later_displacement_of_its_piece() {
    let mut table = Table::started(SensingKind::Colour);
    table.play("a0a1");
    table.wait(1_000);
    let man = table.lift("a1");
    table.place("a2", man);
    table.wait(3_000);
    // Pressed is pressed: what the piece does now is no part of that ply, but one out of turn, and told as such.
    assert_eq!(table.moves(), "a0a1 a1a2");
    assert_eq!(table.tracker.plies()[1].irregular, Some(Irregularity::OutOfTurn));
}

#[test]
fn the_captured_piece_may_be_lifted_first() {
    for kind in KINDS {
        let mut table = Table::started(kind);
        table.play_all("h2e2 h9g7");
        table.wait(2_000);
        table.lift("e6");
        table.wait(400);
        let man = table.lift("e2");
        table.wait(400);
        table.place("e6", man);
        table.wait(400);
        table.press(Side::Red);
        table.wait(300);
        assert_eq!(table.moves(), "h2e2 h9g7 e2e6", "{kind:?}");
    }
}

#[test]
fn a_swap_that_never_leaves_the_point_empty_is_a_capture() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    let man = table.lift("e2");
    table.wait(300);
    table.place("e6", man);
    table.wait(400);
    table.press(Side::Red);
    table.wait(300);
    assert_eq!(table.moves(), "h2e2 h9g7 e2e6");
}

#[test]
fn holding_a_piece_is_no_capture_on_an_occupancy_board() {
    let mut table = Table::started(SensingKind::Occupancy);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    let man = table.lift("e2");
    table.wait(8_000);
    assert_eq!(table.moves(), "h2e2 h9g7");
    table.place("e1", man);
    table.wait(500);
    table.press(Side::Red);
    table.wait(300);
    assert_eq!(table.moves(), "h2e2 h9g7 e2e1");
}

#[test]
fn a_lifted_piece_that_returns_is_no_ply() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    for point in ["b2", "h9", "e9"] {
        let man = table.lift(point);
        table.wait(700);
        table.place(point, man);
        table.wait(700);
    }
    assert_eq!(table.moves(), "");
    table.play("h2e2");
    assert_eq!(table.moves(), "h2e2");
}

#[test]
fn move_and_reply_without_a_pause_are_two_plies() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    let cannon = table.lift("h2");
    table.wait(60);
    table.place("e2", cannon);
    table.wait(30);
    table.press(Side::Red);
    table.wait(20);
    let horse = table.lift("h9");
    table.wait(60);
    table.place("g7", horse);
    table.wait(30);
    table.press(Side::Black);
    table.wait(500);
    assert_eq!(table.moves(), "h2e2 h9g7");
}

#[test]
fn capture_and_recapture_without_a_pause_are_two_plies() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7 h0g2 b9c7");
    table.wait(2_000);
    let cannon = table.lift("e2");
    table.lift("e6");
    table.wait(50);
    table.place("e6", cannon);
    table.wait(60);
    table.press(Side::Red);
    let horse = table.lift("g7");
    table.lift("e6");
    table.wait(50);
    table.place("e6", horse);
    table.wait(70);
    table.press(Side::Black);
    table.wait(600);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 b9c7 e2e6 g7e6");
}

#[test]
fn a_flickering_point_makes_no_move() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(1_000);
    for _ in 0..20 {
        let man = table.lift("e3");
        table.wait(40);
        table.place("e3", man);
        table.wait(200);
    }
    table.place("e5", Reading(1));
    table.wait(150);
    table.lift("e5");
    table.wait(500);
    assert_eq!(table.moves(), "");
}

#[test]
fn the_first_move_can_be_taken_back_before_the_press() {
    let mut table = Table::started(SensingKind::Colour);
    table.carry("h2e2");
    assert_eq!(table.moves(), "h2e2");
    table.carry("e2h2");
    table.wait(2_000);
    assert_eq!(table.moves(), "");
    table.play("b2e2");
    assert_eq!(table.moves(), "b2e2");
}

#[test]
fn a_ply_is_confirmed_by_the_press_and_locked_two_plies_later() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    table.carry("h2e2");
    assert_eq!(table.state(1), PlyState::Provisional);
    table.press(Side::Red);
    assert_eq!(table.state(1), PlyState::Confirmed);
    table.play_all("h9g7 h0g2");
    assert_eq!(table.state(1), PlyState::Locked);
}

#[test]
fn a_press_while_the_piece_is_on_its_way_to_another_point_completes_the_point_it_reaches() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    let man = table.lift("h2");
    table.wait(300);
    table.place("h4", man);
    table.wait(900);
    table.lift("h4");
    table.wait(250);
    table.press(Side::Red);
    table.wait(100);
    table.place("e2", man);
    table.wait(3_000);
    assert_eq!(table.moves(), "h2e2");
}

#[test]
fn a_forgotten_press_is_made_up_for_by_the_reply() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    table.carry("h2e2");
    table.wait(5_000);
    table.carry("h9g7");
    table.wait(1_000);
    assert_eq!(table.moves(), "h2e2 h9g7");
    assert_eq!(table.state(1), PlyState::Confirmed);
}
