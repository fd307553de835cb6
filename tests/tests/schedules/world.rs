//! A venue in virtual time: two tables, two gateways, a broker and a server, and what goes wrong among them.

use std::path::Path;
use std::sync::Arc;

use chuhe::mqtt::Message;
use firmware_proto::delivery::Pace;
use firmware_proto::envelope::Key;
use firmware_proto::{BootId, Epoch, GatewayId, Half, SensingKind, VenueId};
use gateway::Identity;
use hall::{Act, Entrant, TableBinding};
use simulator::games::{Ending, Game, Source};
use simulator::{Dice, Noise, PlayedGame, PortKind, TableConfig, VirtualTable, uid};
use tournament::{RoundNo, TableNo};
use xiangqi::{Position, Side};

use super::broker::{Broker, Client};
use super::fault::{Fault, Schedule};
use super::gateway_box::GatewayBox;
use super::line::Line;
use super::server::{Seen, ServerBox};

const TABLES: usize = 2;
pub const GATEWAYS: usize = 2;
pub const DEVICES: usize = 2 * TABLES;

/// Venue time at ms 0.
const BASE: Epoch = Epoch(1_790_000_000_000);

/// A schedule has to be over by then, ms: an hour of venue time.
const LIMIT: i64 = 3_600_000;

pub struct World {
    now: i64,
    schedule: Schedule,
    happened: usize,
    dice: Dice,
    tables: Vec<VirtualTable>,
    played: Vec<PlayedGame>,
    /// At which gateway each device hangs.
    hangs: Vec<Option<usize>>,
    /// When a pulled cable is plugged in again, and where.
    plug: Vec<Option<(i64, usize)>>,
    up: Vec<Line>,
    down: Vec<Line>,
    noise: (i64, i64),
    gateways: Vec<GatewayBox>,
    broker: Broker,
    server: ServerBox,
    next_look: i64,
    trace: bool,
}

/// Two short games a round that end as games do.
fn games(dice: &mut Dice) -> Source {
    let game = |dice: &mut Dice, number: i64| {
        let mut position = Position::start();
        let mut moves = Vec::new();
        for _ in 0..dice.between(4, 14) {
            let legal: Vec<_> = position.legal_moves().into_iter().collect();
            let Some(mv) = dice.pick(&legal) else { break };
            position = position.play(mv).expect("it is legal");
            moves.push(mv);
        }
        let ending = match dice.between(0, 2) {
            0 => Ending::Resigns(Side::Red),
            1 => Ending::Resigns(Side::Black),
            _ => Ending::Draw,
        };
        Game { id: format!("{number}"), moves, ending }
    };
    Source::Record((0..8).map(|number| game(dice, number)).collect())
}

impl World {
    pub fn new(schedule: Schedule, folder: &Path, trace: bool) -> World {
        let dice = Dice::new(schedule.seed);
        let clean = Noise::named("N0").expect("it is one of the profiles");
        let noise = Noise { think: 0.8, ..clean };
        let source = Arc::new(games(&mut dice.branch(2)));
        let tables = (1..=TABLES as u16)
            .map(|table| {
                VirtualTable::new(TableConfig {
                    table,
                    seed: schedule.seed,
                    noise: noise.clone(),
                    sensing: SensingKind::Colour,
                    combined: false,
                    red: Half::A,
                    boot: BootId(1),
                    pace: Pace::SERIAL,
                    games: Arc::clone(&source),
                    started: BASE,
                    games_before: 0,
                    resume: None,
                    ppm: Default::default(),
                    flash: true,
                })
            })
            .collect();
        let venue = VenueId::new("hall").expect("a name");
        let key = |index: usize| Key::new([index as u8 + 1; 32]);
        let name = |index: usize| GatewayId::new(format!("g{index}")).expect("a name");
        let gateways = (0..GATEWAYS)
            .map(|index| {
                let identity = Identity { venue: venue.clone(), gateway: name(index), key: key(index) };
                let folder = folder.join(format!("g{index}"));
                GatewayBox::new(index, identity, folder, dice.branch(10 + index as u64), BASE)
            })
            .collect();
        let keys = (0..GATEWAYS).map(|index| (name(index), key(index))).collect();
        World {
            now: 0,
            happened: 0,
            tables,
            played: Vec::new(),
            hangs: vec![None; DEVICES],
            plug: (0..DEVICES).map(|device| Some((0, device / 2 % GATEWAYS))).collect(),
            up: (0..DEVICES).map(|_| Line::default()).collect(),
            down: (0..DEVICES).map(|_| Line::default()).collect(),
            noise: (0, 0),
            gateways,
            broker: Broker::new(dice.branch(3)),
            server: ServerBox::new(venue, keys, dice.branch(4), BASE),
            next_look: 0,
            dice: dice.branch(5),
            schedule,
            trace,
        }
    }

