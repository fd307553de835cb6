//! What every MQTT message between a gateway and the server is wrapped in, so that its authenticity does not rest
//! on the broker: who, which life, which count, and an HMAC-SHA256 under that gateway's own key.
//!
//! `version | postcard header | postcard body | 32 bytes HMAC over all before`. Whether a message is fresh is the
//! receiver's to judge, with [`Freshness`]: a replayed message is authentic too.

use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::Sha256;

use crate::GatewayId;

/// First byte of every sealed message.
const VERSION: u8 = 1;

/// Bytes of the HMAC at the end.
const TAG: usize = 32;

/// A gateway's own key, known to it and to the server only. Its `Debug` tells nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// A key of these bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Key {
        Key(bytes)
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Result<Key, BadKey> {
        let digits = text.trim().as_bytes();
        let (pairs, []) = digits.as_chunks::<2>() else { return Err(BadKey) };
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() {
            return Err(BadKey);
        }
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            let digit = |d: u8| char::from(d).to_digit(16).ok_or(BadKey);
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(Key(bytes))
    }

    /// As 64 hexadecimal digits, for the one place where it is written down.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The password with which this gateway signs in at a broker: whoever learns it learns nothing of the key.
    #[must_use]
    pub fn broker_password(&self) -> String {
        let mut mac = self.mac();
        mac.update(b"chuhe broker password");
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn mac(&self) -> Hmac<Sha256> {
        Hmac::new_from_slice(&self.0).expect("HMAC takes keys of any length")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Text that is no key. It is not repeated, it may be one with a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key is 64 hexadecimal digits (32 bytes)")]
pub struct BadKey;

/// Which way a message goes: one that went up cannot be played back as one that comes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Way {
    /// Gateway to server: [`crate::Up`].
    Up,
    /// Server to gateway: [`crate::Down`].
    Down,
    /// The gateway's presence: [`crate::Presence`].
    State,
}

/// Who sealed a message, and its place in the order of that sender's messages of that [`Way`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The gateway that it comes from or goes to, and under whose key it is sealed.
    pub gateway: GatewayId,
    /// Which way it goes.
    pub way: Way,
    /// The sender's life: higher with each start of the sender that counts anew.
    pub life: u64,
    /// Counts the sender's messages within its life, upwards; gaps are no fault.
    pub count: u64,
}

/// Why bytes are no message from that gateway.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Too short, or cut off.
    #[error("{0} bytes: too short for a sealed message")]
    Truncated(usize),
    /// Another version of the envelope.
    #[error("envelope version {found}; this side speaks {VERSION}")]
    UnknownVersion {
        /// What it says.
        found: u8,
    },
    /// The HMAC does not fit: sealed with another key, or altered on the way.
    #[error("not sealed with this gateway's key, or altered on the way")]
    WrongKey,
    /// Sealed with the right key, for another gateway or the other way.
    #[error("sealed as {found_way:?} of “{found}”, expected {way:?} of “{expected}”")]
    Misdirected {
        /// The gateway that it names.
        found: GatewayId,
        /// The way that it names.
        found_way: Way,
        /// The gateway that was expected.
        expected: GatewayId,
        /// The way that was expected.
        way: Way,
    },
    /// Authentic, but its content did not decode: the sender's programme is of another version.
    #[error("authentic, but its content is no message that this version knows")]
    BadContent,
}

/// Wraps a message.
#[must_use]
pub fn seal<M: Serialize>(key: &Key, header: &Header, message: &M) -> Vec<u8> {
    let bytes = vec![VERSION];
    let bytes = postcard::to_extend(header, bytes).expect("a Vec grows, and a header has no unsized parts");
    let mut bytes =
        postcard::to_extend(message, bytes).expect("a Vec grows, and our messages know their lengths");
    let tag = key.mac().chain_update(&bytes).finalize().into_bytes();
    bytes.extend_from_slice(&tag);
    bytes
}

/// Unwraps a message of `gateway` that goes `way`, sealed with its `key`. Freshness is the caller's to judge.
pub fn open<M: DeserializeOwned>(
    key: &Key,
    gateway: &GatewayId,
    way: Way,
    bytes: &[u8],
) -> Result<(Header, M), OpenError> {
    let (sealed, tag) = bytes.split_last_chunk::<TAG>().ok_or(OpenError::Truncated(bytes.len()))?;
    let (&version, content) = sealed.split_first().ok_or(OpenError::Truncated(bytes.len()))?;
    if version != VERSION {
        return Err(OpenError::UnknownVersion { found: version });
    }
    // Nothing is decoded before it is known to be authentic.
    key.mac().chain_update(sealed).verify_slice(tag).map_err(|_| OpenError::WrongKey)?;
    let (header, content): (Header, _) =
        postcard::take_from_bytes(content).map_err(|_| OpenError::BadContent)?;
    if header.gateway != *gateway || header.way != way {
        return Err(OpenError::Misdirected {
            found: header.gateway,
            found_way: header.way,
            expected: gateway.clone(),
            way,
        });
    }
    match postcard::take_from_bytes(content) {
        Ok((message, [])) => Ok((header, message)),
        Ok(_) | Err(_) => Err(OpenError::BadContent),
    }
}

