//! A device's firmware is replaced over its line: offered, sent in chunks, checked, tried, kept or given back.
//!
//! The host offers a [`Firmware`] and sends its bytes in order, each [`Chunk`] once the one before was answered; every
//! [`UpdateStep`] is answered by the device's [`UpdateState`], and a step that was not answered is sent again: each may
//! come twice and acts once. The device writes the bytes beside the firmware that runs. When all are there and have the
//! digest that was offered, [`UpdateStep::Try`] restarts it with the new firmware, on trial. The trial is over
//! when the new firmware has seen all its parts work and has heard its host; if that does not happen within a
//! minute, or if it is reset before, the device goes back to the firmware that it had.
//!
//! A device refuses what is made for other hardware, and everything while a game goes on at it. Whether a round goes on
//! elsewhere in the hall is the host's to know: it offers nothing during one.

use core::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Capabilities, SensingKind};

/// What a firmware is made for. It runs on devices of which all of this is true, and on no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Hardware revision.
    pub hardware: u16,
    /// The parts that it drives.
    pub capabilities: Capabilities,
    /// Whether it speaks on a line that it shares with others (RS-485).
    pub shared_line: bool,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { hardware, capabilities: Capabilities { board, clock }, shared_line } = *self;
        f.write_str(match (board, clock) {
            (None, false) => "a device without board and clock",
            (None, true) => "a clock",
            (Some(_), false) => "a board",
            (Some(_), true) => "a board with a clock",
        })?;
        if let Some(sensing) = board {
            let senses = match sensing {
                SensingKind::Occupancy => "occupancy",
                SensingKind::Colour => "colour",
                SensingKind::Type => "types of pieces",
                SensingKind::Identity => "each piece",
            };
            write!(f, " (senses {senses})")?;
        }
        let line = if shared_line { "on a shared line" } else { "on a port of its own" };
        write!(f, " of hardware revision {hardware}, {line}")
    }
}

/// A firmware, told by what it is for, its version and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Firmware {
    /// What it is made for.
    pub target: Target,
    /// The version that its greeting will tell.
    pub version: u32,
    /// How many bytes it has.
    pub length: u32,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
}

/// Some consecutive bytes of a firmware: 1 to [`Chunk::MOST`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    bytes: [u8; Chunk::MOST],
    used: usize,
}

impl Chunk {
    /// How many bytes go into one frame at most. Whole pages and sectors of a flash are multiples of it.
    pub const MOST: usize = 64;

    /// These bytes, if there are some and not too many.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Option<Chunk> {
        if bytes.is_empty() {
            return None;
        }
        let mut chunk = Chunk { bytes: [0; Chunk::MOST], used: bytes.len() };
        chunk.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(chunk)
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Chunk").field(&self.bytes()).finish()
    }
}

impl Serialize for Chunk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.bytes())
    }
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Chunk, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Chunk;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "1 to {} bytes", Chunk::MOST)
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Chunk, E> {
                Chunk::new(bytes).ok_or_else(|| E::invalid_length(bytes.len(), &self))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// What a host asks for on the way to another firmware. Order of variants is the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpdateStep {
    /// How does it stand?
    Ask,
    /// This firmware is to come. The one that is coming already goes on where it is; another one is forgotten.
    Offer(Firmware),
    /// Bytes of the firmware offered. Taken if they are the next ones, otherwise only answered.
    Bytes {
        /// The offset of the first.
        at: u32,
        /// The bytes.
        chunk: Chunk,
    },
    /// All bytes are there: check them, restart and try them.
    Try,
    /// Nothing comes any more.
    Forget,
}

/// How an update stands with a device: its answer to every [`UpdateStep`]. Order of variants is the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpdateState {
    /// Nothing comes; the firmware that runs is the device's own.
    Settled,
    /// The firmware that was offered is coming.
    Coming {
        /// The offset of the bytes that it wants next; the firmware's length when all are there.
        next: u32,
    },
    /// All bytes are sound; the device restarts with them now.
    Restarts,
    /// The firmware that runs is on trial: a reset gives the one before back.
    OnTrial,
    /// Nothing comes; the last trial was not passed, and the firmware from before it runs.
    GivenBack,
    /// The step was not taken.
    Refused(UpdateRefusal),
}

/// Why a device did not take an [`UpdateStep`]. Order of variants is the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpdateRefusal {
    /// It is made for another hardware revision, for other parts or for another kind of line.
    OtherTarget,
    /// It has more bytes than the device has room for, or none.
    Length,
    /// A game goes on: a time runs, or pieces were moved or a lever was pressed within the last minute.
    GameOn,
    /// Records wait that the host has not acknowledged; a restart would lose them.
    RecordsWait,
    /// The firmware that runs is itself on trial.
    OnTrial,
    /// Nothing was offered (or the device was reset since).
    NotOffered,
    /// Not all bytes are there.
    Incomplete,
    /// The bytes do not have the digest that was offered. They are forgotten.
    Damaged,
    /// The flash did not take them. They are forgotten.
    FlashFailed,
}

