//! Debouncing: a cell's reading counts when it has stood still for a while.

use firmware_proto::{Cell, Image, Millis, Reading, SensingKind};

/// How long a new reading must stand before it counts. Contacts bounce for a few milliseconds; a piece swapped in
/// a capture may leave its point empty for no more than this, and then only its colour tells.
pub const DEBOUNCE: Millis = Millis(20);

/// The readings that count, and those that want to.
pub(crate) struct Debouncer {
    stable: Image,
    wanted: [Reading; Cell::COUNT],
    since: [Millis; Cell::COUNT],
}

impl Debouncer {
    pub(crate) const fn new(kind: SensingKind) -> Debouncer {
        Debouncer {
            stable: Image::empty(kind),
            wanted: [Reading::EMPTY; Cell::COUNT],
            since: [Millis::ZERO; Cell::COUNT],
        }
    }

    /// The readings that count.
    pub(crate) const fn image(&self) -> &Image {
        &self.stable
    }

    /// Takes a scan and hands each change that now counts to `each`. A reading that the board's kind cannot have
    /// is not taken: the cell stays as it was.
    pub(crate) fn on_scan(
        &mut self,
        raw: &[Reading; Cell::COUNT],
        now: Millis,
        mut each: impl FnMut(Cell, Reading),
    ) {
        for cell in Cell::all() {
            let at = cell.index();
            let reading = raw[at];
            if reading != self.wanted[at] {
                self.wanted[at] = reading;
                self.since[at] = now;
            }
            let stood = now.since(self.since[at]) >= DEBOUNCE;
            if stood && reading != self.stable.at(cell) && self.stable.set(cell, reading).is_ok() {
                each(cell, reading);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: usize = 40;

    /// Scans every 10 ms with what `shows` gives for one cell; returns the changes with their times.
    fn changes(shows: &[u8]) -> Vec<(u32, u8)> {
        let mut debouncer = Debouncer::new(SensingKind::Colour);
        let mut raw = [Reading::EMPTY; Cell::COUNT];
        let mut seen = vec![];
        for (scan, &reading) in shows.iter().enumerate() {
            raw[CELL] = Reading(reading);
            let now = scan as u32 * 10;
            debouncer.on_scan(&raw, Millis(now), |_, reading| seen.push((now, reading.0)));
        }
        seen
    }

    #[test]
    fn a_reading_counts_when_it_stood_for_twenty_milliseconds() {
        assert_eq!(changes(&[0, 1, 1, 1, 1]), [(30, 1)]);
    }

    #[test]
    fn bounces_and_drop_outs_shorter_than_that_are_not_seen() {
        assert_eq!(changes(&[0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1]), [(80, 1)]);
    }

    #[test]
    fn a_capture_by_swapping_shows_as_a_change_of_colour() {
        assert_eq!(changes(&[1, 1, 1, 0, 2, 2, 2]), [(20, 1), (60, 2)]);
    }

    #[test]
    fn a_reading_that_the_kind_cannot_have_changes_nothing() {
        assert_eq!(changes(&[1, 1, 1, 9, 9, 9, 9, 1, 1]), [(20, 1)]);
    }
}
