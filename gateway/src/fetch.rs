//! The firmware that the server offers, fetched part by part: what is here of it, and whether it is whole.

use std::sync::Arc;

use firmware_proto::{Firmware, Offer};

/// What the server offers.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    offer: Offer,
    bytes: Bytes,
}

#[derive(Clone, Debug)]
enum Bytes {
    /// The first ones.
    Coming(Vec<u8>),
    /// All, with the digest that was told.
    Whole(Arc<[u8]>),
}

impl Fetch {
    /// This is offered now; what is here of the same firmware stays. `None`: it is larger than any of our controllers.
    pub(crate) fn of(offer: Offer, before: Option<Fetch>) -> Option<Fetch> {
        if offer.firmware.length as usize > Firmware::LONGEST_FILE {
            return None;
        }
        let same = before.filter(|before| before.offer.firmware == offer.firmware);
        let bytes = same.map_or_else(|| Bytes::Coming(Vec::new()), |before| before.bytes);
        Some(Fetch { offer, bytes })
    }

    pub(crate) const fn offer(&self) -> Offer {
        self.offer
    }

    /// How many bytes are here.
    pub(crate) fn fetched(&self) -> u32 {
        match &self.bytes {
            Bytes::Coming(bytes) => bytes.len() as u32,
            Bytes::Whole(_) => self.offer.firmware.length,
        }
    }

    /// A part came; whether it was the one that is wanted.
    pub(crate) fn on_part(&mut self, sha256: [u8; 32], at: u32, part: &[u8]) -> bool {
        let firmware = self.offer.firmware;
        let Bytes::Coming(bytes) = &mut self.bytes else { return false };
        let lacks = firmware.length as usize - bytes.len();
        if sha256 != firmware.sha256 || at as usize != bytes.len() || part.is_empty() || part.len() > lacks {
            return false;
        }
        bytes.extend_from_slice(part);
        if bytes.len() == firmware.length as usize {
            let all = std::mem::take(bytes);
            // Another digest: from the beginning.
            if Firmware::of_bytes(firmware.target, firmware.version, &all) == firmware {
                self.bytes = Bytes::Whole(all.into());
            }
        }
        true
    }

    /// For the devices, once it is whole.
    pub(crate) fn whole(&self) -> Option<(Offer, Arc<[u8]>)> {
        match &self.bytes {
            Bytes::Coming(_) => None,
            Bytes::Whole(bytes) => Some((self.offer, bytes.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Capabilities, Target};

    use super::*;

    const TARGET: Target =
        Target { hardware: 1, capabilities: Capabilities { board: None, clock: true }, shared_line: false };

    fn offer(bytes: &[u8], go: bool) -> Offer {
        Offer { firmware: Firmware::of_bytes(TARGET, 2, bytes), go }
    }

    #[test]
    fn parts_are_taken_in_their_order_once_and_make_the_whole() {
        let offer = offer(b"firmware", true);
        let sha256 = offer.firmware.sha256;
        let mut fetch = Fetch::of(offer, None).unwrap();
        assert!(!fetch.on_part(sha256, 4, b"ware"), "not the next one");
        assert!(fetch.on_part(sha256, 0, b"firm"));
        assert!(!fetch.on_part(sha256, 0, b"firm"), "it is here");
        assert!(!fetch.on_part([0; 32], 4, b"ware"), "of another one");
        assert!(!fetch.on_part(sha256, 4, b"ware and more"));
        assert_eq!((fetch.fetched(), fetch.whole()), (4, None));
        assert!(fetch.on_part(sha256, 4, b"ware"));
        assert_eq!(fetch.whole(), Some((offer, b"firmware".as_slice().into())));
    }

    #[test]
    fn bytes_with_another_digest_are_fetched_from_the_beginning() {
        let offer = offer(b"firmware", true);
        let mut fetch = Fetch::of(offer, None).unwrap();
        fetch.on_part(offer.firmware.sha256, 0, b"firmwarf");
        assert_eq!((fetch.fetched(), fetch.whole()), (0, None));
    }

    #[test]
    fn what_is_here_stays_while_the_same_firmware_is_held_back_and_goes_with_another() {
        let first = offer(b"firmware", true);
        let mut fetch = Fetch::of(first, None).unwrap();
        fetch.on_part(first.firmware.sha256, 0, b"firmware");
        let held = Fetch::of(offer(b"firmware", false), Some(fetch)).unwrap();
        assert_eq!(held.whole().map(|(offer, _)| offer.go), Some(false));
        assert_eq!(Fetch::of(offer(b"another", true), Some(held)).unwrap().fetched(), 0);
    }

    #[test]
    fn what_no_controller_has_room_for_is_not_fetched() {
        let mut huge = offer(b"firmware", true);
        huge.firmware.length = u32::MAX;
        assert!(Fetch::of(huge, None).is_none());
    }
}
