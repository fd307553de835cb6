//! The server: the real ingest and hall, around them a database that commits whole transactions or nothing, may be slow,
//! and may have committed what nobody was told of when the process is killed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use chuhe::ingest::{Intake, Outcome, Present, Sealer, Step};
use chuhe::mqtt::Message;
use firmware_proto::envelope::Key;
use firmware_proto::{BootId, DeviceUid, Epoch, GatewayId, Seq, Session, Sighting, VenueId};
use gateway::{Delivery, Publication};
use hall::view::{GameStatus, GameView};
use hall::{Act, Actor, Role};
use simulator::Dice;
use store::{Batch, Cursor, Kept, Line, Range};
use tournament::{RoundNo, TableNo};
use web::Update;

use super::broker::{Broker, Client};

/// How far each gateway's stream is.
type Cursors = BTreeMap<(GatewayId, Session), Cursor>;

/// What is committed; the same walls as the tables of the real one.
#[derive(Debug, Default)]
pub struct Database {
    pub observations: Vec<Kept>,
    pub journal: Vec<Line>,
    cursors: BTreeMap<(GatewayId, Session), Cursor>,
    streams: BTreeSet<(GatewayId, Session, u64)>,
    records: BTreeSet<(DeviceUid, BootId, Seq)>,
    devices: BTreeMap<DeviceUid, GatewayId>,
    lives: u64,
}

impl Database {
    fn commit(&mut self, batch: &Batch) -> Result<(), String> {
        for kept in &batch.observations {
            if kept.id != self.observations.len() as u64 + 1 {
                return Err(format!(
                    "observation {} was to be stored behind {}",
                    kept.id,
                    self.observations.len()
                ));
            }
            if !self.streams.insert((kept.gateway.clone(), kept.session, kept.stream_seq.0)) {
                return Err(format!(
                    "{} {:?} {:?} is stored twice",
                    kept.gateway, kept.session, kept.stream_seq
                ));
            }
            match kept.observation.sighting {
                Sighting::Record(boot, record) => {
                    if !self.records.insert((kept.observation.device, boot, record.seq)) {
                        return Err(format!(
                            "record {} of {} is stored twice",
                            record.seq, kept.observation.device
                        ));
                    }
                }
                Sighting::Attached(_) => {
                    self.devices.insert(kept.observation.device, kept.gateway.clone());
                }
                Sighting::Detached | Sighting::Done(_) | Sighting::Gap { .. } => {}
            }
            self.observations.push(kept.clone());
        }
        for line in &batch.entries {
            if line.no != self.journal.len() as u64 + 1 {
                return Err(format!("entry {} was to be written behind {}", line.no, self.journal.len()));
            }
            self.journal.push(line.clone());
        }
        for cursor in &batch.cursors {
            self.cursors.insert((cursor.gateway.clone(), cursor.session), cursor.clone());
        }
        Ok(())
    }

    /// It is again what it was with so many observations and entries.
    fn go_back(
        &mut self,
        observations: usize,
        entries: usize,
        cursors: BTreeMap<(GatewayId, Session), Cursor>,
    ) {
        let mut before = std::mem::take(self);
        before.observations.truncate(observations);
        before.journal.truncate(entries);
        let cursors = cursors.into_values().collect();
        let batch = Batch { observations: before.observations, entries: before.journal, cursors };
        *self = Database { lives: before.lives, ..Database::default() };
        self.commit(&batch).expect("it was committed before");
    }

    /// Records by device and start.
    pub fn numbers(&self) -> BTreeMap<(DeviceUid, BootId), Vec<u32>> {
        let mut numbers: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for (device, boot, seq) in &self.records {
            numbers.entry((*device, *boot)).or_default().push(seq.0);
        }
        numbers
    }

    fn ranges(&self) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for &(device, boot, seq) in &self.records {
            match ranges.last_mut() {
                Some(last) if (last.device, last.boot) == (device, boot) && last.last.0 + 1 == seq.0 => {
                    last.last = seq;
                }
                Some(_) | None => ranges.push(Range { device, boot, first: seq, last: seq }),
            }
        }
        ranges
    }
}

/// What somebody saw on a page of a game and may hold us to.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub status: GameStatus,
    pub moves: Vec<String>,
    pub fouls: [u8; 2],
}

impl From<&GameView> for Seen {
    fn from(view: &GameView) -> Seen {
        let moves = view.plies.iter().map(|ply| ply.mv.to_string()).collect();
        Seen { status: view.status, moves, fouls: view.fouls }
    }
}

struct Pending {
    due: i64,
    outcome: Outcome,
    /// Whether the driver waits for it.
    answers: bool,
}

struct Running {
    intake: Intake,
    sealer: Sealer,
    started: i64,
    pending: VecDeque<Pending>,
    connection: Option<u64>,
    connect_at: i64,
}

