//! A running server: broker, store, hall and pages, wired together.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use firmware_proto::envelope::Key;
use firmware_proto::{GatewayId, Topic, VenueClock, VenueId};
use hall::{Act, Actor};
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use web::{ActRequest, AppState, Hub, Refused, Words};

use crate::broker::{Broker, BrokerError};
use crate::disk;
use crate::ingest::{Keeper, KeeperError, Request, Tally};
use crate::mqtt::{self, BrokerAddress, MqttError};
use crate::outlets::{self, Webhook};
use crate::people;
use crate::push::{self, Robot};
use crate::time;

/// Messages from the broker that may wait for the hall.
const INCOMING: usize = 1024;

/// Which broker a server uses.
#[derive(Clone, Debug)]
pub enum BrokerChoice {
    /// Its own, listening here.
    Embedded(SocketAddr),
    /// One that runs already.
    External(BrokerAddress),
}

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the pages are served; port 0: any free one.
    pub listen: SocketAddr,
    /// The event's database file.
    pub database: PathBuf,
    /// Which broker.
    pub broker: BrokerChoice,
    /// The venue's name in topics.
    pub venue: VenueId,
    /// Venue time.
    pub clock: VenueClock,
    /// The gateways that are let in.
    pub keys: BTreeMap<GatewayId, Key>,
    /// Where messages to phones go.
    pub push: Vec<Robot>,
    /// The pages' address as phones reach it; `None`: the one that is listened at.
    pub pages: Option<String>,
    /// Whether, as long as there is no account, a browser on this machine is the chief arbiter's (demonstrations).
    pub open_house: bool,
}

/// Why a server does not start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The pages' address cannot be had.
    #[error(
        "cannot serve pages on {address}: {why}. Is another server running there? Choose another address"
    )]
    Listen {
        /// Which address.
        address: SocketAddr,
        /// What the system says.
        why: std::io::Error,
    },
    /// The data folder cannot be made.
    #[error("cannot make the data folder {folder}: {why}")]
    Folder {
        /// Which folder.
        folder: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// The broker.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The broker's address.
    #[error(transparent)]
    Mqtt(#[from] MqttError),
    /// Store or journal.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// A part broke off.
    #[error("a part of the server broke off: {0}")]
    Broken(String),
}

/// A running server.
pub struct Server {
    /// Where the pages are.
    pub address: SocketAddr,
    /// The public state.
    pub hub: Hub,
    /// What is kept, for reading.
    pub store: Store,
    requests: mpsc::Sender<Request>,
    tally: watch::Receiver<Tally>,
    stop: CancellationToken,
    broken: CancellationToken,
    parts: JoinHandle<Result<(), ServerError>>,
    /// Ends when dropped, last.
    _broker: Option<Broker>,
}

impl Server {
    /// Starts everything. Pages answer and gateways are let in when this returns.
    pub async fn start(settings: Settings) -> Result<Server, ServerError> {
        let listener = TcpListener::bind(settings.listen)
            .await
            .map_err(|why| ServerError::Listen { address: settings.listen, why })?;
        let address =
            listener.local_addr().map_err(|why| ServerError::Listen { address: settings.listen, why })?;
        if let Some(folder) = settings.database.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|why| ServerError::Folder { folder: folder.display().to_string(), why })?;
        }
        let store = Store::open(&settings.database).await.map_err(KeeperError::from)?;
        let life = store.begin(time::wall().0.unsigned_abs()).await.map_err(KeeperError::from)?;
        let accounts = people::accounts(&store, settings.open_house).await.map_err(KeeperError::from)?;
        let keeper =
            Keeper::restore(store.clone(), settings.venue.clone(), settings.keys.clone(), settings.clock)
                .await?;

        let clock = settings.clock;
        let hub = Hub::new(life, Arc::new(move || time::venue(&clock)), clock.speed);
        for view in keeper.views() {
            hub.publish(view);
        }

        let (broker, at) = match settings.broker {
            BrokerChoice::Embedded(address) => (Some(Broker::start(address)?), BrokerAddress::plain(address)),
            BrokerChoice::External(address) => (None, address),
        };
        let stop = CancellationToken::new();
        let (incoming, messages) = mpsc::channel(INCOMING);
        let filters = vec![Topic::every_state(&settings.venue), Topic::every_up(&settings.venue)];
        let client_id = format!("chuhe-{}", settings.venue);
        let mqtt = mqtt::connect(&at, &client_id, filters, incoming, stop.clone())?;

        let (requests, asked) = mpsc::channel(64);
        let (tell, tally) = watch::channel(Tally::default());
        tokio::spawn(outlets::publish(hub.public(), mqtt.clone(), settings.venue.clone(), stop.clone()));
        let sealer = (settings.venue, settings.keys, life);
        let (ask, questions) = mpsc::channel(64);
        let (fault, faults) = mpsc::channel(8);
        // `Store::open` was content with the path, so it has a folder; a bare name lies in the working folder.
        let folder = settings.database.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        tokio::spawn(disk::watch(folder, fault, stop.clone()));
        let running =
            keeper.run(messages, asked, questions, faults, mqtt, hub.clone(), sealer, tell, stop.clone());
        let keeper = tokio::spawn(running);

        let (acts, from_pages) = mpsc::channel(64);
        tokio::spawn(pass_on(from_pages, requests.clone()));
        let mut state = AppState::new(hub.clone(), stop.clone(), acts);
        state.accounts = accounts;
        state.questions = web::Questions::to(ask);
        let counted = tally.clone();
        state.metrics = Arc::new(move || crate::metrics::text(&counted.borrow()));
        let keeps = tally.clone();
        state.health = Arc::new(move || health(&keeps));
        let phones = settings.pages.unwrap_or_else(|| format!("http://{address}"));
        tokio::spawn(push::tell(hub.clone(), settings.push, phones, stop.clone()));
        let pages = tokio::spawn(web::serve(listener, state));
        let broken = CancellationToken::new();
        let parts = tokio::spawn(watch_over(keeper, pages, stop.clone(), broken.clone()));
        Ok(Server { address, hub, store, requests, tally, stop, broken, parts, _broker: broker })
    }

    /// Does something in somebody's name: all of it in one transaction. `Err` in words if the hall refuses.
    pub async fn act(&self, acts: Vec<Act>, by: Actor) -> Result<(), String> {
        let (answer, answered) = oneshot::channel();
        let closed = || "the server is shutting down".to_owned();
        let request = Request { acts, by, drawn: None, answer };
        self.requests.send(request).await.map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?.map_err(|refused| match refused {
            Refused::Said(words) => words.1.into_owned(),
            Refused::Overtaken => "somebody decided something else meanwhile".to_owned(),
        })
    }

    /// Tells these addresses of every finished round, as soon as the public may know.
    pub fn push_to(&self, webhooks: Vec<Webhook>) {
        if !webhooks.is_empty() {
            tokio::spawn(outlets::push(self.hub.public(), webhooks, self.stop.clone()));
        }
    }

    /// What it did so far.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.tally.borrow().clone()
    }

    /// Waits until a part of the server breaks off; [`Server::stop`] tells why. As long as all is well it does not
    /// return.
    pub async fn broken(&self) {
        self.broken.cancelled().await;
    }

    /// Ends it: streams are closed, what was decided is written. Tells what broke off, if anything did.
    pub async fn stop(self) -> Result<(), ServerError> {
        self.stop.cancel();
        self.parts.await.unwrap_or_else(|error| Err(ServerError::Broken(error.to_string())))
    }
}

