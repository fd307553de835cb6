//! The server: configuration, broker, ingest, tasks and the command line.
//!
//! Everything that decides is pure and lives elsewhere; here it is fed, kept and shown. [`server::Server`] is the
//! whole; [`ingest`] is its heart; [`cli`] is what people and scripts call.

pub mod broker;
pub mod cli;
pub mod config;
pub mod demo;
pub mod disk;
pub mod doors;
pub mod engine;
pub mod gateways;
pub mod ingest;
pub mod metrics;
pub mod mqtt;
pub mod node;
pub mod outlets;
pub mod people;
pub mod pilot;
pub mod post;
pub mod push;
pub mod seal;
pub mod server;
pub mod shelf;
pub mod standby;
mod steps;
pub mod time;
pub mod tls;
pub mod vault;
