//! A table of the venue: hands, a board and a clock, with the device code between them and the wire. Sans I/O.

mod placed;

use std::collections::VecDeque;
use std::sync::Arc;

use capture::Seating;
use device::Contact;
use firmware_proto::delivery::Pace;
use firmware_proto::{
    BootId, Cell, ClockFace, DeviceUid, Epoch, Half, MAX_FRAME, Millis, Reading, SensingKind,
};
use serde::Serialize;
use xiangqi::{Move, Point, Position};

use self::placed::Placed;
use crate::dice::Dice;
use crate::games::{Ending, Source};
use crate::hands::{Act, Budget, Order, Script, perform};
use crate::man::{Man, Stand, stand};
use crate::noise::Noise;
use crate::truth::{Due, PlayedPly, Struck};

/// What a device of a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PortKind {
    /// A board.
    Board,
    /// A clock.
    Clock,
    /// Both on one controller.
    Both,
}

impl PortKind {
    /// Its name in port names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PortKind::Board => "board",
            PortKind::Clock => "clock",
            PortKind::Both => "both",
        }
    }
}

/// The number for life of a virtual device: `0xC4 00 00 <kind> 00 00 <table>`, kind 1 board, 2 clock, 3 both.
#[must_use]
pub const fn uid(table: u16, kind: PortKind) -> DeviceUid {
    let kind: u64 = match kind {
        PortKind::Board => 1,
        PortKind::Clock => 2,
        PortKind::Both => 3,
    };
    DeviceUid(0xC400_0000_0000_0000 | kind << 32 | table as u64)
}

/// How a table is made.
#[derive(Clone, Debug)]
pub struct TableConfig {
    /// Its number, from 1.
    pub table: u16,
    /// What its hands do follows from this, the table's number and the game's number.
    pub seed: u64,
    /// How clumsy the hands, how bad the sensors.
    pub noise: Noise,
    /// What the board senses.
    pub sensing: SensingKind,
    /// Whether board and clock are one controller.
    pub combined: bool,
    /// Which half plays Red.
    pub red: Half,
    /// The devices' start count: more than in any earlier run against the same server.
    pub boot: BootId,
    /// How patiently the devices resend.
    pub pace: Pace,
    /// The games to be played.
    pub games: Arc<Source>,
    /// Venue time at the table's ms 0.
    pub started: Epoch,
    /// Games that were played here to their end before the table's ms 0: the next one is the one after them.
    pub games_before: u32,
    /// How far that next one had come, if it was begun.
    pub resume: Option<Resume>,
    /// How much faster than the venue's time the oscillators of board and clock run, ppm.
    pub ppm: [i32; 2],
    /// Whether devices write their records to a flash, and so lose none when they restart.
    pub flash: bool,
}

/// A game that was begun before the table's ms 0. The board stands as then; the game goes on once its clock is set
/// with somebody's time running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    /// Plies that were completed.
    pub plies: usize,
    /// What both clocks were set to at its beginning.
    pub base: Millis,
}

/// A venue of like tables.
#[derive(Clone, Debug)]
pub struct Venue {
    /// How many.
    pub tables: u16,
    /// The number of the first.
    pub first: u16,
    /// See [`TableConfig::seed`].
    pub seed: u64,
    /// See [`TableConfig::noise`].
    pub noise: Noise,
    /// See [`TableConfig::sensing`].
    pub sensing: SensingKind,
    /// See [`TableConfig::combined`].
    pub combined: bool,
    /// See [`TableConfig::boot`].
    pub boot: BootId,
    /// Venue milliseconds per wall millisecond: the devices' patience with the gateway grows with it.
    pub speed: f64,
    /// See [`TableConfig::games`].
    pub games: Arc<Source>,
}

impl Venue {
    /// Its tables, numbered from the first; half A plays Red.
    #[must_use]
    pub fn tables(&self) -> Vec<TableConfig> {
        let slower = |span: Millis| Millis((f64::from(span.0) * self.speed.max(1.0)) as u32);
        let pace = Pace {
            first_retry: slower(Pace::SERIAL.first_retry),
            longest_retry: slower(Pace::SERIAL.longest_retry),
            ..Pace::SERIAL
        };
        let table = |table| TableConfig {
            table,
            seed: self.seed,
            noise: self.noise.clone(),
            sensing: self.sensing,
            combined: self.combined,
            red: Half::A,
            boot: self.boot,
            pace,
            games: Arc::clone(&self.games),
            started: Epoch(0),
            games_before: 0,
            resume: None,
            ppm: [0, 0],
            // They do not restart.
            flash: false,
        };
        (0..self.tables).map(|index| table(self.first.saturating_add(index))).collect()
    }
}

