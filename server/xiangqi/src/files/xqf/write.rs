//! Writing XQF 1.0.

use super::super::encoding::encode_gbk;
use super::super::{Game, NodeId, roster};
use super::header::{self, KIND, PIECES, RESULT, SIDE};
use super::{MAGIC, PLAIN, SHIFT, TREE, square};
use crate::{Position, Side};

/// Writes a game as XQF 1.0, which every version of 象棋演播室 reads.
///
/// The format has room for the eleven texts of its header, most of them no
/// longer than seven characters (fifteen bytes of GBK): longer ones are cut,
/// other tags left out, clocks too. Of the start it keeps the pieces and the
/// side to move.
#[must_use]
pub fn write(game: &Game) -> Vec<u8> {
    let mut head = [0; TREE];
    head[..2].copy_from_slice(MAGIC);
    head[2] = PLAIN;
    head[PIECES].copy_from_slice(&roster::points(game.start().board()).map(|at| at.map_or(u8::MAX, square)));
    head[SIDE] = match game.start().side_to_move() {
        Side::Red => 0,
        Side::Black => 1,
    };
    head[RESULT] = header::result_code(game.result);
    let whole = game.start().board() == Position::start().board();
    head[KIND] = if whole { 0 } else { 3 };
    header::write_tags(&mut head, &game.tags);

    let mut file = head.to_vec();
    let mut nodes = vec![NodeId::ROOT];
    while let Some(node) = nodes.pop() {
        write_record(&mut file, game, node);
        // The line goes on first; the alternatives come when it is done.
        nodes.extend(game.next_sibling(node));
        nodes.extend(game.next(node));
    }
    file
}

fn write_record(file: &mut Vec<u8>, game: &Game, node: NodeId) {
    let goes_on = if game.next(node).is_some() { 0xF0 } else { 0 };
    let has_alternative = if game.next_sibling(node).is_some() { 0x0F } else { 0 };
    let (from, to, last) = match game.mv(node) {
        Some(mv) => (square(mv.from), square(mv.to), 0),
        None => (0, 0, 0xFF),
    };
    let comment = encode_gbk(game.comment(node));
    let length = u32::try_from(comment.len()).expect("no comment has four gigabytes");
    file.extend([from + SHIFT[0], to + SHIFT[1], goes_on | has_alternative, last]);
    file.extend(length.to_le_bytes());
    file.extend(comment);
}
