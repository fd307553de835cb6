//! What of accounts and sessions outlives the server.

use futures_util::future::BoxFuture;

use super::{Account, Session};

/// What is to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new account, or one with a new role or password.
    Put(Account),
    /// An account is gone.
    Removed(String),
    /// Somebody signed in.
    SignedIn(Session),
    /// A session ended, by its digest.
    SignedOut(String),
}

/// Where accounts and sessions are kept.
pub trait Keep: Send + Sync {
    /// Keeps a change; done when it is on the disk. The error says in words what the store says.
    fn keep(&self, change: Change) -> BoxFuture<'_, Result<(), String>>;
}

/// Keeps nothing: for tests and for pages without a store.
pub(super) struct Nowhere;

impl Keep for Nowhere {
    fn keep(&self, _: Change) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
