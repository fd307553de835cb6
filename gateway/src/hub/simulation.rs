//! Device and hub on a line that loses, doubles, damages and delays bytes, with cables pulled, the device's power cut
//! between any two steps and in the midst of what it writes, and the gateway killed at any instant, in virtual time:
//! whatever a device told of is kept exactly once, in order, with the time at which it happened.

use std::collections::BTreeMap;

use ::device::model_flash::{Dice, ModelFlash};
use ::device::{Config, Device, Spill};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, BootId, Capabilities, DeviceUid, Epoch, Half, MAX_FRAME, Millis, Observation, PlayerSignal,
    Reading, ResetCause, Session, Sighting, StreamSeq, encode,
};
use proptest::prelude::*;

use super::{Hub, Now, Output, PortId};
use crate::store::{Entry, Known};

const UID: DeviceUid = DeviceUid(0xb0a2d);

/// What happens next.
#[derive(Clone, Copy, Debug)]
enum Happening {
    /// A piece is put down or taken up.
    Piece(u8),
    Lever,
    Button,
    /// Nothing, for a while.
    Quiet(u16),
    /// The line misbehaves for the next chunks of bytes.
    Noise(Noise),
    CablePulled(u16),
    /// The device is reset, or its power goes and comes again after a while.
    PowerCut(u16),
    /// The power goes in so many bytes that are written to its flash.
    PowerGoes(u16),
    GatewayKilled,
    /// The disk takes its time: what is kept becomes durable only when this ends.
    DiskStalls,
    DiskIsBack,
}

#[derive(Clone, Copy, Debug)]
enum Noise {
    Lost,
    Doubled,
    Flipped(u16),
    Cut(u8),
}

fn happening() -> impl Strategy<Value = Happening> {
    let noise = prop_oneof![
        Just(Noise::Lost),
        Just(Noise::Doubled),
        any::<u16>().prop_map(Noise::Flipped),
        any::<u8>().prop_map(Noise::Cut),
    ];
    prop_oneof![
        8 => (0..90u8).prop_map(Happening::Piece),
        4 => Just(Happening::Lever),
        1 => Just(Happening::Button),
        3 => (1..3_000u16).prop_map(Happening::Quiet),
        6 => noise.prop_map(Happening::Noise),
        1 => (1..10_000u16).prop_map(Happening::CablePulled),
        1 => (0..5_000u16).prop_map(Happening::PowerCut),
        2 => (0..200u16).prop_map(Happening::PowerGoes),
        1 => Just(Happening::GatewayKilled),
        1 => Just(Happening::DiskStalls),
        2 => Just(Happening::DiskIsBack),
    ]
}

const UNIT: usize = 512;
const UNITS: usize = 64;

type Flash = ModelFlash<UNIT>;

struct World {
    time: u64,
    device: Box<Device>,
    spill: Spill<Flash>,
    boot: u32,
    started: u64,
    raw: [Reading; 90],
    half: Half,
    hub: Hub,
    port: PortId,
    plugged: bool,
    /// The disk: what survives the gateway.
    known: Known,
    kept: Vec<Observation>,
    /// Kept by the hub, not yet durable: lost when the gateway is killed.
    queued: Vec<Observation>,
    stalled: bool,
    noise: Vec<Noise>,
    /// How many records each start of the device may have told of: they were written.
    told: BTreeMap<BootId, u32>,
    /// How many it made.
    made: BTreeMap<BootId, u32>,
    /// When each start's time began.
    began: BTreeMap<BootId, u64>,
}

impl World {
    fn new() -> World {
        let known = Known::new(Session(1));
        let (device, spill) = start(1, erased());
        let mut world = World {
            time: 0,
            device,
            spill,
            boot: 1,
            started: 0,
            raw: [Reading::EMPTY; 90],
            half: Half::A,
            hub: Hub::new(&known),
            port: PortId(0),
            plugged: false,
            known,
            kept: vec![],
            queued: vec![],
            stalled: false,
            noise: vec![],
            told: BTreeMap::new(),
            made: BTreeMap::new(),
            began: BTreeMap::from([(BootId(1), 0)]),
        };
        world.plug();
        world
    }

