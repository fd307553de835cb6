//! Makes the file in which a firmware is handed to a gateway:
//!
//! ```text
//! arm-none-eabi-objcopy -O binary clock clock.bin
//! cargo run -p firmware-proto --features std --example firmware_file -- clock 2 clock.bin clock-2.firmware
//! ```
//!
//! The first word is the program of `hardware/firmware`, the second the version that it tells.

use std::process::ExitCode;
use std::{env, fs};

use firmware_proto::{Capabilities, Firmware, SensingKind, Target};

/// The hardware revision that `hardware/firmware` is for.
const HARDWARE: u16 = 1;

/// What a program of `hardware/firmware` is made for.
fn target(program: &str) -> Option<Target> {
    let (board, clock, shared_line) = match program {
        "board-hall" => (Some(SensingKind::Colour), false, false),
        "board-matrix" => (Some(SensingKind::Occupancy), false, false),
        "clock" => (None, true, false),
        "table-hall" => (Some(SensingKind::Colour), true, false),
        "table-matrix" => (Some(SensingKind::Occupancy), true, false),
        "table-hall-rs485" => (Some(SensingKind::Colour), true, true),
        _ => return None,
    };
    Some(Target { hardware: HARDWARE, capabilities: Capabilities { board, clock }, shared_line })
}

fn make([program, version, from, to]: [String; 4]) -> Result<(), String> {
    let target = target(&program).ok_or_else(|| format!("there is no program {program}"))?;
    let version = version.parse().map_err(|error| format!("version {version}: {error}"))?;
    let bytes = fs::read(&from).map_err(|error| format!("cannot read {from}: {error}"))?;
    let file = Firmware::of_bytes(target, version, &bytes).to_file(&bytes);
    fs::write(&to, file).map_err(|error| format!("cannot write {to}: {error}"))
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let made = <[String; 4]>::try_from(words)
        .map_err(|_| "usage: firmware_file PROGRAM VERSION BINARY FILE".to_owned())
        .and_then(make);
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
