//! The store's handle and its one writer.
//!
//! Batches wait in a queue; the writer takes all that wait, writes them in one transaction and then reports to each.
//! While the disk is busy the next ones gather, so that the rate of commits adapts to the disk by itself. After a
//! failed transaction the writer ends: what was handed over is not kept, and nobody may go on as if it were.

use std::time::Duration;

use firmware_proto::{DeviceUid, Epoch, GatewayId, Hello};
use tokio::sync::{mpsc, oneshot};

use crate::backend::{Backend, Pen};
use crate::journal::{ROOT, chained};
use crate::{Account, Batch, Cursor, Kept, Line, Range, Roll, SignedIn, StoreError};

/// Batches that may wait for the disk before whoever brings more has to wait too.
const QUEUE: usize = 256;

/// Rows that one transaction takes at most.
const MOST_ROWS: usize = 8192;

/// How often an idle writer looks whether its pen still writes: what has to be known soon is that it does not.
const STROKE: Duration = Duration::from_secs(1);

/// Rows that one read takes.
const PAGE: u32 = 4096;

/// A batch, and whom to tell.
struct Job {
    batch: Batch,
    done: oneshot::Sender<Result<(), StoreError>>,
}

/// What the writer is asked for.
enum Order {
    Keep(Job),
    /// To let go of the database once everything before this is written.
    Close(oneshot::Sender<()>),
}

/// An event's database. Clones share it.
#[derive(Clone, Debug)]
pub struct Store {
    backend: Backend,
    queue: mpsc::Sender<Order>,
}

/// A batch on its way to the disk.
#[derive(Debug)]
pub struct Committed {
    done: oneshot::Receiver<Result<(), StoreError>>,
    at: String,
}

impl Committed {
    /// Waits until the batch is on the disk.
    pub async fn wait(self) -> Result<(), StoreError> {
        self.done.await.unwrap_or(Err(StoreError::Closed { at: self.at }))
    }
}

impl Store {
    /// `pen` writes, and keeps other processes out; the writer holds it to its end.
    pub(crate) async fn start(backend: Backend, pen: Pen) -> Result<Store, StoreError> {
        let hash = backend.last_entry().await?.map_or(ROOT, |(_, hash)| hash);
        let (queue, jobs) = mpsc::channel(QUEUE);
        tokio::spawn(write_all(backend.clone(), jobs, hash, pen));
        Ok(Store { backend, queue })
    }

    /// How messages call this database.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.backend.at
    }

    /// The number of this start of the server: above those of all starts before, and not below `at_least` (the wall
    /// clock, so that a lost database does not begin anew). `pages`: where this server's pages are, for others that
    /// stand by.
    pub async fn begin(&self, at_least: u64, pages: &str) -> Result<u64, StoreError> {
        self.backend.begin(at_least, pages).await
    }

    /// Who may bring observations.
    #[must_use]
    pub fn roll(&self) -> Roll {
        Roll::new(self.backend.clone())
    }

    /// Hands a batch to the writer. Batches are kept in the order in which they are handed over.
    ///
    /// Waits only while the queue is full; what it returns waits for the disk.
    pub async fn submit(&self, batch: Batch) -> Result<Committed, StoreError> {
        let (done, waiting) = oneshot::channel();
        let closed = || StoreError::Closed { at: self.backend.at.clone() };
        self.queue.send(Order::Keep(Job { batch, done })).await.map_err(|_| closed())?;
        Ok(Committed { done: waiting, at: self.backend.at.clone() })
    }

    /// Keeps a batch, and waits until it is on the disk.
    pub async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        self.submit(batch).await?.wait().await
    }

    /// The id of the last observation kept; 0: none.
    pub async fn last_observation(&self) -> Result<u64, StoreError> {
        self.backend.last_observation().await
    }

    /// The number of the last entry kept; 0: none.
    pub async fn last_entry(&self) -> Result<u64, StoreError> {
        Ok(self.backend.last_entry().await?.map_or(0, |(no, _)| no))
    }

    /// The observations from an id on, in order.
    pub async fn observations(&self, from: u64) -> Result<Vec<Kept>, StoreError> {
        let mut all: Vec<Kept> = Vec::new();
        loop {
            let next = all.last().map_or(from, |kept| kept.id + 1);
            let page = self.backend.observations(next, PAGE).await?;
            let last = page.len() < PAGE as usize;
            all.extend(page);
            if last {
                return Ok(all);
            }
        }
    }

    /// The journal from an entry on, in order; checks its numbers and its chain of hashes.
    pub async fn journal(&self, from: u64) -> Result<Vec<Line>, StoreError> {
        let from = from.max(1);
        let chain = |no| StoreError::Chain { at: self.backend.at.clone(), no };
        let mut hash = match from {
            1 => ROOT,
            _ => self.backend.hash_of(from - 1).await?.ok_or_else(|| chain(from))?,
        };
        let mut all: Vec<Line> = Vec::new();
        loop {
            let mut expected = all.last().map_or(from, |line| line.no + 1);
            let page = self.backend.entries(expected, PAGE).await?;
            let last = page.len() < PAGE as usize;
            for (line, kept) in page {
                hash = chained(&hash, &line);
                if line.no != expected || hash != kept {
                    return Err(chain(expected));
                }
                expected += 1;
                all.push(line);
            }
            if last {
                return Ok(all);
            }
        }
    }

    /// How far each gateway's stream is committed.
    pub async fn cursors(&self) -> Result<Vec<Cursor>, StoreError> {
        self.backend.cursors().await
    }

    /// Which records are kept, as runs without a gap, by device and start.
    pub async fn record_ranges(&self) -> Result<Vec<Range>, StoreError> {
        self.backend.record_ranges().await
    }

    /// Every device ever seen: its number, the gateway that saw it attached last, and when.
    pub async fn devices(&self) -> Result<Vec<(DeviceUid, GatewayId, Epoch)>, StoreError> {
        self.backend.devices().await
    }

    /// What every device ever seen said of itself when it was attached last.
    pub async fn hellos(&self) -> Result<Vec<Hello>, StoreError> {
        self.backend.hellos().await
    }

    /// The account of this name.
    pub async fn account(&self, name: &str) -> Result<Option<Account>, StoreError> {
        self.backend.account(name).await
    }

    /// Creates or replaces an account.
    pub async fn set_account(&self, account: &Account) -> Result<(), StoreError> {
        self.backend.set_account(account).await
    }

    /// All accounts, by name.
    pub async fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        self.backend.accounts().await
    }

    /// Takes an account away; its sessions are ended one by one with [`Store::end_session`].
    pub async fn remove_account(&self, name: &str) -> Result<(), StoreError> {
        self.backend.remove_account(name).await
    }

    /// Who is signed in, the oldest first; also sessions that have run out.
    pub async fn sessions(&self) -> Result<Vec<SignedIn>, StoreError> {
        self.backend.sessions().await
    }

    /// Keeps a session.
    pub async fn set_session(&self, session: &SignedIn) -> Result<(), StoreError> {
        self.backend.set_session(session).await
    }

    /// Forgets a session; one that is not there is no error.
    pub async fn end_session(&self, digest: &str) -> Result<(), StoreError> {
        self.backend.end_session(digest).await
    }

    /// Writes what still waits and closes the database, for all clones.
    pub async fn close(self) {
        let (done, waiting) = oneshot::channel();
        if self.queue.send(Order::Close(done)).await.is_ok() {
            // A writer that fails on the way has reported it to whoever handed over the batch.
            let _ended = waiting.await;
        }
        self.backend.close().await;
    }
}

