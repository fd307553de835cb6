//! Records stored end to end: virtual gateways straight to MQTT (QoS 1, sealed, in batches, a window kept open by the
//! server's acknowledgements), embedded broker, ingest, hall, SQLite with every transaction synced. No games run: what is
//! measured is the chain, not the tracker.
//!
//! `cargo bench -p chuhe --bench throughput [-- GATEWAYS [SECONDS]]`

#![allow(clippy::unwrap_used)] // A bench may fall over.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use chuhe::server::{BrokerChoice, Server, Settings};
use firmware_proto::envelope::{Header, Key, Way, open, seal};
use firmware_proto::{
    Body, BootId, Cell, DeviceUid, Down, Epoch, GatewayId, Millis, Observation, Reading, Record, Seq,
    Session, Sighting, StreamSeq, Topic, Up, VenueClock, VenueId,
};
use rumqttc::{AsyncClient, Event, Incoming, MqttOptions, PublishOptions, QoS};

const BATCH: u64 = 64;
const WINDOW: u64 = 512;

fn observation(gateway: u64, number: u64) -> Observation {
    let body = Body::Point(Cell::new((number % 90) as u8).unwrap(), Reading((number % 2) as u8));
    let record = Record { seq: Seq(number as u32), at: Millis(number as u32), body };
    let sighting = Sighting::Record(BootId(1), record);
    Observation { device: DeviceUid(gateway), at: Epoch(number as i64), sighting }
}

/// One gateway: sends as fast as the acknowledgements come.
async fn run(port: u16, venue: VenueId, id: GatewayId, key: Key, no: u64) {
    let mut options = MqttOptions::new(id.as_str(), ("127.0.0.1", port));
    options.set_keep_alive(10).set_max_packet_size(1 << 20, 1 << 20);
    let (client, mut events) = AsyncClient::builder(options).capacity(64).build();
    let up = Topic::Up { venue: venue.clone(), gateway: id.clone() }.to_string();
    let down = Topic::Down { venue, gateway: id.clone() }.to_string();
    let (mut next, mut acked, mut count, mut heard) = (1, 0, 0, Instant::now());
    client.subscribe(down.as_str(), QoS::AtMostOnce).await.unwrap();
    loop {
        while next <= acked + WINDOW - BATCH {
            let items = (next..next + BATCH).map(|number| observation(no, number)).collect();
            let message = Up::Observations { session: Session(1), first: StreamSeq(next), items };
            count += 1;
            let header = Header { gateway: id.clone(), way: Way::Up, life: 1, count };
            if client
                .try_publish(up.as_str(), seal(&key, &header, &message), PublishOptions::at_least_once())
                .is_err()
            {
                break;
            }
            next += BATCH;
        }
        let event = tokio::time::timeout(Duration::from_millis(700), events.poll()).await;
        if let Ok(Ok(Event::Incoming(Incoming::Publish(publish)))) = event
            && let Ok((_, Down::Ack { upto, .. })) = open::<Down>(&key, &id, Way::Down, &publish.payload)
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

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let gateways = numbers.next().unwrap_or(25);
    let seconds = numbers.next().unwrap_or(15);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let broker = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let venue = VenueId::new("bench").unwrap();
        let keys: BTreeMap<GatewayId, Key> = (1..=gateways)
            .map(|no| (GatewayId::new(format!("g{no}")).unwrap(), Key::new([no as u8; 32])))
            .collect();
        let server = Server::start(Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            database: store::Database::File(folder.path().join("event.db")),
            data: folder.path().to_owned(),
            broker: BrokerChoice::Embedded(broker),
            venue: venue.clone(),
            clock: VenueClock::REAL,
            keys: keys.clone(),
            tls: None,
            push: Vec::new(),
            pages: None,
            open_house: true,
        })
        .await
        .unwrap();
        for (no, (id, key)) in (1..).zip(keys) {
            tokio::spawn(run(broker.port(), venue.clone(), id, key, no));
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
        let (begin, before) = (Instant::now(), server.store.last_observation().await.unwrap());
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        // What is in the database, not what is on its way there.
        let stored = server.store.last_observation().await.unwrap() - before;
        let rate = (stored as f64 / begin.elapsed().as_secs_f64()).round();
        println!(
            "{}",
            serde_json::json!({"gateways": gateways, "records_per_second": rate, "seconds": seconds})
        );
        server.stop().await.unwrap();
    });
}
