//! What is written is read again as the same game, in every format; and no
//! input, however hostile, makes a reader panic or take more than its time.
#![allow(clippy::disallowed_methods, reason = "hostile files are timed")]

mod shared;

use core::time::Duration;
use std::time::Instant;

use proptest::prelude::*;
use xiangqi::files::{self, Encoding, Game, GameResult, NodeId, pgn};
use xiangqi::{Notation, Position};

/// Where a move goes, which one it is, what is said about it, and the clock.
type Play = (u16, u16, String, Option<u32>);

fn plays() -> impl Strategy<Value = Vec<Play>> {
    prop::collection::vec((any::<u16>(), any::<u16>(), comment(), prop::option::of(0..20_000_000u32)), 0..60)
}

/// Comments as readers give them back: trimmed, and without what one format or
/// the other has no way to hold (`}` in PGN, `||` in DhtmlXQ).
fn comment() -> impl Strategy<Value = String> {
    let text = "[ -z~\n中炮马相仕车一二１２，。！（）｛é𠀀\\[\\]()]{0,12}";
    prop_oneof![3 => Just(String::new()), 1 => text.prop_map(|text: String| text.trim().to_owned())]
}

fn heading() -> impl Strategy<Value = String> {
    "[ -z~红黑方]{0,7}".prop_map(|text| text.trim().to_owned())
}

fn start() -> impl Strategy<Value = Position> {
    prop_oneof![
        Just("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"),
        Just("2bak4/4a4/4b4/9/6NRR/2B6/1rP1P4/3pB4/4p4/3K5 w - - 0 1"),
        Just("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 0 1"),
        Just("5k3/9/3P5/3P1P1P1/5P3/9/9/9/9/4K4 w - - 0 1"),
    ]
    .prop_map(|fen| Position::from_fen(fen).expect("these are positions"))
}

prop_compose! {
    fn game()(
        start in start(),
        result in prop::sample::select(vec![
            GameResult::Unknown, GameResult::RedWins, GameResult::BlackWins, GameResult::Draw,
        ]),
        headings in prop::collection::vec(heading(), 4),
        before in comment(),
        plays in plays(),
    ) -> Game {
        let mut game = Game::new(start);
        game.result = result;
        game.tags = ["Event", "Red", "Black", "Title"].into_iter().zip(headings).collect();
        game.set_comment(NodeId::ROOT, before);
        let mut nodes = vec![NodeId::ROOT];
        for (at, which, comment, clock) in plays {
            // Long lines more often than bushes.
            let at = if at % 4 == 0 { usize::from(at) % nodes.len() } else { nodes.len() - 1 };
            let legal = game.position(nodes[at]).legal_moves();
            let Some(mv) = legal.into_iter().cycle().nth(usize::from(which) % 64) else { continue };
            let node = game.add(nodes[at], mv);
            game.set_comment(node, comment);
            game.set_clock(node, clock.map(|ms| Duration::from_millis(ms.into())));
            nodes.push(node);
        }
        game
    }
}

fn without_clocks(game: &Game) -> Game {
    let mut game = game.clone();
    let mut nodes = vec![NodeId::ROOT];
    while let Some(node) = nodes.pop() {
        game.set_clock(node, None);
        nodes.extend(game.children(node).collect::<Vec<_>>());
    }
    game
}

fn read_one(bytes: &[u8]) -> Game {
    let mut result = files::read(bytes);
    assert_eq!(result.errors, [], "{}", String::from_utf8_lossy(bytes));
    assert_eq!(result.games.len(), 1, "{}", String::from_utf8_lossy(bytes));
    result.games.remove(0)
}

