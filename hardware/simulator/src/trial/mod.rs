//! Trials of the tracker: hands, device code and tracker in virtual time, without a port between them.

mod score;
mod summary;

use std::sync::Arc;

use capture::{Cost, Finding, Params, PlyNo, Seating, Seen, Tracker, What};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, Body, BootId, ByHalf, Cell, ClockFace, ClockSetting, CmdId, Command, Epoch, FrameReader,
    FromDevice, Half, HealthFault, MAX_FRAME, Millis, Observation, Record, SensingKind, Sighting, ToDevice,
    encode,
};
use xiangqi::{Move, Position};

use crate::dice::Dice;
use crate::games::Source;
use crate::hands::Order;
use crate::noise::{Dead, Noise};
use crate::table::{PlayedGame, PortKind, TableConfig, VirtualTable, uid};
pub use score::{Recall, Score};
pub use summary::{Quantiles, Summary};

/// What is tried.
#[derive(Clone, Debug)]
pub struct Trials {
    /// The games.
    pub games: Arc<Source>,
    /// The noise.
    pub noise: Noise,
    /// What the board senses.
    pub sensing: SensingKind,
    /// The seed.
    pub seed: u64,
    /// The tracker's numbers.
    pub params: Params,
    /// So many of the tracker's beliefs are kept at every step, for drawing; 0: none.
    pub beliefs: usize,
}

/// Readings of a game that a tracker followed: what each cost more than the best, and its plies that were not locked.
pub type Beliefs = Vec<(Cost, Vec<Move>)>;

/// One game tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What was played.
    pub played: PlayedGame,
    /// The plies that the tracker read in the end.
    pub read: Vec<Move>,
    /// Everything that it said, and when.
    pub said: Vec<(Epoch, Finding)>,
    /// Whether an alert was open at the end.
    pub in_doubt: bool,
    /// Everything that was seen, in the order of arrival.
    pub seen: Vec<Seen>,
    /// What the tracker believed, and when: prices and plies that are not locked.
    pub believed: Vec<(Epoch, Beliefs)>,
    /// What the board senses.
    pub sensing: SensingKind,
    /// Plies that were recorded after the result was known.
    pub after_end: usize,
}

/// Base time and increment of the trials: 25 min + 5 s.
const BASE: Millis = Millis(25 * 60_000);
const INCREMENT: Millis = Millis(5_000);
/// The half that plays Red.
const SEATING: Seating = Seating { red: Half::A };
/// The board's port.
const BOARD: usize = 0;
/// A result is told at most so late, ms.
const RESULT_AFTER: i64 = 20_000;
/// Where records get lost the image is asked for this often, ms.
const SNAPSHOT_EVERY: i64 = 5_000;

impl Trials {
    /// Plays and follows game `number`.
    #[must_use]
    pub fn run(&self, number: u64) -> Trial {
        let dice = Dice::new(self.seed).branch(number);
        let config = TableConfig {
            table: 1,
            seed: dice.seed(),
            noise: self.noise.clone(),
            sensing: self.sensing,
            combined: false,
            red: Half::A,
            boot: BootId(1),
            pace: Pace::SERIAL,
            started: Epoch(0),
            games_before: 0,
            resume: None,
            games: Arc::new(Source::Record(vec![self.games.game(number, self.seed)])),
        };
        let table = VirtualTable::new(config);
        let readers = table.ports().iter().map(|_| FrameReader::new()).collect();
        let tracker = Tracker::new(Position::start(), self.params.clone(), Epoch(0));
        let run = Run {
            trials: self,
            table,
            tracker,
            readers,
            loss: dice.branch(7),
            command: 0,
            said: Vec::new(),
            seen: Vec::new(),
            believed: Vec::new(),
            now: 0,
            turned: false,
            result: dice.branch(11),
        };
        run.play()
    }
}

struct Run<'a> {
    trials: &'a Trials,
    table: VirtualTable,
    tracker: Tracker,
    readers: Vec<FrameReader<FromDevice>>,
    loss: Dice,
    command: u32,
    said: Vec<(Epoch, Finding)>,
    seen: Vec<Seen>,
    believed: Vec<(Epoch, Beliefs)>,
    now: i64,
    /// Whether the board's points are read from the other side.
    turned: bool,
    /// How late the result is told.
    result: Dice,
}

