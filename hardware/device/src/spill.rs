//! The records that no host has acknowledged yet, over a power cut: a log in flash that every record is written to
//! before anybody is told of it.
//!
//! Over any NOR flash whose bytes can be written one by one. Whatever instant the power goes at, the next start finds
//! every record that was told of, as it was; what a cut can take is what was being written, of which nobody knows.
//!
//! The range is a ring of units of erasure. A unit begins with a head (which record is its first one) and holds entries,
//! each with a check sum. Units are erased ahead while nobody plays, for that stops everything. One that was erased has a
//! mark, because an erasure that was cut may look like a whole one; only in a log that was never used, units that look
//! erased are so from the factory. Nothing is written behind a torn entry: the next one goes to the next unit.

use core::ops::Range;

use embedded_storage::nor_flash::NorFlash;
use firmware_proto::delivery::Number;
use firmware_proto::{BootId, Millis, Seq};

use crate::device::Device;
use crate::journal::Kept;
use crate::keep::FlashFailed;

mod unit;

use unit::{AROUND, Found, Head, Place, State};

/// How far the host has taken records is noted so often at most, and so often it is looked for a unit to erase.
const SELDOM: Millis = Millis(1_000);

/// Where the next entry goes.
#[derive(Clone, Copy, Debug)]
struct End {
    /// In which unit, counted from the first one ever.
    unit: u32,
    /// Offset in it.
    at: u32,
    /// What the next record is, if no start comes before it.
    next: Place,
}

/// A log of records in a range of a flash.
pub struct Spill<F> {
    flash: F,
    range: Range<u32>,
    /// `None`: nothing was written yet.
    end: Option<End>,
    /// By what the log tells, everything before this record is taken.
    front: Place,
    noted: Millis,
    looked: Option<Millis>,
    /// No unit is free.
    full: bool,
    /// Nothing was ever written or erased here.
    is_new: bool,
}

impl<F: NorFlash> Spill<F> {
    /// In this range of the flash: whole units of erasure, three at least.
    #[must_use]
    pub const fn new(flash: F, range: Range<u32>) -> Spill<F> {
        const { assert!(F::WRITE_SIZE == 1, "bytes are written one by one") }
        let front = (BootId(0), Seq::FIRST);
        let noted = Millis::ZERO;
        Spill { flash, range, end: None, front, noted, looked: None, full: false, is_new: false }
    }

    /// Its flash.
    pub const fn flash_mut(&mut self) -> &mut F {
        &mut self.flash
    }

    /// Its flash, which outlives it.
    #[must_use]
    pub fn into_flash(self) -> F {
        self.flash
    }

    /// Gives a device that starts what its earlier starts left; from now on it tells of nothing that is not written. To
    /// be called before anything happens to the device.
    pub fn hand_over(&mut self, device: &mut Device) -> Result<(), FlashFailed> {
        // A start that could not be counted has a number that others have: its records are not to be kept.
        if device.boot() == BootId(0) {
            return Err(FlashFailed);
        }
        let read = self.read_back(device);
        device.journal.write_ahead();
        self.front = device.journal.front();
        read
    }

    /// Writes what is new. To be called after everything that happens to the device, and before it is asked what to say.
    /// While the flash takes nothing the device goes on without it, and tells its host.
    pub fn write(&mut self, device: &mut Device) -> Result<(), FlashFailed> {
        let mut bytes = [0; 255];
        while let Some((seq, length)) = device.journal.unwritten(&mut bytes) {
            if self.full {
                device.journal.on_stalled(device.now());
                return Ok(());
            }
            if let Err(failed) = self.append_record((device.boot(), seq), &bytes[..length]) {
                device.journal.on_stalled(device.now());
                return Err(failed);
            }
            device.journal.on_written(device.now());
        }
        let front = device.journal.front();
        if front != self.front && device.now().since(self.noted) >= SELDOM {
            self.noted = device.now();
            self.front = front;
            if let Some(End { next, .. }) = self.end
                && !self.full
            {
                self.append(next, Kept::Taken(front.0, front.1).write(&mut bytes))?;
            }
        }
        Ok(())
    }

