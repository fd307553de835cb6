//! Signs that the game is over: until a press says otherwise, hands may do on the board what they like.

use firmware_proto::PlayerSignal;
use xiangqi::Side;

/// Whether the game seems to be over. What the arbiter or the rules make of the signs is not decided here.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ending {
    /// Who signals a draw since the last press.
    draw: Option<Side>,
    over: bool,
}

impl Ending {
    pub fn is_over(self) -> bool {
        self.over
    }

    /// A player used his buttons: he resigns, or both want a draw.
    pub fn signalled(&mut self, side: Side, signal: PlayerSignal) {
        match signal {
            PlayerSignal::Resign => self.over = true,
            PlayerSignal::Draw => {
                self.over |= self.draw.is_some_and(|other| other != side);
                self.draw = Some(side);
            }
            PlayerSignal::CallArbiter => {}
        }
    }

    /// The side to move has no move left, or its time ran out.
    pub fn decided(&mut self) {
        self.over = true;
    }

    /// Somebody pressed: play goes on.
    pub fn pressed(&mut self) {
        *self = Ending::default();
    }
}
