//! Pieces that are not sensed where they stand, records that are lost, presses that come too soon.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Finding, PlyNo, PlyState, What};
use firmware_proto::{Epoch, PlayerSignal, Reading, SensingKind};
use hands::Table;
use xiangqi::Side;

/// On an occupancy board a slipped piece looks as if it had taken something without a trace.
#[test]
fn a_piece_that_slips_after_the_press_has_captured_nothing() {
    let mut table = Table::started(SensingKind::Occupancy);
    table.play_all("h2e2 h9g7");
    // The cannon goes to d2 and slips off it; it could have taken the soldier on e6.
    table.play("e2d2");
    table.wait(100);
    table.lift("d2");
    table.wait(6_000);
    assert_eq!(table.moves(), "h2e2 h9g7 e2d2");
    table.play_all("b9c7 h0g2");
    assert_eq!(table.moves(), "h2e2 h9g7 e2d2 b9c7 h0g2");
}

/// The points that a slide crosses are no better origins than the one where the piece stood unseen.
#[test]
fn a_slide_from_a_point_that_shows_nothing_begins_where_the_piece_stood() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("b2d2 b9c7");
    let cannon = table.lift("d2");
    table.wait(5_000);
    for point in ["e2", "f2"] {
        table.place(point, cannon);
        table.wait(60);
        table.lift(point);
    }
    table.place("g2", cannon);
    table.wait(400);
    table.press(Side::Red);
    table.wait(500);
    assert_eq!(table.moves(), "b2d2 b9c7 d2g2");
    assert!(!table.tracker.in_doubt());
}

/// Pressed while the hand still holds the piece: where it rested before is not where it is played.
#[test]
fn a_press_with_the_piece_in_the_air_confirms_nothing() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(1_000);
    let cannon = table.lift("h2");
    table.wait(200);
    table.place("f2", cannon);
    table.wait(1_000);
    table.lift("f2");
    table.wait(100);
    table.press(Side::Red);
    assert!(table.said(|finding| matches!(finding, Finding::Confirmed(..))).is_empty());
    table.wait(80);
    table.place("e2", cannon);
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2");
    assert_eq!(table.state(1), PlyState::Confirmed);
}

/// The placement that it answers is no evidence for a recapture on the same point.
#[test]
fn a_recapture_needs_a_placement_of_its_own() {
    let mut table = Table::started(SensingKind::Occupancy);
    table.play_all("h2e2 h9g7 e2e6");
    table.wait(2_000);
    // Black lifts the soldier beside and holds it: nothing is taken yet.
    table.lift("g6");
    table.wait(400);
    assert_eq!(table.moves(), "h2e2 h9g7 e2e6");
}

/// The point showed nothing, and the record says that it shows nothing now: the one in between was lost.
#[test]
fn a_lost_record_is_told_by_the_next_one_of_its_point() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    let chariot = table.lift("i0");
    table.wait(300);
    // The placement on i1 is lost; the chariot is taken from there again, and that arrives.
    table.press(Side::Red);
    table.wait(2_000);
    table.play("i9h9");
    table.wait(2_000);
    table.lift("i1");
    table.wait(300);
    table.place("d1", chariot);
    table.wait(400);
    table.press(Side::Red);
    table.wait(1_000);
    assert_eq!(table.moves(), "h2e2 h9g7 i0i1 i9h9 i1d1");
}

/// A chariot was put on one of several points that have shown nothing yet, and comes back from there: the position is
/// certain, where it had stood is not, and that stays open.
#[test]
fn lines_that_lead_to_one_position_stay_in_doubt() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("i0i1 i9i8");
    table.wait(2_000);
    let chariot = table.lift("i1");
    table.wait(400);
    table.press(Side::Red);
    table.wait(3_000);
    assert_eq!(table.said(|finding| matches!(finding, Finding::Ambiguous { .. })).len(), 1);
    table.play("i8h8");
    table.wait(2_000);
    table.place("i1", chariot);
    table.wait(400);
    table.press(Side::Red);
    table.wait(3_000);
    assert_eq!(table.tracker.plies().len(), 5);
    assert!(table.tracker.in_doubt());
    table.play("h9g7");
    table.tracker.close(Epoch(table.now));
    assert!(table.tracker.in_doubt());
}

/// A game before whose start these points have fallen silent; how they were named.
fn named_after_falling_silent(points: &str) -> Vec<Finding> {
    let mut table = Table::standing(SensingKind::Colour);
    table.see(capture::What::ClockUp);
    table.wait(500);
    for point in points.split_whitespace() {
        table.lift(point);
    }
    table.wait(5_000);
    table.press(Side::Black);
    table.wait(1_000);
    table.play_all("h2e2 h9g7 h0g2");
    table.wait(2_000);
    table.said(|finding| matches!(finding, Finding::BadPoint { .. })).into_iter().cloned().collect()
}

