//! The board could not be seen for a while: what was played meanwhile is found from the image that follows.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Doubt, Finding, PlyNo, PlyState, What};
use firmware_proto::{Epoch, Reading, SensingKind};
use hands::Table;
use xiangqi::Side;

/// How many lines are offered from ply 3 on.
fn offered(table: &Table) -> usize {
    let from_there = |finding: &Finding| matches!(finding, Finding::Ambiguous { from: PlyNo(3), .. });
    let lines = |finding: &&Finding| {
        if let Finding::Ambiguous { lines, .. } = finding { lines.len() } else { 0 }
    };
    table.said(from_there).iter().map(lines).max().unwrap_or(0)
}

/// Plays while the board's link is down; the clock is heard.
fn unseen(table: &mut Table, line: &str) {
    table.see(What::BoardDown);
    table.unseen(line);
    table.wait(1_000);
    table.see(What::BoardUp(SensingKind::Colour));
    table.image();
    table.wait(4_000);
}

#[test]
fn the_only_line_that_leads_to_the_image_is_read() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    unseen(&mut table, "e2e6 b9c7");
    assert_eq!(table.moves(), "h2e2 h9g7 e2e6 b9c7");
    assert_eq!(table.state(4), PlyState::Confirmed);
    assert!(!table.tracker.in_doubt());
}

/// The position is certain; which of Red's plies came first, nothing tells.
#[test]
fn of_several_orders_one_is_read_and_the_others_are_offered() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    unseen(&mut table, "h0g2 i9h9 i0h0");
    assert_eq!(table.tracker.plies().len(), 5, "{}", table.moves());
    assert!(table.tracker.differing().is_empty());
    assert!(table.tracker.in_doubt());
    assert!(offered(&table) > 1, "{:?}", table.said);
}

#[test]
fn four_plies_are_found_and_play_goes_on() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    unseen(&mut table, "e2e6 b9c7 e6e5 c6c5");
    assert_eq!(
        table.tracker.plies().len(),
        6,
        "{} {:?} {:?}",
        table.moves(),
        table.tracker.beliefs(6),
        table.said
    );
    table.play("h0g2");
    table.wait(1_500);
    assert!(table.moves().ends_with("h0g2"), "{}", table.moves());
    assert_eq!(table.tracker.plies().len(), 7);
}

/// A table whose board goes dark after these plies.
fn dark_after(line: &str) -> Table {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all(line);
    table.wait(1_000);
    table.see(What::BoardDown);
    table
}

/// How often it was told that plies were played which nobody saw.
fn told_missed(table: &Table) -> usize {
    let missed = |finding: &Finding| matches!(finding, Finding::Ambiguous { doubt: Doubt::Missed, .. });
    table.said(missed).len()
}

/// Red's chariot is put on i1, and the board's link goes down before he presses.
fn goes_down_under_way(table: &mut Table) {
    table.play_all("h2e2 h9g7 h0g2 i9h9");
    table.wait(2_000);
    table.carry("i0i1");
    table.wait(200);
    table.see(What::BoardDown);
}

/// The board is back and shows what stands.
fn comes_back(table: &mut Table) {
    table.see(What::BoardUp(SensingKind::Colour));
    table.image();
    table.wait(4_000);
}

#[test]
fn a_piece_that_goes_on_after_the_link_went_down_was_played_to_where_the_image_shows_it() {
    let mut table = Table::started(SensingKind::Colour);
    goes_down_under_way(&mut table);
    table.carry_unseen("i1i2");
    table.wait(600);
    table.press(Side::Red);
    table.wait(8_000);
    assert_eq!(table.state(5), PlyState::Provisional, "nobody knows where it stands: {}", table.moves());
    comes_back(&mut table);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 i9h9 i0i2");
    assert_eq!(table.state(5), PlyState::Confirmed);
}

#[test]
fn a_piece_that_went_on_in_the_dark_is_found_with_what_answered_it() {
    let mut table = Table::started(SensingKind::Colour);
    goes_down_under_way(&mut table);
    table.carry_unseen("i1i2");
    table.press(Side::Red);
    table.wait(8_000);
    table.carry_unseen("b9c7");
    table.press(Side::Black);
    table.wait(8_000);
    comes_back(&mut table);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 i9h9 i0i2 b9c7");
}

#[test]
fn a_piece_that_stays_where_it_was_seen_was_played_there() {
    let mut table = Table::started(SensingKind::Colour);
    goes_down_under_way(&mut table);
    table.press(Side::Red);
    table.wait(8_000);
    comes_back(&mut table);
    assert_eq!(table.moves(), "h2e2 h9g7 h0g2 i9h9 i0i1");
    assert_eq!(table.state(5), PlyState::Confirmed);
}

