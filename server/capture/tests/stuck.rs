//! A point that shows a piece for ever: what leaves it and what comes to it is read all the same, and it is named.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Finding, PlyState};
use firmware_proto::{Reading, SensingKind};
use hands::Table;
use xiangqi::Side;

const RED: Reading = Reading(1);

/// Red's cannon leaves h2 for h4, and h2 goes on to show it.
fn cannon_leaves_its_point_showing(kind: SensingKind) -> Table {
    let mut table = Table::started(kind);
    table.wait(2_000);
    table.place("h4", RED);
    table.wait(400);
    table.press(Side::Red);
    table.wait(300);
    table
}

fn bad_points(table: &Table) -> Vec<&Finding> {
    table.said(|finding| matches!(finding, Finding::BadPoint { .. }))
}

#[test]
fn a_ply_from_a_point_that_goes_on_to_show_its_piece_is_read_at_the_press() {
    for kind in [SensingKind::Colour, SensingKind::Occupancy] {
        let mut table = cannon_leaves_its_point_showing(kind);
        assert_eq!(table.moves(), "h2h4", "{kind:?}");
        table.play("h9g7");
        table.wait(1_000);
        assert_eq!(table.moves(), "h2h4 h9g7", "{kind:?}");
        assert_eq!(table.state(1), PlyState::Confirmed, "{kind:?}");
        assert!(table.said(|finding| matches!(finding, Finding::PressWithoutMove(..))).is_empty());
    }
}

#[test]
fn the_point_is_named_and_no_other() {
    let mut table = cannon_leaves_its_point_showing(SensingKind::Colour);
    for mv in ["h9g7", "h0g2", "i9h9", "i0h0", "b9c7"] {
        table.wait(15_000);
        table.play(mv);
    }
    table.wait(3_000);
    assert_eq!(bad_points(&table), [&Finding::BadPoint { point: "h2".parse().unwrap(), stuck: true }]);
}

/// The cannon comes back to h2, which shows a piece already; and it leaves it again.
#[test]
fn what_comes_to_the_point_and_leaves_it_again_is_read() {
    let mut table = cannon_leaves_its_point_showing(SensingKind::Colour);
    table.play("h9g7");
    table.wait(2_000);
    table.lift("h4");
    table.wait(700);
    table.press(Side::Red);
    table.play("i9h9");
    table.wait(2_000);
    table.place("f2", RED);
    table.wait(400);
    table.press(Side::Red);
    table.play("b9c7");
    table.wait(1_000);
    assert_eq!(table.moves(), "h2h4 h9g7 h4h2 i9h9 h2f2 b9c7");
}

/// The record of the lift was lost: the next image tells it, and the point is none that shows a piece for ever.
#[test]
fn a_lift_whose_record_was_lost_is_told_by_the_next_image() {
    let mut table = cannon_leaves_its_point_showing(SensingKind::Colour);
    table.wait(1_000);
    table.forget_point("h2");
    table.image();
    for mv in ["h9g7", "h0g2", "i9h9", "i0h0", "b9c7"] {
        table.wait(15_000);
        table.play(mv);
    }
    assert_eq!(table.moves(), "h2h4 h9g7 h0g2 i9h9 i0h0 b9c7");
    assert!(bad_points(&table).is_empty());
    assert!(table.tracker.differing().is_empty());
}

/// Black's chariot slips off b4 and takes on d4 from there. His cannon on a4 could have taken over it, but shows on a4 still.
#[test]
fn a_capture_by_a_piece_that_had_slipped_is_none_by_a_piece_that_still_shows_where_it_stood() {
    let mut table = Table::started_from(SensingKind::Colour, "3k5/9/1r7/9/9/c8/9/2N6/9/4K4 w - - 0 1");
    table.play("e0e1");
    table.wait(2_000);
    let chariot = table.lift("b7");
    table.wait(300);
    table.place("b4", chariot);
    table.wait(400);
    table.press(Side::Black);
    table.wait(150);
    table.lift("b4");
    table.play("c2d4");
    table.wait(2_000);
    table.lift("d4");
    table.wait(300);
    table.place("d4", chariot);
    table.wait(600);
    table.press(Side::Black);
    table.wait(12_000);
    table.play("e1e0");
    table.wait(12_000);
    assert_eq!(table.moves(), "e0e1 b7b4 c2d4 b4d4 e1e0");
    assert!(bad_points(&table).is_empty());
}
