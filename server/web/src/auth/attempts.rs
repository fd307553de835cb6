//! How often somebody may try to sign in: a few tries at once, then one every few seconds, for each account and for
//! each address.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Whose tries are counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// Tries at this account, from anywhere.
    Account(String),
    /// Tries from this address, at any account.
    Address(IpAddr),
}

impl Who {
    /// Tries at once, and milliseconds until another one.
    const fn allowed(&self) -> (u32, u64) {
        match self {
            Who::Account(_) => (8, 6_000),
            // A whole hall may share one address.
            Who::Address(_) => (30, 2_000),
        }
    }
}

/// Names and addresses that are remembered; more than a hall has, and no more memory than that.
const MOST: usize = 10_000;

/// The tries that were made lately.
#[derive(Debug, Default)]
pub struct Attempts {
    /// When all tries will be forgotten, in ms since the server's start.
    full_at: BTreeMap<Who, u64>,
    /// Who is limited and has been told of: until he may try again.
    limited: BTreeSet<Who>,
}

impl Attempts {
    /// Counts a try at `now` (ms).
    ///
    /// # Errors
    /// Too many: the seconds until the next one.
    pub fn take(&mut self, who: &Who, now: u64) -> Result<(), u64> {
        let (at_once, every) = who.allowed();
        let full_at = self.full_at.get(who).copied().unwrap_or(0).max(now);
        let window = u64::from(at_once) * every;
        let next = full_at + every;
        if next > now + window {
            return Err((next - now - window).div_ceil(1000).max(1));
        }
        if self.full_at.len() >= MOST {
            self.full_at.retain(|_, full_at| *full_at > now);
        }
        // Whoever fills the memory with names is slowed down by his address.
        if self.full_at.len() < MOST || self.full_at.contains_key(who) {
            self.full_at.insert(who.clone(), next);
        }
        self.limited.remove(who);
        Ok(())
    }

    /// Whether it is news that somebody is limited: once, until a try of his is taken again.
    pub fn is_news(&mut self, who: &Who) -> bool {
        self.limited.len() < MOST && self.limited.insert(who.clone())
    }

    /// Somebody signed in: the tries at his account are forgotten.
    pub fn succeeded(&mut self, who: &Who) {
        self.full_at.remove(who);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account() -> Who {
        Who::Account("裁判长".into())
    }

    #[test]
    fn after_eight_tries_at_once_there_is_one_every_six_seconds() {
        let mut attempts = Attempts::default();
        for _ in 0..8 {
            assert_eq!(attempts.take(&account(), 1_000), Ok(()));
        }
        assert_eq!(attempts.take(&account(), 1_000), Err(6));
        assert_eq!(attempts.take(&account(), 6_000), Err(1));
        assert_eq!(attempts.take(&account(), 7_000), Ok(()));
        assert_eq!(attempts.take(&account(), 7_000), Err(6));
        let other = Who::Account("裁判员".into());
        assert_eq!(attempts.take(&other, 7_000), Ok(()), "others are not held up");
    }

    #[test]
    fn signing_in_forgets_the_tries_and_time_does_too() {
        let mut attempts = Attempts::default();
        for _ in 0..8 {
            let _counted = attempts.take(&account(), 0);
        }
        attempts.succeeded(&account());
        assert_eq!(attempts.take(&account(), 0), Ok(()));
        for _ in 0..8 {
            let _counted = attempts.take(&account(), 100_000);
        }
        assert_eq!(attempts.take(&account(), 200_000), Ok(()));
    }

    #[test]
    fn memory_is_bounded_and_an_address_is_still_slowed_down() {
        let mut attempts = Attempts::default();
        let address = Who::Address(IpAddr::from([192, 168, 1, 7]));
        let mut refused = 0;
        for n in 0..20_000 {
            refused += u32::from(attempts.take(&address, 5).is_err());
            let _counted = attempts.take(&Who::Account(n.to_string()), 5);
        }
        assert!(attempts.full_at.len() <= MOST);
        assert_eq!(refused, 20_000 - 30);
    }
}