pub struct ServerBox {
    venue: VenueId,
    keys: BTreeMap<GatewayId, Key>,
    dice: Dice,
    base: Epoch,
    running: Option<Running>,
    pub database: Database,
    /// The database after each transaction of late, for being brought back: how many observations and entries it had,
    /// and how far the streams were.
    history: VecDeque<(usize, usize, Cursors)>,
    /// From this entry on the round runs: it is never brought back to before it.
    round_from: u64,
    pub paused_until: i64,
    pub start_at: i64,
    /// How long a transaction takes, until when.
    pub slow: (i64, i64),
    /// Games as shown.
    pub shown: BTreeMap<(RoundNo, TableNo), Seen>,
    /// Whether all that is committed was shown.
    all_shown: bool,
    /// Whether the driver's last request has no answer yet.
    pub asked: bool,
    pub restored: bool,
    /// Whether all that is stored and sent is told.
    trace: bool,
}

/// Transactions that one can go back.
const HISTORY: usize = 80;

impl ServerBox {
    pub fn new(venue: VenueId, keys: BTreeMap<GatewayId, Key>, dice: Dice, base: Epoch) -> ServerBox {
        ServerBox {
            venue,
            keys,
            dice,
            base,
            running: None,
            database: Database::default(),
            history: VecDeque::new(),
            round_from: u64::MAX,
            paused_until: 0,
            start_at: 0,
            slow: (0, 0),
            shown: BTreeMap::new(),
            all_shown: true,
            asked: false,
            restored: false,
            trace: std::env::var_os("FAULT_TRACE").is_some(),
        }
    }

    fn present(&self, now: i64) -> Present {
        let started = self.running.as_ref().map_or(now, |it| it.started);
        Present { venue: Epoch(self.base.0 + now), wait: Duration::from_millis((now - started) as u64) }
    }

    pub fn runs(&self, now: i64) -> bool {
        self.running.is_some() && now >= self.paused_until
    }

    pub fn is_alive(&self) -> bool {
        self.running.is_some()
    }

    pub fn intake(&self) -> Option<&Intake> {
        self.running.as_ref().map(|it| &it.intake)
    }

    pub fn is_idle(&self) -> bool {
        self.running.as_ref().is_some_and(|it| it.pending.is_empty())
    }

    /// The fold of what is committed.
    pub fn fold(&self) -> Result<Intake, String> {
        let mut intake = Intake::restore(
            self.venue.clone(),
            self.keys.clone(),
            hall::SKEW,
            self.database.journal.clone(),
        )?;
        let from = intake.replay_from() as usize;
        intake.replay(&self.database.observations[from..], self.database.observations.len() as u64)?;
        let devices = self.database.devices.iter().map(|(device, gateway)| (*device, gateway.clone()));
        intake.know(self.database.cursors.values().cloned(), self.database.ranges(), devices);
        Ok(intake)
    }

    fn start(&mut self, now: i64) -> Result<(), String> {
        let intake = self.fold()?;
        if self.trace {
            let Database { observations, journal, .. } = &self.database;
            eprintln!(
                "{now:>7} the server starts: {} observations, {} entries",
                observations.len(),
                journal.len()
            );
        }
        let folded = games(&intake.views());
        if self.all_shown && !self.restored {
            for (game, seen) in &self.shown {
                if folded.get(game) != Some(seen) {
                    return Err(format!(
                        "the journal folds to another game than was shown, {game:?}:\nshown  {seen:?}\nfolded {:?}",
                        folded.get(game)
                    ));
                }
            }
        }
        self.shown = folded;
        self.database.lives += 1;
        let life = (self.base.0 + now).unsigned_abs().max(self.database.lives);
        self.running = Some(Running {
            intake,
            sealer: Sealer::new(self.venue.clone(), self.keys.clone(), life),
            started: now,
            pending: VecDeque::new(),
            connection: None,
            connect_at: now + self.dice.between(5, 200),
        });
        let present = self.present(now);
        let mut step = Step::default();
        if let Some(it) = &mut self.running {
            it.intake.resume(present, &mut step);
        }
        self.finish(step, false, now);
        Ok(())
    }

    /// `kill -9`: of what waits for the disk some may be committed, and nobody was told.
    pub fn kill(&mut self, now: i64, long: i64, broker: &mut Broker) -> Result<(), String> {
        self.start_at = now + long;
        self.paused_until = 0;
        self.asked = false;
        let Some(running) = self.running.take() else { return Ok(()) };
        broker.drop_session(Client::Server, now);
        let committed = self.dice.between(0, running.pending.len() as i64) as usize;
        for pending in running.pending.iter().take(committed) {
            self.commit(&pending.outcome.batch)?;
            self.all_shown = self.all_shown && pending.outcome.batch.entries.is_empty();
        }
        Ok(())
    }

    /// The database is what it was so many transactions ago.
    pub fn restore(&mut self, back: usize) {
        let at = self.history.len().saturating_sub(back + 1);
        let old = self.history.range(at..).find(|(_, entries, _)| *entries as u64 >= self.round_from);
        if let Some((observations, entries, cursors)) = old.cloned() {
            self.database.go_back(observations, entries, cursors);
            self.history.clear();
            self.restored = true;
        }
    }

