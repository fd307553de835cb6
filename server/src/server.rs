//! A running server: broker, store, hall and pages, wired together.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use firmware_proto::{Topic, VenueClock, VenueId};
use hall::{AccountDeed, Act, Actor, Input};
use store::{Database, Store, StoreError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use web::{ActRequest, AppState, Hub, Refused, Words};

use crate::broker::access::{Access, SERVER};
use crate::broker::{Broker, BrokerError};
use crate::disk;
use crate::doors::Doors;
use crate::engine::{self, EngineSetup};
use crate::gateways::{self, Gateways, Keys};
use crate::ingest::{Incoming, Keeper, KeeperError, Outgoing, Request, Sealer, Tally};
use crate::metrics::{self, Gauges};
use crate::mqtt::{self, BrokerAddress, MqttError};
use crate::outlets::{self, Webhook};
use crate::people;
use crate::push::{self, Robot};
use crate::seal::hex;
use crate::shelf::Shelf;
use crate::tls::{TlsError, TlsSetup};
use crate::vault::Vault;
use crate::{standby, steps, time};

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
    /// The event's database.
    pub database: Database,
    /// The folder of whatever else is kept.
    pub data: PathBuf,
    /// Which broker.
    pub broker: BrokerChoice,
    /// The venue's name in topics.
    pub venue: VenueId,
    /// Venue time.
    pub clock: VenueClock,
    /// The gateways of the configuration; others enrol.
    pub keys: Keys,
    /// Encrypted pages and MQTT.
    pub tls: Option<TlsSetup>,
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
    /// The secret of the gateways' keys cannot be read or made.
    #[error("the secret of the gateways' keys: {0}")]
    Secret(String),
    /// The certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The broker.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The broker's address.
    #[error(transparent)]
    Mqtt(#[from] MqttError),
    /// Store or journal.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// The database is another's, or not to be had.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A part broke off.
    #[error("a part of the server broke off: {0}")]
    Broken(String),
}

impl ServerError {
    /// Whether the same server may start a little later, without anybody's help.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        match self {
            ServerError::Store(error) | ServerError::Keeper(KeeperError::Store(error)) => error.may_pass(),
            ServerError::Keeper(KeeperError::Journal { .. })
            | ServerError::Listen { .. }
            | ServerError::Folder { .. }
            | ServerError::Secret(_)
            | ServerError::Tls(_)
            | ServerError::Broker(_)
            | ServerError::Mqtt(_)
            | ServerError::Broken(_) => false,
        }
    }
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

/// An event in this server's possession.
#[derive(Debug)]
pub struct Owned {
    store: Store,
    /// The number of this start.
    life: u64,
    /// Whether what came in could not be kept before it: the arbiters are told.
    outage: bool,
}

impl Owned {
    /// The event is taken into possession again after what came in could not be kept.
    #[must_use]
    pub fn after_an_outage(self) -> Owned {
        Owned { outage: true, ..self }
    }
}

impl Settings {
    /// Takes the event into possession, and writes down that it did: a database that cannot be written to is none.
    pub async fn own(&self, doors: &Doors) -> Result<Owned, ServerError> {
        std::fs::create_dir_all(&self.data)
            .map_err(|why| ServerError::Folder { folder: self.data.display().to_string(), why })?;
        let store = self.database.own().await?;
        match store.begin(time::wall().0.unsigned_abs(), &doors.known(self)).await {
            Ok(life) => Ok(Owned { store, life, outage: false }),
            Err(error) => {
                store.close().await;
                Err(error.into())
            }
        }
    }
}

impl Server {
    /// Starts everything. Pages answer and gateways are let in when this returns.
    pub async fn start(settings: Settings) -> Result<Server, ServerError> {
        let doors = Doors::open(&settings)?;
        let owned = settings.own(&doors).await?;
        Server::run(settings, &doors, owned).await
    }

