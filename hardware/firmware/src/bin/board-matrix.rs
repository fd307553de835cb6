//! A board of 90 switches: it senses where pieces stand.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use firmware::line::Kind;
use firmware::run::Program;
use firmware::{FIRMWARE, matrix, pins, run};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let (core, board) = pins::matrix(embassy_rp::init(embassy_rp::config::Config::default()));
    let program = Program { version: FIRMWARE, line: Kind::PointToPoint, clock: false };
    run::run(core, program, |_| matrix::Matrix::new(board)).await
}
