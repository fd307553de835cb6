//! One trial: a virtual table, the lines to its devices and a tracker, in virtual time.

use std::sync::Arc;

use capture::{Finding, PlyNo, PlyState, Readings, Seating, Seen, Tracker, What};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Body, BootId, ByHalf, Cell, ClockFace, ClockSetting, CmdId, Command, Epoch, Half, HealthFault, Millis,
    Observation, Sighting, ToDevice,
};
use xiangqi::{Move, Position};

use super::link::Link;
use super::outages::{Outage, Outages, Ports, STILL_TOLD};
use super::score::alert;
use super::{Trial, Trials};
use crate::dice::Dice;
use crate::games::Source;
use crate::hands::Order;
use crate::incidents::Row;
use crate::noise::Dead;
use crate::table::{PortKind, TableConfig, VirtualTable, uid};
use crate::truth::{Due, Incident, PlayedGame, SensedBy};
use capture::log::{Entry, Log};

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
        let in_doubt = self.tracker.in_doubt();
        let read: Vec<Move> = self.tracker.plies().iter().map(|ply| ply.mv).collect();
        while !self.table.rests() {
            self.step();
        }
        let after_end = self.tracker.plies().len().saturating_sub(read.len());
        self.tell_truth(&mut played);
        let Run { trials, said, mut log, restarts_differing, .. } = self;
        tell_log(&mut log, &played);
        let sensing = trials.sensing;
        Trial { played, read, said, in_doubt, log, sensing, after_end, restarts_differing }
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

    /// The game goes on after all: what the board and the clock did is followed again as if it had not been closed.
    fn reopen(&mut self) {
        if !std::mem::take(&mut self.ended) {
            return;
        }
        self.log.entries.retain(|(_, entry)| !matches!(entry, Entry::Close { .. }));
        let mut tracker = Tracker::new(Position::start(), self.trials.params.clone(), Epoch(0));
        for (came, entry) in &self.log.entries {
            tracker.on_time(Epoch(*came));
            match entry {
                Entry::Seen(seen) => tracker.on_seen(seen),
                Entry::Correct { from, line } => tracker.correct(*from, line, Epoch(*came)),
                Entry::Close { .. } | Entry::Restart => Vec::new(),
            };
        }
        tracker.on_time(Epoch(self.now));
        self.tracker = tracker;
    }

    /// Adds what happened to cables and links to the truth.
    fn tell_truth(&self, played: &mut PlayedGame) {
        let began = played.began.0;
        for &(what, at, until) in &self.outages.truth {
            if at > self.now {
                continue;
            }
            let plies = played.plies.iter().filter(|ply| ply.placed + began <= at).count() as u16;
            let due = Due {
                what,
                at: at - began,
                until: until - began + STILL_TOLD,
                plies,
                points: Vec::new(),
                sensed_by: SensedBy::Occupancy,
            };
            played.alerts_due.push(due);
        }
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

    fn carry_out(&mut self, order: Order) {
        match order {
            Order::Pause => self.send(CLOCK, Command::Pause),
            Order::Run(side) => self.send(CLOCK, Command::Run(SEATING.half(side))),
            Order::TakeBack(from) => {
                self.reopen();
                self.log.push(self.now, Entry::Correct { from: PlyNo(from), line: Vec::new() });
                let findings = self.tracker.correct(PlyNo(from), &[], Epoch(self.now));
                self.say(findings);
            }
            Order::TurnBoard => {
                self.turned = true;
                self.send(BOARD, Command::Snapshot);
            }
        }
    }

    fn suffer(&mut self, outage: Outage) {
        let at = Epoch(self.now);
        match outage {
            Outage::Down(ports, _) => {
                for port in (0..self.links.len()).filter(|port| ports.contains(*port)) {
                    self.go_down(port, at);
                }
            }
            Outage::Reset(port) => {
                self.table.restart(port);
                self.go_down(port, at);
            }
            Outage::Up(ports) => {
                for (_, link) in self.links.iter_mut().enumerate().filter(|(port, _)| ports.contains(*port)) {
                    link.come_up(&mut self.table);
                }
                if ports.contains(BOARD) {
                    self.send(BOARD, Command::Snapshot);
                }
            }
            Outage::Dark(port, _) => self.go_down(port, at),
            Outage::Lit(port) => {
                self.table.restart(port);
                self.suffer(Outage::Up(Ports::One(port)));
            }
            Outage::Server => self.restart_server(),
        }
    }

    fn go_down(&mut self, port: usize, at: Epoch) {
        self.links[port].go_down();
        self.see(Seen { at, what: if port == BOARD { What::BoardDown } else { What::ClockDown } });
    }

    /// Another tracker goes on from the settled plies, with what was seen since the last of them.
    fn restart_server(&mut self) {
        let settled: Vec<_> =
            self.tracker.plies().iter().filter(|ply| ply.state == PlyState::Locked).cloned().collect();
        let Some(last) = settled.last().filter(|_| !self.ended && !self.table.is_held()) else { return };
        let before: Vec<Move> = self.tracker.plies().iter().map(|ply| ply.mv).collect();
        let at = last.at;
        let mut tracker =
            Tracker::resume(Position::start(), &settled, self.trials.params.clone(), Epoch(self.now));
        let mut image: Option<Readings> = None;
        let mut given = false;
        for (came, seen) in self.log.seen() {
            if seen.at <= at {
                if let What::Image(readings) = &seen.what {
                    image = Some((**readings).clone());
                } else if let (What::Changed(point, reading), Some(image)) = (&seen.what, &mut image) {
                    image.points[point.index()] = *reading;
                } else {
                    // Which devices there are, and how the clock stands.
                    tracker.on_seen(seen);
                }
                continue;
            }
            if !std::mem::replace(&mut given, true)
                && let Some(image) = &image
            {
                tracker.on_seen(&Seen { at, what: What::Image(Box::new(image.clone())) });
            }
            tracker.on_time(Epoch(came));
            tracker.on_seen(seen);
        }
        tracker.on_time(Epoch(self.now));
        self.log.push(self.now, Entry::Restart);
        let after: Vec<Move> = tracker.plies().iter().map(|ply| ply.mv).collect();
        self.restarts_differing += u64::from(before != after);
        self.tracker = tracker;
    }

    /// The cables are put right: the game is read again from what was the right clock all the time.
    fn exchange_back(&mut self) {
        let Some(other) = self.other.take() else { return };
        let mut right: Vec<(i64, Seen)> = self
            .log
            .seen()
            .filter(|(_, seen)| !of_clock(&seen.what))
            .map(|(came, seen)| (came, seen.clone()))
            .chain(other.own.into_iter().map(|seen| (seen.at.0, seen)))
            .collect();
        right.sort_by_key(|(came, _)| *came);
        self.log.entries.clear();
        let mut tracker = Tracker::new(Position::start(), self.trials.params.clone(), Epoch(0));
        let mut findings = vec![Finding::Withdrawn(PlyNo(1))];
        for (came, seen) in right {
            findings.extend(tracker.on_time(Epoch(came)));
            findings.extend(tracker.on_seen(&seen));
            self.log.push(came, Entry::Seen(seen));
        }
        findings.extend(tracker.on_time(Epoch(self.now)));
        // What is found of the past is no alert of now.
        findings.retain(|finding| alert(finding).is_none());
        self.tracker = tracker;
        let truth = (Incident::CablesExchanged, 0, self.now);
        self.outages.truth.push(truth);
        self.say(findings);
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
            let board = other.links[BOARD].poll(&mut other.table, now);
            drop(board);
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

    /// Whether both devices have told all that has happened.
    fn is_complete(&self) -> bool {
        self.links.iter().all(Link::is_complete)
    }

    /// The tracker is told what was held, in the order in which it happened.
    fn release(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        held.sort_by_key(|seen| seen.at);
        for seen in held {
            let mut findings = self.tracker.on_time(seen.at);
            findings.extend(self.tracker.on_seen(&seen));
            self.log.push(seen.at.0, Entry::Seen(seen));
            self.say(findings);
        }
    }

    fn receive(&mut self, port: usize, at: Epoch, sighting: Sighting) {
        if port == CLOCK && !self.trials.noise.clock {
            return;
        }
        if let Sighting::Record(_, record) = sighting {
            let lost = matches!(record.body, Body::Point(..)) && self.loss.chance(self.trials.noise.loss);
            if lost {
                return;
            }
            self.observe(port, at, sighting, false);
            if matches!(record.body, Body::Snapshot(_)) && self.trials.noise.dead == Dead::Known {
                self.self_test(at);
            }
        } else {
            self.observe(port, at, sighting, false);
        }
    }

    /// The board's self-test names the dead point, with its images.
    fn self_test(&mut self, at: Epoch) {
        let Some(point) = self.table.dead() else { return };
        let cell = Cell::new(point.index() as u8).expect("points are cells here: half A plays Red");
        let what = What::Health(HealthFault::DeadCell(cell), Some(point));
        self.see(Seen { at, what });
    }

    /// What a gateway kept comes to the table; from the clock of another table, while cables are exchanged.
    fn observe(&mut self, port: usize, at: Epoch, sighting: Sighting, foreign: bool) {
        let kind = if port == BOARD { PortKind::Board } else { PortKind::Clock };
        let observation = Observation { device: uid(1, kind), at, sighting };
        let turned = port == BOARD && self.turned;
        let seating = if turned { Seating { red: SEATING.red.other() } } else { SEATING };
        for seen in seating.see(&observation) {
            match &mut self.other {
                Some(other) if port == CLOCK && !foreign => other.own.push(seen),
                Some(_) | None => self.see(seen),
            }
        }
    }

    fn see(&mut self, seen: Seen) {
        if !self.is_complete() {
            self.held.push(seen);
            return;
        }
        self.release();
        let findings = self.tracker.on_seen(&seen);
        self.log.push(self.now, Entry::Seen(seen));
        self.say(findings);
    }

    fn say(&mut self, findings: Vec<Finding>) {
        let now = Epoch(self.now);
        if let Some(other) = &mut self.other
            && findings.iter().any(|finding| alert(finding).is_some())
        {
            other.until = other.until.min(self.now + CABLES_AFTER.0);
        }
        let confirms = findings.iter().any(|finding| matches!(finding, Finding::Confirmed(..)));
        self.said.extend(findings.into_iter().map(|finding| (now, finding)));
        if confirms
            && !self.ended
            && self.other.is_none()
            && let Some(at) = self.ended_on_board()
        {
            self.end(at);
        }
    }

    fn send(&mut self, port: usize, command: Command) {
        self.command += 1;
        self.links[port].send(&mut self.table, ToDevice::Command(CmdId(self.command), command));
    }
}

/// Writes the truth into the log.
fn tell_log(log: &mut Log, played: &PlayedGame) {
    let began = played.began.0;
    log.title = format!("{} at table {}", played.id, played.table);
    log.played = played
        .plies
        .iter()
        .enumerate()
        .map(|(index, ply)| (began + ply.placed, index as u16 + 1, ply.mv))
        .chain(
            played
                .struck
                .iter()
                .map(|struck| (began + struck.ply.placed, struck.index as u16 + 1, struck.ply.mv)),
        )
        .collect();
    log.troubles = played
        .alerts_due
        .iter()
        .filter(|due| due.what.must_be_told() && due.what != Incident::TouchMove || is_worth_a_line(due.what))
        .map(|due| {
            let points: Vec<String> = due.points.iter().map(ToString::to_string).collect();
            (began + due.at, format!("{:?} {}", due.what, points.join(" ")))
        })
        .collect();
}

fn is_worth_a_line(what: Incident) -> bool {
    matches!(
        what,
        Incident::LinkDown
            | Incident::DeviceReset
            | Incident::BoardDark
            | Incident::GatewayRestart
            | Incident::OffCentre
            | Incident::WeakPiece
            | Incident::FadingPoint
            | Incident::AfterGame
    )
}

/// Whether the clock told it.
fn of_clock(what: &What) -> bool {
    match what {
        What::ClockUp
        | What::ClockDown
        | What::Pressed(..)
        | What::Flagged(..)
        | What::ClockSet(..)
        | What::Signalled(..) => true,
        What::BoardUp(_)
        | What::BoardDown
        | What::Changed(..)
        | What::Image(_)
        | What::Health(..)
        | What::Lost => false,
    }
}
