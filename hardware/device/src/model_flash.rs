//! A NOR flash in memory whose power can go at any byte, for tests and for virtual tables.

use alloc::vec;
use alloc::vec::Vec;

use embedded_storage::nor_flash::{
    ErrorType, MultiwriteNorFlash, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash,
};
use embedded_storage_async::nor_flash as asynchronous;

/// Units of erasure of `PAGE` bytes.
#[derive(Clone, Debug)]
pub struct ModelFlash<const PAGE: usize> {
    /// What lies in it.
    pub bytes: Vec<u8>,
    /// Bytes (a page that is erased counts as one) until the power goes.
    pub power: u32,
    /// Pages erased so far.
    pub erased: u32,
    /// Which bytes of a page have gone when its erasure was cut: the first half of it, or any of them by these dice.
    pub dice: Option<Dice>,
}

/// Dice whose throws follow from a seed (splitmix64).
#[derive(Clone, Copy, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// A number below this one, which is not 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) % u64::from(bound)) as u32
    }
}

/// The power is gone.
#[derive(Debug)]
pub struct NoPower;

impl NorFlashError for NoPower {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

impl<const PAGE: usize> ModelFlash<PAGE> {
    /// An erased one.
    #[must_use]
    pub fn of_pages(pages: usize) -> Self {
        ModelFlash { bytes: vec![0xff; pages * PAGE], power: u32::MAX, erased: 0, dice: None }
    }

    fn spend(&mut self) -> Result<(), NoPower> {
        self.power = self.power.checked_sub(1).ok_or(NoPower)?;
        Ok(())
    }
}

impl<const PAGE: usize> ErrorType for ModelFlash<PAGE> {
    type Error = NoPower;
}

impl<const PAGE: usize> ReadNorFlash for ModelFlash<PAGE> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NoPower> {
        bytes.copy_from_slice(&self.bytes[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl<const PAGE: usize> NorFlash for ModelFlash<PAGE> {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NoPower> {
        for page in self.bytes[from as usize..to as usize].chunks_exact_mut(PAGE) {
            if self.power == 0 {
                match &mut self.dice {
                    None => page[..PAGE / 2].fill(0xff),
                    // A bit that is going to be one may be so already.
                    Some(dice) => page.iter_mut().for_each(|byte| *byte |= dice.below(256) as u8),
                }
                return Err(NoPower);
            }
            self.power -= 1;
            self.erased += 1;
            page.fill(0xff);
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NoPower> {
        for (at, byte) in (offset as usize..).zip(bytes) {
            if self.power == 0
                && let Some(dice) = &mut self.dice
            {
                // A bit that is going to be zero may be so already.
                self.bytes[at] &= byte | dice.below(256) as u8;
            }
            self.spend()?;
            // A bit can only go from one to zero.
            self.bytes[at] &= byte;
        }
        Ok(())
    }
}

impl<const PAGE: usize> MultiwriteNorFlash for ModelFlash<PAGE> {}

impl<const PAGE: usize> asynchronous::ReadNorFlash for ModelFlash<PAGE> {
    const READ_SIZE: usize = 1;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NoPower> {
        ReadNorFlash::read(self, offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl<const PAGE: usize> asynchronous::NorFlash for ModelFlash<PAGE> {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = PAGE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), NoPower> {
        NorFlash::erase(self, from, to)
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NoPower> {
        NorFlash::write(self, offset, bytes)
    }
}

impl<const PAGE: usize> asynchronous::MultiwriteNorFlash for ModelFlash<PAGE> {}