    /// The same, behind doors that are open and with an event that is owned.
    pub async fn run(settings: Settings, doors: &Doors, owned: Owned) -> Result<Server, ServerError> {
        let (listener, phones) = (doors.pages()?, doors.url(&settings));
        let address = doors.address;
        let Owned { store, life, outage } = owned;
        let accounts = people::accounts(&store, settings.open_house).await.map_err(KeeperError::from)?;
        let at = doors.broker(&settings.broker);
        let vault = Vault::of(&settings.data).map_err(|why| ServerError::Secret(format!("{why:#}")))?;
        let gateways = Gateways::new(settings.venue.clone(), settings.keys, vault, store.roll(), at);
        let gateways = Arc::new(gateways.await.map_err(KeeperError::from)?);
        let keys = gateways.keys();
        let let_in = keys.borrow().clone();
        let keeper = Keeper::restore(store.clone(), settings.venue.clone(), let_in, settings.clock).await?;

        let clock = settings.clock;
        let hub = Hub::new(life, Arc::new(move || time::venue(&clock)), clock.speed);
        for view in keeper.views() {
            hub.publish(view);
        }

        let (broker, at) = match settings.broker {
            BrokerChoice::Embedded(address) => {
                let password =
                    hex(&gateways::random::<16>().map_err(|why| ServerError::Broken(why.to_string()))?);
                let access = Access::new(settings.venue.clone(), password.clone(), keys.clone());
                let login = (SERVER.to_owned(), password);
                (Some(Broker::start(address, access)?), BrokerAddress::plain(address, Some(login)))
            }
            BrokerChoice::External(address) => (None, address),
        };
        let stop = CancellationToken::new();
        let (incoming, messages) = mpsc::channel(INCOMING);
        let filters = vec![Topic::every_state(&settings.venue), Topic::every_up(&settings.venue)];
        let client_id = format!("chuhe-{}", settings.venue);
        let (tell_hall, told) = mpsc::channel(64);
        let mqtt = mqtt::connect(&at, &client_id, filters, incoming, tell_hall.clone(), stop.clone())?;

        let (requests, asked) = mpsc::channel(64);
        let (tell, tally) = watch::channel(Tally::default());
        tokio::spawn(outlets::publish(hub.public(), mqtt.clone(), settings.venue.clone(), stop.clone()));
        tokio::spawn(outlets::tell_nodes(
            hub.public(),
            mqtt.clone(),
            settings.venue.clone(),
            life,
            stop.clone(),
        ));
        if let Some(broker) = &broker {
            doors.encrypt_mqtt(broker.address(), &stop)?;
        }
        tokio::spawn({
            let (gateways, stop) = (gateways.clone(), stop.clone());
            async move { gateways.watch(stop).await }
        });
        let (ask, questions) = mpsc::channel(64);
        let folder = settings.data;
        tokio::spawn(disk::watch(folder.clone(), tell_hall.clone(), stop.clone()));
        tokio::spawn(steps::watch(tell_hall.clone(), stop.clone()));
        tokio::spawn(tell_let_in(gateways.keys(), tell_hall.clone(), stop.clone()));
        if outage {
            tokio::spawn(standby::tell_outage(tell_hall.clone(), stop.clone()));
        }
        let (deeds, done) = mpsc::channel(64);
        accounts.witnessed_by(deeds);
        tokio::spawn(write_down(done, tell_hall));
        let shelf = Arc::new(Shelf::of(folder.clone()));
        let firmware = shelf.load();
        let incoming = Incoming { messages, requests: asked, questions, told, firmware };
        let sealer = Sealer::new(settings.venue, keys.borrow().clone(), life);
        let outgoing = Outgoing { mqtt, hub: hub.clone(), sealer, tally: tell };
        let keeper = tokio::spawn(keeper.run(incoming, outgoing, keys, stop.clone()));

        let (acts, from_pages) = mpsc::channel(64);
        tokio::spawn(pass_on(from_pages, requests.clone()));
        let mut state = AppState::new(hub.clone(), stop.clone(), acts);
        state.accounts = accounts;
        state.questions = web::Questions::to(ask);
        let (counted, let_in) = (tally.clone(), gateways.keys());
        let refused = broker.as_ref().map(Broker::refused).unwrap_or_default();
        state.metrics = Arc::new(move || {
            let gauges = Gauges {
                disk_free: disk::free(&folder).ok(),
                gateways: let_in.borrow().len(),
                refused: refused.load(Ordering::Relaxed),
            };
            metrics::text(&counted.borrow(), gauges)
        });
        let keeps = tally.clone();
        state.health = Arc::new(move || health(&keeps));
        tokio::spawn(push::tell(hub.clone(), settings.push, phones, stop.clone()));
        state.enrol = enrolment(gateways);
        state.firmware = Arc::new(move |firmware, bytes| shelf.keep(firmware, bytes));
        if let Some(listener) = doors.encrypted_pages()? {
            tokio::spawn(web::serve_encrypted(listener, state.clone()));
        }
        let redirects = settings.tls.as_ref().is_some_and(|tls| tls.redirect);
        let lead_to = doors.encrypted().filter(|_| redirects).map(|at| at.port());
        let pages = tokio::spawn(web::serve_leading(listener, state, lead_to));
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

    /// Has games that are over evaluated by an engine, for the public that may see their results.
    pub fn evaluate_with(&self, engine: EngineSetup) {
        tokio::spawn(engine::evaluate(self.hub.public(), engine, self.stop.clone()));
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

/// Gateways that show a token.
fn enrolment(gateways: Arc<Gateways>) -> web::Enrol {
    Arc::new(move |body| {
        let gateways = gateways.clone();
        Box::pin(async move {
            let application =
                serde_json::from_slice(&body).map_err(|why| format!("no application: {why}"))?;
            let admission = gateways.enrol(application).await?;
            serde_json::to_string(&admission).map_err(|why| why.to_string())
        })
    })
}

/// Which gateways are let in, at first and whenever that changes, on its way to the journal.
async fn tell_let_in(mut keys: watch::Receiver<Keys>, hall: mpsc::Sender<Input>, stop: CancellationToken) {
    loop {
        let let_in = keys.borrow_and_update().keys().cloned().collect();
        if hall.send(Input::LetIn(let_in)).await.is_err() {
            return;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            changed = keys.changed() => if changed.is_err() { return },
        }
    }
}

/// What was done with accounts, on its way to the journal.
async fn write_down(mut done: mpsc::Receiver<(AccountDeed, Actor)>, hall: mpsc::Sender<Input>) {
    while let Some((deed, by)) = done.recv().await {
        if hall.send(Input::Account(deed, by)).await.is_err() {
            return;
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
