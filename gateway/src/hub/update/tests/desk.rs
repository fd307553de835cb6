//! A hub whose disk is always quick, and whose restart forgets all but what was kept.

use std::collections::BTreeMap;

use firmware_proto::progress::{Outcome, Stage};
use firmware_proto::{DeviceUid, Epoch, Millis, Observation, Session, Sighting, StreamSeq, ToDevice};

use crate::hub::{Hub, Now, Output, PortId};
use crate::store::{Entry, Known};

pub struct Desk {
    pub hub: Hub,
    known: Known,
    pub kept: Vec<(u64, Observation)>,
}

impl Desk {
    pub fn new() -> Desk {
        let known = Known::new(Session(1));
        Desk { hub: Hub::new(&known), known, kept: vec![] }
    }

    pub fn restart(&mut self) {
        self.hub = Hub::new(&self.known);
    }

    pub fn now(time: u64) -> Now {
        Now { wait: Millis(time as u32), venue: Epoch(1_800_000_000_000 + time as i64) }
    }

    /// What is to be sent.
    pub fn carry_out(&mut self, time: u64) -> Vec<(PortId, ToDevice)> {
        let mut sends = vec![];
        loop {
            let before = self.kept.len();
            while let Some(output) = self.hub.poll_output() {
                match output {
                    Output::Send(port, message) => sends.push((port, message)),
                    Output::Keep(number, observation) => {
                        assert_eq!(number, StreamSeq(self.kept.len() as u64 + 1));
                        self.known.learn(&Entry::Observation(observation));
                        self.kept.push((time, observation));
                    }
                    Output::Fault(..) => {}
                    Output::Untellable(..) => panic!("every start has its own number here"),
                }
            }
            if before == self.kept.len() {
                return sends;
            }
            self.hub.on_durable(StreamSeq(self.kept.len() as u64));
        }
    }

    pub fn outcomes(&self) -> BTreeMap<DeviceUid, Outcome> {
        let over = |stage| if let Stage::Over(outcome) = stage { Some(outcome) } else { None };
        let progress = self.hub.update_progress().into_iter();
        progress.filter_map(|(uid, progress)| Some((uid, over(progress.stage)?))).collect()
    }

    pub fn is_over(&self) -> bool {
        self.hub.update_progress().len() == self.outcomes().len()
    }

    /// No device's records have holes in them; how many of this one there are.
    pub fn records(&self, of: DeviceUid) -> usize {
        let mut next = BTreeMap::new();
        let mut count = 0;
        for (_, observation) in self.kept.iter().filter(|(_, observation)| observation.device == of) {
            if let Sighting::Record(boot, record) = observation.sighting {
                let expected = next.entry(boot).or_insert(1);
                assert_eq!(record.seq.0, *expected, "of start {boot}");
                *expected += 1;
                count += 1;
            }
        }
        count
    }
}
