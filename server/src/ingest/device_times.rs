//! When each device's last record happened, by its own time and by ours. A device's time runs on whatever restarts around
//! it, so its next record tells how wrong its gateway's clock is, before any beat does.

use std::collections::BTreeMap;

use firmware_proto::{BootId, DeviceUid, Epoch, Millis, Observation, Sighting};

/// A device's time is trusted for so long, ms: being off by 200 ppm, it has drifted by less than counts as wrong.
const TRUSTED_FOR: u32 = 3_600_000;

/// The last record of each device: which start, its own time, our time.
#[derive(Debug, Default)]
pub(super) struct DeviceTimes(BTreeMap<DeviceUid, (BootId, Millis, Epoch)>);

impl DeviceTimes {
    /// This was observed; its stamp is in our time.
    pub(super) fn learn(&mut self, observation: &Observation) {
        if let Sighting::Record(boot, record) = observation.sighting {
            self.0.insert(observation.device, (boot, record.at, observation.at));
        }
    }

    /// When this happened in our time, whatever its stamp says; `None`: no record of the same start of its device is known
    /// from the hour before.
    pub(super) fn when(&self, observation: &Observation) -> Option<Epoch> {
        let Sighting::Record(boot, record) = observation.sighting else { return None };
        let &(of, then, at) = self.0.get(&observation.device)?;
        let since = record.at.since(then).0.cast_signed();
        (of == boot && since.unsigned_abs() <= TRUSTED_FOR).then(|| at.plus(i64::from(since)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::{Body, Cell, Reading, Record, Seq};

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
}
