use std::collections::BTreeMap;

use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, Body, Capabilities, DeviceUid, FromDevice, Half, HealthFault, Hello, Left, Record, ResetCause,
    ToDevice,
};

use super::*;
use crate::Config;
use crate::journal::tests::{LATE, nth};
use crate::model_flash::{Dice, ModelFlash};

const UNIT: usize = 512;
const UNITS: usize = 8;

type Flash = ModelFlash<UNIT>;

/// A clock with a log, on its bench.
struct Bench {
    device: Box<Device>,
    spill: Spill<Flash>,
    now: u32,
    lever: Half,
}

fn config(boot: u32) -> Config {
    Config {
        uid: DeviceUid(1),
        boot: BootId(boot),
        firmware: 1,
        hardware: 1,
        reset: ResetCause::PowerOn,
        capabilities: Capabilities { board: None, clock: true },
        address: Address::POINT_TO_POINT,
        pace: Pace { first_retry: Millis(1 << 30), ..Pace::SERIAL },
    }
}

impl Bench {
    /// It starts with what is in its flash.
    fn start(boot: u32, flash: Flash) -> Bench {
        let mut bench = Bench::new(boot, flash);
        bench.spill.hand_over(&mut bench.device).expect("the flash can be read");
        bench
    }

    fn new(boot: u32, flash: Flash) -> Bench {
        let device = Box::new(Device::new(config(boot), Millis(0)));
        let range = 0..flash.bytes.len() as u32;
        let spill = Spill::new(flash, range);
        Bench { device, spill, now: 0, lever: Half::A }
    }

    /// The power goes and comes again.
    fn power_cut(self, boot: u32) -> Bench {
        let mut flash = self.spill.flash;
        flash.power = u32::MAX;
        Bench::start(boot, flash)
    }

    fn write(&mut self) -> Result<(), FlashFailed> {
        self.spill.write(&mut self.device)
    }

    /// Somebody presses: a record.
    fn press(&mut self) {
        self.now += 100;
        self.device.on_lever(self.lever, Millis(self.now));
        self.lever = self.lever.other();
    }

    fn wait(&mut self, long: u32) {
        self.now += long;
        self.device.poll(Millis(self.now));
    }

    fn hears(&mut self, message: ToDevice) {
        self.device.on_message_at(message, Millis(self.now));
    }

    /// What it says once everything is written, or the flash takes nothing.
    fn says(&mut self) -> Vec<FromDevice> {
        self.device.poll(Millis(self.now));
        let _ = self.write();
        self.says_unwritten()
    }

    fn says_unwritten(&mut self) -> Vec<FromDevice> {
        std::iter::from_fn(|| self.device.next_message_at(Millis(self.now))).collect()
    }

    fn records(&mut self) -> Vec<(u32, u32)> {
        let number = |said| {
            if let FromDevice::Record(boot, record) = said { Some((boot.0, record.seq.0)) } else { None }
        };
        self.says().into_iter().filter_map(number).collect()
    }

    /// A host takes all that it says; what it says of how its records are kept.
    fn takes_all_and_says_how_it_keeps(&mut self) -> Vec<bool> {
        let mut unkept = vec![];
        loop {
            let mut last = None;
            for said in self.says() {
                let FromDevice::Record(boot, record) = said else { continue };
                last = Some((boot, record.seq));
                if let Body::Health(HealthFault::Unkept(is)) = record.body {
                    unkept.push(is);
                }
            }
            let Some((boot, upto)) = last else { return unkept };
            self.hears(ToDevice::Ack { boot, upto });
        }
    }

    fn ack(&mut self, boot: u32, upto: u32) {
        self.hears(ToDevice::Ack { boot: BootId(boot), upto: Seq(upto) });
    }
}

/// A bench with room for records, in its first start.
fn bench() -> Bench {
    let mut bench = Bench::start(1, Flash::of_pages(UNITS));
    bench.make_all_room();
    bench
}

/// A flash that something else was written to before.
fn used_flash(pages: usize) -> Flash {
    let mut flash = Flash::of_pages(pages);
    flash.bytes.iter_mut().step_by(100).for_each(|byte| *byte = 0x5a);
    flash
}

#[test]
fn a_flash_with_something_else_in_it_is_erased_unit_by_unit() {
    let mut bench = Bench::start(1, used_flash(UNITS));
    bench.press();
    assert_eq!(bench.write(), Err(FlashFailed), "there is no room yet");
    assert!(matches!(bench.says()[0], FromDevice::Hello(_)), "nothing waits for it");
    bench.wait(1_000);
    bench.spill.make_room(Millis(bench.now)).unwrap();
    assert_eq!(bench.spill.flash.erased, 1);
    bench.write().unwrap();
    let mut bench = bench.power_cut(2);
    let kept = [(1, 1), (1, 2), (1, 3), (1, 4)];
    assert_eq!(bench.records(), kept, "what had no room before is written too, and what was told of that");
    bench.make_all_room();
    assert_eq!(bench.spill.flash.erased, UNITS as u32);
}

