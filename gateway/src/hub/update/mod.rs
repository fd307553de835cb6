//! Another firmware for the devices of this gateway: one goes first, and only when it has kept it do the others follow, a
//! few at a time. A firmware that fails on one device is given to no other; when a time begins to run on any clock
//! here, what is not yet on trial is left as it was.
//!
//! Nothing of it outlives the gateway: whoever asks again goes on where each device is. The server asks by an [`offer`],
//! which stands.

mod offer;
mod sender;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use firmware_proto::progress::{Outcome, Progress};
use firmware_proto::{DeviceUid, Firmware, Hello, Millis, Target, ToDevice, UpdateState, UpdateStep};

use super::{Hub, Now};
use offer::Offered;
use sender::{Load, Sender};

/// Devices that take it at the same time, once one has kept it: on a shared line the others must still be heard.
const AT_ONCE: usize = 4;

/// Why an update cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotUpdate {
    /// One at a time.
    #[error("another update is under way: wait for its end, or stop it")]
    Busy,
    /// A device that was named does not hang on this gateway.
    #[error("device {0} is not there: `list` says who is")]
    NotThere(DeviceUid),
    /// A device that was named is something else than the firmware is for.
    #[error("the firmware is for {made_for}, and device {device} is {is}: nothing was sent")]
    OtherTarget {
        /// Which device.
        device: DeviceUid,
        /// What it is.
        is: Target,
        /// What the firmware is for.
        made_for: Target,
    },
    /// None was named, and none fits.
    #[error("the firmware is for {0}, and no such device is there: `list` says who is")]
    Nobody(Target),
    /// A round goes on.
    #[error("a time runs on the clock of device {0}: firmware is changed between rounds")]
    TimeRuns(DeviceUid),
}

/// The update that is under way, or the last one.
#[derive(Debug, Default)]
pub(super) struct Updates {
    update: Option<Update>,
    offered: Option<Offered>,
}

#[derive(Debug)]
struct Update {
    firmware: Firmware,
    bytes: Arc<[u8]>,
    senders: BTreeMap<DeviceUid, Sender>,
}

impl Updates {
    /// A device greeted.
    pub(super) fn on_hello(&mut self, hello: &Hello, now: Millis) -> Vec<UpdateStep> {
        self.with(hello.uid, |sender, load| sender.on_hello(hello, load, now).into_iter().collect())
    }

    /// A device answered.
    pub(super) fn on_state(&mut self, uid: DeviceUid, state: UpdateState, now: Millis) -> Vec<UpdateStep> {
        self.with(uid, |sender, load| sender.on_state(state, load, now))
    }

    /// A device's link is gone.
    pub(super) fn on_gone(&mut self, uid: DeviceUid) {
        self.with(uid, |sender, _| {
            sender.on_gone();
            vec![]
        });
    }

    /// When [`Hub::poll`] wants to be called for it.
    pub(super) fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        let senders = self.update.iter().flat_map(|update| update.senders.values());
        let due = senders.filter_map(Sender::poll_timeout).reduce(Millis::earlier)?;
        Some((due, "a step of an update was not answered"))
    }

    fn with(
        &mut self,
        uid: DeviceUid,
        work: impl FnOnce(&mut Sender, Load) -> Vec<UpdateStep>,
    ) -> Vec<UpdateStep> {
        let Some(Update { firmware, bytes, senders }) = &mut self.update else { return vec![] };
        let Some(sender) = senders.get_mut(&uid) else { return vec![] };
        work(sender, Load { firmware: *firmware, bytes })
    }
}

impl Update {
    fn is_over(&self) -> bool {
        self.senders.values().all(|sender| sender.outcome().is_some())
    }

    /// Whoever's turn it is begins; everybody's time passes.
    fn poll(&mut self, now: Millis) -> Vec<(DeviceUid, UpdateStep)> {
        let load = Load { firmware: self.firmware, bytes: &self.bytes };
        let mut steps = vec![];
        for (uid, sender) in &mut self.senders {
            steps.extend(sender.poll(load, now).into_iter().map(|step| (*uid, step)));
        }
        let outcomes = |senders: &BTreeMap<DeviceUid, Sender>, is: fn(Outcome) -> bool| {
            senders.values().filter_map(Sender::outcome).any(is)
        };
        if outcomes(&self.senders, Outcome::condemns) {
            steps.extend(self.stop(Outcome::Spared));
            return steps;
        }
        let tried = outcomes(&self.senders, |outcome| outcome == Outcome::Kept);
        let room = if tried { AT_ONCE } else { 1 };
        let load = Load { firmware: self.firmware, bytes: &self.bytes };
        let mut active = self.senders.values().filter(|sender| sender.is_active()).count();
        for (uid, sender) in &mut self.senders {
            if active < room && !sender.is_active() && sender.outcome().is_none() {
                steps.extend(sender.begin(load, now).map(|step| (*uid, step)));
                active += usize::from(sender.is_active());
            }
        }
        steps
    }

