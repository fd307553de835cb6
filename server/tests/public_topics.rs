//! What third parties read from the broker: the public's games as JSON, under delay and with hidden results.

#![allow(clippy::unwrap_used)] // A test may fall over.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chuhe::broker::Broker;
use chuhe::broker::access::{Access, SERVER};
use chuhe::gateways::Keys;
use chuhe::mqtt::{BrokerAddress, Message, connect};
use chuhe::outlets;
use firmware_proto::VenueId;
use hall::view::Epoch;
use hall::{Broadcast, Delay};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tournament::{RoundNo, TableNo};
use web::{Hub, Update};

#[path = "../web/fixture/mod.rs"]
#[allow(dead_code, reason = "the pages' tests use the rest")]
mod fixture;

/// A program of somebody else's at the broker: what it knows of each table.
struct Reader {
    messages: mpsc::Receiver<Message>,
    known: BTreeMap<String, Value>,
    /// Everything that ever came.
    all: String,
}

impl Reader {
    /// Reads on until a table is as it should be.
    async fn until(&mut self, table: u16, is: impl Fn(&Value) -> bool) {
        let topic = format!("chuhe/1/venue/public/table/{table}");
        while !self.known.get(&topic).is_some_and(&is) {
            let message = tokio::time::timeout(Duration::from_secs(60), self.messages.recv()).await;
            let Message { topic, payload } = message.expect("a message in a minute").unwrap();
            let text = String::from_utf8(payload).unwrap();
            self.known.insert(topic, serde_json::from_str(&text).unwrap());
            self.all += &text;
        }
    }

    fn plies(&self, table: u16) -> usize {
        let game = &self.known[&format!("chuhe/1/venue/public/table/{table}")];
        game["plies"].as_array().unwrap().len()
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// What the API says of a table to everybody.
fn of_the_api(hub: &Hub, table: u16) -> Value {
    let game = hub.public().look(|shown| shown.games[&(RoundNo(3), TableNo(table))].clone());
    serde_json::from_str(&web::game_json(&game)).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscriber_reads_what_the_public_may_see_and_no_more() {
    let clock = Arc::new(AtomicI64::new(fixture::BEGAN.0 + 2_300_000));
    let now = Arc::clone(&clock);
    let hub = Hub::new(1, Arc::new(move || Epoch(now.load(Ordering::Relaxed))), 1.0);
    fixture::publish(&hub, 3);
    hub.beat();

    let address = free_address();
    let venue = VenueId::new("venue").unwrap();
    let gateways = watch::Sender::new(Keys::default());
    let access = Access::new(venue.clone(), "its own".to_owned(), gateways.subscribe());
    let _broker = Broker::start(address, access).unwrap();
    let stop = CancellationToken::new();
    let own = BrokerAddress::plain(address, Some((SERVER.to_owned(), "its own".to_owned())));
    let (ignored, _nothing) = mpsc::channel(1);
    let server = connect(&own, SERVER, Vec::new(), ignored, mpsc::channel(1).0, stop.clone()).unwrap();
    tokio::spawn(outlets::publish(hub.public(), server, venue, stop.clone()));
    let (incoming, messages) = mpsc::channel(64);
    let filters = vec!["chuhe/1/venue/public/table/+".to_owned()];
    // Somebody without a name: he may read what is public.
    let guest = BrokerAddress::plain(address, None);
    let _reader = connect(&guest, "somebody", filters, incoming, mpsc::channel(1).0, stop.clone()).unwrap();
    let mut reader = Reader { messages, known: BTreeMap::new(), all: String::new() };

    for table in 1..=3 {
        let same = of_the_api(&hub, table);
        reader.until(table, |game| *game == same).await;
    }

    // Table 3 is delayed; table 1 is not, and shows that the server has looked since.
    let tables = [(TableNo(3), Delay { minutes: 5, plies: 0 })].into();
    let set = |broadcast| hub.publish(Update::Broadcast(Arc::new(broadcast)));
    set(Broadcast { tables, ..Broadcast::default() });
    let before = reader.plies(3);
    fixture::advance(&hub, TableNo(3));
    for _ in 0..2 {
        let plies = reader.plies(1);
        fixture::advance(&hub, TableNo(1));
        hub.beat();
        reader.until(1, |game| game["plies"].as_array().unwrap().len() > plies).await;
    }
    assert_eq!(reader.plies(3), before, "the delayed move was told");
    clock.fetch_add(5 * 60_000, Ordering::Relaxed);
    hub.beat();
    reader.until(3, |game| game["plies"].as_array().unwrap().len() > before).await;
    let same = of_the_api(&hub, 3);
    reader.until(3, |game| *game == same).await;

    // Table 2 is over; from now on nobody is told how.
    assert!(reader.all.contains("\"outcome\""));
    set(Broadcast { hide_results: true, ..Broadcast::default() });
    hub.beat();
    reader.until(2, |game| game["status"]["is"] == "withheld").await;
    reader.all.clear();
    fixture::advance(&hub, TableNo(1));
    hub.beat();
    let same = of_the_api(&hub, 1);
    reader.until(1, |game| *game == same).await;
    assert!(!reader.all.contains("\"outcome\""), "{}", reader.all);
    stop.cancel();
}
