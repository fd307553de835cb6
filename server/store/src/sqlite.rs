//! SQLite: one file, held by one process.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::backend::{Backend, Pen, Pool};
use crate::{Store, StoreError, schema};

impl Store {
    /// Opens the SQLite file of an event, or creates it, and keeps other processes out.
    pub async fn open(path: &Path) -> Result<Store, StoreError> {
        let lock = lock(path, &path.display().to_string())?;
        let backend = connect(path).await?;
        Store::start(backend, Pen::Sqlite(lock)).await
    }
}

/// Opens the file beside whoever has it, creates it if need be, and brings its tables to this program's form.
pub(crate) async fn connect(path: &Path) -> Result<Backend, StoreError> {
    let at = path.display().to_string();
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
    schema::sqlite()
        .run(&pool)
        .await
        .map_err(|why| StoreError::Migrate { at: at.clone(), why: why.to_string() })?;
    Ok(Backend { pool: Pool::Sqlite(pool), at })
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
