//! The clock: levers, buttons and two times.

use firmware_proto::{Body, ByHalf, ClockFace, ClockSetting, GameClock, Half, Millis, PlayerSignal};

use crate::keep::KeptClock;
use crate::shown::Standing;

/// A contact that closes again so soon is the same press.
const BOUNCE: Millis = Millis(50);

pub(crate) struct Clock {
    game: GameClock,
    /// Somebody gave it times.
    set: bool,
    levers: ByHalf<Option<Millis>>,
    buttons: ByHalf<Option<(PlayerSignal, Millis)>>,
}

impl Clock {
    pub(crate) const fn new(now: Millis) -> Clock {
        Clock {
            game: GameClock::new(now),
            set: false,
            levers: ByHalf { a: None, b: None },
            buttons: ByHalf { a: None, b: None },
        }
    }

    /// A clock that goes on as it stood.
    pub(crate) fn restored(kept: KeptClock, now: Millis) -> Clock {
        let mut clock = Clock::new(now);
        clock.set(kept.setting, now);
        // One that was never set is kept without any time.
        clock.set = Half::ALL.iter().any(|half| kept.setting.face.left[*half] > Millis::ZERO);
        if kept.paused {
            clock.pause(now);
        }
        clock
    }

    /// How it stands, for keeping.
    pub(crate) fn kept(&self, now: Millis) -> KeptClock {
        KeptClock { setting: self.game.setting(now), paused: self.game.is_paused() }
    }

    pub(crate) fn face(&self, now: Millis) -> ClockFace {
        self.game.face(now)
    }

    /// How it stands, as far as its faces tell it.
    pub(crate) fn standing(&self, now: Millis) -> Standing {
        let fallen = |half| self.game.flag(half).is_some();
        Standing {
            face: self.face(now),
            set: self.set,
            paused: self.game.is_paused(),
            fallen: ByHalf { a: fallen(Half::A), b: fallen(Half::B) },
        }
    }

    /// Lets time pass; a flag that fell goes to `record` with its instant. To be called before anything else that
    /// happens at `now`, so that records stay in the order of their times.
    pub(crate) fn advance(&mut self, now: Millis, record: impl FnOnce(Millis, Body)) {
        self.game.advance(now);
        if let Some(fall) = self.game.flag_fall() {
            record(fall.at, Body::Flag(fall.half, fall.face));
        }
    }

    pub(crate) fn on_lever(&mut self, half: Half, now: Millis, record: impl FnOnce(Body)) {
        let bounced = self.levers[half].replace(now).is_some_and(|last| now.since(last) < BOUNCE);
        if bounced {
            return;
        }
        if let Some(face) = self.game.press(half, now) {
            record(Body::Press(half, face));
        }
    }

    pub(crate) fn on_button(
        &mut self,
        half: Half,
        signal: PlayerSignal,
        now: Millis,
        record: impl FnOnce(Body),
    ) {
        let last = self.buttons[half].replace((signal, now));
        let bounced = last.is_some_and(|(last, at)| last == signal && now.since(at) < BOUNCE);
        if !bounced {
            record(Body::Signal(half, signal));
        }
    }

    pub(crate) fn set(&mut self, setting: ClockSetting, now: Millis) {
        self.game.set(setting, now);
        self.set = true;
    }

    pub(crate) fn pause(&mut self, now: Millis) {
        self.game.pause(now);
    }

    pub(crate) fn run(&mut self, half: Half, now: Millis) {
        self.game.run(half, now);
    }

    pub(crate) fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        self.game.poll_timeout()
    }
}
