//! The task that owns the hall: everything that happens passes here, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use firmware_proto::envelope::Key;
use firmware_proto::{Down, Epoch, GatewayId, Observation, Session, StreamSeq, VenueClock, VenueId};
use hall::{Act, Actor, Changed, Entry, Hall, Input, Outputs, RestoreError};
use store::{Batch, Cursor, JOURNAL_VERSION, Kept, Line, Store, StoreError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tournament::{RoundNo, TableNo};
use web::{Hub, Question, Refused, Update, Words};

use super::complaint::Complaint;
use super::errands::Errands;
use super::gate::{Arrival, Gate};
use super::ledger::Ledger;
use super::release::{Answer, Release, Sealer, release_all};
use super::streams::Streams;
use crate::mqtt::{Message, Mqtt};
use crate::time;

/// Messages that one step takes at most; then what they led to goes to the store.
const MOST_MESSAGES: usize = 128;

/// Steps that may wait for the disk.
const MOST_WAITING: usize = 256;

/// Somebody wants something done; all of it goes into one batch.
#[derive(Debug)]
pub struct Request {
    /// What was decided, in order.
    pub acts: Vec<Act>,
    /// By whom.
    pub by: Actor,
    /// If somebody decided something at this table after this entry, nothing is done.
    pub drawn: Option<(TableNo, u64)>,
    /// Where the answer goes: `Err` says why the hall refused, and nothing after the refused act was done.
    pub answer: oneshot::Sender<Result<(), Refused>>,
}

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
}

/// Why the keeper cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal cannot be folded.
    #[error("{at}: {why}. Run the chuhe that wrote it, or restore the latest copy of the file")]
    Journal {
        /// Which database.
        at: String,
        /// Why.
        why: String,
    },
}

/// Everything the decisions rest on.
pub struct Keeper {
    hall: Hall,
    gate: Gate,
    streams: Streams,
    ledger: Ledger,
    errands: Errands,
    tally: Tally,
    clock: VenueClock,
    store: Store,
}

/// What one step led to.
#[derive(Default)]
struct Step {
    observations: Vec<Kept>,
    entries: Vec<Entry>,
    streams: BTreeSet<(GatewayId, Session)>,
    /// Streams of which something new was applied.
    moved: BTreeSet<(GatewayId, Session)>,
    changed: BTreeSet<Changed>,
    answers: Vec<Answer>,
}

