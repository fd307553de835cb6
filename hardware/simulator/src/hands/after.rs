//! What the players do on the board after the game (复盘): none of it may enter the record.

use firmware_proto::PlayerSignal;
use xiangqi::{Move, Position};

use super::{Act, Hands};
use crate::incidents::Row;
use crate::man::stand;
use crate::truth::{Incident, SensedBy};

impl Hands<'_> {
    /// Three to twenty moves of analysis from the final position or from a few plies before it, and the pieces are put
    /// up again.
    pub(super) fn after_game(&mut self, ended: i64) {
        if !self.happens(Row::AfterGame) {
            return;
        }
        let mut at = ended + self.trouble.between(1_000, 10_000);
        self.note(Incident::AfterGame, ended, i64::MAX, Vec::new(), SensedBy::Occupancy);
        let back = self.trouble.between(0, 4).min(self.plies.len() as i64) as usize;
        let kept = self.plies.len() - back;
        let mut position = Position::start();
        for ply in &self.plies[..kept] {
            position = position.play_irregular(ply.mv);
        }
        at = self.lay(&stand(position.board()), at);
        for _ in 0..self.trouble.between(3, 20) {
            let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            let Some(mv) = self.trouble.pick(&moves) else { break };
            let side = position.side_to_move();
            let lift = at + self.trouble.between(500, 4_000);
            at = self.play(&position, mv, lift);
            if self.trouble.chance(0.2) {
                at += self.trouble.between(100, 600);
                self.signals.push((at, Act::Lever(side)));
            }
            if self.trouble.chance(0.02) {
                self.signals.push((at, Act::Button(side, PlayerSignal::Draw)));
            }
            position = position.play_irregular(mv);
        }
        at += self.trouble.between(1_000, 5_000);
        self.lay(&stand(Position::start().board()), at);
    }
}