/// Remembers how far a sender's messages of one [`Way`] have come: older ones and repetitions are stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    last: Option<(u64, u64)>,
}

impl Freshness {
    /// Everything up to this (life, count) has been seen.
    #[must_use]
    pub const fn after(life: u64, count: u64) -> Freshness {
        Freshness { last: Some((life, count)) }
    }

    /// Whether this message is newer than all before; if so, it is remembered.
    pub fn accepts(&mut self, header: &Header) -> bool {
        let this = (header.life, header.count);
        let fresh = self.last.is_none_or(|last| this > last);
        if fresh {
            self.last = Some(this);
        }
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Down, Session, StreamSeq};

    fn key() -> Key {
        Key::new([7; 32])
    }

    fn header(life: u64, count: u64) -> Header {
        Header { gateway: gateway(), way: Way::Down, life, count }
    }

    fn gateway() -> GatewayId {
        GatewayId::new("row-1").unwrap()
    }

    fn message() -> Down {
        Down::Ack { session: Session(3), upto: StreamSeq(99) }
    }

    fn opened(bytes: &[u8]) -> Result<(Header, Down), OpenError> {
        open(&key(), &gateway(), Way::Down, bytes)
    }

    #[test]
    fn a_sealed_message_opens_with_its_key_and_with_no_other() {
        let bytes = seal(&key(), &header(1, 2), &message());
        assert_eq!(opened(&bytes), Ok((header(1, 2), message())));
        let other = open::<Down>(&Key::new([8; 32]), &gateway(), Way::Down, &bytes);
        assert_eq!(other, Err(OpenError::WrongKey));
    }

    #[test]
    fn any_altered_byte_is_noticed() {
        let bytes = seal(&key(), &header(1, 2), &message());
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            assert!(opened(&altered).is_err(), "byte {at}");
        }
    }

    #[test]
    fn cut_off_and_foreign_bytes_say_what_they_are() {
        let bytes = seal(&key(), &header(1, 2), &message());
        assert_eq!(opened(&bytes[..20]), Err(OpenError::Truncated(20)));
        assert_eq!(opened(&bytes[..bytes.len() - 1]), Err(OpenError::WrongKey));
        assert_eq!(opened(&[9; 60]), Err(OpenError::UnknownVersion { found: 9 }));
    }

    #[test]
    fn what_went_down_cannot_be_played_back_up() {
        let bytes = seal(&key(), &header(1, 2), &message());
        let up = open::<Down>(&key(), &gateway(), Way::Up, &bytes);
        assert!(matches!(up, Err(OpenError::Misdirected { .. })), "{up:?}");
    }

    #[test]
    fn an_older_or_repeated_message_is_stale_and_a_later_life_is_fresh() {
        let mut freshness = Freshness::default();
        assert!(freshness.accepts(&header(1, 5)));
        assert!(!freshness.accepts(&header(1, 5)));
        assert!(!freshness.accepts(&header(1, 4)));
        assert!(freshness.accepts(&header(2, 0)));
        assert!(!freshness.accepts(&header(1, 6)));
    }

    #[test]
    fn the_hmac_is_the_one_of_rfc_4231() {
        // Test case 1 has a key of 20 bytes; HMAC pads keys with zeros up to the block, so 32 bytes do as well.
        let mut bytes = [0; 32];
        bytes[..20].fill(0x0b);
        let tag = Key::new(bytes).mac().chain_update(b"Hi There").finalize().into_bytes();
        assert_eq!(
            Key::new(tag.into()).to_hex(),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
    }

    #[test]
    fn a_key_reads_from_its_hex_and_says_nothing_in_debug() {
        assert_eq!(Key::from_hex(&key().to_hex()), Ok(key()));
        assert_eq!(Key::from_hex("07"), Err(BadKey));
        assert_eq!(Key::from_hex(&"zz".repeat(32)), Err(BadKey));
        assert_eq!(format!("{:?}", key()), "Key(…)");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            proptest::prop_assert!(opened(&bytes).is_err());
        }
    }
}
