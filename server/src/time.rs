//! The system clock, read in this one place of the server, and venue time made of it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use firmware_proto::{Epoch, VenueClock};

/// Wall time.
#[must_use]
pub fn wall() -> Epoch {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Epoch(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Venue time.
#[must_use]
pub fn venue(clock: &VenueClock) -> Epoch {
    clock.at(wall())
}

/// How long to wait, by the wall, until this venue time.
#[must_use]
pub fn until(clock: &VenueClock, at: Epoch) -> Duration {
    let wait = at.since(venue(clock));
    Duration::from_millis(clock.wall_millis(u64::try_from(wait).unwrap_or(0)))
}
