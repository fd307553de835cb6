//! Side by side, in one run on one machine:
//!
//! * records stored end to end: virtual gateways straight to MQTT (QoS 1, sealed, a window kept open by the server's
//!   acknowledgements), embedded broker, ingest, hall, SQLite with every transaction synced;
//! * what the same broker carries at QoS 1 with the same payloads, from the same publishers to one subscriber who does nothing
//!   with them, the same number of messages under way;
//! * how often the same disk syncs a page of 4 KiB appended to a file.
//!
//! With 1, 10 and 100 tables, a gateway each, one record and 64 records a message. No games run: what is measured is the
//! chain, not the tracker; `chuhe-sim load` has both.
//!
//! `cargo bench -p chuhe --bench throughput [-- SECONDS]`

#![allow(clippy::unwrap_used)] // A bench may fall over.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chuhe::broker::Broker;
use chuhe::broker::access::{Access, SERVER};
use chuhe::server::{BrokerChoice, Server, Settings};
use firmware_proto::envelope::{Header, Key, Way, open, seal};
use firmware_proto::{
    Body, BootId, Cell, DeviceUid, Down, Epoch, GatewayId, Millis, Observation, Reading, Record, Seq,
    Session, Sighting, StreamSeq, Topic, Up, VenueClock, VenueId,
};
use rumqttc::{AsyncClient, Event, EventLoop, Incoming, MqttOptions, PublishOptions, QoS};
use tokio::task::JoinSet;

/// Records under way from one gateway.
const WINDOW: u64 = 512;

/// The password of the raw subscriber.
const PASSWORD: &str = "bench";

/// Before it is counted.
const WARM_UP: Duration = Duration::from_secs(1);

fn observation(gateway: u64, number: u64) -> Observation {
    let body = Body::Point(Cell::new((number % 90) as u8).unwrap(), Reading((number % 2) as u8));
    let record = Record { seq: Seq(number as u32), at: Millis(number as u32), body };
    let sighting = Sighting::Record(BootId(1), record);
    Observation { device: DeviceUid(gateway), at: Epoch(number as i64), sighting }
}

/// One gateway of the venue.
#[derive(Clone)]
struct Gateway {
    port: u16,
    venue: VenueId,
    id: GatewayId,
    key: Key,
    no: u64,
    /// Records in a message.
    batch: u64,
}

impl Gateway {
    fn connect(&self) -> (AsyncClient, EventLoop) {
        let password = self.key.broker_password();
        client(self.port, self.id.as_str(), self.id.as_str(), &password)
    }

    fn up(&self) -> String {
        Topic::Up { venue: self.venue.clone(), gateway: self.id.clone() }.to_string()
    }

    /// The message that begins with record number `first`.
    fn message(&self, first: u64, count: u64) -> Vec<u8> {
        let items = (first..first + self.batch).map(|number| observation(self.no, number)).collect();
        let message = Up::Observations { session: Session(1), first: StreamSeq(first), items };
        let header = Header { gateway: self.id.clone(), way: Way::Up, life: 1, count };
        seal(&self.key, &header, &message)
    }

    /// Sends as fast as the server's acknowledgements come.
    async fn until_acknowledged(self) {
        let (client, mut events) = self.connect();
        let down = Topic::Down { venue: self.venue.clone(), gateway: self.id.clone() }.to_string();
        let up = self.up();
        let (mut next, mut acked, mut count, mut heard) = (1, 0, 0, Instant::now());
        client.subscribe(down.as_str(), QoS::AtMostOnce).await.unwrap();
        loop {
            while next <= acked + WINDOW - self.batch {
                count += 1;
                let message = self.message(next, count);
                if client.try_publish(up.as_str(), message, PublishOptions::at_least_once()).is_err() {
                    break;
                }
                next += self.batch;
            }
            let event = tokio::time::timeout(Duration::from_millis(700), events.poll()).await;
            if let Ok(Ok(Event::Incoming(Incoming::Publish(publish)))) = event
                && let Ok((_, Down::Ack { upto, .. })) =
                    open::<Down>(&self.key, &self.id, Way::Down, &publish.payload)
            {
                acked = acked.max(upto.0);
                heard = Instant::now();
            }
            if heard.elapsed() > Duration::from_millis(700) {
                next = acked + 1;
                heard = Instant::now();
            }
        }
    }

    /// Publishes as fast as the broker's acknowledgements come.
    async fn raw(self) {
        let (client, mut events) = self.connect();
        let up = self.up();
        let (mut next, mut under_way, mut count) = (1, 0, 0);
        loop {
            while under_way < (WINDOW / self.batch).max(1) {
                count += 1;
                let message = self.message(next, count);
                if client.try_publish(up.as_str(), message, PublishOptions::at_least_once()).is_err() {
                    break;
                }
                under_way += 1;
                next += self.batch;
            }
            if let Event::Incoming(Incoming::PubAck(_)) = events.poll().await.unwrap() {
                under_way -= 1;
            }
        }
    }
}

