//! Lets a message that repeats be said once in a while only, with how often it was held back.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A message is said at most so often.
const EVERY: Duration = Duration::from_secs(10);

/// Remembers what was said when.
#[derive(Debug)]
pub(crate) struct RateLimit<K> {
    said: BTreeMap<K, (Instant, u64)>,
}

impl<K: Ord> RateLimit<K> {
    pub(crate) const fn new() -> RateLimit<K> {
        RateLimit { said: BTreeMap::new() }
    }

    /// `Some(n)`: say it now, and that it was held back `n` times since it was said last.
    pub(crate) fn says(&mut self, what: K, now: Instant) -> Option<u64> {
        match self.said.get_mut(&what) {
            Some((last, held_back)) if now.duration_since(*last) < EVERY => {
                *held_back += 1;
                None
            }
            Some((last, held_back)) => {
                *last = now;
                Some(std::mem::take(held_back))
            }
            None => {
                self.said.insert(what, (now, 0));
                Some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_of_the_same_is_said_once_and_counted() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut limit = RateLimit::new();
        assert_eq!(limit.says("noise", at(0)), Some(0));
        assert_eq!(limit.says("noise", at(1)), None);
        assert_eq!(limit.says("other", at(1)), Some(0));
        assert_eq!(limit.says("noise", at(2)), None);
        assert_eq!(limit.says("noise", at(11)), Some(2));
    }
}
