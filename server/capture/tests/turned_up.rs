//! Pieces whose placement nobody was told of and that could have gone to a point which senses nothing: images that come in
//! between, and what the piece does next, tell where they were put.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Finding, PlyNo, PlyState, What};
use firmware_proto::{Cell, Epoch, HealthFault, SensingKind};
use hands::{Table, moves};
use xiangqi::Side;

/// A board that is asked for its image now and then, and whose self-test has told of a dead point.
fn checked_without(point: &str) -> Table {
    let mut table = Table::started(SensingKind::Colour);
    table.see(What::Health(HealthFault::DeadCell(Cell::new(0).unwrap()), Some(point.parse().unwrap())));
    table.wait(1_000);
    table.image();
    table.wait(1_000);
    table
}

/// Red's cannon goes to g2, and the record of that is lost: it is read as a ply to e2.
fn cannon_seems_to_stand_on_e2() -> Table {
    let mut table = checked_without("e2");
    table.carry_unheard("h2g2");
    table.wait(400);
    table.press(Side::Red);
    table.wait(2_000);
    table.play("h9g7");
    assert_eq!(table.moves(), "h2e2 h9g7");
    table
}

#[test]
fn a_piece_that_an_image_shows_elsewhere_was_put_there() {
    let mut table = cannon_seems_to_stand_on_e2();
    table.image();
    table.wait(3_000);
    assert_eq!(table.moves(), "h2g2 h9g7", "{:?}", table.tracker.beliefs(4));
}

/// It leaves g2 before an image comes: that record tells that it was there.
#[test]
fn a_piece_that_goes_on_from_elsewhere_was_put_there() {
    let mut table = cannon_seems_to_stand_on_e2();
    table.play("g2g6");
    table.wait(3_000);
    assert_eq!(table.moves(), "h2g2 h9g7 g2g6", "{:?}", table.tracker.beliefs(4));
}

#[test]
fn what_nobody_saw_is_not_settled_before_an_image_has_come() {
    let mut table = cannon_seems_to_stand_on_e2();
    table.play_all("b0c2 b9c7 a0b0 a9b9");
    assert_eq!(table.state(1), PlyState::Confirmed);
    table.image();
    table.wait(3_000);
    assert_eq!(table.moves(), "h2g2 h9g7 b0c2 b9c7 a0b0 a9b9", "{:?}", table.tracker.beliefs(4));
}

#[test]
fn what_nobody_saw_and_no_image_can_tell_any_more_is_in_doubt_at_the_end() {
    let mut table = cannon_seems_to_stand_on_e2();
    table.play_all("b0c2 b9c7 a0b0 a9b9");
    let end = Epoch(table.now);
    let told = table.tracker.close(end);
    assert!(told.iter().any(|finding| matches!(finding, Finding::Ambiguous { from: PlyNo(1), .. })));
}

/// Red's cannon is seen on h4 for a moment, not on its way to e2 that senses nothing: it is as likely to have slipped off
/// there.
#[test]
fn a_piece_that_was_seen_for_a_moment_off_its_way_to_a_dead_point_may_have_slipped_there() {
    let mut table = checked_without("e2");
    table.wait(1_000);
    let cannon = table.lift("h2");
    table.wait(400);
    table.place("h4", cannon);
    table.wait(120);
    table.lift("h4");
    table.wait(300);
    table.press(Side::Red);
    table.wait(2_000);
    table.play("h9g7");
    let slipped = moves("h2h4 h9g7");
    let beliefs = table.tracker.beliefs(8);
    let dearer = beliefs.iter().find(|(_, line)| *line == slipped).map(|(dearer, _)| *dearer);
    assert!(dearer.is_some_and(|dearer| dearer < 1_000), "{beliefs:?}");
}

/// Red puts his cannon down, takes it up again, and the record of where it goes then is lost.
#[test]
fn a_piece_that_was_taken_up_again_was_put_where_an_image_shows_it() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(1_000);
    table.image();
    table.wait(1_000);
    table.carry("h2e2");
    table.wait(800);
    table.carry_unheard("e2g2");
    table.wait(400);
    table.play_all("h9g7 b0c2 b9c7");
    assert!(table.moves().starts_with("h2e2"), "{}", table.moves());
    table.image();
    table.wait(3_000);
    assert_eq!(table.moves(), "h2g2 h9g7 b0c2 b9c7", "{:?}", table.tracker.beliefs(4));
}

/// A piece is pushed over a point to one that senses nothing, and the record that it left the first one is lost.
#[test]
fn nothing_is_settled_before_the_next_image_has_come() {
    let mut table = checked_without("b4");
    let cannon = table.lift("b2");
    table.wait(200);
    table.place("b3", cannon);
    table.forget_point("b3");
    table.wait(200);
    table.press(Side::Red);
    table.play_all("h9g7 h0g2 i9h9 i0h0");
    assert!(table.moves().starts_with("b2b3"), "{}", table.moves());
    table.image();
    table.wait(6_000);
    assert_eq!(table.moves(), "b2b4 h9g7 h0g2 i9h9 i0h0", "{:?}", table.tracker.beliefs(4));
}
