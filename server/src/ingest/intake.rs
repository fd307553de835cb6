//! Everything that ingest decides, without I/O: who is let in, what is next, what is new, what the hall makes of it, and
//! what may leave once that is kept.
//!
//! The [`super::Keeper`] feeds it from the broker and the pages and takes what it led to to the store; the tests'
//! simulation feeds the same machine from models of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use firmware_proto::delivery::Number;
use firmware_proto::envelope::Key;
use firmware_proto::{
    Beat, DeviceUid, Down, Epoch, GatewayId, Hello, Link, Observation, Session, Sighting, StreamSeq, VenueId,
};
use hall::{Act, Actor, Changed, Entry, Hall, Input, Outputs, RestoreError};
use store::{Batch, Cursor, Kept, Line};
use tournament::{RoundNo, TableNo};
use web::{AtDevice, FirmwareView, LinkView, Refused, Runs, Update, Words};

use super::complaint::Complaint;
use super::device_times::DeviceTimes;
use super::errands::Errands;
use super::forms::{entry, line};
use super::gate::{Arrival, Gate};
use super::gateway_clock::GatewayClock;
use super::ledger::Ledger;
use super::offers::{Load, Offers};
use super::streams::Streams;
use crate::mqtt::Message;

/// What the server did since its start, for people and programs that watch it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Observations stored, ever.
    pub observations: u64,
    /// Entries in the journal.
    pub entries: u64,
    /// Messages that were let in.
    pub messages: u64,
    /// Observations that came again in their gateway's stream and were dropped.
    pub repeated: u64,
    /// Complaints about what came in, by kind.
    pub complaints: BTreeMap<Complaint, u64>,
    /// Alerts ever raised, by code.
    pub alerts: BTreeMap<String, u64>,
    /// How the gateways' links are.
    pub links: Arc<[LinkView]>,
}

/// The present: for stamping, venue time; for waiting, how long it is since any instant.
#[derive(Clone, Copy, Debug)]
pub struct Present {
    /// Venue time.
    pub venue: Epoch,
    /// For waiting.
    pub wait: Duration,
}

/// Everything the decisions rest on.
#[derive(Debug)]
pub struct Intake {
    hall: Hall,
    gate: Gate,
    streams: Streams,
    ledger: Ledger,
    errands: Errands,
    offers: Offers,
    tally: Tally,
    clocks: BTreeMap<GatewayId, GatewayClock>,
    device_times: DeviceTimes,
    /// What each device said of itself last.
    hellos: BTreeMap<DeviceUid, Hello>,
    skew: i64,
}

/// What inputs led to, until [`Intake::finish`] makes one whole of it.
#[derive(Debug, Default)]
pub struct Step {
    observations: Vec<Kept>,
    entries: Vec<Entry>,
    streams: BTreeSet<(GatewayId, Session)>,
    /// Streams of which something new was applied.
    moved: BTreeSet<(GatewayId, Session)>,
    changed: BTreeSet<Changed>,
}

/// What belongs together: `batch` is to be kept; only then may the rest leave.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is to be kept, whole or not at all.
    pub batch: Batch,
    /// Acknowledgements and commands for gateways.
    pub downs: Vec<(GatewayId, Down)>,
    /// Views that are new.
    pub updates: Vec<Update>,
}

impl Outcome {
    /// Whether there is nothing to keep and nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty() && self.downs.is_empty() && self.updates.is_empty()
    }
}

impl Intake {
    /// The fold of a stored journal, for these gateways. Then [`Intake::replay`] takes the observations after
    /// [`Intake::replay_from`] again. `skew`: see [`Hall::new`].
    pub fn restore(
        venue: VenueId,
        keys: BTreeMap<GatewayId, Key>,
        skew: i64,
        journal: Vec<Line>,
    ) -> Result<Intake, String> {
        let entries: Vec<Entry> = journal.into_iter().map(entry).collect::<Result<_, String>>()?;
        let count = entries.len() as u64;
        let hall = Hall::restore(skew, entries).map_err(|why: RestoreError| why.to_string())?;
        Ok(Intake {
            hall,
            gate: Gate::new(venue, keys),
            streams: Streams::default(),
            ledger: Ledger::default(),
            errands: Errands::default(),
            offers: Offers::default(),
            tally: Tally { entries: count, ..Tally::default() },
            clocks: BTreeMap::new(),
            hellos: BTreeMap::new(),
            device_times: DeviceTimes::default(),
            skew,
        })
    }

