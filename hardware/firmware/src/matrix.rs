//! A board of 10 by 9 switches (reeds, or Hall switches with open drains), a diode at each.

use embassy_rp::gpio::{Level, Output};
use firmware_proto::{Cell, Reading, SensingKind};

use crate::contacts::Columns;
use crate::faces::FaceLines;
use crate::pins::{COLUMNS, MatrixPins, ROWS};
use crate::run::Sensors;

/// The rows; the columns are shared with the contacts.
pub struct Matrix {
    rows: [Output<'static>; ROWS],
}

impl Matrix {
    pub fn new(pins: MatrixPins) -> Matrix {
        Matrix { rows: pins.rows.map(|pin| Output::new(pin, Level::High)) }
    }
}

impl Sensors for Matrix {
    const KIND: Option<SensingKind> = Some(SensingKind::Occupancy);

    fn scan(&mut self, columns: &mut Columns, readings: &mut [Reading; Cell::COUNT]) {
        for (row, out) in self.rows.iter_mut().zip(readings.chunks_exact_mut(COLUMNS)) {
            let closed = columns.of_row(row);
            for (column, reading) in out.iter_mut().enumerate() {
                *reading = Reading((closed >> column & 1) as u8);
            }
        }
    }

    fn face_lines(&mut self) -> FaceLines<'_> {
        let [_, _, _, data, _, _, _, clock, _, _] = &mut self.rows;
        FaceLines { clock, data }
    }
}
