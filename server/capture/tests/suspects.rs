//! A point that senses nothing and nobody knows of: the points that it may be are named soon, and the game goes on.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Doubt, Finding, PlyNo};
use firmware_proto::{Epoch, Reading, SensingKind};
use hands::Table;
use xiangqi::{Point, Side};

/// Lifts a piece and presses; nothing shows where it stands.
fn unsensed(table: &mut Table, from: &str, side: Side) {
    table.wait(2_000);
    table.lift(from);
    table.wait(600);
    table.press(side);
    table.wait(2_000);
}

fn points(names: &str) -> Vec<Point> {
    names.split_whitespace().map(|name| name.parse().unwrap()).collect()
}

/// An advisor on e1 may stand on d2 or f2: an arbiter who is told of two points tries both.
#[test]
fn two_points_that_may_sense_nothing_are_named_together() {
    let mut table = Table::started_from(SensingKind::Colour, "3k5/9/9/9/9/9/9/9/4A4/3A1K3 w - - 0 1");
    unsensed(&mut table, "e1", Side::Red);
    let suspects = |table: &Table| {
        table.said.iter().filter(|finding| matches!(finding, Finding::Suspects { .. })).count()
    };
    assert_eq!(suspects(&table), 0, "what follows may tell");
    for mv in ["d9d8", "d0e1", "d8d9"] {
        table.play(mv);
    }
    table.wait(3_000);
    let told: Vec<&Finding> = table.said(|finding| matches!(finding, Finding::Suspects { .. }));
    let [Finding::Suspects { points: named }] = told[..] else { panic!("{told:?}") };
    let mut named = named.clone();
    named.sort();
    let mut possible = points("d2 f2");
    possible.sort();
    assert_eq!(named, possible);
}

/// Red's horse can go to g1 and h2, shows on neither, and on h2 it would hang. Black lets it be, ply after quick ply.
fn a_horse_that_would_hang_on_h2() -> Table {
    let mut table = Table::started_from(SensingKind::Colour, "3k3r1/9/9/9/9/9/9/9/9/4K3N w - - 0 1");
    table.lift("i0");
    table.wait(300);
    table.press(Side::Red);
    for (mv, side) in [("d9d8", Side::Black), ("e0e1", Side::Red), ("d8d9", Side::Black)] {
        table.wait(300);
        table.carry(mv);
        table.press(side);
    }
    table.wait(1_000);
    table
}

/// Players leave pieces hanging now and then: that says which point is likelier, and does not clear the other.
#[test]
fn a_point_is_not_named_alone_because_the_other_ply_would_have_been_a_blunder() {
    let table = a_horse_that_would_hang_on_h2();
    let named = table.said(|finding| matches!(finding, Finding::BadPoint { .. }));
    assert!(named.is_empty(), "{named:?}");
    let told = table.said(|finding| matches!(finding, Finding::Suspects { .. }));
    assert_eq!(told, [&Finding::Suspects { points: points("g1 h2") }]);
}

/// Nothing tells any more where it stands: the record is a guess, and an arbiter is told of the other ply.
#[test]
fn where_a_piece_stands_that_nothing_has_shown_is_in_doubt_at_the_end() {
    let mut table = a_horse_that_would_hang_on_h2();
    table.forget();
    table.said = table.tracker.close(Epoch(table.now));
    let offers_both = |finding: &Finding| {
        matches!(finding, Finding::Ambiguous { from: PlyNo(1), lines, .. }
            if lines.iter().map(|line| line[0].to_string()).collect::<Vec<_>>() == ["i0g1", "i0h2"])
    };
    assert_eq!(table.said(offers_both).len(), 1, "{:?} {:?}", table.said, table.tracker.beliefs(4));
}

/// It never showed the cannon that stood there when play began; the cannon's ply tells that it stood there all the same.
#[test]
fn a_point_that_never_showed_its_first_piece_is_named_when_the_piece_leaves_it() {
    let mut table = Table::started_without(SensingKind::Colour, "h2");
    table.wait(2_000);
    table.place("e2", Reading(1));
    table.wait(400);
    table.press(Side::Red);
    table.wait(1_000);
    table.play("h9g7");
    table.wait(1_000);
    assert_eq!(table.moves(), "h2e2 h9g7");
    let told = table.said(|finding| matches!(finding, Finding::BadPoint { .. }));
    assert_eq!(told, [&Finding::BadPoint { point: "h2".parse().unwrap(), stuck: false }]);
}

/// Red pushes a cannon over g2 and f2, on each of which it shows for so many ms, to a point that senses nothing, and presses.
fn cannon_pushed_out_of_sight(shows: i64) -> Table {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    let cannon = table.lift("h2");
    for point in ["g2", "f2"] {
        table.wait(20);
        table.place(point, cannon);
        table.wait(shows);
        table.lift(point);
    }
    table.wait(300);
    table.press(Side::Red);
    table
}

/// The cannon is pushed over g2 and f2 and then shows nowhere: the next point of its way is likelier than any other.
#[test]
fn a_piece_that_vanishes_on_its_way_stands_on_the_next_point() {
    let mut table = cannon_pushed_out_of_sight(60);
    table.wait(4_000);
    let beliefs = table.tracker.beliefs(2);
    let moves: Vec<String> = beliefs.iter().map(|(_, line)| line[0].to_string()).collect();
    assert!(moves.contains(&"h2e2".to_owned()), "{beliefs:?}");
    assert!(table.tracker.plies().iter().all(|ply| ply.state == capture::PlyState::Provisional));
}

/// The horse was put on c2 first, taken up again and put on a2, which senses nothing.
#[test]
fn a_piece_that_was_taken_up_again_and_shows_nowhere_stands_where_nothing_shows() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    let horse = table.lift("b0");
    table.wait(300);
    table.place("c2", horse);
    table.wait(800);
    table.lift("c2");
    table.wait(900);
    table.press(Side::Red);
    table.wait(1_500);
    let beliefs = table.tracker.beliefs(4);
    let near = |mv: &str| beliefs.iter().any(|(dearer, line)| *dearer < 2_500 && line[0].to_string() == mv);
    assert!(near("b0a2") && near("b0c2"), "{beliefs:?}");
}

/// The cannon is pushed over g2 and f2 to e2, which senses nothing; that it slipped off f2 at once is possible, too.
#[test]
fn a_point_that_has_sensed_is_not_named_while_there_is_another_reason() {
    let mut table = cannon_pushed_out_of_sight(90);
    for mv in ["b9c7", "b0c2", "a9b9", "a0b0", "b7a7", "c3c4"] {
        table.wait(15_000);
        table.play(mv);
    }
    let sensed = points("g2 f2");
    let named =
        table.said(|finding| matches!(finding, Finding::BadPoint { point, .. } if sensed.contains(point)));
    assert!(named.is_empty(), "{named:?}");
}

/// Two soldiers are gone at once, and play goes on. Two points do not fail at the same moment: rather the record is wrong.
#[test]
fn of_two_points_that_fall_silent_at_once_none_is_named() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(2_000);
    table.lift("a3");
    table.lift("i3");
    for mv in ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7"] {
        table.wait(15_000);
        table.play(mv);
    }
    let told = |kind: Doubt| {
        let of_kind =
            |finding: &&Finding| matches!(finding, Finding::Ambiguous { doubt, .. } if *doubt == kind);
        table.said.iter().filter(of_kind).count()
    };
    assert!(table.said(|finding| matches!(finding, Finding::BadPoint { .. })).is_empty(), "{:?}", table.said);
    assert_eq!(told(Doubt::Unexplained), 1, "{:?}", table.said);
}
