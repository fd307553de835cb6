//! Whether somebody plays here, as far as a device can tell.

use firmware_proto::{Cell, Millis};

/// Nobody touched anything for so long: no game goes on.
const PEACE: Millis = Millis(60_000);

/// What was touched last.
pub(crate) struct Activity {
    /// The last two different cells that changed, the last one first. A move changes two; one cell that flickers is
    /// a fault, which must not keep the firmware away that mends it.
    cells: [Option<(Cell, Millis)>; 2],
    pressed: Option<Millis>,
}

impl Activity {
    pub(crate) const fn new() -> Activity {
        Activity { cells: [None; 2], pressed: None }
    }

    /// A cell changed.
    pub(crate) fn moved(&mut self, cell: Cell, now: Millis) {
        if self.cells[0].is_some_and(|(last, _)| last != cell) {
            self.cells[1] = self.cells[0];
        }
        self.cells[0] = Some((cell, now));
    }

    /// A lever was pressed.
    pub(crate) const fn pressed(&mut self, now: Millis) {
        self.pressed = Some(now);
    }

    /// Whether somebody moved pieces or pressed a lever within the last minute.
    pub(crate) fn goes_on(&self, now: Millis) -> bool {
        let lately = |at: Millis| now.since(at) < PEACE;
        self.cells.iter().all(|moved| moved.is_some_and(|(_, at)| lately(at)))
            || self.pressed.is_some_and(lately)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(index: u8) -> Cell {
        Cell::new(index).unwrap()
    }

    #[test]
    fn a_move_is_two_cells_and_a_minute_after_it_there_is_peace() {
        let mut activity = Activity::new();
        activity.moved(cell(3), Millis(1_000));
        assert!(!activity.goes_on(Millis(1_000)));
        activity.moved(cell(4), Millis(2_000));
        assert!(activity.goes_on(Millis(60_999)));
        assert!(!activity.goes_on(Millis(61_000)));
    }

    #[test]
    fn a_cell_that_flickers_is_no_game() {
        let mut activity = Activity::new();
        for at in 0..100 {
            activity.moved(cell(3), Millis(at * 1_000));
        }
        assert!(!activity.goes_on(Millis(100_000)));
        activity.pressed(Millis(100_000));
        assert!(activity.goes_on(Millis(100_001)));
    }
}
