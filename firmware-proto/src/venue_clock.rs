//! Venue time: wall time, or wall time run faster for demonstrations and tests.

use crate::Epoch;

/// Maps wall time to venue time: `origin + (wall − origin) × speed`. Every shell of one venue must have the same.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VenueClock {
    /// The instant at which wall and venue time agree.
    #[serde(default)]
    pub origin: Epoch,
    /// Venue milliseconds per wall millisecond; 1 in a real venue.
    pub speed: f64,
}

impl VenueClock {
    /// A real venue's: wall time.
    pub const REAL: VenueClock = VenueClock { origin: Epoch(0), speed: 1.0 };

    /// Venue time at this wall time.
    #[must_use]
    pub fn at(&self, wall: Epoch) -> Epoch {
        if self.speed == 1.0 {
            return wall;
        }
        let passed = wall.since(self.origin) as f64 * self.speed;
        self.origin.plus(passed.round() as i64)
    }

    /// Venue time at this wall time in microseconds: at high speed a wall millisecond is many of the venue's.
    #[must_use]
    pub fn at_micros(&self, wall_micros: i64) -> Epoch {
        if self.speed == 1.0 {
            return Epoch(wall_micros.div_euclid(1_000));
        }
        let passed = (wall_micros - self.origin.0 * 1_000) as f64 / 1_000.0 * self.speed;
        self.origin.plus(passed.floor() as i64)
    }

    /// Wall milliseconds that so many venue milliseconds take; at least one if any.
    #[must_use]
    pub fn wall_millis(&self, venue_millis: u64) -> u64 {
        (venue_millis as f64 / self.speed).ceil() as u64
    }

    /// Whether the speed is one: finite and above zero.
    #[must_use]
    pub fn is_sane(&self) -> bool {
        self.speed.is_finite() && self.speed > 0.0
    }
}

impl Default for VenueClock {
    fn default() -> Self {
        VenueClock::REAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_venue_has_wall_time() {
        assert_eq!(VenueClock::REAL.at(Epoch(1_800_000_000_123)), Epoch(1_800_000_000_123));
    }

    #[test]
    fn ten_times_as_fast_ten_venue_seconds_pass_in_one() {
        let clock = VenueClock { origin: Epoch(1_000), speed: 10.0 };
        assert_eq!(clock.at(Epoch(2_000)), Epoch(11_000));
        assert_eq!(clock.at_micros(2_000_500), Epoch(11_005));
        assert_eq!(clock.wall_millis(10_000), 1_000);
        assert_eq!(clock.wall_millis(1), 1);
    }
}
