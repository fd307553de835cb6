//! A time in which the board cannot be seen: its link is down, or records were lost and no image has come since.

use firmware_proto::Epoch;
use xiangqi::Side;

use crate::known::Clock;

/// What is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dark {
    /// Since when.
    since: Epoch,
    /// The board tells nothing: its link is down. Otherwise it tells again, and not all that it told has come.
    down: bool,
    /// Whose time ran then.
    running: Option<Side>,
    /// So many presses have been seen since; `None`: the clock may not have told them all.
    presses: Option<usize>,
}

impl Dark {
    /// The board's link is down; of the clock that is known.
    pub fn link_down(since: Epoch, clock: Clock) -> Dark {
        Dark { since, down: true, running: clock.running, presses: clock.present.then_some(0) }
    }

    /// What was played until then is known.
    pub fn anew(&mut self, since: Epoch, clock: Clock) {
        self.since = since;
        self.running = clock.running;
        self.presses = self.presses.map(|_| 0);
    }

    /// Records were lost, of the clock, too, it may be.
    pub fn records_lost(since: Epoch) -> Dark {
        Dark { since, down: false, running: None, presses: None }
    }

    /// When it began.
    pub fn since(self) -> Epoch {
        self.since
    }

    /// Whose time ran when it began; `None`: nobody's, or it is not known.
    pub fn running(self) -> Option<Side> {
        self.running
    }

    /// Whether the board tells nothing at all.
    pub fn is_down(self) -> bool {
        self.down
    }

    /// The board has told something that it did since then: it may have kept all of it, and presses say nothing more.
    pub fn tells_again(&mut self) {
        self.down = false;
        self.presses = None;
    }

    /// A player has pressed.
    pub fn pressed(&mut self) {
        self.presses = self.presses.map(|presses| presses + 1);
    }

    /// The clock's link is down: presses may be missed from now on.
    pub fn clock_down(&mut self) {
        self.presses = None;
    }

    /// How many presses there were, if they were all seen.
    pub fn presses(self) -> Option<usize> {
        self.presses
    }
}
