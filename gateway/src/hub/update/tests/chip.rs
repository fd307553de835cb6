//! A controller as its firmware runs it, with a flash that outlives its resets: the device's own code, and images
//! whose first byte says how they behave.

use std::cell::RefCell;
use std::rc::Rc;

use device::{Config, Device, Layout, SharedLink, Slots, Updates, prepare_boot};
use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, BootId, Capabilities, DeviceUid, Firmware, Half, MAX_FRAME, Millis, PlayerSignal, ResetCause,
    Target,
};

/// A unit of erasure.
const UNIT: u32 = 256;
const PART: u32 = 24 * UNIT;

/// The flash says nothing and hears nothing while it erases.
const ERASURE: u64 = 45;

/// From a reset to the first word.
const START: u64 = 300;

/// The watchdog bites after this.
const WATCHDOG: u64 = 8_000;

/// How an image behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaves {
    Well = 0,
    /// It hangs as soon as it starts.
    Hangs = 1,
    /// It hears nobody: it never proves itself.
    Deaf = 2,
}

/// An image of some kilobytes, and what it is.
pub fn image(version: u8, behaves: Behaves, shared_line: bool) -> (Firmware, Vec<u8>) {
    let mut bytes: Vec<u8> = (0..4_001_u32).map(|at| (at.wrapping_mul(31) >> 3) as u8 ^ version).collect();
    bytes[..2].copy_from_slice(&[behaves as u8, version]);
    (Firmware::of_bytes(target(shared_line), version.into(), &bytes), bytes)
}

pub fn target(shared_line: bool) -> Target {
    Target { hardware: 1, capabilities: Capabilities { board: None, clock: true }, shared_line }
}

fn layout() -> Layout {
    Layout {
        running: 0..PART,
        coming: PART..2 * PART,
        former: 2 * PART..3 * PART,
        log: 3 * PART..3 * PART + 2 * UNIT,
    }
}

/// A flash in memory, and how many units were erased.
#[derive(Clone)]
struct Flash(Rc<RefCell<(Vec<u8>, u64)>>);

impl ErrorType for Flash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        bytes.copy_from_slice(&self.0.borrow().0[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.0.borrow().0.len()
    }
}

impl NorFlash for Flash {
    const WRITE_SIZE: usize = 1;
    const ERASE_SIZE: usize = UNIT as usize;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        let (bytes, erased) = &mut *self.0.borrow_mut();
        bytes[from as usize..to as usize].fill(0xff);
        *erased += u64::from((to - from) / UNIT);
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        let (flash, _) = &mut *self.0.borrow_mut();
        flash[offset as usize..].iter_mut().zip(bytes).for_each(|(old, new)| *old &= new);
        Ok(())
    }
}

/// What runs, once it has started.
struct Running {
    device: Box<Device>,
    link: Option<SharedLink>,
    updates: Updates<Flash>,
    behaves: u8,
}

pub struct Chip {
    pub uid: DeviceUid,
    shared_line: bool,
    flash: Flash,
    running: Option<Running>,
    boot: u32,
    /// When it starts, or started.
    started: u64,
    reset: ResetCause,
    /// It erases its flash until then.
    busy: u64,
    /// Bytes of this many writes of the line were lost because it erased.
    pub unheard: u32,
    pub starts: u32,
}

impl Chip {
    /// One that was burnt in the workshop with version 1.
    pub fn new(uid: u64, shared_line: bool) -> Chip {
        let mut bytes = vec![0xff; (3 * PART + 2 * UNIT) as usize];
        let (_, first) = image(1, Behaves::Well, shared_line);
        bytes[..first.len()].copy_from_slice(&first);
        Chip {
            uid: DeviceUid(uid),
            shared_line,
            flash: Flash(Rc::new(RefCell::new((bytes, 0)))),
            running: None,
            boot: 0,
            started: 0,
            reset: ResetCause::PowerOn,
            busy: 0,
            unheard: 0,
            starts: 0,
        }
    }

