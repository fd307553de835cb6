//! The 32 pieces as things that are carried about.

use capture::Sense;
use firmware_proto::{Reading, SensingKind};
use xiangqi::{Board, Piece, Point, Role, Side};

/// One of the 32 pieces of a set: its identity number, 1..=32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man(u8);

/// What stands on each point.
pub type Stand = [Option<Man>; Point::COUNT];

impl Man {
    /// All pieces of a set.
    pub fn all() -> impl Iterator<Item = Man> {
        (1..=32).map(Man)
    }

    /// What it is.
    #[must_use]
    pub fn piece(self) -> Piece {
        match Sense::read(SensingKind::Identity, Reading(self.0)) {
            Sense::Is(piece) => piece,
            Sense::Empty | Sense::Some | Sense::Of(_) => unreachable!("1..=32 are pieces"),
        }
    }

    /// What a sensor of this kind reads of it.
    #[must_use]
    pub fn reading(self, kind: SensingKind) -> Reading {
        let Piece { side, role } = self.piece();
        Reading(match kind {
            SensingKind::Occupancy => 1,
            SensingKind::Colour => match side {
                Side::Red => 1,
                Side::Black => 2,
            },
            SensingKind::Type => {
                let role = Role::ALL.iter().position(|one| *one == role).map_or(0, |index| index as u8 + 1);
                match side {
                    Side::Red => role,
                    Side::Black => role + 7,
                }
            }
            SensingKind::Identity => self.0,
        })
    }
}

/// A set of pieces put up as on `board`.
#[must_use]
pub fn stand(board: &Board) -> Stand {
    let mut left: Vec<Man> = Man::all().collect();
    let mut stand = [None; Point::COUNT];
    for (point, piece) in board.pieces() {
        if let Some(index) = left.iter().position(|man| man.piece() == piece) {
            stand[point.index()] = Some(left.remove(index));
        }
    }
    stand
}
