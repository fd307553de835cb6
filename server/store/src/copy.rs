//! Looking at a database from outside, also while a server runs on it: its copy, its check.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgPool};

use crate::backend::{Backend, Pool};
use crate::journal::{ROOT, chained};
use crate::{Database, Enrolled, Kept, Line, PostgresUrl, Range, StoreError, transfer};
use firmware_proto::{DeviceUid, Epoch, GatewayId};

/// A transaction that sees everything as it was at its beginning.
const ONE_INSTANT: &str = "begin isolation level repeatable read read only";

/// A line of the journal with the hash that covers it and all before it.
pub type Link = (Line, [u8; 32]);

/// A database that is only looked at. A server may run on it meanwhile.
#[derive(Debug)]
pub struct Look {
    backend: Backend,
}

impl Look {
    /// Opens an SQLite file to look at it.
    pub async fn at(path: &Path) -> Result<Look, StoreError> {
        let at = path.display().to_string();
        let open = |why: &dyn std::fmt::Display| StoreError::Open { at: at.clone(), why: why.to_string() };
        if !path.is_file() {
            return Err(open(&"there is no such file"));
        }
        // A reader of a file in WAL mode writes the index beside it, so it is not opened read-only; nothing here writes
        // to a table.
        let options = SqliteConnectOptions::new().filename(path).busy_timeout(Duration::from_secs(10));
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options)
            .await
            .map_err(|why| open(&why))?;
        Ok(Look { backend: Backend { pool: Pool::Sqlite(pool), at } })
    }

    /// Connects to a PostgreSQL database to look at it.
    pub async fn connect(url: &PostgresUrl) -> Result<Look, StoreError> {
        Ok(Look { backend: crate::postgres::look(url).await? })
    }

    /// Where the pages of the server are that started last; `None`: none has.
    pub async fn last_pages(&self) -> Result<Option<String>, StoreError> {
        self.backend.last_pages().await
    }

    /// Who may bring observations.
    pub async fn gateways(&self) -> Result<Vec<Enrolled>, StoreError> {
        self.backend.gateways().await
    }

    /// The whole journal, checked: its numbers, and that each line follows from the one before.
    pub async fn chain(&self) -> Result<Vec<Link>, StoreError> {
        const PAGE: u32 = 4096;
        let mut all: Vec<Link> = Vec::new();
        loop {
            let page = self.backend.entries(all.len() as u64 + 1, PAGE).await?;
            let last = page.len() < PAGE as usize;
            for (line, kept) in page {
                let former = all.last().map_or(ROOT, |(_, hash)| *hash);
                if line.no != all.len() as u64 + 1 || chained(&former, &line) != kept {
                    return Err(StoreError::Chain { at: self.backend.at.clone(), no: all.len() as u64 + 1 });
                }
                all.push((line, kept));
            }
            if last {
                return Ok(all);
            }
        }
    }

    /// How many observations there are.
    pub async fn observations(&self) -> Result<u64, StoreError> {
        self.backend.last_observation().await
    }

    /// The first observations after a number, so many at most.
    pub async fn observations_after(&self, no: u64, at_most: u32) -> Result<Vec<Kept>, StoreError> {
        self.backend.observations(no + 1, at_most).await
    }

    /// Which records are there, as runs without a gap.
    pub async fn record_ranges(&self) -> Result<Vec<Range>, StoreError> {
        self.backend.record_ranges().await
    }

    /// Every device ever seen: its number, the gateway that saw it attached last, and when.
    pub async fn devices(&self) -> Result<Vec<(DeviceUid, GatewayId, Epoch)>, StoreError> {
        self.backend.devices().await
    }

    /// Writes a copy of the present state, whole and by itself, to a file that must not be there yet. It is on the disk
    /// when this returns.
    pub async fn copy_to(&self, to: &Path) -> Result<(), StoreError> {
        let at = to.display().to_string();
        let write = |why: &dyn std::fmt::Display| StoreError::Write { at: at.clone(), why: why.to_string() };
        if to.exists() {
            return Err(write(&"there is a file of that name already"));
        }
        let mut partial = to.as_os_str().to_owned();
        partial.push(".partial");
        let partial = Path::new(&partial);
        // Left by a copy that was interrupted.
        let _none = std::fs::remove_file(partial);
        match &self.backend.pool {
            Pool::Sqlite(pool) => {
                let name = partial.to_str().ok_or_else(|| write(&"its name is no Unicode"))?;
                let done = sqlx::query("vacuum into $1").bind(name).execute(pool).await;
                done.map_err(|why| write(&why))?;
            }
            Pool::Postgres(pool) => copy_out(pool, partial).await?,
        }
        sync(partial).and_then(|()| std::fs::rename(partial, to)).map_err(|why| write(&why))?;
        sync(to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
            .map_err(|why| write(&why))
    }

    /// Lets go of it.
    pub async fn close(self) {
        self.backend.close().await;
    }
}

