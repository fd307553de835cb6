//! What a side wins by a check or a series of checks (抽将得子, 24.3).

use super::reckon::Reckoning;
use super::worth::{MATE, Worth, worth_at};
use crate::{Move, Point, Points, Position, Role};

/// How many checks a line may have.
const CHECKS: u32 = 3;

/// What a soldier given up on the way costs: as much as any horse or cannon
/// won by it, for a soldier and a piece are no gain either way (24.3).
const SOLDIER_GIVEN_UP: Worth = 100;

/// What a series of checks brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The material won against the best defence.
    pub(super) value: Worth,
    /// One man alone both checks and captures.
    pub(super) alone: bool,
    /// Whom it may win, as the defender chooses.
    pub(super) victims: Points,
}

/// The lines of checks of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    /// The most that any line brings; 0 if none brings anything.
    pub(super) value: Worth,
    /// Whether one of the best lines is the work of one man.
    pub(super) alone: bool,
    /// The first check of one of the best lines.
    pub(super) first: Option<Move>,
    /// Whom the best lines may win.
    pub(super) victims: Points,
    /// Whom any line that brings something may win.
    pub(super) all_victims: Points,
}

impl Reckoning {
    /// The lines of checks of the side to move; `offers` are its captures that
    /// only offer an exchange.
    pub(super) fn lines(&mut self, position: &Position, offers: &[Move]) -> Lines {
        let mut position = position.clone();
        let none = Points::EMPTY;
        let mut best = Lines { value: 0, alone: false, first: None, victims: none, all_victims: none };
        for mv in &position.check_candidates() {
            let line = self.line(&mut position, mv, mv.from, 0, CHECKS, offers);
            let Some(line) = line.filter(|line| line.value > 0) else { continue };
            best.all_victims |= line.victims;
            if line.value > best.value {
                best.value = line.value;
                best.first = Some(mv);
                best.alone = false;
                best.victims = none;
            }
            if line.value == best.value {
                best.alone |= line.alone;
                best.victims |= line.victims;
            }
        }
        best
    }

    /// Whether the best lines win something that `before` offered by no capture
    /// and by no line (`then`): another man, or the same by another way on
    /// another point.
    pub(super) fn wins_elsewhere(&mut self, lines: &Lines, before: &Position, then: &Lines) -> bool {
        if lines.victims.is_empty() || !(lines.victims & then.all_victims).is_empty() {
            return false;
        }
        let mut before = before.clone();
        let captures = before.legal_captures();
        !captures.iter().any(|&mv| lines.victims.contains(mv.to) && self.net(&mut before, mv) > 0)
    }

    /// What the check `mv` wins on top of `balance`; `None` if it is no check,
    /// or an offer that the opponent can simply accept. `man` began the line.
    fn line(
        &mut self,
        position: &mut Position,
        mv: Move,
        man: Point,
        balance: Worth,
        checks: u32,
        offers: &[Move],
    ) -> Option<Line> {
        if self.exhausted() || position.piece_at(mv.to).is_some_and(|piece| piece.role == Role::King) {
            return None;
        }
        let offered = offers.contains(&mv);
        let weak =
            position.piece_at(mv.from).is_some_and(|piece| matches!(piece.role, Role::King | Role::Soldier));
        let prize = worth_at(position, mv.to);
        let own_check = man == mv.from;
        self.after(position, mv, |r, p| {
            if !p.is_check() {
                return None;
            }
            let evasions = p.legal_moves();
            let victims = if prize > 0 { Points::only(mv.to) } else { Points::EMPTY };
            if evasions.is_empty() {
                return (!offered).then_some(Line { value: MATE, alone: false, victims });
            }
            if offered && evasions.iter().any(|evasion| evasion.to == mv.to) {
                return None;
            }
            let defender = p.side_to_move();
            let general = p.board().king(defender)?;
            let checkers = p.attackers(general, defender.opposite());
            let by_itself = checkers == Points::only(mv.to);
            // A general's or soldier's own capture is no gain, unless it
            // uncovers the check (26.8).
            let counted = if offered || weak && checkers.contains(mv.to) && by_itself { 0 } else { prize };
            let mut worst = Line { value: MATE, alone: own_check && by_itself, victims };
            for evasion in &evasions {
                let paid = match p.piece_at(evasion.to) {
                    Some(piece) if piece.role == Role::Soldier && worth_at(p, evasion.to) > 0 => {
                        SOLDIER_GIVEN_UP
                    }
                    Some(_) | None => worth_at(p, evasion.to),
                };
                let rest = r.after(p, evasion, |r, p| {
                    r.continued(p, mv.to, balance + counted - paid, checks - 1, offers)
                });
                worst.value = worst.value.min(rest.value);
                worst.alone &= rest.alone;
                worst.victims |= rest.victims;
                if worst.value <= 0 {
                    break;
                }
            }
            Some(worst)
        })
    }

    /// After an evasion: capture, or check again.
    fn continued(
        &mut self,
        position: &mut Position,
        man: Point,
        balance: Worth,
        checks: u32,
        offers: &[Move],
    ) -> Line {
        let mut best =
            if position.is_check() { self.forced(position) } else { self.single(position, man, offers) };
        best.value += balance;
        if best.value > 0 || checks == 0 {
            return best;
        }
        for mv in &position.check_candidates() {
            if let Some(line) = self.line(position, mv, man, balance, checks, offers)
                && line.value > best.value
            {
                best = line;
                if best.value > 0 {
                    break;
                }
            }
        }
        best
    }

    /// The best single capture: by a chariot, horse, cannon, advisor or
    /// elephant, no mere exchange offer.
    fn single(&mut self, position: &mut Position, man: Point, offers: &[Move]) -> Line {
        let mut best = Line { value: 0, alone: true, victims: Points::EMPTY };
        for mv in &position.legal_captures() {
            let role = position.piece_at(mv.from).map(|piece| piece.role);
            if matches!(role, Some(Role::King | Role::Soldier)) || offers.contains(&mv) {
                continue;
            }
            let value = worth_at(position, mv.to) - self.after(position, mv, Self::captures);
            if value > best.value {
                best = Line { value, alone: false, victims: Points::EMPTY };
            }
            if value == best.value && value > 0 {
                best.alone |= mv.from == man;
                best.victims = best.victims.with(mv.to);
            }
        }
        best
    }

    /// The evasion was itself a check: the best way out of it.
    fn forced(&mut self, position: &mut Position) -> Line {
        let mut best = Line { value: -MATE, alone: false, victims: Points::EMPTY };
        for mv in &position.legal_moves() {
            let prize = worth_at(position, mv.to);
            let value = prize - self.after(position, mv, |r, p| r.single(p, mv.to, &[]).value);
            if value > best.value {
                let victims = if prize > 0 { Points::only(mv.to) } else { Points::EMPTY };
                best = Line { value, alone: false, victims };
            }
        }
        best
    }
}
