//! The board: from scans to what happened on its cells.

use firmware_proto::{Body, Cell, HealthFault, Image, Millis, Reading, SensingKind};

use crate::debounce::{DEBOUNCE, Debouncer};
use crate::strength::Strengths;
use crate::walk::Walk;

/// How long after a change the whole image is recorded, as a check of the changes.
const CHECK: Millis = Millis(60_000);

pub(crate) struct Board {
    debouncer: Debouncer,
    started: Started,
    /// When the next check is due, if anything changed since the last image.
    check: Option<Millis>,
    /// The walk test that goes on.
    walk: Option<Walk>,
    strengths: Strengths,
}

/// Whether the first image stands.
enum Started {
    NoScanYet,
    FirstScan(Millis),
    ImageStands,
}

impl Board {
    pub(crate) const fn new(kind: SensingKind) -> Board {
        Board {
            debouncer: Debouncer::new(kind),
            started: Started::NoScanYet,
            check: None,
            walk: None,
            strengths: Strengths::new(),
        }
    }

    /// What stands on the board, once the first image does.
    pub(crate) const fn image(&self) -> Option<&Image> {
        match self.started {
            Started::NoScanYet | Started::FirstScan(_) => None,
            Started::ImageStands => Some(self.debouncer.image()),
        }
    }

    /// Takes a scan; what happened goes to `record`.
    pub(crate) fn on_scan(
        &mut self,
        raw: &[Reading; Cell::COUNT],
        now: Millis,
        mut record: impl FnMut(Body),
    ) {
        match self.started {
            Started::NoScanYet => {
                self.started = Started::FirstScan(now);
                self.debouncer.on_scan(raw, now, |_, _| {});
            }
            Started::FirstScan(first) => {
                self.debouncer.on_scan(raw, now, |_, _| {});
                if now.since(first) >= DEBOUNCE {
                    self.started = Started::ImageStands;
                    record(Body::Snapshot(*self.debouncer.image()));
                }
            }
            Started::ImageStands => {
                let check = &mut self.check;
                self.debouncer.on_scan(raw, now, |cell, reading| {
                    check.get_or_insert(now.plus(CHECK));
                    record(Body::Point(cell, reading));
                });
                if let Some(walk) = &mut self.walk {
                    walk.look(self.debouncer.image());
                }
            }
        }
    }

    /// Takes the fields of the last scan, microtesla without sign; what it finds goes to `tell`.
    pub(crate) fn on_fields(
        &mut self,
        fields: &[u16; Cell::COUNT],
        now: Millis,
        tell: impl FnMut(HealthFault),
    ) {
        let Some(image) = self.image().copied() else { return };
        if let Some(walk) = &mut self.walk {
            walk.look_at_fields(fields);
        }
        self.strengths.on_fields(fields, &image, now, tell);
    }

    /// Records the whole image if its check is due.
    pub(crate) fn poll(&mut self, now: Millis, record: impl FnOnce(Body)) {
        if self.check.is_some_and(|due| now.reached(due)) {
            self.snapshot(record);
        }
    }

    /// Records the whole image; `false`: it does not stand yet.
    pub(crate) fn snapshot(&mut self, record: impl FnOnce(Body)) -> bool {
        let Some(image) = self.image() else { return false };
        record(Body::Snapshot(*image));
        self.check = None;
        true
    }

    /// Begins a walk test, anew if one goes on; `false`: the image does not stand yet.
    pub(crate) fn begin_walk(&mut self) -> bool {
        let Some(image) = self.image().copied() else { return false };
        self.walk.insert(Walk::begin()).look(&image);
        true
    }

    /// Whether a walk test goes on.
    pub(crate) const fn walks(&self) -> bool {
        self.walk.is_some()
    }

    /// Ends the walk test; what is wrong goes to `each`.
    pub(crate) fn end_walk(&mut self, each: impl FnMut(HealthFault)) {
        if let Some(walk) = self.walk.take() {
            walk.faults().for_each(each);
        }
    }

    pub(crate) fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        self.check.map(|due| (due, "record the image as a check"))
    }
}
