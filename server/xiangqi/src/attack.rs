//! Who attacks a point.

use crate::reach::{between, in_line, reach};
use crate::{Board, Piece, Point, Points, Role, Side};

/// The pieces of `by` that attack `target`: that could capture there if an
/// opponent's piece stood there, the own general's safety aside. A general
/// attacks the opposing general along an open file (对面).
pub(crate) fn attackers(board: &Board, target: Point, by: Side) -> Points {
    attackers_among(board, board.of_side(by), board.occupied(), target, by)
}

/// The same among some pieces of `by`, on a board whose occupied points are others.
pub(crate) fn attackers_among(
    board: &Board,
    pieces: Points,
    occupied: Points,
    target: Point,
    by: Side,
) -> Points {
    pieces
        .into_iter()
        .filter(|&from| {
            let Some(Piece { role, .. }) = board.piece_at(from) else { return false };
            let screens = || (between(from, target) & occupied).len();
            match role {
                Role::Cannon => in_line(from, target) && screens() == 1 && from != target,
                Role::Chariot => in_line(from, target) && screens() == 0 && from != target,
                Role::King if board.king(by.opposite()) == Some(target) && from.file() == target.file() => {
                    screens() == 0
                }
                Role::King | Role::Advisor | Role::Elephant | Role::Horse | Role::Soldier => {
                    reach(Piece { side: by, role }, from, occupied).contains(target)
                }
            }
        })
        .collect()
}
