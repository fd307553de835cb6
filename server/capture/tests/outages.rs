//! The board could not be seen for a while: what was played meanwhile is found from the image that follows.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod hands;

use capture::{Doubt, Finding, PlyNo, PlyState, What};
use firmware_proto::{Epoch, SensingKind};
use hands::Table;

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

/// Whether the tracker says that it did not see how the game ended.
fn told_unseen(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| matches!(finding, Finding::Ambiguous { doubt: Doubt::Unseen, .. }))
}

#[test]
fn a_game_that_ends_while_the_board_cannot_be_seen_is_told() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    table.see(What::BoardDown);
    table.unseen("h0g2");
    table.wait(5_000);
    let said = table.tracker.close(Epoch(table.now));
    assert_eq!(table.moves(), "h2e2 h9g7");
    assert!(told_unseen(&said), "{said:?}");
}

#[test]
fn an_image_that_comes_after_the_end_and_fits_tells_that_nothing_was_missed() {
    let mut table = Table::started(SensingKind::Colour);
    table.play_all("h2e2 h9g7");
    table.wait(1_000);
    table.see(What::BoardDown);
    table.wait(5_000);
    let ended = Epoch(table.now);
    table.wait(2_000);
    table.see(What::BoardUp(SensingKind::Colour));
    table.image();
    let said = table.tracker.close(ended);
    assert_eq!(table.moves(), "h2e2 h9g7");
    assert!(!told_unseen(&said), "{said:?}");
}
