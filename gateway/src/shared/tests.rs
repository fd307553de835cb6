//! A host and devices of the real kind on a line that carries everybody's voice, in virtual time.

use std::collections::{BTreeMap, BTreeSet};

use device::{Config, Device, SharedLink};
use firmware_proto::delivery::Pace;
use firmware_proto::{BootId, Capabilities, Half, MAX_FRAME, PlayerSignal, ResetCause, Seq, encode};

use super::*;

/// How long a byte takes at 115,200 baud, ten bits each, microseconds.
const BYTE: u64 = 87;

struct Table {
    device: Box<Device>,
    link: SharedLink,
    plugged: bool,
    uid: DeviceUid,
    pressed: bool,
}

impl Table {
    fn new(uid: u64, boot: u32) -> Table {
        let config = Config {
            uid: DeviceUid(uid),
            boot: BootId(boot),
            firmware: 1,
            hardware: 1,
            reset: ResetCause::PowerOn,
            capabilities: Capabilities { board: None, clock: true },
            address: Address::POINT_TO_POINT,
            pace: Pace::SERIAL,
        };
        let device = Box::new(Device::new(config, Millis(0)));
        Table {
            device,
            link: SharedLink::new(DeviceUid(uid)),
            plugged: true,
            uid: DeviceUid(uid),
            pressed: false,
        }
    }
}

/// The line, its host, its tables, and what the host was told.
struct Hall {
    host: Host,
    tables: Vec<Table>,
    micros: u64,
    /// One byte in so many is spoilt; 0: none.
    noise: u64,
    dice: u64,
    members: BTreeMap<Address, DeviceUid>,
    records: BTreeMap<DeviceUid, BTreeSet<Seq>>,
    garbled: u32,
    joins: u32,
}

impl Hall {
    fn new(uids: impl IntoIterator<Item = u64>) -> Hall {
        Hall {
            host: Host::new(LineSession(1), Millis(0)),
            tables: uids.into_iter().map(|uid| Table::new(uid, 1)).collect(),
            micros: 0,
            noise: 0,
            dice: 1,
            members: BTreeMap::new(),
            records: BTreeMap::new(),
            garbled: 0,
            joins: 0,
        }
    }

    fn now(&self) -> Millis {
        Millis((self.micros / 1_000) as u32)
    }

    fn spoilt(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.dice =
                self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if self.noise > 0 && (self.dice >> 33).is_multiple_of(self.noise) {
                *byte ^= 1 << (self.dice >> 60 & 7);
            }
        }
    }

    /// One turn: the host asks, everybody hears it, whoever feels asked answers, all voices at once.
    fn turn(&mut self) {
        let now = self.now();
        let mut asked = vec![];
        for (to, message) in self.host.next_frames(now) {
            let mut frame = [0; MAX_FRAME];
            let used = encode(to, &message, &mut frame).unwrap();
            asked.extend(&frame[..used]);
        }
        self.micros += asked.len() as u64 * BYTE + 200;
        let now = self.now();
        let mut voices = vec![];
        for index in 0..self.tables.len() {
            let mut heard = asked.clone();
            self.spoilt(&mut heard);
            let table = &mut self.tables[index];
            table.device.poll(now);
            if !table.plugged {
                continue;
            }
            table.link.on_bytes(&mut table.device, &heard, now);
            let (mut voice, mut out) = (vec![], [0; 2 * MAX_FRAME]);
            loop {
                let used = table.link.take_output(&mut table.device, &mut out, now);
                voice.extend(&out[..used]);
                if used == 0 {
                    break;
                }
            }
            voices.push(voice);
        }
        // A driver that pulls to 0 wins.
        let longest = voices.iter().map(Vec::len).max().unwrap_or(0);
        let mut mixed: Vec<u8> = (0..longest)
            .map(|at| voices.iter().filter_map(|voice| voice.get(at)).fold(0xff, |a, b| a & b))
            .collect();
        self.spoilt(&mut mixed);
        self.micros += mixed.len() as u64 * BYTE;
        if !mixed.is_empty() {
            let now = self.now();
            self.host.on_bytes(&mixed, now);
        }
        if !self.host.is_due(self.now()) {
            self.micros = u64::from(self.host.deadline().0) * 1_000;
        }
        self.micros += 500;
        while let Some(event) = self.host.poll_event() {
            self.on_event(event);
        }
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Joined(address, uid) => {
                self.joins += 1;
                assert_eq!(self.members.insert(address, uid), None, "an address is given once");
            }
            Event::Said(address, FromDevice::Record(boot, record)) => {
                // As a gateway does: what comes next is acknowledged, what leaves a hole is asked for.
                let kept = self.records.entry(self.members[&address]).or_default();
                let next = Seq(kept.len() as u32 + 1);
                let answer = if record.seq <= next {
                    kept.insert(record.seq);
                    ToDevice::Ack { boot, upto: Seq(kept.len() as u32) }
                } else {
                    ToDevice::Nak { boot, from: next }
                };
                self.host.tell(address, answer);
            }
            Event::Said(..) => {}
            Event::Left(address) => {
                self.members.remove(&address);
            }
            Event::Garbled(..) => self.garbled += 1,
            Event::Searched => {}
            Event::Full(uid) => panic!("{uid} found no place"),
        }
    }

    fn run(&mut self, millis: u32) {
        let until = self.now().plus(Millis(millis));
        while !self.now().reached(until) {
            self.turn();
        }
    }

    fn present(&self) -> BTreeSet<DeviceUid> {
        self.members.values().copied().collect()
    }

    fn all(&self) -> BTreeSet<DeviceUid> {
        self.tables.iter().map(|table| table.uid).collect()
    }

    /// Everybody presses so many times, and then has time to tell it.
    fn play(&mut self, presses: u32) {
        for _ in 0..presses {
            let now = self.now();
            for table in &mut self.tables {
                let signal = if table.pressed { PlayerSignal::Draw } else { PlayerSignal::CallArbiter };
                table.pressed = !table.pressed;
                table.device.on_button(Half::A, signal, now);
            }
            self.run(200);
        }
        self.run(2_000);
    }

    /// Every record of every device came, and none is left over.
    fn assert_all_told(&self) {
        for table in &self.tables {
            let made = table.device.next_seq().0 - 1;
            let told = self.records.get(&table.uid).map_or(0, BTreeSet::len);
            assert_eq!((told as u32, table.device.backlog()), (made, 0), "{}", table.uid);
        }
    }
}

