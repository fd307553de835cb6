//! Looking at a database from outside, also while a server runs on it: its copy, its check.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

use crate::backend::{Backend, Pool};
use crate::journal::{ROOT, chained};
use crate::{Line, Range, StoreError};
use firmware_proto::{DeviceUid, Epoch, GatewayId};

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
        #[allow(clippy::infallible_destructuring_match, reason = "there are two with the feature postgres")]
        let pool = match &self.backend.pool {
            Pool::Sqlite(pool) => pool,
            #[cfg(feature = "postgres")]
            Pool::Postgres(_) => return Err(write(&"a PostgreSQL database is copied by pg_dump")),
        };
        if to.exists() {
            return Err(write(&"there is a file of that name already"));
        }
        let mut partial = to.as_os_str().to_owned();
        partial.push(".partial");
        let partial = Path::new(&partial);
        // Left by a copy that was interrupted.
        let _none = std::fs::remove_file(partial);
        let name = partial.to_str().ok_or_else(|| write(&"its name is no Unicode"))?;
        sqlx::query("vacuum into $1").bind(name).execute(pool).await.map_err(|why| write(&why))?;
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

/// Brings a copy back: `database` becomes what `copy` is. What was there is kept beside it under the name that is
/// returned. Refused while a server runs on it, or if the copy is damaged.
pub async fn restore(
    copy: &Path,
    database: &Path,
    stamp: u64,
) -> Result<Option<std::path::PathBuf>, StoreError> {
    let look = Look::at(copy).await?;
    look.chain().await?;
    look.close().await;
    let at = database.display().to_string();
    let write = |why: std::io::Error| StoreError::Write { at: at.clone(), why: why.to_string() };
    let _lock = crate::sqlite::lock(database, &at)?;
    let beside = |suffix: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        std::path::PathBuf::from(name)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Store};

    fn line(no: u64) -> Line {
        Line {
            no, at: Epoch(no as i64), by: "\"hall\"".into(), version: 1, fact: format!("{{\"炮\":{no}}}")
        }
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

        let refused = restore(&copy, &path, 7).await.unwrap_err();
        assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
        look.close().await;
        store.close().await;

        let before = restore(&copy, &path, 7).await.unwrap().unwrap();
        let store = Store::open(&path).await.unwrap();
        let entries = store.last_entry().await.unwrap();
        assert!((40..=140).contains(&entries), "{entries}");
        assert_eq!(store.journal(1).await.unwrap(), (1..=entries).map(line).collect::<Vec<_>>());
        // It goes on from there.
        keep(&store, entries + 1..=entries + 1).await;
        store.close().await;
        let look = Look::at(&before).await.unwrap();
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
        let refused = restore(&copy, &path, 7).await.unwrap_err();
        assert!(matches!(refused, StoreError::Chain { no: 2, .. }), "{refused}");
        let store = Store::open(&path).await.unwrap();
        assert_eq!(store.last_entry().await.unwrap(), 5, "nothing was touched");
    }
}
