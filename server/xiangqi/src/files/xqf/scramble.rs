//! The keys of scrambled XQF files.

use super::PLAIN;

/// What the bytes of an XQF file have to be changed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    /// Added to the squares of the pieces, and their order turned by one more.
    pub(super) pieces: u8,
    /// Added to the squares that moves come from and go to.
    pub(super) squares: [u8; 2],
    /// Added to the lengths of comments.
    pub(super) length: u32,
    /// Added to the bytes of the tree, over and over.
    stream: [u8; 32],
    /// Whether the order of the pieces is turned.
    turned: bool,
}

/// The text that the stream is cut from.
const MASK: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

impl Keys {
    /// The keys that the bytes 2 to 15 of a file speak of.
    pub(super) fn new(header: &[u8; 16]) -> Keys {
        let version = header[2];
        if version <= PLAIN {
            return Keys::default();
        }
        let &[_, _, _, mask, _, _, _, _, or @ ..] = header;
        let [or_a, or_b, or_c, or_d, sum, pieces, from, to] = or;
        let key = |byte: u8, base: u8| {
            byte.wrapping_mul(byte).wrapping_mul(54).wrapping_add(221).wrapping_mul(base)
        };
        let piece_key = key(pieces, pieces);
        let from_key = key(from, piece_key);
        let to_key = key(to, from_key);
        let bytes = [(sum & mask) | or_a, (pieces & mask) | or_b, (from & mask) | or_c, (to & mask) | or_d];
        Keys {
            pieces: piece_key,
            squares: [from_key, to_key],
            length: u32::from(u16::from_be_bytes([sum, pieces]) % 32000) + 767,
            stream: core::array::from_fn(|i| MASK[i] & bytes[i % 4]),
            turned: version >= 12,
        }
    }

    /// Where in the order of the pieces the `i`-th of the file belongs.
    pub(super) fn place(&self, i: usize) -> usize {
        if self.turned { (usize::from(self.pieces) + 1 + i) % 32 } else { i }
    }

    /// The tree in the clear.
    pub(super) fn unscramble(&self, tree: &[u8]) -> Vec<u8> {
        tree.iter().zip(self.stream.iter().cycle()).map(|(byte, key)| byte.wrapping_sub(*key)).collect()
    }
}
