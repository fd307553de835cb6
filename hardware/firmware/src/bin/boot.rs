//! The boot stage: brings a change of firmware to its end, then starts the firmware that runs, watched.
#![no_std]
#![no_main]

use device::{Slots, prepare_boot};
use embassy_boot_rp::{BootLoader, State, WatchdogFlash};
use firmware::memory::{FLASH_ORIGIN, FLASH_SIZE, RUNNING};
use firmware::run::PATIENCE;
use firmware::storage::LAYOUT;

#[cortex_m_rt::entry]
fn main() -> ! {
    let p = embassy_rp::init(embassy_rp::config::Config::default());
    // Fed with each piece of work on the flash. From here on a firmware that hangs is reset, on trial or not.
    let flash = WatchdogFlash::<FLASH_SIZE>::start(p.FLASH, p.WATCHDOG, PATIENCE);
    if prepare_boot(&mut Slots::new(flash, LAYOUT)).is_err() {
        defmt::error!("the flash fails; the watchdog starts this anew");
        loop {
            cortex_m::asm::nop();
        }
    }
    // SAFETY: at this place lies a firmware that was linked to it: burnt in the workshop, or checked by its sum.
    unsafe { BootLoader::<4096> { state: State::Boot }.load(FLASH_ORIGIN + RUNNING.start) }
}
