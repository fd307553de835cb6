//! The MQTT client, wrapped: the only file of the server that knows the client library.
//!
//! Clean sessions: after every connection everything is subscribed anew, and whatever was on its way is lost. That
//! is all right, for what must arrive is sent again by its source until it is acknowledged.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use gateway::dial::give_up_after;
use gateway::{BrokerUrl, Pin, Trust};
use hall::{Input, ServerFault};
use rumqttc::{
    AsyncClient, Event, EventLoop, Incoming, MqttOptions, PublishOptions, QoS, TlsConfiguration, Transport,
};
use serde::Deserialize;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// Largest packet taken; the library's own limit of 10 KiB is below one batch of observations.
const MAX_PACKET: usize = 1024 * 1024;

/// Outgoing messages that may wait for the broker. More are dropped: acks and commands are repeated anyway.
const OUTGOING: usize = 4096;

/// A broker that does not answer for so long is told of: one that starts anew is back sooner.
const SILENT: Duration = Duration::from_secs(3);

/// A connection is dead when so long nothing came back.
const DEAD_AFTER: Duration = Duration::from_secs(20);

/// Where the broker is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrokerAddress {
    /// `mqtt://[user[:password]@]host[:port]`, or `mqtts://` for TLS.
    pub url: BrokerUrl,
    /// With `mqtts`: file with the certificate (PEM) of the authority that signed the broker's.
    #[serde(default)]
    pub ca: Option<PathBuf>,
    /// With `mqtts` and without `ca`: fingerprint (SHA-256, hexadecimal) of the broker's own certificate.
    #[serde(default, deserialize_with = "pin")]
    pub pin: Option<Pin>,
}

fn pin<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Pin>, D::Error> {
    String::deserialize(deserializer)?.parse().map(Some).map_err(serde::de::Error::custom)
}

impl BrokerAddress {
    /// A broker at this address, plain; `login`: user and password.
    #[must_use]
    pub fn plain(address: std::net::SocketAddr, login: Option<(String, String)>) -> BrokerAddress {
        let url = BrokerUrl { tls: false, host: address.ip().to_string(), port: address.port(), login };
        BrokerAddress { url, ca: None, pin: None }
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum MqttError {
    /// TLS, but no certificate to trust.
    #[error(
        "broker {0}: TLS needs the authority's certificate, field ca, or the broker's own fingerprint, field pin"
    )]
    NoCa(BrokerUrl),
    /// The authority's certificate cannot be read.
    #[error("broker ca {path}: {why}")]
    Ca {
        /// Which file.
        path: String,
        /// What is wrong.
        why: String,
    },
}

/// What came in.
#[derive(Clone, Debug)]
pub struct Message {
    /// On which topic.
    pub topic: String,
    /// The bytes.
    pub payload: Vec<u8>,
}

/// A handle for publishing.
#[derive(Clone, Debug)]
pub struct Mqtt {
    client: AsyncClient,
    connections: watch::Receiver<u64>,
}

impl Mqtt {
    /// Publishes with QoS 0; `false`: there was no room, it is dropped.
    pub fn tell(&self, topic: &str, payload: Vec<u8>) -> bool {
        self.client.try_publish(topic, payload, PublishOptions::at_most_once()).is_ok()
    }

    /// Counts the connections to the broker: a new one may be to a broker that has forgotten what it kept.
    #[must_use]
    pub fn connections(&self) -> watch::Receiver<u64> {
        self.connections.clone()
    }

    /// Publishes something that the broker keeps for whoever subscribes later; `false`: there was no room.
    pub fn keep(&self, topic: &str, payload: Vec<u8>) -> bool {
        self.client.try_publish(topic, payload, PublishOptions::at_most_once().retained()).is_ok()
    }
}

/// Connects, for as long as `stop` is not called, again and again. Every connection subscribes to `filters` with
/// QoS 1; what comes goes to `incoming`. That the broker does not answer for a while, and that it does again, is told.
pub fn connect(
    address: &BrokerAddress,
    client_id: &str,
    filters: Vec<String>,
    incoming: mpsc::Sender<Message>,
    tell: mpsc::Sender<Input>,
    stop: CancellationToken,
) -> Result<Mqtt, MqttError> {
    let mut options = options(address, client_id)?;
    options.set_keep_alive(10).set_clean_session(true).set_max_packet_size(MAX_PACKET, MAX_PACKET);
    give_up_after(&mut options, DEAD_AFTER);
    if let Some((user, password)) = &address.url.login {
        options.set_credentials(user.clone(), password.clone().into_bytes());
    }
    let (client, events) = AsyncClient::builder(options).capacity(OUTGOING).build();
    let (connected, connections) = watch::channel(0);
    let mqtt = Mqtt { client: client.clone(), connections };
    let broker = address.url.to_string();
    tokio::spawn(run(Line { broker, client, filters, incoming, tell, connected, stop }, events));
    Ok(mqtt)
}

