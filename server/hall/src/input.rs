//! What goes into the hall, and what comes out beside journal entries.

use capture::PlyNo;
use firmware_proto::{Beat, CmdId, Command, DeviceUid, GatewayId, Half, Observation};
use serde::{Deserialize, Serialize};
use tournament::{RoundNo, TableNo};
use xiangqi::{Move, Side};

use crate::{Role, Showing};

/// What happens to a hall.
#[derive(Clone, Debug)]
pub enum Input {
    /// Observations of gateways, in their streams' order, each exactly once. What is handed in together is put in
    /// the order of its happening.
    Observed(Vec<Observation>),
    /// What clocks show, for display; may be lost.
    Beats(Vec<Beat>),
    /// A gateway came or went (retained presence, last will).
    Gateway {
        /// Which.
        id: GatewayId,
        /// Whether it is there.
        up: bool,
    },
    /// Somebody decided something.
    Act(Act, Actor),
    /// A time that the hall asked for has come ([`crate::Hall::poll_timeout`]).
    Time,
}

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The hall itself, by the regulation.
    Hall,
    /// A signed-in person.
    Person {
        /// Account name.
        name: String,
        /// As what the person acts.
        role: Role,
    },
}

impl Actor {
    /// A person in an office.
    pub fn person(name: impl Into<String>, role: Role) -> Actor {
        Actor::Person { name: name.into(), role }
    }

    /// As what it acts; `None`: the hall itself.
    #[must_use]
    pub const fn role(&self) -> Option<Role> {
        match self {
            Actor::Hall => None,
            Actor::Person { role, .. } => Some(*role),
        }
    }

    /// The name that is shown.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Actor::Hall => "Chuhe",
            Actor::Person { name, .. } => name,
        }
    }
}

/// What people decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Opens the event: what it is called, how many rounds, under which regulation (`a` or `b`).
    Open {
        /// The event's title.
        title: String,
        /// Rounds to be played.
        rounds: u16,
        /// Name of the regulation's preset.
        regulation: String,
        /// Seed of the draw of numbers (抽签).
        seed: u64,
    },
    /// Enters a player.
    Enter(Entrant),
    /// Says which devices stand on a table.
    Bind(TableBinding),
    /// Draws the numbers (抽签), closes the entries.
    Draw,
    /// Pairs the next round and publishes it.
    Pair,
    /// Starts the round: clocks are set, the games may begin.
    Start,
    /// A result given by hand (slip, desk, arbiter), or a correction of one, in any round.
    Result {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// How the game ended.
        outcome: arbitration::Outcome,
    },
    /// The end of a game of the current round is taken back: it goes on.
    Reopen(TableNo),
    /// A foul is given, or taken back (犯规).
    Foul {
        /// The table.
        table: TableNo,
        /// Whose.
        side: Side,
        /// False: one is taken back.
        given: bool,
        /// For what.
        why: String,
    },
    /// What was played from a ply on is corrected (纠错); an empty line takes the plies from there on back (回退).
    Correct {
        /// The table.
        table: TableNo,
        /// The first ply that was otherwise.
        from: PlyNo,
        /// What was played instead.
        line: Vec<Move>,
    },
    /// Both clocks of a table are set (调钟).
    SetClock {
        /// The table.
        table: TableNo,
        /// Red's time left, ms.
        red_ms: u32,
        /// Black's time left, ms.
        black_ms: u32,
        /// Whose time runs afterwards; `None`: stopped.
        running: Option<Side>,
    },
    /// The clocks of these tables are stopped where they stand (停钟); an empty list means all of the round.
    Pause(Vec<TableNo>),
    /// The clocks of these tables run on for the side to move (继续); an empty list means all of the round.
    Resume(Vec<TableNo>),
    /// The broadcast is steered: delay, hidden results, announcements, the hall's screens.
    Show(Showing),
    /// A commentator's note on a ply (0: on the game); an empty text takes his note there away.
    Note {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// The ply, counted from 1.
        ply: u16,
        /// What he says.
        text: String,
    },
    /// An alert is taken up by somebody (受理).
    Claim(u64),
    /// An alert is settled or dismissed, with the reason.
    Settle {
        /// The alert.
        alert: u64,
        /// Why.
        why: String,
    },
}

/// A player as entered; the number comes from the draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// Name.
    pub name: String,
    /// Club, town or team (单位).
    pub unit: String,
}

/// Which devices stand on a table, and how they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableBinding {
    /// The table.
    pub table: TableNo,
    /// Its board.
    pub board: DeviceUid,
    /// Its clock; the board's own number where one controller is both.
    pub clock: DeviceUid,
    /// The half that plays Red.
    pub red: Half,
}

/// A command for a device; repeated by the shell until its `Done` was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outgoing {
    /// The device.
    pub device: DeviceUid,
    /// The command's number.
    pub id: CmdId,
    /// What to do.
    pub command: Command,
}

/// Which views are new; the shell asks the hall for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed {
    /// [`crate::Hall::event_view`].
    Event,
    /// [`crate::Hall::round_view`] of the current round.
    Round,
    /// [`crate::Hall::game_view`] of this table.
    Game(TableNo),
    /// [`crate::Hall::standing_view`].
    Standing,
    /// [`crate::Hall::alert_view`].
    Alerts,
    /// [`crate::Hall::broadcast_view`].
    Broadcast,
    /// [`crate::Hall::game_view`] of a game of an earlier round.
    Past(RoundNo, TableNo),
}
