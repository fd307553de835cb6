//! The task that owns the intake: everything that happens passes here, one after the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use firmware_proto::{VenueClock, VenueId};
use hall::{Act, Actor, Input};
use store::{Store, StoreError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tournament::TableNo;
use web::{Hub, Question, Refused, Update};

use super::intake::{Intake, Present, Step, Tally};
use super::offers::Load;
use super::release::{Answer, Release, Sealer, release_all};
use crate::gateways::Keys;
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

/// All that comes to the keeper.
#[derive(Debug)]
pub struct Incoming {
    /// From the broker.
    pub messages: mpsc::Receiver<Message>,
    /// What officials decide.
    pub requests: mpsc::Receiver<Request>,
    /// What officials' pages want to know.
    pub questions: mpsc::Receiver<Question>,
    /// What the server's other parts tell the hall.
    pub told: mpsc::Receiver<Input>,
    /// The firmware whose bytes are here.
    pub firmware: watch::Receiver<Option<Arc<Load>>>,
}

/// Where goes what the keeper decided, once it is kept.
pub struct Outgoing {
    /// To the broker …
    pub mqtt: Mqtt,
    /// … sealed for its gateway.
    pub sealer: Sealer,
    /// To the pages.
    pub hub: Hub,
    /// What was done so far.
    pub tally: watch::Sender<Tally>,
}

/// The intake, its store and its clock.
pub struct Keeper {
    intake: Intake,
    started: Instant,
    clock: VenueClock,
    store: Store,
}

impl Keeper {
    /// The keeper of what is in the store: folds the journal and feeds the running games their observations again.
    pub async fn restore(
        store: Store,
        venue: VenueId,
        keys: Keys,
        clock: VenueClock,
    ) -> Result<Keeper, KeeperError> {
        let at = store.place().to_owned();
        let journal = |why: String| KeeperError::Journal { at: at.clone(), why };
        let skew = (hall::SKEW as f64 * clock.speed).ceil() as i64;
        let lines = store.journal(1).await?;
        let mut intake = Intake::restore(venue, keys, skew, lines).map_err(journal)?;
        let observations = store.observations(intake.replay_from() + 1).await?;
        intake.replay(&observations, store.last_observation().await?).map_err(journal)?;
        let devices = store.devices().await?.into_iter().map(|(device, gateway, _)| (device, gateway));
        intake.know(store.cursors().await?, store.record_ranges().await?, devices);
        intake.know_hellos(store.hellos().await?);
        Ok(Keeper { intake, started: Instant::now(), clock, store })
    }

    /// Views of all that happened before this start.
    #[must_use]
    pub fn views(&self) -> Vec<Update> {
        self.intake.views()
    }

    /// Runs until `stop` is called, or the store fails. `keys`: which gateways are let in, now and later.
    pub async fn run(
        mut self,
        mut incoming: Incoming,
        outgoing: Outgoing,
        mut keys: watch::Receiver<Keys>,
        stop: CancellationToken,
    ) -> Result<(), KeeperError> {
        let Outgoing { mqtt, hub, mut sealer, tally } = outgoing;
        let (releases, waiting) = mpsc::channel(MOST_WAITING);
        sealer.let_in(keys.borrow_and_update().clone());
        let mut releasing = tokio::spawn(release_all(waiting, sealer, keys.clone(), mqtt, hub));

        let mut step = Step::default();
        let mut answers = Vec::new();
        self.intake.resume(self.now(), &mut step);
        let failed = loop {
            self.intake.has_firmware(incoming.firmware.borrow().clone());
            let finished = self.finish(std::mem::take(&mut step), std::mem::take(&mut answers), &releases);
            if let Err(error) = finished.await {
                break Some(error);
            }
            tally.send_replace(self.intake.tally().clone());
            let wait = self.wait();
            tokio::select! {
                biased;
                () = stop.cancelled() => break None,
                ended = &mut releasing => {
                    // It ends before its channel only with an error.
                    break ended.ok().and_then(Result::err);
                }
                Some(Request { acts, by, drawn, answer }) = incoming.requests.recv() => {
                    let says = self.intake.on_request(acts, &by, drawn, self.now(), &mut step);
                    answers.push(Answer { to: answer, says });
                }
                Ok(()) = keys.changed() => self.intake.let_in(keys.borrow_and_update().clone()),
                Some(question) = incoming.questions.recv() => self.tell(question),
                Some(input) = incoming.told.recv() => self.intake.on_told(input, self.now(), &mut step),
                Some(message) = incoming.messages.recv() => {
                    let more = std::iter::from_fn(|| incoming.messages.try_recv().ok());
                    let some = std::iter::once(message).chain(more).take(MOST_MESSAGES);
                    self.intake.on_messages(some, self.now(), &mut step);
                }
                () = tokio::time::sleep(wait) => {}
            }
            self.intake.on_time(self.now(), &mut step);
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

    /// What an official's page wants to know.
    fn tell(&self, question: Question) {
        let hall = self.intake.hall();
        // Whoever asked may have gone.
        match question {
            Question::Table(no, back) => drop(back.send(hall.table_view(no))),
            Question::Decisions(table, back) => drop(back.send(hall.decisions(table))),
            Question::Closed(at_most, back) => drop(back.send(hall.closed_alerts(at_most))),
            Question::Timeline(no, from, to, back) => drop(back.send(hall.timeline(no, from, to))),
            Question::Journal(query, back) => drop(back.send(hall.journal(&query))),
            Question::Devices(table, back) => drop(back.send(hall.devices(table))),
            Question::Firmware(back) => drop(back.send(self.intake.firmware())),
            Question::Links(back) => drop(back.send(self.intake.tally().links.to_vec())),
            Question::IfClassed(no, classes, back) => drop(back.send(hall.if_classed(no, &classes))),
        }
    }

    fn now(&self) -> Present {
        Present { venue: time::venue(&self.clock), wait: self.started.elapsed() }
    }

    /// How long nothing has to be done if nothing comes.
    fn wait(&self) -> Duration {
        let longest = Duration::from_secs(1);
        let hall = self.intake.hall_timeout().map(|at| time::until(&self.clock, at));
        let errands = self.intake.errand_timeout(self.now());
        hall.into_iter().chain(errands).fold(longest, Duration::min)
    }

    /// Hands what a step led to over to the store, and to the release behind it.
    async fn finish(
        &mut self,
        step: Step,
        answers: Vec<Answer>,
        releases: &mpsc::Sender<Release>,
    ) -> Result<(), StoreError> {
        let outcome = self.intake.finish(step, self.now());
        if outcome.is_empty() && answers.is_empty() {
            return Ok(());
        }
        let committed = self.store.submit(outcome.batch).await?;
        let release = Release { committed, downs: outcome.downs, updates: outcome.updates, answers };
        // If nobody takes it, a batch before this one was not kept: the run ends with that error.
        let _ended = releases.send(release).await;
        Ok(())
    }
}
