//! One unit of erasure of the log: whether it may be written, and what lies in it.

use embedded_storage::nor_flash::NorFlash;
use firmware_proto::delivery::Number;
use firmware_proto::{BootId, Seq};

use super::Spill;
use crate::journal::{EntryBytes, Kept};
use crate::keep::FlashFailed;

const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI);

/// The first bytes of a unit whose erasure came to its end.
const ERASED: [u8; 4] = *b"CHU1";

/// Numbers of a head, four bytes each, and their check sum behind them.
const NUMBERS: usize = 5;
const HEAD: usize = ERASED.len() + 4 * (NUMBERS + 1);

/// An entry has its length before it and its check sum behind it.
pub(super) const AROUND: usize = 1 + 4;

/// A record's place in the whole stream of a device.
pub(super) type Place = (BootId, Seq);

/// How a unit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Which unit it is, counted from the first one ever.
    pub unit: u32,
    /// The first record in it, if one comes before a start.
    pub first: Place,
    /// Everything before this one was taken when the unit was begun.
    pub front: Place,
}

/// How a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Erased, and nothing written.
    Free,
    /// It holds entries.
    Used(Head),
    /// Anything else.
    Waste,
}

/// What a unit was found to hold.
pub(super) struct Found {
    /// Where its entries end; its own end if something unreadable is behind them.
    pub end: u32,
    /// The record that would come next.
    pub next: Place,
}

impl<F: NorFlash> Spill<F> {
    pub(super) fn state(&mut self, unit: u32) -> Result<State, FlashFailed> {
        let mut bytes = [0; HEAD];
        self.read(unit, 0, &mut bytes)?;
        let (mark, head) = bytes.split_at(ERASED.len());
        if mark != ERASED {
            return Ok(State::Waste);
        }
        if head.iter().all(|&byte| byte == 0xff) {
            return Ok(State::Free);
        }
        let mut words = [0; NUMBERS + 1];
        for (word, bytes) in words.iter_mut().zip(head.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let [number, boot, seq, front_boot, front_seq, sum] = words;
        let is_sound =
            sum == CRC.checksum(&head[..4 * NUMBERS]) && number % self.units() == unit % self.units();
        if !is_sound {
            return Ok(State::Waste);
        }
        let (first, front) = ((BootId(boot), Seq(seq)), (BootId(front_boot), Seq(front_seq)));
        Ok(State::Used(Head { unit: number, first, front }))
    }

    /// Begins a free unit; where its first entry goes.
    pub(super) fn begin(&mut self, head: &Head) -> Result<u32, FlashFailed> {
        let Head { unit, first, front } = *head;
        let mut bytes = [0; 4 * (NUMBERS + 1)];
        let (places, _) = bytes.as_chunks_mut::<4>();
        for (place, number) in places.iter_mut().zip([unit, first.0.0, first.1.0, front.0.0, front.1.0]) {
            *place = number.to_le_bytes();
        }
        let sum = CRC.checksum(&bytes[..4 * NUMBERS]).to_le_bytes();
        bytes[4 * NUMBERS..].copy_from_slice(&sum);
        self.write_at(unit, ERASED.len() as u32, &bytes)?;
        Ok(HEAD as u32)
    }

    /// Makes a unit free.
    pub(super) fn erase(&mut self, unit: u32) -> Result<(), FlashFailed> {
        let begin = self.begin_of(unit);
        self.flash.erase(begin, begin + F::ERASE_SIZE as u32).map_err(|_| FlashFailed)?;
        self.mark(unit)
    }

    /// What is erased is free.
    pub(super) fn mark(&mut self, unit: u32) -> Result<(), FlashFailed> {
        self.write_at(unit, 0, &ERASED)
    }

    /// Writes an entry; where the next one goes.
    pub(super) fn write_entry(&mut self, unit: u32, at: u32, entry: &[u8]) -> Result<u32, FlashFailed> {
        let mut bytes = [0; AROUND + size_of::<EntryBytes>()];
        let length = entry.len();
        // No entry is longer than 255 bytes.
        bytes[0] = length as u8;
        bytes[1..=length].copy_from_slice(entry);
        let sum = CRC.checksum(&bytes[..=length]).to_le_bytes();
        bytes[1 + length..AROUND + length].copy_from_slice(&sum);
        self.write_at(unit, at, &bytes[..AROUND + length])?;
        Ok(at + (AROUND + length) as u32)
    }

    /// Shows each entry of a unit with the place of the record that it is, or that comes behind it.
    pub(super) fn each(
        &mut self,
        head: &Head,
        mut see: impl FnMut(Place, Kept, &[u8]),
    ) -> Result<Found, FlashFailed> {
        let mut next = head.first;
        let mut at = HEAD as u32;
        let mut bytes = [0; size_of::<EntryBytes>()];
        while let Some((kept, length)) = self.read_entry(head.unit, at, &mut bytes)? {
            if let Kept::Start(boot, seq) = kept {
                next = (boot, seq);
            }
            see(next, kept, &bytes[..length]);
            if let Kept::Record(..) = kept {
                next.1 = next.1.plus(1);
            }
            at += (AROUND + length) as u32;
        }
        let end = if self.is_blank(head.unit, at)? { at } else { F::ERASE_SIZE as u32 };
        Ok(Found { end, next })
    }

    /// The entry there and its length; `None`: there is no whole one that this firmware knows.
    fn read_entry(
        &mut self,
        unit: u32,
        at: u32,
        bytes: &mut EntryBytes,
    ) -> Result<Option<(Kept, usize)>, FlashFailed> {
        let room = F::ERASE_SIZE as u32 - at;
        if room < AROUND as u32 {
            return Ok(None);
        }
        let mut length = [0];
        self.read(unit, at, &mut length)?;
        let [short] = length;
        if u32::from(short) + AROUND as u32 > room {
            return Ok(None);
        }
        let entry = &mut bytes[..short.into()];
        self.read(unit, at + 1, entry)?;
        let mut sum = [0; 4];
        self.read(unit, at + 1 + u32::from(short), &mut sum)?;
        let mut digest = CRC.digest();
        digest.update(&length);
        digest.update(entry);
        if digest.finalize() != u32::from_le_bytes(sum) {
            return Ok(None);
        }
        Ok(postcard::from_bytes(entry).ok().map(|kept| (kept, short.into())))
    }

    /// Whether nothing was ever written from there on.
    pub(super) fn is_blank(&mut self, unit: u32, at: u32) -> Result<bool, FlashFailed> {
        let mut bytes = [0; 64];
        for at in (at..F::ERASE_SIZE as u32).step_by(bytes.len()) {
            let bytes = &mut bytes[..64.min(F::ERASE_SIZE - at as usize)];
            self.read(unit, at, bytes)?;
            if bytes.iter().any(|&byte| byte != 0xff) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many there are.
    pub(super) fn units(&self) -> u32 {
        (self.range.end - self.range.start) / F::ERASE_SIZE as u32
    }

    /// Where one lies: they take turns.
    fn begin_of(&self, unit: u32) -> u32 {
        self.range.start + unit % self.units() * F::ERASE_SIZE as u32
    }

    fn read(&mut self, unit: u32, at: u32, bytes: &mut [u8]) -> Result<(), FlashFailed> {
        let begin = self.begin_of(unit);
        self.flash.read(begin + at, bytes).map_err(|_| FlashFailed)
    }

    fn write_at(&mut self, unit: u32, at: u32, bytes: &[u8]) -> Result<(), FlashFailed> {
        let begin = self.begin_of(unit);
        self.flash.write(begin + at, bytes).map_err(|_| FlashFailed)
    }
}
