//! The thread that owns the store: writes what is queued in one go, syncs once, tells that it is durable.

use std::time::Duration;

use firmware_proto::delivery::Number;
use firmware_proto::{Observation, StreamSeq};
use tokio::sync::{mpsc, oneshot};

use super::{Entry, Store, StoreError};

/// A disk that refused is tried again so soon.
const RETRY: Duration = Duration::from_secs(1);

/// What is wanted of the store.
#[derive(Debug)]
pub(crate) enum Request {
    /// Keep these, in order.
    Append(Vec<Entry>),
    /// Give observations from this number on, at most so many.
    Read { from: StreamSeq, most: usize, reply: oneshot::Sender<Vec<Observation>> },
    /// The server has everything up to here.
    Forget(StreamSeq),
    /// Which is the first observation that is still kept?
    Oldest(oneshot::Sender<StreamSeq>),
}

/// Observations that are on the disk now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Durable {
    /// The number of the first.
    pub(crate) first: StreamSeq,
    /// They themselves.
    pub(crate) items: Vec<Observation>,
}

/// Owns the store until nobody wants anything of it any more.
pub(crate) fn run(
    mut store: Store,
    mut requests: mpsc::UnboundedReceiver<Request>,
    mut on_durable: impl FnMut(Durable),
    mut complain: impl FnMut(&StoreError),
) {
    let mut next = None;
    loop {
        let Some(request) = next.take().or_else(|| requests.blocking_recv()) else { return };
        match request {
            Request::Append(mut entries) => {
                // Whatever queued up during the last sync goes in one go: the busier, the bigger the groups.
                while let Ok(queued) = requests.try_recv() {
                    match queued {
                        Request::Append(more) => entries.extend(more),
                        other @ (Request::Read { .. } | Request::Forget(_) | Request::Oldest(_)) => {
                            next = Some(other);
                            break;
                        }
                    }
                }
                let first = store.known().next;
                // A full or broken disk: nothing is acknowledged, devices keep theirs, until it works again.
                while let Err(error) = store.append(&entries) {
                    complain(&error);
                    std::thread::sleep(RETRY);
                    if requests.is_closed() {
                        return;
                    }
                }
                let items: Vec<Observation> = entries
                    .into_iter()
                    .filter_map(|entry| match entry {
                        Entry::Observation(observation) => Some(observation),
                        Entry::Checkpoint(_) | Entry::Started | Entry::ServerSeen(..) => None,
                    })
                    .collect();
                debug_assert_eq!(store.known().next, first.plus(items.len() as u32));
                if !items.is_empty() {
                    on_durable(Durable { first, items });
                }
            }
            Request::Read { from, most, reply } => match store.read(from, most) {
                Ok(items) => {
                    // Who asked may have gone.
                    let _gone = reply.send(items);
                }
                Err(error) => complain(&error),
            },
            Request::Oldest(reply) => {
                // As above.
                let _gone = reply.send(store.oldest());
            }
            Request::Forget(upto) => {
                if let Err(error) = store.forget(upto) {
                    complain(&error);
                }
            }
        }
    }
}