impl Keeper {
    /// The keeper of what is in the store: folds the journal and feeds the running games their observations again.
    pub async fn restore(
        store: Store,
        venue: VenueId,
        keys: BTreeMap<GatewayId, Key>,
        clock: VenueClock,
    ) -> Result<Keeper, KeeperError> {
        let at = store.place().to_owned();
        let journal = |why: String| KeeperError::Journal { at: at.clone(), why };
        let entries: Vec<Entry> =
            store.journal(1).await?.into_iter().map(entry).collect::<Result<_, String>>().map_err(journal)?;
        let count = entries.len() as u64;
        let skew = (hall::SKEW as f64 * clock.speed).ceil() as i64;
        let mut hall = Hall::restore(skew, entries).map_err(|why: RestoreError| journal(why.to_string()))?;
        for kept in store.observations(hall.replay_from() + 1).await? {
            hall.replay(&kept.observation);
        }
        let kept = store.last_observation().await?;
        if hall.observations() != kept {
            let why = format!("{} observations were to be read back, {kept} are there", hall.observations());
            return Err(journal(why));
        }
        let devices = store.devices().await?;
        let tally = Tally { observations: kept, entries: count, ..Tally::default() };
        Ok(Keeper {
            hall,
            gate: Gate::new(venue, keys),
            streams: Streams::of(store.cursors().await?),
            ledger: Ledger::of(store.record_ranges().await?),
            errands: Errands::new(devices.into_iter().map(|(device, gateway, _)| (device, gateway))),
            tally,
            clock,
            store,
        })
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

    /// Runs until `stop` is called, or the store fails. `life`: of the messages that go down.
    #[allow(clippy::too_many_arguments)] // Each is a channel to another part; a struct of them would say no more.
    pub async fn run(
        mut self,
        mut messages: mpsc::Receiver<Message>,
        mut requests: mpsc::Receiver<Request>,
        mut questions: mpsc::Receiver<Question>,
        mqtt: Mqtt,
        hub: Hub,
        sealer: (VenueId, BTreeMap<GatewayId, Key>, u64),
        tally: watch::Sender<Tally>,
        stop: CancellationToken,
    ) -> Result<(), KeeperError> {
        let (venue, keys, life) = sealer;
        let (releases, waiting) = mpsc::channel(MOST_WAITING);
        let sealer = Sealer::new(venue, keys, life);
        let mut releasing = tokio::spawn(release_all(waiting, sealer, mqtt, hub));

        let mut step = Step::default();
        let resumed = self.hall.resume(self.now());
        step.keep(resumed);
        let failed = loop {
            if let Err(error) = self.finish(std::mem::take(&mut step), &releases).await {
                break Some(error);
            }
            tally.send_replace(self.tally.clone());
            let wait = self.wait();
            tokio::select! {
                biased;
                () = stop.cancelled() => break None,
                ended = &mut releasing => {
                    // It ends before its channel only with an error.
                    break ended.ok().and_then(Result::err);
                }
                Some(request) = requests.recv() => self.request(request, &mut step),
                Some(question) = questions.recv() => self.tell(question),
                Some(message) = messages.recv() => self.messages(message, &mut messages, &mut step),
                () = tokio::time::sleep(wait) => {}
            }
            self.time(&mut step);
        };
        drop(releases);
        match failed {
            Some(error) => Err(error.into()),
            None => {
                let released = if releasing.is_finished() { Ok(Ok(())) } else { releasing.await };
                self.store.close().await;
                Ok(released.unwrap_or(Ok(()))?)
            }
        }
    }

    fn now(&self) -> Epoch {
        time::venue(&self.clock)
    }

    /// How long nothing has to be done if nothing comes.
    fn wait(&self) -> Duration {
        let longest = Duration::from_secs(1);
        let hall = self.hall.poll_timeout().map(|(at, _why)| time::until(&self.clock, at));
        let errands = self.errands.next(Instant::now());
        hall.into_iter().chain(errands).fold(longest, Duration::min)
    }

    fn time(&mut self, step: &mut Step) {
        let now = self.now();
        if self.hall.poll_timeout().is_some_and(|(at, _why)| at <= now) {
            self.handle(Input::Time, now, step);
        }
    }

    /// Hands the hall what it cannot refuse.
    fn handle(&mut self, input: Input, now: Epoch, step: &mut Step) {
        match self.hall.handle(input, now) {
            Ok(outputs) => step.keep(outputs),
            Err(refusal) => tracing::error!(%refusal, "the hall refused what only happened"),
        }
    }

    /// What an official's page wants to know.
    fn tell(&self, question: Question) {
        // Whoever asked may have gone.
        match question {
            Question::Table(no, back) => drop(back.send(self.hall.table_view(no))),
            Question::Decisions(table, back) => drop(back.send(self.hall.decisions(table))),
            Question::Closed(at_most, back) => drop(back.send(self.hall.closed_alerts(at_most))),
        }
    }

    fn request(&mut self, request: Request, step: &mut Step) {
        let now = self.now();
        let mut result = Ok(());
        if request.drawn.is_some_and(|(table, entry)| self.hall.decided_since(table, entry)) {
            step.answers.push(Answer { to: request.answer, says: Err(Refused::Overtaken) });
            return;
        }
        for act in request.acts {
            match self.hall.handle(Input::Act(act, request.by.clone()), now) {
                Ok(outputs) => step.keep(outputs),
                Err(refusal) => {
                    let words = refusal.words();
                    result = Err(Refused::Said(Words::new(words.zh, words.en)));
                    break;
                }
            }
        }
        step.answers.push(Answer { to: request.answer, says: result });
    }

    fn messages(&mut self, first: Message, more: &mut mpsc::Receiver<Message>, step: &mut Step) {
        let mut observed: Vec<Observation> = Vec::new();
        let mut next = Some(first);
        let mut taken = 0;
        while let Some(message) = next.take() {
            if let Some(arrival) = self.gate.admit(&message) {
                self.tally.messages += 1;
                self.arrive(arrival, &mut observed, step);
            }
            taken += 1;
            if taken < MOST_MESSAGES {
                next = more.try_recv().ok();
            }
        }
        if !observed.is_empty() {
            self.handle(Input::Observed(observed), self.now(), step);
        }
    }

    fn arrive(&mut self, arrival: Arrival, observed: &mut Vec<Observation>, step: &mut Step) {
        match arrival {
            Arrival::Observations { gateway, session, first, items } => {
                let stream = (gateway.clone(), session);
                step.streams.insert(stream.clone());
                let Some(skip) = self.streams.judge(&gateway, session, first, items.len()) else {
                    self.tally.repeated += items.len() as u64;
                    return;
                };
                self.tally.repeated += skip as u64;
                step.moved.insert(stream);
                for (number, observation) in (first.0..).zip(items).skip(skip) {
                    self.errands.route(observation.device, &gateway);
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
                    observed.push(observation);
                }
            }
            Arrival::Beats { gateway, beats } => {
                for beat in &beats {
                    self.errands.route(beat.device, &gateway);
                }
                self.handle(Input::Beats(beats), self.now(), step);
            }
            Arrival::Presence { gateway, online } => {
                self.handle(Input::Gateway { id: gateway, up: online }, self.now(), step);
            }
        }
    }

    /// Hands what a step led to over to the store, and to the release behind it.
    async fn finish(&mut self, step: Step, releases: &mpsc::Sender<Release>) -> Result<(), StoreError> {
        let mut downs: Vec<(GatewayId, Down)> = step
            .streams
            .iter()
            .map(|(gateway, session)| {
                let upto = self.streams.applied(gateway, *session);
                (gateway.clone(), Down::Ack { session: *session, upto })
            })
            .collect();
        downs.extend(self.errands.due(self.hall.open_commands(), Instant::now()));
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
        if batch.is_empty() && downs.is_empty() && updates.is_empty() && step.answers.is_empty() {
            return Ok(());
        }
        let committed = self.store.submit(batch).await?;
        let release = Release { committed, downs, updates, answers: step.answers };
        // If nobody takes it, a batch before this one was not kept: the run ends with that error.
        let _ended = releases.send(release).await;
        Ok(())
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
                }
            }
        }
    }
}

impl Step {
    fn keep(&mut self, outputs: Outputs) {
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

/// An entry as the store keeps it.
fn line(entry: &Entry) -> Line {
    let json =
        |value: serde_json::Result<String>| value.expect("our facts have text keys and finite numbers");
    Line {
        no: entry.no,
        at: entry.at,
        by: json(serde_json::to_string(&entry.by)),
        version: JOURNAL_VERSION,
        fact: json(serde_json::to_string(&entry.fact)),
    }
}

/// An entry as the hall reads it.
fn entry(line: Line) -> Result<Entry, String> {
    if line.version != JOURNAL_VERSION {
        return Err(format!(
            "entry {} has form {}, this chuhe reads {JOURNAL_VERSION}",
            line.no, line.version
        ));
    }
    let wrong = |error: serde_json::Error| format!("entry {}: {error}", line.no);
    Ok(Entry {
        no: line.no,
        at: line.at,
        by: serde_json::from_str(&line.by).map_err(wrong)?,
        fact: serde_json::from_str(&line.fact).map_err(wrong)?,
    })
}
