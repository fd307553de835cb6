//! The board of a table: what its sensors show, and when they are read.

use capture::Seating;
use firmware_proto::{Cell, Reading, SensingKind};
use xiangqi::Point;

use crate::man::Man;

/// A board is scanned this often, ms.
const SCAN: i64 = 10;
/// Scans go on this long after a change: longer than debouncing takes.
const SCANS_AFTER: i64 = 60;

pub(super) struct Board {
    sensing: SensingKind,
    seating: Seating,
    /// Whether it lies the wrong way round.
    pub(super) turned: bool,
    /// What the sensors show.
    shown: [Reading; Cell::COUNT],
    next_scan: i64,
    /// Scans go on until then; a board that shows nothing new needs none.
    scan_until: i64,
}

impl Board {
    /// An empty board at a table's ms 0.
    pub(super) fn new(sensing: SensingKind, seating: Seating) -> Board {
        Board {
            sensing,
            seating,
            turned: false,
            shown: [Reading::EMPTY; Cell::COUNT],
            next_scan: 0,
            scan_until: SCANS_AFTER,
        }
    }

    /// What its sensors show.
    pub(super) fn shown(&self) -> &[Reading; Cell::COUNT] {
        &self.shown
    }

    /// From `now` on a point shows this man, or nothing.
    pub(super) fn show(&mut self, point: Point, man: Option<Man>, now: i64) {
        self.shown[self.cell(point)] = self.reading(man);
        if self.next_scan().is_none() {
            self.next_scan = scan_after(now);
        }
        self.scan_until = now + SCANS_AFTER;
    }

    /// Whether a point shows this man, or nothing.
    pub(super) fn shows(&self, point: Point, man: Option<Man>) -> bool {
        self.shown[self.cell(point)] == self.reading(man)
    }

    fn reading(&self, man: Option<Man>) -> Reading {
        man.map_or(Reading::EMPTY, |man| man.reading(self.sensing))
    }

    /// The cell under a point.
    fn cell(&self, point: Point) -> usize {
        self.seating.cell(if self.turned { point.rotated() } else { point }).index()
    }

    /// When its device reads the sensors next; `None`: there is nothing new to read.
    pub(super) fn next_scan(&self) -> Option<i64> {
        (self.next_scan <= self.scan_until).then_some(self.next_scan)
    }

    /// Its device has read the sensors.
    pub(super) fn scanned(&mut self, now: i64) {
        self.next_scan = scan_after(now);
    }

    /// Its device has restarted and knows nothing of what the sensors show.
    pub(super) fn scan_anew(&mut self, now: i64) {
        self.next_scan = scan_after(now);
        self.scan_until = now + SCANS_AFTER;
    }
}

/// The first scan after `now`.
fn scan_after(now: i64) -> i64 {
    now - now.rem_euclid(SCAN) + SCAN
}
