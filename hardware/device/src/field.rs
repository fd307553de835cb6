//! From samples of linear Hall sensors to colour: calibration takes each sensor's own zero away, polarity tells the
//! side, and two thresholds keep an off-centre piece from flickering.

use firmware_proto::{Cell, Reading};

/// What a converter of 12 bits gives for no field, at half the supply, before anybody calibrated.
const HALF_SCALE: u16 = 2_048;

/// How a converter's steps become microtesla.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// What each cell's sensor gives without a piece.
    pub zero: [u16; Cell::COUNT],
    /// Microtesla per step.
    pub scale: u16,
}

impl Calibration {
    /// A sensor of 11 mV/mT (49E class) on a converter of 4,096 steps over 3.3 V: 0.806 mV a step.
    pub const SCALE: u16 = 73;

    /// From samples of the empty board; the usual scale.
    #[must_use]
    pub const fn of_empty_board(samples: [u16; Cell::COUNT]) -> Calibration {
        Calibration { zero: samples, scale: Self::SCALE }
    }

    /// The field at a cell that gave this sample, in microtesla; positive is Red's polarity. Saturates at 32.7 mT,
    /// which is far above any threshold.
    #[must_use]
    pub fn field(&self, cell: Cell, sample: u16) -> i16 {
        let steps = i32::from(sample) - i32::from(self.zero[cell.index()]);
        let field = steps * i32::from(self.scale);
        field.clamp(i16::MIN.into(), i16::MAX.into()) as i16
    }
}

/// A board that was never calibrated.
impl Default for Calibration {
    fn default() -> Calibration {
        Calibration::of_empty_board([HALF_SCALE; Cell::COUNT])
    }
}

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

/// Turns samples into readings of [`firmware_proto::SensingKind::Colour`].
pub struct FieldScanner {
    thresholds: Thresholds,
    calibration: Calibration,
    readings: [Reading; Cell::COUNT],
    fields: [u16; Cell::COUNT],
}

impl FieldScanner {
    const RED: Reading = Reading(1);
    const BLACK: Reading = Reading(2);

    /// Nothing seen yet.
    #[must_use]
    pub const fn new(thresholds: Thresholds, calibration: Calibration) -> FieldScanner {
        FieldScanner {
            thresholds,
            calibration,
            readings: [Reading::EMPTY; Cell::COUNT],
            fields: [0; Cell::COUNT],
        }
    }

    /// The readings for these samples.
    pub fn read(&mut self, samples: &[u16; Cell::COUNT]) -> &[Reading; Cell::COUNT] {
        for cell in Cell::all() {
            let field = self.calibration.field(cell, samples[cell.index()]);
            self.fields[cell.index()] = field.unsigned_abs();
            let reading = &mut self.readings[cell.index()];
            let colour = if field > 0 { Self::RED } else { Self::BLACK };
            let threshold = if *reading == colour { self.thresholds.release } else { self.thresholds.set };
            *reading = if field.unsigned_abs() >= threshold { colour } else { Reading::EMPTY };
        }
        &self.readings
    }

    /// How strong the fields of the last samples were, microtesla without sign.
    #[must_use]
    pub const fn fields(&self) -> &[u16; Cell::COUNT] {
        &self.fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings of a cell whose sensor is off by some steps, for these fields in microtesla.
    fn readings(fields: &[i32]) -> Vec<u8> {
        let calibration = Calibration { zero: [2_100; Cell::COUNT], scale: 50 };
        let mut scanner = FieldScanner::new(Thresholds::REFERENCE, calibration);
        let sample = |field: i32| (2_100 + field / 50) as u16;
        fields.iter().map(|&field| scanner.read(&[sample(field); Cell::COUNT])[0].0).collect()
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
        assert_eq!(readings(&[20_000, -650, 20_000, -1_050]), [1, 0, 1, 0]);
    }

    #[test]
    fn a_field_beyond_what_two_bytes_hold_saturates_with_its_sign() {
        let calibration = Calibration::default();
        let cell = Cell::new(0).unwrap();
        assert_eq!((calibration.field(cell, 4_095), calibration.field(cell, 0)), (i16::MAX, i16::MIN));
    }
}