fn sync(path: &Path) -> std::io::Result<()> {
    std::fs::File::open(path)?.sync_all()
}

/// All of a PostgreSQL database, as it is at one instant, into a new SQLite file.
async fn copy_out(pool: &PgPool, to: &Path) -> Result<(), StoreError> {
    let at = to.display().to_string();
    let write = |why: sqlx::Error| StoreError::Write { at: at.clone(), why: why.to_string() };
    let copy = crate::sqlite::connect(to).await?;
    if let Pool::Sqlite(file) = &copy.pool {
        let mut from = pool.begin_with(ONE_INSTANT).await.map_err(write)?;
        let mut into = file.begin().await.map_err(write)?;
        transfer::to_sqlite(&mut from, &mut into).await.map_err(write)?;
        into.commit().await.map_err(write)?;
    }
    // What is in its log goes into the file, which then stands by itself.
    copy.close().await;
    Ok(())
}

/// Brings a copy back: `database` becomes what `copy` is. What was there is kept beside it under the name that is
/// returned (a file, or a schema of PostgreSQL). Refused while a server runs on it, or if the copy is damaged.
pub async fn restore(copy: &Path, database: &Database, stamp: u64) -> Result<Option<String>, StoreError> {
    let look = Look::at(copy).await?;
    look.chain().await?;
    look.close().await;
    match database {
        Database::File(file) => {
            restore_file(copy, file, stamp).map(|before| before.map(|it| it.display().to_string()))
        }
        Database::Postgres(url) => restore_postgres(copy, url, stamp).await,
    }
}