    fn stop(&mut self, outcome: Outcome) -> Vec<(DeviceUid, UpdateStep)> {
        let stopped = self.senders.iter_mut();
        stopped.filter_map(|(uid, sender)| Some((*uid, sender.stop(outcome)?))).collect()
    }
}

impl Hub {
    /// Gives these devices another firmware; if none is named, all that it is made for.
    pub fn begin_update(
        &mut self,
        firmware: Firmware,
        bytes: impl Into<Arc<[u8]>>,
        named: &[DeviceUid],
        now: Now,
    ) -> Result<(), CannotUpdate> {
        if self.updates.update.as_ref().is_some_and(|update| !update.is_over()) {
            return Err(CannotUpdate::Busy);
        }
        if let Some(device) = self.whose_time_runs() {
            return Err(CannotUpdate::TimeRuns(device));
        }
        let made_for = firmware.target;
        let mut senders = BTreeMap::new();
        for uid in named {
            let (hello, is) = self.present(*uid).ok_or(CannotUpdate::NotThere(*uid))?;
            if is != made_for {
                return Err(CannotUpdate::OtherTarget { device: *uid, is, made_for });
            }
            senders.insert(*uid, Sender::new(&hello, now.wait));
        }
        if named.is_empty() {
            let present = self.devices.keys().filter_map(|uid| self.present(*uid));
            let fit = present.filter(|(_, is)| *is == made_for);
            senders.extend(fit.map(|(hello, _)| (hello.uid, Sender::new(&hello, now.wait))));
        }
        if senders.is_empty() {
            return Err(CannotUpdate::Nobody(made_for));
        }
        self.updates.update = Some(Update { firmware, bytes: bytes.into(), senders });
        self.poll_update(now);
        Ok(())
    }

    /// Ends the update: devices that have not been told to try the new firmware are left as they were.
    pub fn stop_update(&mut self) {
        let steps = self.updates.update.as_mut().map(|update| update.stop(Outcome::Stopped));
        self.tell_steps(steps.unwrap_or_default());
    }

    /// How far each device is with the update that is under way or was the last one.
    #[must_use]
    pub fn update_progress(&self) -> BTreeMap<DeviceUid, Progress> {
        let senders = self.updates.update.iter().flat_map(|update| &update.senders);
        senders.map(|(uid, sender)| (*uid, sender.progress())).collect()
    }

    /// What a device said of itself, and what it is, if it is there.
    fn present(&self, uid: DeviceUid) -> Option<(Hello, Target)> {
        let (hello, port) = self.devices.get(&uid).and_then(|device| device.hello.zip(device.port))?;
        let shared_line = self.ports.get(&port)?.shared_line;
        let Hello { hardware, capabilities, .. } = hello;
        Some((hello, Target { hardware, capabilities, shared_line }))
    }

    /// A device that is there and on whose clock a time runs.
    fn whose_time_runs(&self) -> Option<DeviceUid> {
        let runs = |device: &super::Device| device.face.is_some_and(|face| face.running.is_some());
        let mut present = self.devices.iter().filter(|(_, device)| device.port.is_some());
        present.find(|(_, device)| runs(device)).map(|(uid, _)| *uid)
    }

    /// Time passed for the update.
    pub(super) fn poll_update(&mut self, now: Now) {
        let runs = self.whose_time_runs().is_some();
        if let Some(update) = &mut self.updates.update {
            let mut steps = if runs { update.stop(Outcome::RoundBegan) } else { vec![] };
            steps.extend(update.poll(now.wait));
            self.tell_steps(steps);
        }
    }

    /// Tells a device these steps.
    pub(super) fn tell_update(&mut self, uid: DeviceUid, steps: Vec<UpdateStep>) {
        self.tell_steps(steps.into_iter().map(|step| (uid, step)));
    }

    fn tell_steps(&mut self, steps: impl IntoIterator<Item = (DeviceUid, UpdateStep)>) {
        for (uid, step) in steps {
            if let Some(port) = self.devices.get(&uid).and_then(|device| device.port) {
                self.send(port, ToDevice::Update(step));
            }
        }
    }
}
