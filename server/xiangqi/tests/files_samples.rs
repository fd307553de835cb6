//! Game files of the real world against what they are known to hold. They lie
//! beside the checkout; the crate's own small files are tested beside the code.

mod shared;

use xiangqi::files::{self, Encoding, Format, Game, GameResult, NodeId, Problem, ReadResult, To};

fn sample(name: &str) -> Option<Vec<u8>> {
    shared::file(&format!("broadcast/samples/{name}"))
}

fn read(name: &str) -> Option<ReadResult> {
    sample(name).map(|bytes| files::read(&bytes))
}

/// The only game of a sample that can be read without loss.
fn game(name: &str) -> Option<Game> {
    let mut result = read(name)?;
    assert_eq!(result.errors, [], "{name}");
    assert_eq!(result.games.len(), 1, "{name}");
    result.games.pop()
}

fn uci(game: &Game) -> String {
    game.moves().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
}

/// How many lines of play a game has from its start to an end.
fn leaves(game: &Game) -> usize {
    let mut nodes = vec![NodeId::ROOT];
    let mut leaves = 0;
    while let Some(node) = nodes.pop() {
        leaves += usize::from(game.next(node).is_none());
        nodes.extend(game.children(node));
    }
    leaves
}

fn comments(game: &Game) -> usize {
    game.main_line().chain([NodeId::ROOT]).filter(|&node| !game.comment(node).is_empty()).count()
}

#[test]
fn the_main_lines_are_those_expected() {
    for (name, expected) in [
        ("dhtmlxq_116.txt", "dhtmlxq_116"),
        ("dhtmlxq_44.txt", "dhtmlxq_44"),
        ("dhtmlxq_73.txt", "dhtmlxq_73"),
        ("pgn_chinese_gbk_1.pgn", "pgn_chinese_gbk_1"),
        ("pgn_chinese_gbk_2.pgn", "pgn_chinese_gbk_2"),
        ("pgn_chinese_gbk_3.pgn", "pgn_chinese_gbk_3"),
        ("pgn_chinese_gbk_4.pgn", "pgn_chinese_gbk_4"),
        // The first of these games in other notations.
        ("pgn_iccs.pgn", "pgn_chinese_gbk_1"),
        ("pgn_wxf.pgn", "pgn_chinese_gbk_1"),
        ("pgn_wxf_dot.pgn", "pgn_chinese_gbk_1"),
    ] {
        let (Some(game), Some(expected)) = (game(name), sample(&format!("{expected}.expected_uci.txt")))
        else {
            return;
        };
        assert_eq!(uci(&game), String::from_utf8(expected).unwrap().trim(), "{name}");
    }
}

#[test]
fn formats_encodings_and_lengths_are_those_expected() {
    for (name, format, encoding, plies) in [
        ("dhtmlxq_ubb_107ply.txt", Format::DhtmlXq, Some(Encoding::Utf8), 107),
        ("iccs_54ply.pgn", Format::Pgn, Some(Encoding::Utf8), 54),
        ("wxf_55ply.txt", Format::Wxf, Some(Encoding::Utf8), 55),
        ("pgn_wxf_fullwidth.pgn", Format::Pgn, Some(Encoding::Utf8), 95),
        ("pgn_chinese_gbk_1.pgn", Format::Pgn, Some(Encoding::Gbk), 26),
        ("pgn_chinese_big5_1.pgn", Format::Pgn, Some(Encoding::Big5), 97),
        ("pgn_chinese_big5_2.pgn", Format::Pgn, Some(Encoding::Big5), 190),
        ("pgn_chinese_big5_3.pgn", Format::Pgn, Some(Encoding::Big5), 72),
        ("xqf_v16_puzzle.xqf", Format::Xqf, None, 43),
        ("test.cbf", Format::Cbf, Some(Encoding::Utf8), 50),
        ("test.cbr", Format::Cbr, None, 28),
        ("test2.cbr", Format::Cbr, None, 2),
    ] {
        let Some(result) = read(name) else { return };
        assert_eq!((result.format, result.encoding), (Some(format), encoding), "{name}");
        assert_eq!(result.games[0].moves().count(), plies, "{name}");
    }
}

#[test]
fn names_in_gbk_are_read() {
    let Some(game) = game("pgn_chinese_gbk_1.pgn") else { return };
    let tags = ["Red", "Black", "Site", "Date", "ECCO", "Variation"].map(|name| game.tags.get(name));
    assert_eq!(
        tags,
        [
            Some("宝岛一号"),
            Some("相眼竞技"),
            Some("北京中国科技馆"),
            Some("2006.08.03"),
            Some("C48"),
            Some("红仕角炮对黑退边炮")
        ]
    );
    assert_eq!(game.result, GameResult::BlackWins);
}

#[test]
fn the_handicap_start_and_the_comments_are_kept() {
    let Some(bytes) = sample("pgn_chinese_gbk_fen_comments.pgn") else { return };
    let game = game("pgn_chinese_gbk_fen_comments.pgn").unwrap();
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/9/1C5C1/9/RN2K2NR w - - 0 1";
    assert_eq!((game.start().fen().as_str(), game.moves().count()), (start, 75));
    assert_eq!(comments(&game), bytes.iter().filter(|&&byte| byte == b'{').count());
}

#[test]
fn the_variations_of_dhtmlxq_hang_where_they_belong() {
    let Some(game) = game("dhtmlxq_ubb_variations.txt") else { return };
    let fourth = game.main_line().nth(3).unwrap();
    let lines: Vec<(String, &str)> =
        game.children(fourth).map(|node| (game.mv(node).unwrap().to_string(), game.comment(node))).collect();
    let expected = [
        ("c3c4", "Here branching occurrs"),
        ("i0h0", "variation 1"),
        ("b0c2", "variation 2"),
        ("a0a1", "variation 3"),
    ];
    assert_eq!(lines, expected.map(|(mv, comment)| (mv.to_owned(), comment)));
    assert_eq!((game.move_count(), leaves(&game)), (9 + 4 + 4 + 6, 4));
}