    /// Runs the schedule to its end and checks what came of it.
    pub fn run(mut self) -> Result<(), String> {
        while self.now < LIMIT {
            self.step().map_err(|why| format!("at {} ms: {why}", self.now))?;
            if self.is_over() {
                return self.verdict();
            }
            self.now = self.next().clamp(self.now + 1, LIMIT);
        }
        Err(format!("it does not come to an end: {}", self.state()))
    }

    /// Every fourth schedule has a second round.
    fn rounds(&self) -> u16 {
        if self.schedule.seed.is_multiple_of(4) { 2 } else { 1 }
    }

    fn state(&self) -> String {
        let event = self.server.intake().and_then(|it| it.hall().event_view());
        format!(
            "event {event:?}, played {} games, backlog of tables {:?}, of gateways {:?}, observations {}, games {:?}",
            self.played.len(),
            self.tables.iter().map(VirtualTable::backlog).collect::<Vec<_>>(),
            self.gateways.iter().map(GatewayBox::backlog).collect::<Vec<_>>(),
            self.server.database.observations.len(),
            self.server.shown,
        )
    }

    fn step(&mut self) -> Result<(), String> {
        self.faults()?;
        self.cables();
        self.devices();
        self.broker.poll(self.now);
        for index in 0..GATEWAYS {
            if self.now < self.gateways[index].paused_until {
                continue;
            }
            let was_alive = self.gateways[index].is_alive();
            let noise = if self.now < self.noise.1 { self.noise.0 } else { 0 };
            self.gateways[index].step(self.now, &mut self.broker, &mut self.down, noise)?;
            if !was_alive && self.gateways[index].is_alive() {
                for device in 0..DEVICES {
                    if self.hangs[device] == Some(index) {
                        self.gateways[index].plug(device, self.now);
                    }
                }
                self.gateways[index].step(self.now, &mut self.broker, &mut self.down, noise)?;
            }
        }
        self.arrivals();
        if self.now >= self.server.paused_until {
            self.server.step(self.now, &mut self.broker)?;
            self.drive()?;
        }
        Ok(())
    }

