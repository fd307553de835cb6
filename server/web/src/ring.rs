//! The last frames of one topic, so that a viewer who comes back misses nothing.

use std::collections::VecDeque;

use axum::body::Bytes;

/// Frames that a topic keeps: some plies of a game, half a minute of a round. Who was away for longer gets the state, which is
/// no more than a few frames; a thousand games in three hubs hold that many rings.
pub const KEPT: usize = 32;

/// A rendered frame of a stream, ready for the wire.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its number; rises over all topics of a hub.
    pub seq: u64,
    /// `id:`, `event:` and `data:` lines with the blank line that ends them.
    pub bytes: Bytes,
}

/// The last [`KEPT`] frames of a topic.
#[derive(Debug, Default)]
pub struct Ring {
    frames: VecDeque<Frame>,
    /// The newest frame that is no longer kept; 0: none was dropped.
    dropped: u64,
}

/// Frames are missing between the viewer's last one and the oldest kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap;

impl Ring {
    /// Keeps a frame, drops the oldest one if there are too many.
    pub fn push(&mut self, frame: Frame) {
        if self.frames.len() == KEPT
            && let Some(oldest) = self.frames.pop_front()
        {
            self.dropped = oldest.seq;
        }
        self.frames.push_back(frame);
    }

    /// Appends the frames after number `seq` to `out`, oldest first.
    ///
    /// # Errors
    /// [`Gap`] if one of them is no longer kept.
    pub fn after(&self, seq: u64, out: &mut Vec<Frame>) -> Result<(), Gap> {
        if seq < self.dropped {
            return Err(Gap);
        }
        let first = self.frames.partition_point(|frame| frame.seq <= seq);
        out.extend(self.frames.range(first..).cloned());
        Ok(())
    }

    /// Drops all frames.
    pub fn forget(&mut self) {
        if let Some(newest) = self.frames.back() {
            self.dropped = newest.seq;
        }
        self.frames = VecDeque::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(frames: u64) -> Ring {
        let mut ring = Ring::default();
        for seq in 1..=frames {
            ring.push(Frame { seq: seq * 10, bytes: Bytes::new() });
        }
        ring
    }

    fn after(ring: &Ring, seq: u64) -> Result<Vec<u64>, Gap> {
        let mut frames = Vec::new();
        ring.after(seq, &mut frames)?;
        Ok(frames.iter().map(|frame| frame.seq).collect())
    }

    #[test]
    fn a_viewer_gets_exactly_what_he_missed() {
        let ring = ring(5);
        assert_eq!(after(&ring, 0), Ok(vec![10, 20, 30, 40, 50]));
        assert_eq!(after(&ring, 30), Ok(vec![40, 50]));
        assert_eq!(after(&ring, 35), Ok(vec![40, 50]), "numbers of other topics lie between");
        assert_eq!(after(&ring, 50), Ok(vec![]));
    }

    #[test]
    fn who_was_away_too_long_is_told_of_the_gap() {
        let kept = KEPT as u64;
        let ring = ring(kept + 3);
        assert_eq!(after(&ring, 29), Err(Gap));
        assert_eq!(after(&ring, 30).map(|seqs| seqs.len() as u64), Ok(kept));
    }
}
