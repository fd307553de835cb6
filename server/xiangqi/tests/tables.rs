//! The reference tables: perft, notation, games, repetition cases.

mod shared;

use shared::table;
use xiangqi::{Notation, Position, notation, perft};

/// Rows of more nodes than this belong to the bench.
const NODE_BUDGET: u64 = 15_000_000;

#[test]
fn perft_agrees_with_the_published_counts() {
    for row in table("perft.tsv").unwrap_or_default() {
        let (fen, depth, nodes) = (&row[0], row[1].parse().unwrap(), row[2].parse().unwrap());
        if nodes <= NODE_BUDGET {
            assert_eq!(perft(&Position::from_fen(fen).unwrap(), depth), nodes, "{fen} to depth {depth}");
        }
    }
}

#[test]
fn every_row_of_the_notation_table_is_written_and_read() {
    for row in table("notation.tsv").unwrap_or_default() {
        // A row leaves the waiting side in check: notation does not mind.
        let position = Position::from_diagram(&row[0]).unwrap();
        let mv = row[1].parse().unwrap();
        let written = [(Notation::Uci, 1), (Notation::Iccs, 2), (Notation::Chinese, 3), (Notation::Wxf, 4)];
        for (notation, column) in written {
            assert_eq!(notation::write(notation, &position, mv), row[column], "{row:?}");
            assert_eq!(notation::parse(notation, &position, &row[column]), Ok(mv), "{row:?}");
        }
        for alternative in row[5].split(" / ").filter(|text| !text.is_empty()) {
            assert_eq!(notation::chinese::parse(&position, alternative), Ok(mv), "{row:?}");
        }
    }
}

#[test]
fn every_move_of_every_game_survives_every_notation() {
    for row in table("games.tsv").unwrap_or_default() {
        let mut position = Position::start();
        for text in row[11].split(' ') {
            let mv = text.parse().unwrap();
            for notation in Notation::ALL {
                let written = notation::write(notation, &position, mv);
                assert_eq!(notation::parse(notation, &position, &written), Ok(mv), "{position:?} {written}");
                assert_eq!(notation::detect(&written), Some(notation), "{written}");
            }
            position = position.play(mv).unwrap();
        }
        let end = format!("{} ", row[10]);
        assert!(position.fen().starts_with(&end), "{} ends with {position:?}", row[0]);
    }
}

#[test]
fn every_repetition_case_starts_from_a_position_and_is_legal() {
    for row in table("repetition.tsv").unwrap_or_default() {
        let mut position = Position::from_fen(&row[4]).unwrap();
        for mv in row[7].split(' ') {
            position = position.play(mv.parse().unwrap()).unwrap();
        }
    }
}
