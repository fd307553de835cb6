use core::time::Duration;

use super::super::{Game, GameResult, NodeId, Place, Problem, ReadResult};
use super::{Options, read, write};
use crate::{Move, Notation};

fn one(text: &str) -> Game {
    let result = read(text);
    assert_eq!(result.errors, []);
    let [game] = &result.games[..] else { panic!("{} games", result.games.len()) };
    game.clone()
}

fn moves(game: &Game) -> String {
    game.moves().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
}

fn place(result: &ReadResult) -> Place {
    let [error] = &result.errors[..] else { panic!("{:?}", result.errors) };
    error.place.clone()
}

#[test]
fn a_move_is_read_in_whatever_notation_it_is() {
    for line in [
        "1. 炮二平五 马８进７ 2. 马二进三",
        "1.炮二平五 马8进7 2.馬二進三",
        "1． 炮二平五\n1.          马８进７\n2. 马二进三!?",
        "1. C2=5 H8+7 2. H2+3",
        "1. C2.5 h8+7 2. H2+3",
        "1. Ｃ２＝５ Ｈ８＋７ 2. Ｈ２＋３",
        "1. H2-E2 H9-G7 2. H0-G2",
        "1. h2e2 1... h9g7 2. h0g2 $1",
    ] {
        for head in ["", "[Game \"Chinese Chess\"]\n", "[Red \"a\"]\n[Format \"ICCS\"]\n\n"] {
            assert_eq!(moves(&one(&format!("{head}{line} *"))), "h2e2 h9g7 h0g2", "{line}");
        }
    }
}

#[test]
fn a_soldiers_move_is_not_taken_for_the_number_of_a_round() {
    let fen = "3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w - - 0 1";
    assert_eq!(moves(&one(&format!("[FEN \"{fen}\"]\n1. 15.6 *"))), "e7d7");
}

#[test]
fn comments_clocks_and_variations_find_their_moves() {
    let game = one("[Red \"a\"]\n{before}\n1. 炮二平五 {[%clk 0:29:50.5] first} {second}\n\
                    (1. 兵七进一 卒７进１ (1. ... {why} 炮２平３) 2. 马八进七) 马８进７ ;to the end\n2. 马二进三 1-0");
    assert_eq!(game.comment(NodeId::ROOT), "before");
    let first: Vec<NodeId> = game.children(NodeId::ROOT).collect();
    assert_eq!(first.len(), 2);
    assert_eq!(game.comment(first[0]), "first\nsecond");
    assert_eq!(game.clock(first[0]), Some(Duration::from_millis(29 * 60_000 + 50_500)));
    let replies: Vec<NodeId> = game.children(first[1]).collect();
    assert_eq!(
        replies.iter().map(|&node| game.mv(node).unwrap().to_string()).collect::<Vec<_>>(),
        ["g6g5", "b7c7"]
    );
    assert_eq!(game.comment(replies[1]), "why");
    assert_eq!(game.comment(game.next(first[0]).unwrap()), "to the end");
    assert_eq!((moves(&game).as_str(), game.result), ("h2e2 h9g7 h0g2", GameResult::RedWins));
}

#[test]
fn several_games_and_what_stands_between_them() {
    let result = read(
        "[Game \"Chinese Chess\"]\n[Red \"a\"]\n1. 炮二平五 1-0\n====\nVisit 【棋】 [us]!\n\n\
         [Game \"Chinese Chess\"]\n[Red \"b\"]\n1. 兵三进一\n[Game \"Chinese Chess\"]\n[Red \"c\"]\n*\n1. 马二进三 0-1\n",
    );
    assert_eq!(result.errors, []);
    let reds: Vec<_> = result.games.iter().map(|game| (game.tags.get("Red"), moves(game))).collect();
    let expected = [(Some("a"), "h2e2"), (Some("b"), "g3g4"), (Some("c"), ""), (None, "h0g2")];
    assert_eq!(reds, expected.map(|(red, moves)| (red, moves.to_owned())));
}

#[test]
fn games_without_moves_are_games() {
    let result = read("[Game \"Chinese Chess\"]\n[Red \"a\"]\n\n[Game \"Chinese Chess\"]\n[Red \"b\"]\n");
    assert_eq!(result.errors, []);
    assert_eq!(
        result.games.iter().map(|game| game.tags.get("Red")).collect::<Vec<_>>(),
        [Some("a"), Some("b")]
    );
}

#[test]
fn the_start_may_be_any_position_and_either_side_may_move_first() {
    let fen = "4k4/9/9/9/9/9/9/9/4r4/3K5 b - - 3 9";
    let game = one(&format!("[FEN \"{fen}\"]\n1. ... 车５平４ *"));
    assert_eq!(game.start().fen(), fen);
    assert!(
        write([&game], Options::default()).contains(&format!("[FEN \"{fen}\"]\n  1. ... 车５平４\n *\n"))
    );
    let red = one("[FEN \"4k4/9/9/9/9/9/9/9/5R3/3K5 r\"]\n*");
    assert_eq!(red.start().fen(), "4k4/9/9/9/9/9/9/9/5R3/3K5 w - - 0 1");
}

