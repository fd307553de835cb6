//! The embedded broker: a taken port is named, and clients find it again when it ends and starts on the same port;
//! what the hall is told of it meanwhile.

#![allow(clippy::unwrap_used)] // A test may fall over.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use chuhe::broker::access::{Access, SERVER};
use chuhe::broker::{Broker, BrokerError};
use chuhe::gateways::Keys;
use chuhe::mqtt::{BrokerAddress, Message, Mqtt, connect};
use firmware_proto::envelope::Key;
use firmware_proto::{GatewayId, VenueId};
use hall::{Input, ServerFault};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

const PASSWORD: &str = "the server's own";

fn key() -> Key {
    Key::new([1; 32])
}

fn access() -> Access {
    let keys = watch::Sender::new(Keys::from([(GatewayId::new("west").unwrap(), key())]));
    Access::new(VenueId::new("hall").unwrap(), PASSWORD.into(), keys.subscribe())
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn client(address: SocketAddr, id: &str, stop: &CancellationToken) -> (Mqtt, mpsc::Receiver<Message>) {
    let (incoming, messages) = mpsc::channel(16);
    let filters = vec!["chuhe/1/+/+/up".into()];
    let login = (id.to_owned(), if id == SERVER { PASSWORD.to_owned() } else { key().broker_password() });
    let mqtt = connect(
        &BrokerAddress::plain(address, Some(login)),
        id,
        filters,
        incoming,
        mpsc::channel(1).0,
        stop.clone(),
    )
    .unwrap();
    (mqtt, messages)
}

/// Publishes until the other side hears it: nobody says when a subscription took effect.
async fn heard(from: &Mqtt, at: &mut mpsc::Receiver<Message>, payload: &[u8]) -> bool {
    for _ in 0..100 {
        from.tell("chuhe/1/hall/west/up", payload.to_vec());
        let waited = tokio::time::timeout(Duration::from_millis(100), at.recv()).await;
        if waited.is_ok_and(|message| message.is_some_and(|message| message.payload == payload)) {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn a_port_already_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let error = Broker::start(address, access()).unwrap_err();
    assert!(matches!(error, BrokerError::Bind { .. }), "{error}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_find_a_restarted_broker_on_the_same_port() {
    let address = free_address();
    let stop = CancellationToken::new();
    let broker = Broker::start(address, access()).unwrap();
    let (from, mut back) = client(address, "west", &stop);
    tokio::spawn(async move { while back.recv().await.is_some() {} });
    let (_to, mut messages) = client(address, SERVER, &stop);
    assert!(heard(&from, &mut messages, b"one").await);
    drop(broker);
    let broker = loop {
        // The old one's threads let go of the port a moment later.
        match Broker::start(address, access()) {
            Ok(broker) => break broker,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    assert!(heard(&from, &mut messages, b"two").await);
    stop.cancel();
    drop(broker);
}

/// The next thing that is told of the broker: whether it is at fault.
async fn fault(told: &mut mpsc::Receiver<Input>) -> bool {
    let told = told.recv().await;
    let Some(Input::Server { fault: ServerFault::Broker, on }) = told else { panic!("{told:?}") };
    on
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_is_gone_is_told_of_and_so_is_its_return() {
    let address = free_address();
    let broker = Broker::start(address, access()).unwrap();
    let (incoming, _messages) = mpsc::channel(4);
    let (tell, mut told) = mpsc::channel(4);
    let stop = CancellationToken::new();
    let to = BrokerAddress::plain(address, Some((SERVER.to_owned(), PASSWORD.to_owned())));
    let _line = connect(&to, SERVER, Vec::new(), incoming, tell, stop.clone()).unwrap();
    assert!(!fault(&mut told).await, "it answers");
    drop(broker);
    assert!(fault(&mut told).await, "it does not");
    let _broker = loop {
        match Broker::start(address, access()) {
            Ok(broker) => break broker,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    assert!(!fault(&mut told).await, "it answers again");
    stop.cancel();
}
