//! A board of 90 linear Hall sensors and the clock beside it on one controller, on a line that many tables share
//! (RS-485).
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use firmware::line::Kind;
use firmware::run::Program;
use firmware::{FIRMWARE, hall, pins, run};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let (core, board) = pins::hall(embassy_rp::init(embassy_rp::config::Config::default()));
    let program = Program { version: FIRMWARE, line: Kind::Shared, clock: true };
    run::run(core, program, |calibration| hall::Hall::new(board, calibration)).await
}