    /// The number of observations that need not be read back.
    #[must_use]
    pub fn replay_from(&self) -> u64 {
        self.hall.replay_from()
    }

    /// Takes the stored observations after [`Intake::replay_from`] again; `last` is the number of the last one stored.
    pub fn replay(&mut self, observations: &[Kept], last: u64) -> Result<(), String> {
        for kept in observations {
            self.hall.replay(&kept.observation);
            self.device_times.learn(&kept.observation);
        }
        if self.hall.observations() != last {
            return Err(format!(
                "{} observations were to be read back, {last} are there",
                self.hall.observations()
            ));
        }
        self.tally.observations = last;
        Ok(())
    }

    /// What else a store knows: how far each stream is, which records are there, where devices hung last.
    pub fn know(
        &mut self,
        cursors: impl IntoIterator<Item = Cursor>,
        ranges: impl IntoIterator<Item = store::Range>,
        devices: impl IntoIterator<Item = (firmware_proto::DeviceUid, GatewayId)>,
    ) {
        self.streams = Streams::of(cursors);
        self.ledger = Ledger::of(ranges);
        self.errands = Errands::new(devices);
    }

    /// What a store's devices said of themselves.
    pub fn know_hellos(&mut self, hellos: impl IntoIterator<Item = Hello>) {
        self.hellos = hellos.into_iter().map(|hello| (hello.uid, hello)).collect();
    }

    /// After a restore: what the running games' trackers see otherwise than the journal.
    pub fn resume(&mut self, now: Present, step: &mut Step) {
        let resumed = self.hall.resume(now.venue);
        step.take(resumed);
    }

    /// The state, for looking at.
    #[must_use]
    pub fn hall(&self) -> &Hall {
        &self.hall
    }

    /// What it did so far.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// From now on these gateways are let in.
    pub fn let_in(&mut self, keys: BTreeMap<GatewayId, Key>) {
        self.offers.let_in(keys.keys());
        self.gate.let_in(keys);
    }

    /// The bytes of this firmware are here, to be given to gateways if it is offered.
    pub fn has_firmware(&mut self, load: Option<Arc<Load>>) {
        self.offers.has(load);
    }

    /// The firmware that is offered, and how far gateways and devices are with it.
    #[must_use]
    pub fn firmware(&self) -> Option<FirmwareView> {
        let offer = self.hall.firmware_offer()?;
        let firmware = offer.firmware;
        let devices =
            self.offers.devices(&firmware).into_iter().map(|(gateway, device, progress)| AtDevice {
                device: device.to_string(),
                table: self.hall.table_of(device),
                gateway: gateway.to_string(),
                progress,
            });
        Some(FirmwareView {
            firmware,
            held_back: self.offers.held_back(offer),
            gateways: self.offers.gateways(&firmware),
            devices: devices.collect(),
        })
    }

    /// Somebody wants these acts done, unless something was decided at the table `drawn` after that entry; `Err` says why the hall refused, and nothing after the refused act was done.
    pub fn on_request(
        &mut self,
        acts: impl IntoIterator<Item = Act>,
        by: &Actor,
        drawn: Option<(TableNo, u64)>,
        now: Present,
        step: &mut Step,
    ) -> Result<(), Refused> {
        if drawn.is_some_and(|(table, entry)| self.hall.decided_since(table, entry)) {
            return Err(Refused::Overtaken);
        }
        for act in acts {
            match self.hall.handle(Input::Act(act, by.clone()), now.venue) {
                Ok(outputs) => step.take(outputs),
                Err(refusal) => {
                    let words = refusal.words();
                    return Err(Refused::Said(Words::new(words.zh, words.en)));
                }
            }
        }
        Ok(())
    }

