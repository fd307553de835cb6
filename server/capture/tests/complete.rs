//! When a ply is complete, and what is told if one that was confirmed is read otherwise later.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Doubt, Finding, PlyNo, PlyState};
use firmware_proto::{Epoch, PlayerSignal, SensingKind};
use hands::{Table, moves};
use xiangqi::Side;

/// Red's soldier has one move: it takes Black's. Red's chariot is free.
const ONE_CAPTURE: &str = "3k5/9/9/9/4p4/4P4/9/9/9/R3K4 w - - 0 1";

/// A swap in the hand shows nothing; its player has pressed, and nothing else could have been played.
#[test]
fn a_capture_without_a_trace_is_confirmed_soon_after_its_press() {
    let mut table = Table::started_from(SensingKind::Occupancy, ONE_CAPTURE);
    table.lift("e4");
    table.wait(300);
    table.press(Side::Red);
    table.wait(200);
    assert_eq!((table.moves().as_str(), table.state(1)), ("e4e5", PlyState::Provisional));
    table.wait(150);
    assert_eq!((table.moves().as_str(), table.state(1)), ("e4e5", PlyState::Confirmed));
}

/// Nobody presses for two plies: that both pieces rest where they were put is enough to read them.
#[test]
fn a_piece_that_rests_is_played_though_no_clock_was_pressed() {
    let mut table = Table::started(SensingKind::Colour);
    table.carry("h2e2");
    table.wait(2_000);
    let horse = table.lift("h9");
    table.wait(300);
    table.place("g7", horse);
    table.wait(300);
    assert_eq!(table.moves(), "h2e2 h9g7");
}

/// Red forgets the clock, Black takes a soldier without a trace and forgets it too. What the chariot does then is a ply of
/// its own, and not the end of one that took many seconds.
#[test]
fn a_piece_that_has_stood_for_seconds_was_played() {
    let mut table = Table::started_from(SensingKind::Occupancy, ONE_CAPTURE);
    table.carry("a0a1");
    table.wait(6_000);
    table.lift("e5");
    table.wait(5_000);
    table.carry("a1a2");
    table.press(Side::Red);
    table.wait(3_000);
    table.carry("d9d8");
    table.press(Side::Black);
    table.wait(3_000);
    assert_eq!(table.moves(), "a0a1 e5e4 a1a2 d9d8");
}

/// The chariot slips while Black is moving already. It is in no hand when Red resigns, and has taken nothing.
#[test]
fn a_piece_that_slips_in_the_opponents_time_is_in_no_hand_at_the_end() {
    let before = "3k5/9/9/9/9/9/9/r8/9/R2AK4 w - - 0 1";
    let mut table = Table::started_from(SensingKind::Occupancy, before);
    table.wait(1_000);
    let chariot = table.lift("a0");
    table.wait(300);
    table.place("b0", chariot);
    table.wait(70);
    table.press(Side::Red);
    let black = table.lift("a2");
    table.wait(200);
    table.lift("b0");
    table.wait(200);
    table.place("b2", black);
    table.wait(300);
    table.press(Side::Black);
    table.wait(3_000);
    table.see(capture::What::Signalled(Side::Red, PlayerSignal::Resign));
    let found = table.tracker.close(Epoch(table.now));
    table.said.extend(found);
    assert_eq!(table.moves(), "a0b0 a2b2");
}

/// Who takes his piece up again as he presses has not played it there.
#[test]
fn a_confirmed_ply_that_is_given_up_for_another_is_told() {
    let mut table = Table::started(SensingKind::Colour);
    let cannon = table.lift("h2");
    table.wait(300);
    table.place("e2", cannon);
    table.wait(400);
    table.press(Side::Red);
    assert_eq!(table.state(1), PlyState::Confirmed);
    table.wait(60);
    table.lift("e2");
    table.wait(400);
    table.place("f2", cannon);
    table.wait(3_000);
    table.play_all("h9g7 b0c2");
    assert_eq!(table.moves(), "h2f2 h9g7 b0c2");
    let revised = |finding: &Finding| {
        matches!(finding, Finding::Ambiguous { from: PlyNo(1), lines, doubt: Doubt::Revised, .. }
            if lines.get(1) == Some(&moves("h2e2")))
    };
    assert_eq!(table.said(revised).len(), 1, "{:?}", table.said);
}

#[test]
fn what_is_read_is_not_withdrawn_for_a_press_before_the_answer_stands() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    // Nobody presses for either ply, and Red presses with his next piece in his hand.
    table.carry("h0g2");
    table.wait(1_000);
    table.carry("c6c5");
    table.wait(890);
    let horse = table.lift("b0");
    table.wait(190);
    table.press(Side::Red);
    table.wait(90);
    table.place("c2", horse);
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 c6c5 b0c2");
    assert!(table.said(|finding| matches!(finding, Finding::Withdrawn(_))).is_empty());
}

/// Red's cannon is in his hand again as he presses, stands elsewhere for a moment and slips off there: it has not slipped
/// off the point where it was put first.
#[test]
fn a_piece_that_is_seen_elsewhere_after_its_player_pressed_was_put_there() {
    let mut table = Table::started(SensingKind::Colour);
    let cannon = table.lift("h2");
    table.wait(300);
    table.place("h4", cannon);
    table.wait(400);
    table.lift("h4");
    table.wait(200);
    table.press(Side::Red);
    table.wait(60);
    table.place("h5", cannon);
    table.wait(170);
    table.lift("h5");
    table.wait(8_000);
    table.play_all("h9g7 b0c2");
    assert_eq!(table.moves(), "h2h5 h9g7 b0c2", "{:?}", table.tracker.beliefs(4));
}
