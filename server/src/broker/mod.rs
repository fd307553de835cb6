//! The embedded MQTT broker of a demo or a small venue, so that one program on one box is enough.
//!
//! It keeps nothing on a disk: what must not be lost is kept by whoever sent it until the server acknowledged it, so
//! a broker may lose, repeat and restart. A runtime of its own lets it end with all its connections at once.

pub mod access;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use rmqtt::codec::v5::SubscribeAckReason;
use rmqtt::context::ServerContext;
use rmqtt::hook::{Handler, HookResult, Parameter, ReturnType, Type};
use rmqtt::net::Builder;
use rmqtt::retain::{DefaultRetainStorage, RetainStorage};
use rmqtt::server::MqttServer;
use rmqtt::types::{
    AuthResult, ConnectInfo, LastWill, PublishAclResult, Retain, SubscribeAclResult, TopicFilter, TopicName,
};

use access::Access;

/// Largest packet: a gateway's batch of observations has about 20 KiB.
const MAX_PACKET: u32 = 1024 * 1024;

/// Messages that wait for one slow client; then the oldest go. The senders keep theirs.
const MAX_WAITING: usize = 100_000;

/// One in so many refusals is logged.
const REFUSALS_A_LINE: u64 = 32;

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
    refused: Arc<AtomicU64>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Broker {
    /// Starts a broker on this address (port 0 is not possible: others have to know the port) for those whom `access`
    /// lets in.
    pub fn start(address: SocketAddr, access: Access) -> Result<Broker, BrokerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("broker")
            .enable_all()
            .build()?;
        // From here on its threads end with it, also when it cannot listen.
        let broker = Broker { address, refused: Arc::default(), runtime: Some(runtime) };
        broker.listen(access)?;
        Ok(broker)
    }

    fn listen(&self, access: Access) -> Result<(), BrokerError> {
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
                // Also those without a name pass the door.
                .allow_anonymous(false)
                .nodelay(true)
                .max_packet_size(MAX_PACKET)
                .max_mqueue_len(MAX_WAITING)
                .max_inflight(std::num::NonZeroU16::MAX)
                .message_retry_interval(Duration::from_secs(5))
                .bind()
                .and_then(|listener| listener.tcp())
                .map_err(|why| BrokerError::Bind { address, why: why.to_string() })?
        };
        let refused = self.refused.clone();
        runtime.spawn(async move {
            let context = ServerContext::new().busy_check_enable(false).build().await;
            *context.extends.retain_mut().await = Box::new(Retained(DefaultRetainStorage::new()));
            let register = context.extends.hook_mgr().register();
            let door = Door { access: Arc::new(access), refused };
            for at in [Type::ClientAuthenticate, Type::ClientSubscribeCheckAcl, Type::MessagePublishCheckAcl]
            {
                register.add(at, Box::new(door.clone())).await;
            }
            register.start().await;
            let server = MqttServer::new(context).listener_by_id(listener, 1).build();
            if let Err(error) = server.run().await {
                tracing::error!(%error, "the embedded broker has ended");
            }
        });
        Ok(())
    }

    /// Counts who came with a wrong name or password.
    #[must_use]
    pub fn refused(&self) -> Arc<AtomicU64> {
        self.refused.clone()
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

/// Asks [`Access`] for whatever a client wants.
#[derive(Clone)]
struct Door {
    access: Arc<Access>,
    refused: Arc<AtomicU64>,
}

impl Door {
    fn authenticate(&self, info: &ConnectInfo) -> AuthResult {
        let access = &self.access;
        let user = info.username().map(AsRef::as_ref);
        let password = info.password().map(AsRef::as_ref);
        let Some(visitor) = access.admit(user, password) else {
            // Whoever is refused tries again and again.
            if self.refused.fetch_add(1, Ordering::Relaxed).is_multiple_of(REFUSALS_A_LINE) {
                tracing::warn!(user, from = ?info.ipaddress(), "the broker refuses a wrong name or password");
            }
            return AuthResult::BadUsernameOrPassword;
        };
        // The library publishes a will without asking again.
        let will = info.last_will().map(|will| match will {
            LastWill::V3(will) => will.topic.to_string(),
            LastWill::V5(will) => will.topic.to_string(),
        });
        if will.is_some_and(|topic| !access.may_publish(&visitor, &topic)) {
            return AuthResult::NotAuthorized;
        }
        AuthResult::Allow(false, None)
    }
}

#[async_trait]
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "it is asked about what it is registered for, and nothing else"
)]
impl Handler for Door {
    async fn hook(&self, asked: &Parameter, before: Option<HookResult>) -> ReturnType {
        let access = &self.access;
        let answer = match asked {
            Parameter::ClientAuthenticate(info) => HookResult::AuthResult(self.authenticate(info)),
            Parameter::ClientSubscribeCheckAcl(session, subscribe) => {
                let visitor = access.known(session.id.username.as_ref().map(AsRef::as_ref));
                let may = visitor.is_some_and(|it| access.may_subscribe(&it, &subscribe.topic_filter));
                HookResult::SubscribeAclResult(if may {
                    SubscribeAclResult::new_success(subscribe.opts.qos(), None)
                } else {
                    SubscribeAclResult::new_failure(SubscribeAckReason::NotAuthorized)
                })
            }
            Parameter::MessagePublishCheckAcl(session, publish) => {
                let visitor = access.known(session.id.username.as_ref().map(AsRef::as_ref));
                let may = visitor.is_some_and(|it| access.may_publish(&it, &publish.topic));
                HookResult::PublishAclResult(if may {
                    PublishAclResult::allow()
                } else {
                    // Whoever tries has no business here, or was sent away.
                    PublishAclResult::rejected(true, None)
                })
            }
            _ => return (true, before),
        };
        (false, Some(answer))
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
