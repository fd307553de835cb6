//! What holds of every position.

mod random;

use proptest::prelude::*;
use xiangqi::{Defects, Move, Notation, Position, Setup, notation};

/// The position with its board changed and, if `swap`, the other side to move.
fn rearranged(position: &Position, mirrored: bool, swapped: bool) -> Position {
    let Setup { board, side_to_move, .. } = position.setup();
    let board = if mirrored { board.mirrored() } else { board };
    let (board, side_to_move) =
        if swapped { (board.swapped(), side_to_move.opposite()) } else { (board, side_to_move) };
    irregular(Setup { board, side_to_move, ..position.setup() })
}

fn irregular(setup: Setup) -> Position {
    Position::from_setup(setup)
        .or_else(|error| error.forgive(Defects::FORGIVABLE))
        .expect("the pieces are those of a set")
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut moves: Vec<Move> = moves.into_iter().collect();
    moves.sort();
    moves
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_move_taken_back_leaves_no_trace(game in random::game()) {
        for (position, _) in &game {
            let mut board = position.clone();
            for mv in position.legal_moves() {
                let undo = board.play_unchecked(mv);
                prop_assert_eq!(undo.captured(), position.piece_at(mv.to));
                board.undo(undo);
                prop_assert_eq!(&board, position);
            }
        }
    }

    #[test]
    fn the_key_kept_in_play_is_the_key_made_afresh(game in random::game()) {
        for (position, mv) in &game {
            let after = position.play(*mv).unwrap();
            prop_assert_eq!(after.key(), Position::from_setup(after.setup()).unwrap().key());
            prop_assert_eq!(after.key(), after.pass().pass().key());
            prop_assert_ne!(after.key(), after.pass().key());
        }
    }

    #[test]
    fn a_fen_comes_back_as_the_same_position(game in random::game()) {
        for (position, _) in &game {
            prop_assert_eq!(&Position::from_fen(&position.fen()).unwrap(), position);
        }
    }

    #[test]
    fn every_move_of_a_game_survives_every_notation(game in random::game()) {
        for (position, _) in &game {
            survives_every_notation(position)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn soldiers_that_share_files_survive_every_notation(position in random::crowd()) {
        survives_every_notation(&position)?;
    }

    #[test]
    fn a_reflected_board_has_the_reflected_moves(position in random::arrangement()) {
        let mirrored = rearranged(&position, true, false);
        prop_assert_eq!(
            sorted(position.legal_moves()),
            sorted(mirrored.legal_moves().into_iter().map(Move::mirrored))
        );
        prop_assert_eq!(position.status(), mirrored.status());
    }

    #[test]
    fn the_colours_are_treated_alike(position in random::arrangement()) {
        let swapped = rearranged(&position, false, true);
        prop_assert_eq!(
            sorted(position.legal_moves()),
            sorted(swapped.legal_moves().into_iter().map(Move::rotated))
        );
        prop_assert_eq!(position.status(), swapped.status());
    }

    #[test]
    fn any_displacement_can_be_played_and_taken_back(
        mut position in random::arrangement(),
        moves in proptest::collection::vec((random::point(), random::point()), 1..20),
    ) {
        let before = position.clone();
        let mut undos = Vec::new();
        for (from, to) in moves {
            let mv = Move { from, to };
            prop_assert_eq!(position.play_irregular(mv).side_to_move(), position.side_to_move().opposite());
            undos.push(position.play_unchecked(mv));
            prop_assert_eq!(&irregular(position.setup()), &position);
            let _ = (position.status(), position.legality(mv), position.defects());
            for notation in Notation::ALL {
                let _ = notation::write(notation, &position, mv);
            }
        }
        for undo in undos.into_iter().rev() {
            position.undo(undo);
        }
        prop_assert_eq!(position, before);
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,60}", fen in "[a-zA-Z0-9/ wb-]{0,90}") {
        let start = Position::start();
        for notation in Notation::ALL {
            let _ = notation::parse(notation, &start, &text);
        }
        let _ = (notation::detect(&text), Position::from_fen(&text), Position::from_fen(&fen));
    }
}

fn survives_every_notation(position: &Position) -> Result<(), TestCaseError> {
    for mv in position.legal_moves() {
        for notation in Notation::ALL {
            let written = notation::write(notation, position, mv);
            prop_assert_eq!(
                notation::parse(notation, position, &written),
                Ok(mv),
                "{:?} {}",
                position,
                written
            );
            prop_assert_eq!(notation::detect(&written), Some(notation), "{}", written);
        }
    }
    Ok(())
}
