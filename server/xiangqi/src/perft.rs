//! Counting lines of play, the proof of a move generator.

use crate::Position;

/// How many legal lines of `depth` plies start from `position`. At the last
/// ply moves are counted, not played.
///
/// ```
/// use xiangqi::{Position, perft};
/// assert_eq!(perft(&Position::start(), 2), 1_920);
/// ```
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 { 1 } else { count(&mut position.clone(), depth) }
}

fn count(position: &mut Position, depth: u32) -> u64 {
    if depth == 1 {
        return position.count_legal_moves() as u64;
    }
    let mut nodes = 0;
    for mv in position.legal_moves() {
        let undo = position.play_unchecked(mv);
        nodes += count(position, depth - 1);
        position.undo(undo);
    }
    nodes
}
