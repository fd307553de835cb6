//! The walk test (走点自检): before a round somebody puts a piece on every point and lifts it again; cells at which
//! nothing was seen are dead, cells that never were empty are stuck, and where fields are measured, cells at which none was strong are weak.

use firmware_proto::{Cell, HealthFault, Image};

use crate::strength::FIRM;

/// What was seen of each cell since the test began.
pub(crate) struct Walk {
    occupied: [bool; Cell::COUNT],
    empty: [bool; Cell::COUNT],
    /// The strongest field of each cell, where fields are measured.
    strongest: Option<[u16; Cell::COUNT]>,
}

impl Walk {
    pub(crate) const fn begin() -> Walk {
        Walk { occupied: [false; Cell::COUNT], empty: [false; Cell::COUNT], strongest: None }
    }

    /// What the board shows now.
    pub(crate) fn look(&mut self, image: &Image) {
        for cell in Cell::all() {
            let seen = if image.at(cell).is_empty() { &mut self.empty } else { &mut self.occupied };
            seen[cell.index()] = true;
        }
    }

    /// The fields of all cells now.
    pub(crate) fn look_at_fields(&mut self, fields: &[u16; Cell::COUNT]) {
        let strongest = self.strongest.get_or_insert([0; Cell::COUNT]);
        for (strongest, field) in strongest.iter_mut().zip(fields) {
            *strongest = (*strongest).max(*field);
        }
    }

    /// What is wrong, by cell.
    pub(crate) fn faults(&self) -> impl Iterator<Item = HealthFault> {
        Cell::all().filter_map(|cell| match (self.occupied[cell.index()], self.empty[cell.index()]) {
            (true, true) => self.weak(cell),
            (false, _) => Some(HealthFault::DeadCell(cell)),
            (true, false) => Some(HealthFault::StuckCell(cell)),
        })
    }

    /// A cell whose strongest field was weak.
    fn weak(&self, cell: Cell) -> Option<HealthFault> {
        let strongest = self.strongest?[cell.index()];
        (strongest < FIRM).then_some(HealthFault::WeakCell(cell, strongest))
    }
}
