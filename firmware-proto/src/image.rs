//! What a board senses: one reading for each of its 90 cells, in the terms of its kind.

use serde::{Deserialize, Serialize};

use crate::Cell;

/// What a board can tell of a piece that stands on a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SensingKind {
    /// That there is one (reed or Hall switches): readings 0 empty, 1 a piece.
    Occupancy,
    /// Whose it is (magnets of two polarities, the reference board): 0 empty, 1 Red, 2 Black.
    Colour,
    /// Side and role: 0 empty, 1..=7 Red and 8..=14 Black, in the order king, advisor, elephant, horse, chariot,
    /// cannon, soldier.
    Type,
    /// Which of the 32 it is: 0 empty, 1..=32.
    Identity,
}

impl SensingKind {
    /// The highest reading of this kind.
    #[must_use]
    pub const fn max_reading(self) -> u8 {
        match self {
            SensingKind::Occupancy => 1,
            SensingKind::Colour => 2,
            SensingKind::Type => 14,
            SensingKind::Identity => 32,
        }
    }

    /// Bits that one reading takes in a packed image.
    #[must_use]
    pub const fn bits(self) -> u8 {
        match self {
            SensingKind::Occupancy => 1,
            SensingKind::Colour => 2,
            SensingKind::Type => 4,
            SensingKind::Identity => 6,
        }
    }
}

/// What one cell shows, in the terms of the board's [`SensingKind`]; 0 is empty for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reading(pub u8);

impl Reading {
    /// No piece.
    pub const EMPTY: Reading = Reading(0);

    /// Whether there is no piece.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The readings of all 90 cells at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Image {
    kind: SensingKind,
    cells: [Reading; Cell::COUNT],
}

/// Why bytes are no image, or a reading does not belong into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The packed form has another length than its kind demands.
    #[error("an image of this kind has {expected} bytes, not {found}")]
    Length {
        /// Bytes that the kind demands.
        expected: usize,
        /// Bytes that were there.
        found: usize,
    },
    /// A reading above the kind's highest.
    #[error("cell {cell}: reading {reading} is above this kind's highest")]
    Reading {
        /// The cell's number.
        cell: u8,
        /// What it claims to show.
        reading: u8,
    },
}

impl Image {
    /// Bytes of the largest packed image (identity).
    pub const MAX_PACKED: usize = 68;

    /// An empty board.
    #[must_use]
    pub const fn empty(kind: SensingKind) -> Image {
        Image { kind, cells: [Reading::EMPTY; Cell::COUNT] }
    }

    /// In whose terms the readings are.
    #[must_use]
    pub const fn kind(&self) -> SensingKind {
        self.kind
    }

    /// What a cell shows.
    #[must_use]
    pub const fn at(&self, cell: Cell) -> Reading {
        self.cells[cell.index()]
    }

    /// Sets what a cell shows. Readings above the kind's highest are refused.
    pub fn set(&mut self, cell: Cell, reading: Reading) -> Result<(), ImageError> {
        if reading.0 > self.kind.max_reading() {
            return Err(ImageError::Reading { cell: cell.into(), reading: reading.0 });
        }
        self.cells[cell.index()] = reading;
        Ok(())
    }

    /// Bytes of a packed image of this kind.
    #[must_use]
    pub const fn packed_len(kind: SensingKind) -> usize {
        (Cell::COUNT * kind.bits() as usize).div_ceil(8)
    }

    /// Packs the readings, lowest cell in the lowest bits, into `out`; returns how many bytes were used.
    pub fn pack(&self, out: &mut [u8; Self::MAX_PACKED]) -> usize {
        out.fill(0);
        let bits = usize::from(self.kind.bits());
        for (index, reading) in self.cells.iter().enumerate() {
            for bit in 0..bits {
                if reading.0 >> bit & 1 == 1 {
                    let at = index * bits + bit;
                    out[at / 8] |= 1 << (at % 8);
                }
            }
        }
        Self::packed_len(self.kind)
    }

    /// Reads what [`Image::pack`] wrote.
    pub fn unpack(kind: SensingKind, bytes: &[u8]) -> Result<Image, ImageError> {
        let expected = Self::packed_len(kind);
        if bytes.len() != expected {
            return Err(ImageError::Length { expected, found: bytes.len() });
        }
        let bits = usize::from(kind.bits());
        let mut image = Image::empty(kind);
        for cell in Cell::all() {
            let mut reading = 0;
            for bit in 0..bits {
                let at = cell.index() * bits + bit;
                reading |= (bytes[at / 8] >> (at % 8) & 1) << bit;
            }
            image.set(cell, Reading(reading))?;
        }
        Ok(image)
    }
}

/// On the wire an image is its kind and its packed readings.
impl Serialize for Image {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut packed = [0; Self::MAX_PACKED];
        let used = self.pack(&mut packed);
        (self.kind, Packed(&packed[..used])).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Image {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Image, D::Error> {
        let (kind, PackedBuf { bytes, used }) = Deserialize::deserialize(deserializer)?;
        Image::unpack(kind, &bytes[..used]).map_err(serde::de::Error::custom)
    }
}

struct Packed<'a>(&'a [u8]);

impl Serialize for Packed<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

struct PackedBuf {
    bytes: [u8; Image::MAX_PACKED],
    used: usize,
}

impl<'de> Deserialize<'de> for PackedBuf {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<PackedBuf, D::Error> {
        struct Bytes;
        impl<'de> serde::de::Visitor<'de> for Bytes {
            type Value = PackedBuf;
            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("the packed readings of 90 cells")
            }
            fn visit_bytes<E: serde::de::Error>(self, found: &[u8]) -> Result<PackedBuf, E> {
                let mut buf = PackedBuf { bytes: [0; Image::MAX_PACKED], used: found.len() };
                let Some(room) = buf.bytes.get_mut(..found.len()) else {
                    return Err(E::invalid_length(found.len(), &self));
                };
                room.copy_from_slice(found);
                Ok(buf)
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<PackedBuf, A::Error> {
                let mut buf = PackedBuf { bytes: [0; Image::MAX_PACKED], used: 0 };
                while let Some(byte) = seq.next_element()? {
                    let Some(room) = buf.bytes.get_mut(buf.used) else {
                        return Err(serde::de::Error::invalid_length(buf.used + 1, &self));
                    };
                    *room = byte;
                    buf.used += 1;
                }
                Ok(buf)
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_image_reads_back_whatever_its_kind() {
        for kind in [SensingKind::Occupancy, SensingKind::Colour, SensingKind::Type, SensingKind::Identity] {
            let mut image = Image::empty(kind);
            for cell in Cell::all() {
                image.set(cell, Reading(cell.index() as u8 % (kind.max_reading() + 1))).unwrap();
            }
            let mut packed = [0; Image::MAX_PACKED];
            let used = image.pack(&mut packed);
            assert_eq!(Image::unpack(kind, &packed[..used]), Ok(image));
        }
    }

    #[test]
    fn a_reading_above_the_kinds_highest_is_refused() {
        let cell = Cell::new(7).unwrap();
        let refused = Image::empty(SensingKind::Colour).set(cell, Reading(3));
        assert_eq!(refused, Err(ImageError::Reading { cell: 7, reading: 3 }));
    }
}