/// Red's horse stands two plies farther on, and Black's king as before: had he gone to and fro, four plies would lead there.
/// The clock was pressed twice.
#[test]
fn no_more_plies_are_read_than_were_pressed_for() {
    let mut table = Table::started_from(SensingKind::Colour, "3k5/9/9/9/9/9/9/9/4A4/1N2K4 w - - 0 1");
    table.play_all("e1d2 d9d8");
    table.wait(1_000);
    table.see(What::BoardDown);
    table.carry_unseen("b0d4");
    table.press(Side::Red);
    table.wait(3_000);
    table.press(Side::Black);
    comes_back(&mut table);
    table.press(Side::Red);
    table.wait(2_000);
    assert!(!table.moves().contains("b0c2"), "{}", table.moves());
    assert_eq!(told_missed(&table), 1, "{:?}", table.said);
}

#[test]
fn a_piece_in_a_hand_when_the_link_goes_down_is_no_board_that_does_not_fit() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(2_000);
    table.lift("h0");
    table.wait(100);
    table.see(What::BoardDown);
    table.wait(60_000);
    let misfits = |finding: &Finding| matches!(finding, Finding::Mismatch { .. } | Finding::Disturbed { .. });
    assert!(table.said(misfits).is_empty(), "{:?}", table.said);
}

/// Who has put his piece down when the image comes presses later.
#[test]
fn a_ply_that_is_not_pressed_for_yet_is_found_too() {
    let mut table = dark_after("h2e2 h9g7");
    table.unseen("e2e6 b9c7");
    table.carry_unseen("e6e5");
    comes_back(&mut table);
    table.press(Side::Red);
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7 e2e6 b9c7 e6e5");
    assert_eq!(table.state(5), PlyState::Confirmed);
}

#[test]
fn a_piece_that_is_in_a_hand_when_the_image_comes_is_waited_for() {
    let mut table = dark_after("h2e2 h9g7");
    table.unseen("e2e6 b9c7");
    table.forget_point("h0");
    comes_back(&mut table);
    table.place("g2", Reading(1));
    table.wait(500);
    table.press(Side::Red);
    table.wait(2_000);
    assert_eq!(table.moves(), "h2e2 h9g7 e2e6 b9c7 h0g2");
}

/// What both players did they took back: the board shows nothing of it, and the presses tell that something was played.
#[test]
fn what_was_played_in_the_dark_and_left_nothing_to_see_is_told_until_an_arbiter_enters_it() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    let missed = "e2d2 g7h9 d2e2 h9g7";
    unseen(&mut table, missed);
    let told = |finding: &Finding| {
        let Finding::Ambiguous { from, lines, doubt: Doubt::Missed, .. } = finding else { return false };
        *from == PlyNo(2) && lines.is_empty()
    };
    assert_eq!(table.said(told).len(), 1, "{:?}", table.said);
    assert!(table.tracker.in_doubt());
    table.play("h0g2");
    table.wait(1_500);
    assert!(table.tracker.in_doubt(), "nobody has said what was played");
    let line = format!("{missed} h0g2");
    table.tracker.correct(PlyNo(3), &hands::moves(&line), Epoch(table.now));
    assert_eq!(table.moves(), format!("h2e2 h9g7 {line}"));
    assert!(!table.tracker.in_doubt());
}

#[test]
fn more_plies_than_can_be_found_are_told_and_none_is_made_up() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    unseen(&mut table, "h0g2 b9c7 i0h0 i9h9 b0c2 h7i7 a0b0 a9b9");
    table.wait(10_000);
    table.play("c3c4");
    table.wait(3_000);
    assert_eq!(told_missed(&table), 1, "{:?}", table.said);
    assert!(!table.moves().contains("h0g2"), "{}", table.moves());
}

/// Whether the tracker says that it did not see how the game ended.
fn told_unseen(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| matches!(finding, Finding::Ambiguous { doubt: Doubt::Unseen, .. }))
}

#[test]
fn a_game_that_ends_while_the_board_cannot_be_seen_is_told() {
    let mut table = dark_after("h2e2 h9g7");
    table.unseen("h0g2");
    table.wait(5_000);
    let said = table.tracker.close(Epoch(table.now));
    assert_eq!(table.moves(), "h2e2 h9g7");
    assert!(told_unseen(&said), "{said:?}");
}

#[test]
fn an_image_that_comes_after_the_end_and_fits_tells_that_nothing_was_missed() {
    let mut table = dark_after("h2e2 h9g7");
    table.wait(5_000);
    let ended = Epoch(table.now);
    table.wait(2_000);
    table.see(What::BoardUp(SensingKind::Colour));
    table.image();
    let said = table.tracker.close(ended);
    assert_eq!(table.moves(), "h2e2 h9g7");
    assert!(!told_unseen(&said), "{said:?}");
}
