//! Who attacks a point.

use crate::reach::{BESIDE, DIAGONAL, HORSE_RING, SOLDIER_RING, horse_leg, reach};
use crate::{Board, Piece, Point, Points, Role, Side, line};

/// The pieces of `by` that attack `target`: that could capture there if an
/// opponent's piece stood there, the own general's safety aside. A general
/// attacks the opposing general along an open file (对面).
pub(crate) fn attackers(board: &Board, target: Point, by: Side) -> Points {
    let general = board.of(by.opposite(), Role::King).contains(target);
    attackers_among(board, board.of_side(by), board.occupied(), target, general, by)
}

/// Whether `king`, where the general of `side` stands once the points
/// `occupied` are the occupied ones and `enemies` are left of the other side's
/// pieces, is attacked.
#[inline]
pub(crate) fn general_attackers(
    board: &Board,
    enemies: Points,
    occupied: Points,
    king: Point,
    side: Side,
) -> Points {
    attackers_among(board, enemies, occupied, king, true, side.opposite())
}

#[inline]
fn attackers_among(
    board: &Board,
    pieces: Points,
    occupied: Points,
    target: Point,
    is_general: bool,
    by: Side,
) -> Points {
    let of = |role: Role| board.of_role(role) & pieces;
    let index = target.index();

    let open = line::chariot(target, occupied);
    let mut attackers = open & of(Role::Chariot) | SOLDIER_RING[by.index()][index] & of(Role::Soldier);
    let cannons = of(Role::Cannon);
    if !cannons.is_empty() {
        attackers = attackers | line::cannon(target, occupied) & cannons;
    }
    for horse in HORSE_RING[index] & of(Role::Horse) {
        if (horse_leg(horse, target) & occupied).is_empty() {
            attackers = attackers.with(horse);
        }
    }
    if is_general {
        attackers = attackers | open & of(Role::King) & Points::file(target.file());
    }
    if target.in_palace(by) {
        attackers = attackers | BESIDE[index] & of(Role::King) | DIAGONAL[index] & of(Role::Advisor);
    }
    if !target.crossed_river(by) {
        for elephant in of(Role::Elephant) {
            if reach(Piece { side: by, role: Role::Elephant }, elephant, occupied).contains(target) {
                attackers = attackers.with(elephant);
            }
        }
    }
    attackers
}
