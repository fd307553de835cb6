//! A board of 90 linear Hall sensors and the clock beside it on one controller, on a line that many tables share
//! (RS-485).
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use firmware::line::Kind;
use firmware::{hall, pins, run};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let (core, board) = pins::hall(embassy_rp::init(embassy_rp::config::Config::default()));
    run::run(core, Kind::Shared, true, |calibration| hall::Hall::new(board, calibration)).await
}
