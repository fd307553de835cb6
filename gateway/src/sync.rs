//! Venue time from device time: offset and drift of a device's clock, estimated from round trips.
//!
//! The round trip with the least delay tells the offset best; the slope between such trips tells the drift. A
//! quartz at 50 ppm is 0.18 s off after an hour: that matters for records that waited for hours.

use std::collections::VecDeque;

use firmware_proto::{Epoch, Millis};

/// Trips of so many venue milliseconds compete for being the best of their block …
const BLOCK: i64 = 60_000;

/// … and so many blocks are remembered.
const BLOCKS: usize = 64;

/// Drift is reckoned with only when the first and the last block are so far apart, venue milliseconds …
const LONG_ENOUGH: f64 = 600_000.0;

/// … and the doubt in it, from the trips' lengths, is below this.
const DOUBT: f64 = 50e-6;

/// No sound quartz drifts more.
const WORST_DRIFT: f64 = 300e-6;

/// A trip: what the device's clock said at what venue time, give or take half its length.
#[derive(Clone, Copy, Debug)]
struct Trip {
    device: Millis,
    venue: Epoch,
    length: i64,
}

/// The estimate for one start of one device.
#[derive(Clone, Debug, Default)]
pub struct ClockEstimate {
    /// The best trip of each block, oldest first.
    best: VecDeque<Trip>,
    /// When the newest block began.
    began: Epoch,
}

impl ClockEstimate {
    /// Nothing known.
    #[must_use]
    pub fn new() -> ClockEstimate {
        ClockEstimate::default()
    }

    /// A question went out at `asked`, the device stamped it with `device`, the answer came at `answered`.
    pub fn on_trip(&mut self, asked: Epoch, device: Millis, answered: Epoch) {
        let length = answered.since(asked).max(0);
        self.keep(Trip { device, venue: asked.plus(length / 2), length });
    }

    /// A message without a question: the device stamped it at most `at_most` venue milliseconds before it came.
    pub fn on_message(&mut self, device: Millis, came: Epoch, at_most: i64) {
        self.keep(Trip { device, venue: came, length: at_most });
    }

    /// The venue time of an instant on the device's clock; `None` if nothing is known yet.
    #[must_use]
    pub fn venue(&self, device: Millis) -> Option<Epoch> {
        // A short trip, and a late one: each block of age counts as a millisecond of doubt.
        let blocks = self.best.iter().rev().enumerate();
        let (_, reference) = blocks.min_by_key(|(age, trip)| trip.length / 2 + *age as i64)?;
        let passed = apart(reference.device, device);
        Some(reference.venue.plus((passed * (1.0 + self.drift())).round() as i64))
    }

    /// By how much the device's clock is slow: venue milliseconds lost per millisecond of its own; 0 until that
    /// can be told.
    #[must_use]
    pub fn drift(&self) -> f64 {
        let (Some(first), Some(last)) = (self.best.front(), self.best.back()) else { return 0.0 };
        let device = apart(first.device, last.device);
        let doubt = (first.length + last.length) as f64 / 2.0;
        if device < LONG_ENOUGH || doubt / device > DOUBT {
            return 0.0;
        }
        let venue = last.venue.since(first.venue) as f64;
        ((venue - device) / device).clamp(-WORST_DRIFT, WORST_DRIFT)
    }

    fn keep(&mut self, trip: Trip) {
        match self.best.back_mut() {
            Some(best) if trip.venue.since(self.began) < BLOCK => {
                if trip.length <= best.length {
                    *best = trip;
                }
            }
            Some(_) | None => {
                if self.best.len() == BLOCKS {
                    self.best.pop_front();
                }
                self.best.push_back(trip);
                self.began = trip.venue;
            }
        }
    }
}

/// Device milliseconds from one instant to another, which may be the earlier one.
fn apart(from: Millis, to: Millis) -> f64 {
    f64::from(to.since(from).0 as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_800_000_000_000;

    #[test]
    fn the_shortest_trip_tells_the_offset() {
        let mut estimate = ClockEstimate::new();
        estimate.on_message(Millis(1_000), Epoch(START + 1_900), 1_000);
        assert_eq!(estimate.venue(Millis(1_000)), Some(Epoch(START + 1_900)));
        // Stamped at 2 000, in truth START + 2 000: asked 10 before, answered 10 after.
        estimate.on_trip(Epoch(START + 1_990), Millis(2_000), Epoch(START + 2_010));
        // A slow answer: it would say START + 3 200.
        estimate.on_trip(Epoch(START + 2_990), Millis(3_000), Epoch(START + 3_410));
        assert_eq!(estimate.venue(Millis(1_500)), Some(Epoch(START + 1_500)));
    }

    #[test]
    fn a_drifting_quartz_is_found_out_within_the_hour() {
        let mut estimate = ClockEstimate::new();
        let slow = |device: u32| START + i64::from(device) + i64::from(device) / 20_000;
        for second in 0..3_600 {
            let device = second * 1_000;
            let venue = slow(device);
            estimate.on_trip(Epoch(venue - 2), Millis(device), Epoch(venue + 2));
        }
        assert!((estimate.drift() - 50e-6).abs() < 3e-6, "{}", estimate.drift());
        let half_an_hour_ago = 1_800_000;
        let off = estimate.venue(Millis(half_an_hour_ago)).unwrap().since(Epoch(slow(half_an_hour_ago)));
        assert!(off.abs() <= 8, "{off} ms");
    }

    #[test]
    fn it_survives_the_wrap_of_the_devices_counter() {
        let mut estimate = ClockEstimate::new();
        estimate.on_trip(Epoch(START), Millis(u32::MAX - 499), Epoch(START));
        assert_eq!(estimate.venue(Millis(500)), Some(Epoch(START + 1_000)));
    }
}
