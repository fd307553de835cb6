//! What a gateway and the server say to each other over MQTT.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{BootId, ClockFace, CmdId, Command, DeviceUid, Done, Hello, Record, Seq};

/// A gateway's name: 1 to 32 characters of `a-z`, `0-9` and `-`. It is part of topics and files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GatewayId(String);

impl GatewayId {
    /// Checks a name.
    pub fn new(name: impl Into<String>) -> Result<GatewayId, String> {
        let name = name.into();
        let fits = (1..=32).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if fits {
            Ok(GatewayId(name))
        } else {
            Err(format!("“{name}” is no gateway name: 1 to 32 of a-z, 0-9, -"))
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for GatewayId {
    type Error = String;
    fn try_from(name: String) -> Result<GatewayId, String> {
        GatewayId::new(name)
    }
}

impl From<GatewayId> for String {
    fn from(id: GatewayId) -> String {
        id.0
    }
}

impl fmt::Display for GatewayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Venue time: milliseconds since 1970-01-01 UTC, by the clock of the host that stamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Epoch(pub i64);

impl Epoch {
    /// Milliseconds from `earlier` to here; negative if it is later.
    #[must_use]
    pub const fn since(self, earlier: Epoch) -> i64 {
        self.0 - earlier.0
    }

    /// So many milliseconds later.
    #[must_use]
    pub const fn plus(self, millis: i64) -> Epoch {
        Epoch(self.0 + millis)
    }
}

/// Counts the lives of a gateway's durable store: a new store is a new session. Order is judged by
/// (session, number), never by arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Session(pub u64);

/// The number of an observation in its gateway's stream: 1, 2, 3 … without a gap within a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StreamSeq(pub u64);

/// One thing that a gateway saw: numbered in its stream, kept there until the server has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// The device that it is about.
    pub device: DeviceUid,
    /// When it happened, by the gateway's estimate of the device's clock against its own.
    pub at: Epoch,
    /// What it saw.
    pub sighting: Sighting,
}

/// What a gateway sees of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sighting {
    /// A device said who it is: at plugging in, at its reset.
    Attached(Hello),
    /// Its port closed, or nothing came for three seconds.
    Detached,
    /// A record of the device, exactly as numbered there.
    Record(BootId, Record),
    /// The device answered a command.
    Done(Done),
    /// Records were lost for good: the device had dropped them before the gateway could take them.
    Gap {
        /// The start that they belong to.
        boot: BootId,
        /// First number missing.
        from: Seq,
        /// Last number missing.
        to: Seq,
    },
}

/// What a clock showed lately; not numbered, for display only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    /// The device.
    pub device: DeviceUid,
    /// When.
    pub at: Epoch,
    /// What its clock showed; `None` from a board.
    pub face: Option<ClockFace>,
}

/// Gateway to server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Up {
    /// Observations `first`, `first`+1, … of this gateway's stream.
    Observations {
        /// Which life of the gateway's store.
        session: Session,
        /// Number of the first one.
        first: StreamSeq,
        /// They themselves.
        items: Vec<Observation>,
    },
    /// Who is alive and what the clocks show, once a second.
    Beats {
        /// Which life of the gateway's store.
        session: Session,
        /// Counts the beats: an older one that comes late is dropped.
        count: u64,
        /// One each device.
        beats: Vec<Beat>,
        /// What went wrong on its links so far, by port.
        faults: Vec<LinkFault>,
    },
}

/// Counters of one port: what a gateway had to throw away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFault {
    /// The port's name at the gateway.
    pub port: String,
    /// Frames with a wrong check sum.
    pub bad_crc: u64,
    /// Bytes that made no frame.
    pub garbage: u64,
    /// Frames of an unknown wire version.
    pub bad_version: u64,
    /// Frames whose content did not decode.
    pub bad_payload: u64,
    /// Records that came twice.
    pub repeated: u64,
}

/// Server to gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Down {
    /// Every observation of this session up to and including this number is committed. `StreamSeq(0)`: none yet;
    /// the answer to a session that the server does not know.
    Ack {
        /// Which life of the gateway's store.
        session: Session,
        /// Highest number committed.
        upto: StreamSeq,
    },
    /// Hand this command to that device. Repeated until its `Done` was observed.
    Command {
        /// The device.
        device: DeviceUid,
        /// The command's number.
        id: CmdId,
        /// What to do.
        command: Command,
    },
}
