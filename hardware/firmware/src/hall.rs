//! A board of linear Hall sensors behind six analogue multiplexers: cell n is input n % 16 of multiplexer n / 16.

use device::{Calibration, FieldScanner, Thresholds};
use embassy_rp::adc::{Adc, Blocking, Channel, Config};
use embassy_rp::gpio::{Level, Output, Pull};
use firmware_proto::{Cell, Reading, SensingKind};

use crate::contacts::Columns;
use crate::pins::{HallPins, INPUTS};
use crate::run::Sensors;

/// A multiplexer's output has settled after so many cycles of 8 ns (CD74HC4067: below 1 us into an ADC's input).
const SETTLE: u32 = 250;

/// Inputs of one multiplexer.
const WAYS: usize = 16;

/// Select lines, banks and the converter.
pub struct Hall {
    adc: Adc<'static, Blocking>,
    inputs: [Channel<'static>; INPUTS],
    select: [Output<'static>; 4],
    banks: [Output<'static>; 2],
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
            for way in 0..WAYS {
                for (bit, line) in self.select.iter_mut().enumerate() {
                    line.set_level(Level::from(way >> bit & 1 == 1));
                }
                cortex_m::asm::delay(SETTLE);
                for (input, channel) in self.inputs.iter_mut().enumerate() {
                    let cell = (bank * INPUTS + input) * WAYS + way;
                    // The last multiplexer has six inputs to spare. A conversion that failed leaves the last sample.
                    if let Some(sample) = self.samples.get_mut(cell)
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

    fn calibrate(&mut self) -> Option<Calibration> {
        let calibration = Calibration::of_empty_board(self.samples);
        self.scanner = FieldScanner::new(Thresholds::REFERENCE, calibration.clone());
        Some(calibration)
    }
}
