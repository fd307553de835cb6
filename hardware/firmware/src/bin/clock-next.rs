//! The clock as its next release would be, for trying updates: it tells another version.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use firmware::line::Kind;
use firmware::run::Program;
use firmware::{FIRMWARE, pins, run};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let (core, faces) = pins::clock(embassy_rp::init(embassy_rp::config::Config::default()));
    let program = Program { version: FIRMWARE + 1, line: Kind::PointToPoint, clock: true };
    run::run(core, program, |_| run::NoSensors::new(faces)).await
}