    fn commit(&mut self, batch: &Batch) -> Result<(), String> {
        self.database.commit(batch)?;
        if self.trace {
            for kept in &batch.observations {
                eprintln!("        {} {}: {:?}", kept.id, kept.gateway, kept.observation);
            }
            for entry in &batch.entries {
                eprintln!("        entry {} at {:?}: {}", entry.no, entry.at, entry.fact);
            }
        }
        if batch.entries.iter().any(|line| line.fact.starts_with("{\"started\"")) {
            self.round_from = self.database.journal.len() as u64;
        }
        let Database { observations, journal, cursors, .. } = &self.database;
        self.history.push_back((observations.len(), journal.len(), cursors.clone()));
        if self.history.len() > HISTORY {
            self.history.pop_front();
        }
        Ok(())
    }

    pub fn on_messages(&mut self, messages: Vec<Message>, now: i64) {
        let present = self.present(now);
        let mut step = Step::default();
        if let Some(it) = &mut self.running {
            it.intake.on_messages(messages, present, &mut step);
        }
        self.finish(step, false, now);
    }

    /// The driver wants something done.
    pub fn ask(&mut self, acts: Vec<Act>, now: i64) -> Result<(), String> {
        let present = self.present(now);
        let mut step = Step::default();
        let by = Actor::Person { name: "driver".into(), role: Role::ChiefArbiter };
        if let Some(it) = &mut self.running {
            it.intake
                .on_request(acts, &by, None, present, &mut step)
                .map_err(|refused| format!("{refused:?}"))?;
        }
        self.asked = true;
        self.finish(step, true, now);
        Ok(())
    }

    fn finish(&mut self, step: Step, answers: bool, now: i64) {
        let present = self.present(now);
        let each = if now < self.slow.1 { self.slow.0 } else { self.dice.between(1, 12) };
        let Some(it) = &mut self.running else { return };
        let outcome = it.intake.finish(step, present);
        if !outcome.is_empty() || answers {
            let due = it.pending.back().map_or(now, |last| last.due.max(now)) + each;
            it.pending.push_back(Pending { due, outcome, answers });
        }
    }

    /// Everything that is due.
    pub fn step(&mut self, now: i64, broker: &mut Broker) -> Result<(), String> {
        if self.running.is_none() && now >= self.start_at {
            self.start(now)?;
        }
        let present = self.present(now);
        let mut step = Step::default();
        let Some(it) = &mut self.running else { return Ok(()) };
        let errand_due = it.intake.errand_timeout(present).is_some_and(|wait| wait.is_zero());
        let hall_due = it.intake.hall_timeout().is_some_and(|at| at <= present.venue);
        if it.connection.is_some_and(|generation| !broker.stands(Client::Server, generation)) {
            it.connection = None;
            it.connect_at = now + self.dice.between(10, 2_000);
        }
        if it.connection.is_none() && now >= it.connect_at {
            it.connection = broker.connect(Client::Server, None, now);
            it.connect_at = now + 500;
        }
        if errand_due || hall_due {
            it.intake.on_time(present, &mut step);
            self.finish(step, false, now);
        }
        while let Some(pending) =
            self.running.as_mut().and_then(|it| it.pending.pop_front_if(|pending| pending.due <= now))
        {
            self.commit(&pending.outcome.batch)?;
            self.release(pending, now, broker);
        }
        Ok(())
    }

    fn release(&mut self, pending: Pending, now: i64, broker: &mut Broker) {
        let Some(it) = &mut self.running else { return };
        for (gateway, down) in &pending.outcome.downs {
            if self.trace {
                eprintln!("{now:>7} to {gateway}: {down:?}");
            }
            if let Some((topic, payload)) = it.sealer.seal(gateway, down) {
                let delivery = Delivery::AtMostOnce;
                broker.publish(Client::Server, Publication { topic, payload, delivery }, now);
            }
        }
        self.shown.extend(games(&pending.outcome.updates));
        self.all_shown = true;
        self.restored = false;
        if pending.answers {
            self.asked = false;
        }
    }

    pub fn next(&self, now: i64) -> i64 {
        let Some(it) = &self.running else { return self.start_at };
        let present = self.present(now);
        let hall = it.intake.hall_timeout().map(|at| at.0 - self.base.0);
        let errands = it.intake.errand_timeout(present).map(|wait| now + wait.as_millis() as i64);
        let pending = it.pending.front().map(|pending| pending.due);
        let connect = it.connection.is_none().then_some(it.connect_at);
        let next = hall.into_iter().chain(errands).chain(pending).chain(connect).min();
        next.unwrap_or(i64::MAX).max(self.paused_until)
    }
}

/// The games among these views.
fn games(updates: &[Update]) -> BTreeMap<(RoundNo, TableNo), Seen> {
    updates
        .iter()
        .filter_map(|update| match update {
            Update::Game(view) => Some(((view.round, view.table), Seen::from(&**view))),
            Update::Event(_)
            | Update::Round(_)
            | Update::Standing(_)
            | Update::Teams(_)
            | Update::Alerts(_)
            | Update::Broadcast(_)
            | Update::Desk(_) => None,
        })
        .collect()
}
