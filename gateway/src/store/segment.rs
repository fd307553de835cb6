//! One file of the store: entries from a checkpoint on.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use firmware_proto::delivery::Number;
use firmware_proto::{Observation, StreamSeq};

use super::entry::{self, Entry, Known};

/// An offset is noted for each so many observations.
const MARK_EVERY: u64 = 64;

/// A segment's place, and where its observations stand.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) path: PathBuf,
    /// The number of its first observation.
    pub(crate) first: StreamSeq,
    /// How many it holds.
    pub(crate) count: u64,
    /// Bytes of whole entries.
    pub(crate) length: u64,
    /// Offsets of observations 0, 64, 128 …
    marks: Vec<u64>,
}

/// What reading a segment through gave.
pub(crate) struct Scan {
    pub(crate) segment: Segment,
    pub(crate) known: Known,
    /// Bytes behind the last whole entry.
    pub(crate) torn: u64,
}

impl Segment {
    /// The file name of the segment that begins with this number.
    pub(crate) fn name(first: StreamSeq) -> String {
        format!("{:020}.log", first.0)
    }

    /// Starts a segment with its checkpoint, durable.
    pub(crate) fn create(dir: &Path, known: &Known) -> std::io::Result<(Segment, File)> {
        let path = dir.join(Segment::name(known.next));
        let mut bytes = vec![];
        entry::write(&Entry::Checkpoint(known.clone()), &mut bytes);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&path)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        File::open(dir)?.sync_all()?;
        let segment =
            Segment { path, first: known.next, count: 0, length: bytes.len() as u64, marks: vec![] };
        Ok((segment, file))
    }

    /// Reads a segment through. `None`: it does not even hold its checkpoint.
    pub(crate) fn scan(path: PathBuf) -> std::io::Result<Option<Scan>> {
        let bytes = std::fs::read(&path)?;
        let Some((Entry::Checkpoint(mut known), mut at)) = entry::read(&bytes) else { return Ok(None) };
        let mut segment = Segment { path, first: known.next, count: 0, length: at as u64, marks: vec![] };
        while let Some((entry, length)) = entry::read(&bytes[at..]) {
            known.learn(&entry);
            segment.note(&entry, length as u64);
            at += length;
        }
        let torn = (bytes.len() - at) as u64;
        Ok(Some(Scan { segment, known, torn }))
    }

    /// Notes an entry that was appended.
    pub(crate) fn note(&mut self, entry: &Entry, length: u64) {
        if let Entry::Observation(_) = entry {
            if self.count.is_multiple_of(MARK_EVERY) {
                self.marks.push(self.length);
            }
            self.count += 1;
        }
        self.length += length;
    }

    /// The number behind its last observation.
    pub(crate) fn end(&self) -> StreamSeq {
        StreamSeq(self.first.0 + self.count)
    }

    /// Reads observations from `from` on, at most `most`, as far as this segment has them.
    pub(crate) fn read(&self, from: StreamSeq, most: usize) -> std::io::Result<Vec<Observation>> {
        let index = from.distance_from(self.first);
        let Some(&mark) = self.marks.get((index / MARK_EVERY) as usize) else { return Ok(vec![]) };
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(mark))?;
        let mut bytes = vec![];
        file.take(self.length - mark).read_to_end(&mut bytes)?;
        let mut rest = &bytes[..];
        let mut skip = index % MARK_EVERY;
        let mut found = vec![];
        while found.len() < most {
            let Some((entry, length)) = entry::read(rest) else { break };
            rest = &rest[length..];
            if let Entry::Observation(observation) = entry {
                if skip > 0 {
                    skip -= 1;
                } else {
                    found.push(observation);
                }
            }
        }
        Ok(found)
    }
}
