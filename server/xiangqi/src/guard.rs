//! What a move must touch to change the safety of its own general.
//!
//! Few moves do. A chariot's check is opened by the last piece between, a
//! cannon's by one of two, or by a piece that arrives where there was none; a
//! horse's by the piece on its leg. A move that touches no such point leaves
//! the general as it is: legal if it is not in check, illegal if it is. Only
//! the others, and the general's own, have to be tried out.

use crate::attack::Force;
use crate::reach::{CROSS, HORSE_RING, SOLDIER_RING, between, horse_leg};
use crate::{Board, Move, Point, Points, Role, Side};

/// The watch over the general of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    side: Side,
    king: Option<Point>,
    /// Whether the general is in check now.
    pub in_check: bool,
    /// The own pieces whose leaving may open or answer a check.
    pub departures: Points,
    /// The points where a piece's arrival may open or answer a check.
    pub arrivals: Points,
}

impl Guard {
    /// The watch over the general of `side`, which may not be on the board.
    #[inline]
    pub(crate) fn over(board: &Board, side: Side) -> Guard {
        let king = board.king(side);
        let mut guard =
            Guard { side, king, in_check: false, departures: Points::EMPTY, arrivals: Points::EMPTY };
        if let Some(king) = king {
            guard.departures = Points::only(king);
            guard.watch(board, king);
        }
        guard
    }

    #[inline]
    fn watch(&mut self, board: &Board, king: Point) {
        let enemy = self.side.opposite();
        let enemies = board.of_side(enemy);
        let of = |role: Role| board.of_role(role) & enemies;
        let occupied = board.occupied();
        let cross = CROSS[king.index()];
        let facing = of(Role::King) & Points::file(king.file());

        for shooter in cross & (of(Role::Chariot) | facing) {
            self.watch_line(king, shooter, 0, occupied);
        }
        for shooter in cross & of(Role::Cannon) {
            self.watch_line(king, shooter, 1, occupied);
        }
        for horse in HORSE_RING[king.index()] & of(Role::Horse) {
            let leg = horse_leg(horse, king);
            if (leg & occupied).is_empty() {
                self.in_check = true;
                self.arrivals |= leg.with(horse);
            } else {
                self.departures |= leg;
            }
        }
        let soldiers = SOLDIER_RING[enemy.index()][king.index()] & of(Role::Soldier);
        if !soldiers.is_empty() {
            self.in_check = true;
            self.arrivals |= soldiers;
        }
        if !king.crossed_river(enemy) {
            // A general astray among pieces that never meet one in a game.
            self.in_check = !Force::of(board, enemy).attackers_of_general(king).is_empty();
            self.departures = Points::ALL;
        }
    }

    /// Watches one piece that shoots along a line over exactly `screens` pieces.
    #[inline]
    fn watch_line(&mut self, king: Point, shooter: Point, screens: usize, occupied: Points) {
        let between = between(king, shooter);
        let pieces = between & occupied;
        let count = pieces.len();
        if count == screens {
            self.in_check = true;
            self.departures |= pieces;
            self.arrivals |= between.with(shooter);
        } else if count == screens + 1 {
            self.departures |= pieces;
        } else if count < screens {
            self.arrivals |= between;
        }
    }

    /// Of the points that the piece on `from` can go to by the movement
    /// rules, those where it leaves its general safe.
    #[inline]
    pub(crate) fn safe(&self, board: &Board, from: Point, reach: Points) -> Points {
        let touching = if self.departures.contains(from) { reach } else { reach & self.arrivals };
        let mut safe = if self.in_check { Points::EMPTY } else { reach - touching };
        for to in touching {
            if self.attackers_after(board, Move { from, to }).is_empty() {
                safe = safe.with(to);
            }
        }
        safe
    }

    /// The pieces that attack the general once `mv` is played.
    pub(crate) fn attackers_after(&self, board: &Board, mv: Move) -> Points {
        let Some(king) = self.king else { return Points::EMPTY };
        let king = if mv.from == king { mv.to } else { king };
        Force::facing(board, self.side.opposite(), mv).attackers_of_general(king)
    }
}
