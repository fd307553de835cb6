//! A serial line between a device and its gateway: bytes take their time, and may be lost, doubled, flipped or cut.

use std::collections::VecDeque;

use simulator::Dice;

/// How long bytes take, ms.
const WAY: (i64, i64) = (1, 4);

/// One direction of a line. Bytes stay in order.
#[derive(Debug, Default)]
pub struct Line {
    chunks: VecDeque<(i64, Vec<u8>)>,
}

impl Line {
    /// Bytes are put in; `one_in`: one chunk in so many suffers, 0: none.
    pub fn put(&mut self, bytes: Vec<u8>, now: i64, one_in: i64, dice: &mut Dice) {
        let earliest = self.chunks.back().map_or(now, |(at, _)| *at);
        let at = (now + dice.between(WAY.0, WAY.1)).max(earliest);
        let suffers = one_in > 0 && dice.chance(1.0 / one_in as f64);
        if !suffers {
            return self.chunks.push_back((at, bytes));
        }
        let last = bytes.len() as i64 - 1;
        match dice.between(0, 3) {
            0 => {}
            1 => self.chunks.extend([(at, bytes.clone()), (at, bytes)]),
            2 => {
                let mut bytes = bytes;
                bytes[dice.between(0, last) as usize] ^= 1 << dice.between(0, 7);
                self.chunks.push_back((at, bytes));
            }
            _ => {
                let mut bytes = bytes;
                bytes.truncate(dice.between(0, last) as usize);
                self.chunks.push_back((at, bytes));
            }
        }
    }

    /// Bytes that have come.
    pub fn take(&mut self, now: i64) -> Option<Vec<u8>> {
        self.chunks.pop_front_if(|(at, _)| *at <= now).map(|(_, bytes)| bytes)
    }

    /// When the next bytes come.
    pub fn next(&self) -> Option<i64> {
        self.chunks.front().map(|(at, _)| *at)
    }

    /// The cable is pulled.
    pub fn clear(&mut self) {
        self.chunks.clear();
    }
}
