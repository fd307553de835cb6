//! One trial: a virtual table, the lines to its devices and a tracker, in virtual time.

mod hearing;
mod upsets;

use std::sync::Arc;

use capture::log::{Entry, Log};
use capture::{Finding, PlyState, Seating, Seen, Tracker, Waits};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    BootId, ByHalf, ClockFace, ClockSetting, CmdId, Command, Epoch, Half, Millis, ToDevice,
};
use xiangqi::{Move, Position};

use super::link::Link;
use super::outages::Outages;
use super::truth_log::tell_log;
use super::{Trial, Trials};
use crate::dice::Dice;
use crate::games::Source;
use crate::incidents::Row;
use crate::noise::Dead;
use crate::table::{TableConfig, VirtualTable};

/// Base time and increment of the trials: 25 min + 5 s.
const BASE: Millis = Millis(25 * 60_000);
const INCREMENT: Millis = Millis(5_000);
/// The half that plays Red.
const SEATING: Seating = Seating { red: Half::A };
pub(super) const BOARD: usize = 0;
const CLOCK: usize = 1;
/// A result is told at most so late, ms.
const RESULT_AFTER: i64 = 20_000;
/// A link that is down when the game ends is up again by then, ms.
const BACK_BY: i64 = 90_000;
/// Where records get lost the image is asked for this often, ms.
const SNAPSHOT_EVERY: i64 = 5_000;
/// Exchanged cables are found out so long after the first alert, or after the start if there was none, ms.
const CABLES_AFTER: (i64, i64) = (15_000, 600_000);

pub(super) struct Run<'a> {
    trials: &'a Trials,
    table: VirtualTable,
    /// The table with which the clock is exchanged, while it is.
    other: Option<Other>,
    tracker: Tracker,
    links: [Link; 2],
    outages: Outages,
    loss: Dice,
    /// How late the result is told.
    result: Dice,
    command: u32,
    said: Vec<(Epoch, Finding)>,
    /// What each confirmation waited for last, in their order.
    waited: Vec<Option<Waits>>,
    /// What the next one waits for.
    waits: Option<Waits>,
    log: Log,
    now: i64,
    /// Whether the board's points are read from the other side.
    turned: bool,
    /// What waits until both devices have told what came before it, as in a hall.
    held: Vec<Seen>,
    restarts_differing: u64,
    /// The result is known and the record closed.
    ended: bool,
}

/// Another table, whose clock's cable hangs here.
struct Other {
    table: VirtualTable,
    links: [Link; 2],
    /// What this table's own clock did meanwhile.
    own: Vec<Seen>,
    /// When somebody finds out.
    until: i64,
}

