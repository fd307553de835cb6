//! One database of either kind: every statement runs through here, each written once for both.

use std::fs::File;

use firmware_proto::{BootId, DeviceUid, Epoch, GatewayId, Hello, Observation, Seq, Session, StreamSeq};
use sqlx::{Connection, PgConnection};

use crate::{Cursor, Kept, Line, Range, StoreError, postgres, sql};

/// The pool of one database.
#[derive(Clone, Debug)]
pub(crate) enum Pool {
    Sqlite(sqlx::SqlitePool),
    Postgres(sqlx::PgPool),
}

/// What writes batches. As long as it lives it keeps other processes from writing any.
#[derive(Debug)]
pub(crate) enum Pen {
    /// The locked file beside the database; the pool writes.
    Sqlite(File),
    /// The connection that holds the event's lock: when it breaks, the lock is gone, and so is the pen.
    Postgres(PgConnection),
}

impl Pen {
    /// Lays it down: another may take it at once.
    pub(crate) async fn lay_down(self) {
        match self {
            Pen::Sqlite(lock) => drop(lock),
            // If it cannot say goodbye, its end is noticed all the same.
            Pen::Postgres(connection) => drop(postgres::within(postgres::unlock(connection)).await),
        }
    }

    /// Whether it still writes.
    pub(crate) async fn stroke(&mut self) -> Result<(), sqlx::Error> {
        match self {
            Pen::Sqlite(_) => Ok(()),
            Pen::Postgres(connection) => postgres::within(connection.ping()).await,
        }
    }
}

/// A database and how messages call it.
#[derive(Clone, Debug)]
pub(crate) struct Backend {
    pub(crate) pool: Pool,
    pub(crate) at: String,
}

/// Runs the same lines against whichever database it is.
macro_rules! on_pool {
    ($backend:expr, |$pool:ident| $body:expr) => {
        match &$backend.pool {
            Pool::Sqlite($pool) => $body,
            Pool::Postgres($pool) => $body,
        }
    };
}

// After the macro, which they use.
mod accounts;
mod batch;
mod gateways;

impl Backend {
    fn read(&self, why: sqlx::Error) -> StoreError {
        StoreError::Read { at: self.at.clone(), why: why.to_string() }
    }

    fn wrote(&self, why: sqlx::Error) -> StoreError {
        StoreError::Write { at: self.at.clone(), why: why.to_string() }
    }

    fn damaged(&self, what: String, why: impl ToString) -> StoreError {
        StoreError::Damaged { at: self.at.clone(), what, why: why.to_string() }
    }

    fn gateway(&self, name: String) -> Result<GatewayId, StoreError> {
        GatewayId::new(name).map_err(|why| self.damaged("a gateway's name".into(), why))
    }

    pub(crate) async fn last_observation(&self) -> Result<u64, StoreError> {
        let id: i64 = on_pool!(self, |pool| sqlx::query_scalar(sql::LAST_OBSERVATION).fetch_one(pool).await)
            .map_err(|why| self.read(why))?;
        Ok(id as u64)
    }

    /// Number and hash of the last entry.
    pub(crate) async fn last_entry(&self) -> Result<Option<(u64, [u8; 32])>, StoreError> {
        let row: Option<(i64, Vec<u8>)> =
            on_pool!(self, |pool| sqlx::query_as(sql::LAST_ENTRY).fetch_optional(pool).await)
                .map_err(|why| self.read(why))?;
        row.map(|(no, hash)| Ok((no as u64, self.hash(no, hash)?))).transpose()
    }

    /// The hash of an entry.
    pub(crate) async fn hash_of(&self, no: u64) -> Result<Option<[u8; 32]>, StoreError> {
        let hash: Option<Vec<u8>> = on_pool!(self, |pool| sqlx::query_scalar(sql::HASH_OF)
            .bind(no as i64)
            .fetch_optional(pool)
            .await)
        .map_err(|why| self.read(why))?;
        hash.map(|hash| self.hash(no as i64, hash)).transpose()
    }

    fn hash(&self, no: i64, hash: Vec<u8>) -> Result<[u8; 32], StoreError> {
        hash.try_into()
            .map_err(|_| self.damaged(format!("entry {no} of the journal"), "its hash has not 32 bytes"))
    }