async fn write_all(backend: Backend, mut orders: mpsc::Receiver<Order>, mut hash: [u8; 32], mut pen: Pen) {
    let mut group: Vec<Job> = Vec::new();
    let mut closing = None;
    while closing.is_none() {
        let first = match tokio::time::timeout(STROKE, orders.recv()).await {
            Ok(Some(first)) => first,
            Ok(None) => break,
            Err(_idle) => match pen.stroke().await {
                Ok(()) => continue,
                Err(why) => {
                    tracing::error!(at = backend.at, %why, "the database is out of reach");
                    return;
                }
            },
        };
        let (mut next, mut rows) = (Some(first), 0);
        while let Some(order) = next.take() {
            match order {
                Order::Keep(job) => {
                    rows += job.batch.observations.len() + job.batch.entries.len();
                    group.push(job);
                }
                Order::Close(done) => closing = Some(done),
            }
            if rows < MOST_ROWS && closing.is_none() {
                next = orders.try_recv().ok();
            }
        }
        match write(&backend, &mut pen, &group, hash).await {
            Ok(last) => hash = last,
            Err(error) => {
                tracing::error!(%error, batches = group.len(), "nothing of these batches was kept");
                pen.lay_down().await;
                // The first one carries the cause, the others learn that the store is closed.
                if let Some(first) = group.into_iter().next() {
                    let _gone = first.done.send(Err(error));
                }
                return;
            }
        }
        for job in group.drain(..) {
            // Whoever gave up waiting does not need to know.
            let _gone = job.done.send(Ok(()));
        }
    }
    pen.lay_down().await;
    if let Some(done) = closing {
        // As above.
        let _gone = done.send(());
    }
}

async fn write(
    backend: &Backend,
    pen: &mut Pen,
    group: &[Job],
    hash: [u8; 32],
) -> Result<[u8; 32], StoreError> {
    let batches = || group.iter().map(|job| &job.batch);
    if batches().all(Batch::is_empty) {
        return Ok(hash);
    }
    let observations: Vec<&Kept> = batches().flat_map(|batch| &batch.observations).collect();
    let entries: Vec<&Line> = batches().flat_map(|batch| &batch.entries).collect();
    // Only the last word on each stream counts.
    let mut cursors: Vec<&Cursor> = batches().flat_map(|batch| &batch.cursors).collect();
    cursors.sort();
    cursors.reverse();
    cursors.dedup_by_key(|cursor| (&cursor.gateway, cursor.session));
    backend.write(pen, &observations, &entries, &cursors, hash).await
}
