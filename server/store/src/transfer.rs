//! All rows of an event from one kind of database into the other, so that a copy of either is an SQLite file and comes
//! back into either.

use futures_util::TryStreamExt;
use sqlx::QueryBuilder;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;

/// Rows in one insert: nine columns of each stay below what a statement may bind.
const ROWS: usize = 500;

/// Copies a table, row by row in the order of its first column, from one connection to another. Names and types of the
/// columns are the same on both sides.
macro_rules! copy_table {
    ($from:expr, $to:expr, $table:literal ($first:ident: $first_type:ty $(, $column:ident: $type:ty)*)) => {{
        let mut rows = sqlx::query_as::<_, ($first_type, $($type,)*)>(concat!(
            "select ", stringify!($first) $(, ", ", stringify!($column))*, " from ", $table, " order by ", stringify!($first)
        ))
        .fetch(&mut *$from);
        let mut ended = false;
        while !ended {
            let mut some = Vec::with_capacity(ROWS);
            while some.len() < ROWS && !ended {
                match rows.try_next().await? {
                    Some(row) => some.push(row),
                    None => ended = true,
                }
            }
            if some.is_empty() {
                continue;
            }
            QueryBuilder::new(concat!(
                "insert into ", $table, " (", stringify!($first) $(, ", ", stringify!($column))*, ") "
            ))
            .push_values(some, |mut row, ($first, $($column,)*)| {
                row.push_bind($first)$(.push_bind($column))*;
            })
            .build()
            .execute(&mut *$to)
            .await?;
        }
    }};
}

/// Every table of an event.
macro_rules! copy_tables {
    ($from:expr, $to:expr) => {{
        copy_table!($from, $to, "observation"(id: i64, gateway: String, session: i64, stream_seq: i64, device: i64,
            boot: Option<i64>, seq: Option<i64>, at: i64, payload: Vec<u8>));
        copy_table!($from, $to, "journal"(no: i64, at: i64, actor: String, version: i64, fact: String, hash: Vec<u8>));
        copy_table!($from, $to, "cursor"(gateway: String, session: i64, upto: i64));
        copy_table!($from, $to, "device"(uid: i64, gateway: String, seen: i64, hello: String));
        copy_table!($from, $to, "account"(name: String, role: String, password: String));
        copy_table!($from, $to, "start"(life: i64, pages: String));
        copy_table!($from, $to, "session"(digest: String, account: String, began: i64, ends: i64));
        copy_table!($from, $to, "gateway"(name: String, standing: String, secret: String, at: i64));
        Ok(())
    }};
}

/// The tables, for whatever has to name them.
pub(crate) const TABLES: [&str; 8] =
    ["observation", "journal", "cursor", "device", "account", "start", "session", "gateway"];

/// From PostgreSQL into an SQLite file with empty tables.
pub(crate) async fn to_sqlite(from: &mut PgConnection, to: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    copy_tables!(from, to)
}

/// From an SQLite file into PostgreSQL's empty tables.
pub(crate) async fn to_postgres(
    from: &mut SqliteConnection,
    to: &mut PgConnection,
) -> Result<(), sqlx::Error> {
    copy_tables!(from, to)
}