    /// The entries from a number on, at most so many, each with its hash.
    pub(crate) async fn entries(&self, from: u64, limit: u32) -> Result<Vec<(Line, [u8; 32])>, StoreError> {
        let rows: Vec<(i64, i64, String, i64, String, Vec<u8>)> =
            on_pool!(self, |pool| sqlx::query_as(sql::ENTRIES_FROM)
                .bind(from as i64)
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await)
            .map_err(|why| self.read(why))?;
        rows.into_iter()
            .map(|(no, at, by, version, fact, hash)| {
                let hash = self.hash(no, hash)?;
                let version = u16::try_from(version)
                    .map_err(|why| self.damaged(format!("entry {no} of the journal"), why))?;
                Ok((Line { no: no as u64, at: Epoch(at), by, version, fact }, hash))
            })
            .collect()
    }

    pub(crate) async fn observations(&self, from: u64, limit: u32) -> Result<Vec<Kept>, StoreError> {
        let rows: Vec<(i64, String, i64, i64, Vec<u8>)> =
            on_pool!(self, |pool| sqlx::query_as(sql::OBSERVATIONS_FROM)
                .bind(from as i64)
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await)
            .map_err(|why| self.read(why))?;
        rows.into_iter()
            .map(|(id, gateway, session, stream_seq, payload)| {
                let observation: Observation = postcard::from_bytes(&payload)
                    .map_err(|why| self.damaged(format!("observation {id}"), why))?;
                Ok(Kept {
                    id: id as u64,
                    gateway: self.gateway(gateway)?,
                    session: Session(session as u64),
                    stream_seq: StreamSeq(stream_seq as u64),
                    observation,
                })
            })
            .collect()
    }

    pub(crate) async fn record_ranges(&self) -> Result<Vec<Range>, StoreError> {
        let rows: Vec<(i64, i64, i64, i64)> =
            on_pool!(self, |pool| sqlx::query_as(sql::RECORD_RANGES).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        Ok(rows
            .into_iter()
            .map(|(device, boot, first, last)| Range {
                device: DeviceUid(device as u64),
                boot: BootId(boot as u32),
                first: Seq(first as u32),
                last: Seq(last as u32),
            })
            .collect())
    }

    pub(crate) async fn cursors(&self) -> Result<Vec<Cursor>, StoreError> {
        let rows: Vec<(String, i64, i64)> =
            on_pool!(self, |pool| sqlx::query_as(sql::CURSORS).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        rows.into_iter()
            .map(|(gateway, session, upto)| {
                Ok(Cursor {
                    gateway: self.gateway(gateway)?,
                    session: Session(session as u64),
                    upto: StreamSeq(upto as u64),
                })
            })
            .collect()
    }

    /// Every device ever seen: its number, the gateway that saw it last, and when.
    pub(crate) async fn devices(&self) -> Result<Vec<(DeviceUid, GatewayId, Epoch)>, StoreError> {
        let rows: Vec<(i64, String, i64, String)> =
            on_pool!(self, |pool| sqlx::query_as(sql::DEVICES).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        rows.into_iter()
            .map(|(uid, gateway, seen, _hello)| {
                Ok((DeviceUid(uid as u64), self.gateway(gateway)?, Epoch(seen)))
            })
            .collect()
    }

    /// What every device ever seen said of itself last, as far as that can be read.
    pub(crate) async fn hellos(&self) -> Result<Vec<Hello>, StoreError> {
        let rows: Vec<(i64, String, i64, String)> =
            on_pool!(self, |pool| sqlx::query_as(sql::DEVICES).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        Ok(rows.iter().filter_map(|(.., hello)| serde_json::from_str(hello).ok()).collect())
    }

    /// A number above all that were given before, and not below `at_least`.
    pub(crate) async fn begin(&self, at_least: u64, pages: &str) -> Result<u64, StoreError> {
        let last: i64 = on_pool!(self, |pool| sqlx::query_scalar(sql::LAST_START).fetch_one(pool).await)
            .map_err(|why| self.read(why))?;
        let life = at_least.max(last as u64 + 1);
        on_pool!(self, |pool| sqlx::query(sql::INSERT_START)
            .bind(life as i64)
            .bind(pages)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))?;
        Ok(life)
    }

    /// Where the pages of the last start are, if there was one.
    pub(crate) async fn last_pages(&self) -> Result<Option<String>, StoreError> {
        on_pool!(self, |pool| sqlx::query_scalar(sql::LAST_PAGES).fetch_optional(pool).await)
            .map_err(|why| self.read(why))
    }

    pub(crate) async fn close(&self) {
        on_pool!(self, |pool| pool.close().await);
    }
}
