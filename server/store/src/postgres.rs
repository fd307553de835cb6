//! PostgreSQL: an event that several processes can take over from each other; one of them owns it at a time.

use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection, PgConnection};

use crate::StoreError;
use crate::backend::{Backend, Pool};

/// The advisory lock of whoever owns the event in a database.
const OWNER: i64 = 0x6368_7568_6531;

/// Connects, brings the tables to this program's form, and takes the event's lock. The lock lives as long as the
/// connection that comes with it; when its process ends, another may take it.
pub(crate) async fn open(url: &str) -> Result<(Backend, PgConnection), StoreError> {
    let at = without_password(url);
    let open = |why: sqlx::Error| StoreError::Open { at: at.clone(), why: why.to_string() };
    let mut owner = PgConnection::connect(url).await.map_err(open)?;
    let owned: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
        .bind(OWNER)
        .fetch_one(&mut owner)
        .await
        .map_err(open)?;
    if !owned {
        return Err(StoreError::InUse { at });
    }
    let pool = PgPoolOptions::new().max_connections(4).connect(url).await.map_err(open)?;
    sqlx::migrate!("migrations/postgres")
        .run(&pool)
        .await
        .map_err(|why| StoreError::Migrate { at: at.clone(), why: why.to_string() })?;
    Ok((Backend { pool: Pool::Postgres(pool), at }, owner))
}

/// The address for messages: a password in it is nobody's business.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    match rest.rsplit_once('@') {
        Some((who, place)) => {
            let user = who.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{place}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn messages_do_not_show_a_password() {
        assert_eq!(without_password("postgres://chuhe:secret@db/event"), "postgres://chuhe@db/event");
        assert_eq!(without_password("postgres://db/event"), "postgres://db/event");
    }
}
