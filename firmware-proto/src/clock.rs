//! Game-clock arithmetic: two times of which at most one runs (行棋钟).
//!
//! Whole milliseconds of one free-running counter go in, and every one that passes while a half's time runs is
//! taken from that half: nothing is lost or gained however often or seldom the clock is asked.

use crate::{ByHalf, ClockFace, ClockSetting, Half, Millis};

/// What makes a time run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Set, not started: the first press starts the opponent's time.
    Waiting,
    /// This half's time runs.
    Running(Half),
    /// Stopped by an arbiter: only he lets it go on.
    Paused,
}

/// A time that ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagFall {
    /// Whose.
    pub half: Half,
    /// At which instant, to the millisecond, however late it was noticed.
    pub at: Millis,
    /// Both times at that instant.
    pub face: ClockFace,
}

/// A clock's two times. Callers ask [`GameClock::flag_fall`] after each call that takes `now`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameClock {
    /// Time left at `settled`.
    left: ByHalf<Millis>,
    settled: Millis,
    state: State,
    increment: Millis,
    fallen: ByHalf<Option<Millis>>,
    unreported: Option<FlagFall>,
}

impl GameClock {
    /// A clock that was never set: no time on either side, waiting.
    #[must_use]
    pub const fn new(now: Millis) -> GameClock {
        GameClock {
            left: ByHalf { a: Millis::ZERO, b: Millis::ZERO },
            settled: now,
            state: State::Waiting,
            increment: Millis::ZERO,
            // No time to run out of: a clock that was never set drops no flag.
            fallen: ByHalf { a: Some(now), b: Some(now) },
            unreported: None,
        }
    }

    /// Sets it, absolutely: both times, which of them runs, the increment. Flags of times above zero are up again.
    pub fn set(&mut self, setting: ClockSetting, now: Millis) {
        self.advance(now);
        self.left = setting.face.left;
        self.increment = setting.increment;
        self.state = setting.face.running.map_or(State::Waiting, State::Running);
        for half in Half::ALL {
            if self.left[half] > Millis::ZERO {
                self.fallen[half] = None;
            }
        }
    }

    /// A player presses his lever. `Some(face)`: it counts, the face is the one after it, increment included.
    /// `None`: his lever was down already.
    pub fn press(&mut self, half: Half, now: Millis) -> Option<ClockFace> {
        self.advance(now);
        match self.state {
            State::Waiting => self.state = State::Running(half.other()),
            State::Running(running) if running == half => {
                // A time that ran out stays out.
                if self.fallen[half].is_none() {
                    self.left[half] = Millis(self.left[half].0.saturating_add(self.increment.0));
                }
                self.state = State::Running(half.other());
            }
            State::Running(_) => return None,
            State::Paused => {}
        }
        Some(self.face(now))
    }

    /// Stops both times where they stand.
    pub fn pause(&mut self, now: Millis) {
        self.advance(now);
        self.state = State::Paused;
    }

    /// Lets this half's time run.
    pub fn run(&mut self, half: Half, now: Millis) {
        self.advance(now);
        self.state = State::Running(half);
    }

    /// Takes the time that passed from the half whose time runs.
    pub fn advance(&mut self, now: Millis) {
        let passed = now.since(self.settled);
        if let State::Running(half) = self.state {
            let left = self.left[half];
            if passed >= left && self.fallen[half].is_none() {
                let at = self.settled.plus(left);
                self.fallen[half] = Some(at);
                self.left[half] = Millis::ZERO;
                self.unreported =
                    Some(FlagFall { half, at, face: ClockFace { left: self.left, running: Some(half) } });
            } else {
                self.left[half] = Millis(left.0.saturating_sub(passed.0));
            }
        }
        self.settled = now;
    }

    /// The flag that fell since the last call, if one did.
    pub fn flag_fall(&mut self) -> Option<FlagFall> {
        self.unreported.take()
    }

    /// What it shows.
    #[must_use]
    pub fn face(&self, now: Millis) -> ClockFace {
        let mut left = self.left;
        if let State::Running(half) = self.state {
            left[half] = Millis(left[half].0.saturating_sub(now.since(self.settled).0));
        }
        ClockFace { left, running: self.running() }
    }

    /// How it stands, as a setting that would bring it there again (a stop by an arbiter apart).
    #[must_use]
    pub fn setting(&self, now: Millis) -> ClockSetting {
        ClockSetting { face: self.face(now), increment: self.increment }
    }

