//! The 32 pieces one after the other, as DhtmlXQ and XQF list them: Red's
//! 车马相仕帅仕相马车炮炮兵兵兵兵兵, then Black's, each side's from its own right.

use crate::{Board, Piece, Point, Role, Side};

const ROLES: [Role; 16] = [
    Role::Chariot,
    Role::Horse,
    Role::Elephant,
    Role::Advisor,
    Role::King,
    Role::Advisor,
    Role::Elephant,
    Role::Horse,
    Role::Chariot,
    Role::Cannon,
    Role::Cannon,
    Role::Soldier,
    Role::Soldier,
    Role::Soldier,
    Role::Soldier,
    Role::Soldier,
];

fn pieces() -> impl Iterator<Item = Piece> {
    Side::ALL.into_iter().flat_map(|side| ROLES.map(|role| Piece { side, role }))
}

/// Where each piece stands; `None` if it is captured.
pub(super) fn points(board: &Board) -> [Option<Point>; 32] {
    let mut left: Vec<(Point, Piece)> = board.pieces().collect();
    left.sort_by_key(|(point, piece)| point.file_number(piece.side));
    let mut points = [None; 32];
    for (point, wanted) in points.iter_mut().zip(pieces()) {
        let at = left.iter().position(|(_, piece)| *piece == wanted);
        *point = at.map(|at| left.remove(at).0);
    }
    points
}

/// The board on which each piece stands there.
pub(super) fn board(points: [Option<Point>; 32]) -> Board {
    let mut board = Board::empty();
    for (piece, point) in pieces().zip(points) {
        if let Some(point) = point {
            board.set(point, Some(piece));
        }
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_in_roster_order() {
        let points = points(&Board::START);
        let text: Vec<String> = points.into_iter().flatten().map(|point| point.to_string()).collect();
        assert_eq!(text[..11], ["i0", "h0", "g0", "f0", "e0", "d0", "c0", "b0", "a0", "h2", "b2"]);
        assert_eq!(text[16..19], ["a9", "b9", "c9"]);
        assert_eq!(board(points), Board::START);
    }
}
