//! The walk test (走点自检): before a round somebody puts a piece on every point and lifts it again; cells at which
//! nothing was seen are dead, cells that never were empty are stuck.

use firmware_proto::{Cell, HealthFault, Image};

/// What was seen of each cell since the test began.
pub(crate) struct Walk {
    occupied: [bool; Cell::COUNT],
    empty: [bool; Cell::COUNT],
}

impl Walk {
    pub(crate) const fn begin() -> Walk {
        Walk { occupied: [false; Cell::COUNT], empty: [false; Cell::COUNT] }
    }

    /// What the board shows now.
    pub(crate) fn look(&mut self, image: &Image) {
        for cell in Cell::all() {
            let seen = if image.at(cell).is_empty() { &mut self.empty } else { &mut self.occupied };
            seen[cell.index()] = true;
        }
    }

    /// What is wrong, by cell.
    pub(crate) fn faults(&self) -> impl Iterator<Item = HealthFault> {
        Cell::all().filter_map(|cell| match (self.occupied[cell.index()], self.empty[cell.index()]) {
            (true, true) => None,
            (false, _) => Some(HealthFault::DeadCell(cell)),
            (true, false) => Some(HealthFault::StuckCell(cell)),
        })
    }
}
