//! What goes into one transaction, and what reads back from the store.

use firmware_proto::{BootId, DeviceUid, Epoch, GatewayId, Observation, Seq, Session, StreamSeq};

use crate::Line;

/// An observation as kept: who brought it, and its place in the order in which the hall took it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its place: 1, 2, 3 … over all gateways.
    pub id: u64,
    /// Who brought it.
    pub gateway: GatewayId,
    /// In which life of that gateway's store.
    pub session: Session,
    /// Its number there.
    pub stream_seq: StreamSeq,
    /// What was seen.
    pub observation: Observation,
}

/// How far a gateway's stream is committed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// The gateway.
    pub gateway: GatewayId,
    /// The life of its store.
    pub session: Session,
    /// The highest number committed.
    pub upto: StreamSeq,
}

/// What belongs together: it is kept whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// What devices said, in the order taken.
    pub observations: Vec<Kept>,
    /// What was concluded or decided, numbered on from the last entry kept.
    pub entries: Vec<Line>,
    /// How far the gateways' streams are done with it.
    pub cursors: Vec<Cursor>,
}

impl Batch {
    /// Whether there is nothing to keep.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.observations.is_empty() && self.entries.is_empty() && self.cursors.is_empty()
    }
}

/// Records of one start of a device that are kept, without a gap between `first` and `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The device.
    pub device: DeviceUid,
    /// Which of its starts.
    pub boot: BootId,
    /// The first number.
    pub first: Seq,
    /// The last number.
    pub last: Seq,
}

/// Who may sign in. What a role permits and how the password is hashed is the web's matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Name, unique.
    pub name: String,
    /// Role.
    pub role: String,
    /// The password's hash.
    pub password: String,
}

/// A session of somebody who signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// Digest of the browser's token: the token itself is kept nowhere.
    pub digest: String,
    /// Whose.
    pub account: String,
    /// Since when, wall time.
    pub began: Epoch,
    /// Until when.
    pub ends: Epoch,
}
