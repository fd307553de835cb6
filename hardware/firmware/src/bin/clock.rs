//! A clock: two levers, six buttons.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use firmware::{pins, run};

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let core = pins::clock(embassy_rp::init(embassy_rp::config::Config::default()));
    run::run(core, true, |_| run::NoSensors).await
}
