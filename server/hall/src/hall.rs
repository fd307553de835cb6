//! The hall: takes inputs, makes entries, and is the fold of them.

use std::collections::{BTreeMap, BTreeSet};

use arbitration::{Consequence, Game, GameFact, Notice, Outcome, Words};
use firmware_proto::{
    Beat, ByHalf, ClockFace, ClockSetting, CmdId, Command, DeviceUid, Epoch, GatewayId, Observation, Sighting,
};
use tournament::{Event, RoundNo, TableNo};
use xiangqi::Position;

use crate::alerts::AlertBoard;
use crate::entry::{Entry, Fact};
use crate::event::{self, EventFrame};
use crate::feed::Part;
use crate::round::Round;
use crate::table::Table;
use crate::{Actor, Changed, Entrant, Input, Outgoing};

/// A whole event.
#[derive(Debug)]
pub struct Hall {
    pub(crate) skew: i64,
    pub(crate) last_entry: u64,
    /// When the last entry was made.
    last_at: Epoch,
    pub(crate) observations: u64,
    pub(crate) frame: Option<EventFrame>,
    pub(crate) entered: Vec<Entrant>,
    pub(crate) event: Option<Event>,
    pub(crate) tables: BTreeMap<TableNo, Table>,
    devices: BTreeMap<DeviceUid, (TableNo, Part)>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) alerts: AlertBoard,
    pub(crate) gateways: BTreeMap<GatewayId, bool>,
    pub(crate) plies: u64,
    commands: BTreeMap<CmdId, Outgoing>,
    last_command: u32,
    replay_from: u64,
}

/// What the hall gives back.
#[derive(Debug, Default)]
pub struct Outputs {
    /// New journal entries, already part of the state: to be committed before anything else leaves.
    pub entries: Vec<Entry>,
    /// Commands for devices.
    pub commands: Vec<Outgoing>,
    /// Which views are new.
    pub changed: BTreeSet<Changed>,
}