    fn faults(&mut self) -> Result<(), String> {
        while let Some(&(at, fault)) =
            self.schedule.faults.get(self.happened).filter(|(at, _)| *at <= self.now)
        {
            self.happened += 1;
            if self.trace {
                eprintln!("{at:>7} {fault:?}");
            }
            let now = self.now;
            match fault {
                Fault::Cable { device, long, elsewhere } => {
                    if let Some(gateway) = self.hangs[device].take() {
                        self.gateways[gateway].unplug(device, now);
                        self.up[device].clear();
                        self.down[device].clear();
                        let to = if elsewhere { (gateway + 1) % GATEWAYS } else { gateway };
                        self.plug[device] = Some((now + long, to));
                    }
                }
                Fault::Reset { device } => {
                    self.tables[device / 2].restart(device % 2);
                    self.up[device].clear();
                    self.down[device].clear();
                }
                Fault::Noise { one_in, long } => self.noise = (one_in, now + long),
                Fault::GatewayKilled { gateway, long } => {
                    self.gateways[gateway].kill(now, long, &mut self.broker)?;
                    for device in 0..DEVICES {
                        if self.hangs[device] == Some(gateway) {
                            self.up[device].clear();
                            self.down[device].clear();
                        }
                    }
                }
                Fault::GatewayPaused { gateway, long } => {
                    self.gateways[gateway].paused_until = now + long;
                    self.broker.cut(Client::Gateway(gateway), now, long);
                }
                Fault::GatewayDisk { gateway, long } => self.gateways[gateway].disk_until = now + long,
                Fault::GatewayClock { gateway, by } => self.gateways[gateway].clock_off += by,
                Fault::Partition { gateway, long } => self.broker.cut(Client::Gateway(gateway), now, long),
                Fault::BrokerKilled { long } => self.broker.kill(now, long),
                Fault::BrokerLies { one_in, long } => self.broker.lie(one_in, now + long),
                Fault::ServerKilled { long } => self.server.kill(now, long, &mut self.broker)?,
                Fault::ServerPaused { long } => {
                    self.server.paused_until = now + long;
                    self.broker.cut(Client::Server, now, long);
                }
                Fault::SlowDatabase { each, long } => self.server.slow = (each, now + long),
                Fault::Restored { back, long } => {
                    self.server.kill(now, long, &mut self.broker)?;
                    self.server.restore(back);
                }
            }
        }
        Ok(())
    }

    fn cables(&mut self) {
        for device in 0..DEVICES {
            if let Some((at, gateway)) = self.plug[device]
                && at <= self.now
            {
                self.plug[device] = None;
                self.hangs[device] = Some(gateway);
                self.gateways[gateway].plug(device, self.now);
            }
        }
    }

    fn devices(&mut self) {
        let noise = if self.now < self.noise.1 { self.noise.0 } else { 0 };
        for device in 0..DEVICES {
            let Some(gateway) = self.hangs[device] else { continue };
            let (table, port) = (device / 2, device % 2);
            while let Some(bytes) = self.down[device].take(self.now) {
                self.tables[table].poll(self.now);
                self.tables[table].on_bytes(port, &bytes);
            }
            if self.gateways[gateway].runs(self.now) {
                while let Some(bytes) = self.up[device].take(self.now) {
                    self.gateways[gateway].on_bytes(device, &bytes, self.now);
                }
            }
        }
        for table in 0..TABLES {
            if self.tables[table].poll_timeout() <= self.now {
                self.tables[table].poll(self.now);
            }
            while let Some(game) = self.tables[table].take_played() {
                self.played.push(game);
            }
            for port in 0..2 {
                let device = 2 * table + port;
                // Without a host the line takes nothing.
                if self.hangs[device].is_some_and(|gateway| self.gateways[gateway].runs(self.now)) {
                    let mut bytes = Vec::new();
                    self.tables[table].take_output(port, &mut bytes);
                    if !bytes.is_empty() {
                        self.up[device].put(bytes, self.now, noise, &mut self.dice);
                    }
                }
            }
        }
    }

    fn arrivals(&mut self) {
        let mut for_server = Vec::new();
        while let Some(delivered) = self.broker.arrived(self.now) {
            match delivered.to {
                Client::Server if self.server.runs(self.now) => {
                    for_server.push(Message { topic: delivered.topic, payload: delivered.payload });
                }
                Client::Gateway(index) if self.gateways[index].runs(self.now) => {
                    self.gateways[index].on_message(&delivered.payload, self.now, &mut self.broker);
                }
                Client::Server | Client::Gateway(_) => {}
            }
        }
        if !for_server.is_empty() {
            self.server.on_messages(for_server, self.now);
        }
    }

    /// The organisers: they open, pair and start, whatever is due, and repeat what was not answered.
    fn drive(&mut self) -> Result<(), String> {
        if self.now < self.next_look || self.server.asked || !self.server.runs(self.now) {
            return Ok(());
        }
        self.next_look = self.now + 250;
        let Some(hall) = self.server.intake().map(|intake| intake.hall()) else { return Ok(()) };
        let due = match hall.event_view() {
            None => setup(self.schedule.seed, self.rounds()),
            Some(event) if event.playing || event.finished => return Ok(()),
            Some(event) => {
                let waits = hall.round_view(event.round).is_some_and(|round| {
                    round.pairings.iter().any(|it| matches!(it.status, hall::view::GameStatus::NotStarted))
                });
                if waits { vec![Act::Start] } else { vec![Act::Pair] }
            }
        };
        self.server.ask(due, self.now)
    }