#[test]
fn an_unreadable_move_ends_its_game_and_no_other() {
    let result = read("1. 炮二平五 马８进７\n2. 马二进四 车９平８\n1-0\n[Red \"b\"]\n1. 兵三进一 *");
    assert_eq!(place(&result), Place::line(2, "马二进四"));
    assert_eq!(moves(result.errors[0].partial.as_ref().unwrap()), "h2e2 h9g7");
    assert_eq!(result.games.len(), 1);
    assert_eq!(result.errors[0].game, 1);
    let noise = read("[Red \"a\"]\n1. 炮二平五 hello *");
    assert_eq!(noise.errors[0].to_string(), "game 1, line 2, `hello`: this is not a move in any notation");
}

#[test]
fn an_unreadable_variation_is_left_out_and_said() {
    let result =
        read("1. 炮二平五 (1. 兵七进一 炮９平９ (马) {x} 车) 马８进７ (1. ... 马２进３) 2. 马二进三 *");
    assert_eq!(place(&result), Place::line(1, "炮９平９"));
    let game = &result.games[0];
    assert_eq!((moves(game).as_str(), game.move_count()), ("h2e2 h9g7 h0g2", 5));
}

#[test]
fn brackets_and_tags_that_do_not_match_are_errors() {
    for (text, problem, games) in [
        ("1. 炮二平五 {never ends", Problem::UnclosedComment, 0),
        ("1. 炮二平五 (1. 兵七进一", Problem::UnclosedVariation, 1),
        ("1. 炮二平五) 马８进７", Problem::NoVariationToClose, 0),
        ("(1. 炮二平五) *", Problem::NoMoveToVary, 0),
        ("[Red \"a]\n1. 炮二平五 *", Problem::Tag, 1),
        ("}", Problem::NotAMove, 0),
    ] {
        let result = read(text);
        assert_eq!(
            result.errors.iter().map(|error| &error.problem).collect::<Vec<_>>(),
            [&problem],
            "{text}"
        );
        assert_eq!(result.games.len(), games, "{text}");
    }
    let fen = read("[FEN \"4k4/9/9/9/9/9/9/9/9/4K4 w\"]\n*\n[FEN \"x\"]\n*");
    assert!(matches!(fen.errors[0].problem, Problem::Fen(_)));
    assert_eq!(
        (fen.errors.len(), place(&ReadResult { errors: fen.errors[1..].to_vec(), ..fen })),
        (2, Place::line(3, "x"))
    );
}

#[test]
fn nothing_is_so_deep_that_it_overflows() {
    let text = format!("1. 炮二平五 {}", "(1. 炮二平六 ".repeat(100_000));
    let result = read(&text);
    assert!(matches!(result.errors[0].problem, Problem::TooDeep(_)));
    let unclosed = "{".repeat(100_000);
    assert_eq!(read(&unclosed).games, []);
}

#[test]
fn what_is_written_is_what_viewers_read() {
    let mut game =
        one("1. 炮二平五 马８进７ 2. 马二进三 (2. 兵七进一 卒７进１) 车９平８ 3. 车一平二 {好} 1/2-1/2");
    game.tags = [("Red", "红\"方\"\\"), ("Black", "黑方"), ("TimeControl", "60分+30秒"), ("ECCO", "C42")]
        .into_iter()
        .collect();
    game.set_comment(NodeId::ROOT, "布局 {中炮}");
    assert_eq!(
        write([&game], Options::default()),
        "[Game \"Chinese Chess\"]\n[Event \"\"]\n[Site \"\"]\n[Date \"\"]\n[Round \"\"]\n[RedTeam \"\"]\n\
         [Red \"红\\\"方\\\"\\\\\"]\n[BlackTeam \"\"]\n[Black \"黑方\"]\n[Result \"1/2-1/2\"]\n[ECCO \"C42\"]\n\
         [TimeControl \"60分+30秒\"]\n{布局 {中炮｝}\n  1. 炮二平五 马８进７\n  2. 马二进三\n\
         (2. 兵七进一 卒７进１)\n  2. ... 车９平８\n  3. 车一平二\n{好}\n 1/2-1/2\n"
    );
}

#[test]
fn clocks_are_written_when_asked_for_one_move_a_line() {
    let mut game = one("1. 炮二平五 马８进７ 2. 马二进三 *");
    let nodes: Vec<NodeId> = game.main_line().collect();
    game.set_clock(nodes[0], Some(Duration::from_secs(3599)));
    game.set_clock(nodes[1], Some(Duration::from_millis(3_600_250)));
    assert!(!write([&game], Options::default()).contains("clk"));
    let text = write([&game], Options { clocks: true, notation: Notation::Iccs });
    let (_, moves) = text.split_once("[Format \"ICCS\"]\n").unwrap();
    assert_eq!(moves, "  1. H2-E2\n{[%clk 0:59:59]}\n  1. ... H9-G7\n{[%clk 1:00:00.250]}\n  2. H0-G2\n *\n");
    assert_eq!(one(&text), game);
}

#[test]
fn an_irregular_move_is_written_as_it_was_played() {
    let mut game = Game::default();
    let leap: Move = "h0h4".parse().unwrap();
    game.add(NodeId::ROOT, leap);
    assert!(write([&game], Options::default()).contains("  1. H0-H4\n"));
}