    /// Messages came from the broker; what they observe is handed to the hall together.
    pub fn on_messages(
        &mut self,
        messages: impl IntoIterator<Item = Message>,
        now: Present,
        step: &mut Step,
    ) {
        let mut heard = Heard::default();
        for message in messages {
            if let Some(arrival) = self.gate.admit(&message) {
                self.tally.messages += 1;
                self.arrive(arrival, &mut heard, now, step);
            }
        }
        self.tell(&mut heard, now, step);
    }

    /// Tells the hall what was heard: what came before the beats before them.
    fn tell(&mut self, heard: &mut Heard, now: Present, step: &mut Step) {
        let Heard { observed, beats, beaten } = std::mem::take(heard);
        if !observed.is_empty() {
            self.handle(Input::Observed(observed), now, step);
        }
        if !beaten.is_empty() {
            self.handle(Input::Beats(beats), now, step);
        }
    }

    /// The server itself tells the hall something: a fault of its own, or what was done with an account.
    pub fn on_told(&mut self, told: Input, now: Present, step: &mut Step) {
        self.handle(told, now, step);
    }

    /// Time passed.
    pub fn on_time(&mut self, now: Present, step: &mut Step) {
        if self.hall.poll_timeout().is_some_and(|(at, _why)| at <= now.venue) {
            self.handle(Input::Time, now, step);
        }
    }

    /// When [`Intake::on_time`] wants to be called, in venue time.
    #[must_use]
    pub fn hall_timeout(&self) -> Option<Epoch> {
        self.hall.poll_timeout().map(|(at, _why)| at)
    }

    /// How long until a command has to be repeated ([`Intake::finish`] does it), if any is open.
    #[must_use]
    pub fn errand_timeout(&self, now: Present) -> Option<Duration> {
        self.errands.next(now.wait)
    }

    /// Makes one whole of what inputs led to.
    pub fn finish(&mut self, step: Step, now: Present) -> Outcome {
        let mut downs: Vec<(GatewayId, Down)> = step
            .streams
            .iter()
            .map(|(gateway, session)| {
                let upto = self.streams.applied(gateway, *session);
                (gateway.clone(), Down::Ack { session: *session, upto })
            })
            .collect();
        downs.extend(self.errands.due(self.hall.open_commands(), now.wait));
        downs.extend(self.offers.due(self.hall.firmware_offer(), now.wait));
        let mut updates = Vec::new();
        self.render(&mut updates, &step.changed);
        let batch = Batch {
            cursors: step
                .moved
                .into_iter()
                .map(|(gateway, session)| {
                    let upto = self.streams.applied(&gateway, session);
                    Cursor { gateway, session, upto }
                })
                .collect(),
            observations: step.observations,
            entries: step.entries.iter().map(line).collect(),
        };
        self.tally.entries += batch.entries.len() as u64;
        self.tally.complaints.clone_from(self.gate.complaints().counts());
        if !step.changed.is_empty() {
            self.tally.alerts =
                self.hall.alert_tally().iter().map(|(code, count)| (code_name(code), *count)).collect();
        }
        Outcome { batch, downs, updates }
    }

    /// Views of all that happened before this start.
    #[must_use]
    pub fn views(&self) -> Vec<Update> {
        let mut updates = Vec::new();
        // How the broadcast is set goes before what it holds back, and what is held back before what would tell of it.
        self.render(&mut updates, &BTreeSet::from([Changed::Broadcast, Changed::Event]));
        updates.reverse();
        let last = self.hall.event_view().map_or(RoundNo(0), |event| event.round);
        for round in (1..=last.0).map(RoundNo) {
            let Some(view) = self.hall.round_view(round) else { continue };
            let games = view.pairings.iter().filter_map(|pairing| pairing.table);
            let games = games.filter_map(|table| self.hall.game_view(round, table));
            updates.extend(games.map(|view| Update::Game(Arc::new(view))));
            updates.push(Update::Round(Arc::new(view)));
        }
        self.render(
            &mut updates,
            &BTreeSet::from([Changed::Event, Changed::Standing, Changed::Alerts, Changed::Desk]),
        );
        updates
    }

