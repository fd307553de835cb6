//! What all rows and watchers have counted, taken out interval by interval.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Counters that many tasks share.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Observations that gateways kept.
    pub(super) kept: AtomicU64,
    /// Observations that the server acknowledged.
    pub(super) acknowledged: AtomicU64,
    /// Observations that were sent again.
    pub(super) resent: AtomicU64,
    /// Connections to the broker that broke or never came about.
    pub(super) broken: AtomicU64,
    /// Games that were played to their end.
    pub(super) games: AtomicU64,
    acks: Mutex<Vec<Duration>>,
    published: Mutex<Vec<Duration>>,
}

/// How long it took, each time.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    /// From an observation's being kept to its acknowledgement.
    pub(super) acks: Vec<Duration>,
    /// From a press to the spectator.
    pub(super) published: Vec<Duration>,
}

impl Counts {
    pub(super) fn add(counter: &AtomicU64, more: u64) {
        counter.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn get(counter: &AtomicU64) -> u64 {
        counter.load(Ordering::Relaxed)
    }

    /// Observations were acknowledged, each after so long.
    pub(super) fn acknowledged(&self, delays: impl IntoIterator<Item = Duration>) {
        let mut acks = self.acks.lock().unwrap_or_else(PoisonError::into_inner);
        let before = acks.len();
        acks.extend(delays);
        Counts::add(&self.acknowledged, (acks.len() - before) as u64);
    }

    /// A press was shown after so long.
    pub(super) fn published(&self, delay: Duration) {
        self.published.lock().unwrap_or_else(PoisonError::into_inner).push(delay);
    }

    /// The delays since this was called last.
    pub(super) fn take_delays(&self) -> Delays {
        let take = |delays: &Mutex<Vec<Duration>>| {
            std::mem::take(&mut *delays.lock().unwrap_or_else(PoisonError::into_inner))
        };
        Delays { acks: take(&self.acks), published: take(&self.published) }
    }
}