impl Bench {
    fn make_all_room(&mut self) {
        for _ in 0..UNITS {
            self.wait(1_000);
            let _ = self.spill.make_room(Millis(self.now));
        }
    }
}

#[test]
fn nothing_is_told_before_it_is_written() {
    let mut bench = bench();
    bench.press();
    assert_eq!(bench.says_unwritten(), []);
    bench.write().unwrap();
    assert!(matches!(bench.says()[0], FromDevice::Hello(_)));
}

#[test]
fn what_nobody_took_comes_first_under_its_own_start_and_then_the_device_greets() {
    let mut bench = bench();
    bench.press();
    bench.press();
    bench.write().unwrap();
    let mut bench = bench.power_cut(2);
    bench.wait(500);
    bench.write().unwrap();
    let said = bench.says();
    let FromDevice::Left(Hello { boot: BootId(2), oldest: Seq(1), .. }, left) = said[0] else {
        panic!("{said:?}")
    };
    let last = Millis(8_200);
    assert_eq!(left, Left { boot: BootId(1), oldest: Seq(1), next: Seq(4), last, ago: Millis(500) });
    assert_eq!(said.len(), 4, "its own records wait: {said:?}");
    bench.ack(1, 2);
    assert_eq!(bench.says(), []);
    bench.ack(2, 1);
    assert!(matches!(bench.says()[..], [FromDevice::Left(..)]), "it is not that start's turn");
    bench.ack(1, 3);
    let said = bench.says();
    assert!(matches!(said[0], FromDevice::Hello(Hello { boot: BootId(2), .. })), "{said:?}");
    assert!(matches!(said[1], FromDevice::Record(BootId(2), Record { seq: Seq(1), .. })), "{said:?}");
}

#[test]
fn what_several_starts_left_comes_start_by_start_each_with_its_age() {
    let mut bench = bench();
    bench.press();
    bench.write().unwrap();
    for boot in 2..=3 {
        bench = bench.power_cut(boot);
        bench.wait(1_000);
        bench.press();
        bench.write().unwrap();
    }
    let mut bench = bench.power_cut(4);
    bench.wait(70);
    bench.write().unwrap();
    let mut lefts = vec![];
    let mut records = vec![];
    loop {
        let said = bench.says();
        if said.is_empty() {
            break;
        }
        for said in said {
            if let FromDevice::Left(_, left) = said {
                lefts.push((left.boot.0, left.last.0, left.ago.0));
            } else if let FromDevice::Record(boot, record) = said {
                records.push((boot.0, record.seq.0));
                bench.hears(ToDevice::Ack { boot, upto: record.seq });
            }
        }
    }
    assert_eq!(lefts, [(1, 8_100, 2_270), (2, 1_100, 1_170), (3, 1_100, 70)]);
    assert_eq!(records, [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1)]);
}

#[test]
fn what_was_taken_does_not_come_again_once_that_is_noted() {
    let mut bench = bench();
    bench.press();
    bench.write().unwrap();
    bench.says();
    bench.ack(1, 2);
    bench.write().unwrap();
    let mut again = Bench::start(2, bench.spill.flash.clone());
    assert_eq!(
        again.records(),
        [(2, 1)],
        "taken and noted at once, for nothing was noted in the last second"
    );
    bench.press();
    bench.write().unwrap();
    bench.says();
    bench.ack(1, 3);
    bench.write().unwrap();
    let mut again = Bench::start(2, bench.spill.flash.clone());
    assert_eq!(again.records(), [(1, 3)], "within the same second it is not noted");
    bench.wait(1_000);
    bench.write().unwrap();
    assert_eq!(bench.power_cut(2).records(), [(2, 1)]);
}

/// How many bytes this takes to write.
fn cost(work: impl Fn(&mut Bench) -> Result<(), FlashFailed>) -> u32 {
    let mut bench = bench();
    let before = bench.spill.flash.power;
    work(&mut bench).unwrap();
    before - bench.spill.flash.power
}

