//! What the devices tell reaches the tracker in the order in which it happened; what the tracker says is kept.

use capture::log::Entry;
use capture::{Finding, Seating, Seen, What};
use firmware_proto::{Body, Cell, Epoch, HealthFault, Observation, Sighting};

use super::{BOARD, CABLES_AFTER, CLOCK, Run, SEATING};
use crate::noise::Dead;
use crate::table::{PortKind, uid};
use crate::trial::link::Link;
use crate::trial::score::alert;

impl Run<'_> {
    /// Whether both devices have told all that has happened.
    pub(super) fn is_complete(&self) -> bool {
        self.links.iter().all(Link::is_complete)
    }

    /// The tracker is told what was held, in the order in which it happened.
    pub(super) fn release(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        held.sort_by_key(|seen| seen.at);
        for seen in held {
            let mut findings = self.tracker.on_time(seen.at);
            findings.extend(self.tracker.on_seen(&seen));
            self.log.push(seen.at.0, Entry::Seen(seen));
            self.say(findings);
        }
    }

    pub(super) fn receive(&mut self, port: usize, at: Epoch, sighting: Sighting) {
        if port == CLOCK && !self.trials.noise.clock {
            return;
        }
        if let Sighting::Record(_, record) = sighting {
            let lost = matches!(record.body, Body::Point(..)) && self.loss.chance(self.trials.noise.loss);
            if lost {
                return;
            }
            self.observe(port, at, sighting, false);
            if matches!(record.body, Body::Snapshot(_)) && self.trials.noise.dead == Dead::Known {
                self.self_test(at);
            }
        } else {
            self.observe(port, at, sighting, false);
        }
    }

    /// The board's self-test names the dead point, with its images.
    pub(super) fn self_test(&mut self, at: Epoch) {
        let Some(point) = self.table.dead() else { return };
        let cell = Cell::new(point.index() as u8).expect("points are cells here: half A plays Red");
        let what = What::Health(HealthFault::DeadCell(cell), Some(point));
        self.see(Seen { at, what });
    }

    /// What a gateway kept comes to the table; from the clock of another table, while cables are exchanged.
    pub(super) fn observe(&mut self, port: usize, at: Epoch, sighting: Sighting, foreign: bool) {
        let kind = if port == BOARD { PortKind::Board } else { PortKind::Clock };
        let observation = Observation { device: uid(1, kind), at, sighting };
        let turned = port == BOARD && self.turned;
        let seating = if turned { Seating { red: SEATING.red.other() } } else { SEATING };
        for seen in seating.see(&observation) {
            match &mut self.other {
                Some(other) if port == CLOCK && !foreign => other.own.push(seen),
                Some(_) | None => self.see(seen),
            }
        }
    }

    pub(super) fn see(&mut self, seen: Seen) {
        if !self.is_complete() {
            self.held.push(seen);
            return;
        }
        self.release();
        let findings = self.tracker.on_seen(&seen);
        self.log.push(self.now, Entry::Seen(seen));
        self.say(findings);
    }

    pub(super) fn say(&mut self, findings: Vec<Finding>) {
        let now = Epoch(self.now);
        if let Some(other) = &mut self.other
            && findings.iter().any(|finding| alert(finding).is_some())
        {
            other.until = other.until.min(self.now + CABLES_AFTER.0);
        }
        let confirmed = findings.iter().filter(|finding| matches!(finding, Finding::Confirmed(..))).count();
        self.waited.extend(std::iter::repeat_n(self.waits, confirmed));
        self.waits = self.tracker.waits().map(|(_, waits)| waits);
        self.said.extend(findings.into_iter().map(|finding| (now, finding)));
        if confirmed > 0
            && !self.ended
            && self.other.is_none()
            && let Some(at) = self.ended_on_board()
        {
            self.end(at);
        }
    }
}
