//! Notation: `fixtures/notation.txt`, and what cannot be read.

use xiangqi::{Breach, Exposure, Illegal, Move, Notation, NotationError, Position, notation};

#[test]
fn every_move_of_the_fixture_is_written_and_read() {
    let text = include_str!("fixtures/notation.txt");
    let mut checked = 0;
    for block in text.split("\n\n").filter(|block| !block.starts_with('#')) {
        let mut lines = block.lines();
        let title = lines.next().unwrap();
        let position = Position::from_fen(lines.next().unwrap()).expect(title);
        for line in lines {
            let (written, read) = line.split_once('|').unwrap_or((line, ""));
            let [uci, chinese, wxf] = written.split_whitespace().collect::<Vec<_>>()[..] else {
                panic!("{title}: `{line}` has not three columns")
            };
            let mv: Move = uci.parse().expect(line);
            for (notation, expected) in
                [(Notation::Uci, uci), (Notation::Chinese, chinese), (Notation::Wxf, wxf)]
            {
                assert_eq!(notation::write(notation, &position, mv), expected, "{title}");
            }
            for text in [uci, chinese, wxf].into_iter().chain(read.split_whitespace()) {
                let notation =
                    notation::detect(text).unwrap_or_else(|| panic!("{title}: `{text}` is unknown"));
                assert_eq!(notation::parse(notation, &position, text), Ok(mv), "{title}: `{text}`");
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked} texts in the fixture");
}

#[test]
fn spaces_around_and_within_do_not_matter() {
    let start = Position::start();
    let mv = "h2e2".parse().unwrap();
    for text in [" 炮二平五 ", "炮 二 平 五", "炮二　平五"] {
        assert_eq!(notation::chinese::parse(&start, text), Ok(mv));
    }
    assert_eq!(notation::wxf::parse(&start, " C2=5\n"), Ok(mv));
    assert_eq!(notation::uci::parse(&start, " h2e2 "), Ok(mv));
}

#[test]
fn an_illegal_move_is_named_with_its_reason() {
    let start = Position::start();
    let illegal = |notation, text| match notation::parse(notation, &start, text) {
        Err(NotationError::Illegal { mv, reason, .. }) => (mv.to_string(), reason),
        other => panic!("{text}: {other:?}"),
    };
    let leg = Illegal::Breaks(Breach::HorseLegBlocked);
    assert_eq!(illegal(Notation::Chinese, "马八进六"), ("b0d1".into(), leg));
    assert_eq!(illegal(Notation::Wxf, "H8+6"), ("b0d1".into(), leg));
    assert_eq!(illegal(Notation::Uci, "b0d1"), ("b0d1".into(), leg));
    let own = Illegal::Breaks(Breach::OwnPieceOnTarget);
    assert_eq!(illegal(Notation::Chinese, "炮二平八"), ("h2b2".into(), own));

    let checked = Position::from_fen("3k5/9/9/9/9/4r4/9/9/9/C3K4 w").unwrap();
    let unanswered = notation::chinese::parse(&checked, "炮九平八");
    let reason = Illegal::ExposesGeneral(Exposure::CheckUnanswered);
    let (text, mv) = ("炮九平八".into(), "a0b0".parse().unwrap());
    assert_eq!(unanswered, Err(NotationError::Illegal { text, mv, reason }));
}

#[test]
fn what_is_no_move_is_refused() {
    let start = Position::start();
    for text in
        ["", "炮", "炮二平", "炮二平五五", "炮二跳五", "二炮平五五", "h2e", "h2e22", "z2e2", "C2*5", "C2=0"]
    {
        for notation in Notation::ALL {
            let error = notation::parse(notation, &start, text).unwrap_err();
            assert!(matches!(error, NotationError::Unreadable { .. }), "{text}: {error}");
        }
    }
    for text in ["炮三平五", "前炮平五", "马二进九", "仕五进六", "车三进九", "二兵平五"]
    {
        let error = notation::chinese::parse(&start, text).unwrap_err();
        assert!(matches!(error, NotationError::NoSuchMove { .. }), "{text}: {error}");
    }
}

#[test]
fn what_can_mean_two_moves_is_asked_back() {
    let chariots = Position::from_fen("3k5/9/9/5R3/9/9/9/5R3/9/4K4 w").unwrap();
    let error = notation::chinese::parse(&chariots, "车四平一").unwrap_err();
    let moves = ["f2i2", "f6i6"].map(|mv| mv.parse().unwrap()).to_vec();
    assert_eq!(error, NotationError::Ambiguous { text: "车四平一".into(), moves });
    // 前兵 of two files that both hold several.
    let soldiers = Position::from_fen("5k3/9/3P5/3P1P1P1/5P3/9/9/9/9/4K4 w").unwrap();
    assert!(notation::chinese::parse(&soldiers, "前兵进一").is_err());
}

#[test]
fn an_illegal_move_can_be_written_all_the_same() {
    let start = Position::start();
    let written = |notation, mv: &str| notation::write(notation, &start, mv.parse().unwrap());
    assert_eq!(written(Notation::Chinese, "b0d1"), "马八进六");
    assert_eq!(written(Notation::Wxf, "b0d1"), "H8+6");
    // No words for a chariot that slants, or for a point without a piece.
    assert_eq!(written(Notation::Chinese, "a0b1"), "A0-B1");
    assert_eq!(written(Notation::Wxf, "e5e6"), "E5-E6");
}

#[test]
fn a_line_is_transcribed_from_mixed_notations_up_to_its_first_fault() {
    let start = Position::start();
    let moves = ["炮二平五", "H8+7", "H0-G2", "i9h9"];
    let line = notation::transcribe(&start, moves, None, Notation::Wxf).unwrap();
    assert_eq!(line.moves, ["C2=5", "H8+7", "H2+3", "R9=8"]);
    assert_eq!(line.end.move_number(), 3);
    let fault = notation::transcribe(&start, ["炮二平五", "炮三平五"], None, Notation::Uci).unwrap_err();
    assert_eq!(fault.ply, 2);
    let forced = notation::transcribe(&start, ["炮二平五"], Some(Notation::Wxf), Notation::Uci).unwrap_err();
    assert!(matches!(forced.error, NotationError::Unreadable { notation: Notation::Wxf, .. }));
}
