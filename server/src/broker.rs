//! The embedded MQTT broker of a demo or a small venue, so that one program on one box is enough.
//!
//! It keeps nothing on a disk: what must not be lost is kept by whoever sent it until the server acknowledged it, so
//! a broker may lose, repeat and restart. A runtime of its own lets it end with all its connections at once.

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use rmqtt::context::ServerContext;
use rmqtt::net::Builder;
use rmqtt::retain::{DefaultRetainStorage, RetainStorage};
use rmqtt::server::MqttServer;
use rmqtt::types::{Retain, TopicFilter, TopicName};

/// Largest packet: a gateway's batch of observations has about 20 KiB.
const MAX_PACKET: u32 = 1024 * 1024;

/// Messages that wait for one slow client; then the oldest go. The senders keep theirs.
const MAX_WAITING: usize = 100_000;

/// Why the broker does not start.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// The address cannot be had.
    #[error(
        "cannot listen for MQTT on {address}: {why}. Is another broker running there? Choose another address, or \
             name that broker's address in the configuration instead"
    )]
    Bind {
        /// Which address.
        address: SocketAddr,
        /// What the system says.
        why: String,
    },
    /// No threads.
    #[error("cannot start the broker's threads: {0}")]
    Threads(#[from] std::io::Error),
}

/// A running broker; it ends when dropped.
#[derive(Debug)]
pub struct Broker {
    address: SocketAddr,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Broker {
    /// Starts a broker on this address (port 0 is not possible: others have to know the port).
    pub fn start(address: SocketAddr) -> Result<Broker, BrokerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("broker")
            .enable_all()
            .build()?;
        // From here on its threads end with it, also when it cannot listen.
        let broker = Broker { address, runtime: Some(runtime) };
        broker.listen()?;
        Ok(broker)
    }

    fn listen(&self) -> Result<(), BrokerError> {
        let Some(runtime) = &self.runtime else { return Ok(()) };
        let address = self.address;
        let listener = {
            // The listener belongs to the runtime that is entered when it is bound.
            let _inside = runtime.enter();
            Builder::new()
                .name("chuhe")
                .laddr(address)
                // Or else a restart within a minute finds its own old connections on the port.
                .reuseaddr(Some(true))
                .nodelay(true)
                .max_packet_size(MAX_PACKET)
                .max_mqueue_len(MAX_WAITING)
                .max_inflight(std::num::NonZeroU16::MAX)
                .message_retry_interval(Duration::from_secs(5))
                .bind()
                .and_then(|listener| listener.tcp())
                .map_err(|why| BrokerError::Bind { address, why: why.to_string() })?
        };
        runtime.spawn(async move {
            let context = ServerContext::new().busy_check_enable(false).build().await;
            *context.extends.retain_mut().await = Box::new(Retained(DefaultRetainStorage::new()));
            let server = MqttServer::new(context).listener_by_id(listener, 1).build();
            if let Err(error) = server.run().await {
                tracing::error!(%error, "the embedded broker has ended");
            }
        });
        Ok(())
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Retained messages, kept in memory for as long as the broker lives: gateways announce themselves anew when they
/// connect again.
struct Retained(DefaultRetainStorage);

#[async_trait]
impl RetainStorage for Retained {
    fn enable(&self) -> bool {
        true
    }

    async fn set(&self, topic: &TopicName, retain: Retain, _expiry: Option<Duration>) -> rmqtt::Result<()> {
        self.0.set_with_timeout(topic, retain, None).await
    }

    async fn get(&self, filter: &TopicFilter) -> rmqtt::Result<Vec<(TopicName, Retain)>> {
        self.0.get_message(filter).await
    }

    async fn count(&self) -> isize {
        self.0.count().await
    }

    async fn max(&self) -> isize {
        self.0.max().await
    }
}
