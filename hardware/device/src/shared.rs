//! A device on a line that it shares with others: silent until it has the floor.

use firmware_proto::{
    Address, DeviceUid, FrameReader, FromDevice, FromShared, LineSession, MAX_FRAME, Millis, ToShared, encode,
};

use crate::device::Device;

/// A device that was not polled for so long has no address any more: its host has given it up, or is gone.
const FORGOTTEN: Millis = Millis(3_000);

/// The place that a host gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    address: Address,
    session: LineSession,
    polled: Millis,
}

/// What it may say now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Floor {
    /// Nothing.
    Silent,
    /// That it is here.
    Here,
    /// So many messages, and that it is over.
    Turn(u8),
}

/// The link of a device to a shared line.
pub struct SharedLink {
    uid: DeviceUid,
    reader: FrameReader<ToShared>,
    place: Option<Place>,
    floor: Floor,
}

impl SharedLink {
    /// A device that has just been put on the line: it has no address.
    #[must_use]
    pub const fn new(uid: DeviceUid) -> SharedLink {
        SharedLink { uid, reader: FrameReader::new(), place: None, floor: Floor::Silent }
    }

    /// Bytes came from the line.
    pub fn on_bytes(&mut self, device: &mut Device, bytes: &[u8], now: Millis) {
        for &byte in bytes {
            // What was garbled the host asks again.
            if let Some(Ok((address, message))) = self.reader.push(byte) {
                self.on_message(device, address, message, now);
            }
        }
    }

    /// Writes what it may say now into `out` (at least [`MAX_FRAME`] bytes), whole frames; returns the bytes used.
    /// The driver is to be on for these bytes and no longer.
    pub fn take_output(&mut self, device: &mut Device, out: &mut [u8], now: Millis) -> usize {
        let mut used = 0;
        while out.len() - used >= MAX_FRAME {
            let Some((address, message)) = self.next_message(device, now) else { break };
            used += encode(address, &message, &mut out[used..])
                .expect("every message fits into MAX_FRAME bytes, its word included");
        }
        used
    }

    /// Its address, while it has one.
    #[must_use]
    pub fn address(&self) -> Option<Address> {
        self.place.map(|place| place.address)
    }

    fn on_message(&mut self, device: &mut Device, to: Address, message: ToShared, now: Millis) {
        if self.place.is_some_and(|place| now.since(place.polled) > FORGOTTEN) {
            self.place = None;
        }
        // Somebody else has the floor from here on, or the same one anew.
        self.floor = Floor::Silent;
        let mine = self.place.filter(|place| place.address == to);
        match message {
            ToShared::Says(message) if mine.is_some() => device.on_message_at(message, now),
            ToShared::Poll { session, frames } => match mine {
                Some(place) if place.session == session => {
                    self.place = Some(Place { polled: now, ..place });
                    self.floor = Floor::Turn(frames);
                }
                // Another host, or the same one after a restart, has given this address to somebody else.
                Some(_) => self.place = None,
                None => {}
            },
            ToShared::Seek { prefix, bits } => {
                if self.place.is_none() && ToShared::means(prefix, bits, self.uid) {
                    self.floor = Floor::Here;
                }
            }
            ToShared::Claim { uid, address, session } => {
                if let Ok(address) = Address::try_from(address) {
                    if uid == self.uid {
                        // A host that does not know it yet wants to be greeted.
                        device.on_message_at(firmware_proto::ToDevice::Identify, now);
                        self.place = Some(Place { address, session, polled: now });
                        self.floor = Floor::Here;
                    } else if self.place.is_some_and(|place| place.address == address) {
                        self.place = None;
                    }
                }
            }
            ToShared::Says(_) => {}
        }
    }

