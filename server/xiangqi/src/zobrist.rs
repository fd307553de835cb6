//! Zobrist keys: a position's pieces and side to move as 64 bits.

use crate::{Board, Piece, Point, Side};

/// The key of Black to move.
pub(crate) const BLACK_TO_MOVE: u64 = mixed(0);

static PIECES: [[[u64; Point::COUNT]; 7]; 2] = {
    let mut keys = [[[0; Point::COUNT]; 7]; 2];
    let mut n = 0;
    while n < 2 * 7 * Point::COUNT {
        keys[n / Point::COUNT / 7][n / Point::COUNT % 7][n % Point::COUNT] = mixed(n as u64 + 1);
        n += 1;
    }
    keys
};

/// The `n`th number of the SplitMix64 sequence.
const fn mixed(n: u64) -> u64 {
    let mut z = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The key of one piece on one point.
pub(crate) fn piece_key(piece: Piece, point: Point) -> u64 {
    PIECES[piece.side.index()][piece.role.index()][point.index()]
}

/// The key of a whole position.
pub(crate) fn key(board: &Board, side_to_move: Side) -> u64 {
    let side = match side_to_move {
        Side::Red => 0,
        Side::Black => BLACK_TO_MOVE,
    };
    board.pieces().fold(side, |key, (point, piece)| key ^ piece_key(piece, point))
}
