//! What the tracker concludes: plies with their states, and what an arbiter should know.

use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use xiangqi::{Move, Piece, Point, Side};

use crate::{Completed, Cost, Doubt, Why};

/// The number of a ply in its game: 1 is Red's first move, 2 Black's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlyNo(pub u16);

/// How far a ply is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlyState {
    /// Placed and stable; may still be taken back by the hand.
    Provisional,
    /// Completed: pressed, or answered.
    Confirmed,
    /// Two confirmed plies later: only an arbiter changes it.
    Locked,
}

/// A ply as read from the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlyRead {
    /// Its number.
    pub no: PlyNo,
    /// From where to where.
    pub mv: Move,
    /// When the piece was placed.
    pub at: Epoch,
    /// How far it is settled.
    pub state: PlyState,
    /// Why it is no regular ply, if it is none.
    pub irregular: Option<Irregularity>,
    /// What speaks for it; `None`: an arbiter entered it. Older journals lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<Why>>,
}

/// Why a ply is followed though it is not regular.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Irregularity {
    /// It breaks the movement rules (违反行棋规定).
    Illegal,
    /// It leaves or puts the own general in danger (不应将, 送将, 对面).
    ExposesGeneral,
    /// The side not to move played it: two plies by one side.
    OutOfTurn,
    /// An arbiter entered it.
    Entered,
}

/// What the tracker concludes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// A ply is read, or read otherwise than before: it replaces the ply of its number and all later ones.
    Read(PlyRead),
    /// A ply is completed: when, and by what. Older journals lack the latter.
    Confirmed(PlyNo, Epoch, #[serde(default)] Option<Completed>),
    /// A ply is settled for good.
    Locked(PlyNo),
    /// The plies from this one on are no longer believed (taken back, slid on, or misread).
    Withdrawn(PlyNo),
    /// The board does not fit the record (盘面与记录不符): which points differ, and since when.
    Mismatch {
        /// Points that differ from the record.
        points: Vec<Point>,
        /// Since when.
        since: Epoch,
    },
    /// Many pieces changed at once (碰乱棋子): which points, and whose clock ran.
    Disturbed {
        /// Points that changed.
        points: Vec<Point>,
        /// Whose time ran then.
        running: Option<Side>,
        /// When it began.
        since: Epoch,
    },
    /// The board fits the record again.
    Restored(Epoch),
    /// Pressed without a move (未走棋先按钟).
    PressWithoutMove(Side, Epoch),
    /// The clock stands the wrong way round: ply after ply the lever of the side that had not moved was pressed. Whose it
    /// was last, and when.
    ClockTurned(Side, Epoch),
    /// A piece was touched, put back, and another one moved (摸子).
    TouchMove {
        /// Who.
        side: Side,
        /// The piece first touched.
        touched: Point,
        /// The ply that was played instead.
        played: PlyNo,
        /// How long the touched piece was off the board, ms.
        held: u32,
    },
    /// Two or more readings fit (漏检着法): the best ones, ranked.
    Ambiguous {
        /// First ply in question.
        from: PlyNo,
        /// Lines from that ply on.
        lines: Vec<Vec<Move>>,
        /// How much dearer each is than the first, where that is known.
        #[serde(default)]
        dearer: Vec<Cost>,
        /// Why they do.
        #[serde(default)]
        doubt: Doubt,
    },
    /// The set-up is not the start position: what stands where it should not, or is missing.
    SetUp {
        /// Points that differ: what should stand there.
        wrong: Vec<(Point, Option<Piece>)>,
    },
    /// The set-up is right.
    SetUpRight,
    /// One of these points senses nothing, the likeliest first: a piece stands or stood on one of them and none showed
    /// it. One piece put on each of them in turn tells which.
    Suspects {
        /// Which.
        points: Vec<Point>,
    },
    /// A point does not sense any more, or senses for ever.
    BadPoint {
        /// Which.
        point: Point,
        /// True: shows a piece for ever; false: shows none.
        stuck: bool,
    },
}
