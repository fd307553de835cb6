//! A ring of bytes that holds entries of different lengths, oldest first.

/// `N` bytes of room; an entry takes one byte more than it has.
pub(crate) struct ByteRing<const N: usize> {
    bytes: [u8; N],
    /// Where the oldest entry begins.
    start: usize,
    used: usize,
}

/// Where an entry begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(usize);

impl<const N: usize> ByteRing<N> {
    pub(crate) const fn new() -> Self {
        ByteRing { bytes: [0; N], start: 0, used: 0 }
    }

    /// Keeps an entry of at most 255 bytes; `false`: there is no room (or it is longer).
    pub(crate) fn push(&mut self, entry: &[u8]) -> bool {
        let Ok(length) = u8::try_from(entry.len()) else { return false };
        if N - self.used < entry.len() + 1 {
            return false;
        }
        self.put(length);
        for &byte in entry {
            self.put(byte);
        }
        true
    }

    /// Forgets the oldest entry; `false`: there is none.
    pub(crate) fn pop(&mut self) -> bool {
        if self.used == 0 {
            return false;
        }
        let whole = usize::from(self.bytes[self.start]) + 1;
        self.start = (self.start + whole) % N;
        self.used -= whole;
        true
    }

    /// Where the oldest entry begins.
    pub(crate) const fn oldest(&self) -> Place {
        Place(self.start)
    }

    /// Where the next entry will begin.
    pub(crate) const fn end(&self) -> Place {
        Place((self.start + self.used) % N)
    }

    /// Where the entry behind the one at `place` begins.
    pub(crate) fn after(&self, place: Place) -> Place {
        Place((place.0 + usize::from(self.bytes[place.0]) + 1) % N)
    }

    /// Copies the entry at `place` into `out`; returns its length.
    pub(crate) fn read(&self, place: Place, out: &mut [u8; 255]) -> usize {
        let length = self.bytes[place.0];
        for (offset, byte) in out.iter_mut().take(length.into()).enumerate() {
            *byte = self.bytes[(place.0 + 1 + offset) % N];
        }
        length.into()
    }

    fn put(&mut self, byte: u8) {
        self.bytes[(self.start + self.used) % N] = byte;
        self.used += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a queue of vectors: same entries in the same order, and it refuses only for want of room.
        #[test]
        fn it_is_a_queue_of_entries(entries in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..20), 0..3usize), 0..60)) {
            let mut ring = ByteRing::<64>::new();
            let mut model: VecDeque<Vec<u8>> = VecDeque::new();
            for (entry, pops) in entries {
                let used: usize = model.iter().map(|kept| kept.len() + 1).sum();
                let fits = used + entry.len() < 64;
                prop_assert_eq!(ring.push(&entry), fits);
                if fits {
                    model.push_back(entry);
                }
                for _ in 0..pops {
                    prop_assert_eq!(ring.pop(), model.pop_front().is_some());
                }
                let mut place = ring.oldest();
                for kept in &model {
                    let mut out = [0; 255];
                    let length = ring.read(place, &mut out);
                    prop_assert_eq!(&out[..length], &kept[..]);
                    place = ring.after(place);
                }
            }
        }
    }
}