impl<'a> Run<'a> {
    pub fn new(trials: &'a Trials, number: u64) -> Run<'a> {
        let dice = Dice::new(trials.seed).branch(number);
        let incidents = &trials.noise.incidents;
        let mut chance = dice.branch(12);
        let drift = incidents.rate(Row::Drift) as i64;
        let config = TableConfig {
            table: 1,
            seed: dice.seed(),
            noise: trials.noise.clone(),
            sensing: trials.sensing,
            combined: false,
            red: Half::A,
            boot: BootId(1),
            pace: Pace::SERIAL,
            started: Epoch(0),
            games_before: 0,
            resume: None,
            games: Arc::new(Source::Record(vec![trials.games.game(number, trials.seed)])),
            ppm: [chance.between(-drift, drift) as i32, chance.between(-drift, drift) as i32],
            flash: incidents.rate(Row::DeviceReset) > 0.0,
        };
        // Two of thirty tables are concerned.
        let exchanged = chance.chance(incidents.rate(Row::Cables) * 2.0 / 30.0);
        let other = exchanged.then(|| Other {
            table: VirtualTable::new(TableConfig {
                table: 2,
                games: Arc::new(Source::Record(vec![trials.games.game(number + 1, trials.seed)])),
                ..config.clone()
            }),
            links: [Link::new(BOARD), Link::new(CLOCK)],
            own: Vec::new(),
            until: CABLES_AFTER.1,
        });
        Run {
            trials,
            table: VirtualTable::new(config),
            other,
            tracker: Tracker::new(Position::start(), trials.params.clone(), Epoch(0)),
            links: [Link::new(BOARD), Link::new(CLOCK)],
            outages: Outages::plan(incidents, 2, &dice.branch(13)),
            loss: dice.branch(7),
            result: dice.branch(11),
            command: 0,
            said: Vec::new(),
            waited: Vec::new(),
            waits: None,
            log: Log::new(trials.params.clone()),
            now: 0,
            turned: false,
            held: Vec::new(),
            restarts_differing: 0,
            ended: false,
        }
    }

    pub fn play(mut self) -> Trial {
        self.poll(100);
        let left = ByHalf { a: BASE, b: BASE };
        let face = ClockFace { left, running: None };
        let setting = Command::SetClock(ClockSetting { face, increment: INCREMENT });
        if let Some(Other { table, links, .. }) = &mut self.other {
            links[CLOCK].send(table, ToDevice::Command(CmdId(1), setting));
        }
        self.send(CLOCK, setting);
        // Its self-test was made when it was switched on.
        if self.trials.noise.dead == Dead::Known {
            self.self_test(Epoch(self.now));
        }
        let mut next_snapshot = SNAPSHOT_EVERY;
        let mut played = loop {
            if let Some(played) = self.table.take_played() {
                break played;
            }
            self.step();
            if self.trials.noise.loss > 0.0 && self.now >= next_snapshot {
                next_snapshot += SNAPSHOT_EVERY;
                self.send(BOARD, Command::Snapshot);
            }
        };
        let ended = played.ended;
        // The board is not put away when the game ends, and the result may be told late.
        let told = self.now + if self.table.rests() { 0 } else { self.result.between(0, RESULT_AFTER) };
        while self.now < told && !self.table.rests() {
            self.step();
        }
        // What a device had kept may still be on its way.
        while !self.is_complete() && self.now < told + BACK_BY {
            self.step();
        }
        if !self.ended {
            self.end(ended);
        }
        let read: Vec<Move> = self.tracker.plies().iter().map(|ply| ply.mv).collect();
        while !self.table.rests() {
            self.step();
        }
        let after_end = self.tracker.plies().len().saturating_sub(read.len());
        self.outages.tell_truth(&mut played, self.now);
        let Run { trials, said, waited, mut log, restarts_differing, .. } = self;
        tell_log(&mut log, &played);
        let sensing = trials.sensing;
        Trial { played, read, said, waited, log, sensing, after_end, restarts_differing }
    }

    /// The result is known: the game ended at `at`.
    fn end(&mut self, at: Epoch) {
        self.ended = true;
        let closing = self.tracker.close(at);
        self.log.push(self.now, Entry::Close { at });
        self.say(closing);
    }

    /// When the game ended, if it did with the last ply, as the hall has it: once that is confirmed, its player has
    /// mated, whatever hands do then.
    fn ended_on_board(&self) -> Option<Epoch> {
        let last = self.tracker.plies().last()?;
        let over = last.state != PlyState::Provisional
            && last.irregular.is_none()
            && self.tracker.position().legal_moves().is_empty();
        over.then_some(last.at)
    }

    /// Lets time pass up to whatever comes next.
    fn step(&mut self) {
        let wakes = match self.tracker.poll_timeout() {
            Some((at, _)) if self.is_complete() => at.0,
            Some(_) | None => i64::MAX,
        };
        let other = self.other.as_ref().map_or(i64::MAX, |other| other.table.poll_timeout().min(other.until));
        let next = self.table.poll_timeout().min(wakes).min(other).min(self.outages.next());
        self.poll(next.max(self.now));
        while let Some(outage) = self.outages.due(self.now) {
            self.suffer(outage);
        }
        while let Some(order) = self.table.take_order() {
            self.carry_out(order);
        }
        if self.other.as_ref().is_some_and(|other| other.until <= self.now) {
            self.exchange_back();
        }
    }

    fn poll(&mut self, now: i64) {
        self.now = now;
        self.table.poll(now);
        for port in 0..self.links.len() {
            for (at, sighting) in self.links[port].poll(&mut self.table, now) {
                self.receive(port, at, sighting);
            }
        }
        if let Some(mut other) = self.other.take() {
            other.table.poll(now);
            while other.table.take_order().is_some() {}
            let _board = other.links[BOARD].poll(&mut other.table, now);
            let clock = other.links[CLOCK].poll(&mut other.table, now);
            self.other = Some(other);
            for (at, sighting) in clock {
                self.observe(CLOCK, at, sighting, true);
            }
        }
        if self.is_complete() {
            self.release();
            let findings = self.tracker.on_time(Epoch(now));
            self.say(findings);
        }
    }

    fn send(&mut self, port: usize, command: Command) {
        self.command += 1;
        self.links[port].send(&mut self.table, ToDevice::Command(CmdId(self.command), command));
    }
}