/// A game that was played at a virtual table: the truth to compare the record with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedGame {
    /// At which table.
    pub table: u16,
    /// The table's first game is 1.
    pub game_no: u32,
    /// The game's name in the record.
    pub id: String,
    /// The moves that were played.
    pub moves: Vec<Move>,
    /// How it ended.
    pub ending: GameEnd,
    /// What went wrong, of which an arbiter should have been told or may be told; times in ms since `began`.
    pub alerts_due: Vec<Due>,
    /// The plies with their times, in ms since `began`.
    pub plies: Vec<PlayedPly>,
    /// Plies that an arbiter took back.
    pub struck: Vec<Struck>,
    /// Venue time of the game's ms 0: the pieces stand.
    pub began: Epoch,
    /// When it had ended.
    pub ended: Epoch,
    /// A point that never sensed.
    pub dead: Option<Point>,
}

/// How a game at a virtual table ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEnd {
    /// As it was meant to.
    Played(Ending),
    /// The clock was stopped by a command.
    Stopped,
}

/// A table: feed it time and bytes, take bytes and truth.
pub struct VirtualTable {
    config: TableConfig,
    seating: Seating,
    devices: Vec<Placed>,
    /// How far time has come, ms since the start.
    now: i64,
    /// What stands on the board.
    stands: Stand,
    /// What the sensors show.
    raw: [Reading; Cell::COUNT],
    next_scan: i64,
    /// Scans go on until then; a board that shows nothing new needs none.
    scan_until: i64,
    acts: VecDeque<(i64, Act)>,
    /// What the arbiter at the table ordered and nobody has carried out yet.
    orders: VecDeque<Order>,
    /// Whether that arbiter has stopped the clock.
    held: bool,
    /// Whether the board lies the wrong way round.
    turned: bool,
    phase: Phase,
    games_played: u32,
    played: VecDeque<PlayedGame>,
    /// The last contacts that were touched and not asked for.
    touched: VecDeque<Contact>,
}

enum Phase {
    /// Waits for its clock to be set.
    Idle,
    /// Hands lay the pieces; then this game is played.
    SettingUp { ready: i64, script: Box<Script>, id: String },
    /// This game has come to this ms of its script and waits for its clock to run.
    Interrupted { at: i64, script: Box<Script>, id: String },
    /// A game is played; `began`: when its script's ms 0 was, or would have been.
    Playing { began: i64, script: Box<Script>, id: String, paused: Option<i64> },
}

/// A board is scanned this often, ms.
const SCAN: i64 = 10;
/// Scans go on this long after a change: longer than debouncing takes.
const SCANS_AFTER: i64 = 60;
/// Touches that are kept for whoever asks.
const TOUCHES: usize = 16;
/// A clock that stands still for so long in mid-game was stopped for good, ms.
const STOPPED_AFTER: i64 = 3_000;

impl VirtualTable {
    /// A table whose pieces stand, for its next game or as in the one that was begun, and whose clock waits to be set.
    #[must_use]
    pub fn new(config: TableConfig) -> VirtualTable {
        let kinds: &[PortKind] =
            if config.combined { &[PortKind::Both] } else { &[PortKind::Board, PortKind::Clock] };
        let devices = kinds.iter().map(|&kind| Placed::at(&config, kind)).collect();
        let stands = stand(Position::start().board());
        let (phase, shown) = match config.resume {
            None => (Phase::Idle, stands),
            Some(Resume { plies, base }) => {
                let (script, id) = script(&config, config.games_before, base);
                let at = script.completed(plies);
                let shown = script.shown_at(at);
                (Phase::Interrupted { at, script: Box::new(script), id }, shown)
            }
        };
        let mut table = VirtualTable {
            seating: Seating { red: config.red },
            devices,
            now: 0,
            stands,
            raw: [Reading::EMPTY; Cell::COUNT],
            next_scan: 0,
            scan_until: SCANS_AFTER,
            acts: VecDeque::new(),
            orders: VecDeque::new(),
            held: false,
            turned: false,
            phase,
            games_played: config.games_before,
            played: VecDeque::new(),
            touched: VecDeque::new(),
            config,
        };
        for point in Point::ALL {
            table.show(point, shown[point.index()]);
        }
        table
    }

    /// Its devices, in the order of port numbers.
    #[must_use]
    pub fn ports(&self) -> Vec<PortKind> {
        self.devices.iter().map(|placed| placed.kind).collect()
    }

