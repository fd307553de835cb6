//! The move generator against published counts: `fixtures/perft.txt`.

use xiangqi::{Position, perft};

#[test]
fn perft_agrees_with_the_published_counts() {
    let text = include_str!("fixtures/perft.txt");
    let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut rows = 0;
    while let (Some(fen), Some(counts)) = (lines.next(), lines.next()) {
        let position = Position::from_fen(fen).unwrap();
        for (depth, nodes) in (1..).zip(counts.split(' ')) {
            assert_eq!(perft(&position, depth), nodes.parse().unwrap(), "{fen} to depth {depth}");
            rows += 1;
        }
    }
    assert_eq!(rows, 36, "rows of the fixture");
}

#[test]
fn nothing_to_play_is_one_line() {
    assert_eq!(perft(&Position::start(), 0), 1);
}
