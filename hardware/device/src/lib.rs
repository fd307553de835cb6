//! What a board and a clock do: scan, debounce, number, keep, count down. The logic of the firmware, without
//! hardware: no heap, no clock, no port. Firmware and simulator feed the same [`Device`].
//!
//! A shell calls [`Device::on_scan`], [`Device::on_lever`], [`Device::on_button`] and [`Device::on_bytes`] as
//! things happen, [`Device::poll`] when [`Device::poll_timeout`] says so, and after each of them sends what
//! [`Device::take_output`] gives. `now` is milliseconds of a free-running counter since the device started.
//!
//! It knows nothing of Xiangqi, of tables or of whose move it is.
//!
//! Not here yet: self-test and calibration of the sensors, keeping the ring over a power cut, and speaking only
//! when asked (RS-485; the address byte is honoured already).
#![cfg_attr(not(test), no_std)]

mod board;
mod clock;
mod commands;
mod debounce;
mod device;
mod field;
mod journal;
mod ring;

pub use debounce::DEBOUNCE;
pub use device::{Config, Device};
pub use field::{FieldScanner, Thresholds};
pub use journal::RING_BYTES;