/// The piece that vanishes during the set-up proves nothing of its point.
#[test]
fn a_point_that_falls_silent_before_the_start_is_named() {
    let named = named_after_falling_silent("i9");
    assert_eq!(named, [Finding::BadPoint { point: "i9".parse().unwrap(), stuck: false }]);
}

/// They differed before anything was played: no line can be wrong for that.
#[test]
fn all_points_that_fall_silent_before_the_start_are_named() {
    assert_eq!(named_after_falling_silent("a9 i9").len(), 2);
}

/// It is not the point but the piece: Black's advisor, whose magnet is weak, goes from f9 to e8 and shows there no more.
#[test]
fn a_piece_that_has_never_shown_may_show_nowhere_else_either() {
    let mut table = Table::started_without(SensingKind::Colour, "f9");
    for mv in ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"] {
        table.wait(5_000);
        table.play(mv);
    }
    assert_eq!(table.said(|finding| matches!(finding, Finding::BadPoint { .. })).len(), 1);
    table.wait(5_000);
    table.press(Side::Black);
    for (mv, side) in [("b0c2", Side::Red), ("b9c7", Side::Black), ("g3g4", Side::Red)] {
        table.wait(5_000);
        table.carry(mv);
        table.press(side);
    }
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 i9h9 i0h0 f9e8 b0c2 b9c7 g3g4");
}

/// A chariot that can take a soldier or a cannon, neither of them guarded.
const TWO_CAPTURES: &str = "3k5/9/9/9/9/2p1R3c/9/9/9/4K4 w - - 0 1";

/// A swap in the hand shows nothing on an occupancy board: the capture that pays is read, and confirmed only when
/// further plies stand on it.
#[test]
fn of_two_captures_that_nobody_saw_the_one_that_pays_is_read() {
    let mut table = Table::started_from(SensingKind::Occupancy, TWO_CAPTURES);
    table.lift("e4");
    table.wait(600);
    table.press(Side::Red);
    table.wait(2_500);
    assert_eq!(table.moves(), "e4i4");
    assert_eq!(table.state(1), PlyState::Provisional);
    table.play_all("d9d8 e0e1");
    table.wait(2_000);
    assert_eq!(table.moves(), "e4i4 d9d8 e0e1");
    assert_eq!(table.state(1), PlyState::Confirmed);
}

/// The taken piece was dragged over a point beside its own: that says more than what would have paid.
#[test]
fn a_piece_that_is_carried_off_over_a_point_beside_tells_what_was_taken() {
    let mut table = Table::started_from(SensingKind::Occupancy, TWO_CAPTURES);
    let some = table.lift("e4");
    table.wait(600);
    table.place("c5", some);
    table.wait(60);
    table.lift("c5");
    table.wait(200);
    table.press(Side::Red);
    table.wait(2_500);
    assert_eq!(table.moves(), "e4c4");
}

/// A piece that was seen put down and slips is no piece that took another elsewhere.
#[test]
fn a_piece_that_was_put_down_and_slips_has_not_swapped_elsewhere() {
    let mut table = Table::started_from(SensingKind::Occupancy, TWO_CAPTURES);
    table.carry("e4e5");
    table.lift("e5");
    table.wait(200);
    table.press(Side::Red);
    table.wait(6_000);
    assert_eq!(table.moves(), "e4e5");
}

/// Sensors tell a short slide in the wrong order; that the piece was on the first point at all still counts.
#[test]
fn a_piece_that_slips_before_its_origin_lets_go_has_not_swapped_elsewhere() {
    let mut table = Table::started_from(SensingKind::Occupancy, TWO_CAPTURES);
    table.place("e5", Reading(1));
    table.wait(40);
    table.lift("e4");
    table.wait(150);
    table.lift("e5");
    table.wait(400);
    table.press(Side::Red);
    table.wait(6_000);
    assert_eq!(table.moves(), "e4e5");
}

/// What a hand is about to do with a piece tells more of a guess than what would have paid.
#[test]
fn a_guess_is_not_confirmed_while_a_piece_is_off_its_point() {
    let mut table = Table::started_from(SensingKind::Occupancy, TWO_CAPTURES);
    table.lift("e4");
    table.wait(600);
    table.press(Side::Red);
    table.wait(2_500);
    table.play("d9d8");
    table.wait(2_000);
    let general = table.lift("e0");
    table.wait(300);
    table.lift("c4");
    table.place("e1", general);
    table.wait(400);
    table.press(Side::Red);
    table.wait(100);
    assert_eq!(table.moves(), "e4i4 d9d8 e0e1");
    assert_eq!(table.state(1), PlyState::Provisional);
}

/// The piece stood when its player pressed: that it slips then holds nothing up.
#[test]
fn a_piece_that_slips_after_the_press_was_played_all_the_same() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(1_000);
    let cannon = table.lift("h2");
    table.wait(300);
    table.place("e2", cannon);
    table.wait(100);
    table.press(Side::Red);
    table.wait(20);
    table.lift("e2");
    table.wait(200);
    assert_eq!(table.moves(), "h2e2");
    assert_eq!(table.state(1), PlyState::Confirmed);
}