    /// Hands the hall what it cannot refuse.
    fn handle(&mut self, input: Input, now: Present, step: &mut Step) {
        match self.hall.handle(input, now.venue) {
            Ok(outputs) => step.take(outputs),
            Err(refusal) => tracing::error!(%refusal, "the hall refused what only happened"),
        }
    }

    fn arrive(&mut self, arrival: Arrival, heard: &mut Heard, now: Present, step: &mut Step) {
        match arrival {
            Arrival::Observations { gateway, session, first, items } => {
                if heard.beaten.contains(&gateway) {
                    self.tell(heard, now, step);
                }
                let stream = (gateway.clone(), session);
                step.streams.insert(stream.clone());
                let Some(skip) = self.streams.judge(&gateway, session, first, items.len()) else {
                    self.tally.repeated += items.len() as u64;
                    return;
                };
                self.tally.repeated += skip as u64;
                step.moved.insert(stream);
                for (number, mut observation) in (first.0..).zip(items).skip(skip) {
                    observation.at = self.date(&gateway, &observation, now.venue);
                    self.device_times.learn(&observation);
                    self.errands.route(observation.device, &gateway);
                    if let Sighting::Attached(hello) = observation.sighting {
                        self.hellos.insert(observation.device, hello);
                    }
                    if !self.ledger.take(&observation) {
                        let detail = format!("device {}", observation.device);
                        self.gate.complain(Complaint::Repeated, &gateway, &detail);
                        continue;
                    }
                    if self.hall.table_of(observation.device).is_none() {
                        let detail = format!("device {}", observation.device);
                        self.gate.complain(Complaint::UnknownDevice, &gateway, &detail);
                    }
                    self.tally.observations += 1;
                    step.observations.push(Kept {
                        id: self.tally.observations,
                        gateway: gateway.clone(),
                        session,
                        stream_seq: StreamSeq(number),
                        observation,
                    });
                    heard.observed.push(observation);
                }
            }
            Arrival::Stream { gateway, session, oldest } => {
                let missing = self.streams.begin(&gateway, session, oldest);
                if missing > 0 {
                    let detail = format!("{missing} observations before number {}", oldest.0);
                    self.gate.complain(Complaint::StreamGap, &gateway, &detail);
                }
                step.streams.insert((gateway.clone(), session));
                step.moved.insert((gateway, session));
            }
            Arrival::Beats { gateway, session, next, mut beats } => {
                for beat in &mut beats {
                    beat.at = self.in_our_time(&gateway, beat.at, true, now.venue);
                    self.errands.route(beat.device, &gateway);
                }
                if self.streams.applied(&gateway, session).plus(1) != next {
                    // Something is missing: the answer says from where on.
                    step.streams.insert((gateway, session));
                    return;
                }
                for beat in &beats {
                    self.errands.know(beat.device);
                }
                heard.beats.extend(beats);
                heard.beaten.insert(gateway);
            }
            Arrival::Links => self.tally.links = self.links(),
            Arrival::Offer { gateway, known } => self.offers.on_report(&gateway, known),
            Arrival::Presence { gateway, online } => {
                self.tell(heard, now, step);
                // It may have started anew, by a clock that is right now.
                let skew = self.skew;
                self.clocks.entry(gateway.clone()).or_default().on_presence(skew);
                self.offers.on_presence(&gateway, online);
                self.handle(Input::Gateway { id: gateway, up: online }, now, step);
            }
        }
    }