    /// Whether an arbiter stopped it, so that a press does not start it.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        matches!(self.state, State::Paused)
    }

    /// Whose time runs.
    #[must_use]
    pub const fn running(&self) -> Option<Half> {
        match self.state {
            State::Running(half) => Some(half),
            State::Waiting | State::Paused => None,
        }
    }

    /// The instant at which this half's time ran out, if it did.
    #[must_use]
    pub fn flag(&self, half: Half) -> Option<Millis> {
        self.fallen[half]
    }

    /// When the time that runs will be out, and why to call [`GameClock::advance`] then.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        let half = self.running()?;
        self.fallen[half].is_none().then(|| (self.settled.plus(self.left[half]), "a time runs out"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set_to(a: u32, b: u32, increment: u32) -> GameClock {
        let mut clock = GameClock::new(Millis(0));
        let left = ByHalf { a: Millis(a), b: Millis(b) };
        let face = ClockFace { left, running: None };
        clock.set(ClockSetting { face, increment: Millis(increment) }, Millis(0));
        clock
    }

    fn left(clock: &GameClock, now: u32) -> (u32, u32) {
        let ByHalf { a, b } = clock.face(Millis(now)).left;
        (a.0, b.0)
    }

    #[test]
    fn the_first_press_starts_the_opponents_time_and_earns_no_increment() {
        let mut clock = set_to(60_000, 60_000, 5_000);
        assert_eq!(clock.press(Half::B, Millis(1_000)).unwrap().running, Some(Half::A));
        assert_eq!(left(&clock, 3_000), (58_000, 60_000));
    }

    #[test]
    fn a_press_adds_the_increment_to_the_pressers_time() {
        let mut clock = set_to(60_000, 60_000, 5_000);
        clock.press(Half::B, Millis(0));
        let face = clock.press(Half::A, Millis(2_000)).unwrap();
        assert_eq!((face.left.a, face.running), (Millis(63_000), Some(Half::B)));
    }

    #[test]
    fn a_lever_that_is_down_already_does_nothing() {
        let mut clock = set_to(60_000, 60_000, 5_000);
        clock.press(Half::B, Millis(0));
        assert_eq!(clock.press(Half::B, Millis(500)), None);
        assert_eq!(left(&clock, 1_000), (59_000, 60_000));
    }

    #[test]
    fn a_flag_falls_at_its_instant_however_late_it_is_noticed() {
        let mut clock = set_to(1_500, 9_000, 0);
        clock.press(Half::B, Millis(100));
        assert_eq!(clock.poll_timeout().unwrap().0, Millis(1_600));
        clock.advance(Millis(5_000));
        let fall = clock.flag_fall().unwrap();
        assert_eq!((fall.half, fall.at, fall.face.left.b), (Half::A, Millis(1_600), Millis(9_000)));
        assert_eq!(clock.flag_fall(), None, "told once");
    }

    #[test]
    fn both_flags_keep_their_instants_and_a_fallen_side_earns_no_increment() {
        let mut clock = set_to(1_000, 2_000, 500);
        clock.press(Half::B, Millis(0));
        clock.advance(Millis(1_200));
        assert_eq!(clock.press(Half::A, Millis(1_200)).unwrap().left.a, Millis(0));
        clock.advance(Millis(4_000));
        assert_eq!((clock.flag(Half::A), clock.flag(Half::B)), (Some(Millis(1_000)), Some(Millis(3_200))));
    }

    #[test]
    fn a_pause_stops_both_and_only_the_arbiter_ends_it() {
        let mut clock = set_to(10_000, 10_000, 0);
        clock.press(Half::B, Millis(0));
        clock.pause(Millis(1_000));
        assert_eq!(clock.press(Half::A, Millis(2_000)).unwrap().running, None);
        assert_eq!(left(&clock, 60_000), (9_000, 10_000));
        clock.run(Half::A, Millis(60_000));
        assert_eq!(left(&clock, 60_250), (8_750, 10_000));
    }

    #[test]
    fn a_clock_that_was_never_set_drops_no_flag() {
        let mut clock = GameClock::new(Millis(0));
        clock.press(Half::A, Millis(10));
        clock.advance(Millis(100_000));
        assert_eq!(clock.flag_fall(), None);
    }

    #[test]
    fn setting_twice_is_setting_once() {
        let face = ClockFace { left: ByHalf { a: Millis(5), b: Millis(6) }, running: None };
        let setting = ClockSetting { face, increment: Millis(1) };
        let mut once = GameClock::new(Millis(0));
        once.set(setting, Millis(7));
        let mut twice = once;
        twice.set(setting, Millis(7));
        assert_eq!(once, twice);
    }

    proptest! {
        /// Two hours of presses at any instants, across the counter's wrap: times used and left add up to the
        /// millisecond.
        #[test]
        fn nothing_is_lost_or_gained_against_a_free_running_counter(
            start: u32, thinks in prop::collection::vec(1..60_000u32, 1..120), polls in 0..4u32,
        ) {
            let mut clock = GameClock::new(Millis(start));
            let total = 100_000_000;
            let left = ByHalf { a: Millis(total), b: Millis(total) };
            let face = ClockFace { left, running: Some(Half::A) };
            clock.set(ClockSetting { face, increment: Millis(1_000) }, Millis(start));
            let mut now = Millis(start);
            let mut used = ByHalf { a: 0u32, b: 0u32 };
            let mut presses = ByHalf { a: 0u32, b: 0u32 };
            let mut half = Half::A;
            for think in thinks {
                for part in 0..polls {
                    clock.advance(now.plus(Millis(think * part / polls.max(1))));
                }
                now = now.plus(Millis(think));
                used[half] += think;
                presses[half] += 1;
                clock.press(half, now).unwrap();
                half = half.other();
            }
            for half in Half::ALL {
                prop_assert_eq!(clock.face(now).left[half].0, total - used[half] + presses[half] * 1_000);
            }
        }
    }
}
