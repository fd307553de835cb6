//! Signs that the game is over: until the clock is made to run, or a press says otherwise after a while, hands may do on
//! the board what they like.

use firmware_proto::{Epoch, PlayerSignal};
use xiangqi::Side;

/// Whether the game seems to be over. What the arbiter or the rules make of the signs is not decided here.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ending {
    /// Who signals a draw since the last press.
    draw: Option<Side>,
    /// Since when it seems to be over.
    over: Option<Epoch>,
}

/// Players who analyse press their clocks as well: a press within this time after a sign of the end says nothing, ms.
const HOLDS: i64 = 60_000;

impl Ending {
    pub fn is_over(self) -> bool {
        self.over.is_some()
    }

    /// A player used his buttons: he resigns, or both want a draw.
    pub fn signalled(&mut self, side: Side, signal: PlayerSignal, at: Epoch) {
        match signal {
            PlayerSignal::Resign => self.decided(at),
            PlayerSignal::Draw => {
                if self.draw.is_some_and(|other| other != side) {
                    self.decided(at);
                }
                self.draw = Some(side);
            }
            PlayerSignal::CallArbiter => {}
        }
    }

    /// The side to move has no move left, or its time ran out.
    pub fn decided(&mut self, at: Epoch) {
        self.over.get_or_insert(at);
    }

    /// Somebody pressed: play goes on, unless it has only just ended.
    pub fn pressed(&mut self, at: Epoch) {
        if self.over.is_none_or(|since| at.since(since) > HOLDS) {
            *self = Ending::default();
        }
    }

    /// The clock was made to run: play goes on.
    pub fn resumed(&mut self) {
        *self = Ending::default();
    }
}
