//! Frames on a serial line: `COBS( version | address | postcard | CRC-32C ) 0x00`.
//!
//! The envelope (COBS, the version first, the check sum last, little-endian) is for ever; what lies between may
//! change with [`WIRE_VERSION`]. So either end can tell "damaged" from "speaks another version".

use core::marker::PhantomData;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::WIRE_VERSION;

/// Bytes between the delimiters before stuffing: version, address, message, check sum. The longest message, a
/// snapshot of an identity board with every number at its widest, fits (a test builds it).
pub const MAX_BODY: usize = 112;

/// Bytes that one frame can take on the line, its delimiter included.
pub const MAX_FRAME: usize = MAX_BODY + 2;

/// Version, address and check sum around the message.
const OVERHEAD: usize = 6;

/// CRC-32C (Castagnoli), as of iSCSI.
const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI);

/// Who a frame is for, or from: 0 on a line of two (USB, point to point), 1 to 247 on RS-485.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u8);

impl Address {
    /// The other end of a line of two.
    pub const POINT_TO_POINT: Address = Address(0);

    /// Everybody on a shared line.
    pub const EVERYONE: Address = Address(255);

    /// The addresses that a host gives to the devices of a shared line.
    pub fn of_devices() -> impl Iterator<Item = Address> {
        (1..=247).map(Address)
    }
}

/// A message does not fit into a frame or into the buffer given for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message does not fit into a frame of {MAX_FRAME} bytes, or not into the buffer given for it")]
pub struct FrameTooLong;

/// Writes one frame into `out`, which should hold [`MAX_FRAME`] bytes; returns how many were used.
pub fn encode<M: Serialize>(address: Address, message: &M, out: &mut [u8]) -> Result<usize, FrameTooLong> {
    let mut body = [0; MAX_BODY];
    body[0] = WIRE_VERSION;
    body[1] = address.0;
    let message = postcard::to_slice(message, &mut body[2..MAX_BODY - 4]).map_err(|_| FrameTooLong)?.len();
    let used = message + OVERHEAD;
    let sum = CRC.checksum(&body[..used - 4]);
    body[used - 4..used].copy_from_slice(&sum.to_le_bytes());
    // COBS adds one byte to a body shorter than 255.
    if out.len() < used + 2 {
        return Err(FrameTooLong);
    }
    let stuffed = cobs::encode(&body[..used], out);
    out[stuffed] = 0;
    Ok(stuffed + 1)
}

/// Why bytes between two delimiters were thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// They are no COBS, or too short for a frame.
    #[error("{bytes} bytes that make no frame (noise, or the middle of a frame)")]
    Garbage {
        /// How many.
        bytes: u32,
    },
    /// No delimiter for longer than a frame can be.
    #[error("{bytes} bytes without a frame's end: longer than any frame")]
    Overfull {
        /// How many.
        bytes: u32,
    },
    /// The check sum does not fit.
    #[error("a frame with a wrong check sum")]
    BadCrc,
    /// Undamaged, but of another version of the wire.
    #[error("a frame of wire version {found}; this side speaks {WIRE_VERSION}")]
    BadVersion {
        /// The version that the sender speaks.
        found: u8,
    },
    /// Undamaged, of our version, and yet no message.
    #[error("an undamaged frame whose content is no message of wire version {WIRE_VERSION}")]
    BadPayload,
}

/// How often each [`Fault`] was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    /// Bytes that made no frame, those of overfull ones included.
    pub garbage: u64,
    /// Times that no frame ended for longer than a frame can be.
    pub overfull: u64,
    /// Frames with a wrong check sum.
    pub bad_crc: u64,
    /// Frames of another wire version.
    pub bad_version: u64,
    /// Frames whose content did not decode.
    pub bad_payload: u64,
}

