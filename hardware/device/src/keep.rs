//! What a device keeps over a power cut: how often it started, how its sensors are calibrated, how its clock stood.
//!
//! Over any NOR flash, through `sequential-storage`: whatever instant the power goes at, each of these is afterwards
//! what it was before the write that was cut, or what that write would have made it (a test cuts at every byte).

use core::ops::Range;

use embedded_storage_async::nor_flash::MultiwriteNorFlash;
use firmware_proto::{BootId, ByHalf, Cell, ClockFace, ClockSetting, Half, Millis};
use sequential_storage::Error;
use sequential_storage::cache::{Cache, Uncached};
use sequential_storage::map::{MapConfig, MapStorage, Value};

use crate::field::Calibration;

/// Bytes at the beginning of the range for what changes seldom; the rest is the clock's, in two logs.
const SETTINGS: u32 = 16 * 1024;

/// The longest item, a calibration, with room for its key.
const BUFFER: usize = 256;

/// Erasing stops everything for a second or two. So it is done while nothing runs, if so many states of the clock were
/// written since the last time; in 256 KiB the room then suffices for a game of more than two hours. The log that holds
/// the clock stays until the other one does.
const WORN: u32 = 1_000;

/// Where each thing lies.
#[derive(Clone, Copy)]
enum Item {
    Starts,
    Calibration,
    Clock(Log),
}

impl Item {
    const fn key(self) -> u8 {
        match self {
            Item::Starts => 0,
            Item::Calibration => 1,
            Item::Clock(_) => 2,
        }
    }
}

/// Two logs of how the clock stood; the one with the higher generation counts.
#[derive(Clone, Copy)]
enum Log {
    First,
    Second,
}

impl Log {
    const fn other(self) -> Log {
        match self {
            Log::First => Log::Second,
            Log::Second => Log::First,
        }
    }
}

type Map<'a, S> = MapStorage<u8, &'a mut S, Cache<Uncached, Uncached, Uncached, u8>>;

/// How a clock stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptClock {
    /// Both times, which of them ran, the increment.
    pub setting: ClockSetting,
    /// Whether an arbiter had stopped it, so that a press does not start it.
    pub paused: bool,
}

/// The words that [`KeptClock`] takes in registers that outlive a reset.
pub const CLOCK_WORDS: usize = 4;

/// Marks words that hold a clock; changes with their meaning.
const CLOCK_MARK: u32 = 0x43_4c_4b_31;

impl KeptClock {
    /// As words for registers that outlive a reset but not a power cut; the last one tells whether they are sound.
    #[must_use]
    pub fn to_words(self) -> [u32; CLOCK_WORDS] {
        let ClockSetting { face, increment } = self.setting;
        let state = match (face.running, self.paused) {
            (None, false) => 0,
            (None, true) => 1,
            (Some(Half::A), _) => 2,
            (Some(Half::B), _) => 3,
        };
        let words = [face.left.a.0, face.left.b.0, increment.0 << 2 | state];
        [words[0], words[1], words[2], Self::check(words)]
    }

    /// What [`KeptClock::to_words`] made; `None`: these words hold no clock.
    #[must_use]
    pub fn from_words([a, b, rest, check]: [u32; CLOCK_WORDS]) -> Option<KeptClock> {
        if check != Self::check([a, b, rest]) {
            return None;
        }
        let (running, paused) = match rest & 3 {
            0 => (None, false),
            1 => (None, true),
            2 => (Some(Half::A), false),
            _ => (Some(Half::B), false),
        };
        let left = ByHalf { a: Millis(a), b: Millis(b) };
        let setting = ClockSetting { face: ClockFace { left, running }, increment: Millis(rest >> 2) };
        Some(KeptClock { setting, paused })
    }

    /// After a power cut of unknown length: what ran is stopped until an arbiter lets it go on.
    #[must_use]
    pub fn after_power_cut(mut self) -> KeptClock {
        self.paused |= self.setting.face.running.take().is_some();
        self
    }

    fn check(words: [u32; 3]) -> u32 {
        words.iter().fold(CLOCK_MARK, |sum, word| sum.rotate_left(5).wrapping_mul(0x9e37_79b1) ^ word)
    }
}

/// The flash could not be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashFailed;

/// What is kept in a range of a flash.
pub struct Keep<S> {
    flash: S,
    range: Range<u32>,
    /// The log that is written at present, and its generation; unknown at the start.
    log: Option<(Log, u32)>,
    /// States of the clock written since the last erasure; unknown at the start.
    written: u32,
}

