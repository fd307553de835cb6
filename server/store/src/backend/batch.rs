//! A batch: observations, entries and cursors, written in one transaction.

use firmware_proto::Sighting;
use sqlx::{Connection, QueryBuilder};

use super::{Backend, Pen, Pool};
use crate::journal::chained;
use crate::{Cursor, Kept, Line, StoreError, postgres, sql};

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