impl Faults {
    /// Counts one.
    pub fn count(&mut self, fault: Fault) {
        match fault {
            Fault::Garbage { bytes } => self.garbage += u64::from(bytes),
            Fault::Overfull { bytes } => {
                self.overfull += 1;
                self.garbage += u64::from(bytes);
            }
            Fault::BadCrc => self.bad_crc += 1,
            Fault::BadVersion { .. } => self.bad_version += 1,
            Fault::BadPayload => self.bad_payload += 1,
        }
    }
}

/// Finds the frames in a stream of bytes and decodes them: messages `M` come out, and so does every fault.
#[derive(Clone, Debug)]
pub struct FrameReader<M> {
    stuffed: [u8; MAX_FRAME],
    used: usize,
    /// Bytes since the last delimiter; more than `used` when overfull.
    seen: u32,
    faults: Faults,
    message: PhantomData<fn() -> M>,
}

impl<M: DeserializeOwned> Default for FrameReader<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: DeserializeOwned> FrameReader<M> {
    /// A reader at the beginning of a stream. In the middle of one, the first frame is lost as garbage.
    #[must_use]
    pub const fn new() -> Self {
        FrameReader {
            stuffed: [0; MAX_FRAME],
            used: 0,
            seen: 0,
            faults: Faults { garbage: 0, overfull: 0, bad_crc: 0, bad_version: 0, bad_payload: 0 },
            message: PhantomData,
        }
    }

    /// Takes one byte; at a frame's end tells what it was.
    pub fn push(&mut self, byte: u8) -> Option<Result<(Address, M), Fault>> {
        if byte != 0 {
            if let Some(room) = self.stuffed.get_mut(self.used) {
                *room = byte;
                self.used += 1;
            }
            self.seen = self.seen.saturating_add(1);
            return None;
        }
        // Two delimiters in a row are a way to begin afresh, not a fault.
        if self.seen == 0 {
            return None;
        }
        let outcome = self.finish();
        self.used = 0;
        self.seen = 0;
        if let Err(fault) = outcome {
            self.faults.count(fault);
        }
        Some(outcome)
    }

    /// Takes bytes and hands what they complete to `each`.
    pub fn push_all(&mut self, bytes: &[u8], mut each: impl FnMut(Result<(Address, M), Fault>)) {
        for &byte in bytes {
            if let Some(outcome) = self.push(byte) {
                each(outcome);
            }
        }
    }

    /// What had to be thrown away so far.
    #[must_use]
    pub const fn faults(&self) -> Faults {
        self.faults
    }

