//! SQLite: one file, held by one process.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::StoreError;
use crate::backend::{Backend, Pool};

/// Opens the file, creates it if need be, and brings its tables to this program's form. The lock that comes with it
/// keeps other processes out for as long as it lives; readers that only look may open the file all the same.
pub(crate) async fn open(path: &Path) -> Result<(Backend, File), StoreError> {
    let at = path.display().to_string();
    let lock = lock(path, &at)?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // Every commit is on the disk before it is reported: acknowledgements rest on it.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10))
        .foreign_keys(true);
    let pool = SqlitePoolOptions::new()
        .max_connections(4)
        .connect_with(options)
        .await
        .map_err(|why| StoreError::Open { at: at.clone(), why: why.to_string() })?;
    sqlx::migrate!("migrations/sqlite")
        .run(&pool)
        .await
        .map_err(|why| StoreError::Migrate { at: at.clone(), why: why.to_string() })?;
    Ok((Backend { pool: Pool::Sqlite(pool), at }, lock))
}

/// A file beside the database, locked by the operating system: a killed process leaves no lock behind.
pub(crate) fn lock(path: &Path, at: &str) -> Result<File, StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let open = |why: std::io::Error| StoreError::Open { at: at.to_owned(), why: why.to_string() };
    let file = File::options().create(true).truncate(false).write(true).open(&name).map_err(open)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { at: at.to_owned() }),
        Err(TryLockError::Error(why)) => Err(open(why)),
    }
}