    fn now(&self) -> Now {
        Now { wait: Millis(self.time as u32), venue: Epoch(1_800_000_000_000 + self.time as i64) }
    }

    fn device_now(&self) -> Millis {
        Millis((self.time - self.started) as u32)
    }

    fn plug(&mut self) {
        self.port = PortId(self.port.0 + 1);
        self.plugged = true;
        self.hub.on_open(self.port, self.now());
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Piece(cell) => {
                let reading = &mut self.raw[usize::from(cell)];
                *reading = Reading(1 - reading.0);
                self.pass(40);
            }
            Happening::Lever => {
                self.device.on_lever(self.half, self.device_now());
                self.half = self.half.other();
                self.pass(60);
            }
            Happening::Button => {
                self.device.on_button(self.half, PlayerSignal::Draw, self.device_now());
                self.pass(60);
            }
            Happening::Quiet(long) => self.pass(long.into()),
            Happening::Noise(noise) => self.noise.push(noise),
            Happening::CablePulled(long) => {
                self.hub.on_close(self.port, self.now());
                self.plugged = false;
                self.pass(long.into());
                self.plug();
            }
            Happening::PowerCut(off) => {
                self.power_cut(off.into());
                self.pass(30);
            }
            Happening::PowerGoes(bytes) => self.spill.flash_mut().power = bytes.into(),
            Happening::GatewayKilled => {
                self.queued.clear();
                self.hub = Hub::new(&self.known);
                self.stalled = false;
                self.plug();
            }
            Happening::DiskStalls => self.stalled = true,
            Happening::DiskIsBack => self.stalled = false,
        }
    }

    fn note_made(&mut self) {
        self.made.insert(BootId(self.boot), self.device.next_seq().0 - 1);
    }

    /// The device loses its memory and starts again with what is in its flash.
    fn power_cut(&mut self, off: u64) {
        self.note_made();
        self.idle(off);
        self.boot += 1;
        self.started = self.time;
        self.began.insert(BootId(self.boot), self.time);
        let spill = std::mem::replace(&mut self.spill, Spill::new(Flash::of_pages(3), 0..3 * UNIT as u32));
        (self.device, self.spill) = start(self.boot, spill.into_flash());
    }

    /// Time passes without the device.
    fn idle(&mut self, long: u64) {
        for _ in 0..long.div_ceil(10) {
            self.time += 10;
            self.serve();
        }
    }

    /// Lets time pass, ten milliseconds a step.
    fn pass(&mut self, long: u64) {
        for _ in 0..long.div_ceil(10) {
            self.time += 10;
            let at = self.device_now();
            self.device.on_scan(at, &self.raw);
            self.device.poll(at);
            self.exchange();
        }
    }

    /// The device writes what is new, or the power goes. `false`: it has gone.
    fn write(&mut self) -> bool {
        let written = self.spill.write(&mut self.device).is_ok();
        if written {
            self.told.insert(BootId(self.boot), self.device.next_seq().0 - 1);
        } else {
            self.power_cut(300);
        }
        written
    }

    fn exchange(&mut self) {
        let mut buffer = [0; 4096];
        let used = if self.write() { self.device.take_output(&mut buffer) } else { 0 };
        if self.plugged {
            for bytes in self.through_noise(&buffer[..used]) {
                self.hub.on_bytes(self.port, &bytes, self.now());
            }
        }
        self.serve();
    }

    /// The gateway does what is due.
    fn serve(&mut self) {
        self.hub.poll(self.now());
        if !self.stalled {
            self.sync();
        }
        while let Some(output) = self.hub.poll_output() {
            match output {
                Output::Keep(number, observation) => {
                    let expected = self.kept.len() + self.queued.len() + 1;
                    assert_eq!(number, StreamSeq(expected as u64));
                    self.queued.push(observation);
                }
                Output::Send(port, message) if port == self.port && self.plugged => {
                    let mut frame = [0; MAX_FRAME];
                    let used = encode(Address::POINT_TO_POINT, &message, &mut frame).unwrap();
                    for bytes in self.through_noise(&frame[..used]) {
                        self.device.on_bytes(&bytes, self.device_now());
                    }
                }
                Output::Send(..) | Output::Fault(..) => {}
                Output::Untellable(..) => panic!("every start has its own number here"),
            }
        }
    }

    /// What is queued becomes durable.
    fn sync(&mut self) {
        for observation in self.queued.drain(..) {
            self.known.learn(&Entry::Observation(observation));
            self.kept.push(observation);
        }
        self.hub.on_durable(StreamSeq(self.kept.len() as u64));
    }

    fn through_noise(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut bytes = bytes.to_vec();
        if bytes.is_empty() {
            return vec![];
        }
        match self.noise.pop() {
            None => vec![bytes],
            Some(Noise::Lost) => vec![],
            Some(Noise::Doubled) => vec![bytes.clone(), bytes],
            Some(Noise::Flipped(bit)) => {
                let at = usize::from(bit / 8) % bytes.len();
                bytes[at] ^= 1 << (bit % 8);
                vec![bytes]
            }
            Some(Noise::Cut(at)) => {
                bytes.truncate(usize::from(at) % bytes.len());
                vec![bytes]
            }
        }
    }
}

