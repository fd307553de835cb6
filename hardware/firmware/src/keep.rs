//! The end of the flash, where a device keeps what must outlive a power cut.

use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_rp::Peri;
use embassy_rp::flash::{Blocking, Flash};
use embassy_rp::peripherals::FLASH;
use firmware_proto::DeviceUid;

/// The whole flash of a Pico; `memory.x` leaves its last 256 KiB alone.
const FLASH_SIZE: usize = 2 * 1024 * 1024;

/// Where a device keeps things.
pub const RANGE: core::ops::Range<u32> = FLASH_SIZE as u32 - 256 * 1024..FLASH_SIZE as u32;

/// What a device keeps, in this controller's flash.
pub type Kept = device::Keep<BlockingAsync<Flash<'static, FLASH, Blocking, FLASH_SIZE>>>;

/// The number for life of this controller (its flash chip's), and what it keeps.
pub fn open(flash: Peri<'static, FLASH>) -> (DeviceUid, Kept) {
    let mut flash = Flash::new_blocking(flash);
    let mut uid = [0; 8];
    if let Err(error) = flash.blocking_unique_id(&mut uid) {
        // Number 0 is refused by every gateway's owner who reads his log; nothing better is left to do.
        defmt::error!("the flash chip does not tell its number: {}", error);
    }
    (DeviceUid(u64::from_be_bytes(uid)), device::Keep::new(BlockingAsync::new(flash), RANGE))
}
