//! Reckoning: what a capture wins, on its point and on the whole board. Every move tried here is legal, which
//! by itself settles pinned attackers, false roots (假根) and 不能离线.

use super::mate::MateTable;
use super::worth::{MATE, Worth, worth_at};
use crate::{Move, MoveList, Point, Position, Side};

/// How deep captures are followed on the whole board.
const CAPTURE_DEPTH: u32 = 6;

/// A position that is played forward and back while a question is answered.
///
/// Each question is asked of a position with the asking side to move: "what if
/// the opponent passed" is the same position with the other side to move.
pub(super) struct Reckoning {
    /// Positions visited so far.
    pub(super) nodes: u32,
    /// How many may be visited; past it answers are "nothing found".
    pub(super) limit: u32,
    /// What is known of mates.
    pub(super) mates: MateTable,
}

impl Reckoning {
    pub(super) const fn new(limit: u32) -> Reckoning {
        Reckoning { nodes: 0, limit, mates: MateTable::new() }
    }

    /// Whether the limit was reached, so that a "no" may be a "don't know".
    pub(super) const fn exhausted(&self) -> bool {
        self.nodes > self.limit
    }

    /// Plays `mv`, asks `question` of what stands then, and takes it back.
    pub(super) fn after<T>(
        &mut self,
        position: &mut Position,
        mv: Move,
        question: impl FnOnce(&mut Self, &mut Position) -> T,
    ) -> T {
        self.nodes += 1;
        let undo = position.play_unchecked(mv);
        let answer = question(self, position);
        position.undo(undo);
        answer
    }

    /// The best the side to move gets by capturing on `point`, both sides free
    /// to stop at any time.
    pub(super) fn on_point(&mut self, position: &mut Position, point: Point) -> Worth {
        let prize = worth_at(position, point);
        let mut best = 0;
        for mv in &position.legal_captures_on(point) {
            best = best.max(prize - self.after(position, mv, |r, p| r.on_point(p, point)));
        }
        best
    }

    /// What the capture `mv` wins on its own point.
    pub(super) fn local(&mut self, position: &mut Position, mv: Move) -> Worth {
        let prize = worth_at(position, mv.to);
        prize - self.after(position, mv, |r, p| r.on_point(p, mv.to))
    }

    /// The best the side to move gets by captures anywhere, or by none.
    pub(super) fn captures(&mut self, position: &mut Position) -> Worth {
        self.captures_within(position, CAPTURE_DEPTH, -MATE, MATE)
    }

    fn captures_within(
        &mut self,
        position: &mut Position,
        depth: u32,
        mut alpha: Worth,
        beta: Worth,
    ) -> Worth {
        let mut best;
        let moves;
        if position.is_check() {
            let all = position.legal_moves();
            if all.is_empty() {
                return -MATE;
            }
            best = if all.iter().any(|&mv| !position.is_capture(mv)) { 0 } else { -MATE };
            moves = all;
        } else {
            best = 0;
            moves = position.legal_captures();
        }
        alpha = alpha.max(best);
        if depth == 0 || self.exhausted() || alpha >= beta {
            // Beyond the horizon nothing is won or lost.
            return best.max(0);
        }
        for mv in by_prize(position, &moves) {
            let prize = worth_at(position, mv.to);
            let value = prize
                - self
                    .after(position, mv, |r, p| r.captures_within(p, depth - 1, prize - beta, prize - alpha));
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The best reply to a capture: out of check by any evasion, else by captures.
    pub(super) fn answer(&mut self, position: &mut Position) -> Worth {
        if !position.is_check() {
            return self.captures(position);
        }
        let mut best = -MATE;
        for mv in &position.legal_moves() {
            let prize = worth_at(position, mv.to);
            best = best.max(prize - self.after(position, mv, Self::captures));
        }
        best
    }

    /// What the capture `mv` wins on the whole board, the opponent answering as best he can.
    pub(super) fn net(&mut self, position: &mut Position, mv: Move) -> Worth {
        let prize = worth_at(position, mv.to);
        prize - self.after(position, mv, Self::answer)
    }
}

/// The captures among `moves`, the most valuable prize first.
fn by_prize(position: &Position, moves: &MoveList) -> Vec<Move> {
    let mut captures: Vec<Move> = moves.iter().copied().filter(|&mv| position.is_capture(mv)).collect();
    captures.sort_by_key(|&mv| -worth_at(position, mv.to));
    captures
}

/// The position with `side` to move, whoever's turn it is.
pub(super) fn with_turn(position: &Position, side: Side) -> Position {
    if position.side_to_move() == side { position.clone() } else { position.pass() }
}