fn client(port: u16, id: &str, user: &str, password: &str) -> (AsyncClient, EventLoop) {
    let mut options = MqttOptions::new(id, ("127.0.0.1", port));
    options.set_keep_alive(10).set_max_packet_size(1 << 20, 1 << 20);
    options.set_credentials(user, password.to_owned().into_bytes());
    AsyncClient::builder(options).capacity(1024).build()
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A venue with so many tables, and its gateways.
fn venue(tables: u64, batch: u64, port: u16) -> (VenueId, BTreeMap<GatewayId, Key>, Vec<Gateway>) {
    let venue = VenueId::new("bench").unwrap();
    let gateway = |no: u64| Gateway {
        port,
        venue: venue.clone(),
        id: GatewayId::new(format!("g{no}")).unwrap(),
        key: Key::new([no as u8; 32]),
        no,
        batch,
    };
    let gateways: Vec<Gateway> = (1..=tables).map(gateway).collect();
    let keys = gateways.iter().map(|it| (it.id.clone(), it.key.clone())).collect();
    (venue, keys, gateways)
}

/// Records stored a second.
async fn end_to_end(tables: u64, batch: u64, seconds: u64) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let broker = free_address();
    let (venue, keys, gateways) = venue(tables, batch, broker.port());
    let server = Server::start(Settings {
        listen: "127.0.0.1:0".parse().unwrap(),
        database: store::Database::File(folder.path().join("event.db")),
        data: folder.path().to_owned(),
        broker: BrokerChoice::Embedded(broker),
        venue,
        clock: VenueClock::REAL,
        keys,
        tls: None,
        push: Vec::new(),
        pages: None,
        open_house: true,
    })
    .await
    .unwrap();
    let mut senders: JoinSet<()> = gateways.into_iter().map(Gateway::until_acknowledged).collect();
    tokio::time::sleep(WARM_UP).await;
    let (begin, before) = (Instant::now(), server.store.last_observation().await.unwrap());
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    // What is in the database, not what is on its way there.
    let stored = server.store.last_observation().await.unwrap() - before;
    let rate = stored as f64 / begin.elapsed().as_secs_f64();
    senders.shutdown().await;
    server.stop().await.unwrap();
    rate
}

/// Records a second that the broker carries.
async fn raw(tables: u64, batch: u64, seconds: u64) -> f64 {
    let address = free_address();
    let (venue, keys, gateways) = venue(tables, batch, address.port());
    let keys = tokio::sync::watch::Sender::new(keys);
    let access = Access::new(venue.clone(), PASSWORD.into(), keys.subscribe());
    let broker = Broker::start(address, access).unwrap();
    let came = Arc::new(AtomicU64::new(0));
    let subscriber = tokio::spawn({
        let came = came.clone();
        async move {
            let (client, mut events) = client(address.port(), "subscriber", SERVER, PASSWORD);
            client.subscribe(Topic::every_up(&venue), QoS::AtLeastOnce).await.unwrap();
            loop {
                if let Event::Incoming(Incoming::Publish(_)) = events.poll().await.unwrap() {
                    came.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut publishers: JoinSet<()> = gateways.into_iter().map(Gateway::raw).collect();
    tokio::time::sleep(WARM_UP).await;
    let (begin, before) = (Instant::now(), came.load(Ordering::Relaxed));
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let rate = (came.load(Ordering::Relaxed) - before) as f64 / begin.elapsed().as_secs_f64();
    publishers.shutdown().await;
    subscriber.abort();
    drop(broker);
    rate * batch as f64
}

/// Syncs a second of this folder's disk.
fn syncs(folder: &Path, seconds: u64) -> f64 {
    let mut file = std::fs::File::create(folder.join("syncs")).unwrap();
    let (begin, mut count) = (Instant::now(), 0_u64);
    while begin.elapsed() < Duration::from_secs(seconds) {
        file.write_all(&[7; 4096]).unwrap();
        file.sync_data().unwrap();
        count += 1;
    }
    count as f64 / begin.elapsed().as_secs_f64()
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let seconds = numbers.next().unwrap_or(5);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let load = || std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load average {}", load().trim());
    println!(
        "| tables | records a message | stored end to end, records/s | raw QoS 1, records/s | share | syncs/s | records a sync |"
    );
    println!("|---|---|---|---|---|---|---|");
    for batch in [1, 64] {
        for tables in [1, 10, 100] {
            let stored = runtime.block_on(end_to_end(tables, batch, seconds));
            let carried = runtime.block_on(raw(tables, batch, seconds));
            let syncs = syncs(folder.path(), seconds.min(2));
            println!(
                "| {tables} | {batch} | {stored:.0} | {carried:.0} | {:.0} % | {syncs:.0} | {:.1} |",
                stored / carried * 100.0,
                stored / syncs
            );
        }
    }
    println!("load average {}", load().trim());
}
