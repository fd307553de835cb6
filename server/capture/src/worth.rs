//! What pieces are worth (子力价值) to who weighs captures.

use xiangqi::{Point, Position, Role};

/// Tenths of a soldier that has not crossed the river, roughly.
pub(crate) type Worth = i64;

/// The worth of a piece, wherever it stands.
pub(crate) const fn worth(role: Role) -> Worth {
    match role {
        Role::King => 1_000,
        Role::Chariot => 90,
        Role::Cannon => 45,
        Role::Horse => 40,
        Role::Advisor | Role::Elephant => 20,
        Role::Soldier => 12,
    }
}

/// The worth of what stands on `point`; nothing is worth nothing.
pub(crate) fn worth_at(position: &Position, point: Point) -> Worth {
    position.piece_at(point).map_or(0, |piece| worth(piece.role))
}
