//! The durable store: what devices said, on the disk before they may forget it, until the server has it.
//!
//! A folder of append-only segments, each named by the number of its first observation. A segment begins with a
//! checkpoint of everything that its predecessors told, so old ones are simply deleted. Each entry has its length
//! and a check sum; what a power cut left torn at the end of the newest segment was never acknowledged to anyone,
//! is cut off at the next start, and is sent again by the device.

mod entry;
mod segment;
#[cfg(test)]
mod tests;
pub(crate) mod writer;

use std::collections::VecDeque;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use firmware_proto::{Observation, Session, StreamSeq};

pub use entry::{Entry, Known};
use segment::{Scan, Segment};

/// A segment is closed when it is longer.
const SEGMENT_BYTES: u64 = 1 << 20;

/// So many closed segments stay although the server has all of them: a server that is restored from a copy of its
/// database gets again what it lost. 16 MiB are a day of a full row of tables several times over.
const HISTORY: usize = 16;

/// Why a store cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another gateway has it.
    #[error("{}: another gateway is using this store", .0.display())]
    Locked(PathBuf),
    /// A closed segment is damaged in its middle: not what a power cut does.
    #[error(
        "{}: damaged at byte {at}, in the middle of the stream: the disk is failing. Move the whole store folder \
         away (keep it for recovery) and start again with an empty one", path.display()
    )]
    Damaged {
        /// Which segment.
        path: PathBuf,
        /// Where its sound part ends.
        at: u64,
    },
    /// The disk says no.
    #[error("{}: {source}", path.display())]
    Io {
        /// On which path.
        path: PathBuf,
        /// What it says.
        source: std::io::Error,
    },
}

/// What opening a store found.
#[derive(Debug)]
pub struct Opened {
    /// The store.
    pub store: Store,
    /// Bytes of a torn tail that were cut off.
    pub torn: u64,
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    /// Held for as long as the store is open.
    _lock: File,
    known: Known,
    closed: VecDeque<Segment>,
    open: Segment,
    file: File,
    /// Whether the open segment's file may hold bytes behind its last whole entry (a write failed).
    dirty: bool,
    segment_bytes: u64,
}

impl Store {
    /// Opens the store in this folder, or makes one; a new one is of the session `now` (any number that grows with
    /// time). Counts a start.
    pub fn open(dir: &Path, now: Session) -> Result<Opened, StoreError> {
        Store::open_with(dir, now, SEGMENT_BYTES)
    }

    /// [`Store::open`] with segments of another length.
    pub fn open_with(dir: &Path, now: Session, segment_bytes: u64) -> Result<Opened, StoreError> {
        let io = |source| StoreError::Io { path: dir.to_owned(), source };
        std::fs::create_dir_all(dir).map_err(io)?;
        let lock = lock(dir)?;
        let mut closed = VecDeque::new();
        let mut last: Option<Scan> = None;
        let mut torn = 0;
        let mut paths = segments(dir).map_err(io)?.into_iter().peekable();
        while let Some(path) = paths.next() {
            let io = |source| StoreError::Io { path: path.clone(), source };
            let newest = paths.peek().is_none();
            match Segment::scan(path.clone()).map_err(io)? {
                Some(mut scan) if scan.torn == 0 || newest => {
                    if let Some(before) = last.take() {
                        if before.segment.end() != scan.segment.first {
                            return Err(StoreError::Damaged { path, at: 0 });
                        }
                        closed.push_back(before.segment);
                        scan.known.remember(before.known);
                    }
                    last = Some(scan);
                }
                // The power went while it was being begun: it holds nothing.
                None if newest => {
                    torn += std::fs::metadata(&path).map_err(io)?.len();
                    std::fs::remove_file(&path).map_err(io)?;
                }
                None => return Err(StoreError::Damaged { path, at: 0 }),
                Some(scan) => return Err(StoreError::Damaged { path, at: scan.segment.length }),
            }
        }
        let (known, open, file) = match last {
            Some(scan) => {
                let path = scan.segment.path.clone();
                let io = |source| StoreError::Io { path: path.clone(), source };
                let mut file = OpenOptions::new().write(true).open(&path).map_err(io)?;
                torn += scan.torn;
                file.set_len(scan.segment.length).map_err(io)?;
                file.sync_all().map_err(io)?;
                file.seek(SeekFrom::End(0)).map_err(io)?;
                (scan.known, scan.segment, file)
            }
            None => {
                let known = Known::new(now);
                let (segment, file) = Segment::create(dir, &known).map_err(io)?;
                (known, segment, file)
            }
        };
        let mut store = Store {
            dir: dir.to_owned(),
            _lock: lock,
            known,
            closed,
            open,
            file,
            dirty: false,
            segment_bytes,
        };
        store.append(&[Entry::Started])?;
        Ok(Opened { store, torn })
    }

