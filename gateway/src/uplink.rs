//! From the store to the server: sends what is durable until the server acknowledged it, and brings its commands.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use firmware_proto::delivery::{Acked, Number, Outbox, Pace, Run};
use firmware_proto::envelope::{self, Freshness, Header, Key, OpenError, Way};
use firmware_proto::{
    Beat, CmdId, Command, DeviceUid, Down, GatewayId, LinkFault, Observation, Presence, Session, StreamSeq,
    Topic, Up, VenueId,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use crate::mqtt::{Connection, Delivery, News, Publication, Settings};
use crate::rate::RateLimit;
use crate::run::Time;
use crate::store::writer::{Durable, Request};
use crate::store::{Entry, Known};

/// Observations in one message: several messages fill the window, so that one is under way while the next is made.
const BATCH: u32 = 128;

/// So many of the newest observations are held in memory; older ones are read from the store.
const TAIL: usize = 2_048;

/// A broken connection is made anew after so long, and after twice as long each time …
const FIRST_RECONNECT: Duration = Duration::from_millis(100);

/// … up to this.
const LONGEST_RECONNECT: Duration = Duration::from_secs(3);

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_millis(500);

/// A command for a device.
pub(crate) type Order = (DeviceUid, CmdId, Command);

/// Who is there, and what went wrong on which port.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) beats: Vec<Beat>,
    pub(crate) faults: Vec<LinkFault>,
}

/// What the uplink works with.
pub(crate) struct Wiring {
    pub(crate) venue: VenueId,
    pub(crate) gateway: GatewayId,
    pub(crate) key: Key,
    pub(crate) settings: Settings,
    pub(crate) time: Time,
    pub(crate) durable: mpsc::UnboundedReceiver<Durable>,
    pub(crate) reports: mpsc::Receiver<Report>,
    pub(crate) store: mpsc::UnboundedSender<Request>,
    pub(crate) orders: mpsc::Sender<Order>,
}

pub(crate) struct Uplink {
    wiring: Wiring,
    session: Session,
    outbox: Outbox<StreamSeq>,
    /// The newest observations; the last one is the outbox's last.
    tail: VecDeque<Observation>,
    freshness: Freshness,
    /// Counts sealed `up` messages and connections, above those of every earlier start on this store.
    count: u64,
    connection_count: u64,
    connection: Option<Connection>,
    connected: bool,
    reconnect_at: Instant,
    reconnect_after: Duration,
    complaints: RateLimit<&'static str>,
}

impl Uplink {
    /// `oldest` is the first observation that the store keeps.
    pub(crate) fn new(wiring: Wiring, known: &Known, oldest: StreamSeq) -> Uplink {
        let earlier_starts = u64::from(known.starts) << 32;
        let freshness =
            known.server_seen.map_or(Freshness::default(), |(life, count)| Freshness::after(life, count));
        Uplink {
            wiring,
            session: known.session,
            outbox: Outbox::resume(Pace::UPSTREAM, oldest, known.next),
            tail: VecDeque::new(),
            freshness,
            count: earlier_starts,
            connection_count: earlier_starts,
            connection: None,
            connected: false,
            reconnect_at: Instant::now(),
            reconnect_after: FIRST_RECONNECT,
            complaints: RateLimit::new(),
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
            let wake = self.wake();
            let connection = self.connection.as_mut();
            tokio::select! {
                news = async {
                    match connection {
                        Some(connection) => connection.news().await,
                        None => std::future::pending().await,
                    }
                } => self.on_news(news).await,
                Some(durable) = self.wiring.durable.recv() => self.on_durable(durable),
                Some(report) = self.wiring.reports.recv() => self.on_report(report),
                () = tokio::time::sleep_until(wake.into()) => {}
                () = end.cancelled() => break,
            }
        }
        if let Some(connection) = self.connection.take() {
            if self.connected {
                connection.publish(self.presence(false));
            }
            connection.close(GOODBYE).await;
        }
    }

    fn wake(&self) -> Instant {
        let now = Instant::now();
        let idle = now + Duration::from_secs(60);
        let resend = self.outbox.poll_timeout().filter(|_| self.connected);
        let resend = resend.map_or(idle, |(at, _)| now + self.wiring.time.until(at));
        let reconnect = if self.connection.is_none() { self.reconnect_at } else { idle };
        resend.min(reconnect)
    }

    fn connect(&mut self) {
        self.connection_count += 1;
        self.connection =
            Some(Connection::open(&self.wiring.settings, self.topic(Way::Down), self.presence(false)));
        self.connected = false;
    }

