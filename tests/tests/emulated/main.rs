//! The firmware's own ELF files on emulated RP2040s: eight tables of them play whole games into a real server through a
//! real gateway, and single controllers are cut, reset and updated on the bench. `tests/run firmware` builds and installs
//! what this needs.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod controller;
mod faces;
mod power;
mod shared;
mod tables;
mod through_gateway;
mod update;
#[path = "../venue/mod.rs"]
mod venue;

use std::path::{Path, PathBuf};

/// The emulator and the folder of the ELF files; `None`, said loudly: something is missing.
fn firmware() -> Option<(PathBuf, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let emulator = root.join("hardware/emulator/main.mjs");
    let elf = std::env::var_os("CHUHE_FIRMWARE").map(PathBuf::from);
    let installed = root.join("hardware/emulator/node_modules/rp2040js").exists();
    let there = elf.filter(|elf| installed && elf.join("board-hall").exists());
    if there.is_none() {
        eprintln!(
            "SKIPPED: emulated firmware: CHUHE_FIRMWARE or the emulator is missing; tests/run firmware has both"
        );
    }
    Some((emulator, there?))
}
