//! Who attacks a point.

use crate::reach::{BESIDE, DIAGONAL, HORSE_RING, SOLDIER_RING, between, horse_leg, reach};
use crate::{Board, Move, Piece, Point, Points, Role, Side, line};

/// The pieces of a side, on a board as it is or as a move will leave it.
#[derive(Clone, Copy)]
pub(crate) struct Force<'a> {
    board: &'a Board,
    side: Side,
    pieces: Points,
    occupied: Points,
}

impl<'a> Force<'a> {
    /// The pieces of `side` as they stand.
    #[inline]
    pub(crate) fn of(board: &'a Board, side: Side) -> Force<'a> {
        Force { board, side, pieces: board.of_side(side), occupied: board.occupied() }
    }

    /// The pieces of `side` once the other side has played `mv`.
    #[inline]
    pub(crate) fn facing(board: &'a Board, side: Side, mv: Move) -> Force<'a> {
        let pieces = board.of_side(side).without(mv.to);
        Force { board, side, pieces, occupied: board.occupied().without(mv.from).with(mv.to) }
    }

    fn role(&self, role: Role) -> Points {
        self.board.of_role(role) & self.pieces
    }

    /// The pieces that attack `target`: that could capture there if an
    /// opponent's piece stood there, their own general's safety aside.
    #[inline]
    pub(crate) fn attackers(&self, target: Point) -> Points {
        let Force { side, occupied, .. } = *self;
        let index = target.index();

        let mut attackers = SOLDIER_RING[side.index()][index] & self.role(Role::Soldier);
        let chariots = self.role(Role::Chariot);
        if !chariots.is_empty() {
            attackers |= line::chariot(target, occupied) & chariots;
        }
        let cannons = self.role(Role::Cannon);
        if !cannons.is_empty() {
            attackers |= line::cannon(target, occupied) & cannons;
        }
        for horse in HORSE_RING[index] & self.role(Role::Horse) {
            if (horse_leg(horse, target) & occupied).is_empty() {
                attackers |= Points::only(horse);
            }
        }
        if target.in_palace(side) {
            attackers |= BESIDE[index] & self.role(Role::King) | DIAGONAL[index] & self.role(Role::Advisor);
        }
        if !target.crossed_river(side) {
            for elephant in self.role(Role::Elephant) {
                if reach(Piece { side, role: Role::Elephant }, elephant, occupied).contains(target) {
                    attackers |= Points::only(elephant);
                }
            }
        }
        attackers
    }

    /// The pieces that attack the opposing general, which stands on `king`: the
    /// own general among them if the two face each other (对面).
    #[inline]
    pub(crate) fn attackers_of_general(&self, king: Point) -> Points {
        let mut attackers = self.attackers(king);
        for own in self.role(Role::King) & Points::file(king.file()) {
            if (between(own, king) & self.occupied).is_empty() {
                attackers |= Points::only(own);
            }
        }
        attackers
    }
}

/// The pieces of `by` that attack `target`, facing generals included.
pub(crate) fn attackers(board: &Board, target: Point, by: Side) -> Points {
    let force = Force::of(board, by);
    if board.of(by.opposite(), Role::King).contains(target) {
        force.attackers_of_general(target)
    } else {
        force.attackers(target)
    }
}