#[test]
fn dhtmlxq_is_written_as_others_write_it() {
    for name in ["dhtmlxq_ubb_107ply.txt", "dhtmlxq_ubb_variations.txt"] {
        let Some(game) = game(name) else { return };
        let sample = String::from_utf8(sample(name).unwrap()).unwrap();
        let written = files::write_dhtmlxq([&game]);
        let moves = |text: &str| -> Vec<String> {
            text.lines()
                .filter(|line| line.contains("_move") || line.contains("_comment"))
                .map(|line| line.trim().to_owned())
                .collect()
        };
        assert_eq!(moves(&written), moves(&sample), "{name}");
    }
}

#[test]
fn the_puzzle_is_the_one_that_its_text_describes() {
    let (Some(xqf), Some(text)) = (game("xqf_v16_puzzle.xqf"), game("xqf_v16_puzzle.expected.txt")) else {
        return;
    };
    assert_eq!((xqf.start().board(), uci(&xqf), xqf.result), (text.start().board(), uci(&text), text.result));
    assert_eq!(xqf.tags.get("Title"), Some("第006局 蝇垂骥尾"));
}

#[test]
fn the_trees_of_xqf_and_cbr_have_all_their_lines() {
    // The numbers of moves and lines that another reader counts.
    for (name, main, lines) in [
        ("xqf_v18_5variations.xqf", 6, 5),
        ("xqf_v18_nomove.xqf", 0, 1),
        ("xqf_v18_pawns.xqf", 14, 1),
        ("xqf_v18_qixing_tree.xqf", 87, 20),
        ("xqf_v18_unittest.xqf", 5, 3),
        ("xqf_v18_variations.xqf", 8, 6),
        ("test.cbr", 28, 12),
    ] {
        let Some(game) = game(name) else { return };
        assert_eq!((game.moves().count(), leaves(&game)), (main, lines), "{name}");
    }
}

#[test]
fn the_headings_of_xqf_are_read() {
    let Some(game) = game("xqf_v18_unittest.xqf") else { return };
    let expected = [
        ("Annotator", "棋谱讲评"),
        ("Author", "文件作者"),
        ("Black", "黑方棋手"),
        ("BlackTime", "黑方用时"),
        ("Date", "比赛日期"),
        ("Event", "比赛名称"),
        ("Red", "红方棋手"),
        ("RedTime", "红方用时"),
        ("Site", "比赛地点"),
        ("TimeControl", "用时规则"),
        ("Title", "标题"),
    ];
    assert_eq!(game.tags.iter().collect::<Vec<_>>(), expected);
    assert_eq!(game.result, GameResult::Draw);
}

#[test]
fn bad_moves_in_xqf_are_found() {
    let (Some(main), Some(variation)) = (read("xqf_v18_badmove3.xqf"), read("xqf_v18_wildhorse_tree.xqf"))
    else {
        return;
    };
    assert!(matches!(main.errors[0].problem, Problem::Illegal { ply: 10, .. }));
    assert_eq!((main.games.len(), main.errors[0].partial.as_ref().unwrap().moves().count()), (0, 9));
    assert!(matches!(variation.errors[0].problem, Problem::Illegal { ply: 74, .. }));
    assert_eq!((variation.games[0].moves().count(), variation.errors.len()), (65, 1));
}

#[test]
fn comments_in_utf16_and_cdata_are_read() {
    let (Some(cbr), Some(cbf)) = (game("test2.cbr"), game("test.cbf")) else { return };
    let all: Vec<&str> =
        [NodeId::ROOT].into_iter().chain(cbr.main_line()).map(|node| cbr.comment(node)).collect();
    assert_eq!(all, ["李1", "李2", "李3"]);
    assert_eq!(cbf.comment(NodeId::ROOT), "中炮横车盘头马对屏风马双炮巡河");
    assert_eq!(comments(&cbf), 8);
}

#[test]
fn every_sample_becomes_every_format_and_is_the_same_game_again() {
    for name in [
        "dhtmlxq_44.txt",
        "dhtmlxq_ubb_variations.txt",
        "iccs_54ply.pgn",
        "pgn_chinese_big5_2.pgn",
        "pgn_chinese_gbk_fen_comments.pgn",
        "xqf_v16_puzzle.xqf",
        "xqf_v18_qixing_tree.xqf",
        "xqf_v18_variations.xqf",
        "test.cbf",
        "test.cbr",
        "wxf_55ply.txt",
    ] {
        let Some(bytes) = sample(name) else { return };
        let game = game(name).unwrap();
        for to in [To::Pgn, To::DhtmlXq, To::Xqf, To::Uci] {
            for encoding in [Encoding::Utf8, Encoding::Gbk, Encoding::Utf16] {
                let converted = files::convert(&bytes, to, encoding).unwrap();
                let mut again = files::read(&converted);
                assert_eq!(again.errors, [], "{name} as {to:?}");
                let again = again.games.pop().unwrap();
                assert_eq!(uci(&again), uci(&game), "{name} as {to:?}");
                if to != To::Uci {
                    assert_eq!(
                        (again.move_count(), again.result),
                        (game.move_count(), game.result),
                        "{name} as {to:?}"
                    );
                    assert_eq!(comments(&again), comments(&game), "{name} as {to:?}");
                }
            }
        }
    }
}
