//! The columns of the matrix, and the row of it that a clock's levers and buttons hang on.

use embassy_rp::gpio::{Input, Level, Output, Pull};
use embassy_rp::pac::SIO;

use crate::pins::{COLUMNS, ColumnPins, FIRST_COLUMN};

/// A line that was just pulled has settled after so many cycles of 8 ns: with 4.7 kOhm and a metre of cable the time
/// constant is below 0.5 us.
const SETTLE: u32 = 250;

/// Columns, pulled up: a closed switch on the row that is low pulls its column low.
pub struct Columns {
    contacts: Output<'static>,
    /// Keeps the pins inputs; all of them are read at once.
    _columns: [Input<'static>; COLUMNS],
}

impl Columns {
    pub fn new(pins: ColumnPins) -> Columns {
        Columns {
            contacts: Output::new(pins.contacts, Level::High),
            _columns: pins.columns.map(|pin| Input::new(pin, Pull::Up)),
        }
    }

    /// Which contacts of the clock are closed: bit n is `device::Contact::ALL[n]`.
    pub fn contacts(&mut self) -> u8 {
        (pulled(&mut self.contacts) & 0xff) as u8
    }

    /// The row of contacts itself: while it is low, the clock's faces listen.
    pub fn contacts_row(&mut self) -> &mut Output<'static> {
        &mut self.contacts
    }

    /// Which switches of a row are closed: bit n is column n.
    pub fn of_row(&self, row: &mut Output<'static>) -> u16 {
        pulled(row)
    }
}

fn pulled(row: &mut Output<'static>) -> u16 {
    row.set_low();
    cortex_m::asm::delay(SETTLE);
    let inputs = SIO.gpio_in(0).read();
    row.set_high();
    (!inputs >> FIRST_COLUMN) as u16 & ((1 << COLUMNS) - 1)
}
