//! How a side stands (形势): what it has more on the board, and where its pieces stand.

use xiangqi::{Move, Piece, Point, Position, Role, Side};

use crate::worth::{Worth, worth, worth_at};

/// What the side to move has more than its opponent.
pub(super) fn standing(position: &Position) -> Worth {
    let mover = position.side_to_move();
    side(position, mover) - side(position, mover.opposite())
}

fn side(position: &Position, side: Side) -> Worth {
    let board = position.board();
    let pieces = board.of_side(side).into_iter().filter_map(|point| Some((point, board.piece_at(point)?)));
    pieces.map(|(point, piece)| worth(piece.role) + place(piece, point)).sum()
}

/// What a piece gains by its place: in the middle, out of its corner, across the river; the general does best at home.
fn place(piece: Piece, at: Point) -> Worth {
    let depth = Worth::from(at.depth(piece.side));
    let inwards = 4 - (Worth::from(at.file()) - 4).abs();
    match piece.role {
        Role::Chariot => inwards.min(2) + depth.min(2),
        Role::Cannon => inwards / 2,
        Role::Horse => inwards.min(3) + depth.min(6),
        Role::Soldier if depth >= 5 => 8 + if depth == 9 { 0 } else { inwards + 2 },
        Role::Soldier => 0,
        Role::King => -2 * depth,
        Role::Advisor | Role::Elephant => i64::from(inwards == 4),
    }
}

/// How early a capture is worth a look: dear pieces taken by cheap ones first.
pub(super) fn promise(position: &Position, mv: Move) -> Worth {
    10 * worth_at(position, mv.to) - worth_at(position, mv.from)
}