    /// How the gateways' links are, for pages and metrics.
    fn links(&self) -> Arc<[LinkView]> {
        let view = |(gateway, link): (&GatewayId, &Link)| LinkView {
            gateway: gateway.to_string(),
            port: link.fault.port.clone(),
            device: link.device.map(|device| device.to_string()),
            table: link.device.and_then(|device| self.hall.table_of(device)),
            runs: link.device.and_then(|device| self.hellos.get(&device)).map(|hello| Runs {
                firmware: hello.firmware,
                hardware: hello.hardware,
                capabilities: hello.capabilities,
            }),
            bad_crc: link.fault.frames.bad_crc,
            resends: link.fault.repeated + link.fault.asked_again,
            resets: link.resets,
            lost: link.fault.lost,
            worst_gap_ms: link.worst_gap.0,
        };
        self.gate.links().map(view).collect()
    }

    /// When something happened in our time. A record's own time may tell that its gateway's clock is wrong; of what a device
    /// kept from an earlier start it tells more than a gateway can that did not see that start.
    fn date(&mut self, gateway: &GatewayId, observation: &Observation, now: Epoch) -> Epoch {
        if let Some(happened) = self.device_times.when(observation) {
            if self.device_times.is_left_over(observation) {
                return happened.min(now);
            }
            let clock = self.clocks.entry(gateway.clone()).or_default();
            clock.on_witness(observation.at, happened, self.skew);
        }
        self.in_our_time(gateway, observation.at, false, now)
    }

    /// A gateway's stamp by our clock, if its own is wrong.
    fn in_our_time(&mut self, gateway: &GatewayId, at: Epoch, is_word: bool, now: Epoch) -> Epoch {
        let clock = self.clocks.entry(gateway.clone()).or_default();
        let off = clock.on_stamp(at, is_word, now, self.skew);
        if off != 0 && !clock.told {
            clock.told = true;
            self.gate.complain(Complaint::WrongClock, gateway, &format!("{} ms of venue time", -off));
        }
        at.plus(off)
    }

    /// The views that changed.
    fn render(&self, updates: &mut Vec<Update>, changed: &BTreeSet<Changed>) {
        let current = self.hall.event_view().map(|event| event.round);
        let round = |no: RoundNo| self.hall.round_view(no).map(|view| Update::Round(Arc::new(view)));
        let game = |no: RoundNo, table: TableNo| {
            self.hall.game_view(no, table).map(|view| Update::Game(Arc::new(view)))
        };
        for changed in changed {
            match changed {
                Changed::Event => {
                    updates.extend(self.hall.event_view().map(|view| Update::Event(Arc::new(view))));
                }
                Changed::Round => updates.extend(current.and_then(round)),
                Changed::Game(table) => updates.extend(current.and_then(|no| game(no, *table))),
                Changed::Past(no, table) => {
                    updates.extend([round(*no), game(*no, *table)].into_iter().flatten())
                }
                Changed::Standing => {
                    updates.extend(self.hall.standing_view().map(|view| Update::Standing(Arc::new(view))));
                }
                Changed::Alerts => updates.push(Update::Alerts(Arc::new(self.hall.alert_view()))),
                Changed::Broadcast => {
                    updates.push(Update::Broadcast(Arc::new(self.hall.broadcast_view())));
                }
                Changed::Desk => {
                    updates.extend(self.hall.desk_view().map(|view| Update::Desk(Arc::new(view))));
                    updates.extend(self.hall.teams_view().map(|view| Update::Teams(Arc::new(view))));
                }
            }
        }
    }
}

/// What some messages bring to the hall. What different gateways say at one time is told
/// together; what one gateway says stays in its order.
#[derive(Default)]
struct Heard {
    observed: Vec<Observation>,
    /// Of the gateways in `beaten`; told after `observed`.
    beats: Vec<Beat>,
    beaten: BTreeSet<GatewayId>,
}

impl Step {
    fn take(&mut self, outputs: Outputs) {
        // The commands among them are open ones of the hall from now on; the errands find them there.
        let Outputs { entries, commands: _, changed } = outputs;
        self.entries.extend(entries);
        self.changed.extend(changed);
    }
}

/// An alert's code as the journal and the API write it.
fn code_name(code: &arbitration::AlertCode) -> String {
    match serde_json::to_value(code) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(other) => other.to_string(),
        Err(error) => error.to_string(),
    }
}