    async fn on_news(&mut self, news: News) {
        match news {
            News::Connected => {
                info!(broker = %self.wiring.settings.broker, backlog = self.outbox.backlog(), "connected to the broker");
                self.connected = true;
                self.reconnect_after = FIRST_RECONNECT;
                let birth = self.presence(true);
                if self.connection.as_ref().is_some_and(|connection| !connection.publish(birth)) {
                    warn!("a new connection takes nothing");
                }
                self.outbox.on_reconnect();
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
        let Wiring { key, gateway, .. } = &self.wiring;
        let (header, message) = match envelope::open::<Down>(key, gateway, Way::Down, payload) {
            Ok(opened) => opened,
            Err(error) => return self.refuse(&error),
        };
        if !self.freshness.accepts(&header) {
            debug!(
                life = header.life,
                count = header.count,
                "an old or repeated message of the server's, dropped"
            );
            return;
        }
        match message {
            Down::Ack { session, upto } if session == self.session => {
                match self.outbox.on_ack(upto, self.wiring.time.now().wait) {
                    Acked::Frees(_) => self.ask_store(Request::Forget(upto)),
                    Acked::Known => {}
                    Acked::Foreign => {
                        warn!(upto = upto.0, "the server acknowledges what was never sent; ignored")
                    }
                }
            }
            // To a session before this store was begun.
            Down::Ack { .. } => {}
            Down::Command { device, id, command } => {
                // Remembered first: a command that is played back later must not act again.
                self.ask_store(Request::Append(vec![Entry::ServerSeen(header.life, header.count)]));
                if self.wiring.orders.send((device, id, command)).await.is_err() {
                    debug!("a command came while the gateway is ending");
                }
            }
        }
    }

    fn refuse(&mut self, error: &OpenError) {
        if let Some(held_back) = self.complaints.says("envelope", Instant::now()) {
            warn!(topic = self.topic(Way::Down), %error, held_back, "a message was refused");
        }
    }

    fn on_durable(&mut self, durable: Durable) {
        debug_assert_eq!(durable.first, self.outbox.next());
        for item in durable.items {
            self.outbox.push();
            if self.tail.len() == TAIL {
                self.tail.pop_front();
            }
            self.tail.push_back(item);
        }
    }

    fn on_report(&mut self, report: Report) {
        if !self.connected {
            return;
        }
        let header = self.next_header();
        let Report { beats, faults } = report;
        let message = Up::Beats { session: self.session, count: header.count, beats, faults };
        self.publish_up(&header, &message, Delivery::AtMostOnce);
    }

    async fn send_due(&mut self) {
        while let Some(run) = self.outbox.poll(self.wiring.time.now().wait, BATCH) {
            let Some(items) = self.items(run).await else { return };
            let header = self.next_header();
            let message = Up::Observations { session: self.session, first: run.first, items };
            if !self.publish_up(&header, &message, Delivery::AtLeastOnce) {
                // The library is full: the outbox comes back to it when its time is up.
                return;
            }
        }
    }

    /// The observations of a run, from memory or from the store. `None`: the store is gone.
    async fn items(&self, run: Run<StreamSeq>) -> Option<Vec<Observation>> {
        let behind = self.outbox.next().distance_from(run.first) as usize;
        if let Some(start) = self.tail.len().checked_sub(behind) {
            return Some(self.tail.range(start..start + run.count as usize).copied().collect());
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

    fn next_header(&mut self) -> Header {
        self.count += 1;
        let (gateway, life, count) = (self.wiring.gateway.clone(), self.session.0, self.count);
        Header { gateway, way: Way::Up, life, count }
    }

    fn publish_up(&self, header: &Header, message: &Up, delivery: Delivery) -> bool {
        let payload = envelope::seal(&self.wiring.key, header, message);
        let topic = self.topic(Way::Up);
        self.connection
            .as_ref()
            .is_some_and(|connection| connection.publish(Publication { topic, payload, delivery }))
    }

    /// The gateway's presence in this connection: its birth or its end (which is also its will).
    fn presence(&self, online: bool) -> Publication {
        let connection = self.connection_count;
        let count = connection * 2 + u64::from(!online);
        let (gateway, life) = (self.wiring.gateway.clone(), self.session.0);
        let header = Header { gateway, way: Way::State, life, count };
        let since = self.wiring.time.now().venue;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let presence = Presence { session: self.session, connection, online, since, version };
        let payload = envelope::seal(&self.wiring.key, &header, &presence);
        Publication { topic: self.topic(Way::State), payload, delivery: Delivery::Retained }
    }

    fn topic(&self, way: Way) -> String {
        let (venue, gateway) = (self.wiring.venue.clone(), self.wiring.gateway.clone());
        match way {
            Way::Up => Topic::Up { venue, gateway },
            Way::Down => Topic::Down { venue, gateway },
            Way::State => Topic::State { venue, gateway },
        }
        .to_string()
    }
}
