//! 固件: another firmware for the devices in the hall, offered to every gateway until it is withdrawn, and held back
//! while a round is being played.

use firmware_proto::{Epoch, Firmware, Offer};

use crate::entry::Fact;
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Actor, Hall};

impl Hall {
    /// The firmware that is offered, and whether devices may be given it now.
    #[must_use]
    pub fn firmware_offer(&self) -> Option<Offer> {
        self.firmware.map(|firmware| Offer { firmware, go: !self.is_playing() })
    }

    fn is_playing(&self) -> bool {
        self.rounds.last().is_some_and(|round| round.started && !round.over)
    }

    pub(crate) fn may_offer_firmware(&self) -> Result<(), Refusal> {
        if self.is_playing() {
            return Err(Refusal::RoundIsPlayed);
        }
        Ok(())
    }

    pub(crate) fn may_withdraw_firmware(&self) -> Result<(), Refusal> {
        self.firmware.map(|_| ()).ok_or(Refusal::NoFirmware)
    }

    /// This one is offered from now on, or none is; it was checked that this can be done.
    pub(crate) fn offer_firmware(
        &mut self,
        firmware: Option<Firmware>,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        self.enter(Fact::FirmwareOffered(firmware), by, now, out)
    }
}
