//! Whether a device has time for another firmware, and whether the one that it runs works.

use firmware_proto::{BootId, FromDevice, UpdateRefusal, UpdateState, UpdateStep};

use super::Device;

impl Device {
    /// The step of an update that its host asks for: the shell takes it and says with [`Device::on_update_state`]
    /// what came of it. Only steps that the device has time for.
    pub const fn take_update_step(&mut self) -> Option<UpdateStep> {
        self.update_step.take()
    }

    /// What came of a step of an update.
    pub fn on_update_state(&mut self, state: UpdateState) {
        self.answer(FromDevice::Update(state));
        self.reboot_asked |= state == UpdateState::Restarts;
    }

    /// Whether it works: its start was counted, its sensors gave a first image, its host was heard.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        let senses = self.board.is_none() || self.image().is_some();
        self.config.boot != BootId(0) && senses && self.heard_host
    }

    /// What speaks against this step of an update at present.
    pub(super) fn hinders(&self, step: UpdateStep) -> Option<UpdateRefusal> {
        let waits_for_peace = match step {
            UpdateStep::Offer(_) | UpdateStep::Bytes { .. } | UpdateStep::Try => true,
            UpdateStep::Ask | UpdateStep::Forget => false,
        };
        if waits_for_peace && !self.is_at_peace() {
            return Some(UpdateRefusal::GameOn);
        }
        (step == UpdateStep::Try && self.backlog() > 0).then_some(UpdateRefusal::RecordsWait)
    }
}
