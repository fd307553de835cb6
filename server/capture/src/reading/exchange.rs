//! What captures win at once. Players seldom leave out what wins much: a slight hint as to what stands where no sensor
//! tells, and never more than a hint.

use xiangqi::{Move, Point, Position};

use crate::worth::{Worth, worth};

/// What the side to move wins if it captures with `mv` and both go on to capture on that point while it pays.
pub(super) fn exchange(position: &Position, mv: Move) -> Worth {
    let Some(taken) = position.piece_at(mv.to) else { return 0 };
    worth(taken.role) - recapture(&position.play_irregular(mv), mv.to)
}

/// What the best capture of the side to move wins, if one pays.
pub(super) fn pays(position: &Position) -> Worth {
    let moves = position.legal_moves();
    let captures = moves.iter().filter(|mv| position.is_capture(**mv));
    captures.map(|mv| exchange(position, *mv)).max().unwrap_or(0).max(0)
}

/// What the side to move wins by capturing on `point`, if it pays.
fn recapture(position: &Position, point: Point) -> Worth {
    let cheapest = position.attackers(point, position.side_to_move()).into_iter().min_by_key(|from| {
        let role = position.piece_at(*from).map(|piece| piece.role);
        role.map_or(0, worth)
    });
    cheapest.map_or(0, |from| exchange(position, Move::new(from, point)).max(0))
}

#[cfg(test)]
mod tests {
    use xiangqi::Role;

    use super::*;

    #[test]
    fn a_guarded_piece_is_worth_less_than_one_that_hangs() {
        // Red's chariot on e5 can take the soldier on c5, which hangs, or the one on g5, which a chariot guards.
        let position = Position::from_fen("3k2r2/9/9/9/2p1R1p2/9/9/9/9/4K4 w - - 0 1").expect("a position");
        let wins = |mv: &str| exchange(&position, mv.parse().expect("a move"));
        assert_eq!(wins("e5c5"), worth(Role::Soldier));
        assert_eq!(wins("e5g5"), worth(Role::Soldier) - worth(Role::Chariot));
        assert_eq!(wins("e5f5"), 0, "nothing is taken");
    }
}
