//! What a piece is worth (子力价值): the yardstick of every gain and loss.

use crate::{Piece, Point, Position, Role};

/// Material, in hundredths of a horse. Only the order of sums matters.
pub(super) type Worth = i32;

/// More than all material of a side: being mated, or mating.
pub(super) const MATE: Worth = 100_000;

/// 兵/卒 across the river: less than a horse, more than an advisor.
pub(super) const SOLDIER: Worth = 50;
/// 士/相.
pub(super) const GUARD: Worth = 30;

/// The worth of `piece` where it stands: 车 = 2 马 = 2 炮, 马 = 炮, 士 = 相; a
/// soldier that has not crossed the river, and the general, are no material.
pub(super) const fn worth(piece: Piece, at: Point) -> Worth {
    match piece.role {
        Role::Chariot => 200,
        Role::Horse | Role::Cannon => 100,
        Role::Advisor | Role::Elephant => GUARD,
        Role::Soldier if at.crossed_river(piece.side) => SOLDIER,
        Role::Soldier | Role::King => 0,
    }
}

/// The worth of what stands on `at`; nothing is worth nothing.
pub(super) fn worth_at(position: &Position, at: Point) -> Worth {
    position.piece_at(at).map_or(0, |piece| worth(piece, at))
}