/// Waits for hall and pages; when one ends although nobody asked, the other has to end too.
async fn watch_over(
    keeper: JoinHandle<Result<(), KeeperError>>,
    pages: JoinHandle<std::io::Result<()>>,
    stop: CancellationToken,
    broken: CancellationToken,
) -> Result<(), ServerError> {
    let asked = stop.clone();
    let ending = move || {
        if !asked.is_cancelled() {
            broken.cancel();
            asked.cancel();
        }
    };
    let kept = async {
        let kept = keeper.await;
        ending();
        kept.map_err(|error| ServerError::Broken(error.to_string()))?.map_err(ServerError::from)
    };
    let served = async {
        let served = pages.await;
        ending();
        let broken = |error: &dyn std::fmt::Display| ServerError::Broken(format!("the pages: {error}"));
        served.map_err(|error| broken(&error))?.map_err(|error| broken(&error))
    };
    let (kept, served) = tokio::join!(kept, served);
    kept.and(served)
}

/// What officials decide on their pages, on its way to the hall.
async fn pass_on(mut acts: mpsc::Receiver<ActRequest>, requests: mpsc::Sender<Request>) {
    while let Some(ActRequest { acts, by, drawn, answer }) = acts.recv().await {
        let request = Request { acts, by, drawn, answer };
        if let Err(refused) = requests.send(request).await {
            let words = Words::of("服务器正在关闭", "the server is shutting down");
            // Whoever asked may have gone.
            let _gone = refused.0.answer.send(Err(Refused::Said(words)));
        }
    }
}

/// Whether what comes in is kept: the keeper tells its counts for as long as it lives.
fn health(tally: &watch::Receiver<Tally>) -> web::Health {
    let keeps = tally.has_changed().is_ok();
    let tally = tally.borrow();
    let detail = format!("{} observations, {} journal entries", tally.observations, tally.entries);
    web::Health { checks: vec![web::Check { name: "storage", ok: keeps, detail }] }
}
