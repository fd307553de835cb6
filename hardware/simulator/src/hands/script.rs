//! What happens at a table during a game.

use firmware_proto::PlayerSignal;
use xiangqi::{Point, Side};

use crate::man::{Man, Stand};
use crate::truth::Truth;

/// Something that happens at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A point's sensor shows this from now on.
    Shows(Point, Option<Man>),
    /// A player pushes his lever.
    Lever(Side),
    /// A player uses his buttons.
    Button(Side, PlayerSignal),
    /// An arbiter at the table gives an order to the system.
    Arbiter(Order),
}

/// What an arbiter does on his screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Stops the clock.
    Pause,
    /// Lets this side's time run.
    Run(Side),
    /// Takes the plies from this number on back.
    TakeBack(u16),
    /// The board lies the wrong way round: its points are read from the other side from now on.
    TurnBoard,
}

/// What happens at a table during one game, in ms since the pieces stood.
#[derive(Clone, Debug)]
pub struct Script {
    /// What the sensors show at the beginning.
    pub shown: Stand,
    /// What stands at the beginning.
    pub stands: Stand,
    /// Whether the board lies the wrong way round.
    pub turned: bool,
    /// What happens, in order of time; after the game's end as well.
    pub acts: Vec<(i64, Act)>,
    /// What was played.
    pub truth: Truth,
    /// What stands at the end of it all.
    pub left: Stand,
}

impl Script {
    /// Whether the press that starts Red's time has been made at this ms of the script.
    #[must_use]
    pub fn has_started(&self, at: i64) -> bool {
        self.acts
            .iter()
            .find(|(_, act)| matches!(act, Act::Lever(_)))
            .is_some_and(|(pressed, _)| *pressed < at)
    }

    /// When so many plies were completed: the last of them stands and was pressed, if it ever was; before the first
    /// one, when Red's time began.
    #[must_use]
    pub fn completed(&self, plies: usize) -> i64 {
        match self.truth.plies.iter().take(plies).next_back() {
            Some(ply) => ply.pressed.map_or(ply.placed, |pressed| pressed.max(ply.placed)),
            None => self
                .acts
                .iter()
                .find(|(_, act)| matches!(act, Act::Lever(_)))
                .map_or(0, |(pressed, _)| *pressed),
        }
    }

    /// The first instant from this ms on at which no ply is under way.
    #[must_use]
    pub fn rest_after(&self, at: i64) -> i64 {
        let plies = self.truth.plies.len();
        let Some(completed) = (0..=plies).take_while(|&plies| self.completed(plies) <= at).last() else {
            return self.completed(0);
        };
        let last = self.completed(completed);
        let begun = self.acts.iter().any(|(when, _)| (last + 1..=at).contains(when));
        if begun && completed < plies { self.completed(completed + 1) } else { at }
    }

    /// What the sensors show at this ms.
    #[must_use]
    pub fn shown_at(&self, at: i64) -> Stand {
        let mut shown = self.shown;
        for (_, act) in self.acts.iter().take_while(|(when, _)| *when <= at) {
            if let Act::Shows(point, man) = *act {
                shown[point.index()] = man;
            }
        }
        shown
    }
}
