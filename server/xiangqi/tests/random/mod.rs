//! Random games, and random arrangements that no game would reach.
#![allow(dead_code, reason = "each test file uses its part")]

use proptest::prelude::*;
use xiangqi::{Board, Defects, Move, Piece, Point, Position, Role, Setup, Side};

/// The positions of a random legal game, the start included, with the move
/// that was played in each.
pub fn game() -> impl Strategy<Value = Vec<(Position, Move)>> {
    proptest::collection::vec(any::<u16>(), 1..160).prop_map(|choices| {
        let mut position = Position::start();
        let mut game = Vec::new();
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[usize::from(choice) % moves.len()];
            let next = position.play(mv).expect("it is on the list of legal moves");
            game.push((position, mv));
            position = next;
        }
        game
    })
}

/// Any pieces that one set has, anywhere: generals may be missing or astray,
/// advisors across the river.
pub fn arrangement() -> impl Strategy<Value = Position> {
    let pieces = proptest::collection::vec((side(), role(), point()), 0..40);
    (pieces, side()).prop_map(|(pieces, side_to_move)| position_of(pieces, side_to_move))
}

/// Pieces on points where a game can bring them, many of them soldiers that
/// share files: what is hardest to name in Chinese and WXF notation.
pub fn crowd() -> impl Strategy<Value = Position> {
    let soldiers = proptest::collection::vec((side(), Just(Role::Soldier), point_of_files(3..6)), 4..14);
    let others = proptest::collection::vec((side(), role(), point()), 0..24);
    (soldiers, others, side()).prop_map(|(soldiers, others, side_to_move)| {
        let pieces =
            soldiers.into_iter().chain(others).filter(|&(side, role, point)| possible(side, role, point));
        position_of(pieces, side_to_move)
    })
}

fn position_of(pieces: impl IntoIterator<Item = (Side, Role, Point)>, side_to_move: Side) -> Position {
    let mut board = Board::empty();
    for (side, role, point) in pieces {
        if board.piece_at(point).is_none() && board.of(side, role).len() < role.in_a_set() {
            board.set(point, Some(Piece { side, role }));
        }
    }
    let setup = Setup { board, side_to_move, ..Setup::empty() };
    Position::from_setup(setup)
        .or_else(|error| error.forgive(Defects::FORGIVABLE))
        .expect("no more pieces than a set has")
}

/// Whether a game can bring the piece there, as far as its name may depend on it.
fn possible(side: Side, role: Role, point: Point) -> bool {
    let mut board = Board::empty();
    board.set(point, Some(Piece { side, role }));
    let setup = Setup { board, side_to_move: side, ..Setup::empty() };
    !setup.defects().contains(xiangqi::Defect::ImpossiblePoint)
}

pub fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Red), Just(Side::Black)]
}

fn role() -> impl Strategy<Value = Role> {
    proptest::sample::select(&Role::ALL[..])
}

pub fn point() -> impl Strategy<Value = Point> {
    proptest::sample::select(&Point::ALL[..])
}

fn point_of_files(files: core::ops::Range<u8>) -> impl Strategy<Value = Point> {
    (files, 0u8..10).prop_map(|(file, rank)| Point::new(file, rank).expect("it is on the board"))
}
