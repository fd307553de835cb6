//! A clock against a free-running counter over a game of two hours and more: presses, stops, added time, resets of the
//! controller, looks at odd moments. To the millisecond, nothing is lost and nothing is gained.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

use device::{Config, Device};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, Body, BootId, ByHalf, Capabilities, ClockFace, ClockSetting, CmdId, Command, DeviceUid,
    FrameReader, FromDevice, Half, MAX_FRAME, Millis, ResetCause, ToDevice, encode,
};
use proptest::prelude::*;

const TWO_HOURS: u32 = 2 * 60 * 60 * 1_000;

/// What can happen at a table.
#[derive(Clone, Copy, Debug)]
enum Deed {
    /// Whoever's time runs presses.
    Press,
    /// The other one presses, whose lever is down.
    PressAgain,
    /// An arbiter stops both times, for so long.
    Stop(u32),
    /// An arbiter gives both so much more.
    Add(u32),
    /// Nothing but a look at the clock.
    Look,
    /// The controller starts anew at once, with what it had kept in registers.
    Reset,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        12 => Just(Deed::Press),
        1 => Just(Deed::PressAgain),
        2 => (1..90_000_u32).prop_map(Deed::Stop),
        1 => (1..120_000_u32).prop_map(Deed::Add),
        6 => Just(Deed::Look),
        1 => Just(Deed::Reset),
    ]
}

/// The clock, and beside it a counter that only adds and subtracts.
struct Bench {
    device: Box<Device>,
    reader: FrameReader<FromDevice>,
    counter: u32,
    /// The counter when this controller started.
    started: u32,
    boot: u32,
    commands: u32,
    left: ByHalf<u32>,
    running: Option<Half>,
    increment: u32,
}

fn started(boot: u32) -> Config {
    Config {
        uid: DeviceUid(1),
        boot: BootId(boot),
        firmware: 1,
        hardware: 1,
        reset: ResetCause::Watchdog,
        capabilities: Capabilities { board: None, clock: true },
        address: Address::POINT_TO_POINT,
        pace: Pace::SERIAL,
    }
}

impl Bench {
    fn new(each: u32, increment: u32) -> Bench {
        let mut bench = Bench {
            device: Box::new(Device::new(started(1), Millis(0))),
            reader: FrameReader::new(),
            counter: 0,
            started: 0,
            boot: 1,
            commands: 0,
            left: ByHalf { a: each, b: each },
            running: None,
            increment,
        };
        bench.set();
        bench
    }

    fn now(&self) -> Millis {
        Millis(self.counter - self.started)
    }

    fn face(&self) -> ClockFace {
        ClockFace { left: ByHalf { a: Millis(self.left.a), b: Millis(self.left.b) }, running: self.running }
    }

    fn command(&mut self, command: Command) {
        self.commands += 1;
        let mut frame = [0; MAX_FRAME];
        let message = ToDevice::Command(CmdId(self.commands), command);
        let used = encode(Address::POINT_TO_POINT, &message, &mut frame).unwrap();
        self.device.on_bytes(&frame[..used], self.now());
    }

    /// Sets the clock to what the counter says.
    fn set(&mut self) {
        let setting = ClockSetting { face: self.face(), increment: Millis(self.increment) };
        self.command(Command::SetClock(setting));
    }

    /// Time passes; the controller is woken at its own moments, or late.
    fn pass(&mut self, millis: u32, polls: u32) {
        for part in 0..=polls {
            let step = millis / (polls + 1) + if part == 0 { millis % (polls + 1) } else { 0 };
            self.counter += step;
            if let Some(half) = self.running {
                self.left[half] -= step;
            }
            self.device.poll(self.now());
        }
    }

    fn press(&mut self, half: Half) {
        self.device.on_lever(half, self.now());
        if self.running.is_none_or(|running| running == half) {
            if self.running == Some(half) {
                self.left[half] += self.increment;
            }
            self.running = Some(half.other());
        }
    }

    fn reset(&mut self) {
        let kept = self.device.kept_clock();
        self.boot += 1;
        self.started = self.counter;
        *self.device = Device::restarted(started(self.boot), kept, Millis(0));
        self.reader = FrameReader::new();
    }

    /// The faces that its records tell, acknowledged as they come.
    fn told(&mut self) -> Vec<Body> {
        let mut told = vec![];
        let mut out = [0; 4_096];
        loop {
            let used = self.device.take_output(&mut out);
            let mut last = None;
            self.reader.push_all(&out[..used], |outcome| {
                if let FromDevice::Record(_, record) = outcome.unwrap().1 {
                    last = Some(record.seq);
                    told.push(record.body);
                }
            });
            let Some(upto) = last else { return told };
            let mut frame = [0; MAX_FRAME];
            let ack = ToDevice::Ack { boot: BootId(self.boot), upto };
            let used = encode(Address::POINT_TO_POINT, &ack, &mut frame).unwrap();
            self.device.on_bytes(&frame[..used], self.now());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_clock_neither_loses_nor_gains_a_millisecond_in_two_hours(
        deeds in prop::collection::vec((deed(), 60..20_000_u32, 0..4_u32), 1_200),
        increment in prop_oneof![Just(0), Just(5_000), 1..60_000_u32],
    ) {
        // So much time that no flag falls, however long one side thinks.
        let each = 10 * TWO_HOURS;
        let mut bench = Bench::new(each, increment);
        bench.press(Half::B);
        let (mut ran, mut added) = (0_u64, 0_u64);
        for (deed, wait, polls) in deeds {
            bench.pass(wait, polls);
            ran += u64::from(wait);
            let running = bench.running.unwrap();
            match deed {
                Deed::Press => {
                    bench.press(running);
                    added += u64::from(increment);
                    let press = Body::Press(running, bench.face());
                    prop_assert!(bench.told().contains(&press), "the record tells the times after the press");
                }
                Deed::PressAgain => bench.press(running.other()),
                Deed::Stop(millis) => {
                    bench.command(Command::Pause);
                    bench.running = None;
                    bench.pass(millis, polls);
                    prop_assert_eq!(bench.device.face(), Some(bench.face()));
                    bench.command(Command::Run(running));
                    bench.running = Some(running);
                }
                Deed::Add(millis) => {
                    for half in Half::ALL {
                        bench.left[half] += millis;
                    }
                    added += 2 * u64::from(millis);
                    bench.set();
                }
                Deed::Look => {}
                Deed::Reset => bench.reset(),
            }
            bench.told();
            prop_assert_eq!(bench.device.face(), Some(bench.face()));
        }
        prop_assert!(bench.counter >= TWO_HOURS, "it was a game of {} ms only", bench.counter);
        let left = u64::from(bench.left.a) + u64::from(bench.left.b);
        prop_assert_eq!(left, 2 * u64::from(each) + added - ran, "all that ran was somebody's, and nothing else");
    }
}
