//! The MQTT client: the only file that knows which library it is.
//!
//! A [`Connection`] is one connection, with its own last will. When it breaks the owner makes another: nothing that
//! the library queued is carried over, so nothing is sent late, twice or out of order behind the owner's back. Public for
//! whoever plays a gateway without serial ports (`chuhe-sim load`).

use std::sync::Arc;
use std::time::Duration;

use rumqttc::{
    AsyncClient, Broker, Event, LastWill, MqttOptions, Packet, PublishOptions, QoS, SubscribeReasonCode,
    TlsConfiguration, TopicFilter, Transport,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_rustls::rustls::ClientConfig;

use crate::config::BrokerUrl;
use crate::dial::give_up_after;
use crate::upstream::{Delivery, Publication};

/// The broker is asked for a sign of life when nothing was sent for so long.
const KEEP_ALIVE_SECONDS: u16 = 5;

/// A connection is dead when so long nothing came back.
const DEAD_AFTER: Duration = Duration::from_secs(10);

/// Largest packet, either way. The library's own limit of 10 KiB is too small for batches.
const LARGEST_PACKET: usize = 1 << 20;

/// Messages that may wait in the library.
const WAITING: usize = 64;

/// Where and as whom to connect.
#[derive(Clone)]
pub struct Settings {
    /// The broker's address.
    pub broker: BrokerUrl,
    /// What the broker's certificate is checked by, for TLS.
    pub trust: Option<Arc<ClientConfig>>,
    /// User and password. A broker that wants none does not look at them.
    pub login: (String, String),
    /// The name of the client, unique at the broker.
    pub client_id: String,
}

/// What a connection tells.
#[derive(Debug)]
pub enum News {
    /// It stands, and what comes down is subscribed.
    Connected,
    /// A message came.
    Message {
        /// Its content.
        payload: Vec<u8>,
    },
    /// It broke, or never came about. The last news.
    Lost {
        /// Why.
        reason: String,
    },
}

/// One connection to the broker.
pub struct Connection {
    client: AsyncClient,
    news: mpsc::Receiver<News>,
    task: JoinHandle<()>,
}

impl Connection {
    /// Begins to connect and to subscribe to `topic`; `will` is published by the broker if the connection ends
    /// without a goodbye.
    #[must_use]
    pub fn open(settings: &Settings, topic: String, will: Publication) -> Connection {
        let BrokerUrl { host, port, .. } = &settings.broker;
        let mut options = MqttOptions::new(&settings.client_id, Broker::tcp(host, *port));
        options.set_keep_alive(KEEP_ALIVE_SECONDS);
        give_up_after(&mut options, DEAD_AFTER);
        options.set_clean_session(true);
        options.set_max_packet_size(LARGEST_PACKET, LARGEST_PACKET);
        options.set_last_will(LastWill::new(will.topic, will.payload, QoS::AtLeastOnce, true));
        let (user, password) = &settings.login;
        options.set_credentials(user, password.clone().into_bytes());
        if let Some(trust) = &settings.trust {
            options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(trust.clone())));
        }
        let (client, mut events) = AsyncClient::builder(options).capacity(WAITING).build();
        let (sender, news) = mpsc::channel(WAITING);
        let subscriber = client.clone();
        let task = tokio::spawn(async move {
            loop {
                let told = match events.poll().await {
                    // The library sends publications before subscriptions: what the server answers to the first
                    // would be lost. So nobody publishes before this is answered.
                    Ok(Event::Incoming(Packet::ConnAck(_))) => {
                        match subscriber.try_subscribe(TopicFilter::from(&topic), QoS::AtLeastOnce) {
                            Ok(()) => continue,
                            Err(error) => News::Lost { reason: error.to_string() },
                        }
                    }
                    Ok(Event::Incoming(Packet::SubAck(answer))) => {
                        if answer.return_codes.contains(&SubscribeReasonCode::Failure) {
                            News::Lost { reason: format!("the broker does not let us subscribe to {topic}") }
                        } else {
                            News::Connected
                        }
                    }
                    Ok(Event::Incoming(Packet::Publish(message))) => {
                        News::Message { payload: message.payload.to_vec() }
                    }
                    Ok(Event::Incoming(_) | Event::Outgoing(_)) => continue,
                    Err(error) => News::Lost { reason: error.to_string() },
                };
                let last = matches!(told, News::Lost { .. });
                if sender.send(told).await.is_err() || last {
                    return;
                }
            }
        });
        Connection { client, news, task }
    }

    /// The next news. Cancel-safe.
    pub async fn news(&mut self) -> News {
        let ended = || News::Lost { reason: "the connection's task ended".to_owned() };
        self.news.recv().await.unwrap_or_else(ended)
    }

    /// Publishes; `false`: too much is waiting, it was not taken.
    pub fn publish(&self, publication: Publication) -> bool {
        let options = match publication.delivery {
            Delivery::AtMostOnce => PublishOptions::at_most_once(),
            Delivery::AtLeastOnce => PublishOptions::at_least_once(),
            Delivery::Retained => PublishOptions::at_least_once().retained(),
        };
        self.client.try_publish(publication.topic, publication.payload, options).is_ok()
    }

    /// Says goodbye and waits until it is said, or for `most`.
    pub async fn close(mut self, most: Duration) {
        if self.client.try_disconnect().is_ok() {
            // The end comes as the last news; until then the task must be heard, or it waits for us.
            let end = async { while !matches!(self.news().await, News::Lost { .. }) {} };
            let _too_slow = tokio::time::timeout(most, end).await;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}
