//! The parts of a flash that firmware lies in.

use core::ops::Range;

use embedded_storage::nor_flash::NorFlash;

use crate::keep::FlashFailed;

/// Bytes that are read at once.
const BUFFER: usize = 256;

pub(super) const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI);

/// Where each part lies in a flash: whole units of erasure, firmware's parts all of one length, the log two units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The firmware that runs; it is linked to this place.
    pub running: Range<u32>,
    /// The firmware that is coming over the line.
    pub coming: Range<u32>,
    /// The firmware that ran before, while the new one is on trial.
    pub former: Range<u32>,
    /// How far a change of firmware is.
    pub log: Range<u32>,
}

/// Bytes at the beginning of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Extent {
    pub length: u32,
    /// CRC-32C of them.
    pub crc: u32,
}

/// The parts of a flash whose bytes can be written one by one.
pub struct Slots<F> {
    pub(super) flash: F,
    pub(super) layout: Layout,
}

impl<F: NorFlash> Slots<F> {
    /// In this flash, as this layout says.
    #[must_use]
    pub const fn new(flash: F, layout: Layout) -> Slots<F> {
        const { assert!(F::WRITE_SIZE == 1, "bytes are written one by one") }
        Slots { flash, layout }
    }

    /// Writes bytes into a part, in order from its beginning: a unit is erased when its first byte comes.
    pub(super) fn write(&mut self, part: &Range<u32>, at: u32, bytes: &[u8]) -> Result<(), FlashFailed> {
        let unit = F::ERASE_SIZE as u32;
        let end = at + bytes.len() as u32;
        for begin in (at.next_multiple_of(unit)..end).step_by(F::ERASE_SIZE) {
            self.erase(part.start + begin..part.start + begin + unit)?;
        }
        self.flash.write(part.start + at, bytes).map_err(failed)
    }

    /// Makes a part hold these bytes of another one and nothing else; it is read again to see that it does.
    pub(super) fn copy(
        &mut self,
        from: &Range<u32>,
        to: &Range<u32>,
        what: Extent,
    ) -> Result<(), FlashFailed> {
        self.erase(to.clone())?;
        let mut buffer = [0; BUFFER];
        for at in (0..what.length).step_by(BUFFER) {
            let bytes = &mut buffer[..BUFFER.min((what.length - at) as usize)];
            self.flash.read(from.start + at, bytes).map_err(failed)?;
            self.flash.write(to.start + at, bytes).map_err(failed)?;
        }
        if self.crc(to, what.length)? == what.crc { Ok(()) } else { Err(FlashFailed) }
    }

    /// Whether these bytes lie in this part.
    pub(super) fn holds(&mut self, part: &Range<u32>, what: Extent) -> Result<bool, FlashFailed> {
        Ok(self.crc(part, what.length)? == what.crc)
    }

    /// All that lies in a part, up to where nothing but erased bytes follow.
    pub(super) fn extent(&mut self, part: &Range<u32>) -> Result<Extent, FlashFailed> {
        let (mut length, mut at) = (0, 0);
        self.each(part, part.end - part.start, |bytes| {
            at += bytes.len() as u32;
            if bytes.iter().any(|&byte| byte != 0xff) {
                length = at;
            }
        })?;
        Ok(Extent { length, crc: self.crc(part, length)? })
    }

    /// Shows the first bytes of a part, some at a time.
    pub(super) fn each(
        &mut self,
        part: &Range<u32>,
        length: u32,
        mut look: impl FnMut(&[u8]),
    ) -> Result<(), FlashFailed> {
        let mut buffer = [0; BUFFER];
        for at in (0..length).step_by(BUFFER) {
            let bytes = &mut buffer[..BUFFER.min((length - at) as usize)];
            self.flash.read(part.start + at, bytes).map_err(failed)?;
            look(bytes);
        }
        Ok(())
    }

    fn crc(&mut self, part: &Range<u32>, length: u32) -> Result<u32, FlashFailed> {
        let mut digest = CRC.digest();
        self.each(part, length, |bytes| digest.update(bytes))?;
        Ok(digest.finalize())
    }

    /// Erases those of these units that are not erased: erasing is slow and wears them.
    pub(super) fn erase(&mut self, range: Range<u32>) -> Result<(), FlashFailed> {
        for begin in range.step_by(F::ERASE_SIZE) {
            let unit = begin..begin + F::ERASE_SIZE as u32;
            let mut blank = true;
            self.each(&unit, F::ERASE_SIZE as u32, |bytes| blank &= bytes.iter().all(|&byte| byte == 0xff))?;
            if !blank {
                self.flash.erase(unit.start, unit.end).map_err(failed)?;
            }
        }
        Ok(())
    }
}

pub(super) fn failed<E>(_: E) -> FlashFailed {
    FlashFailed
}
