//! Pieces that are knocked over, and how they are put up again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Finding, PlyState};
use firmware_proto::{Reading, SensingKind};
use hands::Table;
use xiangqi::Side;

#[test]
fn a_board_in_disorder_is_named_and_resumed_when_restored() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    let fallen: Vec<(&str, Reading)> =
        ["a0", "b0", "c0", "a3", "c3"].into_iter().map(|point| (point, table.lift(point))).collect();
    table.wait(800);
    let told = table.said(|finding| matches!(finding, Finding::Disturbed { .. }));
    assert!(
        matches!(told[..], [Finding::Disturbed { points, running: Some(Side::Red), .. }] if points.len() == 5),
        "{told:?}"
    );
    for (point, man) in fallen {
        table.wait(700);
        table.place(point, man);
    }
    table.wait(1_000);
    assert_eq!(table.said(|finding| matches!(finding, Finding::Restored(_))).len(), 1);
    table.play_all("h0g2 b9c7");
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 b9c7");
}

#[test]
fn a_wrong_restoration_is_named_by_its_points() {
    let mut table = Table::started(SensingKind::Colour);
    table.play("h2e2");
    let fallen: Vec<(&str, Reading)> =
        ["a9", "b9", "c9", "d9"].into_iter().map(|point| (point, table.lift(point))).collect();
    table.wait(3_000);
    for ((_, man), point) in fallen.into_iter().zip(["a9", "b9", "c9", "d8"]) {
        table.place(point, man);
        table.wait(700);
    }
    table.wait(3_000);
    let told = table.said(|finding| matches!(finding, Finding::Mismatch { .. }));
    let named = |finding: &&Finding| {
        matches!(finding, Finding::Mismatch { points, .. }
            if points.iter().map(ToString::to_string).collect::<Vec<_>>() == ["d8", "d9"])
    };
    assert!(told.iter().any(named), "{told:?}");
}

#[test]
fn a_board_that_is_knocked_over_once_more_is_named_once_more() {
    let mut table = Table::started(SensingKind::Colour);
    table.play("h2e2");
    table.wait(500);
    for point in ["a0", "b0", "c0"] {
        table.lift(point);
    }
    table.wait(5_000);
    for point in ["g6", "i6", "i9", "h9"] {
        table.lift(point);
    }
    table.wait(1_000);
    let named = |finding: &Finding| {
        if let Finding::Disturbed { points, .. } = finding { Some(points.len()) } else { None }
    };
    let told: Vec<usize> = table.said.iter().filter_map(named).collect();
    assert_eq!(told, [3, 7]);
}

/// Three soldiers fall in Black's time; one of them comes to stand where Black could have played it, or Red.
fn restored_beside(fallen: [&str; 3], wrong: &str) -> Table {
    let mut table = Table::started(SensingKind::Colour);
    table.play("h2e2");
    table.wait(500);
    let men = fallen.map(|point| {
        table.wait(100);
        table.lift(point)
    });
    table.wait(4_000);
    for (man, point) in men.into_iter().zip([fallen[0], fallen[1], wrong]) {
        table.place(point, man);
        table.wait(700);
    }
    table.wait(4_000);
    table
}

#[test]
fn a_piece_that_fell_and_stands_beside_its_point_was_not_played() {
    for (fallen, wrong) in [(["b7", "a6", "c6"], "c5"), (["b2", "c3", "a3"], "b3")] {
        let mut table = restored_beside(fallen, wrong);
        assert_eq!(table.moves(), "h2e2", "{wrong}");
        let named = [fallen[2], wrong].map(|point| point.parse().unwrap());
        let told = table.said(|finding| {
            matches!(finding, Finding::Mismatch { points, .. }
                if points.len() == 2 && named.iter().all(|point| points.contains(point)))
        });
        assert_eq!(told.len(), 1, "{:?}", table.said);
        // Play goes on for a while before somebody sees it.
        table.play_all("h9g7 h0g2 i9h9");
        table.wait(2_000);
        let man = table.lift(wrong);
        table.wait(500);
        table.place(fallen[2], man);
        table.wait(2_000);
        table.play("i0h0");
        assert_eq!(table.moves(), "h2e2 h9g7 h0g2 i9h9 i0h0", "{wrong}");
        assert_eq!(table.state(5), PlyState::Confirmed, "{wrong}");
    }
}

#[test]
fn a_piece_that_fell_is_played_when_its_player_presses_for_it() {
    let mut table = restored_beside(["b7", "a6", "c6"], "c5");
    table.press(Side::Black);
    table.wait(1_000);
    assert_eq!(table.moves(), "h2e2 c6c5");
}

#[test]
fn a_piece_that_fell_and_is_put_up_again_was_not_captured_meanwhile() {
    // Red's chariot takes the soldier in the hand: an occupancy board shows nothing of it on g4, and it might have gone to i4.
    let fen = "3aka3/9/4b4/p3p3p/2p6/6pR1/P1P1P3P/2N1C1N2/9/2BAKAB2 w - - 0 1";
    let mut table = Table::started_from(SensingKind::Occupancy, fen);
    table.wait(2_000);
    let _chariot = table.lift("h4");
    table.wait(450);
    table.press(Side::Red);
    table.wait(300);
    table.play("c5c4");
    assert_eq!(table.moves(), "h4g4 c5c4");
    table.wait(1_000);
    let fallen = ["c2", "e2", "g2", "a3", "c3", "e3", "i3", "g4"].map(|point| {
        table.wait(40);
        (point, table.lift(point))
    });
    table.wait(7_000);
    for (point, man) in fallen {
        table.place(point, man);
        table.wait(1_000);
    }
    table.wait(3_000);
    assert_eq!(table.moves(), "h4g4 c5c4");
}
