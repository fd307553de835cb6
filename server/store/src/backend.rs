//! One database of either kind: every statement runs through here, each written once for both.

use std::fs::File;

use firmware_proto::{
    BootId, DeviceUid, Epoch, GatewayId, Hello, Observation, Seq, Session, Sighting, StreamSeq,
};
use sqlx::{Connection, PgConnection, QueryBuilder};

use crate::journal::chained;
use crate::{
    Account, Cursor, Enrolled, Kept, KeptKey, Line, Range, SignedIn, Standing, StoreError, postgres, sql,
};

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

/// Rows in one insert. A statement is prepared once for each length, so there are only these.
const CHUNKS: [usize; 3] = [64, 8, 1];

/// Cuts a slice into chunks of the lengths in [`CHUNKS`], longest first.
fn chunks<T>(mut rest: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = CHUNKS.into_iter().find(|size| *size <= rest.len())?;
        let (chunk, remaining) = rest.split_at(size);
        rest = remaining;
        Some(chunk)
    })
}

/// An observation, taken apart into its columns.
struct Columns<'a> {
    kept: &'a Kept,
    boot: Option<i64>,
    seq: Option<i64>,
    payload: Vec<u8>,
}

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

    pub(crate) async fn account(&self, name: &str) -> Result<Option<Account>, StoreError> {
        let row: Option<(String, String, String)> =
            on_pool!(self, |pool| sqlx::query_as(sql::ACCOUNT).bind(name).fetch_optional(pool).await)
                .map_err(|why| self.read(why))?;
        Ok(row.map(|(name, role, password)| Account { name, role, password }))
    }

    pub(crate) async fn set_account(&self, account: &Account) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::SET_ACCOUNT)
            .bind(&account.name)
            .bind(&account.role)
            .bind(&account.password)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        let rows: Vec<(String, String, String)> =
            on_pool!(self, |pool| sqlx::query_as(sql::ACCOUNTS).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        Ok(rows.into_iter().map(|(name, role, password)| Account { name, role, password }).collect())
    }

    pub(crate) async fn remove_account(&self, name: &str) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::REMOVE_ACCOUNT).bind(name).execute(pool).await.map(drop))
            .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn sessions(&self) -> Result<Vec<SignedIn>, StoreError> {
        let rows: Vec<(String, String, i64, i64)> =
            on_pool!(self, |pool| sqlx::query_as(sql::SESSIONS).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        let sessions = rows.into_iter().map(|(digest, account, began, ends)| SignedIn {
            digest,
            account,
            began: Epoch(began),
            ends: Epoch(ends),
        });
        Ok(sessions.collect())
    }

    pub(crate) async fn set_session(&self, session: &SignedIn) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::SET_SESSION)
            .bind(&session.digest)
            .bind(&session.account)
            .bind(session.began.0)
            .bind(session.ends.0)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn end_session(&self, digest: &str) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::END_SESSION).bind(digest).execute(pool).await.map(drop))
            .map_err(|why| self.wrote(why))
    }

    /// Where the pages of the last start are, if there was one.
    pub(crate) async fn last_pages(&self) -> Result<Option<String>, StoreError> {
        on_pool!(self, |pool| sqlx::query_scalar(sql::LAST_PAGES).fetch_optional(pool).await)
            .map_err(|why| self.read(why))
    }

    /// `false`: it is enrolled.
    pub(crate) async fn invite(
        &self,
        gateway: &GatewayId,
        digest: &str,
        until: Epoch,
    ) -> Result<bool, StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::INVITE)
            .bind(gateway.as_str())
            .bind(digest)
            .bind(until.0)
            .execute(pool)
            .await
            .map(|done| done.rows_affected() == 1))
        .map_err(|why| self.wrote(why))
    }

    /// `false`: there is no such invitation.
    pub(crate) async fn enrol(
        &self,
        gateway: &GatewayId,
        digest: &str,
        key: &KeptKey,
        now: Epoch,
    ) -> Result<bool, StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::ENROL)
            .bind(&key.0)
            .bind(now.0)
            .bind(gateway.as_str())
            .bind(digest)
            .execute(pool)
            .await
            .map(|done| done.rows_affected() == 1))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn keep_otherwise(
        &self,
        gateway: &GatewayId,
        before: &KeptKey,
        after: &KeptKey,
    ) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::KEEP_OTHERWISE)
            .bind(&after.0)
            .bind(gateway.as_str())
            .bind(&before.0)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn revoke(&self, gateway: &GatewayId, now: Epoch) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::REVOKE)
            .bind(gateway.as_str())
            .bind(now.0)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn gateways(&self) -> Result<Vec<Enrolled>, StoreError> {
        let rows: Vec<(String, String, String, i64)> =
            on_pool!(self, |pool| sqlx::query_as(sql::GATEWAYS).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        rows.into_iter()
            .map(|(name, standing, secret, at)| {
                let damaged = |why: &dyn std::fmt::Display| self.damaged(format!("gateway {name}"), why);
                let at = Epoch(at);
                let standing = match standing.as_str() {
                    "invited" => Standing::Invited { digest: secret, until: at },
                    "enrolled" => Standing::Enrolled { key: KeptKey(secret), since: at },
                    "revoked" => Standing::Revoked { since: at },
                    other => return Err(damaged(&format!("its standing is “{other}”"))),
                };
                Ok(Enrolled { gateway: self.gateway(name.clone())?, standing })
            })
            .collect()
    }

    /// Writes all this in one transaction. `hash` is the last entry's; returns the new last one's.
    pub(crate) async fn write(
        &self,
        pen: &mut Pen,
        observations: &[&Kept],
        entries: &[&Line],
        cursors: &[&Cursor],
        hash: [u8; 32],
    ) -> Result<[u8; 32], StoreError> {
        let columns: Vec<Columns<'_>> = observations
            .iter()
            .map(|kept| {
                let (boot, seq) = match kept.observation.sighting {
                    Sighting::Record(boot, record) => {
                        (Some(i64::from(boot.0)), Some(i64::from(record.seq.0)))
                    }
                    Sighting::Attached(_) | Sighting::Detached | Sighting::Done(_) | Sighting::Gap { .. } => {
                        (None, None)
                    }
                };
                let payload = postcard::to_stdvec(&kept.observation)
                    .map_err(|why| self.damaged(format!("observation {}", kept.id), why))?;
                Ok(Columns { kept, boot, seq, payload })
            })
            .collect::<Result<_, StoreError>>()?;
        let mut last = hash;
        let chain: Vec<(&Line, [u8; 32])> = entries
            .iter()
            .map(|line| {
                last = chained(&last, line);
                (*line, last)
            })
            .collect();
        self.transact(pen, &columns, &chain, cursors).await.map_err(|why| self.wrote(why))?;
        Ok(last)
    }

    async fn transact(
        &self,
        pen: &mut Pen,
        observations: &[Columns<'_>],
        entries: &[(&Line, [u8; 32])],
        cursors: &[&Cursor],
    ) -> Result<(), sqlx::Error> {
        /// The statements of a batch, inside whichever transaction.
        macro_rules! statements {
            ($transaction:expr) => {{
                let mut transaction = $transaction;
                for chunk in chunks(observations) {
                    QueryBuilder::new(sql::INSERT_OBSERVATIONS)
                        .push_values(chunk, |mut row, it| {
                            row.push_bind(it.kept.id as i64)
                                .push_bind(it.kept.gateway.as_str())
                                .push_bind(it.kept.session.0 as i64)
                                .push_bind(it.kept.stream_seq.0 as i64)
                                .push_bind(it.kept.observation.device.0 as i64)
                                .push_bind(it.boot)
                                .push_bind(it.seq)
                                .push_bind(it.kept.observation.at.0)
                                .push_bind(it.payload.as_slice());
                        })
                        .build()
                        .execute(&mut *transaction)
                        .await?;
                }
                for it in observations {
                    if let Sighting::Attached(hello) = &it.kept.observation.sighting {
                        let hello =
                            serde_json::to_string(hello).map_err(|why| sqlx::Error::Encode(why.into()))?;
                        sqlx::query(sql::SET_DEVICE)
                            .bind(it.kept.observation.device.0 as i64)
                            .bind(it.kept.gateway.as_str())
                            .bind(it.kept.observation.at.0)
                            .bind(hello)
                            .execute(&mut *transaction)
                            .await?;
                    }
                }
                for chunk in chunks(entries) {
                    QueryBuilder::new(sql::INSERT_ENTRIES)
                        .push_values(chunk, |mut row, (line, hash)| {
                            row.push_bind(line.no as i64)
                                .push_bind(line.at.0)
                                .push_bind(line.by.as_str())
                                .push_bind(i64::from(line.version))
                                .push_bind(line.fact.as_str())
                                .push_bind(hash.as_slice());
                        })
                        .build()
                        .execute(&mut *transaction)
                        .await?;
                }
                for cursor in cursors {
                    sqlx::query(sql::SET_CURSOR)
                        .bind(cursor.gateway.as_str())
                        .bind(cursor.session.0 as i64)
                        .bind(cursor.upto.0 as i64)
                        .execute(&mut *transaction)
                        .await?;
                }
                transaction.commit().await
            }};
        }
        match (&self.pool, pen) {
            // A transaction that begins by reading and then writes cannot wait for another writer; this one can.
            (Pool::Sqlite(pool), _) => statements!(pool.begin_with("begin immediate").await?),
            (Pool::Postgres(_), Pen::Postgres(owner)) => {
                postgres::within(async { statements!(owner.begin().await?) }).await
            }
            (Pool::Postgres(_), Pen::Sqlite(_)) => Err(sqlx::Error::PoolClosed),
        }
    }

    pub(crate) async fn close(&self) {
        on_pool!(self, |pool| pool.close().await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_everything_once_in_order() {
        for length in [0, 1, 7, 8, 9, 63, 64, 65, 200] {
            let items: Vec<usize> = (0..length).collect();
            assert_eq!(chunks(&items).flatten().copied().collect::<Vec<_>>(), items);
        }
    }
}
