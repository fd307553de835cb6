use super::super::{Game, GameResult, NodeId, Place, Problem};
use super::{read, write};
use crate::Move;

const VARIATIONS: &str = "\
[DhtmlXQ]
[DhtmlXQ_title]七兵[/DhtmlXQ_title]
[DhtmlXQ_date]2026-08-31[/DhtmlXQ_date]
[DhtmlXQ_result]红胜[/DhtmlXQ_result]
[DhtmlXQ_redtime][/DhtmlXQ_time]
[DhtmlXQ_movelist]774772427967[/DhtmlXQ_movelist]
[DhtmlXQ_move_1_3_2]89888070[/DhtmlXQ_move_1_3_2]
[DhtmlXQ_move_0_2_1]70627967[/DhtmlXQ_move_0_2_1]
[DhtmlXQ_comment0]before||the game[/DhtmlXQ_comment0]
[DhtmlXQ_comment3]main[/DhtmlXQ_comment3]
[DhtmlXQ_comment1_2]one[/DhtmlXQ_comment1_2]
[DhtmlXQ_comment2_4]two[/DhtmlXQ_comment2_4]
[/DhtmlXQ]
";

fn uci(game: &Game, node: NodeId) -> String {
    game.mv(node).unwrap().to_string()
}

#[test]
fn variations_hang_on_the_move_that_they_replace() {
    let result = read(VARIATIONS);
    assert_eq!(result.errors, []);
    let game = &result.games[0];
    assert_eq!(game.tags.get("Date"), Some("2026.08.31"));
    assert_eq!(game.result, GameResult::RedWins);
    assert_eq!(game.comment(NodeId::ROOT), "before\nthe game");
    let main: Vec<NodeId> = game.main_line().collect();
    assert_eq!(game.comment(main[2]), "main");
    let replies: Vec<NodeId> = game.children(main[0]).collect();
    assert_eq!(replies.iter().map(|&node| uci(game, node)).collect::<Vec<_>>(), ["h7e7", "h9g7"]);
    assert_eq!(game.comment(replies[1]), "one");
    let third: Vec<NodeId> = game.children(replies[1]).collect();
    assert_eq!(third.iter().map(|&node| uci(game, node)).collect::<Vec<_>>(), ["h0g2", "i0i1"]);
    assert_eq!(game.comment(game.next(third[1]).unwrap()), "two");
}

#[test]
fn what_is_written_is_read_again() {
    let game = &read(VARIATIONS).games[0];
    let again = read(&write([game]));
    assert_eq!(again.errors, []);
    assert_eq!(&again.games[0], game);
}

#[test]
fn the_board_is_that_of_binit_and_the_side_that_of_the_first_move() {
    let text = "[DhtmlXQ_binit]9999999949999999999999999999999999999999309999999999999999999999[/DhtmlXQ_binit]\
                [DhtmlXQ_movelist]30314948[/DhtmlXQ_movelist]";
    let result = read(text);
    assert_eq!(result.errors, []);
    let game = &result.games[0];
    assert_eq!(game.start().fen(), "3k5/9/9/9/9/9/9/9/9/4K4 b - - 0 1");
    let again = read(&write([game]));
    assert_eq!(&again.games[0], game);
}

#[test]
fn fields_are_found_in_a_page_and_in_several_posts() {
    let page = format!("<html><body>\n<pre>{VARIATIONS}</pre>\n<p>{VARIATIONS}</p></body>");
    assert_eq!(read(&page).games.len(), 2);
}

#[test]
fn an_unreadable_move_is_named_with_its_line_and_digits() {
    let bad = read(&VARIATIONS.replace("774772427967", "77477242790"));
    assert_eq!(bad.games, []);
    assert_eq!(bad.errors.last().unwrap().place, Place::line(6, "movelist 790"));
    let illegal = read(&VARIATIONS.replace("774772427967", "774772427966"));
    let error = illegal.errors.iter().find(|error| error.partial.is_some()).unwrap();
    assert_eq!(error.place, Place::line(6, "movelist 7966"));
    assert!(matches!(error.problem, Problem::Illegal { ply: 3, .. }));
    assert_eq!(error.partial.as_ref().unwrap().moves().count(), 2);
}

#[test]
fn what_belongs_nowhere_is_an_error_and_the_game_is_kept() {
    let stray = VARIATIONS.replace("move_0_2_1", "move_0_9_1").replace("comment3]", "comment8]");
    let result = read(&stray);
    assert_eq!(result.games.len(), 1);
    assert!(result.errors.iter().all(|error| matches!(error.problem, Problem::NoSuchPlace { .. })));
    // The line, the line that varies it, and three comments.
    assert_eq!(result.errors.len(), 5);
}

#[test]
fn texts_cannot_break_out_of_their_fields() {
    let mut game = Game::default();
    let mv: Move = "h2e2".parse().unwrap();
    let node = game.add(NodeId::ROOT, mv);
    game.set_comment(node, "a[/DhtmlXQ_comment1][DhtmlXQ_movelist]0000[/DhtmlXQ_movelist]");
    let result = read(&write([&game]));
    assert_eq!(result.errors, []);
    assert_eq!(result.games[0].moves().collect::<Vec<_>>(), [mv]);
}