impl Run<'_> {
    fn play(mut self) -> Trial {
        let clock = self.table.ports().iter().position(|kind| *kind != PortKind::Board).unwrap_or(0);
        self.poll(100);
        let left = ByHalf { a: BASE, b: BASE };
        let face = ClockFace { left, running: None };
        self.send(clock, Command::SetClock(ClockSetting { face, increment: INCREMENT }));
        let mut next_snapshot = SNAPSHOT_EVERY;
        let played = loop {
            if let Some(played) = self.table.take_played() {
                break played;
            }
            self.step(clock);
            if self.trials.noise.loss > 0.0 && self.now >= next_snapshot {
                next_snapshot += SNAPSHOT_EVERY;
                self.send(BOARD, Command::Snapshot);
            }
        };
        let ended = played.ended;
        // The board is not put away when the game ends, and the result may be told late.
        let told = self.now + if self.table.rests() { 0 } else { self.result.between(0, RESULT_AFTER) };
        while self.now < told && !self.table.rests() {
            self.step(clock);
        }
        let closing = self.tracker.close(ended);
        self.say(closing);
        let in_doubt = self.tracker.in_doubt();
        let read: Vec<Move> = self.tracker.plies().iter().map(|ply| ply.mv).collect();
        while !self.table.rests() {
            self.step(clock);
        }
        let after_end = self.tracker.plies().len().saturating_sub(read.len());
        let Run { trials, said, seen, believed, .. } = self;
        Trial { played, read, said, in_doubt, seen, believed, sensing: trials.sensing, after_end }
    }

    /// Lets time pass up to whatever comes next.
    fn step(&mut self, clock: usize) {
        let wakes = self.tracker.poll_timeout().map_or(i64::MAX, |(at, _)| at.0);
        self.poll(self.table.poll_timeout().min(wakes).max(self.now));
        while let Some(order) = self.table.take_order() {
            self.carry_out(order, clock);
        }
    }

    fn carry_out(&mut self, order: Order, clock: usize) {
        match order {
            Order::Pause => self.send(clock, Command::Pause),
            Order::Run(side) => self.send(clock, Command::Run(SEATING.half(side))),
            Order::TakeBack(from) => {
                let findings = self.tracker.correct(PlyNo(from), &[], Epoch(self.now));
                self.say(findings);
            }
            Order::TurnBoard => {
                self.turned = true;
                self.send(BOARD, Command::Snapshot);
            }
            Order::Cables { .. } => {}
        }
    }

    fn poll(&mut self, now: i64) {
        self.now = now;
        self.table.poll(now);
        for port in 0..self.readers.len() {
            let mut bytes = Vec::new();
            self.table.take_output(port, &mut bytes);
            for byte in bytes {
                if let Some(Ok((_, message))) = self.readers[port].push(byte) {
                    self.receive(port, message);
                }
            }
        }
        let findings = self.tracker.on_time(Epoch(now));
        self.say(findings);
    }

    fn receive(&mut self, port: usize, message: FromDevice) {
        let FromDevice::Record(boot, record) = message else { return };
        self.answer(port, ToDevice::Ack { boot, upto: record.seq });
        let lost = matches!(record.body, Body::Point(..)) && self.loss.chance(self.trials.noise.loss);
        let of_clock = match record.body {
            Body::Press(..) | Body::Flag(..) | Body::Clock(_) => true,
            Body::Point(..) | Body::Snapshot(_) | Body::Signal(..) | Body::Marker(_) | Body::Health(_) => {
                false
            }
        };
        if lost || of_clock && !self.trials.noise.clock {
            return;
        }
        self.observe(record, boot);
        if matches!(record.body, Body::Snapshot(_)) && self.trials.noise.dead == Dead::Known {
            self.self_test(record);
        }
    }

    /// The board's self-test names the dead point, with its first image.
    fn self_test(&mut self, record: Record) {
        let Some(point) = self.table.dead() else { return };
        let cell = Cell::new(point.index() as u8).expect("points are cells here: half A plays Red");
        let what = What::Health(HealthFault::DeadCell(cell), Some(point));
        self.see(Seen { at: Epoch(i64::from(record.at.0)), what });
    }

    fn observe(&mut self, record: Record, boot: BootId) {
        let observation = Observation {
            device: uid(1, PortKind::Board),
            at: Epoch(i64::from(record.at.0)),
            sighting: Sighting::Record(boot, record),
        };
        let of_board = matches!(record.body, Body::Point(..) | Body::Snapshot(_));
        let seating = if of_board && self.turned { Seating { red: Half::B } } else { SEATING };
        for seen in seating.see(&observation) {
            self.see(seen);
        }
    }

    fn see(&mut self, seen: Seen) {
        let findings = self.tracker.on_seen(&seen);
        self.seen.push(seen);
        self.say(findings);
    }

    fn say(&mut self, findings: Vec<Finding>) {
        let now = Epoch(self.now);
        let beliefs = self.tracker.beliefs(self.trials.beliefs);
        if self.believed.last().is_none_or(|(_, last)| *last != beliefs) {
            self.believed.push((now, beliefs));
        }
        self.said.extend(findings.into_iter().map(|finding| (now, finding)));
    }

    fn send(&mut self, port: usize, command: Command) {
        self.command += 1;
        self.answer(port, ToDevice::Command(CmdId(self.command), command));
    }

    fn answer(&mut self, port: usize, message: ToDevice) {
        let mut out = [0; MAX_FRAME];
        let used =
            encode(Address::POINT_TO_POINT, &message, &mut out).expect("every message fits into a frame");
        self.table.on_bytes(port, &out[..used]);
    }
}