fn options(address: &BrokerAddress, client_id: &str) -> Result<MqttOptions, MqttError> {
    let BrokerAddress { url, ca, pin } = address;
    let mut options = MqttOptions::new(client_id, (url.host.as_str(), url.port));
    if url.tls {
        let wrong = |path: &PathBuf, why: &dyn std::fmt::Display| MqttError::Ca {
            path: path.display().to_string(),
            why: why.to_string(),
        };
        let trust = match (ca, pin) {
            (Some(path), _) => {
                let pem = std::fs::read(path).map_err(|why| wrong(path, &why))?;
                Trust::Authority(pem).client_config().map_err(|why| wrong(path, &why))?
            }
            (None, Some(pin)) => {
                Trust::Pinned(*pin).client_config().map_err(|why| wrong(&PathBuf::new(), &why))?
            }
            (None, None) => return Err(MqttError::NoCa(url.clone())),
        };
        options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(trust)));
    }
    Ok(options)
}

/// The connection, and where what comes of it goes.
struct Line {
    broker: String,
    client: AsyncClient,
    filters: Vec<String>,
    incoming: mpsc::Sender<Message>,
    tell: mpsc::Sender<Input>,
    connected: watch::Sender<u64>,
    stop: CancellationToken,
}

/// Since when the broker does not answer, and whether that was told.
#[derive(Debug)]
struct Silence {
    since: Instant,
    told: bool,
}

impl Line {
    async fn tell(&self, on: bool) {
        // Whoever is told may have ended before the connection.
        let _gone = self.tell.send(Input::Server { fault: ServerFault::Broker, on }).await;
    }
}

async fn run(line: Line, mut events: EventLoop) {
    let (broker, stop) = (&line.broker, &line.stop);
    let mut pause = Backoff::new();
    let mut silence: Option<Silence> = None;
    // An earlier run may have left it at fault.
    let mut answered = false;
    loop {
        let event = tokio::select! {
            event = events.poll() => event,
            () = stop.cancelled() => break,
        };
        match event {
            Ok(Event::Incoming(Incoming::ConnAck(_))) => {
                tracing::info!(broker, "connected");
                line.connected.send_modify(|count| *count += 1);
                pause = Backoff::new();
                let told = silence.take().is_some_and(|silence| silence.told);
                if told || !std::mem::replace(&mut answered, true) {
                    line.tell(false).await;
                }
                for filter in &line.filters {
                    if let Err(error) = line.client.try_subscribe(filter.as_str(), QoS::AtLeastOnce) {
                        tracing::error!(broker, filter, %error, "cannot subscribe");
                    }
                }
            }
            Ok(Event::Incoming(Incoming::Publish(publish))) => {
                let topic = String::from_utf8_lossy(&publish.topic).into_owned();
                let message = Message { topic, payload: publish.payload.to_vec() };
                tokio::select! {
                    sent = line.incoming.send(message) => if sent.is_err() { break },
                    () = stop.cancelled() => break,
                }
            }
            Ok(Event::Incoming(_) | Event::Outgoing(_)) => {}
            Err(error) => {
                if pause.first() {
                    tracing::warn!(broker, %error, "no connection to the broker; trying on");
                }
                let silent = silence.get_or_insert_with(|| Silence { since: Instant::now(), told: false });
                if !silent.told && silent.since.elapsed() >= SILENT {
                    silent.told = true;
                    line.tell(true).await;
                }
                tokio::select! {
                    () = tokio::time::sleep(pause.next()) => {}
                    () = stop.cancelled() => break,
                }
            }
        }
    }
}

/// Ever longer pauses between attempts, from 50 ms to 2 s.
struct Backoff(u32);

impl Backoff {
    fn new() -> Backoff {
        Backoff(0)
    }

    fn first(&self) -> bool {
        self.0 == 0
    }

    fn next(&mut self) -> Duration {
        self.0 += 1;
        Duration::from_millis(50 << self.0.min(5)).min(Duration::from_secs(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_without_a_certificate_to_trust_is_refused() {
        let address = |ca: Option<&str>| BrokerAddress {
            url: BrokerUrl::try_from("mqtts://chuhe:secret@broker:8883".to_owned()).unwrap(),
            ca: ca.map(PathBuf::from),
            pin: None,
        };
        let error = options(&address(None), "x").unwrap_err().to_string();
        assert!(error.contains("field ca") && !error.contains("secret"), "{error}");
        let error = options(&address(Some("/nowhere/ca.pem")), "x").unwrap_err().to_string();
        assert!(error.contains("/nowhere/ca.pem"), "{error}");
    }

    #[test]
    fn pauses_grow_to_two_seconds() {
        let mut pause = Backoff::new();
        let pauses: Vec<u128> = (0..7).map(|_| pause.next().as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 1600, 1600]);
    }
}
