use super::super::{Game, GameResult, NodeId, Place, Problem};
use super::{TREE, read, write};
use crate::{Move, Position};

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

/// 炮二平五 马８进７ with a comment, and two other replies.
fn game() -> Game {
    let mut game = Game::default();
    game.tags = [("Title", "中炮对屏风马"), ("Event", "全国赛"), ("Red", "红方"), ("Black", "黑方")]
        .into_iter()
        .collect();
    game.result = GameResult::Draw;
    game.set_comment(NodeId::ROOT, "开局\n第二行");
    let first = game.add(NodeId::ROOT, mv("h2e2"));
    let reply = game.add(first, mv("h9g7"));
    game.set_comment(reply, "屏风马");
    game.add_line(first, ["h7e7", "h0g2"].map(mv));
    game.add(first, mv("b9c7"));
    game.add(reply, mv("h0g2"));
    game
}

#[test]
fn what_is_written_is_read_again() {
    let file = write(&game());
    let result = read(&file);
    assert_eq!(result.errors, []);
    assert_eq!(result.games, [game()]);
}

#[test]
fn the_bytes_are_those_of_the_published_example() {
    // The moves 兵七进一 马８进７ as the description of XQF 1.0 prints them.
    let mut game = Game::default();
    game.add_line(NodeId::ROOT, ["c3c4", "h9g7"].map(mv));
    game.result = GameResult::BlackWins;
    game.tags.set("Site", "北京");
    let file = write(&game);
    assert_eq!(file[..4], [b'X', b'Q', 0x0A, 0]);
    assert_eq!(file[16..32], [80, 70, 60, 50, 40, 30, 20, 10, 0, 72, 12, 83, 63, 43, 23, 3]);
    assert_eq!(file[32..48], [9, 19, 29, 39, 49, 59, 69, 79, 89, 17, 77, 6, 26, 46, 66, 86]);
    assert_eq!(file[0x33], 2);
    assert_eq!(file[0x120..0x125], [4, 0xB1, 0xB1, 0xBE, 0xA9]);
    let root = [0x18, 0x20, 0xF0, 0xFF, 0, 0, 0, 0];
    let first = [0x2F, 0x38, 0xF0, 0, 0, 0, 0, 0];
    let last = [0x67, 0x63, 0x00, 0, 0, 0, 0, 0];
    assert_eq!(file[TREE..], [root, first, last].concat());
}

#[test]
fn a_start_for_black_survives() {
    let start = Position::from_fen("4k4/9/9/9/9/9/9/9/4r4/3K5 b").unwrap();
    let mut game = Game::new(start);
    assert_eq!(read(&write(&game)).games, [game.clone()]);
    game.add(NodeId::ROOT, mv("e1d1"));
    assert_eq!(read(&write(&game)).games, [game]);
}

#[test]
fn texts_too_long_are_cut_after_a_whole_character() {
    let mut long = Game::default();
    long.tags.set("Red", "a一二三四五六七八九");
    let read = read(&write(&long));
    assert_eq!(read.games[0].tags.get("Red"), Some("a一二三四五六七"));
}

#[test]
fn a_file_cut_short_anywhere_is_an_error_with_what_was_read() {
    let file = write(&game());
    for length in 2..file.len() {
        let result = read(&file[..length]);
        let [error] = &result.errors[..] else { panic!("{length} bytes: {:?}", result.errors) };
        assert!(matches!(error.problem, Problem::Truncated { .. }), "{length} bytes: {error}");
        assert!(matches!(error.place, Place::Byte(at) if at <= length));
    }
}

#[test]
fn illegal_moves_end_the_game_or_their_variation() {
    let mut file = write(&game());
    // The first reply becomes h9g8; it stands after the root and its comment.
    let reply = TREE + 8 + 11 + 8;
    file[reply + 1] += 1;
    let result = read(&file);
    assert!(matches!(result.errors[0].problem, Problem::Illegal { ply: 2, .. }), "{:?}", result.errors);
    assert_eq!(result.errors[0].place, Place::Byte(reply));
    assert_eq!(result.games, []);
}

/// A file of version 18 that was scrambled by another program, from the same
/// description of the format: 炮二平五 {中炮}, then 马８进７ or 炮８平５.
fn scrambled() -> Vec<u8> {
    let mut file = vec![0; TREE];
    file[..52].copy_from_slice(&[
        0x58, 0x51, 0x12, 0x5A, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x04, 0x08, 0x09, 0x14, 0x1E, 0x28, 0xE2,
        0xD8, 0xCE, 0xC4, 0x0C, 0xD0, 0x17, 0x03, 0xEF, 0xDB, 0xC7, 0xCD, 0xD7, 0xE1, 0xEB, 0xF5, 0xFF, 0x09,
        0x13, 0x1D, 0xD5, 0x11, 0xCA, 0xDE, 0xF2, 0x06, 0x1A, 0x14, 0x0A, 0x00, 0xF6, 0xEC, 0x00, 0x00, 0x00,
        0x03,
    ]);
    file[80..85].copy_from_slice(&[0x04, 0xC6, 0xE5, 0xC6, 0xD7]);
    file.extend([
        0xB5, 0xE4, 0x82, 0x08, 0xF4, 0x10, 0xAE, 0x00, 0x20, 0x1E, 0x08, 0x00, 0xDE, 0xE0, 0xC5, 0xE2, 0xFB,
        0x29, 0x40, 0x00, 0x02, 0x15, 0x06, 0x00,
    ]);
    file
}

#[test]
fn a_scrambled_file_is_read() {
    let result = read(&scrambled());
    assert_eq!(result.errors, []);
    let mut game = Game::default();
    game.result = GameResult::Draw;
    game.tags.set("Title", "棋谱");
    let first = game.add(NodeId::ROOT, mv("h2e2"));
    game.set_comment(first, "中炮");
    game.add(first, mv("h9g7"));
    game.add(first, mv("h7e7"));
    assert_eq!(result.games, [game]);
}
