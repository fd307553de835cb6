//! Pieces that slip off their points as soon as the hand lets go, and are sensed again much later: each stands where it was
//! seen last, and has gone nowhere. All of this happened to simulated boards that sense occupancy only.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::Finding;
use firmware_proto::{Reading, SensingKind};
use hands::Table;
use xiangqi::Side;

/// How a board is looked at while nothing happens, ms.
const LOOK: i64 = 150;

fn wait(table: &mut Table, millis: i64) {
    for _ in 0..millis / LOOK {
        table.wait(LOOK);
    }
    table.wait(millis % LOOK);
}

/// A piece is pushed over points: when it shows on each, ms after it was lifted, and when it is gone again.
fn push(table: &mut Table, piece: Reading, points: &[(&str, i64, i64)]) {
    let shown = points.iter().map(|(point, from, _)| (*from, *point, true));
    let gone = points.iter().map(|(point, _, to)| (*to, *point, false));
    let mut changes: Vec<_> = shown.chain(gone).collect();
    changes.sort_by_key(|(at, _, shows)| (*at, *shows));
    let mut now = 0;
    for (at, point, shows) in changes {
        table.wait(at - now);
        now = at;
        if shows {
            table.place(point, piece);
        } else {
            table.lift(point);
        }
    }
}

/// Black carries a piece for so long, and presses so long after it stands, ms.
fn answer(table: &mut Table, from: &str, carried: i64, to: &str, pressed: i64) {
    let piece = table.lift(from);
    wait(table, carried);
    table.place(to, piece);
    wait(table, pressed);
    table.press(Side::Black);
}

/// The chariot is pushed up the whole file. It was hardly carried back past where it came from, unseen, just before its
/// player pressed.
#[test]
fn a_chariot_that_slips_at_the_end_of_its_push_was_not_carried_back() {
    let fen = "3k5/4a4/3a5/3P5/9/3pp4/R8/3A5/3KA4/2r6 w";
    let mut table = Table::started_from(SensingKind::Occupancy, fen);
    wait(&mut table, 6_000);
    let chariot = table.lift("a3");
    let points = [("a4", 10, 160), ("a6", 170, 270), ("a7", 270, 410), ("a8", 380, 470), ("a9", 410, 560)];
    push(&mut table, chariot, &points);
    table.wait(99);
    table.press(Side::Red);
    wait(&mut table, 4_800);
    answer(&mut table, "d9", 330, "d8", 132);
    wait(&mut table, 4_230);
    table.place("a9", chariot);
    wait(&mut table, 3_000);
    assert_eq!(table.moves(), "a3a9 d9d8");
}

/// It shows for 60 ms where it stops, and is moved on in the next turn but one.
#[test]
fn a_chariot_that_slips_at_the_end_of_its_push_has_not_gone_one_point_farther() {
    let fen = "r1bakr3/4a4/nc2b1n2/p1p1p1p1p/3c5/2PN2P2/P3P3P/1C2C1N2/9/R1BAKABR1 w";
    let mut table = Table::started_from(SensingKind::Occupancy, fen);
    wait(&mut table, 6_000);
    let chariot = table.lift("h0");
    let points = [("h1", 30, 130), ("h2", 120, 170), ("h3", 170, 260), ("h4", 260, 310), ("h5", 300, 360)];
    push(&mut table, chariot, &points);
    wait(&mut table, 219);
    table.press(Side::Red);
    wait(&mut table, 7_050);
    answer(&mut table, "g6", 600, "g5", 163);
    wait(&mut table, 12_350);
    table.place("h5", chariot);
    wait(&mut table, 5_940);
    table.lift("h5");
    wait(&mut table, 450);
    table.place("h4", chariot);
    wait(&mut table, 336);
    table.press(Side::Red);
    wait(&mut table, 3_000);
    assert_eq!(table.moves(), "h0h5 g6g5 h5h4");
}

/// It shows again while the opponent of its player thinks: nobody has played it there.
#[test]
fn a_cannon_that_slips_and_shows_again_has_not_come_from_a_point_that_it_passed() {
    let fen = "3a1a3/4k4/8b/9/2b6/9/4p4/r3B4/4A4/3CKAB2 w";
    let mut table = Table::started_from(SensingKind::Occupancy, fen);
    wait(&mut table, 6_000);
    let cannon = table.lift("d0");
    push(&mut table, cannon, &[("d1", 10, 50), ("d2", 70, 120)]);
    wait(&mut table, 465);
    table.press(Side::Red);
    wait(&mut table, 13_450);
    answer(&mut table, "i7", 790, "g5", 233);
    wait(&mut table, 10_617);
    table.place("d2", cannon);
    wait(&mut table, 3_000);
    assert_eq!(table.moves(), "d0d2 i7g5");
}

/// A soldier that steps beside shows there before it is gone from where it stood: it is not the horse that slipped six seconds
/// ago, for which its player had pressed.
#[test]
fn a_piece_that_shows_before_it_is_seen_lifted_is_not_the_one_that_slipped_before() {
    let fen = "4kab2/4a4/4b4/p8/4pn3/P7P/4Pcp2/1C2B4/4A1N2/2BAK4 w";
    let mut table = Table::started_from(SensingKind::Occupancy, fen);
    wait(&mut table, 6_000);
    let horse = table.lift("g1");
    wait(&mut table, 360);
    table.place("i2", horse);
    wait(&mut table, 360);
    table.lift("i2");
    wait(&mut table, 426);
    table.press(Side::Red);
    wait(&mut table, 5_824);
    // One piece shows as another does.
    table.place("h3", horse);
    table.wait(40);
    table.lift("g3");
    wait(&mut table, 566);
    table.press(Side::Black);
    wait(&mut table, 10_000);
    assert_eq!(table.moves(), "g1i2 g3h3");
    let doubts = table.said(|finding| matches!(finding, Finding::Ambiguous { .. }));
    assert!(doubts.is_empty(), "{doubts:?}");
}

/// The cannon is taken, and the chariot slips as it is put in its place. It has not gone elsewhere: the cannon would be missing.
#[test]
fn a_chariot_that_slips_as_it_captures_has_not_gone_elsewhere() {
    let fen = "3aka3/9/n2cb1n2/4p3p/p1r6/1N4R2/P3P3P/4B1C2/4A4/2BAK4 w";
    let mut table = Table::started_from(SensingKind::Occupancy, fen);
    table.play_all("g2g7 d7g7");
    wait(&mut table, 6_000);
    let chariot = table.lift("g4");
    wait(&mut table, 1_310);
    table.lift("g7");
    wait(&mut table, 215);
    table.press(Side::Red);
    wait(&mut table, 4_415);
    answer(&mut table, "a7", 650, "c8", 515);
    wait(&mut table, 15_465);
    table.place("g6", chariot);
    wait(&mut table, 412);
    table.press(Side::Red);
    wait(&mut table, 3_000);
    assert_eq!(table.moves(), "g2g7 d7g7 g4g7 a7c8 g7g6");
    let doubts = table.said(|finding| matches!(finding, Finding::Ambiguous { .. }));
    assert!(doubts.is_empty(), "{doubts:?}");
}
