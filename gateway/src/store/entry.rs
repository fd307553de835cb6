//! What stands in the store's files, and how: `length | CRC-32C | postcard`, little-endian, one after another.

use std::collections::BTreeMap;

use firmware_proto::delivery::Number;
use firmware_proto::{BootId, DeviceUid, Epoch, Millis, Observation, Seq, Session, Sighting, StreamSeq};
use serde::{Deserialize, Serialize};

const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI);

/// Bytes in front of each entry.
const HEAD: usize = 8;

/// No entry is longer: a length above it is damage.
const LONGEST: usize = 1 << 20;

/// One entry of a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// First of every segment: all that its predecessors told, so that they can be deleted.
    Checkpoint(Known),
    /// The next observation of the stream; its number is its place.
    Observation(Observation),
    /// The gateway started.
    Started,
    /// A command of the server was accepted, with this life and count in its envelope: older ones are replays.
    ServerSeen(u64, u64),
}

/// What a gateway must know of its past.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Which life of the store.
    pub session: Session,
    /// The number that the next observation gets.
    pub next: StreamSeq,
    /// How often a gateway started on this store.
    pub starts: u32,
    /// Life and count of the last command accepted from the server.
    pub server_seen: Option<(u64, u64)>,
    /// For each device its last start seen, and the number of its record that is wanted next.
    pub devices: BTreeMap<DeviceUid, (BootId, Seq)>,
    /// When each device's last record happened, by the time of its start and by ours. No checkpoint holds it: it is what
    /// the observations that are still kept tell.
    #[serde(skip)]
    pub dated: BTreeMap<DeviceUid, (BootId, Millis, Epoch)>,
}

impl Known {
    /// Of a new store.
    #[must_use]
    pub fn new(session: Session) -> Known {
        Known {
            session,
            next: StreamSeq::FIRST,
            starts: 0,
            server_seen: None,
            devices: BTreeMap::new(),
            dated: BTreeMap::new(),
        }
    }

    /// What an older segment told and this one's checkpoint does not.
    pub(crate) fn remember(&mut self, before: Known) {
        for (device, dated) in before.dated {
            self.dated.entry(device).or_insert(dated);
        }
    }

    /// What is known after an entry.
    pub(crate) fn learn(&mut self, entry: &Entry) {
        match entry {
            Entry::Checkpoint(known) => *self = known.clone(),
            Entry::Started => self.starts += 1,
            Entry::ServerSeen(life, count) => self.server_seen = Some((*life, *count)),
            Entry::Observation(observation) => {
                self.next = self.next.plus(1);
                let device = observation.device;
                match observation.sighting {
                    Sighting::Attached(hello) => {
                        let known = self.devices.entry(device).or_insert((hello.boot, Seq::FIRST));
                        if known.0 != hello.boot {
                            *known = (hello.boot, Seq::FIRST);
                        }
                    }
                    Sighting::Record(boot, record) => {
                        self.devices.insert(device, (boot, record.seq.plus(1)));
                        self.dated.insert(device, (boot, record.at, observation.at));
                    }
                    // A gap may be told of an earlier start too.
                    Sighting::Gap { boot, to, .. } => {
                        if let Some(known) = self.devices.get_mut(&device)
                            && known.0 == boot
                        {
                            known.1 = known.1.max(to.plus(1));
                        }
                    }
                    Sighting::Detached | Sighting::Done(_) => {}
                }
            }
        }
    }
}

/// Appends an entry's bytes.
pub(crate) fn write(entry: &Entry, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([0; HEAD]);
    *out =
        postcard::to_extend(entry, std::mem::take(out)).expect("a Vec grows, and entries know their lengths");
    let length = (out.len() - start - HEAD) as u32;
    let sum = CRC.checksum(&out[start + HEAD..]);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4..start + HEAD].copy_from_slice(&sum.to_le_bytes());
}

/// Reads the entry at the beginning of `bytes` and how long it is; `None`: there is no whole, undamaged one.
pub(crate) fn read(bytes: &[u8]) -> Option<(Entry, usize)> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > LONGEST {
        return None;
    }
    let content = rest.get(..length)?;
    if CRC.checksum(content) != u32::from_le_bytes(*sum) {
        return None;
    }
    match postcard::take_from_bytes(content) {
        Ok((entry, [])) => Some((entry, HEAD + length)),
        Ok(_) | Err(_) => None,
    }
}