    /// When [`VirtualTable::poll`] wants to be called next, ms since the start.
    #[must_use]
    pub fn poll_timeout(&self) -> i64 {
        self.next_instant().max(self.now)
    }

    /// Lets time pass up to `now`, ms since the start.
    pub fn poll(&mut self, now: i64) {
        loop {
            let next = self.next_instant();
            if next > now {
                break;
            }
            self.now = self.now.max(next);
            self.step();
        }
        self.now = self.now.max(now);
        self.poll_devices();
    }

    fn poll_devices(&mut self) {
        for placed in &mut self.devices {
            placed.device.poll(placed.time(self.now));
            placed.write();
            placed.make_room(self.now);
        }
    }

    /// A device restarts: what it had not handed over comes from its flash, or is gone if it has none; its clock goes on as
    /// it stood.
    pub fn restart(&mut self, port: usize) {
        let now = self.now;
        if let Some(placed) = self.devices.get_mut(port) {
            placed.restart(now);
            self.scan_until = now + SCANS_AFTER;
            self.next_scan = now - now.rem_euclid(SCAN) + SCAN;
        }
    }

    /// Bytes came for a device.
    pub fn on_bytes(&mut self, port: usize, bytes: &[u8]) {
        let Some(placed) = self.devices.get_mut(port) else { return };
        let (at, device) = (placed.time(self.now), &mut placed.device);
        // Lets the clock's time pass first: what changes now was set.
        device.poll(at);
        let before = device.face();
        device.on_bytes(bytes, at);
        let after = device.face();
        placed.write();
        if let (Some(before), Some(after)) = (before, after)
            && before.left != after.left
        {
            match (&self.phase, after.running) {
                (Phase::Idle, None) => self.set_up(after),
                (Phase::Interrupted { .. }, Some(_)) => self.go_on(),
                (Phase::Idle, Some(_))
                | (Phase::Interrupted { .. }, None)
                | (Phase::SettingUp { .. } | Phase::Playing { .. }, _) => {}
            }
        }
    }

    /// Appends to `out` what a device has to say.
    pub fn take_output(&mut self, port: usize, out: &mut Vec<u8>) {
        let Some(placed) = self.devices.get_mut(port) else { return };
        placed.write();
        let device = &mut placed.device;
        let mut buffer = [0; 4 * MAX_FRAME];
        loop {
            let used = device.take_output(&mut buffer);
            if used == 0 {
                break;
            }
            out.extend_from_slice(&buffer[..used]);
        }
    }

    /// What the sensors of its board show.
    #[must_use]
    pub fn sensed(&self) -> &[Reading; Cell::COUNT] {
        &self.raw
    }

    /// A contact of its clock that was touched since it was asked last, in order.
    pub fn take_touched(&mut self) -> Option<Contact> {
        self.touched.pop_front()
    }

    fn touch(&mut self, contact: Contact) {
        if self.touched.len() == TOUCHES {
            self.touched.pop_front();
        }
        self.touched.push_back(contact);
    }

    /// A game that has ended, if one has.
    pub fn take_played(&mut self) -> Option<PlayedGame> {
        self.played.pop_front()
    }

    /// Whether the arbiter at the table has stopped the clock.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// What the arbiter at the table wants done, if he does.
    pub fn take_order(&mut self) -> Option<Order> {
        self.orders.pop_front()
    }

    /// Records that its devices have made so far: what a server should have in the end.
    #[must_use]
    pub fn records_made(&self) -> u64 {
        self.devices.iter().map(|placed| placed.made_before + placed.made()).sum()
    }

    /// Records that no host has acknowledged yet.
    #[must_use]
    pub fn backlog(&self) -> u64 {
        self.devices.iter().map(|placed| placed.device.backlog()).sum()
    }

    /// The point of the present game that never senses.
    #[must_use]
    pub fn dead(&self) -> Option<Point> {
        match &self.phase {
            Phase::Idle => None,
            Phase::SettingUp { script, .. }
            | Phase::Interrupted { script, .. }
            | Phase::Playing { script, .. } => script.truth.dead,
        }
    }