    /// What the store knows of the past.
    #[must_use]
    pub const fn known(&self) -> &Known {
        &self.known
    }

    /// The first observation that is still kept; [`Known::next`] of a store that keeps none.
    #[must_use]
    pub fn oldest(&self) -> StreamSeq {
        self.closed.front().unwrap_or(&self.open).first
    }

    /// Appends entries, all or none, and returns when they are on the disk.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        // Before, not after: an error must mean that nothing was kept.
        if self.open.length > self.segment_bytes && self.open.count > 0 {
            self.rotate()?;
        }
        let mut bytes = vec![];
        let mut lengths = Vec::with_capacity(entries.len());
        for entry in entries {
            let before = bytes.len();
            entry::write(entry, &mut bytes);
            lengths.push((bytes.len() - before) as u64);
        }
        self.write_through(&bytes)
            .map_err(|source| StoreError::Io { path: self.open.path.clone(), source })?;
        for (entry, length) in entries.iter().zip(lengths) {
            self.known.learn(entry);
            self.open.note(entry, length);
        }
        Ok(())
    }

    /// Reads observations from `from` on: at least one if there is one, at most `most`.
    pub fn read(&self, from: StreamSeq, most: usize) -> Result<Vec<Observation>, StoreError> {
        let segment = self.closed.iter().find(|segment| from < segment.end()).unwrap_or(&self.open);
        segment.read(from, most).map_err(|source| StoreError::Io { path: segment.path.clone(), source })
    }

    /// The server has everything up to and including this number: segments that hold nothing else are deleted, but for
    /// the last few of them.
    pub fn forget(&mut self, upto: StreamSeq) -> Result<(), StoreError> {
        let done = self.closed.iter().take_while(|segment| segment.end().0 <= upto.0 + 1).count();
        for _ in 0..done.saturating_sub(HISTORY) {
            let Some(oldest) = self.closed.front() else { break };
            std::fs::remove_file(&oldest.path)
                .map_err(|source| StoreError::Io { path: oldest.path.clone(), source })?;
            self.closed.pop_front();
        }
        Ok(())
    }

    fn write_through(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.dirty {
            self.file.set_len(self.open.length)?;
            self.file.seek(SeekFrom::End(0))?;
        }
        // Until the sync succeeded the tail is in doubt: the next attempt cuts it off first.
        self.dirty = true;
        self.file.write_all(bytes)?;
        self.file.sync_data()?;
        self.dirty = false;
        Ok(())
    }

    fn rotate(&mut self) -> Result<(), StoreError> {
        let (segment, file) = Segment::create(&self.dir, &self.known)
            .map_err(|source| StoreError::Io { path: self.dir.clone(), source })?;
        self.file = file;
        self.closed.push_back(std::mem::replace(&mut self.open, segment));
        Ok(())
    }
}

fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join("lock");
    let io = |source| StoreError::Io { path: path.clone(), source };
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked(dir.to_owned())),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

fn segments(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = vec![];
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
