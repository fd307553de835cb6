//! What the public state is sent to by itself: MQTT topics for third parties, and addresses that are called when a round
//! is finished. Both read the public's hub, so what is delayed or hidden is so here too.

mod tables;
mod webhook;

pub use tables::publish;
pub use webhook::Webhook;
pub(crate) use webhook::push;