    /// The version that lies in the place that runs.
    pub fn version(&self) -> u8 {
        self.flash.0.borrow().0[1]
    }

    pub fn device(&mut self) -> Option<&mut Device> {
        self.running.as_mut().map(|running| &mut *running.device)
    }

    /// Since its start.
    pub fn own_time(&self, now: u64) -> Millis {
        Millis(now.saturating_sub(self.started) as u32)
    }

    /// A player does something that is recorded.
    pub fn press(&mut self, now: u64, signal: PlayerSignal) {
        let own = self.own_time(now);
        if let Some(device) = self.device() {
            device.on_button(Half::A, signal, own);
        }
    }

    pub fn reset(&mut self, now: u64, cause: ResetCause) {
        (self.running, self.started, self.reset) = (None, now + START, cause);
    }

    pub fn hear(&mut self, frame: &[u8], now: u64) {
        if now < self.busy {
            self.unheard += 1;
            return;
        }
        let own = self.own_time(now);
        let before = self.flash.0.borrow().1;
        let Some(Running { device, link, updates, behaves }) = &mut self.running else { return };
        if *behaves == Behaves::Deaf as u8 {
            return;
        }
        match link {
            Some(link) => link.on_bytes(device, frame, own),
            None => device.on_bytes(frame, own),
        }
        if let Some(step) = device.take_update_step() {
            device.on_update_state(updates.on_step(step));
        }
        let erased = self.flash.0.borrow().1 - before;
        if erased > 0 {
            self.busy = now + erased * ERASURE;
        }
    }

    /// What it says now, frame by frame; at most so many.
    pub fn say(&mut self, now: u64, most: usize) -> Vec<Vec<u8>> {
        let own = self.own_time(now);
        let Some(Running { device, link, .. }) = &mut self.running else { return vec![] };
        let mut frames = vec![];
        while frames.len() < most {
            let mut out = [0; MAX_FRAME];
            let used = match link {
                Some(link) => link.take_output(device, &mut out, own),
                None => device.take_output(&mut out),
            };
            if used == 0 {
                break;
            }
            frames.push(out[..used].to_vec());
        }
        frames
    }

    /// Time passed.
    pub fn poll(&mut self, now: u64) {
        let own = self.own_time(now);
        match &mut self.running {
            None if now >= self.started => self.start(),
            None => {}
            Some(Running { device, updates, behaves, .. }) => {
                let cause = if *behaves == Behaves::Hangs as u8 {
                    (now >= self.started + WATCHDOG).then_some(ResetCause::Watchdog)
                } else {
                    device.poll(own);
                    let failed = updates.poll(device.is_proven(), own);
                    (device.wants_reboot() || failed).then_some(ResetCause::Asked)
                };
                if let Some(cause) = cause {
                    self.reset(now, cause);
                }
            }
        }
        if self.running.as_ref().is_some_and(|running| running.behaves == Behaves::Hangs as u8) {
            // Nothing comes out of it either.
            self.busy = u64::MAX;
        } else if self.busy == u64::MAX {
            self.busy = 0;
        }
    }

    /// Whether it has a voice.
    pub fn is_mute(&self) -> bool {
        self.busy == u64::MAX
    }

    fn start(&mut self) {
        let mut slots = Slots::new(self.flash.clone(), layout());
        prepare_boot(&mut slots).unwrap();
        self.boot += 1;
        self.starts += 1;
        let (behaves, version) = {
            let flash = self.flash.0.borrow();
            (flash.0[0], flash.0[1])
        };
        let target = target(self.shared_line);
        let config = Config {
            uid: self.uid,
            boot: BootId(self.boot),
            firmware: version.into(),
            hardware: target.hardware,
            reset: self.reset,
            capabilities: target.capabilities,
            address: Address::POINT_TO_POINT,
            pace: Pace::SERIAL,
        };
        self.running = Some(Running {
            device: Box::new(Device::new(config, Millis(0))),
            link: self.shared_line.then(|| SharedLink::new(self.uid)),
            updates: Updates::new(slots, target),
            behaves,
        });
    }
}