#[test]
fn whatever_byte_the_power_goes_at_what_was_told_of_comes_back_and_nothing_is_invented() {
    let work = |bench: &mut Bench| {
        for _ in 0..40 {
            bench.press();
            bench.write()?;
        }
        Ok(())
    };
    for power in 0..cost(work) {
        let mut bench = bench();
        bench.spill.flash.power = power;
        bench.spill.flash.dice = Some(Dice(power.into()));
        assert!(work(&mut bench).is_err());
        // The one that was being written may be there or not.
        let made = bench.device.next_seq().0 - 1;
        let unwritten = bench.device.journal.unwritten(&mut [0; 255]).map_or(0, |(seq, _)| made + 1 - seq.0);
        let told: Vec<_> = (1..=made - unwritten).map(|seq| (1, seq)).collect();
        let mut bench = bench.power_cut(2);
        let kept = bench.records();
        assert!(kept.starts_with(&told) && kept.len() as u32 <= made, "byte {power}: {kept:?} of {made}");
        // And the log takes more.
        bench.press();
        bench.write().unwrap();
        let mut bench = bench.power_cut(3);
        assert!(bench.records().starts_with(&kept), "byte {power}");
    }
}

#[test]
fn a_log_that_is_full_keeps_what_it_has_and_the_device_goes_on_without_it_and_tells() {
    let mut bench = bench();
    let mut failed = 0;
    for _ in 0..400 {
        bench.press();
        failed += u32::from(bench.write().is_err());
    }
    assert_eq!(failed, 1);
    assert!(matches!(bench.says()[0], FromDevice::Hello(_)), "it is not held up");
    // A host takes everything; when nobody plays there is room again.
    bench.hears(ToDevice::Identify);
    assert_eq!(bench.takes_all_and_says_how_it_keeps(), [true], "it is told once");
    bench.wait(1_000);
    bench.write().unwrap();
    bench.make_all_room();
    bench.press();
    bench.write().unwrap();
    let mut bench = bench.power_cut(2);
    assert_eq!(bench.records(), [(1, 403), (1, 404)]);
    bench.hears(ToDevice::Identify);
    assert_eq!(bench.takes_all_and_says_how_it_keeps(), [false], "all is written again");
}

#[test]
fn a_flash_that_takes_nothing_is_told_once_and_that_it_takes_all_again_when_nothing_waits() {
    let mut bench = bench();
    bench.press();
    bench.write().unwrap();
    bench.spill.flash.power = 0;
    for _ in 0..5 {
        bench.press();
        assert_eq!(bench.write(), Err(FlashFailed));
    }
    bench.spill.flash.power = u32::MAX;
    bench.press();
    bench.write().unwrap();
    assert_eq!(bench.takes_all_and_says_how_it_keeps(), [true, false]);
    bench.press();
    bench.write().unwrap();
    assert_eq!(bench.takes_all_and_says_how_it_keeps(), [false; 0]);
}

#[test]
fn units_are_erased_only_when_all_in_them_is_taken_and_all_of_them_in_turn() {
    let mut bench = bench();
    assert_eq!(bench.spill.flash.erased, 0, "a new flash is erased");
    for _ in 0..60 {
        bench.press();
        bench.write().unwrap();
    }
    bench.make_all_room();
    assert_eq!(bench.spill.flash.erased, 0, "nothing of it is taken");
    for _ in 0..100 {
        for _ in 0..30 {
            bench.press();
            bench.write().unwrap();
        }
        while let Some(&(boot, last)) = bench.records().last() {
            bench.ack(boot, last);
        }
        bench.wait(1_000);
        bench.write().unwrap();
        bench.make_all_room();
    }
    let written: u32 = u32::MAX - bench.spill.flash.power;
    let erased = bench.spill.flash.erased;
    assert!(erased <= written / UNIT as u32 + UNITS as u32, "{erased} erasures for {written} bytes");
    assert!(!bench.spill.full);
}

#[test]
fn all_that_the_memory_holds_of_a_long_game_is_written_without_an_erasure() {
    const UNIT: usize = 4_096;
    const UNITS: usize = 64;
    let mut device = Box::new(Device::new(config(1), Millis(0)));
    let mut spill = Spill::new(ModelFlash::<UNIT>::of_pages(UNITS), 0..(UNIT * UNITS) as u32);
    spill.hand_over(&mut device).unwrap();
    spill.make_room(Millis(0)).unwrap();
    let before = spill.flash.power;
    for index in 0..4_096 {
        device.journal.record(Millis(LATE + index), nth(index));
        spill.write(&mut device).unwrap();
    }
    let bytes = before - spill.flash.power;
    println!("{bytes} bytes for 4,096 records of a game");
    assert!(!spill.full && spill.flash.erased == 0);
    assert!(bytes as usize * 3 < UNIT * UNITS, "three such games fit between two moments of peace");
    // Nobody took any of it.
    let mut device = Box::new(Device::new(config(2), Millis(0)));
    Spill::new(spill.into_flash(), 0..(UNIT * UNITS) as u32).hand_over(&mut device).unwrap();
    assert_eq!((device.backlog(), device.overflowed()), (4_096, 0));
}