/// Why an act was refused. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The event was not opened yet, or was before.
    #[error("{0}")]
    Order(&'static str),
    /// The regulation is unknown.
    #[error(transparent)]
    Regulation(#[from] arbitration::RegulationError),
    /// The regulation's ladder has a key that does not exist.
    #[error("ladder: there is no key “{0}”")]
    Ladder(String),
    /// The event's data do not fit.
    #[error(transparent)]
    Event(#[from] tournament::EventError),
    /// No pairing.
    #[error(transparent)]
    Pairing(#[from] tournament::PairingError),
    /// There is no such table in this round.
    #[error("table {0} has no game in this round")]
    NoGame(TableNo),
    /// A table needs devices before a round starts there.
    #[error("table {0} has no board and clock bound to it")]
    Unbound(TableNo),
    /// There is no such alert.
    #[error("alert {0} is not open")]
    NoAlert(u64),
    /// The correction is no line of moves from there.
    #[error("table {table}: ply {ply} does not exist")]
    NoPly {
        /// The table.
        table: TableNo,
        /// The ply asked for.
        ply: u16,
    },
    /// A device is on another table already.
    #[error("device {device} stands on table {table} already")]
    Taken {
        /// The device.
        device: DeviceUid,
        /// Where it stands.
        table: TableNo,
    },
}

/// Why a journal cannot be folded.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// An entry is missing or doubled.
    #[error("journal entry {expected} is missing: found number {found}")]
    Number {
        /// The number that should have come.
        expected: u64,
        /// The one that came.
        found: u64,
    },
    /// An entry does not fit what came before it.
    #[error("journal entry {no} does not fit the ones before it: {why}")]
    Misfit {
        /// The entry.
        no: u64,
        /// Why.
        why: Refusal,
    },
}

impl Hall {
    /// A hall in which nothing has happened. `skew`: how far two links of one table may lie apart, ms of venue
    /// time ([`crate::SKEW`] at normal speed).
    #[must_use]
    pub fn new(skew: i64) -> Hall {
        Hall {
            skew,
            last_entry: 0,
            last_at: Epoch(0),
            observations: 0,
            frame: None,
            entered: Vec::new(),
            event: None,
            tables: BTreeMap::new(),
            devices: BTreeMap::new(),
            rounds: Vec::new(),
            alerts: AlertBoard::default(),
            gateways: BTreeMap::new(),
            plies: 0,
            commands: BTreeMap::new(),
            last_command: 0,
            replay_from: 0,
        }
    }

    /// The fold of a journal. Then: [`Hall::replay`] for the stored observations after [`Hall::replay_from`], in
    /// their order, and [`Hall::resume`].
    pub fn restore(skew: i64, journal: impl IntoIterator<Item = Entry>) -> Result<Hall, RestoreError> {
        let mut hall = Hall::new(skew);
        for entry in journal {
            let expected = hall.last_entry + 1;
            if entry.no != expected {
                return Err(RestoreError::Number { expected, found: entry.no });
            }
            hall.apply(&entry).map_err(|why| RestoreError::Misfit { no: entry.no, why })?;
        }
        hall.observations = hall.replay_from;
        Ok(hall)
    }

    /// The number of observations that need not be replayed: those before the running games began.
    #[must_use]
    pub fn replay_from(&self) -> u64 {
        self.replay_from
    }

    /// Feeds a stored observation to the running games again. Nothing is concluded.
    pub fn replay(&mut self, observation: &Observation) {
        self.observations += 1;
        if let Some((no, part)) = self.part(observation.device)
            && let Some(table) = self.tables.get_mut(&no)
        {
            table.take_again(self.observations, part, observation);
        }
    }

    /// After the replay: what the running games' trackers see otherwise than the journal is concluded now, and
    /// the commands that are not known to be done go out again.
    pub fn resume(&mut self, now: Epoch) -> Outputs {
        let mut out = Outputs::default();
        let live: Vec<_> = self.live_games().collect();
        let last_at = self.last_at;
        for no in live {
            // What was complete when the last entry was made is in the journal.
            if let Some(table) = self.tables.get_mut(&no) {
                table.advance(last_at);
            }
            let known: Vec<_> = self
                .game(no)
                .map(|game| game.plies().iter().map(|ply| ply.read.clone()).collect())
                .unwrap_or_default();
            let findings = self.tables.get(&no).map(|table| table.findings_since(&known)).unwrap_or_default();
            for finding in findings {
                self.conclude(Fact::Game { table: no, fact: GameFact::Found(finding) }, now, &mut out);
            }
        }
        out.commands.extend(self.commands.values().copied());
        out.changed.extend([Changed::Event, Changed::Round, Changed::Standing, Changed::Alerts]);
        out.changed.extend(self.current_tables().map(Changed::Game));
        out
    }

    /// How many observations were handled, replayed ones included: the stored ones are numbered alike.
    #[must_use]
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Commands that no device has answered yet.
    pub fn open_commands(&self) -> impl Iterator<Item = Outgoing> + '_ {
        self.commands.values().copied()
    }

    /// The table that a device stands on.
    #[must_use]
    pub fn table_of(&self, device: DeviceUid) -> Option<TableNo> {
        self.part(device).map(|(table, _)| table)
    }

    /// Alerts ever raised, by code.
    #[must_use]
    pub fn alert_tally(&self) -> &BTreeMap<arbitration::AlertCode, u64> {
        self.alerts.tally()
    }

    /// Handles an input. Only an act can be refused; nothing has changed then.
    pub fn handle(&mut self, input: Input, now: Epoch) -> Result<Outputs, Refusal> {
        let mut out = Outputs::default();
        match input {
            Input::Observed(observations) => self.observed(&observations, now, &mut out),
            Input::Beats(beats) => self.beaten(&beats, &mut out),
            Input::Gateway { id, up } => {
                if self.gateways.get(&id) != Some(&up) {
                    self.conclude(Fact::Gateway { id, up }, now, &mut out);
                }
            }
            Input::Act(act, by) => self.act(act, by, now, &mut out)?,
            Input::Time => {
                let all: Vec<_> = self.tables.keys().copied().collect();
                for table in all {
                    self.advance(table, now, &mut out);
                }
            }
        }
        Ok(out)
    }

    /// When the hall wants [`Input::Time`], and why.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<(Epoch, &'static str)> {
        let tables = self.live_games().filter_map(|no| self.tables.get(&no)?.poll_timeout(self.skew));
        tables.min_by_key(|(at, _)| *at)
    }

    /// Takes an entry of the journal into the state.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), Refusal> {
        match &entry.fact {
            Fact::Opened { title, rounds, regulation, seed } => {
                self.frame = Some(EventFrame {
                    title: title.clone(),
                    rounds: *rounds,
                    regulation: (**regulation).clone(),
                    seed: *seed,
                });
                self.last_command = event::first_command(entry.at);
            }
            Fact::Entered(entrant) => self.entered.push(entrant.clone()),
            Fact::Bound(binding) => {
                self.devices.retain(|_, (table, _)| *table != binding.table);
                let table = Table::new(*binding, self.skew);
                for device in [binding.board, binding.clock] {
                    self.devices.extend(table.part(device).map(|part| (device, (binding.table, part))));
                }
                self.tables.insert(binding.table, table);
            }
            Fact::Drawn(drawn) => {
                let frame = self.frame.as_ref().ok_or(Refusal::Order("the event is not open"))?;
                self.event = Some(event::of(frame, drawn)?);
            }
            Fact::Paired { round, pairs } => {
                let event = self.event.as_ref().ok_or(Refusal::Order("the numbers are not drawn"))?;
                self.rounds.push(Round::new(*round, pairs.clone(), event));
            }
            Fact::Started { observations, .. } => {
                self.replay_from = *observations;
                self.start_games(entry.at, *observations);
            }
            Fact::Game { table, fact } => self.apply_to_game(*table, fact)?,
            Fact::Rebased { table, observations } => self.rebase(*table, entry.at, *observations),
            Fact::Corrected { round, table, outcome } => {
                self.correct_result(*round, *table, *outcome, entry.at)?
            }
            Fact::Raised { alert, table, notice } => self.alerts.raised(*alert, *table, (**notice).clone()),
            Fact::Claimed { alert } => self.alerts.claimed(*alert, entry.by.name()),
            Fact::Settled { alert, .. } => self.alerts.settled(*alert),
            Fact::Commanded(outgoing) => {
                self.last_command = self.last_command.max(outgoing.id.0);
                self.commands.insert(outgoing.id, *outgoing);
            }
            Fact::Done { command, .. } => {
                self.commands.remove(command);
            }
            Fact::Gateway { id, up } => {
                self.gateways.insert(id.clone(), *up);
            }
            Fact::RoundOver(_) => {
                if let Some(round) = self.rounds.last_mut() {
                    round.over = true;
                }
            }
        }
        self.last_entry = entry.no;
        self.last_at = entry.at;
        Ok(())
    }

    fn apply_to_game(&mut self, no: TableNo, fact: &GameFact) -> Result<(), Refusal> {
        let round = self.rounds.last_mut().ok_or(Refusal::NoGame(no))?;
        let game = round.games.get_mut(&no).ok_or(Refusal::NoGame(no))?;
        let before = game.plies().len();
        game.apply(fact);
        self.plies = (self.plies + game.plies().len() as u64).saturating_sub(before as u64);
        round.touch(no);
        match fact {
            GameFact::Ended { outcome, .. } => {
                if let (Some(event), Some(result)) = (&mut self.event, round.result(no, *outcome)) {
                    event::take_result(event, result)?;
                }
                if let Some(table) = self.tables.get_mut(&no) {
                    table.end();
                }
            }
            GameFact::Reopened { .. } => {
                round.over = false;
                let round = round.no();
                if let Some(event) = &mut self.event {
                    event::forget_result(event, round, no)?;
                }
            }
            GameFact::Found(_)
            | GameFact::Clocked(_)
            | GameFact::Signalled { .. }
            | GameFact::Linked { .. }
            | GameFact::Fouled { .. } => {}
        }
        Ok(())
    }

    fn rebase(&mut self, no: TableNo, at: Epoch, observations: u64) {
        if let Some(game) = self.rounds.last().and_then(|round| round.games.get(&no))
            && let Some(table) = self.tables.get_mut(&no)
        {
            table.rebase(game, at, observations);
        }
    }

    fn correct_result(
        &mut self,
        round: RoundNo,
        no: TableNo,
        outcome: Outcome,
        at: Epoch,
    ) -> Result<(), Refusal> {
        let round = self.rounds.iter_mut().find(|one| one.no() == round).ok_or(Refusal::NoGame(no))?;
        let game = round.games.get_mut(&no).ok_or(Refusal::NoGame(no))?;
        game.apply(&GameFact::Ended { outcome, at });
        round.touch(no);
        if let (Some(event), Some(result)) = (&mut self.event, round.result(no, outcome)) {
            event::take_result(event, result)?;
        }
        Ok(())
    }

    fn start_games(&mut self, at: Epoch, after: u64) {
        let (Some(round), Some(frame)) = (self.rounds.last_mut(), &self.frame) else { return };
        round.started = true;
        let tables: Vec<_> = round.tables().collect();
        for no in tables {
            round.games.insert(no, Game::new(frame.regulation.clone(), Position::start()));
            if let Some(table) = self.tables.get_mut(&no) {
                table.begin(Position::start(), at, after);
            }
        }
        if let Some(event) = &mut self.event {
            // A bye is a result from the start (轮空); one that was recorded before is left as it is.
            for bye in round.byes() {
                let _ = event.record(bye);
            }
        }
    }

    /// Makes an entry, takes it in, and makes the entries that follow from it.
    pub(crate) fn conclude(&mut self, fact: Fact, now: Epoch, out: &mut Outputs) {
        let made = self.enter(fact, Actor::Hall, now, out);
        debug_assert!(made.is_ok(), "the hall concludes only what fits its state");
    }

    pub(crate) fn enter(
        &mut self,
        fact: Fact,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let entry = Entry { no: self.last_entry + 1, at: now, by, fact };
        self.apply(&entry)?;
        self.mark_changed(&entry.fact, out);
        let follows = entry.fact.clone();
        out.entries.push(entry);
        self.follow(&follows, now, out);
        Ok(())
    }

    fn mark_changed(&self, fact: &Fact, out: &mut Outputs) {
        match fact {
            Fact::Game { table, fact } => {
                out.changed.insert(Changed::Game(*table));
                out.changed.insert(Changed::Round);
                if matches!(fact, GameFact::Ended { .. } | GameFact::Reopened { .. }) {
                    out.changed.extend([Changed::Event, Changed::Standing]);
                }
            }
            Fact::Raised { table, .. } => {
                out.changed.extend([Changed::Alerts, Changed::Event]);
                out.changed.extend(table.map(Changed::Game));
            }
            Fact::Claimed { .. } | Fact::Settled { .. } => {
                out.changed.extend([Changed::Alerts, Changed::Event]);
            }
            Fact::Rebased { table, .. } => {
                out.changed.insert(Changed::Game(*table));
            }
            Fact::Corrected { .. } => {
                out.changed.extend([Changed::Round, Changed::Standing]);
            }
            Fact::Commanded(outgoing) => out.commands.push(*outgoing),
            Fact::Done { .. } => {}
            Fact::Gateway { .. } => {
                out.changed.insert(Changed::Event);
            }
            Fact::Opened { .. }
            | Fact::Entered(_)
            | Fact::Bound(_)
            | Fact::Drawn(_)
            | Fact::Paired { .. }
            | Fact::Started { .. }
            | Fact::RoundOver(_) => {
                out.changed.extend([Changed::Event, Changed::Round, Changed::Standing]);
                out.changed.extend(self.current_tables().map(Changed::Game));
            }
        }
    }

    /// What the hall does by itself after an entry.
    fn follow(&mut self, fact: &Fact, now: Epoch, out: &mut Outputs) {
        match fact {
            Fact::Game { table, fact } => {
                let consequences = self.game(*table).map(|game| game.consequences(fact)).unwrap_or_default();
                self.draw_consequences(*table, consequences, now, out);
                if matches!(fact, GameFact::Ended { .. }) {
                    self.after_end(*table, now, out);
                }
            }
            Fact::Started { .. } => {
                let tables: Vec<_> = self.current_tables().collect();
                for table in tables {
                    self.set_up(table, now, out);
                }
                self.close_round(now, out);
            }
            Fact::Gateway { id, up } => self.after_gateway(&id.clone(), *up, now, out),
            Fact::Opened { .. }
            | Fact::Entered(_)
            | Fact::Bound(_)
            | Fact::Drawn(_)
            | Fact::Paired { .. }
            | Fact::Rebased { .. }
            | Fact::Corrected { .. }
            | Fact::Raised { .. }
            | Fact::Claimed { .. }
            | Fact::Settled { .. }
            | Fact::Commanded(_)
            | Fact::Done { .. }
            | Fact::RoundOver(_) => {}
        }
    }

    fn draw_consequences(&mut self, no: TableNo, all: Vec<Consequence>, now: Epoch, out: &mut Outputs) {
        for consequence in all {
            match consequence {
                Consequence::End(outcome, at) => {
                    self.settle(no, at, now, out);
                    if self.game(no).is_some_and(|game| game.outcome().is_none()) {
                        let fact = GameFact::Ended { outcome, at };
                        self.conclude(Fact::Game { table: no, fact }, now, out);
                    }
                }
                Consequence::Raise(notice) => self.raise(Some(no), notice, now, out),
                Consequence::Clear(code) => self.pass(Some(no), code, 0, now, out),
                Consequence::ClearFrom(code, ply) => self.pass(Some(no), code, ply, now, out),
            }
        }
    }

    /// The plies that a game's end settles.
    pub(crate) fn settle(&mut self, no: TableNo, at: Epoch, now: Epoch, out: &mut Outputs) {
        let findings = self.tables.get_mut(&no).map(|table| table.settle(at)).unwrap_or_default();
        for finding in findings {
            self.conclude(Fact::Game { table: no, fact: GameFact::Found(finding) }, now, out);
        }
    }

    fn raise(&mut self, table: Option<TableNo>, notice: Notice, now: Epoch, out: &mut Outputs) {
        if !self.alerts.stands(table, notice.code, notice.cause) {
            let alert = self.alerts.next();
            self.conclude(Fact::Raised { alert, table, notice: Box::new(notice) }, now, out);
        }
    }

    /// Alerts that have lost their cause pass by themselves.
    fn pass(
        &mut self,
        table: Option<TableNo>,
        code: arbitration::AlertCode,
        from: u32,
        now: Epoch,
        out: &mut Outputs,
    ) {
        for alert in self.alerts.of(table, code, from) {
            self.conclude(Fact::Settled { alert, why: "已自行解除".into() }, now, out);
        }
    }

    /// The clock stops where the game ended; the round ends with its last game.
    fn after_end(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        if let Some(clock) = self.tables.get(&no).map(|table| table.binding().clock) {
            self.command(clock, Command::Pause, now, out);
        }
        self.close_round(now, out);
    }

    fn close_round(&mut self, now: Epoch, out: &mut Outputs) {
        if let Some(round) = self.rounds.last()
            && round.started
            && !round.over
            && round.games.values().all(|game| game.outcome().is_some())
        {
            self.conclude(Fact::RoundOver(round.no()), now, out);
        }
    }

    /// Sets a table up for its game: the board shows itself, the clock waits for the first press.
    fn set_up(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        let (Some(table), Some(frame)) = (self.tables.get(&no), &self.frame) else { return };
        let binding = table.binding();
        let time = frame.regulation.time;
        let face = ClockFace { left: ByHalf { a: time.base, b: time.base }, running: None };
        self.command(binding.board, Command::Snapshot, now, out);
        self.command(
            binding.clock,
            Command::SetClock(ClockSetting { face, increment: time.increment }),
            now,
            out,
        );
    }

    fn command(&mut self, device: DeviceUid, command: Command, now: Epoch, out: &mut Outputs) {
        let fact = self.commanded(device, command);
        self.conclude(fact, now, out);
    }

    /// The entry by which a device is told something.
    pub(crate) fn commanded(&self, device: DeviceUid, command: Command) -> Fact {
        let id = CmdId(self.last_command.wrapping_add(1));
        Fact::Commanded(Outgoing { device, id, command })
    }

    fn after_gateway(&mut self, id: &GatewayId, up: bool, now: Epoch, out: &mut Outputs) {
        let code = arbitration::AlertCode::GwDown;
        // One alert for all tables of a gateway: the cause is the gateway, by its place among the known ones.
        let cause = self.gateways.keys().position(|known| known == id).unwrap_or_default() as u32;
        if up {
            for alert in self.alerts.of(None, code, cause) {
                if self.alerts.get(alert).is_some_and(|open| open.notice.cause == cause) {
                    self.conclude(Fact::Settled { alert, why: "网关已恢复".into() }, now, out);
                }
            }
        } else {
            let evidence = Words::new(
                format!("网关 {id} 断线；各台照常进行，恢复后补录"),
                format!("Gateway {id} is down; games go on, what was played is taken in when it is back"),
            );
            let notice = Notice { code, cause, at: now, evidence, proposal: Words::default() };
            self.raise(None, notice, now, out);
        }
    }

    fn observed(&mut self, observations: &[Observation], now: Epoch, out: &mut Outputs) {
        let mut touched = BTreeSet::new();
        for observation in observations {
            self.observations += 1;
            if let Sighting::Done(done) = observation.sighting
                && self.commands.contains_key(&done.command)
            {
                self.conclude(Fact::Done { command: done.command, code: done.code }, now, out);
            }
            let Some((no, part)) = self.part(observation.device) else {
                continue;
            };
            if let Some(table) = self.tables.get_mut(&no) {
                table.take(part, observation);
                touched.insert(no);
            }
        }
        for no in touched {
            self.advance(no, now, out);
        }
    }

    fn beaten(&mut self, beats: &[Beat], out: &mut Outputs) {
        for beat in beats {
            if let Some((no, _)) = self.part(beat.device)
                && let Some(table) = self.tables.get_mut(&no)
            {
                let before = table.shown().and_then(|shown| shown.running);
                table.beat(beat);
                if table.shown().and_then(|shown| shown.running) != before {
                    out.changed.insert(Changed::Game(no));
                }
            }
        }
    }

    /// Lets a table's game learn what is complete.
    fn advance(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        let Some(table) = self.tables.get_mut(&no) else { return };
        let relinked = table.relinked();
        let facts = table.advance(now);
        if self.game(no).is_none() {
            return;
        }
        if let Some((board, clock)) = relinked {
            self.conclude(
                Fact::Game { table: no, fact: GameFact::Linked { board, clock, at: now } },
                now,
                out,
            );
        }
        for fact in facts {
            if self.game(no).is_some_and(|game| game.outcome().is_some()) {
                break;
            }
            self.conclude(Fact::Game { table: no, fact }, now, out);
        }
    }

    pub(crate) fn part(&self, device: DeviceUid) -> Option<(TableNo, Part)> {
        self.devices.get(&device).copied()
    }

    pub(crate) fn game(&self, no: TableNo) -> Option<&Game> {
        self.rounds.last()?.games.get(&no)
    }

    fn live_games(&self) -> impl Iterator<Item = TableNo> + '_ {
        let games = self.rounds.last().into_iter().flat_map(|round| &round.games);
        games.filter(|(_, game)| game.outcome().is_none()).map(|(no, _)| *no)
    }

    pub(crate) fn current_tables(&self) -> impl Iterator<Item = TableNo> + use<> {
        self.rounds.last().map(|round| round.tables().collect::<Vec<_>>()).unwrap_or_default().into_iter()
    }
}