/// Numbers as flash chips have them: some beginnings in common.
fn numbers(count: u64) -> Vec<u64> {
    (0..count).map(|n| 0xe661_3852_8300_0000 | (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40)).collect()
}

#[test]
fn thirty_two_tables_are_found_and_each_has_an_address_of_its_own() {
    for uids in [numbers(32), (1..=32).collect()] {
        let mut hall = Hall::new(uids);
        hall.run(20_000);
        assert_eq!(hall.present(), hall.all());
        assert_eq!(hall.joins, 32, "nobody was lost and found again");
        hall.play(5);
        hall.assert_all_told();
    }
}

#[test]
fn a_round_of_thirty_two_tables_with_nothing_to_say_takes_less_than_a_quarter_of_a_second() {
    let mut hall = Hall::new(numbers(32));
    hall.run(20_000);
    let (before, turns) = (hall.micros, 320);
    for _ in 0..turns {
        hall.turn();
    }
    let round = (hall.micros - before) / (turns / 32) / 1_000;
    println!("{round} ms a round at 115,200 baud");
    assert!(round < 250, "{round} ms");
}

#[test]
fn on_a_noisy_line_everything_is_told_all_the_same() {
    let mut hall = Hall::new(numbers(8));
    hall.noise = 500;
    hall.run(20_000);
    hall.play(40);
    assert!(hall.garbled > 20, "{} frames were garbled", hall.garbled);
    hall.noise = 0;
    hall.run(15_000);
    assert_eq!(hall.present(), hall.all());
    hall.assert_all_told();
}

#[test]
fn a_table_that_is_unplugged_is_given_up_and_found_again_when_it_is_back() {
    let mut hall = Hall::new(numbers(5));
    hall.run(5_000);
    hall.tables[2].plugged = false;
    hall.play(20);
    assert_eq!(hall.present().len(), 4);
    hall.tables[2].plugged = true;
    hall.run(6_000);
    assert_eq!(hall.present(), hall.all());
    hall.assert_all_told();
}

#[test]
fn a_table_that_starts_anew_gets_an_address_again() {
    let mut hall = Hall::new(numbers(5));
    hall.run(5_000);
    let uid = hall.tables[2].uid;
    hall.records.remove(&uid);
    hall.tables[2] = Table::new(uid.0, 2);
    hall.run(3_000);
    assert_eq!(hall.present(), hall.all());
    hall.assert_all_told();
}

#[test]
fn a_host_that_starts_anew_finds_everybody_again() {
    let mut hall = Hall::new(numbers(12));
    hall.run(10_000);
    hall.host = Host::new(LineSession(2), hall.now());
    hall.members.clear();
    hall.run(15_000);
    assert_eq!(hall.present(), hall.all());
    hall.play(3);
    hall.assert_all_told();
}

#[test]
fn a_node_that_babbles_does_not_keep_the_host_searching_for_ever() {
    let mut host = Host::new(LineSession(1), Millis(0));
    for turn in 0..3 * MOST_QUESTIONS {
        let now = Millis(turn * 100);
        host.next_frames(now);
        host.on_bytes(&[0x55; 20], now);
        assert!(host.search.len() <= 2 * MOST_QUESTIONS as usize);
    }
}
