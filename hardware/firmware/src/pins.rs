//! Which pin is what. The table for people, which the emulated tests are wired by, is `hardware/board/pins.csv`.

use embassy_rp::Peri;
use embassy_rp::Peripherals;
use embassy_rp::gpio::AnyPin;
use embassy_rp::peripherals::{ADC, FLASH, PIN_0, PIN_1, PIN_26, PIN_27, PIN_28, UART0, WATCHDOG};

/// Rows of a board.
pub const ROWS: usize = 10;
/// Columns of a board.
pub const COLUMNS: usize = 9;
/// The columns are GPIOs in a row, of which this is the first.
pub const FIRST_COLUMN: usize = 13;
/// Analogue inputs of a board with linear Hall sensors.
pub const INPUTS: usize = 3;
/// Banks of as many strips as there are inputs.
pub const BANKS: usize = 4;

/// The line to the gateway.
pub struct LinePins {
    pub uart: Peri<'static, UART0>,
    pub tx: Peri<'static, PIN_0>,
    pub rx: Peri<'static, PIN_1>,
    /// Turns the driver of an RS-485 transceiver on, and its receiver off.
    pub drive: Peri<'static, AnyPin>,
}

/// A board of switches: rows pull low, columns are pulled up.
pub struct MatrixPins {
    pub rows: [Peri<'static, AnyPin>; ROWS],
}

/// A board of linear Hall sensors: a multiplexer on each of ten strips, in banks of three.
pub struct HallPins {
    pub adc: Peri<'static, ADC>,
    /// Which of a strip's points, lowest bit first.
    pub select: [Peri<'static, AnyPin>; 4],
    /// Which bank speaks; low enables.
    pub banks: [Peri<'static, AnyPin>; BANKS],
    pub in_0: Peri<'static, PIN_26>,
    pub in_1: Peri<'static, PIN_27>,
    pub in_2: Peri<'static, PIN_28>,
}

/// The columns, and the row that a clock's levers and buttons hang on.
pub struct ColumnPins {
    pub contacts: Peri<'static, AnyPin>,
    pub columns: [Peri<'static, AnyPin>; COLUMNS],
}

/// The lines of the clock's faces, which are rows of a matrix, or a select line and a bank. Their strobe is the row of
/// contacts.
pub struct FacePins {
    pub clock: Peri<'static, AnyPin>,
    pub data: Peri<'static, AnyPin>,
}

/// What every controller has.
pub struct Core {
    pub line: LinePins,
    pub columns: ColumnPins,
    pub flash: Peri<'static, FLASH>,
    pub watchdog: Peri<'static, WATCHDOG>,
}

/// The pins of a controller without sensors.
pub fn clock(p: Peripherals) -> (Core, FacePins) {
    let (core, [_, _, _, data, _, _, _, clock, ..], _) = core(p);
    (core, FacePins { clock, data })
}

/// The pins of a controller with a matrix of switches.
pub fn matrix(p: Peripherals) -> (Core, MatrixPins) {
    let (core, rows, _) = core(p);
    (core, MatrixPins { rows })
}

/// The pins of a controller with linear Hall sensors.
pub fn hall(p: Peripherals) -> (Core, HallPins) {
    let (core, [s0, s1, s2, s3, b0, b1, b2, b3, ..], (adc, in_0, in_1, in_2)) = core(p);
    let (select, banks) = ([s0, s1, s2, s3], [b0, b1, b2, b3]);
    (core, HallPins { adc, select, banks, in_0, in_1, in_2 })
}

type Analogue = (Peri<'static, ADC>, Peri<'static, PIN_26>, Peri<'static, PIN_27>, Peri<'static, PIN_28>);

/// GPIO 0 and 1: the line. 2 to 11: rows of a matrix, or select lines and banks. 12: the row of contacts. 13 to 21:
/// columns. 22: driver enable of RS-485. 26 to 28: analogue inputs.
fn core(p: Peripherals) -> (Core, [Peri<'static, AnyPin>; ROWS], Analogue) {
    let core = Core {
        line: LinePins { uart: p.UART0, tx: p.PIN_0, rx: p.PIN_1, drive: p.PIN_22.into() },
        columns: ColumnPins {
            contacts: p.PIN_12.into(),
            columns: [
                p.PIN_13.into(),
                p.PIN_14.into(),
                p.PIN_15.into(),
                p.PIN_16.into(),
                p.PIN_17.into(),
                p.PIN_18.into(),
                p.PIN_19.into(),
                p.PIN_20.into(),
                p.PIN_21.into(),
            ],
        },
        flash: p.FLASH,
        watchdog: p.WATCHDOG,
    };
    let rows = [
        p.PIN_2.into(),
        p.PIN_3.into(),
        p.PIN_4.into(),
        p.PIN_5.into(),
        p.PIN_6.into(),
        p.PIN_7.into(),
        p.PIN_8.into(),
        p.PIN_9.into(),
        p.PIN_10.into(),
        p.PIN_11.into(),
    ];
    (core, rows, (p.ADC, p.PIN_26, p.PIN_27, p.PIN_28))
}