#[test]
fn records_of_a_count_of_starts_that_was_lost_are_given_up() {
    let mut bench = Bench::start(9, Flash::of_pages(UNITS));
    bench.make_all_room();
    bench.press();
    bench.write().unwrap();
    let mut bench = bench.power_cut(1);
    bench.press();
    bench.write().unwrap();
    assert_eq!(bench.records(), [(1, 1), (1, 2)]);
    let mut bench = bench.power_cut(2);
    assert_eq!(bench.records(), [(1, 1), (1, 2)]);
}

#[test]
fn a_start_that_could_not_be_counted_leaves_the_log_alone() {
    let mut bench = bench();
    bench.press();
    bench.write().unwrap();
    let mut flash = bench.spill.flash;
    flash.power = u32::MAX;
    let mut uncounted = Bench::new(0, flash.clone());
    assert_eq!(uncounted.spill.hand_over(&mut uncounted.device), Err(FlashFailed));
    uncounted.press();
    uncounted.write().unwrap();
    assert_eq!(uncounted.spill.flash.bytes, flash.bytes);
    assert_eq!(uncounted.records(), [(0, 1), (0, 2)]);
}

/// A host that forgets nothing.
#[derive(Default)]
struct Host {
    has: BTreeMap<BootId, Vec<Record>>,
}

impl Host {
    /// Takes the records that come next; acknowledges what it has.
    fn hears(&mut self, bench: &mut Bench, most: usize) {
        for said in bench.says().into_iter().take(most) {
            let FromDevice::Record(boot, record) = said else { continue };
            let has = self.has.entry(boot).or_default();
            if has.len() as u32 + 1 == record.seq.0 {
                has.push(record);
            }
            let upto = Seq(has.len() as u32);
            assert!(upto >= record.seq, "record {} of start {boot} came after {upto}", record.seq);
            bench.hears(ToDevice::Ack { boot, upto });
        }
        bench.hears(ToDevice::Identify);
    }

    /// Takes all that the device has.
    fn drains(&mut self, bench: &mut Bench) {
        for _ in 0..5_000 {
            if bench.device.backlog() == 0 {
                return;
            }
            self.hears(bench, 1_000);
        }
        panic!("the device does not come to an end");
    }
}

fn times(records: &[Record]) -> Vec<u32> {
    records.iter().map(|record| record.at.0).collect()
}

#[test]
fn over_thousands_of_power_cuts_every_record_told_of_reaches_the_host_once_and_in_order() {
    for seed in 0..1_500 {
        let mut dice = Dice(seed);
        let mut host = Host::default();
        // The times of the records that each start told of.
        let mut told: BTreeMap<BootId, Vec<u32>> = BTreeMap::new();
        let first = if seed % 2 == 0 { Flash::of_pages(4 * UNITS) } else { used_flash(4 * UNITS) };
        let mut bench = Bench::start(1, first);
        (0..4).for_each(|_| bench.make_all_room());
        bench.spill.flash.dice = Some(Dice(seed + 1_000_000));
        for boot in 1..=12 {
            bench.spill.flash.power = dice.below(3_000);
            if dice.below(4) == 0 {
                bench.spill.flash.power = u32::MAX;
            }
            let mut made = vec![];
            for _ in 0..dice.below(60) {
                let mut work = |bench: &mut Bench| -> Result<(), FlashFailed> {
                    match dice.below(8) {
                        0 => bench.wait(700),
                        1 => bench.spill.make_room(Millis(bench.now))?,
                        2 => host.hears(bench, dice.below(6) as usize),
                        _ => bench.press(),
                    }
                    bench.write()
                };
                if work(&mut bench).is_err() {
                    break;
                }
                assert!(!bench.spill.full, "too little room for this test");
                // Whatever is new was made just now, but for how the clock stood at the start.
                let count = bench.device.next_seq().0 as usize - 1;
                if made.is_empty() && count > 0 {
                    made.push(0);
                }
                made.resize(count, bench.now);
            }
            told.insert(BootId(boot), made);
            // Gone in the midst of it, or between two steps.
            bench = bench.power_cut(boot + 1);
            bench.wait(1_000);
            bench.write().unwrap();
            bench.make_all_room();
            // A host is there now and then, so that the log never is full.
            if dice.below(2) == 0 {
                host.drains(&mut bench);
                bench.wait(1_000);
                bench.write().unwrap();
                bench.make_all_room();
            }
        }
        host.drains(&mut bench);
        for (boot, told) in told {
            let has = host.has.get(&boot).map(|records| times(records)).unwrap_or_default();
            assert!(has.starts_with(&told), "seed {seed}, start {boot}: {has:?} of {told:?}");
        }
    }
}
