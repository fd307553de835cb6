//! The only place with HTTP: pages, streams, API and embedded assets.
//!
//! The shell publishes [`hall::view`]s to a [`Hub`]; [`app`] serves them to spectators, screens and arbiters, and
//! hands what officials decide back to the shell as [`ActRequest`]s. Nothing here decides anything.

mod api;
mod assets;
mod audience;
mod auth;
mod board;
mod clock;
mod curtain;
mod desk;
mod enrol;
mod evaluation;
mod events;
mod export;
mod frame;
mod health;
mod help;
mod hub;
mod lang;
mod page;
mod print;
mod qr;
mod questions;
mod redirect;
mod relay;
mod ring;
mod serve;
mod standby;
mod topic;
mod veil;
mod words;

pub use api::{game_json, round_json};
pub use auth::{Account, AccountError, Accounts, Change, Encrypted, Keep, Session, digest_password};
pub use enrol::Enrol;
pub use evaluation::Evaluation;
pub use health::{Check, Health};
pub use hub::{Audience, Follower, Hub, Mark, Now, Shown, Update};
pub use lang::{Lang, Words};
pub use questions::{AtDevice, AtGateway, FirmwareView, HeldBack, LinkView, Question, Questions, Runs};
pub use relay::{News, PublicView, Relay};
pub use serve::{serve, serve_encrypted, serve_leading, serve_spectators, serve_spectators_encrypted};
pub use standby::{StandBy, serve_standby};
pub use topic::{ParseTopicError, TABLES_PER_PAGE, Topic};

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use hall::view::Firmware;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tournament::TableNo;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::set_header::SetResponseHeaderLayer;

/// An official's acts, on their way to the hall.
#[derive(Debug)]
pub struct ActRequest {
    /// What was decided, in order; all of it goes into one transaction.
    pub acts: Vec<hall::Act>,
    /// By whom.
    pub by: hall::Actor,
    /// The table it is about and the journal entry that the official's page was drawn from: if somebody has decided
    /// something there since, nothing is done.
    pub drawn: Option<(TableNo, u64)>,
    /// Where the answer goes.
    pub answer: oneshot::Sender<Result<(), Refused>>,
}

/// Why the hall did not do what an official decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// In words.
    Said(Words),
    /// Somebody decided something at the table after the official's page was drawn.
    Overtaken,
}

/// Keeps a firmware's bytes where they outlive a restart.
pub type KeepFirmware = Arc<dyn Fn(Firmware, Vec<u8>) -> std::io::Result<()> + Send + Sync>;

/// What the pages need from the rest of the server.
#[derive(Clone)]
pub struct AppState {
    /// What officials see; what everybody sees stands behind it.
    pub hub: Hub,
    /// Cancelled when the server shuts down: ends the open streams.
    pub shutdown: CancellationToken,
    /// Where officials' acts go.
    pub acts: mpsc::Sender<ActRequest>,
    /// Who may sign in.
    pub accounts: Accounts,
    /// Where officials' pages look things up.
    pub questions: Questions,
    /// How gateways with a token enrol.
    pub enrol: Enrol,
    /// Keeps a firmware's bytes, so that it can be offered.
    pub firmware: KeepFirmware,
    /// Whether the parts of the server work, for `/healthz`.
    pub health: Arc<dyn Fn() -> Health + Send + Sync>,
    /// Counters of the rest of the server in Prometheus' text format, for `/metrics`.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// Streams open now.
    pub streams: Arc<AtomicUsize>,
}

impl AppState {
    /// A state with nothing but a hub: healthy, without counters of its own and without
    /// accounts: the first can be made on the machine itself, but is kept nowhere.
    #[must_use]
    pub fn new(hub: Hub, shutdown: CancellationToken, acts: mpsc::Sender<ActRequest>) -> AppState {
        AppState {
            hub,
            shutdown,
            acts,
            accounts: Accounts::unkept(Vec::new(), false),
            questions: Questions::to_nobody(),
            enrol: enrol::nobody(),
            firmware: Arc::new(|_, _| Ok(())),
            health: Arc::new(Health::default),
            metrics: Arc::new(String::new),
            streams: Arc::default(),
        }
    }
}

/// All routes.
pub fn app(state: AppState) -> Router {
    let routes = spectators()
        .route("/broadcast", get(page::steer))
        .route("/broadcast/{what}", post(page::set))
        .merge(auth::routes())
        .merge(desk::routes())
        .merge(print::routes())
        .merge(page::arbiter_routes())
        .merge(page::devices_routes())
        .route(
            "/api/v1/enrol",
            post(enrol::enrol).layer(axum::extract::DefaultBodyLimit::max(enrol::LARGEST)),
        )
        .fallback(nothing);
    dressed(routes, state)
}

/// The routes of a node that serves spectators only, and knows the event from [`Hub::relay`]; everything else is led to the
/// owner's pages, if they are known.
pub fn spectators_app(state: AppState, owner: Option<String>) -> Router {
    let elsewhere = move |State(state): State<AppState>, reader: page::Reader, uri: Uri| async move {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        match owner {
            Some(owner) => {
                Redirect::temporary(&format!("{}{path}", owner.trim_end_matches('/'))).into_response()
            }
            None => nothing(audience::Public { hub: state.hub.public() }, reader).await,
        }
    };
    dressed(spectators().fallback(elsewhere), state)
}

/// What everybody may ask for.
fn spectators() -> Router<AppState> {
    Router::new()
        .route("/", get(page::home))
        .route("/round/{round}", get(page::round))
        .route("/round/{round}/table/{table}", get(page::game))
        .route("/round/{round}/table/{table}/share", get(page::share))
        .route("/table/{table}", get(page::table))
        .route("/round/{round}/match/{no}", get(page::of_match))
        .route("/teams", get(page::teams))
        .route("/team/{no}", get(page::team))
        .route("/live", get(page::live))
        .route("/qr.svg", get(qr::qr))
        .route("/standings", get(page::standings))
        .route("/player/{no}", get(page::player))
        .route("/search", get(page::search))
        .route("/screen", get(page::screen))
        .route("/embed/{round}/{table}", get(page::embed))
        .route("/overlay/{round}/{table}", get(page::overlay))
        .merge(help::routes())
        .merge(api::router())
        .route("/events", get(events::events))
        .route("/a/{build}/{*name}", get(assets::asset))
        .route("/healthz", get(health::healthz))
        .route("/metrics", get(health::metrics))
}

/// Compressed, and with the headers that tell browsers what they may do.
fn dressed(routes: Router<AppState>, state: AppState) -> Router {
    routes
        // Streams are left alone: a compressor would hold frames back. (Event streams are by default.)
        .layer(
            CompressionLayer::new().quality(CompressionLevel::Best).compress_when(
                DefaultPredicate::new().and(NotForContentType::const_new("application/x-ndjson")),
            ),
        )
        .layer(SetResponseHeaderLayer::overriding(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .layer(SetResponseHeaderLayer::overriding(
            header::REFERRER_POLICY,
            HeaderValue::from_static("same-origin"),
        ))
        // Pages have a policy of their own; whatever else is shown as a page may load and run nothing.
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
        ))
        .layer(SetResponseHeaderLayer::if_not_present(
            HeaderName::from_static("permissions-policy"),
            HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ))
        .layer(SetResponseHeaderLayer::if_not_present(
            HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin"),
        ))
        .with_state(state)
}

/// Any other address.
async fn nothing(state: audience::Public, reader: page::Reader) -> Response {
    page::not_found(&state.hub, &reader, reader.t("没有此页", "There is no such page"))
}
