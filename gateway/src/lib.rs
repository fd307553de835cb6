//! A gateway: serial ports to a durable store to MQTT, and commands back. Knows no Xiangqi.
//!
//! ```text
//!  port ─bytes─► [Hub] ─observations─► [Store] ─durable─► uplink ─sealed, QoS 1─► broker ─► server
//!       ◄─acks── (who is it,           (fsync, then       (Outbox)
//!                 next number, time)    ack)              ◄─acks, commands──────
//! ```
//!
//! * [`Hub`] decides (sans I/O): identities, numbers, time, acknowledgements, commands.
//! * [`Host`] decides (sans I/O): who has the floor on a line that many devices share.
//! * [`Upstream`] decides (sans I/O): what goes to the server when, what its answers mean.
//! * [`store`] keeps: append-only segments, synced before anything is acknowledged, deleted once the server has them.
//! * [`run`] is the shell around them: one task per port, one for the hub, one for the uplink, a thread for the disk.
//!
//! What happens when something fails is in the package's README.

mod config;
pub mod dial;
pub mod enrol;
mod fetch;
mod hub;
mod lines;
mod links;
mod list;
mod logging;
mod metrics;
pub mod mqtt;
mod ports;
mod rate;
mod run;
mod shared;
mod shell;
mod socket;
pub mod store;
mod sync;
pub mod tls;
mod uplink;
mod upstream;

pub use config::{BrokerUrl, Config, ConfigError, misread};
pub use enrol::{Admission, Application, Token};
pub use hub::{CannotUpdate, Hub, Now, Output, PortId};
pub use links::Light;
pub use list::{PortReport, list};
pub use logging::log_to_stderr;
pub use run::{GatewayError, run};
pub use shared::{Event, Host, MEMBERS};
pub use socket::{AskError, Running, UpdateReport};
pub use sync::ClockEstimate;
pub use tls::{Pin, Trust, TrustError};
pub use upstream::{Delivery, Heard, Identity, Publication, Upstream};