    fn next_instant(&self) -> i64 {
        let act = self.acts.front().map(|(at, _)| *at);
        let scan = (self.next_scan <= self.scan_until).then_some(self.next_scan);
        let device = self
            .devices
            .iter()
            .filter_map(|placed| {
                let (at, _) = placed.device.poll_timeout()?;
                Some(self.now + i64::from(at.since(placed.time(self.now)).0.cast_signed()))
            })
            // What is overdue waits for the line to take what the device has to say, not for time.
            .filter(|at| *at > self.now)
            .min();
        let phase = match &self.phase {
            Phase::Idle | Phase::Interrupted { .. } => None,
            Phase::SettingUp { ready, .. } => Some(*ready),
            Phase::Playing { began, script, paused, .. } => {
                if self.now < began + script.truth.ended {
                    Some(began + script.truth.ended)
                } else {
                    paused.map(|since| since + STOPPED_AFTER)
                }
            }
        };
        // Devices beat once a second, so this is never far off.
        [act, scan, device, phase].into_iter().flatten().min().unwrap_or(self.now + 1_000)
    }

    /// Does what is due at this instant.
    fn step(&mut self) {
        self.poll_devices();
        while let Some(&(_, act)) = self.acts.front().filter(|(at, _)| *at <= self.now) {
            self.acts.pop_front();
            self.act(act);
        }
        if self.next_scan <= self.now && self.next_scan <= self.scan_until {
            for placed in &mut self.devices {
                placed.device.on_scan(placed.time(self.now), &self.raw);
            }
            self.next_scan = self.now - self.now.rem_euclid(SCAN) + SCAN;
        }
        self.turn();
    }

    fn act(&mut self, act: Act) {
        let now = self.now;
        match act {
            Act::Shows(point, man) => self.show(point, man),
            Act::Lever(side) => {
                let half = self.seating.half(side);
                self.touch(Contact::Lever(half));
                for placed in &mut self.devices {
                    placed.device.on_lever(half, placed.time(now));
                }
            }
            Act::Button(side, signal) => {
                let half = self.seating.half(side);
                self.touch(Contact::Button(half, signal));
                for placed in &mut self.devices {
                    placed.device.on_button(half, signal, placed.time(now));
                }
            }
            Act::Arbiter(order) => {
                match order {
                    Order::Pause => self.held = true,
                    Order::Run(_) => self.held = false,
                    Order::TakeBack(_) | Order::TurnBoard => {}
                }
                self.orders.push_back(order);
            }
        }
    }

    fn show(&mut self, point: Point, man: Option<Man>) {
        let reading = man.map_or(Reading::EMPTY, |man| man.reading(self.config.sensing));
        let cell = self.cell(point);
        self.raw[cell] = reading;
        if self.next_scan > self.scan_until {
            self.next_scan = self.now - self.now.rem_euclid(SCAN) + SCAN;
        }
        self.scan_until = self.now + SCANS_AFTER;
    }

    /// The cell under a point.
    fn cell(&self, point: Point) -> usize {
        self.seating.cell(if self.turned { point.rotated() } else { point }).index()
    }

    /// Its clock was set: a round begins. Hands lay the pieces for the next game.
    fn set_up(&mut self, face: ClockFace) {
        let base = face.left[Half::A].min(face.left[Half::B]);
        let (script, id) = script(&self.config, self.games_played, base);
        self.turned = script.turned;
        let ready = self.lay(&script.stands, dice(&self.config, self.games_played).branch(6));
        self.phase = Phase::SettingUp { ready, script: Box::new(script), id };
    }

    /// The hands finish the ply that they are at and begin no other.
    pub fn finish_ply(&mut self) {
        if let Phase::Playing { began, script, .. } = &self.phase {
            let until = began + script.rest_after(self.now - began);
            self.acts.retain(|(at, _)| *at <= until);
        }
    }

