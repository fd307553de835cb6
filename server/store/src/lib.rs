//! The only place with SQL: observations, journal, cursors, devices and accounts of one event.
//!
//! A [`Batch`] is one transaction: what devices said, what was concluded from it, and how far each gateway's stream
//! is now done. [`Store::submit`] hands a batch to the one writer, which commits whatever waits together (group
//! commit) and reports each batch when it is on the disk. What a batch promises to the outside (acknowledgements,
//! commands, views) may leave the process only then.
//!
//! SQLite is the default; PostgreSQL sits behind the feature `postgres`. Both run the same statements ([`sql`]) and
//! the same contract test. The store knows no Xiangqi: to it a fact of the journal is a text.

mod backend;
mod batch;
mod copy;
mod error;
mod journal;
#[cfg(feature = "postgres")]
mod postgres;
mod sql;
mod sqlite;
mod writer;

#[cfg(test)]
mod contract;

pub use batch::{Account, Batch, Cursor, Kept, Range, SignedIn};
pub use copy::{Link, Look, restore};
pub use error::StoreError;
pub use journal::{JOURNAL_VERSION, Line};
pub use writer::{Committed, Store};
