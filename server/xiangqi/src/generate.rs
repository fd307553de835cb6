//! The legal moves of a position, and what their absence means.

use crate::guard::Guard;
use crate::legality::breach;
use crate::line;
use crate::reach::{BESIDE, CROSS, DIAGONAL, HORSE_RING, between, reach};
use crate::{Exposure, Illegal, Move, MoveList, Piece, Point, Points, Position, Role};

/// Whether the side to move can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It has a legal move.
    Ongoing,
    /// 将死: it is in check and has no legal move. It has lost.
    Checkmate,
    /// 困毙: it is not in check and has no legal move. It has lost too.
    Stalemate,
}

impl Position {
    /// Whether the side to move may play `mv`, and if not, why.
    ///
    /// # Errors
    /// The movement rule that it breaks; if it breaks none, how it exposes
    /// the own general.
    pub fn legality(&self, mv: Move) -> Result<(), Illegal> {
        if let Some(breach) = breach(self.board(), self.side_to_move(), mv) {
            return Err(breach.into());
        }
        match self.exposure(mv) {
            Some(exposure) => Err(exposure.into()),
            None => Ok(()),
        }
    }

    /// How a move that keeps the movement rules exposes the own general.
    fn exposure(&self, mv: Move) -> Option<Exposure> {
        let enemy = self.side_to_move().opposite();
        let guard = Guard::over(self.board(), self.side_to_move());
        let attackers = guard.attackers_after(self.board(), mv);
        if attackers.is_empty() {
            None
        } else if Some(attackers) == self.board().king(enemy).map(Points::only) {
            Some(Exposure::GeneralsFacing)
        } else if guard.in_check {
            Some(Exposure::CheckUnanswered)
        } else {
            Some(Exposure::IntoCheck)
        }
    }

