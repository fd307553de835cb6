//! PostgreSQL: an event that processes on several machines can take over from each other; one of them owns it at a time.
//!
//! Who owns it is PostgreSQL's word: an advisory lock, which lives as long as the connection that took it. Batches are
//! written on that very connection. So whoever lost the lock cannot write any more, whatever he believes; and who takes
//! it sees all that was written before. PostgreSQL itself ends the connection of an owner that died, was cut off, or
//! stands still, within [`LEASE`].

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, PgConnection};

use crate::backend::{Backend, Pen, Pool};
use crate::database::PostgresUrl;
use crate::{Store, StoreError, schema};

/// The advisory lock of whoever owns the event in a database.
const OWNER: i64 = 0x6368_7568_6531;

/// An owner that says nothing for so long has lost the event.
pub(crate) const LEASE: Duration = Duration::from_secs(5);

/// How long an answer may take at all.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// SQLSTATEs of a server that starts, ends or has no place: it will be there again. (The other refusals, such as a wrong
/// password, want a person.)
const PASSING: [&str; 5] = ["57P01", "57P02", "57P03", "57P05", "53300"];

impl Store {
    /// Connects to the PostgreSQL database of an event and takes it into possession.
    pub async fn connect(url: &PostgresUrl) -> Result<Store, StoreError> {
        let at = url.to_string();
        let failed = |why: sqlx::Error| unreachable(&at, &why);
        let mut owner = within(options(url).map_err(failed)?.connect()).await.map_err(failed)?;
        if !lock(&mut owner).await.map_err(failed)? {
            return Err(StoreError::InUse { at });
        }
        Store::start(connect(url).await?, Pen::Postgres(owner)).await
    }
}

/// Takes the event's lock for this connection; `false`: another has it.
pub(crate) async fn lock(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    within(sqlx::query_scalar("select pg_try_advisory_lock($1)").bind(OWNER).fetch_one(connection)).await
}

/// Gives the event's lock back: the connection's end would do so too, but a moment after it.
pub(crate) async fn unlock(mut connection: PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("select pg_advisory_unlock($1)").bind(OWNER).execute(&mut connection).await?;
    connection.close().await
}

/// Connects beside whoever owns the event, and brings the tables to this program's form.
pub(crate) async fn connect(url: &PostgresUrl) -> Result<Backend, StoreError> {
    let backend = look(url).await?;
    if let Pool::Postgres(pool) = &backend.pool {
        schema::postgres()
            .run(pool)
            .await
            .map_err(|why| StoreError::Migrate { at: backend.at.clone(), why: why.to_string() })?;
    }
    Ok(backend)
}

/// Connects beside whoever owns the event, and leaves everything as it is.
pub(crate) async fn look(url: &PostgresUrl) -> Result<Backend, StoreError> {
    let at = url.to_string();
    let failed = |why: sqlx::Error| unreachable(&at, &why);
    let pool = PgPoolOptions::new().max_connections(4).acquire_timeout(PATIENCE);
    let pool = pool.connect_with(url.options().map_err(failed)?).await.map_err(failed)?;
    Ok(Backend { pool: Pool::Postgres(pool), at })
}

/// A connection that can own: PostgreSQL notices when its other end is gone or stands still.
pub(crate) fn options(url: &PostgresUrl) -> Result<PgConnectOptions, sqlx::Error> {
    let lease = LEASE.as_millis().to_string();
    Ok(url.options()?.options([
        ("idle_session_timeout", lease.as_str()),
        ("idle_in_transaction_session_timeout", lease.as_str()),
        ("tcp_user_timeout", lease.as_str()),
        ("tcp_keepalives_idle", "2"),
        ("tcp_keepalives_interval", "1"),
        ("tcp_keepalives_count", "3"),
    ]))
}

/// An answer that does not come is a fault like any other.
pub(crate) async fn within<T>(
    answer: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(sqlx::Error::Io(std::io::Error::other(format!("no answer within {PATIENCE:?}")))),
    }
}

fn unreachable(at: &str, why: &sqlx::Error) -> StoreError {
    let (at, refusal) = (at.to_owned(), why.as_database_error().and_then(|error| error.code()));
    match refusal {
        Some(code) if !PASSING.contains(&code.as_ref()) => StoreError::Refused { at, why: why.to_string() },
        Some(_) | None => StoreError::Away { at, why: why.to_string() },
    }
}
