//! Trials of the tracker: hands, device code and tracker in virtual time, without a port between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use capture::{Cost, Finding, Params, Seating, Seen, Tracker, What};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, Body, BootId, ByHalf, Cell, ClockFace, ClockSetting, CmdId, Command, Epoch, FrameReader,
    FromDevice, Half, HealthFault, MAX_FRAME, Millis, Observation, Record, SensingKind, Sighting, ToDevice,
    encode,
};
use serde::Serialize;
use xiangqi::{Move, Position};

use crate::dice::Dice;
use crate::games::Source;
use crate::noise::{Dead, Noise};
use crate::table::{PlayedGame, PortKind, TableConfig, VirtualTable, uid};

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
}

/// Base time and increment of the trials: 25 min + 5 s.
const BASE: Millis = Millis(25 * 60_000);
const INCREMENT: Millis = Millis(5_000);
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
}

impl Run<'_> {
    fn play(mut self) -> Trial {
        let clock = self.table.ports().iter().position(|kind| *kind != PortKind::Board).unwrap_or(0);
        let board = 0;
        self.poll(100);
        let left = ByHalf { a: BASE, b: BASE };
        let face = ClockFace { left, running: None };
        self.send(clock, Command::SetClock(ClockSetting { face, increment: INCREMENT }));
        let mut next_snapshot = SNAPSHOT_EVERY;
        let played = loop {
            if let Some(played) = self.table.take_played() {
                break played;
            }
            let wakes = self.tracker.poll_timeout().map_or(i64::MAX, |(at, _)| at.0);
            self.poll(self.table.poll_timeout().min(wakes).max(self.now));
            if self.trials.noise.loss > 0.0 && self.now >= next_snapshot {
                next_snapshot += SNAPSHOT_EVERY;
                self.send(board, Command::Snapshot);
            }
        };
        let ended = played.ended;
        for finding in self.tracker.close(ended) {
            self.said.push((ended, finding));
        }
        let in_doubt = self.tracker.in_doubt();
        let read = self.tracker.plies().iter().map(|ply| ply.mv).collect();
        Trial { played, read, said: self.said, in_doubt, seen: self.seen, believed: self.believed }
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
        for seen in (Seating { red: Half::A }).see(&observation) {
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

/// What many trials came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Games tried.
    pub games: u64,
    /// Games of which exactly the plies played were recorded.
    pub exact: u64,
    /// Plies played.
    pub plies: u64,
    /// Plies recorded as played, up to each game's first difference.
    pub plies_right: u64,
    /// Plies that were confirmed and were not played so.
    pub wrong_confirmed: u64,
    /// Provisional plies said and then not played so.
    pub wrong_provisional: u64,
    /// Games that are not exact and carried no open alert at their end.
    pub silent_errors: u64,
    /// Alerts, by what they say.
    pub alerts: BTreeMap<&'static str, u64>,
    /// From placing to the first right and lasting reading, ms.
    pub provisional_ms: Quantiles,
    /// From the press to confirmation, ms.
    pub confirmed_ms: Quantiles,
    #[serde(skip)]
    provisional: Vec<i64>,
    #[serde(skip)]
    confirmed: Vec<i64>,
}

/// Quantiles of a latency.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Quantiles {
    /// Half are faster.
    pub p50: i64,
    /// 95 of 100 are faster.
    pub p95: i64,
    /// 99 of 100 are faster.
    pub p99: i64,
    /// The slowest.
    pub max: i64,
}

impl Quantiles {
    fn of(values: &mut [i64]) -> Quantiles {
        values.sort_unstable();
        let at = |share: f64| {
            values
                .get(((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1)))
                .copied()
                .unwrap_or(0)
        };
        Quantiles { p50: at(0.50), p95: at(0.95), p99: at(0.99), max: at(1.0) }
    }
}

impl Summary {
    /// Counts a trial.
    pub fn add(&mut self, trial: &Trial) {
        let Trial { played, read, said, in_doubt, .. } = trial;
        let right = played.moves.iter().zip(read).take_while(|(played, read)| played == read).count();
        let exact = &played.moves == read;
        self.games += 1;
        self.exact += u64::from(exact);
        self.plies += played.moves.len() as u64;
        self.plies_right += right as u64;
        self.silent_errors += u64::from(!exact && !in_doubt);
        let mut line: Vec<(Move, Epoch)> = Vec::new();
        let began = played.began.0;
        for (at, finding) in said {
            match finding {
                Finding::Read(ply) => {
                    let index = usize::from(ply.no.0) - 1;
                    line.truncate(index);
                    line.push((ply.mv, *at));
                    self.wrong_provisional += u64::from(played.moves.get(index) != Some(&ply.mv));
                }
                Finding::Withdrawn(no) => line.truncate(usize::from(no.0) - 1),
                Finding::Confirmed(no, _) => {
                    let index = usize::from(no.0) - 1;
                    let is_right = line.get(index).map(|(mv, _)| mv) == played.moves.get(index);
                    self.wrong_confirmed += u64::from(!is_right);
                    if let Some(ply) = played.plies.get(index).filter(|_| is_right)
                        && let Some(pressed) = ply.pressed
                    {
                        self.confirmed.push((at.0 - began - pressed.max(ply.placed)).max(0));
                    }
                }
                Finding::Locked(_) | Finding::SetUpRight | Finding::Restored(_) => {}
                Finding::Mismatch { .. }
                | Finding::Disturbed { .. }
                | Finding::PressWithoutMove(..)
                | Finding::TouchMove { .. }
                | Finding::Ambiguous { .. }
                | Finding::SetUp { .. }
                | Finding::BadPoint { .. } => {}
            }
            if let Some(code) = alert(finding) {
                *self.alerts.entry(code).or_default() += 1;
            }
        }
        for ((mv, at), ply) in line.iter().zip(&played.plies) {
            if *mv == ply.mv {
                self.provisional.push(at.0 - began - ply.placed);
            }
        }
    }

    /// Works out the quantiles.
    pub fn close(&mut self) {
        self.provisional_ms = Quantiles::of(&mut self.provisional);
        self.confirmed_ms = Quantiles::of(&mut self.confirmed);
    }
}

/// What an alert is counted as; `None`: it is none.
fn alert(finding: &Finding) -> Option<&'static str> {
    match finding {
        Finding::Read(ply) => ply.irregular.map(|_| "irregular"),
        Finding::Mismatch { .. } => Some("mismatch"),
        Finding::Disturbed { .. } => Some("disturbed"),
        Finding::PressWithoutMove(..) => Some("press_without_move"),
        Finding::TouchMove { .. } => Some("touch_move"),
        Finding::Ambiguous { .. } => Some("ambiguous"),
        Finding::SetUp { .. } => Some("set_up"),
        Finding::BadPoint { .. } => Some("bad_point"),
        Finding::Confirmed(..)
        | Finding::Locked(_)
        | Finding::Withdrawn(_)
        | Finding::Restored(_)
        | Finding::SetUpRight => None,
    }
}