    /// Whether the side to move may play `mv`.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.legality(mv).is_ok()
    }

    /// Every legal move. Where an irregular position leaves the opposing general
    /// to be taken, its capture is one of them.
    ///
    /// ```
    /// assert_eq!(xiangqi::Position::start().legal_moves().len(), 44);
    /// ```
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        self.moves_among(Points::ALL, Points::ALL)
    }

    /// How many legal moves there are, without making a list of them.
    #[must_use]
    pub fn count_legal_moves(&self) -> usize {
        let mut count = 0;
        self.for_each_piece(Points::ALL, Points::ALL, |_, targets| count += targets.len());
        count
    }

    /// Every legal capture. The opposing general is never among them, not even
    /// where a passed turn left it to be taken.
    #[must_use]
    pub fn legal_captures(&self) -> MoveList {
        self.moves_among(Points::ALL, self.prey())
    }

    /// Every legal capture of what stands on `target`.
    #[must_use]
    pub fn legal_captures_on(&self, target: Point) -> MoveList {
        let target = self.prey() & Points::only(target);
        match target.first() {
            Some(point) => self.moves_among(self.attackers(point, self.side_to_move()), target),
            None => MoveList::new(),
        }
    }

    /// The legal moves that may give check: every one that does, and few others.
    #[must_use]
    pub(crate) fn check_candidates(&self) -> MoveList {
        let mut moves = MoveList::new();
        let (board, side) = (self.board(), self.side_to_move());
        let Some(king) = board.king(side.opposite()) else { return moves };
        let occupied = board.occupied();
        let of = |role| board.of(side, role);
        let (cross, ring) = (CROSS[king.index()], HORSE_RING[king.index()]);
        // Leaving may open a line or a horse's leg, arriving may make a screen.
        let (mut opening, mut screening) = (Points::EMPTY, Points::EMPTY);
        for (role, most) in [(Role::Chariot, 1), (Role::Cannon, 2)] {
            for shooter in of(role) & cross {
                let line = between(shooter, king);
                let men = line & occupied;
                if men.is_empty() && role == Role::Cannon {
                    screening |= line;
                } else if men.len() <= most {
                    opening |= men;
                }
            }
        }
        // A cannon on the line may jump over its screen.
        opening |= of(Role::Cannon) & cross;
        if !(of(Role::Horse) & ring).is_empty() {
            opening |= DIAGONAL[king.index()];
        }
        // Where a chariot sees the general, and where a cannon would over the first man.
        let seen = line::chariot(king, occupied);
        let over = line::chariot(king, occupied - seen) - seen;
        let guard = Guard::over(board, side);
        for role in Role::ALL {
            let aim = screening
                | match role {
                    Role::Chariot => seen,
                    Role::Cannon => over,
                    Role::Horse => ring,
                    Role::Soldier => BESIDE[king.index()],
                    Role::King | Role::Advisor | Role::Elephant => Points::EMPTY,
                };
            for from in of(role) {
                let aim = if opening.contains(from) { Points::ALL } else { aim };
                let targets = (reach(Piece { side, role }, from, occupied) & aim) - board.of_side(side);
                if !targets.is_empty() {
                    for to in guard.safe(board, from, targets) {
                        moves.push(Move { from, to });
                    }
                }
            }
        }
        moves
    }

    /// The opponent's pieces without its general.
    fn prey(&self) -> Points {
        let enemy = self.side_to_move().opposite();
        self.board().of_side(enemy) - self.board().of_role(Role::King)
    }

    /// The legal moves of these pieces to these points.
    fn moves_among(&self, pieces: Points, goals: Points) -> MoveList {
        let mut moves = MoveList::new();
        self.for_each_piece(pieces, goals, |from, targets| {
            for to in targets {
                moves.push(Move { from, to });
            }
        });
        moves
    }

    /// Whether the side to move can go on.
    #[must_use]
    pub fn status(&self) -> Status {
        if self.count_legal_moves() > 0 {
            Status::Ongoing
        } else if self.is_check() {
            Status::Checkmate
        } else {
            Status::Stalemate
        }
    }

    /// Calls `visit` with each own piece among `pieces` and those of the `goals`
    /// that it may legally go to.
    #[inline]
    fn for_each_piece(&self, pieces: Points, goals: Points, mut visit: impl FnMut(Point, Points)) {
        let (board, side) = (self.board(), self.side_to_move());
        let occupied = board.occupied();
        let goals = goals - board.of_side(side);
        let guard = Guard::over(board, side);
        for role in Role::ALL {
            for from in board.of(side, role) & pieces {
                let targets = reach(Piece { side, role }, from, occupied) & goals;
                visit(from, guard.safe(board, from, targets));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    #[test]
    fn mate_and_stalemate_are_told_apart() {
        assert_eq!(Position::start().status(), Status::Ongoing);
        let mated = position("3k1R3/4R4/9/9/9/9/9/9/9/4K4 b");
        assert_eq!(mated.status(), Status::Checkmate);
        let stalemated = position("3k5/4R4/9/9/9/9/9/9/9/5K3 b");
        assert_eq!((stalemated.status(), stalemated.is_check()), (Status::Stalemate, false));
    }

    #[test]
    fn captures_leave_out_the_general_that_a_pass_exposed() {
        let checked = position("3k5/9/9/9/3R4p/9/9/9/9/4K4 b");
        let passed = checked.pass();
        assert!(passed.legal_moves().contains(&"d5d9".parse().unwrap()));
        let captures = passed.legal_captures();
        assert_eq!(captures.to_vec(), ["d5i5".parse().unwrap()]);
        assert!(passed.legal_captures_on("d9".parse().unwrap()).is_empty());
    }

    #[test]
    fn every_check_is_among_the_check_candidates() {
        let mut position = Position::start();
        let mut seed = 1_u64;
        let mut checks = 0;
        for _ in 0..20_000 {
            let moves = position.legal_moves();
            let candidates = position.check_candidates();
            for mv in &moves {
                if position.play_irregular(mv).is_check() {
                    checks += 1;
                    assert!(candidates.contains(&mv), "{mv} in {position:?}");
                }
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position = match moves.get((seed >> 33) as usize % moves.len().max(1)) {
                Some(&mv) => position.play_irregular(mv),
                None => Position::start(),
            };
        }
        assert!(checks > 300, "{checks}");
    }

    #[test]
    fn no_check_is_missed_by_the_candidates() {
        let mut random = 1u64;
        for _ in 0..40 {
            let mut position = Position::start();
            for _ in 0..200 {
                let moves = position.legal_moves();
                let candidates = position.check_candidates();
                for mv in &moves {
                    let checks = position.play_irregular(mv).is_check();
                    assert!(!checks || candidates.contains(&mv), "{position:?} {mv}");
                }
                if moves.is_empty() {
                    break;
                }
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                position = position.play_irregular(moves[(random >> 33) as usize % moves.len()]);
            }
        }
    }
}
