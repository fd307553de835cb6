//! The only place with SQL: observations, journal, cursors, devices and accounts of one event.
//!
//! A [`Batch`] is one transaction: what devices said, what was concluded from it, and how far each gateway's stream
//! is now done. [`Store::submit`] hands a batch to the one writer, which commits whatever waits together (group
//! commit) and reports each batch when it is on the disk. What a batch promises to the outside (acknowledgements,
//! commands, views) may leave the process only then.
//!
//! A [`Database`] is an SQLite file or a PostgreSQL database. Both run the same statements ([`sql`]) and keep the same
//! contract test; a copy of either ([`Look::copy_to`]) is an SQLite file and can be brought back to either ([`restore`]).
//! The store knows no Xiangqi: to it a fact of the journal is a text.

mod backend;
mod batch;
mod copy;
mod database;
mod error;
mod journal;
mod postgres;
mod roll;
mod schema;
mod sql;
mod sqlite;
mod transfer;
mod writer;

#[cfg(test)]
mod contract;

pub use batch::{Account, Batch, Cursor, Kept, Range, SignedIn};
pub use copy::{Link, Look, restore};
pub use database::{BadPostgresUrl, Database, PostgresUrl};
pub use error::StoreError;
pub use journal::{JOURNAL_VERSION, Line};
pub use roll::{Enrolled, KeptKey, Roll, Standing};
pub use writer::{Committed, Store};