impl fmt::Display for UpdateRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UpdateRefusal::OtherTarget => {
                "it is made for another hardware revision, other parts or another kind of line"
            }
            UpdateRefusal::Length => "the device has no room for it",
            UpdateRefusal::GameOn => {
                "a game goes on: a time runs, or pieces were moved or a lever was pressed within the last minute"
            }
            UpdateRefusal::RecordsWait => "records wait that are not yet on the gateway's disk",
            UpdateRefusal::OnTrial => "the firmware that it runs is itself on trial",
            UpdateRefusal::NotOffered => "nothing was offered since its last reset",
            UpdateRefusal::Incomplete => "not all bytes are there",
            UpdateRefusal::Damaged => "the bytes that came do not have the digest of the file",
            UpdateRefusal::FlashFailed => "its flash did not take the bytes",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, FrameReader, FromShared, MAX_FRAME, ToDevice, ToShared, encode};

    const TARGET: Target = Target {
        hardware: 300,
        capabilities: Capabilities { board: Some(SensingKind::Colour), clock: true },
        shared_line: true,
    };

    fn heard<M: Serialize + serde::de::DeserializeOwned>(message: &M) -> Vec<Option<M>> {
        let mut frame = [0; MAX_FRAME];
        let used = encode(Address(247), message, &mut frame).unwrap();
        let mut heard = vec![];
        FrameReader::new()
            .push_all(&frame[..used], |outcome| heard.push(outcome.ok().map(|(_, message)| message)));
        heard
    }

    #[test]
    fn the_longest_steps_and_states_fit_into_a_frame_of_a_shared_line() {
        let firmware = Firmware { target: TARGET, version: u32::MAX, length: u32::MAX, sha256: [0xff; 32] };
        let chunk = Chunk::new(&[0; Chunk::MOST]).unwrap();
        for step in [UpdateStep::Offer(firmware), UpdateStep::Bytes { at: u32::MAX, chunk }] {
            let message = ToShared::Says(ToDevice::Update(step));
            assert_eq!(heard(&message), [Some(message)]);
        }
        let message = FromShared::Says(crate::FromDevice::Update(UpdateState::Coming { next: u32::MAX }));
        assert_eq!(heard(&message), [Some(message)]);
    }

    #[test]
    fn a_chunk_holds_one_to_sixty_four_bytes_and_none_other_is_read() {
        assert_eq!(Chunk::new(&[]), None);
        assert_eq!(Chunk::new(&[0; 65]), None);
        assert_eq!(Chunk::new(&[7; 64]).unwrap().bytes(), [7; 64]);
        let read = |bytes: &[u8]| postcard::from_bytes::<Chunk>(bytes).ok();
        assert_eq!(read(b"\x02ab"), Chunk::new(b"ab"));
        assert_eq!(read(b"\x00"), None);
        let long = [[65].as_slice(), &[0; 65]].concat();
        assert_eq!(read(&long), None);
    }

    /// Golden bytes: whoever must change one changes [`crate::WIRE_VERSION`]. They were written by hand.
    #[test]
    fn the_words_on_the_line_are_these() {
        let body = |message: &ToDevice| postcard::to_stdvec(message).unwrap();
        let step = |step| body(&ToDevice::Update(step));
        assert_eq!(step(UpdateStep::Ask), [5, 0]);
        let firmware = Firmware { target: TARGET, version: 2, length: 50_000, sha256: [9; 32] };
        let offer = [[5, 1, 0xac, 2, 1, 1, 1, 1, 2, 0xd0, 0x86, 3].as_slice(), &[9; 32]].concat();
        assert_eq!(step(UpdateStep::Offer(firmware)), offer);
        let chunk = Chunk::new(b"xyz").unwrap();
        assert_eq!(step(UpdateStep::Bytes { at: 128, chunk }), *b"\x05\x02\x80\x01\x03xyz");
        assert_eq!(step(UpdateStep::Try), [5, 3]);
        assert_eq!(step(UpdateStep::Forget), [5, 4]);
        let state = |state: UpdateState| postcard::to_stdvec(&crate::FromDevice::Update(state)).unwrap();
        assert_eq!(state(UpdateState::Settled), [5, 0]);
        assert_eq!(state(UpdateState::Coming { next: 128 }), [5, 1, 0x80, 1]);
        assert_eq!(state(UpdateState::Restarts), [5, 2]);
        assert_eq!(state(UpdateState::OnTrial), [5, 3]);
        assert_eq!(state(UpdateState::GivenBack), [5, 4]);
        assert_eq!(state(UpdateState::Refused(UpdateRefusal::FlashFailed)), [5, 5, 8]);
    }
}
