//! From the store to the server: sends what is durable until the server acknowledged it, and brings its commands.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use firmware_proto::delivery::{Number, Run};
use firmware_proto::envelope::{OpenError, Way};
use firmware_proto::progress::Progress;
use firmware_proto::{Beat, CmdId, Command, DeviceUid, Firmware, Link, Observation, Offer, StreamSeq};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use crate::metrics::Upward;
use crate::mqtt::{Connection, News, Settings};
use crate::rate::RateLimit;
use crate::run::Time;
use crate::store::writer::{Durable, Request};
use crate::store::{Entry, Known};
use crate::upstream::{Heard, Identity, Publication, Upstream};

/// A broken connection is made anew after so long, and after twice as long each time …
const FIRST_RECONNECT: Duration = Duration::from_millis(100);

/// … up to this.
const LONGEST_RECONNECT: Duration = Duration::from_secs(3);

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_millis(500);

/// What the server wants of the hub.
#[derive(Debug)]
pub(crate) enum Order {
    /// A command for a device.
    Command(DeviceUid, CmdId, Command),
    /// This firmware is offered to all devices; `None`: none is.
    Offer(Option<(Offer, Arc<[u8]>)>),
}

/// Who is there, and what went wrong on which port.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) beats: Vec<Beat>,
    /// Not every time.
    pub(crate) links: Option<Vec<Link>>,
    /// The firmware that is offered, and how far devices are with it.
    pub(crate) offer: Option<(Firmware, BTreeMap<DeviceUid, Progress>)>,
}

/// What the uplink works with.
pub(crate) struct Wiring {
    pub(crate) identity: Identity,
    pub(crate) settings: Settings,
    pub(crate) time: Time,
    pub(crate) durable: mpsc::UnboundedReceiver<Durable>,
    pub(crate) reports: mpsc::Receiver<Report>,
    pub(crate) store: mpsc::UnboundedSender<Request>,
    pub(crate) orders: mpsc::Sender<Order>,
    /// For whoever watches.
    pub(crate) upward: Arc<Upward>,
}

pub(crate) struct Uplink {
    wiring: Wiring,
    upstream: Upstream,
    connection: Option<Connection>,
    connected: bool,
    reconnect_at: Instant,
    reconnect_after: Duration,
    complaints: RateLimit<&'static str>,
    /// What the hub was told last of the server's offer.
    offer: Option<Offer>,
    /// How far devices were with it at the last report.
    offer_progress: Vec<(DeviceUid, Progress)>,
}

impl Uplink {
    /// `oldest` is the first observation that the store keeps.
    pub(crate) fn new(wiring: Wiring, known: &Known, oldest: StreamSeq) -> Uplink {
        Uplink {
            upstream: Upstream::new(wiring.identity.clone(), known, oldest),
            wiring,
            connection: None,
            connected: false,
            reconnect_at: Instant::now(),
            reconnect_after: FIRST_RECONNECT,
            complaints: RateLimit::new(),
            offer: None,
            offer_progress: vec![],
        }
    }

    /// Works until `end`.
    pub(crate) async fn run(mut self, end: CancellationToken) {
        loop {
            if self.connection.is_none() && Instant::now() >= self.reconnect_at {
                self.connect();
            }
            if self.connected {
                self.send_due().await;
            }
            self.wiring.upward.connected.store(self.connected, Ordering::Relaxed);
            self.wiring.upward.backlog.store(self.upstream.backlog(), Ordering::Relaxed);
            let wake = self.wake();
            let connection = self.connection.as_mut();
            tokio::select! {
                news = async {
                    match connection {
                        Some(connection) => connection.news().await,
                        None => std::future::pending().await,
                    }
                } => self.on_news(news).await,
                Some(durable) = self.wiring.durable.recv() => {
                    debug_assert_eq!(durable.first, self.upstream.next());
                    self.upstream.on_durable(durable.items);
                }
                Some(report) = self.wiring.reports.recv() => self.on_report(report),
                () = tokio::time::sleep_until(wake.into()) => {}
                () = end.cancelled() => break,
            }
        }
        if let Some(connection) = self.connection.take() {
            if self.connected {
                connection.publish(self.upstream.presence(false, self.wiring.time.now().venue));
            }
            connection.close(GOODBYE).await;
        }
    }

    fn wake(&self) -> Instant {
        let now = Instant::now();
        let idle = now + Duration::from_secs(60);
        let resend = self.upstream.poll_timeout().filter(|_| self.connected);
        let resend = resend.map_or(idle, |(at, _)| now + self.wiring.time.until(at));
        let reconnect = if self.connection.is_none() { self.reconnect_at } else { idle };
        resend.min(reconnect)
    }

    fn connect(&mut self) {
        let will = self.upstream.connecting(self.wiring.time.now().venue);
        self.connection = Some(Connection::open(&self.wiring.settings, self.upstream.topic(Way::Down), will));
        self.connected = false;
    }

    async fn on_news(&mut self, news: News) {
        match news {
            News::Connected => {
                info!(broker = %self.wiring.settings.broker, backlog = self.upstream.backlog(), "connected to the broker");
                self.connected = true;
                self.reconnect_after = FIRST_RECONNECT;
                let birth = self.upstream.on_connected(self.wiring.time.now().venue);
                if self.connection.as_ref().is_some_and(|connection| !connection.publish(birth)) {
                    warn!("a new connection takes nothing");
                }
            }
            News::Message { payload } => self.on_message(&payload).await,
            News::Lost { reason } => {
                if let Some(held_back) = self.complaints.says("broker", Instant::now()) {
                    warn!(
                        broker = %self.wiring.settings.broker, reason, held_back,
                        "no connection to the broker; everything is kept here until it is back"
                    );
                }
                self.connection = None;
                self.connected = false;
                self.reconnect_at = Instant::now() + self.reconnect_after;
                self.reconnect_after = (self.reconnect_after * 2).min(LONGEST_RECONNECT);
            }
        }
    }

