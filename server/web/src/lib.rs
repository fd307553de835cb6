//! The only place with HTTP: pages, streams, API and embedded assets.
//!
//! The shell publishes [`hall::view`]s to a [`Hub`]; [`app`] serves them to spectators, screens and arbiters, and
//! hands what officials decide back to the shell as [`ActRequest`]s. Nothing here decides anything.

mod events;
mod frame;
mod health;
mod hub;
mod lang;
mod ring;
mod serve;
mod staff;
mod topic;
mod words;

pub use health::{Check, Health};
pub use hub::{Follower, Hub, Mark, Now, Shown, Update};
pub use lang::{Lang, Words};
pub use serve::serve;
pub use staff::StaffKey;
pub use topic::{ParseTopicError, TABLES_PER_PAGE, Topic};

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use axum::Router;
use axum::routing::get;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// An official's act, on its way to the hall.
#[derive(Debug)]
pub struct ActRequest {
    /// What was decided.
    pub act: hall::Act,
    /// By whom.
    pub by: hall::Actor,
    /// Where the answer goes: `Err` says in words (zh, en) why the hall refused.
    pub answer: oneshot::Sender<Result<(), Words>>,
}

/// What the pages need from the rest of the server.
#[derive(Clone)]
pub struct AppState {
    /// The public state.
    pub hub: Hub,
    /// Cancelled when the server shuts down: ends the open streams.
    pub shutdown: CancellationToken,
    /// Where officials' acts go.
    pub acts: mpsc::Sender<ActRequest>,
    /// The officials' access key; `None`: their pages are open on the machine itself and nowhere else.
    pub staff: Option<StaffKey>,
    /// Whether the parts of the server work, for `/healthz`.
    pub health: Arc<dyn Fn() -> Health + Send + Sync>,
    /// Counters of the rest of the server in Prometheus' text format, for `/metrics`.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// Streams open now.
    pub streams: Arc<AtomicUsize>,
}

impl AppState {
    /// A state with nothing but a hub: healthy, without counters of its own and without a staff key.
    #[must_use]
    pub fn new(hub: Hub, shutdown: CancellationToken, acts: mpsc::Sender<ActRequest>) -> AppState {
        AppState {
            hub,
            shutdown,
            acts,
            staff: None,
            health: Arc::new(Health::default),
            metrics: Arc::new(String::new),
            streams: Arc::default(),
        }
    }
}

/// All routes.
pub fn app(state: AppState) -> Router {
    Router::new()
        .route("/events", get(events::events))
        .route("/healthz", get(health::healthz))
        .route("/metrics", get(health::metrics))
        .with_state(state)
}