    fn next(&self) -> i64 {
        let fault = self.schedule.faults.get(self.happened).map(|(at, _)| *at);
        let tables = self.tables.iter().map(VirtualTable::poll_timeout);
        let lines = (0..DEVICES).filter_map(|device| {
            let gateway = self.hangs[device]?;
            let up = self.up[device].next().map(|at| at.max(self.gateways[gateway].paused_until));
            up.into_iter().chain(self.down[device].next()).min()
        });
        let plugs = self.plug.iter().flatten().map(|(at, _)| *at);
        let gateways = self.gateways.iter().map(|it| it.next(self.now));
        let drive = (!self.server.asked && self.server.is_alive())
            .then(|| self.next_look.max(self.server.paused_until));
        fault
            .into_iter()
            .chain(tables)
            .chain(lines)
            .chain(plugs)
            .chain(gateways)
            .chain(drive)
            .chain(self.broker.next())
            .chain([self.server.next(self.now)])
            .min()
            .unwrap_or(LIMIT)
    }

    /// Nothing can come any more.
    fn is_over(&self) -> bool {
        self.happened == self.schedule.faults.len()
            && self.hangs.iter().all(Option::is_some)
            && self.server.is_idle()
            && self.played.len() == TABLES * usize::from(self.rounds())
            && self.tables.iter().all(|table| table.backlog() == 0)
            && self.gateways.iter().all(|gateway| gateway.backlog() == 0)
            && self.server.intake().and_then(|it| it.hall().event_view()).is_some_and(|event| event.finished)
    }

    fn verdict(&self) -> Result<(), String> {
        let made: u64 = self.tables.iter().map(VirtualTable::records_made).sum();
        let numbers = self.server.database.numbers();
        let mut stored = 0;
        for ((device, boot), numbers) in &numbers {
            let whole: Vec<u32> = (1..=numbers.len() as u32).collect();
            if *numbers != whole {
                return Err(format!("records of {device} in its start {boot}: {numbers:?}"));
            }
            stored += numbers.len() as u64;
        }
        if made != stored {
            return Err(format!("{made} records were made, {stored} are stored"));
        }
        for game in &self.played {
            let at = (RoundNo(game.game_no as u16), TableNo(game.table));
            let read = self.server.shown.get(&at).ok_or_else(|| format!("no game {at:?} was shown"))?;
            let moves: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
            if read.moves != moves {
                return Err(format!(
                    "game {at:?}\nplayed {}\nread   {}",
                    moves.join(" "),
                    read.moves.join(" ")
                ));
            }
        }
        let folded = self.server.fold()?;
        for (at, seen) in &self.server.shown {
            let view = folded.hall().game_view(at.0, at.1).ok_or_else(|| format!("{at:?} does not fold"))?;
            if Seen::from(&view) != *seen {
                return Err(format!("{at:?} was shown as {seen:?} and folds to {:?}", Seen::from(&view)));
            }
        }
        Ok(())
    }
}

/// The event, its players and its tables.
fn setup(seed: u64, rounds: u16) -> Vec<Act> {
    let open = Act::Open { title: "试".into(), rounds, regulation: "a".into(), seed };
    let enter = (1..=2 * TABLES)
        .map(|no| Act::Enter(Entrant { name: format!("棋手{no}"), unit: format!("县{no}") }));
    let bind = (1..=TABLES as u16).map(|table| {
        Act::Bind(TableBinding {
            table: TableNo(table),
            board: uid(table, PortKind::Board),
            clock: uid(table, PortKind::Clock),
            red: Half::A,
        })
    });
    [open].into_iter().chain(enter).chain(bind).chain([Act::Draw]).collect()
}
