//! How far a change of firmware is: short entries in two units of erasure, the one with the highest number counts.
//!
//! An entry is numbered and has a check sum: one that the power cut through is none. A unit is erased only while the other
//! one holds the entry that counts, so it does not matter what an erasure that was cut through leaves behind.

use embedded_storage::nor_flash::NorFlash;
use serde::{Deserialize, Serialize};

use super::slots::{CRC, Extent, Slots, failed};
use crate::keep::FlashFailed;

/// How far a change of firmware is. Order of variants is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The firmware that runs has proven itself.
    Settled,
    /// The last trial was not passed; the firmware from before it runs.
    GivenBack,
    /// What came is to be tried.
    ToTry { coming: Extent },
    /// What runs is being replaced; the part of the former one holds it.
    Replaces { coming: Extent, former: Extent },
    /// The new firmware was started and has not proven itself yet.
    Trial { former: Extent },
}

/// Bytes of an entry: its number and its stage, zeros, their check sum. A page of a flash holds a whole number of them.
const ENTRY: usize = 32;
const TEXT: usize = ENTRY - 4;

/// An entry's number, its stage and where it lies.
struct Entry {
    number: u32,
    stage: Stage,
    at: u32,
}

impl<F: NorFlash> Slots<F> {
    /// How far it is; a device that never had another firmware is settled.
    pub(super) fn stage(&mut self) -> Result<Stage, FlashFailed> {
        Ok(self.last_entry()?.map_or(Stage::Settled, |entry| entry.stage))
    }

    /// How far it is from now on.
    pub(super) fn note(&mut self, stage: Stage) -> Result<(), FlashFailed> {
        let last = self.last_entry()?;
        let unit = F::ERASE_SIZE as u32;
        let first = self.layout.log.start;
        let number = last.as_ref().map_or(1, |entry| entry.number + 1);
        let own = last.map_or(first, |entry| first + (entry.at - first) / unit * unit);
        let at = match self.free_entry(own)? {
            Some(at) => at,
            None => {
                let other = if own == first { first + unit } else { first };
                self.flash.erase(other, other + unit).map_err(failed)?;
                other
            }
        };
        let mut bytes = [0; ENTRY];
        postcard::to_slice(&(number, stage), &mut bytes[..TEXT])
            .expect("two extents of at most ten bytes, a number of at most five, one for the variant");
        let sum = CRC.checksum(&bytes[..TEXT]);
        bytes[TEXT..].copy_from_slice(&sum.to_le_bytes());
        self.flash.write(at, &bytes).map_err(failed)
    }

    fn last_entry(&mut self) -> Result<Option<Entry>, FlashFailed> {
        let mut last: Option<Entry> = None;
        for at in self.layout.log.clone().step_by(ENTRY) {
            let bytes = self.entry(at)?;
            let Some((text, sum)) = bytes.split_last_chunk::<4>() else { continue };
            if CRC.checksum(text) != u32::from_le_bytes(*sum) {
                continue;
            }
            let Ok((number, stage)) = postcard::from_bytes(text) else { continue };
            if last.as_ref().is_none_or(|last| last.number < number) {
                last = Some(Entry { number, stage, at });
            }
        }
        Ok(last)
    }

    /// The first entry of this unit behind which nothing was ever written.
    fn free_entry(&mut self, unit: u32) -> Result<Option<u32>, FlashFailed> {
        let mut free = None;
        for at in (unit..unit + F::ERASE_SIZE as u32).step_by(ENTRY).rev() {
            if self.entry(at)?.iter().any(|&byte| byte != 0xff) {
                break;
            }
            free = Some(at);
        }
        Ok(free)
    }

    fn entry(&mut self, at: u32) -> Result<[u8; ENTRY], FlashFailed> {
        let mut bytes = [0; ENTRY];
        self.flash.read(at, &mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}