    /// Erases a unit, if one is not free that holds nothing wanted any more. Everything stands still meanwhile: to be called
    /// when a device [is at peace](Device::is_at_peace). Looks once a second.
    pub fn make_room(&mut self, now: Millis) -> Result<(), FlashFailed> {
        if self.looked.is_some_and(|looked| now.since(looked) < SELDOM) {
            return Ok(());
        }
        self.looked = Some(now);
        let newest = self.end.map_or(0, |end| end.unit);
        // Behind the newest one comes the oldest.
        for unit in newest + 1..newest + self.units() {
            let is_wanted = match self.state(unit)? {
                State::Free => continue,
                State::Waste if self.is_new && self.is_blank(unit, 0)? => {
                    self.mark(unit)?;
                    self.full = false;
                    continue;
                }
                State::Waste => false,
                State::Used(_) => self.first_behind(unit, newest)? > self.front,
            };
            if !is_wanted {
                self.erase(unit)?;
                self.full = false;
            }
            break;
        }
        Ok(())
    }

    /// The first record of the next used unit behind this one, which is not the newest.
    fn first_behind(&mut self, unit: u32, newest: u32) -> Result<Place, FlashFailed> {
        for next in unit + 1..=newest + self.units() {
            if let State::Used(head) = self.state(next)? {
                return Ok(head.first);
            }
        }
        // Unreachable: the newest one is used.
        Err(FlashFailed)
    }

    fn append_record(&mut self, record: Place, entry: &[u8]) -> Result<(), FlashFailed> {
        // A start may come between.
        if self.end.is_some_and(|end| end.next != record) {
            let mut bytes = [0; 255];
            self.append(record, Kept::Start(record.0, record.1).write(&mut bytes))?;
        }
        self.append(record, entry)?;
        if let Some(end) = &mut self.end {
            end.next = (record.0, record.1.plus(1));
        }
        Ok(())
    }

    /// Writes an entry; `next` is the record that it is, or that comes behind it.
    fn append(&mut self, next: Place, entry: &[u8]) -> Result<(), FlashFailed> {
        let room = F::ERASE_SIZE - AROUND - entry.len();
        let end = match self.end {
            Some(end) if end.at as usize <= room => end,
            Some(_) | None => self.next_unit(next)?,
        };
        // Should it fail, nothing is written behind it.
        self.end = Some(End { at: F::ERASE_SIZE as u32, ..end });
        let at = self.write_entry(end.unit, end.at, entry)?;
        self.end = Some(End { at, next, ..end });
        Ok(())
    }

    /// Begins the next free unit.
    fn next_unit(&mut self, next: Place) -> Result<End, FlashFailed> {
        let newest = self.end.map_or(0, |end| end.unit);
        for unit in newest + 1..newest + self.units() {
            match self.state(unit)? {
                State::Free => {
                    let at = self.begin(&Head { unit, first: next, front: self.front })?;
                    return Ok(End { unit, at, next });
                }
                // It was being begun, or erased, when the power went.
                State::Waste => {}
                State::Used(_) => break,
            }
        }
        self.full = true;
        Err(FlashFailed)
    }

    /// Finds the end of the log and restores what is not taken yet, oldest first.
    fn read_back(&mut self, device: &mut Device) -> Result<(), FlashFailed> {
        let mut newest = 0;
        self.is_new = true;
        for unit in 0..self.units() {
            let state = self.state(unit)?;
            self.is_new &= state == State::Waste;
            if let State::Used(head) = state {
                newest = newest.max(head.unit);
            }
        }
        let oldest = (newest + 1).saturating_sub(self.units());
        let mut front = self.front;
        for unit in oldest..=newest {
            let State::Used(head) = self.state(unit)? else { continue };
            front = front.max(head.front);
            let Found { end, next } = self.each(&head, |_, kept, _| {
                if let Kept::Taken(boot, seq) = kept {
                    front = front.max((boot, seq));
                }
            })?;
            self.end = Some(End { unit, at: end, next });
        }
        if self.end.is_some_and(|end| end.next.0 >= device.boot()) {
            // The count of starts was lost: these records cannot be told from those to come.
            return self.forget();
        }
        self.front = front;
        for unit in oldest..=newest {
            let State::Used(head) = self.state(unit)? else { continue };
            self.each(&head, |place, kept, entry| {
                if let Kept::Record(..) = kept
                    && place >= front
                {
                    device.journal.restore(place.0, place.1, entry);
                }
            })?;
        }
        Ok(())
    }

    fn forget(&mut self) -> Result<(), FlashFailed> {
        self.end = None;
        for unit in 0..self.units() {
            self.erase(unit)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
