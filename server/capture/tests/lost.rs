//! Records of single points that were lost: the next image tells what they would have told, and not when.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Finding, PlyState};
use firmware_proto::SensingKind;
use hands::Table;
use xiangqi::Side;

fn irregular(table: &Table) -> Vec<&Finding> {
    table.said(|finding| matches!(finding, Finding::Read(read) if read.irregular.is_some()))
}

/// Of a slide to e2 nothing is told after f2: the piece went on before its player pressed, and not in the opponent's turn.
#[test]
fn a_piece_that_an_image_shows_farther_on_went_there_before_the_press() {
    let mut table = Table::started(SensingKind::Colour);
    let cannon = table.lift("h2");
    table.wait(60);
    table.place("g2", cannon);
    table.wait(40);
    table.lift("g2");
    table.place("f2", cannon);
    table.wait(50);
    table.carry_unseen("f2e2");
    table.wait(300);
    table.press(Side::Red);
    table.wait(2_500);
    table.image();
    table.wait(3_000);
    table.play("h9g7");
    assert_eq!(table.moves(), "h2e2 h9g7");
    assert!(irregular(&table).is_empty(), "{:?}", irregular(&table));
}

/// The horse rested on f5 before it went on to g4; that it left f5 only an image tells, plies later.
#[test]
fn a_point_that_a_piece_left_on_its_way_is_no_ghost_when_an_image_tells_it() {
    let before = "3k5/9/9/9/9/9/4N4/9/9/4K4 w - - 0 1";
    let mut table = Table::started_from(SensingKind::Colour, before);
    table.wait(2_000);
    let horse = table.lift("e3");
    table.wait(600);
    table.place("f5", horse);
    table.wait(2_000);
    table.forget_point("f5");
    table.place("g4", horse);
    table.wait(250);
    table.press(Side::Red);
    for mv in ["d9d8", "e0e1", "d8d7"] {
        table.wait(1_000);
        table.carry(mv);
        table.press(if mv.starts_with('d') { Side::Black } else { Side::Red });
    }
    table.image();
    table.wait(3_000);
    assert_eq!(table.moves(), "e3g4 d9d8 e0e1 d8d7", "{:?}", table.tracker.beliefs(4));
    assert!(irregular(&table).is_empty(), "{:?}", irregular(&table));
}

/// What comes after a placement of which only an image tells keeps its order.
#[test]
fn plies_that_followed_a_lost_placement_are_read_after_it() {
    let mut table = Table::started(SensingKind::Colour);
    table.wait(1_000);
    table.carry_unheard("h2e2");
    table.wait(1_500);
    table.carry("h9g7");
    table.wait(1_500);
    table.carry("b0c2");
    table.press(Side::Red);
    table.wait(1_000);
    table.image();
    table.wait(3_000);
    assert_eq!(table.moves(), "h2e2 h9g7 b0c2", "{:?}", table.tracker.beliefs(4));
    assert_eq!(table.state(3), PlyState::Confirmed);
}

/// Both records of h9g7 were lost, and a scrambled turn of each side was played before an image told of it: what that
/// seemed to leave unexplained meanwhile is explained.
#[test]
fn turns_that_followed_a_lost_ply_are_read_after_it() {
    let mut table = Table::started(SensingKind::Colour);
    table.play("h2e2");
    table.unseen("h9g7");
    table.wait(50);
    let horse = table.lift("h0");
    table.place("g2", horse);
    table.wait(50);
    let soldier = table.lift("g6");
    table.wait(30);
    table.place("g5", soldier);
    table.wait(40);
    table.press(Side::Red);
    table.wait(250);
    table.press(Side::Black);
    table.wait(290);
    table.image();
    table.wait(3_000);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 g6g5", "{:?}", table.tracker.beliefs(4));
}
