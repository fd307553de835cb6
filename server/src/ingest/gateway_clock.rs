//! How wrong a gateway's clock is, told from its stamps: everything that it stamps has happened when it comes here.
//!
//! A clock that is ahead would hold a table's story up until ours has come after it; one that is behind would put what
//! happens now before the round. Both are set right here, so that a box without a battery for its clock does no harm.

use firmware_proto::Epoch;

/// A clock that is ahead by more than so many times the skew is wrong: 1 s at normal speed.
const AHEAD: i64 = 25;

/// A clock that is behind by more than so many times the skew is wrong: 5 s at normal speed. A beat is a second old, and
/// the network may be slow.
const BEHIND: i64 = 125;

/// What is known of one gateway's clock since it announced itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GatewayClock {
    /// Ours minus its, at the most: the least age that a stamp had when it came.
    at_most: Option<i64>,
    /// Whether a beat was among the stamps: it is fresh, where records may have waited for hours.
    has_beaten: bool,
    /// The correction before the gateway announced itself anew, or as a device's own time tells it: it holds until the
    /// first beat.
    before: i64,
    /// Whether it was complained about.
    pub(super) told: bool,
}

impl GatewayClock {
    /// A stamp came; by how much to correct it and the next ones. 0: the clock is good enough.
    pub(super) fn on_stamp(&mut self, at: Epoch, is_beat: bool, now: Epoch, skew: i64) -> i64 {
        let age = now.since(at);
        let least = self.at_most.map_or(age, |least| least.min(age));
        self.at_most = Some(least);
        self.has_beaten |= is_beat;
        let is_wrong = least < -AHEAD * skew || (self.has_beaten && least > BEHIND * skew);
        if is_wrong && self.has_beaten {
            least
        } else if is_wrong {
            // Its records may have waited, so that it is further ahead than they say; a device's own time knows.
            least.min(self.before)
        } else if self.has_beaten || age < self.before - AHEAD * skew {
            0
        } else {
            self.before
        }
    }

    /// A record is stamped `at` and happened at `happened`, as its device's own time tells.
    pub(super) fn on_witness(&mut self, at: Epoch, happened: Epoch, skew: i64) {
        let off = happened.since(at);
        // The stamps before said that it is further ahead: it was set back since, by a restart that was not announced yet.
        if self.at_most.is_some_and(|most| off > most + AHEAD * skew) {
            *self = GatewayClock { before: self.before, told: self.told, ..GatewayClock::default() };
        }
        let is_wrong = off < -AHEAD * skew || off > BEHIND * skew;
        let off = if is_wrong { off } else { 0 };
        // Two devices differ a little in what they tell; their records keep their order under one correction.
        if (off - self.before).abs() > AHEAD * skew {
            self.before = off;
        }
    }

    /// The gateway announced itself: it may have started anew, with its clock set.
    pub(super) fn on_presence(&mut self, skew: i64) {
        let off = self.at_most.map_or(self.before, |least| {
            let is_wrong = least < -AHEAD * skew || least > BEHIND * skew;
            if is_wrong && self.has_beaten { least } else { self.before }
        });
        *self = GatewayClock { before: off, ..GatewayClock::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKEW: i64 = 40;

    fn offs(clock: &mut GatewayClock, stamps: &[(i64, bool, i64)]) -> Vec<i64> {
        stamps
            .iter()
            .map(|(at, is_beat, now)| clock.on_stamp(Epoch(*at), *is_beat, Epoch(*now), SKEW))
            .collect()
    }

    #[test]
    fn a_right_clock_is_left_alone_however_long_its_records_waited() {
        let stamps = [
            (1_000, false, 900_000),
            (2_000, false, 900_001),
            (899_500, true, 900_100),
            (3_000, false, 900_200),
        ];
        assert_eq!(offs(&mut GatewayClock::default(), &stamps), [0, 0, 0, 0]);
    }

    #[test]
    fn a_clock_that_is_ahead_is_set_back_by_the_freshest_of_its_stamps() {
        let stamps = [(3_600_000, false, 5_000), (3_605_000, false, 5_020), (3_600_500, false, 5_500)];
        assert_eq!(offs(&mut GatewayClock::default(), &stamps), [-3_595_000, -3_599_980, -3_599_980]);
    }

    #[test]
    fn after_a_restart_the_former_correction_holds_until_a_beat_says_otherwise() {
        let mut clock = GatewayClock::default();
        offs(&mut clock, &[(2_000, true, 100_000)]);
        clock.on_presence(SKEW);
        assert_eq!(offs(&mut clock, &[(3_000, false, 101_000), (103_000, true, 103_010)]), [98_000, 0]);
        clock.on_presence(SKEW);
        assert_eq!(offs(&mut clock, &[(103_500, false, 104_000)]), [0]);
    }

    #[test]
    fn a_clock_that_is_behind_is_known_by_its_beats_only() {
        let stamps = [(1_000, false, 100_000), (2_000, true, 100_020), (2_100, false, 100_050)];
        assert_eq!(offs(&mut GatewayClock::default(), &stamps), [0, 98_020, 97_950]);
    }

    #[test]
    fn how_far_a_clock_is_ahead_is_told_by_a_devices_own_time_where_its_records_have_waited() {
        let mut clock = GatewayClock::default();
        clock.on_witness(Epoch(1_700_000), Epoch(5_000), SKEW);
        assert_eq!(offs(&mut clock, &[(1_700_000, false, 25_000)]), [-1_695_000]);
    }

    #[test]
    fn a_clock_that_was_ahead_and_is_set_back_is_known_by_a_devices_own_time() {
        let mut clock = GatewayClock::default();
        offs(&mut clock, &[(3_600_000, false, 5_000), (3_601_000, true, 6_000)]);
        clock.on_witness(Epoch(3_602_000), Epoch(7_000), SKEW);
        assert_eq!(offs(&mut clock, &[(3_602_000, false, 7_010)]), [-3_595_000]);
        clock.on_witness(Epoch(8_000), Epoch(8_000), SKEW);
        assert_eq!(offs(&mut clock, &[(8_000, false, 60_000), (60_000, true, 60_020)]), [0, 0]);
    }

    #[test]
    fn after_a_restart_of_the_server_a_devices_own_time_tells_how_far_behind_a_clock_is() {
        let mut clock = GatewayClock::default();
        clock.on_witness(Epoch(3_000), Epoch(101_000), SKEW);
        assert_eq!(offs(&mut clock, &[(3_000, false, 101_500)]), [98_000]);
        clock.on_witness(Epoch(3_500), Epoch(101_510), SKEW);
        assert_eq!(
            offs(&mut clock, &[(3_500, false, 101_600)]),
            [98_000],
            "one correction for all its devices"
        );
        clock.on_witness(Epoch(102_000), Epoch(102_000), SKEW);
        assert_eq!(offs(&mut clock, &[(102_000, false, 102_600)]), [0], "it was set right meanwhile");
    }
}
