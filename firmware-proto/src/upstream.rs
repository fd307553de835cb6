//! What a gateway and the server say to each other over MQTT.

use serde::{Deserialize, Serialize};

use crate::progress::Progress;
use crate::{
    BootId, ClockFace, CmdId, Command, DeviceUid, Done, Faults, Firmware, Hello, Millis, Record, Seq,
};

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

/// A device is there, and everything that it recorded before this instant is with the server; what its clock showed
/// then is for display. Not numbered: a later one says more.
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
        /// The number that the next observation will get: the beats hold for a server that has all before it.
        next: StreamSeq,
        /// One each device.
        beats: Vec<Beat>,
        /// What went wrong on its links so far, by port: of gateways that do not say [`Up::Links`] yet; else empty.
        faults: Vec<LinkFault>,
    },
    /// Everything before `oldest` in this session is with a server, or gone: the answer to an acknowledgement that is
    /// behind that, from a server with a new database or one that was restored from a copy.
    Stream {
        /// Which life of the gateway's store.
        session: Session,
        /// The first number that the gateway can send.
        oldest: StreamSeq,
    },
    /// How its links are, every few seconds.
    Links {
        /// Which life of the gateway's store.
        session: Session,
        /// One each port, open or not.
        links: Vec<Link>,
    },
    /// What it knows of the firmware that is offered: at once when that changes or a part of it came, and once a second
    /// for as long as one is. If it lacks a part, this asks for it.
    Offer {
        /// Which life of the gateway's store.
        session: Session,
        /// `None`: it knows of none.
        known: Option<OfferReport>,
    },
}

/// A firmware for all devices in the hall that it is made for: each gateway fetches it and gives it to its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Which.
    pub firmware: Firmware,
    /// Whether devices may be given it. `false`: it is fetched and held ready, and whoever is not yet on trial is left
    /// as he is.
    pub go: bool,
}

/// How far a gateway is with an [`Offer`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferReport {
    /// Which, and whether devices may be given it.
    pub offer: Offer,
    /// Bytes of it that are here; the next one is wanted, if there is one.
    pub fetched: u32,
    /// The devices that it is made for, and how far each is.
    pub devices: Vec<(DeviceUid, Progress)>,
}

/// A port of a gateway: who hangs on it, and its counters since the gateway's start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// What went wrong.
    pub fault: LinkFault,
    /// Who hangs on it now.
    pub device: Option<DeviceUid>,
    /// Times that a device on it started anew.
    pub resets: u64,
    /// The longest time between two messages of a device on it. Devices say once a second that they are there.
    pub worst_gap: Millis,
}

impl From<LinkFault> for Link {
    fn from(fault: LinkFault) -> Link {
        Link { fault, ..Link::default() }
    }
}

/// Counters of one port since the gateway's start: what it had to throw away, and how often it had to try again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFault {
    /// The port's name at the gateway.
    pub port: String,
    /// Bytes and frames that were no message.
    pub frames: Faults,
    /// Records that came twice.
    pub repeated: u64,
    /// Times that a record was missing and asked for again.
    pub asked_again: u64,
    /// Times that the port could not be opened, or closed by itself.
    pub lost: u64,
}

/// Whether a gateway is there: retained on its `state` topic, and its last will there.
///
/// Order is judged by (`session`, `connection`), never by arrival, for a will can overtake a rebirth: see
/// [`Presence::supersedes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Which life of the gateway's store.
    pub session: Session,
    /// Counts the gateway's connections to the broker; a connection's will bears the number of its birth.
    pub connection: u64,
    /// Whether it is there.
    pub online: bool,
    /// Since when.
    pub since: Epoch,
    /// The gateway programme's version.
    pub version: String,
}

impl Presence {
    /// Whether this is later than `other`: of a later connection, or the end of the same one.
    #[must_use]
    pub fn supersedes(&self, other: &Presence) -> bool {
        let order = |presence: &Presence| (presence.session, presence.connection, !presence.online);
        order(self) > order(other)
    }
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
    /// This firmware is offered; `None`: none is. Repeated until the gateway says that it knows.
    Offer(Option<Offer>),
    /// A part of the firmware that is offered, as [`Up::Offer`] asked for it.
    Part {
        /// The digest of the whole.
        sha256: [u8; 32],
        /// The offset of the first byte.
        at: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presence(connection: u64, online: bool) -> Presence {
        Presence { session: Session(1), connection, online, since: Epoch(0), version: String::new() }
    }

    #[test]
    fn a_will_that_overtakes_a_rebirth_does_not_bury_it() {
        assert!(presence(1, false).supersedes(&presence(1, true)));
        assert!(!presence(1, false).supersedes(&presence(2, true)));
        assert!(!presence(2, true).supersedes(&presence(2, true)));
    }
}
