//! A board of linear Hall sensors: ten strips of nine, an analogue multiplexer on each, all on one bus.

use device::{Calibration, FieldScanner, Thresholds};
use embassy_rp::adc::{Adc, Blocking, Channel, Config};
use embassy_rp::gpio::{Level, Output, Pull};
use firmware_proto::{Cell, Reading, SensingKind};

use crate::contacts::Columns;
use crate::faces::FaceLines;
use crate::pins::{BANKS, COLUMNS, HallPins, INPUTS};
use crate::run::Sensors;

/// A multiplexer's output has settled after so many cycles of 8 ns: four multiplexers and half a metre of flat cable
/// are some 250 pF behind 200 Ohm, the switching itself takes below 0.3 us.
const SETTLE: u32 = 250;

/// Select lines, banks and the converter.
pub struct Hall {
    adc: Adc<'static, Blocking>,
    inputs: [Channel<'static>; INPUTS],
    select: [Output<'static>; 4],
    banks: [Output<'static>; BANKS],
    scanner: FieldScanner,
    samples: [u16; Cell::COUNT],
}

impl Hall {
    pub fn new(pins: HallPins, calibration: Calibration) -> Hall {
        Hall {
            adc: Adc::new_blocking(pins.adc, Config::default()),
            inputs: [
                Channel::new_pin(pins.in_0, Pull::None),
                Channel::new_pin(pins.in_1, Pull::None),
                Channel::new_pin(pins.in_2, Pull::None),
            ],
            select: pins.select.map(|pin| Output::new(pin, Level::Low)),
            banks: pins.banks.map(|pin| Output::new(pin, Level::High)),
            scanner: FieldScanner::new(Thresholds::REFERENCE, calibration),
            samples: [0; Cell::COUNT],
        }
    }
}

impl Sensors for Hall {
    const KIND: Option<SensingKind> = Some(SensingKind::Colour);

    fn scan(&mut self, _: &mut Columns, readings: &mut [Reading; Cell::COUNT]) {
        for (bank, enable) in self.banks.iter_mut().enumerate() {
            enable.set_low();
            for way in 0..COLUMNS {
                for (bit, line) in self.select.iter_mut().enumerate() {
                    line.set_level(Level::from(way >> bit & 1 == 1));
                }
                cortex_m::asm::delay(SETTLE);
                for (input, channel) in self.inputs.iter_mut().enumerate() {
                    let strip = bank * INPUTS + input;
                    // The last bank has one strip. A conversion that failed leaves the last sample.
                    if let Some(sample) = self.samples.get_mut(strip * COLUMNS + way)
                        && let Ok(value) = self.adc.blocking_read(channel)
                    {
                        *sample = value;
                    }
                }
            }
            enable.set_high();
        }
        *readings = *self.scanner.read(&self.samples);
    }

    /// The clock's line enables a bank that nobody reads meanwhile.
    fn face_lines(&mut self) -> FaceLines<'_> {
        let [_, _, _, data] = &mut self.select;
        let [_, _, _, clock] = &mut self.banks;
        FaceLines { clock, data }
    }

    fn fields(&self) -> Option<&[u16; Cell::COUNT]> {
        Some(self.scanner.fields())
    }

    fn calibrate(&mut self) -> Option<Calibration> {
        let calibration = Calibration::of_empty_board(self.samples);
        self.scanner = FieldScanner::new(Thresholds::REFERENCE, calibration.clone());
        Some(calibration)
    }
}
