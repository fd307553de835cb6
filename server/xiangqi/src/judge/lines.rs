//! What a side wins by a check or a series of checks (抽将得子, 24.3).

use super::reckon::Reckoning;
use super::worth::{MATE, Worth, worth_at};
use crate::{Move, Position, Role};

/// How many checks a line may have.
const CHECKS: u32 = 2;

/// The best that a series of checks brings, and whether every way to it begins
/// with a cannon's check over a man of its own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BestLine {
    pub(super) value: Worth,
    pub(super) over_own_screen: bool,
    pub(super) first: Option<Move>,
}

impl Reckoning {
    /// The best line of checks of the side to move; `offers` are its captures
    /// that only offer an exchange.
    pub(super) fn best_line(&mut self, position: &Position, offers: &[Move]) -> BestLine {
        let mut position = position.clone();
        let mut best = BestLine { value: 0, over_own_screen: true, first: None };
        for mv in &position.check_candidates() {
            let Some(value) = self.line(&mut position, mv, 0, CHECKS, offers) else { continue };
            if value <= 0 || value < best.value {
                continue;
            }
            let screened = checks_over_own_screen(&position, mv);
            if value > best.value {
                best = BestLine { value, over_own_screen: screened, first: Some(mv) };
            } else {
                best.over_own_screen &= screened;
            }
        }
        best
    }

    /// What the check `mv` wins on top of `balance`; `None` if it is no check or
    /// an offer that the opponent can simply accept.
    fn line(
        &mut self,
        position: &mut Position,
        mv: Move,
        balance: Worth,
        checks: u32,
        offers: &[Move],
    ) -> Option<Worth> {
        if self.exhausted() || position.piece_at(mv.to).is_some_and(|p| p.role == Role::King) {
            return None;
        }
        let offered = offers.contains(&mv);
        let capturer = position.piece_at(mv.from).map(|p| p.role);
        let prize = worth_at(position, mv.to);
        self.after(position, mv, |r, p| {
            if !p.is_check() {
                return None;
            }
            let evasions = p.legal_moves();
            if evasions.is_empty() {
                return (!offered).then_some(MATE);
            }
            if offered && evasions.iter().any(|e| e.to == mv.to) {
                return None;
            }
            let king = p.board().king(p.side_to_move());
            let other_checker = king.is_some_and(|king| {
                p.attackers(king, p.side_to_move().opposite()).into_iter().any(|from| from != mv.to)
            });
            let alone = matches!(capturer, Some(Role::King | Role::Soldier)) && !other_checker;
            let balance = balance + if offered || alone { 0 } else { prize };
            let mut worst = MATE;
            for evasion in &evasions {
                let taken = p.piece_at(evasion.to);
                let paid = match taken {
                    Some(piece) if piece.role == Role::Soldier && worth_at(p, evasion.to) > 0 => 100,
                    Some(_) => worth_at(p, evasion.to),
                    None => 0,
                };
                let value = r.after(p, evasion, |r, p| r.continued(p, balance - paid, checks - 1, offers));
                worst = worst.min(value);
                if worst <= 0 {
                    break;
                }
            }
            Some(worst)
        })
    }

    /// After an evasion: cash in, or check again.
    fn continued(&mut self, position: &mut Position, balance: Worth, checks: u32, offers: &[Move]) -> Worth {
        let gain = if position.is_check() { self.forced(position) } else { self.single(position, offers) };
        let mut value = balance + gain;
        if value > 0 || checks == 0 {
            return value;
        }
        for mv in &position.check_candidates() {
            if let Some(more) = self.line(position, mv, balance, checks, offers) {
                value = value.max(more);
                if value > 0 {
                    break;
                }
            }
        }
        value
    }

    /// The best single capture: by a chariot, horse, cannon, advisor or
    /// elephant, no mere exchange offer.
    fn single(&mut self, position: &mut Position, offers: &[Move]) -> Worth {
        let mut best = 0;
        for mv in &position.legal_captures() {
            let role = position.piece_at(mv.from).map(|p| p.role);
            if matches!(role, Some(Role::King | Role::Soldier)) || offers.contains(&mv) {
                continue;
            }
            let prize = worth_at(position, mv.to);
            best = best.max(prize - self.after(position, mv, Self::captures));
        }
        best
    }

    /// The evasion was itself a check: the best way out of it.
    fn forced(&mut self, position: &mut Position) -> Worth {
        let mut best = -MATE;
        for mv in &position.legal_moves() {
            let prize = worth_at(position, mv.to);
            best = best.max(prize - self.after(position, mv, |r, p| r.single(p, &[])));
        }
        best
    }
}

fn checks_over_own_screen(position: &Position, mv: Move) -> bool {
    let side = position.side_to_move();
    let after = position.play_irregular(mv);
    let Some(king) = after.board().king(side.opposite()) else { return false };
    after.attackers(king, side).into_iter().any(|from| {
        after.piece_at(from).is_some_and(|p| p.role == Role::Cannon)
            && crate::reach::between(from, king)
                .into_iter()
                .any(|p| after.piece_at(p).is_some_and(|p| p.side == side))
    })
}