    /// Whether the hands have nothing to do any more.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.acts.is_empty()
    }

    /// Its clock runs again: the game that was interrupted goes on where it stood.
    fn go_on(&mut self) {
        let Phase::Interrupted { at, script, id } = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return;
        };
        let began = self.now - at;
        let left = script.acts.iter().filter(|(when, _)| *when > at);
        self.acts = left.map(|&(when, act)| (began + when, act)).collect();
        self.phase = Phase::Playing { began, script, id, paused: None };
    }

    /// Lays the pieces for the next game, one by one. Returns when they stand.
    fn lay(&mut self, wanted: &Stand, mut dice: Dice) -> i64 {
        let mut at = self.now + dice.between(1_000, 3_000);
        let reading = |man: Option<Man>| man.map_or(Reading::EMPTY, |man| man.reading(self.config.sensing));
        let wrong: Vec<Point> = Point::ALL
            .into_iter()
            .filter(|&point| {
                let (stands, wanted) = (self.stands[point.index()], wanted[point.index()]);
                stands.map(Man::piece) != wanted.map(Man::piece)
                    || self.raw[self.cell(point)] != reading(wanted)
            })
            .collect();
        for &point in wrong.iter().filter(|point| self.stands[point.index()].is_some()) {
            self.acts.push_back((at, Act::Shows(point, None)));
            at += dice.between(100, 300);
        }
        for &point in wrong.iter().filter(|point| wanted[point.index()].is_some()) {
            at += dice.between(150, 450);
            self.acts.push_back((at, Act::Shows(point, wanted[point.index()])));
        }
        self.stands = *wanted;
        at + dice.between(1_000, 2_000)
    }

    /// Goes from one phase to the next when it is time.
    fn turn(&mut self) {
        match &mut self.phase {
            Phase::Idle | Phase::Interrupted { .. } => {}
            Phase::SettingUp { ready, .. } => {
                if *ready <= self.now {
                    self.play();
                }
            }
            Phase::Playing { began, script, paused, .. } => {
                let face = self.devices.iter().find_map(|placed| placed.device.face());
                let begun = script.acts.first().is_some_and(|(at, _)| began.saturating_add(*at) < self.now);
                if let Some(face) = face.filter(|_| begun) {
                    let stopped = face.running.is_none() && !self.held;
                    if stopped && script.has_started(self.now - *began) {
                        paused.get_or_insert(self.now);
                    } else {
                        *paused = None;
                    }
                    for half in Half::ALL {
                        if face.left[half].0 == 0 {
                            let side = self.seating.side(half);
                            return self.finish(GameEnd::Played(Ending::Flag(side)));
                        }
                    }
                }
                if paused.is_some_and(|since| self.now >= since + STOPPED_AFTER) {
                    let over = self.now >= *began + script.truth.ended;
                    let end = if over { GameEnd::Played(script.truth.ending) } else { GameEnd::Stopped };
                    return self.finish(end);
                }
                if self.now >= *began + script.truth.ended && !matches!(script.truth.ending, Ending::Flag(_))
                {
                    let end = GameEnd::Played(script.truth.ending);
                    self.finish(end);
                }
            }
        }
    }

    fn play(&mut self) {
        let Phase::SettingUp { script, id, .. } = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return;
        };
        let began = self.now;
        self.acts = script.acts.iter().map(|&(at, act)| (began + at, act)).collect();
        for point in Point::ALL {
            if script.shown[point.index()] != script.stands[point.index()] {
                self.show(point, script.shown[point.index()]);
            }
        }
        self.phase = Phase::Playing { began, script, id, paused: None };
    }

    fn finish(&mut self, ending: GameEnd) {
        let Phase::Playing { began, script, id, .. } = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return;
        };
        let as_played = ending == GameEnd::Played(script.truth.ending);
        if !as_played {
            self.acts.clear();
        }
        self.games_played += 1;
        let Script { truth, left, .. } = *script;
        let ended = self.now - began;
        let plies: Vec<PlayedPly> = truth.plies.into_iter().filter(|ply| ply.placed <= ended).collect();
        let last = plies.iter().fold(Position::start(), |position, ply| position.play_irregular(ply.mv));
        // After a game that ended as it was meant to the players may go on at the board.
        self.stands = if as_played { left } else { stand(last.board()) };
        self.played.push_back(PlayedGame {
            table: self.config.table,
            game_no: self.games_played,
            id,
            moves: plies.iter().map(|ply| ply.mv).collect(),
            ending,
            alerts_due: truth.due.into_iter().filter(|due| due.at <= ended).collect(),
            plies,
            struck: truth.struck,
            began: self.config.started.plus(began),
            ended: self.config.started.plus(self.now),
            dead: truth.dead,
        });
    }
}

/// The seed of all that a table does.
fn seed(config: &TableConfig) -> u64 {
    config.seed.wrapping_mul(65_537).wrapping_add(u64::from(config.table))
}

/// The dice of a table's game after so many.
fn dice(config: &TableConfig, games_before: u32) -> Dice {
    Dice::new(seed(config)).branch(100 + u64::from(games_before))
}

/// What happens in a table's game after so many, with this base time, and the game's name. The same every time.
fn script(config: &TableConfig, games_before: u32, base: Millis) -> (Script, String) {
    // No two tables of a round play the same game of a record.
    let number = u64::from(games_before) * 389 + u64::from(config.table) - 1;
    let game = config.games.game(number, seed(config));
    // The increment is not on the clock's face; players who do not count on it only think less.
    let budget = Budget { base: i64::from(base.0), increment: 0 };
    let dice = dice(config, games_before).branch(5);
    (perform(&game, &config.noise, Some(budget), dice.seed()), game.id)
}
