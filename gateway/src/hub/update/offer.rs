//! A firmware that the server offers: given to every device here that it is made for, as soon as that may be, and to
//! those that come later. How it is given is the update's affair, as when somebody at the box asks for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use firmware_proto::progress::{Outcome, Progress, Stage};
use firmware_proto::{DeviceUid, Firmware, Hello, Millis, Offer};

use super::Update;
use crate::hub::{Hub, Now};

/// A device that did not take it, for a reason that may pass, is asked again after so long.
const AGAIN: Millis = Millis(60_000);

/// The offer, and what came of it at each device so far.
#[derive(Debug)]
pub(super) struct Offered {
    offer: Offer,
    bytes: Arc<[u8]>,
    /// And when that was seen.
    outcomes: BTreeMap<DeviceUid, (Outcome, Millis)>,
}

impl Offered {
    fn is_of(&self, update: &Update) -> bool {
        self.offer.firmware == update.firmware
    }

    /// Takes down what came of an update with this firmware, whoever began it.
    fn learn(&mut self, update: &Update, now: Millis) {
        if !self.is_of(update) {
            return;
        }
        for (uid, sender) in &update.senders {
            if let Some(outcome) = sender.outcome() {
                self.outcomes.entry(*uid).or_insert((outcome, now));
            }
        }
    }

    /// It failed on a device here: it is given to no other.
    fn has_failed(&self) -> bool {
        self.outcomes.values().any(|(outcome, _)| outcome.condemns())
    }

    /// Whether a device that is there and fits is to be given it now.
    fn is_for(&self, hello: &Hello, now: Millis) -> bool {
        let open = match self.outcomes.get(&hello.uid) {
            None | Some((Outcome::Held, _)) => true,
            Some((outcome, at)) => outcome.may_pass() && now.reached(at.plus(AGAIN)),
        };
        open && hello.firmware != self.offer.firmware.version
    }

    /// How far a device is that no update is busy with. `runs`: the version, if it is there.
    fn progress(&self, uid: DeviceUid, runs: Option<u32>) -> Progress {
        let stage = match self.outcomes.get(&uid) {
            Some((outcome, _)) if !outcome.may_pass() || runs.is_none() => Stage::Over(*outcome),
            Some(_) | None if runs == Some(self.offer.firmware.version) => Stage::Over(Outcome::HadIt),
            Some(_) | None if self.has_failed() => Stage::Over(Outcome::Spared),
            Some((outcome, _)) if *outcome != Outcome::Held => Stage::Over(*outcome),
            Some(_) | None => Stage::Waits,
        };
        Progress { stage, held_up: None }
    }
}

impl Hub {
    /// The server offers this firmware, whose bytes are here, or none any more.
    pub fn on_offer(&mut self, offer: Option<(Offer, Arc<[u8]>)>, now: Now) {
        let before = self.updates.offered.take();
        let goes_on = |offer: &Offer| {
            before.as_ref().is_some_and(|before| before.offer.firmware == offer.firmware) && offer.go
        };
        if !offer.as_ref().is_some_and(|(offer, _)| goes_on(offer))
            && let (Some(before), Some(update)) = (&before, &mut self.updates.update)
            && before.is_of(update)
        {
            let steps = update.stop(Outcome::Held);
            self.tell_steps(steps);
        }
        self.updates.offered = offer.map(|(offer, bytes)| {
            let known = before.filter(|before| before.offer.firmware == offer.firmware);
            Offered { offer, bytes, outcomes: known.map(|known| known.outcomes).unwrap_or_default() }
        });
        self.poll_offer(now);
    }

    /// The firmware that is offered, and how far each device is that it is made for.
    #[must_use]
    pub fn offer_progress(&self) -> Option<(Firmware, BTreeMap<DeviceUid, Progress>)> {
        let offered = self.updates.offered.as_ref()?;
        let there = self.fitting(&offered.offer.firmware);
        let runs: BTreeMap<_, _> = there.map(|hello| (hello.uid, hello.firmware)).collect();
        let known = offered.outcomes.keys().chain(runs.keys());
        let mut progress: BTreeMap<_, _> =
            known.map(|uid| (*uid, offered.progress(*uid, runs.get(uid).copied()))).collect();
        if let Some(update) = self.updates.update.as_ref().filter(|update| offered.is_of(update)) {
            let busy = update.senders.iter().filter(|(_, sender)| sender.outcome().is_none());
            progress.extend(busy.map(|(uid, sender)| (*uid, sender.progress())));
        }
        Some((offered.offer.firmware, progress))
    }

    /// The devices that are there and that a firmware is made for.
    fn fitting(&self, firmware: &Firmware) -> impl Iterator<Item = Hello> {
        let made_for = firmware.target;
        let there = self.devices.keys().filter_map(|uid| self.present(*uid));
        there.filter(move |(_, is)| *is == made_for).map(|(hello, _)| hello)
    }

    /// Time passed for the offer: whoever is to be given it now is.
    pub(in crate::hub) fn poll_offer(&mut self, now: Now) {
        let Some(mut offered) = self.updates.offered.take() else { return };
        let idle = match &self.updates.update {
            None => true,
            Some(update) => {
                offered.learn(update, now.wait);
                update.is_over()
            }
        };
        if idle && offered.offer.go && !offered.has_failed() {
            let firmware = offered.offer.firmware;
            let waiting: Vec<DeviceUid> = self
                .fitting(&firmware)
                .filter(|hello| offered.is_for(hello, now.wait))
                .map(|hello| hello.uid)
                .collect();
            // As long as a time runs on any clock here nobody is given it.
            if !waiting.is_empty()
                && self.begin_update(firmware, offered.bytes.clone(), &waiting, now).is_ok()
            {
                for uid in &waiting {
                    offered.outcomes.remove(uid);
                }
            }
        }
        self.updates.offered = Some(offered);
    }
}
