//! Devices on one line that they share, with the host that gives the floor.

use std::collections::BTreeMap;

use firmware_proto::{Address, DeviceUid, LineSession, MAX_FRAME, Millis, PlayerSignal, Sighting, encode};

use super::chip::{Behaves, Chip, image};
use super::desk::Desk;
use crate::hub::PortId;
use crate::shared::{Event, Host};
use firmware_proto::progress::Outcome;

/// How long a byte takes at 115,200 baud, ten bits each, microseconds.
const BYTE: u64 = 87;

struct Line {
    micros: u64,
    host: Host,
    desk: Desk,
    chips: Vec<Chip>,
    ports: BTreeMap<Address, PortId>,
    next_port: u32,
    noise: u64,
    dice: u64,
    /// When each device was pressed, in order.
    pressed: BTreeMap<DeviceUid, Vec<u64>>,
}

impl Line {
    fn new(chips: u64) -> Line {
        let mut line = Line {
            micros: 0,
            host: Host::new(LineSession(1), Millis(0)),
            desk: Desk::new(),
            chips: (1..=chips).map(|n| Chip::new(n << 56 | n, true)).collect(),
            ports: BTreeMap::new(),
            next_port: 0,
            noise: 0,
            dice: 3,
            pressed: BTreeMap::new(),
        };
        line.pass(6_000);
        assert_eq!(line.ports.len(), line.chips.len(), "everybody was found");
        line
    }

    fn time(&self) -> u64 {
        self.micros / 1_000
    }

    fn now(&self) -> Millis {
        Millis(self.time() as u32)
    }

    fn spoil(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.dice =
                self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if self.noise > 0 && (self.dice >> 33).is_multiple_of(self.noise) {
                *byte ^= 1 << (self.dice >> 60 & 7);
            }
        }
    }

    /// One turn: the host asks, whoever feels asked answers.
    fn turn(&mut self) {
        let frames = self.host.next_frames(self.now());
        let asks = !frames.is_empty();
        for (to, message) in frames {
            let mut frame = [0; MAX_FRAME];
            let used = encode(to, &message, &mut frame).unwrap();
            self.micros += used as u64 * BYTE;
            let time = self.time();
            for at in 0..self.chips.len() {
                let mut heard = frame[..used].to_vec();
                self.spoil(&mut heard);
                self.chips[at].hear(&heard, time);
            }
        }
        self.micros += if asks { 200 } else { 20_000 };
        let time = self.time();
        let mut mixed: Vec<u8> = vec![];
        for chip in &mut self.chips {
            chip.poll(time);
            let voice = if chip.is_mute() { vec![] } else { chip.say(time, usize::MAX).concat() };
            mixed.resize(mixed.len().max(voice.len()), 0xff);
            mixed.iter_mut().zip(&voice).for_each(|(byte, own)| *byte &= own);
        }
        self.spoil(&mut mixed);
        self.micros += mixed.len() as u64 * BYTE;
        if !mixed.is_empty() {
            let now = self.now();
            self.host.on_bytes(&mixed, now);
        }
        if !self.host.is_due(self.now()) {
            self.micros = u64::from(self.host.deadline().0) * 1_000;
        }
        self.micros += 500;
        let time = self.time();
        while let Some(event) = self.host.poll_event() {
            self.on_event(event, time);
        }
        self.desk.hub.poll(Desk::now(time));
        for (port, message) in self.desk.carry_out(time) {
            if let Some((address, _)) = self.ports.iter().find(|(_, at)| **at == port) {
                self.host.tell(*address, message);
            }
        }
    }

    fn on_event(&mut self, event: Event, time: u64) {
        let hub = &mut self.desk.hub;
        match event {
            Event::Joined(address, _) => {
                self.next_port += 1;
                self.ports.insert(address, PortId(self.next_port));
                hub.on_join(PortId(self.next_port), Desk::now(time));
            }
            Event::Said(address, message) => hub.on_said(self.ports[&address], message, Desk::now(time)),
            Event::Left(address) => {
                let port = self.ports.remove(&address).unwrap();
                hub.on_close(port, Desk::now(time));
            }
            Event::Garbled(..) | Event::Searched => {}
            Event::Full(uid) => panic!("{uid} found no place"),
        }
    }

    fn pass(&mut self, millis: u64) {
        let until = self.time() + millis;
        while self.time() < until {
            self.turn();
        }
    }

    fn press(&mut self, chip: usize, signal: PlayerSignal) {
        let time = self.time();
        self.chips[chip].press(time, signal);
        self.pressed.entry(self.chips[chip].uid).or_default().push(time);
    }

    /// How long the slowest press of this device took to the disk.
    fn slowest(&self, uid: DeviceUid) -> u64 {
        let signals = self.desk.kept.iter().filter(|(_, seen)| {
            let signal =
                |record: firmware_proto::Record| matches!(record.body, firmware_proto::Body::Signal(..));
            seen.device == uid && matches!(seen.sighting, Sighting::Record(_, record) if signal(record))
        });
        let took: Vec<u64> = signals.zip(&self.pressed[&uid]).map(|((kept, _), at)| kept - at).collect();
        assert_eq!(took.len(), self.pressed[&uid].len(), "every press is kept");
        took.into_iter().max().unwrap()
    }
}

#[test]
fn on_a_shared_line_all_take_it_and_a_press_at_another_table_is_on_the_disk_within_half_a_second() {
    let mut line = Line::new(12);
    // Who was named is updated; the last two tables play on.
    let named: Vec<DeviceUid> = line.chips[..10].iter().map(|chip| chip.uid).collect();
    let (firmware, bytes) = image(2, Behaves::Well, true);
    let now = Desk::now(line.time());
    line.desk.hub.begin_update(firmware, bytes, &named, now).unwrap();
    let mut presses = 0_u32;
    while !line.desk.is_over() {
        assert!(line.time() < 600_000, "{:?}", line.desk.hub.update_progress());
        let signal = if presses.is_multiple_of(2) { PlayerSignal::Draw } else { PlayerSignal::CallArbiter };
        presses += 1;
        line.press(10, signal);
        line.press(11, signal);
        line.pass(700);
    }
    assert!(
        line.desk.outcomes().values().all(|outcome| *outcome == Outcome::Kept),
        "{:?}",
        line.desk.outcomes()
    );
    let versions: Vec<u8> = line.chips.iter().map(Chip::version).collect();
    assert_eq!(versions, [[2; 10].as_slice(), &[1; 2]].concat());
    line.pass(2_000);
    for at in [10, 11] {
        let slowest = line.slowest(line.chips[at].uid);
        assert!(slowest < 500, "{slowest} ms");
    }
}

#[test]
fn on_a_noisy_shared_line_it_is_taken_all_the_same() {
    let mut line = Line::new(3);
    line.noise = 1_500;
    let (firmware, bytes) = image(2, Behaves::Well, true);
    let now = Desk::now(line.time());
    line.desk.hub.begin_update(firmware, bytes, &[], now).unwrap();
    while !line.desk.is_over() {
        assert!(line.time() < 600_000, "{:?}", line.desk.hub.update_progress());
        line.pass(100);
    }
    assert!(
        line.desk.outcomes().values().all(|outcome| *outcome == Outcome::Kept),
        "{:?}",
        line.desk.outcomes()
    );
}
