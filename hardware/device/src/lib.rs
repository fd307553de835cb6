//! What a board and a clock do: scan, debounce, number, keep, count down. The logic of the firmware, without
//! hardware: no heap, no clock, no port. Firmware and simulator feed the same [`Device`].
//!
//! A shell calls [`Device::on_scan`], [`Device::on_contacts`] (or [`Device::on_lever`] and [`Device::on_button`], if it
//! knows already what a contact meant) and [`Device::on_bytes`] as things happen, [`Device::poll`] when [`Device::poll_timeout`] says so, and after each of them sends what
//! [`Device::take_output`] gives. `now` is milliseconds of a free-running counter since the device started.
//!
//! It knows nothing of Xiangqi, of tables or of whose move it is.
//!
//! What must outlive a power cut lies in [`Keep`]; [`Device::take_clock_to_keep`] says what to put there. Records that
//! nobody has acknowledged outlive it in a [`Spill`].
//!
//! On a line that it shares with others (RS-485) a [`SharedLink`] stands between the line and the device.
#![cfg_attr(not(test), no_std)]

#[cfg(any(test, feature = "model-flash"))]
extern crate alloc;

mod activity;
mod board;
mod clock;
mod commands;
mod contacts;
mod debounce;
mod device;
mod field;
mod journal;
mod keep;
#[cfg(any(test, feature = "model-flash"))]
pub mod model_flash;
mod ring;
mod shared;
mod shown;
mod spill;
mod strength;
mod update;
mod walk;

pub use contacts::Contact;
pub use debounce::DEBOUNCE;
pub use device::{Config, Device, LOW_SUPPLY};
pub use field::{Calibration, FieldScanner, Thresholds};
pub use journal::RING_BYTES;
pub use keep::{CLOCK_WORDS, FlashFailed, Keep, KeptClock};
pub use shared::SharedLink;
pub use shown::{ShownTime, Sign};
pub use spill::Spill;
pub use update::{Layout, Slots, TRIAL, Updates, prepare_boot};