    fn next_message(&mut self, device: &mut Device, now: Millis) -> Option<(Address, FromShared)> {
        let address = self.address();
        match (self.floor, address) {
            (Floor::Silent, _) => None,
            (Floor::Here, _) => {
                self.floor = Floor::Silent;
                Some((address.unwrap_or(Address::EVERYONE), FromShared::Here(self.uid)))
            }
            (Floor::Turn(left), Some(address)) => {
                let said: Option<FromDevice> = if left > 0 { device.next_message_at(now) } else { None };
                self.floor = said.map_or(Floor::Silent, |_| Floor::Turn(left - 1));
                Some((address, said.map_or(FromShared::Over, FromShared::Says)))
            }
            (Floor::Turn(_), None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::delivery::Pace;
    use firmware_proto::{BootId, Capabilities, ResetCause, ToDevice};

    use super::*;
    use crate::Config;

    const UID: DeviceUid = DeviceUid(0xc4_0000_0000_0001);
    const SESSION: LineSession = LineSession(7);

    struct Bench {
        device: Box<Device>,
        link: SharedLink,
        now: Millis,
    }

    impl Bench {
        fn new() -> Bench {
            let config = Config {
                uid: UID,
                boot: BootId(1),
                firmware: 1,
                hardware: 1,
                reset: ResetCause::PowerOn,
                capabilities: Capabilities { board: None, clock: true },
                address: Address::POINT_TO_POINT,
                pace: Pace::SERIAL,
            };
            let device = Box::new(Device::new(config, Millis(0)));
            Bench { device, link: SharedLink::new(UID), now: Millis(0) }
        }

        /// What it answers to this.
        fn hears(&mut self, to: Address, message: ToShared) -> Vec<(Address, FromShared)> {
            let mut frame = [0; MAX_FRAME];
            let used = encode(to, &message, &mut frame).unwrap();
            self.link.on_bytes(&mut self.device, &frame[..used], self.now);
            self.says()
        }

        fn says(&mut self) -> Vec<(Address, FromShared)> {
            let (mut reader, mut heard) = (FrameReader::new(), vec![]);
            let mut out = [0; 4 * MAX_FRAME];
            loop {
                let used = self.link.take_output(&mut self.device, &mut out, self.now);
                if used == 0 {
                    return heard;
                }
                reader.push_all(&out[..used], |outcome| heard.push(outcome.unwrap()));
            }
        }

        fn claimed(address: u8) -> Bench {
            let mut bench = Bench::new();
            let claim = ToShared::Claim { uid: UID, address, session: SESSION };
            assert_eq!(bench.hears(Address::EVERYONE, claim), [(Address(address), FromShared::Here(UID))]);
            bench
        }

        fn poll(&mut self, address: u8, session: LineSession, frames: u8) -> Vec<(Address, FromShared)> {
            self.hears(Address(address), ToShared::Poll { session, frames })
        }
    }

    #[test]
    fn without_an_address_it_answers_who_seeks_it_and_says_nothing_else() {
        let mut bench = Bench::new();
        bench.device.poll(Millis(5_000));
        assert_eq!(bench.says(), []);
        assert_eq!(bench.poll(1, SESSION, 8), []);
        let here = [(Address::EVERYONE, FromShared::Here(UID))];
        assert_eq!(bench.hears(Address::EVERYONE, ToShared::Seek { prefix: 0, bits: 0 }), here);
        assert_eq!(bench.hears(Address::EVERYONE, ToShared::Seek { prefix: UID.0, bits: 64 }), here);
        assert_eq!(bench.hears(Address::EVERYONE, ToShared::Seek { prefix: 1 << 63, bits: 1 }), []);
    }

    #[test]
    fn with_an_address_it_speaks_in_its_turn_and_no_longer_than_it_may() {
        let mut bench = Bench::claimed(9);
        assert_eq!(bench.says(), []);
        assert_eq!(bench.hears(Address::EVERYONE, ToShared::Seek { prefix: 0, bits: 0 }), []);
        let heard = bench.poll(9, SESSION, 1);
        assert!(
            matches!(
                heard[..],
                [(Address(9), FromShared::Says(FromDevice::Hello(_))), (_, FromShared::Over)]
            ),
            "{heard:?}"
        );
        let heard = bench.poll(9, SESSION, 8);
        assert!(
            matches!(heard[..], [(_, FromShared::Says(FromDevice::Record(..))), (_, FromShared::Over)]),
            "{heard:?}"
        );
        assert_eq!(bench.poll(9, SESSION, 8), [(Address(9), FromShared::Over)]);
        assert_eq!(bench.poll(8, SESSION, 8), [], "another's turn");
    }

    #[test]
    fn a_message_is_answered_in_the_next_turn() {
        let mut bench = Bench::claimed(9);
        bench.poll(9, SESSION, 8);
        assert_eq!(bench.hears(Address(9), ToShared::Says(ToDevice::TimeSync { token: 5 })), []);
        let heard = bench.poll(9, SESSION, 8);
        assert!(
            matches!(heard[0], (_, FromShared::Says(FromDevice::TimeSync { token: 5, .. }))),
            "{heard:?}"
        );
    }

    #[test]
    fn another_session_another_owner_of_the_address_or_silence_takes_the_address_away() {
        let seek = ToShared::Seek { prefix: 0, bits: 0 };
        let mut bench = Bench::claimed(9);
        assert_eq!(bench.poll(9, LineSession(8), 8), []);
        assert_eq!(bench.hears(Address::EVERYONE, seek).len(), 1);

        let mut bench = Bench::claimed(9);
        let claim = ToShared::Claim { uid: DeviceUid(1), address: 9, session: SESSION };
        assert_eq!(bench.hears(Address::EVERYONE, claim), []);
        assert_eq!(bench.hears(Address::EVERYONE, seek).len(), 1);

        let mut bench = Bench::claimed(9);
        bench.now = Millis(FORGOTTEN.0 + 1);
        assert_eq!(bench.hears(Address::EVERYONE, seek).len(), 1);
    }

    #[test]
    fn a_claim_for_an_address_that_nobody_can_have_is_not_heard() {
        let mut bench = Bench::new();
        for address in [0, 248, 255] {
            let claim = ToShared::Claim { uid: UID, address, session: SESSION };
            assert_eq!(bench.hears(Address::EVERYONE, claim), []);
        }
    }
}