fn restore_file(copy: &Path, database: &Path, stamp: u64) -> Result<Option<PathBuf>, StoreError> {
    let at = database.display().to_string();
    let write = |why: std::io::Error| StoreError::Write { at: at.clone(), why: why.to_string() };
    let _lock = crate::sqlite::lock(database, &at)?;
    let beside = |suffix: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let partial = beside(".partial");
    std::fs::copy(copy, &partial).map_err(write)?;
    sync(&partial).map_err(write)?;
    let before = database.exists().then(|| beside(&format!(".before-{stamp}")));
    if let Some(before) = &before {
        // What is in the write-ahead log belongs to it.
        for part in ["-wal", "-shm"] {
            let from = beside(part);
            if from.exists() {
                let mut to = before.as_os_str().to_owned();
                to.push(part);
                std::fs::rename(from, to).map_err(write)?;
            }
        }
        std::fs::rename(database, before).map_err(write)?;
    }
    std::fs::rename(&partial, database).map_err(write)?;
    sync(database.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
        .map_err(write)?;
    Ok(before)
}

/// The tables that are there are moved into a schema of their own; then new ones are filled, in one transaction.
async fn restore_postgres(copy: &Path, url: &PostgresUrl, stamp: u64) -> Result<Option<String>, StoreError> {
    let at = url.to_string();
    let write = |why: sqlx::Error| StoreError::Write { at: at.clone(), why: why.to_string() };
    let options = url.options().map_err(write)?;
    let mut owner = options.connect().await.map_err(write)?;
    if !crate::postgres::lock(&mut owner).await.map_err(write)? {
        return Err(StoreError::InUse { at });
    }
    // Also brings an older database's tables to this program's form, so that all of them are there to be moved.
    crate::postgres::connect(url).await?.close().await;
    let used: bool =
        sqlx::query_scalar("select exists (select 1 from journal) or exists (select 1 from observation)")
            .fetch_one(&mut owner)
            .await
            .map_err(write)?;
    let before = used.then(|| format!("before_{stamp}"));
    let mut aside = owner.begin().await.map_err(write)?;
    if let Some(schema) = &before {
        // The name is made of digits and our own letters.
        sqlx::query(AssertSqlSafe(format!("create schema {schema}")))
            .execute(&mut *aside)
            .await
            .map_err(write)?;
    }
    for table in transfer::TABLES.into_iter().chain(["_sqlx_migrations"]) {
        let statement = match &before {
            Some(schema) => format!("alter table {table} set schema {schema}"),
            None => format!("drop table {table}"),
        };
        sqlx::query(AssertSqlSafe(statement)).execute(&mut *aside).await.map_err(write)?;
    }
    aside.commit().await.map_err(write)?;
    crate::postgres::connect(url).await?.close().await;
    // A copy of an older chuhe gets today's tables first, in a file of its own.
    let folder = tempfile::tempdir().map_err(|why| write(sqlx::Error::Io(why)))?;
    let today = folder.path().join("copy.db");
    std::fs::copy(copy, &today).map_err(|why| write(sqlx::Error::Io(why)))?;
    let source = crate::sqlite::connect(&today).await?;
    if let Pool::Sqlite(file) = &source.pool {
        let mut from = file.acquire().await.map_err(write)?;
        let mut into = owner.begin().await.map_err(write)?;
        transfer::to_postgres(&mut from, &mut into).await.map_err(write)?;
        into.commit().await.map_err(write)?;
    }
    source.close().await;
    crate::postgres::unlock(owner).await.map_err(write)?;
    Ok(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Store};

    fn line(no: u64) -> Line {
        Line {
            no, at: Epoch(no as i64), by: "\"hall\"".into(), version: 1, fact: format!("{{\"炮\":{no}}}")
        }
    }

    fn database(path: &Path) -> Database {
        Database::File(path.to_owned())
    }

    async fn keep(store: &Store, entries: std::ops::RangeInclusive<u64>) {
        store.commit(Batch { entries: entries.map(line).collect(), ..Batch::default() }).await.unwrap();
    }

    #[tokio::test]
    async fn a_copy_made_while_the_store_is_written_to_is_whole_and_can_be_brought_back() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("event.db"), folder.path().join("copy.db"));
        let store = Store::open(&path).await.unwrap();
        keep(&store, 1..=40).await;
        let look = Look::at(&path).await.unwrap();
        let writing = tokio::spawn({
            let store = store.clone();
            async move {
                for no in 41..=140 {
                    keep(&store, no..=no).await;
                }
            }
        });
        look.copy_to(&copy).await.unwrap();
        writing.await.unwrap();
        let again = look.copy_to(&copy).await.unwrap_err().to_string();
        assert!(again.contains("already"), "{again}");

        let refused = restore(&copy, &database(&path), 7).await.unwrap_err();
        assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
        look.close().await;
        store.close().await;

        let before = restore(&copy, &database(&path), 7).await.unwrap().unwrap();
        let store = Store::open(&path).await.unwrap();
        let entries = store.last_entry().await.unwrap();
        assert!((40..=140).contains(&entries), "{entries}");
        assert_eq!(store.journal(1).await.unwrap(), (1..=entries).map(line).collect::<Vec<_>>());
        // It goes on from there.
        keep(&store, entries + 1..=entries + 1).await;
        store.close().await;
        let look = Look::at(Path::new(&before)).await.unwrap();
        assert_eq!(look.chain().await.unwrap().len(), 140, "what was there is kept");
        look.close().await;
    }

    #[tokio::test]
    async fn a_damaged_copy_is_not_brought_back() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("event.db"), folder.path().join("copy.db"));
        let store = Store::open(&path).await.unwrap();
        keep(&store, 1..=5).await;
        let look = Look::at(&path).await.unwrap();
        look.copy_to(&copy).await.unwrap();
        look.close().await;
        store.close().await;
        let file = sqlx::SqlitePool::connect(copy.to_str().unwrap()).await.unwrap();
        sqlx::query("update journal set actor = 'x' where no = 2").execute(&file).await.unwrap();
        file.close().await;
        let refused = restore(&copy, &database(&path), 7).await.unwrap_err();
        assert!(matches!(refused, StoreError::Chain { no: 2, .. }), "{refused}");
        let store = Store::open(&path).await.unwrap();
        assert_eq!(store.last_entry().await.unwrap(), 5, "nothing was touched");
    }
}
