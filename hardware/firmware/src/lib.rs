//! What runs on the microcontroller of a board, a clock or a whole table: an RP2040 (Raspberry Pi Pico).
//!
//! Everything that decides is in `device`, which is tested on the host; here are pins, peripherals and the loop that
//! moves bytes and readings between them and a [`device::Device`]. Which pin is what stands in [`pins`], nowhere
//! else; the binaries in `src/bin` say which sensors and which parts a controller has.
#![no_std]

pub mod contacts;
pub mod faces;
pub mod hall;
pub mod line;
pub mod matrix;
pub mod memory;
pub mod pins;
pub mod run;
pub mod storage;

use defmt_rtt as _;
use panic_probe as _;

/// The version that a greeting tells: raised with every release.
pub const FIRMWARE: u32 = 1;

/// The hardware revision that these pins belong to.
pub const HARDWARE: u16 = 1;
