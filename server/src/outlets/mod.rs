//! What the public state is sent to by itself: MQTT topics for third parties and for nodes, and addresses that are called when a round
//! is finished. Both read the public's hub, so what is delayed or hidden is so here too.

mod tables;
mod telling;
mod views;
mod webhook;

pub use tables::publish;
pub(crate) use telling::Telling;
pub use views::tell_nodes;
pub use webhook::Webhook;
pub(crate) use webhook::push;