impl<S: MultiwriteNorFlash> Keep<S> {
    /// In this range of the flash: whole pages of 4 KiB, an even number of them, at least 32 KiB.
    #[must_use]
    pub const fn new(flash: S, range: Range<u32>) -> Keep<S> {
        Keep { flash, range, log: None, written: u32::MAX }
    }

    /// Counts a start. Its number is durable when this returns.
    pub async fn count_start(&mut self) -> Result<BootId, FlashFailed> {
        let mut buffer = [0; BUFFER];
        let before: Option<u32> = self.fetch(Item::Starts, &mut buffer).await?;
        let start = before.unwrap_or(0).saturating_add(1);
        self.store(Item::Starts, &start).await?;
        Ok(BootId(start))
    }

    /// The calibration that was kept, if one was.
    pub async fn calibration(&mut self) -> Option<Calibration> {
        let mut buffer = [0; BUFFER];
        let kept: Option<[u16; Cell::COUNT + 1]> =
            self.fetch(Item::Calibration, &mut buffer).await.ok().flatten();
        let (scale, zero) = kept?.split_first().map(|(scale, zero)| (*scale, zero.try_into()))?;
        Some(Calibration { zero: zero.ok()?, scale })
    }

    /// Keeps a calibration.
    pub async fn keep_calibration(&mut self, calibration: &Calibration) -> Result<(), FlashFailed> {
        let mut words = [calibration.scale; Cell::COUNT + 1];
        words[1..].copy_from_slice(&calibration.zero);
        self.store(Item::Calibration, &words).await
    }

    /// How the clock stood when it was kept last.
    pub async fn clock(&mut self) -> Option<KeptClock> {
        let mut newest = None;
        for log in [Log::First, Log::Second] {
            let mut buffer = [0; BUFFER];
            // A log that cannot be read is one that is no more, or not yet.
            let words: Option<[u32; CLOCK_WORDS + 1]> =
                self.fetch(Item::Clock(log), &mut buffer).await.ok().flatten();
            let Some([generation, a, b, rest, check]) = words else { continue };
            if let Some(clock) = KeptClock::from_words([a, b, rest, check])
                && self.log.is_none_or(|(_, highest)| generation >= highest)
            {
                self.log = Some((log, generation));
                newest = Some(clock);
            }
        }
        newest
    }

    /// Keeps how the clock stands. When nothing runs this may take a second or two: room is made then.
    pub async fn keep_clock(&mut self, clock: KeptClock) -> Result<(), FlashFailed> {
        if self.log.is_none() {
            self.clock().await;
        }
        let (mut log, mut generation) = self.log.unwrap_or((Log::First, 0));
        if clock.setting.face.running.is_none() && self.written > WORN {
            (log, generation) = (log.other(), generation.saturating_add(1));
            self.map(Item::Clock(log)).erase_all().await.map_err(failed)?;
            self.written = 0;
        }
        let [a, b, rest, check] = clock.to_words();
        self.store(Item::Clock(log), &[generation, a, b, rest, check]).await?;
        self.log = Some((log, generation));
        self.written = self.written.saturating_add(1);
        Ok(())
    }

    /// The part of the range that an item lies in.
    fn map(&mut self, item: Item) -> Map<'_, S> {
        let Range { start, end } = self.range;
        let logs = start + SETTINGS;
        let middle = logs + (end - logs) / 2;
        let range = match item {
            Item::Starts | Item::Calibration => start..logs,
            Item::Clock(Log::First) => logs..middle,
            Item::Clock(Log::Second) => middle..end,
        };
        MapStorage::new(&mut self.flash, MapConfig::new(range), Cache::new_uncached())
    }

    async fn fetch<'d, V: Value<'d>>(
        &mut self,
        item: Item,
        buffer: &'d mut [u8; BUFFER],
    ) -> Result<Option<V>, FlashFailed> {
        self.map(item).fetch_item(buffer, &item.key()).await.map_err(failed)
    }

    async fn store<'d, V: Value<'d>>(&mut self, item: Item, value: &V) -> Result<(), FlashFailed> {
        self.map(item).store_item(&mut [0; BUFFER], &item.key(), value).await.map_err(failed)
    }
}

fn failed<E>(_: Error<E>) -> FlashFailed {
    FlashFailed
}

#[cfg(test)]
mod tests;
