//! Another firmware for this device: taken over the line beside the one that runs, tried, kept or given back.
//!
//! Four parts of a flash: the firmware that *runs*, the one that is *coming*, the *former* one, and the [`log`] of how
//! far a change of them is. [`Updates`] is the running firmware's side: it takes the new bytes and asks for a trial. What
//! changes firmware is [`prepare_boot`], which the boot stage calls before it starts what runs. No part is overwritten
//! before another one holds the same bytes and the log says so. So whatever instant the power goes at, also in
//! the middle of an erasure, the next start finds a whole firmware to run (a test cuts at every write, over many seeds).

mod boot;
mod log;
mod slots;
mod updates;

#[cfg(test)]
mod tests;

pub use boot::prepare_boot;
pub use slots::{Layout, Slots};
pub use updates::{TRIAL, Updates};
