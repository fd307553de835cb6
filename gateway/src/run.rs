//! The shell around the hub: tasks, the disk's thread, and what they tell each other.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use firmware_proto::{Millis, Session, VenueClock};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_rustls::rustls::ClientConfig;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, error, info, info_span, warn};

use crate::config::Config;
use crate::hub::Now;
use crate::metrics::{self, Downward, Upward};
use crate::mqtt::Settings;
use crate::ports;
use crate::rate::RateLimit;
use crate::shell::Shell;
use crate::socket::{self, Socket};
use crate::store::writer::Request;
use crate::store::{Store, StoreError, writer};
use crate::tls::{Trust, TrustError};
use crate::uplink::{Order, Uplink, Wiring};
use crate::upstream::Identity;

/// Events of ports that may wait for the hub; then the ports wait.
const WAITING: usize = 1_024;

/// At a speed above 1 beats go up more often, but not more often than this.
const SHORTEST_BEAT: Duration = Duration::from_millis(100);

/// Why a gateway cannot run.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Its store cannot be opened.
    #[error("the durable store: {0}")]
    Store(#[from] StoreError),
    /// The file named by `broker_ca` cannot be read.
    #[error("broker_ca {}: {source}", path.display())]
    Ca {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The broker cannot be trusted.
    #[error("broker_ca: {0}")]
    Trust(#[from] TrustError),
    /// Nobody can be answered at the address of `metrics`.
    #[error("metrics {address}: {source}. Choose another address, or leave it out")]
    Metrics {
        /// Which address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The system gives no thread for the disk.
    #[error("no thread for the store: {0}")]
    Thread(std::io::Error),
}

/// Real and venue time. The wall clock is read once, at the start: one that is set while games are played (by NTP, by
/// hand) must not tear the two devices of a table apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    started: Instant,
    started_wall: i64,
    venue: VenueClock,
}

impl Time {
    fn new(venue: VenueClock) -> Time {
        Time { started: Instant::now(), started_wall: wall_micros(), venue }
    }

    /// The present.
    pub(crate) fn now(&self) -> Now {
        let passed = self.started.elapsed();
        let wall = self.started_wall + passed.as_micros() as i64;
        Now { wait: Millis(passed.as_millis() as u32), venue: self.venue.at_micros(wall) }
    }

    /// By how many seconds the wall clock was set since the start, if it was by a second at least.
    fn was_set_by(&self) -> Option<i64> {
        let off = wall_micros() - self.started_wall - self.started.elapsed().as_micros() as i64;
        (off.abs() >= 1_000_000).then_some(off / 1_000_000)
    }

    /// How long it is until this instant.
    pub(crate) fn until(&self, at: Millis) -> Duration {
        let now = self.now().wait;
        if now.reached(at) { Duration::ZERO } else { Duration::from_millis(at.since(now).0.into()) }
    }
}

fn wall_micros() -> i64 {
    // A clock before 1970 is not set at all; it will be soon.
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as i64
}

/// Runs a gateway until `shutdown` completes. Any number of them may run in one process, each on its own store.
pub async fn run(config: Config, shutdown: impl Future<Output = ()> + Send) -> Result<(), GatewayError> {
    let span = info_span!("gateway", name = %config.name);
    run_inside(config, shutdown).instrument(span).await
}

/// What the broker's certificate is checked by, if it has to show one.
fn trust(config: &Config) -> Result<Option<Arc<ClientConfig>>, GatewayError> {
    let trust = match (&config.broker_ca, config.broker_pin) {
        _ if !config.broker.tls => return Ok(None),
        (Some(path), _) => {
            let pem = std::fs::read(path);
            Trust::Authority(pem.map_err(|source| GatewayError::Ca { path: path.clone(), source })?)
        }
        (None, Some(pin)) => Trust::Pinned(pin),
        // A configuration that was read has one of them; then nobody is trusted.
        (None, None) => Trust::Authority(Vec::new()),
    };
    Ok(Some(trust.client_config()?))
}

async fn run_inside(config: Config, shutdown: impl Future<Output = ()> + Send) -> Result<(), GatewayError> {
    let trust = trust(&config)?;
    let listener = match config.metrics {
        Some(address) => {
            let listener = TcpListener::bind(address).await;
            Some(listener.map_err(|source| GatewayError::Metrics { address, source })?)
        }
        None => None,
    };
    let upward = Arc::new(Upward::default());
    let opened = Store::open(&config.store, Session((wall_micros() / 1_000) as u64))?;
    let store = opened.store;
    let known = store.known().clone();
    if opened.torn > 0 {
        warn!(
            bytes = opened.torn,
            "the store's end was torn (power cut or kill); it was cut off, the devices send it again"
        );
    }
    info!(
        store = %config.store.display(), session = known.session.0, start = known.starts,
        oldest = store.oldest().0, next = known.next.0, "gateway started"
    );
    let time = Time::new(config.time);
    let end = CancellationToken::new();
    let (requests, store_requests) = mpsc::unbounded_channel();
    let (to_uplink, durable) = mpsc::unbounded_channel();
    let (to_hub, mut synced) = mpsc::unbounded_channel();
    let (reporter, reports) = mpsc::channel(1);
    let (orderer, mut orders) = mpsc::channel::<Order>(WAITING);
    let (port_sender, mut port_events) = mpsc::channel(WAITING);

    let settings = Settings {
        broker: config.broker.clone(),
        trust,
        login: config
            .broker
            .login
            .clone()
            .unwrap_or_else(|| (config.name.to_string(), config.key.broker_password())),
        client_id: format!("chuhe-{}-{}", config.venue, config.name),
    };
    let wiring = Wiring {
        identity: Identity {
            venue: config.venue.clone(),
            gateway: config.name.clone(),
            key: config.key.clone(),
        },
        settings,
        time,
        durable,
        reports,
        store: requests.clone(),
        orders: orderer,
        upward: upward.clone(),
    };
    let uplink = Uplink::new(wiring, &known, store.oldest());
    let disk = spawn_disk(store, store_requests, to_uplink, to_hub, &config)?;
    let uplink = tokio::spawn(uplink.run(end.clone()).in_current_span());
    let patterns = config.ports.iter().map(|pattern| (ports::Kind::PointToPoint, pattern.clone()));
    let lines = config.lines.iter().map(|pattern| (ports::Kind::Shared, pattern.clone()));
    let ports = ports::serve(patterns.chain(lines).collect(), port_sender);
    let ports = tokio::spawn(ports.in_current_span());

    let (watched, downward) = watch::channel(Downward::default());
    let metrics = listener.map(|listener| tokio::spawn(metrics::serve(listener, upward, downward)));
    let (asker, mut asks) = mpsc::channel(1);
    let socket = match Socket::open(&config.store) {
        Ok(socket) => Some(tokio::spawn(socket::serve(socket, asker).in_current_span())),
        Err(error) => {
            warn!(store = %config.store.display(), %error, "no socket in the store's folder: this gateway cannot be asked");
            None
        }
    };
    let mut shell = Shell::new(&known, requests, watched);
    shell.hub.on_start(time.now().venue);
    let mut shutdown = std::pin::pin!(shutdown);
    let beat =
        (Duration::from_secs(1).div_f64(config.time.speed)).clamp(SHORTEST_BEAT, Duration::from_secs(1));
    let mut beat = tokio::time::interval(beat);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let wake = shell.hub.poll_timeout().map_or(Duration::from_secs(1), |(at, _)| time.until(at));
        tokio::select! {
            Some(event) = port_events.recv() => {
                shell.on_port(event, time.now());
                // Whatever else has come goes to the disk in the same group.
                while let Ok(event) = port_events.try_recv() {
                    shell.on_port(event, time.now());
                }
            }
            Some(upto) = synced.recv() => shell.hub.on_durable(upto),
            Some(order) = orders.recv() => shell.on_order(order, time.now()),
            Some(ask) = asks.recv() => shell.on_ask(ask, time.now()),
            _ = beat.tick() => {
                if let Some(seconds) = time.was_set_by() {
                    shell.wall_clock_was_set(seconds);
                }
                // An uplink that is busy gets the next one.
                let _busy = reporter.try_send(shell.report());
            }
            () = tokio::time::sleep(wake) => shell.hub.poll(time.now()),
            () = &mut shutdown => break,
        }
        shell.carry_out();
    }
    info!("gateway ends");
    ports.abort();
    for asked in [metrics, socket].into_iter().flatten() {
        asked.abort();
    }
    end.cancel();
    drop(shell);
    let _ended = uplink.await;
    // The thread ends when the last one who could want something of it has gone.
    let _ended = tokio::task::spawn_blocking(move || disk.join()).await;
    Ok(())
}

fn spawn_disk(
    store: Store,
    requests: mpsc::UnboundedReceiver<Request>,
    to_uplink: mpsc::UnboundedSender<writer::Durable>,
    to_hub: mpsc::UnboundedSender<firmware_proto::StreamSeq>,
    config: &Config,
) -> Result<std::thread::JoinHandle<()>, GatewayError> {
    let span = tracing::Span::current();
    let on_durable = move |durable: writer::Durable| {
        let last = firmware_proto::StreamSeq(durable.first.0 + durable.items.len() as u64 - 1);
        // Either may have ended already; what is durable stays so.
        let _ended = to_hub.send(last);
        let _ended = to_uplink.send(durable);
    };
    let mut said = RateLimit::new();
    let complain = move |error: &StoreError| {
        if let Some(held_back) = said.says((), Instant::now()) {
            error!(%error, held_back, "the store does not take anything; devices keep their records until it does");
        }
    };
    std::thread::Builder::new()
        .name(format!("store-{}", config.name))
        .spawn(move || span.in_scope(|| writer::run(store, requests, on_durable, complain)))
        .map_err(GatewayError::Thread)
}