/// A flash whose units are all free.
fn erased() -> Flash {
    let (_, mut spill) = start(1, Flash::of_pages(UNITS));
    for second in 1..=UNITS as u32 {
        spill.make_room(Millis(1_000 * second)).expect("the power is there");
    }
    Flash { dice: Some(Dice(7)), ..spill.into_flash() }
}

fn start(boot: u32, mut flash: Flash) -> (Box<Device>, Spill<Flash>) {
    let config = Config {
        uid: UID,
        boot: BootId(boot),
        firmware: 1,
        hardware: 1,
        reset: ResetCause::PowerOn,
        capabilities: Capabilities { board: Some(firmware_proto::SensingKind::Colour), clock: true },
        address: Address::POINT_TO_POINT,
        pace: Pace::SERIAL,
    };
    flash.power = u32::MAX;
    let mut device = Box::new(Device::new(config, Millis(0)));
    let mut spill = Spill::new(flash, 0..(UNIT * UNITS) as u32);
    spill.hand_over(&mut device).expect("the flash can be read");
    (device, spill)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_record_is_kept_exactly_once_with_its_time_whatever_happens(
        happenings in prop::collection::vec(happening(), 1..80),
    ) {
        let mut world = World::new();
        for happening in happenings {
            world.happen(happening);
        }
        world.noise.clear();
        world.stalled = false;
        world.spill.flash_mut().power = u32::MAX;
        world.pass(15_000);
        world.note_made();

        prop_assert_eq!(world.device.backlog(), 0, "the device may forget everything in the end");
        let mut next: BTreeMap<BootId, u32> = BTreeMap::new();
        let mut latest = (BootId(0), Epoch::default());
        for observation in &world.kept {
            match observation.sighting {
                Sighting::Record(boot, record) => {
                    let expected = next.entry(boot).or_insert(1);
                    prop_assert_eq!(record.seq.0, *expected, "of start {}", boot);
                    *expected += 1;
                    let stamp = (boot, observation.at);
                    prop_assert!(latest <= stamp, "starts or stamps go back: {:?} after {:?}", stamp, latest);
                    latest = stamp;
                }
                Sighting::Gap { boot, from, to } => {
                    prop_assert!(false, "records {} to {} of start {} were lost", from, to, boot);
                }
                Sighting::Attached(hello) => {
                    prop_assert!(latest.0 <= hello.boot, "start {} is told too late", hello.boot);
                }
                Sighting::Detached | Sighting::Done(_) => {}
            }
        }
        // Of every start that told of anything all of that is there, and nothing that was never made.
        for (boot, told) in world.told {
            let kept = next.get(&boot).map_or(0, |next| next - 1);
            prop_assert!(told <= kept && kept <= world.made[&boot], "start {}: {} of {}", boot, kept, told);
        }
    }
}