proptest! {
    #[test]
    fn pgn_in_every_notation(game in game(), notation in prop::sample::select(Notation::ALL.to_vec())) {
        let with_clocks = pgn::write([&game], pgn::Options { notation, clocks: true });
        prop_assert_eq!(&read_one(with_clocks.as_bytes()), &game);
        let plain = pgn::write([&game], pgn::Options { notation, clocks: false });
        prop_assert_eq!(read_one(plain.as_bytes()), without_clocks(&game));
    }

    #[test]
    fn pgn_in_gbk(game in game()) {
        let text = pgn::write([&game], pgn::Options { clocks: true, ..pgn::Options::default() });
        prop_assert_eq!(&read_one(&Encoding::Gbk.encode(&text).unwrap()), &game);
    }

    #[test]
    fn dhtmlxq(game in game()) {
        let game = without_clocks(&game);
        prop_assert_eq!(&read_one(files::write_dhtmlxq([&game]).as_bytes()), &game);
    }

    #[test]
    fn xqf(game in game()) {
        let game = without_clocks(&game);
        prop_assert_eq!(&read_one(&files::write_xqf(&game)), &game);
    }

    #[test]
    fn uci_main_lines(games in prop::collection::vec(game(), 1..4)) {
        let result = files::read(files::write_uci(&games).as_bytes());
        prop_assert_eq!(&result.errors, &[]);
        prop_assert_eq!(result.games.len(), games.len());
        for (read, game) in result.games.iter().zip(&games) {
            prop_assert_eq!(read.start(), game.start());
            prop_assert!(read.moves().eq(game.moves()));
        }
    }

    #[test]
    fn several_games_in_one_file(games in prop::collection::vec(game(), 2..4)) {
        let games: Vec<Game> = games.iter().map(without_clocks).collect();
        for text in [pgn::write(&games, pgn::Options::default()), files::write_dhtmlxq(&games)] {
            let result = files::read(text.as_bytes());
            prop_assert_eq!(&result.errors, &[]);
            prop_assert_eq!(&result.games, &games);
        }
    }

    #[test]
    fn a_damaged_file_is_read_without_panic(game in game(), at in any::<usize>(), byte in any::<u8>(), cut in any::<usize>()) {
        let text = pgn::write([&game], pgn::Options { clocks: true, ..pgn::Options::default() });
        for mut file in [
            Encoding::Gbk.encode(&text).unwrap(),
            text.into_bytes(),
            files::write_dhtmlxq([&game]).into_bytes(),
            files::write_uci([&game]).into_bytes(),
            files::write_xqf(&game),
        ] {
            let length = file.len();
            file[at % length] = byte;
            let _ = files::read(&file);
            let _ = files::read(&file[..cut % length]);
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = files::read(&bytes);
        for head in [&b"XQ\x12"[..], b"CCBridge Record\0", b"[DhtmlXQ_movelist]", b"[Red \"", b"<ChineseChessRecord"] {
            let _ = files::read(&[head, &bytes].concat());
            let _ = files::read(&[head, &[0; 2300], &bytes].concat());
        }
    }
}

#[test]
fn games_of_real_play_survive_every_format() {
    for row in shared::table("games.tsv").unwrap_or_default().iter().step_by(10) {
        let mut game = Game::default();
        game.result = GameResult::from_word(&row[1]).unwrap();
        game.tags = [("Red", &row[2]), ("Black", &row[3]), ("Event", &row[5])].into_iter().collect();
        game.add_line(NodeId::ROOT, row[11].split(' ').map(|mv| mv.parse().unwrap()));
        for notation in Notation::ALL {
            let text = pgn::write([&game], pgn::Options { notation, clocks: false });
            assert_eq!(read_one(text.as_bytes()), game, "{}", row[0]);
            assert_eq!(read_one(&Encoding::Gbk.encode(&text).unwrap()), game, "{}", row[0]);
        }
        assert_eq!(read_one(files::write_dhtmlxq([&game]).as_bytes()), game, "{}", row[0]);
        assert_eq!(read_one(&files::write_xqf(&game)), game, "{}", row[0]);
        assert_eq!(files::write_uci([&game]).trim(), row[11], "{}", row[0]);
    }
}

/// Files of a megabyte made to cost more than their size: each is read in time
/// proportional to it. A quadratic reader would need hours.
#[test]
fn hostile_files_cost_no_more_than_their_size() {
    let n = 1 << 20;
    let shuttle = "1. H0-G2 H9-G7 2. G2-H0 G7-H9 ".repeat(n / 32);
    let line = "7967706267796270".repeat(n / 16);
    let variations: String =
        (1..20_000).map(|i| format!("[DhtmlXQ_move_0_{i}_{i}]7967[/DhtmlXQ_x]")).collect();
    for (what, file) in [
        ("unclosed comments", "{\n".repeat(n / 2)),
        ("unclosed comments of many games", "1. H2-E2 {\n[Game \"x\"]\n".repeat(n / 24)),
        ("nested variations", format!("1. H2-E2 {}", "(1. H2-D2 ".repeat(n / 10))),
        ("variations of one move", format!("1. H2-E2 {} *", "(1. H2-D2) ".repeat(n / 11))),
        ("one long game", format!("[Red \"x\"]\n{shuttle}*")),
        ("a long line with variations", format!("[DhtmlXQ_movelist]{line}[/DhtmlXQ_movelist]{variations}")),
        ("unclosed fields", "[DhtmlXQ_a]".repeat(n / 11)),
        ("brackets", format!("[DhtmlXQ]{}", "[".repeat(n))),
        ("unclosed elements", format!("<ChineseChessRecord>{}", "<Move ".repeat(n / 6))),
        ("unclosed CDATA", format!("<ChineseChessRecord>{}", "<Move value=\"\"><![CDATA[".repeat(n / 24))),
        ("WXF games", "START{".repeat(n / 6)),
        ("quotes", format!("[Red \"{}\n", "\"".repeat(n))),
        ("tags", "[a \"\"".repeat(n / 5)),
        ("moves without end", "h2e2 ".repeat(n / 5)),
    ] {
        let began = Instant::now();
        let _ = files::read(file.as_bytes());
        let took = began.elapsed();
        eprintln!("{what}: {} bytes in {took:?}", file.len());
        assert!(took < Duration::from_secs(10), "{what}: {took:?}");
    }
}