    async fn on_message(&mut self, payload: &[u8]) {
        match self.upstream.on_message(payload, self.wiring.time.now().wait) {
            Ok(Heard::Kept(upto)) => self.ask_store(Request::Forget(upto)),
            Ok(Heard::Order { seen, device, id, command }) => {
                self.ask_store(Request::Append(vec![seen]));
                self.order(Order::Command(device, id, command)).await;
            }
            Ok(Heard::Offer { seen }) => self.on_offer(seen).await,
            Ok(Heard::ForeignAck(upto)) => {
                warn!(upto = upto.0, "the server acknowledges what was never sent; ignored");
            }
            Ok(Heard::Behind(from)) => self.rewind(from).await,
            Ok(Heard::Nothing) => {}
            Err(error) => self.refuse(&error),
        }
    }

    /// What the server offers is otherwise, or more of it is here.
    async fn on_offer(&mut self, seen: Option<Entry>) {
        if let Some(seen) = seen {
            self.ask_store(Request::Append(vec![seen]));
        }
        let at_hand = self.upstream.offer_at_hand();
        let offer = at_hand.as_ref().map(|(offer, _)| *offer);
        if self.offer != offer {
            let firmware = |offer: Option<Offer>| offer.map(|offer| offer.firmware);
            // How far devices are is no news of whether they may.
            if firmware(self.offer) != firmware(offer) {
                self.offer_progress.clear();
            }
            self.offer = offer;
            match offer {
                Some(Offer { firmware, go }) => {
                    info!(version = firmware.version, made_for = %firmware.target, go, "the server offers a firmware");
                }
                None => info!("no firmware is at hand that the server offers"),
            }
            self.order(Order::Offer(at_hand)).await;
        }
        self.tell_offer();
    }

    /// The server hears what is known of its offer; so it knows what is lacking.
    fn tell_offer(&mut self) {
        let publication = self.upstream.offer(self.offer_progress.clone());
        self.publish(publication);
    }

    async fn order(&self, order: Order) {
        if self.wiring.orders.send(order).await.is_err() {
            debug!("an order came while the gateway is ending");
        }
    }

    /// The server was restored from a copy, or has a new database: whatever the store still has of what it lacks goes out again.
    async fn rewind(&mut self, from: StreamSeq) {
        let (reply, answer) = oneshot::channel();
        self.ask_store(Request::Oldest(reply));
        let Ok(oldest) = answer.await else { return };
        warn!(
            from = from.0,
            oldest = oldest.0,
            "the server lacks what it had acknowledged; it is sent again"
        );
        if let Some(gap) = self.upstream.rewind(from, oldest) {
            warn!(from = from.0, to = oldest.0, "what lies before is not kept here any more");
            self.publish(gap);
        }
    }

    /// A connection that is full loses it: the next acknowledgement asks again.
    fn publish(&self, publication: Publication) {
        let _full = self.connection.as_ref().is_some_and(|connection| connection.publish(publication));
    }

    fn refuse(&mut self, error: &OpenError) {
        if let Some(held_back) = self.complaints.says("envelope", Instant::now()) {
            warn!(topic = self.upstream.topic(Way::Down), %error, held_back, "a message was refused");
        }
    }

    fn on_report(&mut self, report: Report) {
        let Report { beats, links, offer } = report;
        // What it says of another firmware was said before it heard of this one.
        let of_this =
            offer.filter(|(firmware, _)| self.offer.is_some_and(|offer| offer.firmware == *firmware));
        self.offer_progress = of_this.map(|(_, progress)| progress.into_iter().collect()).unwrap_or_default();
        if !self.connected {
            return;
        }
        let publication = self.upstream.beats(beats);
        self.publish(publication);
        if let Some(links) = links {
            let publication = self.upstream.links(links);
            self.publish(publication);
        }
        if self.upstream.is_offered() {
            self.tell_offer();
        }
    }

    async fn send_due(&mut self) {
        while let Some(run) = self.upstream.poll(self.wiring.time.now().wait) {
            let Some(items) = self.items(run).await else { return };
            let publication = self.upstream.observations(run.first, items);
            if !self.connection.as_ref().is_some_and(|connection| connection.publish(publication)) {
                // The library is full: the outbox comes back to it when its time is up.
                return;
            }
        }
    }

    /// The observations of a run, from memory or from the store. `None`: the store is gone.
    async fn items(&self, run: Run<StreamSeq>) -> Option<Vec<Observation>> {
        if let Some(items) = self.upstream.held(run) {
            return Some(items);
        }
        let mut items = vec![];
        while items.len() < run.count as usize {
            let (reply, answer) = oneshot::channel();
            let from = run.first.plus(items.len() as u32);
            let most = run.count as usize - items.len();
            self.wiring.store.send(Request::Read { from, most, reply }).ok()?;
            let more = answer.await.ok().filter(|more| !more.is_empty())?;
            items.extend(more);
        }
        Some(items)
    }

    fn ask_store(&self, request: Request) {
        if self.wiring.store.send(request).is_err() {
            debug!("the store is closed: the gateway is ending");
        }
    }
}
