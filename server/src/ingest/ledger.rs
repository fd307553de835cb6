//! Which records of which device have been taken. A record usually comes once, in its gateway's stream; when a
//! device is moved to another gateway before it was acknowledged, both bring the same one.

use std::collections::BTreeMap;

use firmware_proto::{BootId, DeviceUid, Observation, Seq, Sighting};

/// The records taken, as runs of numbers by device and start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// First number of a run → its last number.
    taken: BTreeMap<(DeviceUid, BootId), BTreeMap<u32, u32>>,
}

impl Ledger {
    /// What a store holds already.
    #[must_use]
    pub fn of(ranges: impl IntoIterator<Item = store::Range>) -> Ledger {
        let mut ledger = Ledger::default();
        for range in ranges {
            ledger.taken.entry((range.device, range.boot)).or_default().insert(range.first.0, range.last.0);
        }
        ledger
    }

    /// Whether an observation is new; if so, it counts as taken. Only records can be repeated.
    pub fn take(&mut self, observation: &Observation) -> bool {
        match observation.sighting {
            Sighting::Record(boot, record) => self.take_record(observation.device, boot, record.seq),
            Sighting::Attached(_) | Sighting::Detached | Sighting::Done(_) | Sighting::Gap { .. } => true,
        }
    }

    fn take_record(&mut self, device: DeviceUid, boot: BootId, seq: Seq) -> bool {
        let runs = self.taken.entry((device, boot)).or_default();
        let before = runs.range(..=seq.0).next_back().map(|(first, last)| (*first, *last));
        if before.is_some_and(|(_, last)| last >= seq.0) {
            return false;
        }
        let first = match before {
            Some((first, last)) if last + 1 == seq.0 => first,
            Some(_) | None => seq.0,
        };
        let last = runs.remove(&(seq.0.saturating_add(1))).unwrap_or(seq.0);
        runs.insert(first, last);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: DeviceUid = DeviceUid(1);
    const BOOT: BootId = BootId(1);

    fn taken(ledger: &mut Ledger, numbers: &[u32]) -> Vec<bool> {
        numbers.iter().map(|seq| ledger.take_record(DEVICE, BOOT, Seq(*seq))).collect()
    }

    #[test]
    fn each_record_is_taken_once_in_whatever_order() {
        let mut ledger = Ledger::default();
        assert_eq!(
            taken(&mut ledger, &[1, 2, 2, 5, 4, 5, 3, 1, 6]),
            [true, true, false, true, true, false, true, false, true]
        );
        assert_eq!(ledger.taken[&(DEVICE, BOOT)], BTreeMap::from([(1, 6)]));
    }

    #[test]
    fn another_start_of_the_device_counts_anew() {
        let mut ledger = Ledger::default();
        assert!(ledger.take_record(DEVICE, BootId(1), Seq(1)));
        assert!(ledger.take_record(DEVICE, BootId(2), Seq(1)));
    }

    #[test]
    fn a_restart_knows_what_was_taken_before() {
        let range =
            |first, last| store::Range { device: DEVICE, boot: BOOT, first: Seq(first), last: Seq(last) };
        let mut ledger = Ledger::of([range(1, 3), range(5, 5)]);
        assert_eq!(taken(&mut ledger, &[3, 4, 5, 6]), [false, true, false, true]);
    }
}
