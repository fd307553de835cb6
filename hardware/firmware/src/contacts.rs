//! The columns of the matrix, and the row of it that a clock's levers and buttons hang on.

use embassy_rp::gpio::{Input, Level, Output, Pull};

use crate::pins::{COLUMNS, ColumnPins};

/// A line that was just pulled has settled after so many cycles of 8 ns: cable, pull-up and input together are a
/// time constant below 2 us.
const SETTLE: u32 = 625;

/// Columns, pulled up: a closed switch on the row that is low pulls its column low.
pub struct Columns {
    contacts: Output<'static>,
    columns: [Input<'static>; COLUMNS],
}

impl Columns {
    pub fn new(pins: ColumnPins) -> Columns {
        Columns {
            contacts: Output::new(pins.contacts, Level::High),
            columns: pins.columns.map(|pin| Input::new(pin, Pull::Up)),
        }
    }

    /// Which contacts of the clock are closed: bit n is `device::Contact::ALL[n]`.
    pub fn contacts(&mut self) -> u8 {
        let closed = pulled(&mut self.contacts, &self.columns);
        let mut bits = 0;
        for (bit, closed) in closed.iter().take(8).enumerate() {
            bits |= u8::from(*closed) << bit;
        }
        bits
    }

    /// Which switches of a row are closed.
    pub fn of_row(&self, row: &mut Output<'static>) -> [bool; COLUMNS] {
        pulled(row, &self.columns)
    }
}

fn pulled(row: &mut Output<'static>, columns: &[Input<'static>; COLUMNS]) -> [bool; COLUMNS] {
    row.set_low();
    cortex_m::asm::delay(SETTLE);
    let closed = columns.each_ref().map(Input::is_low);
    row.set_high();
    closed
}
