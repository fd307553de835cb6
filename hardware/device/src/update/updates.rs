//! The running firmware's part: it takes the bytes of the next one, asks for its trial, and proves itself on its own.

use embedded_storage::nor_flash::NorFlash;
use firmware_proto::{Chunk, Firmware, Millis, Target, UpdateRefusal, UpdateState, UpdateStep};
use sha2::{Digest, Sha256};

use super::log::Stage;
use super::slots::{CRC, Extent, Slots};
use crate::keep::FlashFailed;

/// A firmware that has not proven itself so long after its start is given back.
pub const TRIAL: Millis = Millis(60_000);

/// The firmware that is coming.
struct Coming {
    firmware: Firmware,
    /// The offset of the bytes that come next.
    next: u32,
}

/// How the firmware that runs stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Settled,
    GivenBack,
    OnTrial,
    /// It ends now: the next one is to be tried.
    Ends,
}

/// A device's updates. Whether the device has time for one, [`crate::Device`] says before it hands a step on.
pub struct Updates<F> {
    pub(super) slots: Slots<F>,
    own: Target,
    standing: Standing,
    coming: Option<Coming>,
}

impl<F: NorFlash> Updates<F> {
    /// Of the firmware that has just started, made for this target.
    #[must_use]
    pub fn new(mut slots: Slots<F>, own: Target) -> Updates<F> {
        let standing = match slots.stage() {
            Ok(Stage::Trial { .. }) => Standing::OnTrial,
            Ok(Stage::GivenBack) => Standing::GivenBack,
            // Without a boot stage nothing is ever tried.
            Ok(Stage::Settled | Stage::ToTry { .. } | Stage::Replaces { .. }) | Err(FlashFailed) => {
                Standing::Settled
            }
        };
        Updates { slots, own, standing, coming: None }
    }

    /// Takes a step of the host; the answer to it.
    pub fn on_step(&mut self, step: UpdateStep) -> UpdateState {
        let done = match step {
            UpdateStep::Ask => Ok(()),
            UpdateStep::Offer(firmware) => self.on_offer(firmware),
            UpdateStep::Bytes { at, chunk } => self.on_bytes(at, &chunk),
            UpdateStep::Try => self.on_try(),
            UpdateStep::Forget => {
                self.coming = None;
                Ok(())
            }
        };
        done.map_or_else(UpdateState::Refused, |()| self.state())
    }

    /// Lets time pass; `proven`: the device works and has heard its host. `true`: it has not proven itself in time and
    /// is to restart.
    pub fn poll(&mut self, proven: bool, now: Millis) -> bool {
        if self.standing != Standing::OnTrial {
            return false;
        }
        if proven && self.slots.note(Stage::Settled).is_ok() {
            self.standing = Standing::Settled;
        }
        self.standing == Standing::OnTrial && now.reached(TRIAL)
    }

    fn state(&self) -> UpdateState {
        match (self.standing, &self.coming) {
            (Standing::Ends, _) => UpdateState::Restarts,
            (Standing::OnTrial, _) => UpdateState::OnTrial,
            (Standing::Settled | Standing::GivenBack, Some(coming)) => {
                UpdateState::Coming { next: coming.next }
            }
            (Standing::Settled, None) => UpdateState::Settled,
            (Standing::GivenBack, None) => UpdateState::GivenBack,
        }
    }

    fn on_offer(&mut self, firmware: Firmware) -> Result<(), UpdateRefusal> {
        match self.standing {
            Standing::Settled | Standing::GivenBack => {}
            Standing::OnTrial => return Err(UpdateRefusal::OnTrial),
            Standing::Ends => return Ok(()),
        }
        if firmware.target != self.own {
            return Err(UpdateRefusal::OtherTarget);
        }
        let room = self.slots.layout.coming.len().min(self.slots.layout.running.len());
        if firmware.length == 0 || firmware.length as usize > room {
            return Err(UpdateRefusal::Length);
        }
        if self.coming.as_ref().is_none_or(|coming| coming.firmware != firmware) {
            self.coming = Some(Coming { firmware, next: 0 });
        }
        Ok(())
    }

    fn on_bytes(&mut self, at: u32, chunk: &Chunk) -> Result<(), UpdateRefusal> {
        let Some(coming) = &mut self.coming else { return Err(UpdateRefusal::NotOffered) };
        if at != coming.next {
            return Ok(());
        }
        let bytes = chunk.bytes();
        if coming.firmware.length - at < bytes.len() as u32 {
            return Err(UpdateRefusal::Length);
        }
        let part = self.slots.layout.coming.clone();
        if self.slots.write(&part, at, bytes).is_err() {
            self.coming = None;
            return Err(UpdateRefusal::FlashFailed);
        }
        coming.next += bytes.len() as u32;
        Ok(())
    }

    fn on_try(&mut self) -> Result<(), UpdateRefusal> {
        if self.standing == Standing::Ends {
            return Ok(());
        }
        let Some(Coming { firmware, next }) = &self.coming else { return Err(UpdateRefusal::NotOffered) };
        if *next < firmware.length {
            return Err(UpdateRefusal::Incomplete);
        }
        let (length, wanted) = (firmware.length, firmware.sha256);
        self.coming = None;
        let (mut digest, mut crc) = (Sha256::new(), CRC.digest());
        let part = self.slots.layout.coming.clone();
        let read = self.slots.each(&part, length, |bytes| {
            digest.update(bytes);
            crc.update(bytes);
        });
        read.map_err(|FlashFailed| UpdateRefusal::FlashFailed)?;
        if <[u8; 32]>::from(digest.finalize()) != wanted {
            return Err(UpdateRefusal::Damaged);
        }
        let coming = Extent { length, crc: crc.finalize() };
        let noted = self.slots.note(Stage::ToTry { coming });
        noted.map_err(|FlashFailed| UpdateRefusal::FlashFailed)?;
        self.standing = Standing::Ends;
        Ok(())
    }
}
