//! What happened at one table, in the order of time.

use arbitration::{AlertCode, Severity};
use capture::{Completed, PlyNo};
use firmware_proto::{Epoch, PlayerSignal};
use serde::Serialize;
use tournament::TableNo;
use xiangqi::{Move, Piece, Point, Side};

use crate::{Act, Actor};

/// What happened at a table in a span of time (时间轴).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineView {
    /// The table.
    pub table: TableNo,
    /// From here …
    pub from: Epoch,
    /// … to here.
    pub to: Epoch,
    /// The first moment that is still known of this game.
    pub first: Option<Epoch>,
    /// Whose time ran, from when to when, in order.
    pub ran: Vec<(Epoch, Epoch, Side)>,
    /// What happened, in order.
    pub moments: Vec<MomentView>,
}

/// One moment of a timeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MomentView {
    /// When it happened.
    pub at: Epoch,
    /// What.
    pub what: Moment,
}

/// What spoke for a ply when it was read, and what against it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhyView {
    /// Whether its piece was seen lifted.
    pub lifted: bool,
    /// Whether it was seen placed.
    pub placed: bool,
    /// It captures, and its target showed nothing of that.
    pub untouched: bool,
    /// The nearest reading in which it was not played.
    pub rival: Option<RivalView>,
}

/// A reading beside the one that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RivalView {
    /// Its ply; `None`: none was played yet.
    pub mv: Option<Move>,
    /// In Chinese notation.
    pub zh: Option<String>,
    /// In WXF notation.
    pub wxf: Option<String>,
    /// How much dearer it was: 1,000 more is about e times less likely.
    pub dearer: i64,
}

/// What can happen at a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Moment {
    /// A piece was lifted (提子).
    Lifted {
        /// From where.
        point: Point,
        /// What stood there by the record.
        piece: Option<Piece>,
    },
    /// A piece was put down (落子).
    Placed {
        /// Where.
        point: Point,
        /// What stands there by the record.
        piece: Option<Piece>,
    },
    /// A player pressed (按钟).
    Pressed {
        /// Who.
        side: Side,
        /// Red's and Black's time left, ms.
        left_ms: [u32; 2],
    },
    /// A side's time ran out (超时).
    Flagged {
        /// Whose.
        side: Side,
        /// Red's and Black's time left, ms.
        left_ms: [u32; 2],
    },
    /// The clock was set, started or stopped.
    Clock {
        /// Red's and Black's time left, ms.
        left_ms: [u32; 2],
        /// Whose time runs now.
        running: Option<Side>,
    },
    /// A player used a button of the clock.
    Signalled {
        /// Who.
        side: Side,
        /// What.
        signal: PlayerSignal,
    },
    /// A point is at fault, or a device.
    Fault {
        /// Which point.
        point: Option<Point>,
    },
    /// One of these points senses nothing.
    Suspects {
        /// Which, the likeliest first.
        points: Vec<Point>,
    },
    /// Records were lost.
    Lost,
    /// The links came or went.
    Linked {
        /// Whether the board is connected.
        board: bool,
        /// Whether the clock is.
        clock: bool,
    },
    /// A ply was read (识别).
    Read {
        /// Its number.
        no: PlyNo,
        /// From where to where.
        mv: Move,
        /// In Chinese notation, if it stands in the record.
        zh: Option<String>,
        /// In WXF notation.
        wxf: Option<String>,
        /// Whether it is no regular ply.
        irregular: bool,
        /// What spoke for it then.
        why: Option<WhyView>,
    },
    /// A ply was completed (确认).
    Confirmed {
        /// Its number.
        no: PlyNo,
        /// By what.
        by: Option<Completed>,
    },
    /// Plies are no longer believed.
    Withdrawn {
        /// From this one on.
        from: PlyNo,
    },
    /// The board differs from the record (不符).
    Differs {
        /// Where.
        points: Vec<Point>,
    },
    /// Many pieces changed at once (碰乱).
    Disturbed {
        /// Where.
        points: Vec<Point>,
    },
    /// The board is as recorded again (复原).
    AsRecorded,
    /// A player pressed without a move.
    PressedWithoutMove {
        /// Who.
        side: Side,
    },
    /// The clock stands the wrong way round (棋钟放反).
    ClockTurned,
    /// A piece was touched, put back, and another one moved (摸子).
    Touched {
        /// Who.
        side: Side,
        /// The touched piece's point.
        point: Point,
        /// The ply that was played instead.
        played: PlyNo,
        /// How long it was held, ms.
        held_ms: u32,
    },
    /// Several readings fit.
    Ambiguous {
        /// From this ply on.
        from: PlyNo,
        /// How many.
        readings: usize,
    },
    /// An alert was raised about this moment (警报).
    Alert {
        /// Its number.
        id: u64,
        /// What it is about.
        code: AlertCode,
        /// How much it presses.
        severity: Severity,
    },
    /// Somebody decided something (裁决).
    Decided {
        /// The decision's number.
        no: u64,
        /// Who.
        by: Actor,
        /// What.
        act: Box<Act>,
    },
}