    fn finish(&mut self) -> Result<(Address, M), Fault> {
        if self.seen as usize > self.used {
            return Err(Fault::Overfull { bytes: self.seen });
        }
        let garbage = Fault::Garbage { bytes: self.seen };
        let used = cobs::decode_in_place(&mut self.stuffed[..self.used]).map_err(|_| garbage)?;
        let body = &self.stuffed[..used];
        let (signed, sum) = body.split_last_chunk::<4>().ok_or(garbage)?;
        let [version, address, message @ ..] = signed else { return Err(garbage) };
        if CRC.checksum(signed) != u32::from_le_bytes(*sum) {
            return Err(Fault::BadCrc);
        }
        if *version != WIRE_VERSION {
            return Err(Fault::BadVersion { found: *version });
        }
        match postcard::take_from_bytes(message) {
            Ok((message, [])) => Ok((Address(*address), message)),
            Ok(_) | Err(_) => Err(Fault::BadPayload),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Body, BootId, ByHalf, Cell, ClockFace, CmdId, Command, FromDevice, Half, Image, Millis, Reading,
        Record, SensingKind, Seq, ToDevice,
    };

    fn framed<M: Serialize>(message: &M) -> Vec<u8> {
        let mut out = [0; MAX_FRAME];
        let used = encode(Address::POINT_TO_POINT, message, &mut out).unwrap();
        out[..used].to_vec()
    }

    fn read(bytes: &[u8]) -> (Vec<Result<FromDevice, Fault>>, Faults) {
        let mut reader = FrameReader::new();
        let mut seen = vec![];
        reader.push_all(bytes, |outcome| seen.push(outcome.map(|(_, message)| message)));
        (seen, reader.faults())
    }

    fn point() -> FromDevice {
        let body = Body::Point(Cell::new(64).unwrap(), Reading(1));
        FromDevice::Record(BootId(7), Record { seq: Seq(300), at: Millis(61_234), body })
    }

    /// Golden bytes, computed by an independent implementation. Whoever must change one changes
    /// [`WIRE_VERSION`].
    #[test]
    fn the_bytes_on_the_line_are_these() {
        let times = |a, b| ByHalf { a: Millis(a), b: Millis(b) };
        let press = ClockFace { left: times(3_595_000, 3_600_000), running: Some(Half::B) };
        let press = Record { seq: Seq(2), at: Millis(9_000), body: Body::Press(Half::A, press) };
        let hello = crate::Hello {
            uid: crate::DeviceUid(0xa1),
            boot: BootId(7),
            firmware: 3,
            hardware: 2,
            reset: crate::ResetCause::PowerOn,
            capabilities: crate::Capabilities { board: Some(SensingKind::Colour), clock: true },
            oldest: Seq(1),
            next: Seq(301),
            overflowed: 0,
            at: Millis(61_000),
        };
        let left = crate::Left {
            boot: BootId(6),
            oldest: Seq(299),
            next: Seq(303),
            last: Millis(5_000_000),
            ago: Millis(61_000),
        };
        let beat = FromDevice::Beat { boot: BootId(7), next_seq: Seq(301), at: Millis(61_500), face: None };
        let face = ClockFace { left: times(3_600_000, 3_600_000), running: None };
        let set = Command::SetClock(crate::ClockSetting { face, increment: Millis(5_000) });
        assert_eq!(
            framed(&point()),
            *b"\x02\x01\x08\x01\x07\xac\x02\xb2\xde\x03\x07\x40\x01\xc8\xb1\xf5\xf2\0"
        );
        assert_eq!(
            framed(&FromDevice::Record(BootId(7), press)),
            *b"\x02\x01\x07\x01\x07\x02\xa8\x46\x02\x0f\xf8\xb5\xdb\x01\x80\xdd\xdb\x01\x01\x01\xb0\x87\xc2\xdd\0"
        );
        assert_eq!(
            framed(&FromDevice::Hello(hello)),
            *b"\x02\x01\x01\x06\xa1\x01\x07\x03\x02\x07\x01\x01\x01\x01\xad\x02\x08\xc8\xdc\x03\xec\x68\xbc\xdb\0"
        );
        assert_eq!(
            framed(&FromDevice::Left(hello, left)),
            *b"\x02\x01\x07\x06\xa1\x01\x07\x03\x02\x07\x01\x01\x01\x01\xad\x02\x14\xc8\xdc\x03\x06\xab\x02\xaf\x02\xc0\x96\xb1\x02\xc8\xdc\x03\x09\xaa\x53\x9e\0"
        );
        assert_eq!(framed(&beat), *b"\x02\x01\x08\x02\x07\xad\x02\xbc\xe0\x03\x05\xf0\x61\x6d\x0b\0");
        assert_eq!(
            framed(&ToDevice::Ack { boot: BootId(7), upto: Seq(300) }),
            *b"\x02\x01\x09\x01\x07\xac\x02\x2a\x12\x42\xa7\0"
        );
        assert_eq!(
            framed(&ToDevice::Command(CmdId(5), set)),
            *b"\x02\x01\x03\x03\x05\x09\x80\xdd\xdb\x01\x80\xdd\xdb\x01\x07\x88\x27\x2d\xfc\x7a\xd8\0"
        );
    }

    #[test]
    fn the_longest_message_fits() {
        let mut image = Image::empty(SensingKind::Identity);
        for cell in Cell::all() {
            image.set(cell, Reading(32)).unwrap();
        }
        let record = Record { seq: Seq(u32::MAX), at: Millis(u32::MAX), body: Body::Snapshot(image) };
        let message = FromDevice::Record(BootId(u32::MAX), record);
        let frame = framed(&message);
        assert!(frame.len() <= MAX_FRAME);
        assert_eq!(read(&frame).0, [Ok(message)]);
    }

    #[test]
    fn a_flipped_bit_is_caught_wherever_it_falls() {
        let frame = framed(&point());
        for at in 0..frame.len() {
            for bit in 0..8 {
                let mut damaged = frame.clone();
                damaged[at] ^= 1 << bit;
                damaged.push(0);
                let (seen, _) = read(&damaged);
                assert!(seen.iter().all(Result::is_err), "byte {at} bit {bit}: {seen:?}");
            }
        }
    }

    #[test]
    fn a_wrong_check_sum_garbage_and_an_overlong_frame_are_counted_and_the_next_frame_is_read() {
        let good = framed(&point());
        let mut wrong = good.clone();
        let last_of_message = wrong.len() - 6;
        wrong[last_of_message] ^= 0x10;
        let mut line = vec![9, 9, 9, 0];
        line.extend(&wrong);
        line.extend([7; 400]);
        line.push(0);
        line.extend(&good);
        let (seen, faults) = read(&line);
        assert_eq!(
            seen,
            [
                Err(Fault::Garbage { bytes: 3 }),
                Err(Fault::BadCrc),
                Err(Fault::Overfull { bytes: 400 }),
                Ok(point())
            ]
        );
        assert_eq!(faults, Faults { garbage: 403, overfull: 1, bad_crc: 1, ..Faults::default() });
    }

    #[test]
    fn an_undamaged_frame_of_another_version_is_told_from_a_damaged_one() {
        let mut body = vec![WIRE_VERSION + 1, 0, 1, 2, 3];
        body.extend(CRC.checksum(&body).to_le_bytes());
        let mut line = cobs::encode_vec(&body);
        line.push(0);
        assert_eq!(read(&line).0, [Err(Fault::BadVersion { found: WIRE_VERSION + 1 })]);
    }

    #[test]
    fn bytes_behind_the_message_are_no_message() {
        let mut body = vec![WIRE_VERSION, 0];
        body.extend(postcard::to_stdvec(&point()).unwrap());
        body.push(0);
        body.extend(CRC.checksum(&body).to_le_bytes());
        let mut line = cobs::encode_vec(&body);
        line.push(0);
        assert_eq!(read(&line).0, [Err(Fault::BadPayload)]);
    }

    #[test]
    fn every_kind_of_message_comes_back_as_it_went() {
        let face = ClockFace { left: ByHalf { a: Millis(3_600_000), b: Millis(0) }, running: Some(Half::B) };
        let messages = [
            ToDevice::Identify,
            ToDevice::Ack { boot: BootId(1), upto: Seq(9) },
            ToDevice::Nak { boot: BootId(1), from: Seq(4) },
            ToDevice::Command(
                CmdId(5),
                Command::SetClock(crate::ClockSetting { face, increment: Millis(5_000) }),
            ),
            ToDevice::TimeSync { token: 77 },
        ];
        let mut reader = FrameReader::<ToDevice>::new();
        for message in messages {
            let mut seen = None;
            reader.push_all(&framed(&message), |outcome| seen = Some(outcome));
            assert_eq!(seen, Some(Ok((Address::POINT_TO_POINT, message))));
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic_and_a_frame_after_them_is_read(noise: Vec<u8>) {
            let mut line = noise;
            line.push(0);
            line.extend(framed(&point()));
            let (seen, _) = read(&line);
            proptest::prop_assert_eq!(seen.last(), Some(&Ok(point())));
        }
    }
}
