//! The flash behind the program: what a device keeps over a power cut, its records among it, and the parts that firmware
//! lies in.

use core::cell::RefCell;

use device::{Layout, Slots};
use embassy_embedded_hal::adapter::BlockingAsync;
use embassy_embedded_hal::flash::partition::BlockingPartition;
use embassy_rp::Peri;
use embassy_rp::flash::{Blocking, Flash};
use embassy_rp::peripherals::FLASH;
use embassy_sync::blocking_mutex::Mutex;
use embassy_sync::blocking_mutex::raw::NoopRawMutex;
use firmware_proto::DeviceUid;
use static_cell::StaticCell;

use crate::memory::{CHANGES, COMING, FLASH_SIZE, FORMER, KEPT, RUNNING, SPILLED};

type Chip = Flash<'static, FLASH, Blocking, FLASH_SIZE>;
type Whole = BlockingPartition<'static, NoopRawMutex, Chip>;

/// What a device keeps, in this controller's flash.
pub type Kept = device::Keep<BlockingAsync<Whole>>;

/// The log of records.
pub type Spill = device::Spill<Whole>;

/// The updates of this controller.
pub type Updates = device::Updates<Whole>;

/// Where each part of the flash lies that firmware lies in.
pub const LAYOUT: Layout = Layout { running: RUNNING, coming: COMING, former: FORMER, log: CHANGES };

/// What lies in the flash.
pub struct Storage {
    /// The number for life of this controller: its flash chip's.
    pub uid: DeviceUid,
    pub kept: Kept,
    pub spill: Spill,
    pub slots: Slots<Whole>,
}

/// Opens it.
pub fn open(flash: Peri<'static, FLASH>) -> Storage {
    static SHARED: StaticCell<Mutex<NoopRawMutex, RefCell<Chip>>> = StaticCell::new();
    let mut flash = Flash::new_blocking(flash);
    let mut uid = [0; 8];
    if let Err(error) = flash.blocking_unique_id(&mut uid) {
        // Number 0 is refused by every gateway's owner who reads his log; nothing better is left to do.
        defmt::error!("the flash chip does not tell its number: {}", error);
    }
    let shared = SHARED.init(Mutex::new(RefCell::new(flash)));
    let whole = BlockingPartition::new(shared, 0, FLASH_SIZE as u32);
    Storage {
        uid: DeviceUid(u64::from_be_bytes(uid)),
        kept: device::Keep::new(BlockingAsync::new(whole.clone()), KEPT),
        spill: device::Spill::new(whole.clone(), SPILLED),
        slots: Slots::new(whole, LAYOUT),
    }
}