/// Where a piece had stood unseen is certain once it has gone on from there: the point is named though it is empty.
#[test]
fn a_point_that_showed_nothing_of_a_piece_is_named_after_it_has_moved_on() {
    let mut table = Table::started(SensingKind::Colour);
    let horse = table.lift("h0");
    table.wait(600);
    table.press(Side::Red);
    table.wait(2_000);
    table.play_all("h9g7 a0a1 i9i8");
    table.wait(3_000);
    // From g2 and from nowhere else.
    table.place("e1", horse);
    table.wait(400);
    table.press(Side::Red);
    table.wait(3_000);
    assert_eq!(table.moves(), "h0g2 h9g7 a0a1 i9i8 g2e1");
    let told = table.said(|finding| matches!(finding, Finding::BadPoint { .. }));
    assert_eq!(told, [&Finding::BadPoint { point: "g2".parse().unwrap(), stuck: false }]);
}

/// Another piece was touched, and then this one taken: the touch is no capture that was placed before it was lifted.
#[test]
fn a_touched_piece_is_not_taken_by_the_one_that_moves_next() {
    let mut table = Table::started_from(SensingKind::Occupancy, TWO_CAPTURES);
    let soldier = table.lift("c4");
    table.wait(400);
    table.place("c4", soldier);
    table.wait(300);
    table.carry("e4e5");
    table.press(Side::Red);
    table.wait(2_000);
    assert_eq!(table.moves(), "e4e5");
    assert_eq!(table.state(1), PlyState::Confirmed);
}

/// He puts the cannon down, thinks better of it and goes on; there it slips as soon as he lets go.
#[test]
fn a_piece_that_went_on_and_slipped_is_where_it_went_last() {
    let mut table = Table::started(SensingKind::Occupancy);
    table.play("c3c4");
    table.wait(1_000);
    let cannon = table.lift("b7");
    table.wait(260);
    table.place("b4", cannon);
    table.wait(770);
    table.lift("b4");
    table.wait(260);
    table.place("c7", cannon);
    table.wait(60);
    table.lift("c7");
    table.wait(280);
    table.press(Side::Black);
    table.wait(2_000);
    table.play("h2e2");
    table.wait(1_000);
    assert_eq!(table.moves(), "c3c4 b7c7 h2e2");
}

/// The cannon is pushed over two points and slips off the third: it did not go back to those.
#[test]
fn a_piece_that_slips_after_a_slide_has_not_gone_on_to_a_point_that_it_passed() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(1_000);
    let cannon = table.lift("h2");
    for point in ["h3", "h4"] {
        table.wait(30);
        table.place(point, cannon);
        table.wait(30);
        table.lift(point);
    }
    table.place("h5", cannon);
    table.wait(500);
    table.lift("h5");
    table.wait(3_000);
    assert_eq!(table.moves(), "h2h5");
    table.press(Side::Red);
    table.play("h9g7");
    table.wait(1_000);
    assert_eq!(table.moves(), "h2h5 h9g7");
}

/// The chariot on d1 has slipped and could take what came to d8; but who resigns has played his last ply.
#[test]
fn a_piece_that_slipped_takes_nothing_when_the_game_ends() {
    let mut table = Table::started(SensingKind::Occupancy);
    table.play_all("i0i1 a9a8");
    table.wait(1_000);
    table.play("i1d1");
    table.lift("d1");
    table.wait(1_500);
    table.play("a8d8");
    table.wait(8_000);
    table.see(What::Signalled(Side::Red, PlayerSignal::Resign));
    let end = Epoch(table.now);
    table.tracker.close(end);
    assert_eq!(table.moves(), "i0i1 a9a8 i1d1 a8d8");
}

/// Two soldiers could be taken without a trace. The one that hangs is read, and nothing is played that would tell.
#[test]
fn a_capture_that_is_still_a_guess_at_the_end_is_told() {
    let before = "3k2r2/9/9/9/2p1R1p2/9/9/9/9/4K4 w - - 0 1";
    let mut table = Table::started_from(SensingKind::Occupancy, before);
    table.wait(3_000);
    table.lift("e5");
    table.wait(400);
    table.press(Side::Red);
    table.wait(3_000);
    assert_eq!(table.moves(), "e5c5");
    let named = |finding: &Finding| matches!(finding, Finding::Ambiguous { from: PlyNo(1), lines, .. } if lines.len() == 2);
    assert!(table.said(named).is_empty(), "what follows may tell");
    let end = Epoch(table.now);
    let closing = table.tracker.close(end);
    assert!(closing.iter().any(named), "{closing:?}");
    assert!(table.tracker.in_doubt());
}
