//! From magnetic field to colour, for boards with linear Hall sensors: polarity tells the side, and two thresholds
//! keep an off-centre piece from flickering.

use firmware_proto::{Cell, Reading};

/// Field strengths in microtesla, without sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// From here on a piece is seen …
    pub set: u16,
    /// … and down to here it stays seen. Must lie above the reversed side lobe of a piece on the next point
    /// (about 1.8 % of the field on its axis), or that piece reads as one of the other colour.
    pub release: u16,
}

impl Thresholds {
    /// For magnets of 12×3 to 15×3 mm, 12 to 15 mm below the surface.
    pub const REFERENCE: Thresholds = Thresholds { set: 3_900, release: 1_500 };
}

/// Turns field strengths into readings of [`firmware_proto::SensingKind::Colour`].
pub struct FieldScanner {
    thresholds: Thresholds,
    readings: [Reading; Cell::COUNT],
}

impl FieldScanner {
    const RED: Reading = Reading(1);
    const BLACK: Reading = Reading(2);

    /// Nothing seen yet.
    #[must_use]
    pub const fn new(thresholds: Thresholds) -> FieldScanner {
        FieldScanner { thresholds, readings: [Reading::EMPTY; Cell::COUNT] }
    }

    /// The readings for these fields in microtesla; positive is Red's polarity.
    pub fn read(&mut self, field: &[i16; Cell::COUNT]) -> &[Reading; Cell::COUNT] {
        for (reading, &field) in self.readings.iter_mut().zip(field) {
            let colour = if field > 0 { Self::RED } else { Self::BLACK };
            let threshold = if *reading == colour { self.thresholds.release } else { self.thresholds.set };
            *reading = if field.unsigned_abs() >= threshold { colour } else { Reading::EMPTY };
        }
        &self.readings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(fields: &[i16]) -> Vec<u8> {
        let mut scanner = FieldScanner::new(Thresholds::REFERENCE);
        fields.iter().map(|&field| scanner.read(&[field; Cell::COUNT])[0].0).collect()
    }

    #[test]
    fn polarity_tells_the_side() {
        assert_eq!(readings(&[0, 20_000, 0, -20_000]), [0, 1, 0, 2]);
    }

    #[test]
    fn a_piece_once_seen_stays_seen_down_to_the_release_threshold() {
        assert_eq!(readings(&[3_800, 4_000, 1_600, 3_800, 1_400, 3_800]), [0, 1, 1, 1, 0, 0]);
    }

    #[test]
    fn the_reversed_side_lobe_of_a_neighbour_is_no_piece_of_the_other_colour() {
        assert_eq!(readings(&[20_000, -670, 20_000, -1_050]), [1, 0, 1, 0]);
    }
}
