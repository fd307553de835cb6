//! A clock: two levers, six buttons.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use firmware::line::Kind;
use firmware::{pins, run};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let core = pins::clock(embassy_rp::init(embassy_rp::config::Config::default()));
    run::run(core, Kind::PointToPoint, true, |_| run::NoSensors).await
}
