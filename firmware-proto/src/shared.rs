//! A line that many devices share (RS-485): the same messages, and the words with which a host gives the floor.
//!
//! A device speaks only when its host asks it. It has no address until the host gives it one: the host seeks devices
//! without address by the beginning of their number for life, and where several answer at once it asks for one bit more.
//! So any number of devices is found in a known time, without dice and without anybody setting switches. An address
//! is good for one session of one host: a device that hears another session, or no poll for a while, has none again.

use serde::{Deserialize, Serialize};

use crate::{Address, DeviceUid, FromDevice, ToDevice};

/// One run of a host on a line; the next one has another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSession(pub u16);

/// Host to devices on a shared line. Order of variants is the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToShared {
    /// A message for the device of this address; it is not answered before its turn.
    Says(ToDevice),
    /// The device of this address has the floor, for so many frames at most; [`FromShared::Over`] gives it back.
    Poll {
        /// The host's session.
        session: LineSession,
        /// How many.
        frames: u8,
    },
    /// Whoever has no address, and whose number begins with the first `bits` bits of `prefix`, says
    /// [`FromShared::Here`].
    Seek {
        /// The beginning of a number, in its highest bits.
        prefix: u64,
        /// How many of them count; 0: everybody.
        bits: u8,
    },
    /// The device with this number has this address from now on, and says [`FromShared::Here`] from there.
    Claim {
        /// Whose.
        uid: DeviceUid,
        /// Which.
        address: u8,
        /// The host's session.
        session: LineSession,
    },
}

/// Device to host on a shared line. Order of variants is the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromShared {
    /// A message of the device of this address.
    Says(FromDevice),
    /// It has no more to say, or no more time to say it.
    Over,
    /// A device with this number is on the line. From [`Address::EVERYONE`] while it has no address.
    Here(DeviceUid),
}

impl ToShared {
    /// Whether a [`ToShared::Seek`] for this beginning means this number.
    #[must_use]
    pub const fn means(prefix: u64, bits: u8, uid: DeviceUid) -> bool {
        match 64_u32.checked_sub(bits as u32) {
            Some(64) => true,
            Some(rest) => prefix >> rest == uid.0 >> rest,
            None => prefix == uid.0,
        }
    }

    /// Whom a frame with this message is sent to, if it is not for one device alone.
    #[must_use]
    pub const fn is_for_everyone(&self) -> bool {
        match self {
            ToShared::Seek { .. } | ToShared::Claim { .. } => true,
            ToShared::Says(_) | ToShared::Poll { .. } => false,
        }
    }
}

/// The address that a claim gives, if a device can have it.
impl TryFrom<u8> for Address {
    type Error = u8;

    fn try_from(number: u8) -> Result<Address, u8> {
        if (1..=247).contains(&number) { Ok(Address(number)) } else { Err(number) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Body, BootId, Cell, FrameReader, Image, MAX_FRAME, Millis, Reading, Record, SensingKind, Seq, encode,
    };

    #[test]
    fn a_prefix_means_the_numbers_that_begin_with_it() {
        let uid = DeviceUid(0xc400_0000_0000_0001);
        assert!(ToShared::means(0, 0, uid));
        assert!(ToShared::means(0x8000_0000_0000_0000, 1, uid) && !ToShared::means(0, 1, uid));
        assert!(ToShared::means(0xc400_0000_0000_0001, 64, uid) && !ToShared::means(0xc4 << 56, 64, uid));
    }

    #[test]
    fn the_longest_message_fits_with_its_word_in_front() {
        let mut image = Image::empty(SensingKind::Identity);
        for cell in Cell::all() {
            image.set(cell, Reading(32)).unwrap();
        }
        let record = Record { seq: Seq(u32::MAX), at: Millis(u32::MAX), body: Body::Snapshot(image) };
        let message = FromShared::Says(FromDevice::Record(BootId(u32::MAX), record));
        let mut frame = [0; MAX_FRAME];
        let used = encode(Address(247), &message, &mut frame).unwrap();
        let mut reader = FrameReader::new();
        let mut heard = vec![];
        reader.push_all(&frame[..used], |outcome| heard.push(outcome));
        assert_eq!(heard, [Ok((Address(247), message))]);
    }

    /// Golden bytes: whoever must change one changes [`crate::WIRE_VERSION`]. The check sums are the encoder's own;
    /// those of `frame.rs` are of another program.
    #[test]
    fn the_words_on_the_line_are_these() {
        let body = |message: &ToShared| postcard::to_stdvec(message).unwrap();
        assert_eq!(body(&ToShared::Poll { session: LineSession(300), frames: 8 }), [1, 0xac, 2, 8]);
        assert_eq!(
            body(&ToShared::Seek { prefix: 1 << 63, bits: 1 }),
            *b"\x02\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x01"
        );
        assert_eq!(
            body(&ToShared::Claim { uid: DeviceUid(0xa1), address: 3, session: LineSession(1) }),
            [3, 0xa1, 1, 3, 1]
        );
        assert_eq!(postcard::to_stdvec(&FromShared::Over).unwrap(), [1]);
        assert_eq!(postcard::to_stdvec(&FromShared::Here(DeviceUid(5))).unwrap(), [2, 5]);
    }
}
