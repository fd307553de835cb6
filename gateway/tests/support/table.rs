//! A clock device on a pseudo-terminal, with a cable that can be pulled and a line that can be spoilt.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use device::{Config, Device};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, BootId, Capabilities, DeviceUid, Firmware, Half, Millis, PlayerSignal, ResetCause, UpdateState,
    UpdateStep,
};

/// A table. It lives in a thread until it is dropped.
pub struct Table {
    shared: Arc<Shared>,
    link: PathBuf,
}

struct Shared {
    uid: u64,
    /// The near end of the cable, if one is plugged in.
    cable: Mutex<Option<OwnedFd>>,
    device: Mutex<Box<Device>>,
    /// The firmware that is coming, and so many bytes of it.
    coming: Mutex<Option<(Firmware, u32)>>,
    /// How many presses are wanted.
    presses: AtomicU32,
    /// Whether the line is spoilt.
    noisy: AtomicBool,
    ended: AtomicBool,
}

impl Table {
    /// A table whose port is `dir/ttyNAME`.
    pub fn new(dir: &Path, name: &str, uid: u64) -> Table {
        let shared = Arc::new(Shared {
            uid,
            cable: Mutex::new(None),
            device: Mutex::new(device(uid, 1, ResetCause::PowerOn, 1)),
            coming: Mutex::new(None),
            presses: AtomicU32::new(0),
            noisy: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        });
        let table = Table { shared: shared.clone(), link: dir.join(format!("tty{name}")) };
        table.plug();
        std::thread::spawn(move || live(&shared));
        table
    }

    /// Plugs the cable in: the port appears under its name.
    pub fn plug(&self) {
        *self.shared.cable.lock().unwrap() = Some(super::plug(&self.link));
    }

    /// Pulls it out.
    pub fn pull(&self) {
        std::fs::remove_file(&self.link).unwrap();
        self.shared.cable.lock().unwrap().take();
    }

    /// The players do something, so many times more.
    pub fn play(&self, times: u32) {
        self.shared.presses.fetch_add(times, Ordering::Relaxed);
    }

    /// Spoils the line, or lets it be good again.
    pub fn set_noisy(&self, noisy: bool) {
        self.shared.noisy.store(noisy, Ordering::Relaxed);
    }

    /// Whether all that was played is recorded and acknowledged.
    pub fn is_done(&self) -> bool {
        self.shared.presses.load(Ordering::Relaxed) == 0 && self.shared.device.lock().unwrap().backlog() == 0
    }

    /// The number of its last record.
    pub fn last_record(&self) -> u32 {
        self.shared.device.lock().unwrap().next_seq().0 - 1
    }

    /// How many bytes of another firmware it has, if one is coming.
    pub fn coming(&self) -> Option<u32> {
        self.shared.coming.lock().unwrap().map(|(_, next)| next)
    }

    /// What its clock shows.
    pub fn face(&self) -> firmware_proto::ClockFace {
        self.shared.device.lock().unwrap().face().unwrap()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
    }
}

pub fn device(uid: u64, boot: u32, reset: ResetCause, firmware: u32) -> Box<Device> {
    let config = Config {
        uid: DeviceUid(uid),
        boot: BootId(boot),
        firmware,
        hardware: 1,
        reset,
        capabilities: Capabilities { board: None, clock: true },
        address: Address::POINT_TO_POINT,
        pace: Pace::SERIAL,
    };
    Box::new(Device::new(config, Millis(0)))
}

/// Takes a step of an update as a sound device does, without a flash.
fn take_step(coming: &mut Option<(Firmware, u32)>, step: UpdateStep) -> UpdateState {
    match (step, &mut *coming) {
        (UpdateStep::Offer(firmware), _) => *coming = Some((firmware, 0)),
        (UpdateStep::Bytes { at, chunk }, Some((_, next))) if at == *next => {
            *next += chunk.bytes().len() as u32
        }
        (UpdateStep::Try, Some((firmware, next))) if *next == firmware.length => {
            return UpdateState::Restarts;
        }
        (UpdateStep::Forget, _) => *coming = None,
        (UpdateStep::Ask | UpdateStep::Bytes { .. } | UpdateStep::Try, _) => {}
    }
    coming.map_or(UpdateState::Settled, |(_, next)| UpdateState::Coming { next })
}

fn live(shared: &Shared) {
    let mut start = Instant::now();
    let mut chance = Chance(17);
    let mut half = Half::A;
    while !shared.ended.load(Ordering::Relaxed) {
        let now = Millis(start.elapsed().as_millis() as u32);
        {
            let mut device = shared.device.lock().unwrap();
            if shared.presses.load(Ordering::Relaxed) > 0 {
                // Alternating, so that neither is a bounce of the other's contact.
                let signal = if half == Half::A { PlayerSignal::Draw } else { PlayerSignal::CallArbiter };
                device.on_button(Half::A, signal, now);
                half = half.other();
                shared.presses.fetch_sub(1, Ordering::Relaxed);
            }
            if let Some(cable) = shared.cable.lock().unwrap().as_ref() {
                exchange(&mut device, cable, now, shared.noisy.load(Ordering::Relaxed), &mut chance);
            }
            device.poll(now);
            if let Some(step) = device.take_update_step() {
                let state = take_step(&mut shared.coming.lock().unwrap(), step);
                device.on_update_state(state);
            }
            if device.wants_reboot()
                && let Some((firmware, _)) = shared.coming.lock().unwrap().take()
            {
                *device = self::device(shared.uid, 2, ResetCause::Asked, firmware.version);
                start = Instant::now();
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Moves what there is to move.
fn exchange(device: &mut Device, cable: &OwnedFd, now: Millis, noisy: bool, chance: &mut Chance) {
    let mut buffer = [0; 64];
    // An error: there is nothing to read, or nobody has the far end open.
    if let Ok(count) = rustix::io::read(cable, &mut buffer) {
        device.on_bytes(&buffer[..count], now);
    }
    // A little at a time, so that a press rides in many frames.
    let mut out = [0; 256];
    let used = device.take_output(&mut out);
    let mut bytes = out[..used].to_vec();
    if noisy && !bytes.is_empty() {
        match chance.below(8) {
            0 => {
                let at = chance.below(bytes.len());
                bytes[at] ^= 1 << chance.below(8);
            }
            1 => bytes.truncate(chance.below(bytes.len())),
            2 => bytes.extend(std::iter::repeat_with(|| chance.below(256) as u8).take(300)),
            // A sound frame of wire version 2.
            3 => bytes.extend(other_version()),
            _ => {}
        }
    }
    // What does not fit into the line is lost, as on a real one.
    let _written = rustix::io::write(cable, &bytes);
}

fn other_version() -> Vec<u8> {
    let body = [2u8, 9, 9];
    let sum = !body.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(
            sum ^ u32::from(*byte),
            |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 },
        )
    });
    let mut frame = vec![8];
    frame.extend(body);
    frame.extend(sum.to_le_bytes());
    frame.push(0);
    frame
}

/// A small generator: the same noise in every run.
pub struct Chance(pub u64);

impl Chance {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
