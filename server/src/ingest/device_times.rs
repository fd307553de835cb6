//! When each device's last record happened, by its own time and by ours. A device's time runs on whatever restarts around
//! it, so its next record tells how wrong its gateway's clock is, before any beat does.

use std::collections::BTreeMap;

use firmware_proto::{BootId, DeviceUid, Epoch, Millis, Observation, Sighting};

/// A device's time is trusted for so long, ms: being off by 200 ppm, it has drifted by less than counts as wrong.
const TRUSTED_FOR: u32 = 3_600_000;

/// What is known of one device.
#[derive(Debug, Default)]
struct Known {
    /// Its last record: which start, its own time, our time.
    last: Option<(BootId, Millis, Epoch)>,
    /// It was detached and has not been attached since.
    is_gone: bool,
    /// When it was attached last.
    came: Option<Epoch>,
}

/// What is known of each device.
#[derive(Debug, Default)]
pub(super) struct DeviceTimes(BTreeMap<DeviceUid, Known>);

impl DeviceTimes {
    /// This was observed; its stamp is in our time.
    pub(super) fn learn(&mut self, observation: &Observation) {
        let known = self.0.entry(observation.device).or_default();
        match observation.sighting {
            Sighting::Attached(_) => (known.is_gone, known.came) = (false, Some(observation.at)),
            // The gateway that it has left may tell so when it is at another one already.
            Sighting::Detached => known.is_gone = known.came.is_none_or(|came| came <= observation.at),
            Sighting::Record(boot, record) => known.last = Some((boot, record.at, observation.at)),
            Sighting::Done(_) | Sighting::Gap { .. } => {}
        }
    }

    /// When this happened in our time, whatever its stamp says; `None`: no record of the same start of its device is known
    /// from the hour before.
    pub(super) fn when(&self, observation: &Observation) -> Option<Epoch> {
        let Sighting::Record(boot, record) = observation.sighting else { return None };
        let (of, then, at) = self.0.get(&observation.device)?.last?;
        let since = record.at.since(then).0.cast_signed();
        (of == boot && since.unsigned_abs() <= TRUSTED_FOR).then(|| at.plus(i64::from(since)))
    }

    /// Whether this is a record that a device kept from an earlier start: they come before it is attached again. A gateway
    /// that never saw that start knows only what it must have happened before; so its stamp tells nothing of its clock.
    pub(super) fn is_left_over(&self, observation: &Observation) -> bool {
        matches!(observation.sighting, Sighting::Record(..))
            && self.0.get(&observation.device).is_some_and(|known| known.is_gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::{Body, Capabilities, Cell, Hello, Reading, Record, ResetCause, Seq};

    fn record(boot: u32, at: u32, stamp: i64) -> Observation {
        let record =
            Record { seq: Seq(1), at: Millis(at), body: Body::Point(Cell::new(0).unwrap(), Reading::EMPTY) };
        Observation {
            device: DeviceUid(1),
            at: Epoch(stamp),
            sighting: Sighting::Record(BootId(boot), record),
        }
    }

    #[test]
    fn a_record_is_dated_by_the_one_before_it_whatever_its_stamp() {
        let mut times = DeviceTimes::default();
        assert_eq!(times.when(&record(1, 500, 7)), None);
        times.learn(&record(1, u32::MAX - 99, 50_000));
        assert_eq!(times.when(&record(1, 900, 7)), Some(Epoch(51_000)), "its time wraps");
        assert_eq!(times.when(&record(1, u32::MAX - 199, 7)), Some(Epoch(49_900)), "it came late");
        assert_eq!(times.when(&record(2, 900, 7)), None, "it has started anew");
        assert_eq!(times.when(&record(1, 3_600_000, 7)), None, "its time may have drifted");
    }

    #[test]
    fn records_that_come_while_a_device_is_not_attached_are_left_over_from_an_earlier_start() {
        let sight = |sighting| Observation { device: DeviceUid(1), at: Epoch(60_000), sighting };
        let mut times = DeviceTimes::default();
        times.learn(&record(1, 500, 50_000));
        assert!(!times.is_left_over(&record(1, 600, 50_100)));
        times.learn(&sight(Sighting::Detached));
        assert!(times.is_left_over(&record(1, 700, 59_000)), "its gateway knows only that it was before");
        assert_eq!(times.when(&record(1, 700, 59_000)), Some(Epoch(50_200)));
        times.learn(&sight(Sighting::Attached(hello())));
        assert!(!times.is_left_over(&record(2, 10, 60_100)));
    }

    fn hello() -> Hello {
        Hello {
            uid: DeviceUid(1),
            boot: BootId(2),
            firmware: 1,
            hardware: 1,
            reset: ResetCause::PowerOn,
            capabilities: Capabilities { board: None, clock: true },
            oldest: Seq(1),
            next: Seq(1),
            overflowed: 0,
            at: Millis(0),
        }
    }
}
