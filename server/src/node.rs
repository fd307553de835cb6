//! `chuhe node`: serves spectators from the broker alone, without the event's database: any number of them stand in front
//! of a large audience. What the owner tells ([`crate::outlets`]) is shown; while no owner is there, the last of it stays.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use firmware_proto::{EventId, Topic};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use web::{AppState, Hub};

use crate::config::Config;
use crate::doors::listen;
use crate::mqtt::{self, BrokerAddress, Message};
use crate::outlets::Telling;
use crate::server::ServerError;
use crate::time;
use crate::tls::{Identity, TlsListener};

/// What the broker holds has come when nothing came for so long.
const QUIET: Duration = Duration::from_millis(500);

/// Messages that may wait; then the broker waits.
const INCOMING: usize = 1_024;

/// Serves spectators until `stop` is called. Of the configuration count the pages' address, `[tls]`, the broker, the
/// venue and its clock; `pages` is where the owner's are.
pub async fn run(config: &Config, stop: CancellationToken) -> Result<(), ServerError> {
    let listener = listen(config.listen)?;
    let encrypted = match &config.tls {
        Some(tls) => {
            let identity = Identity::of(tls, &config.data)?;
            let failed = |why| ServerError::Listen { address: tls.listen, why };
            Some(TlsListener::new(listen(tls.listen)?, &identity).map_err(failed)?)
        }
        None => None,
    };
    let clock = config.clock;
    // A page that comes back after a restart must not take the new frames for old ones.
    let boot = time::wall().0.unsigned_abs();
    let hub = Hub::new(boot, Arc::new(move || time::venue(&clock)), clock.speed);
    let address = config.broker.external.clone();
    let address = address.unwrap_or_else(|| BrokerAddress::plain(config.broker.embedded, None));
    let (incoming, messages) = mpsc::channel(INCOMING);
    // That the broker is away is in the log; there is no hall to tell it.
    let (tell, mut told) = mpsc::channel(1);
    tokio::spawn(async move { while told.recv().await.is_some() {} });
    let event = EventId::new(config.venue.to_string()).map_err(|why| ServerError::Broken(why.to_string()))?;
    let client = format!("chuhe-node-{}-{boot}", std::process::id());
    let _mqtt =
        mqtt::connect(&address, &client, vec![Topic::every_view(&event)], incoming, tell, stop.clone())?;
    let views = Arc::new(AtomicU64::new(0));
    tokio::spawn(show(messages, hub.clone(), views.clone()));

    let (acts, nobody_decides) = mpsc::channel(1);
    drop(nobody_decides);
    let mut state = AppState::new(hub, stop, acts);
    state.health = Arc::new(move || health(views.load(Ordering::Relaxed)));
    tracing::info!("spectators are served at http://{}/", config.listen);
    if let Some(encrypted) = encrypted {
        tokio::spawn(web::serve_spectators_encrypted(encrypted, state.clone(), config.pages.clone()));
    }
    let lead_to = config.tls.as_ref().filter(|tls| tls.redirect).map(|tls| tls.listen.port());
    let served = web::serve_spectators(listener, state, config.pages.clone(), lead_to).await;
    served.map_err(|error| ServerError::Broken(format!("the pages: {error}")))
}

/// A node is well once it knows the event.
fn health(views: u64) -> web::Health {
    let detail = format!("{views} views were told");
    web::Health { checks: vec![web::Check { name: "event", ok: views > 0, detail }] }
}

/// Shows what the owner tells.
async fn show(mut messages: mpsc::Receiver<Message>, hub: Hub, views: Arc<AtomicU64>) {
    let mut life = 0;
    for telling in gather(&mut messages).await {
        life = telling.life;
        hub.relay(telling.view);
        views.fetch_add(1, Ordering::Relaxed);
    }
    while let Some(message) = messages.recv().await {
        if let Some(telling) = read(&message)
            && telling.life >= life
        {
            life = telling.life;
            hub.relay(telling.view);
            views.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// What the broker holds of the owner that started last.
async fn gather(messages: &mut mpsc::Receiver<Message>) -> Vec<Telling> {
    let mut held = BTreeMap::new();
    loop {
        match tokio::time::timeout(QUIET, messages.recv()).await {
            Ok(Some(message)) => {
                if let Some(telling) = read(&message) {
                    held.insert(message.topic, telling);
                }
            }
            Err(_quiet) if held.is_empty() => {}
            Ok(None) | Err(_) => break,
        }
    }
    let newest = held.values().map(|telling| telling.life).max();
    held.into_values().filter(|telling| Some(telling.life) == newest).collect()
}

/// An empty message says that there is no such view any more: a round that was taken back goes with the event's frame.
fn read(message: &Message) -> Option<Telling> {
    if message.payload.is_empty() {
        return None;
    }
    match Telling::of_bytes(&message.payload) {
        Ok(telling) => Some(telling),
        Err(why) => {
            tracing::warn!(topic = message.topic, %why, "is the owner of another version?");
            None
        }
    }
}
