//! What a table's devices told of themselves: that they are there at all, how their supply is, whether they keep their
//! records.

use std::collections::BTreeSet;

use firmware_proto::{Body, DeviceUid, HealthFault, Observation, Sighting};

use crate::feed::Part;

/// How the devices of a table are, by what they said last.
#[derive(Clone, Debug, Default)]
pub struct DeviceHealth {
    /// Whether the board and the clock were ever heard of.
    heard: (bool, bool),
    /// A supply that was low, mV.
    supply: Option<u16>,
    /// The devices whose records would not outlive a power cut.
    unkept: BTreeSet<DeviceUid>,
}

impl DeviceHealth {
    /// A device of the table told something.
    pub fn see(&mut self, part: Part, observation: &Observation) {
        match part {
            Part::Board => self.heard.0 = true,
            Part::Clock => self.heard.1 = true,
            Part::Both => self.heard = (true, true),
        }
        match observation.sighting {
            // A device that starts anew may have a new battery, and room in its flash; it says so again if not.
            Sighting::Attached(_) => {
                self.supply = None;
                self.unkept.remove(&observation.device);
            }
            Sighting::Record(_, record) => {
                if let Body::Health(fault) = record.body {
                    self.learn(observation.device, fault);
                }
            }
            Sighting::Detached | Sighting::Done(_) | Sighting::Gap { .. } => {}
        }
    }

    fn learn(&mut self, device: DeviceUid, fault: HealthFault) {
        match fault {
            HealthFault::Supply(millivolts) => self.supply = Some(millivolts),
            HealthFault::Unkept(true) => drop(self.unkept.insert(device)),
            HealthFault::Unkept(false) => drop(self.unkept.remove(&device)),
            // Of points, and of what is lost already.
            HealthFault::DeadCell(_)
            | HealthFault::StuckCell(_)
            | HealthFault::Overflow(_)
            | HealthFault::WeakCell(..)
            | HealthFault::OffCentre(..) => {}
        }
    }

    /// Whether the board and the clock were ever heard of.
    #[must_use]
    pub const fn heard(&self) -> (bool, bool) {
        self.heard
    }

    /// What a device said of a supply that is low, mV.
    #[must_use]
    pub const fn supply(&self) -> Option<u16> {
        self.supply
    }

    /// Whether a device said last that its records would not outlive a power cut.
    #[must_use]
    pub fn is_unkept(&self) -> bool {
        !self.unkept.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{BootId, Capabilities, Epoch, Hello, Millis, Record, ResetCause, Seq};

    use super::*;

    fn told(device: u64, fault: HealthFault) -> Observation {
        let record = Record { seq: Seq(1), at: Millis(0), body: Body::Health(fault) };
        let sighting = Sighting::Record(BootId(1), record);
        Observation { device: DeviceUid(device), at: Epoch(500), sighting }
    }

    fn starts_anew(device: u64) -> Observation {
        let hello = Hello {
            uid: DeviceUid(device),
            boot: BootId(2),
            firmware: 1,
            hardware: 1,
            reset: ResetCause::PowerOn,
            capabilities: Capabilities { board: None, clock: true },
            oldest: Seq(1),
            next: Seq(1),
            overflowed: 0,
            at: Millis(0),
        };
        Observation { device: DeviceUid(device), at: Epoch(600), sighting: Sighting::Attached(hello) }
    }

    #[test]
    fn a_part_is_heard_once_its_device_told_anything() {
        let mut health = DeviceHealth::default();
        assert_eq!(health.heard(), (false, false));
        health.see(Part::Clock, &starts_anew(2));
        assert_eq!(health.heard(), (false, true));
    }

    #[test]
    fn a_low_supply_is_known_until_the_device_starts_anew() {
        let mut health = DeviceHealth::default();
        health.see(Part::Clock, &told(2, HealthFault::Supply(2_900)));
        assert_eq!(health.supply(), Some(2_900));
        health.see(Part::Clock, &starts_anew(2));
        assert_eq!(health.supply(), None);
    }

    #[test]
    fn a_device_whose_log_is_full_is_known_until_it_says_otherwise_or_starts_anew() {
        let mut health = DeviceHealth::default();
        health.see(Part::Board, &told(1, HealthFault::Unkept(true)));
        health.see(Part::Clock, &told(2, HealthFault::Unkept(true)));
        health.see(Part::Board, &told(1, HealthFault::Unkept(false)));
        assert!(health.is_unkept(), "the clock's records are not");
        health.see(Part::Clock, &starts_anew(2));
        assert!(!health.is_unkept());
    }
}
