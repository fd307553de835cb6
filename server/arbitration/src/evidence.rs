//! What an alert rests on, as data: pages draw it, sheets print it, programmes read it.

use capture::{Cost, Doubt, PlyNo};
use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use xiangqi::judge::{Class, Kind};
use xiangqi::{BySide, Move, Piece, Point, Side};

use crate::{ClockReading, GameResult, Misconduct, ResultSource, Suspicion};

/// The evidence of an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Evidence {
    /// The words say it all.
    Words,
    /// Flags: both times then, and the instant at which each side's time ran out.
    Flags {
        /// Both times when the last of them fell.
        clock: ClockReading,
        /// When each fell.
        fallen: BySide<Option<Epoch>>,
        /// The last press before: who and when.
        last_press: Option<(Side, Epoch)>,
    },
    /// A ply.
    Ply {
        /// Its number.
        no: PlyNo,
        /// From where to where.
        mv: Move,
        /// Who played it.
        side: Side,
        /// What the piece could have done instead.
        legal: Vec<Move>,
    },
    /// A repetition.
    Repetition {
        /// First ply of it.
        first: PlyNo,
        /// Last ply.
        last: PlyNo,
        /// The class of each ply of it.
        classes: Vec<Class>,
        /// Who must vary, if somebody must.
        must_vary: Option<Side>,
        /// Who loses if nobody varies; `None`: a draw.
        loser: Option<Side>,
        /// How the judgement takes effect.
        kind: Kind,
        /// When this ply repeats again, it is too late.
        deadline: PlyNo,
        /// Another reading of the rules would say otherwise.
        doubtful: bool,
        /// Whose class an arbiter ruled.
        #[serde(default)]
        ruled: Vec<PlyNo>,
    },
    /// A position that has occurred before.
    Recurrence {
        /// How often.
        times: u32,
    },
    /// Fouls.
    Fouls {
        /// Whose.
        side: Side,
        /// How many.
        fouls: u8,
        /// How many lose.
        limit: u8,
    },
    /// The natural limit's count.
    Limit {
        /// Rounds still to go.
        left: u32,
        /// The event's limit, rounds.
        rounds: u32,
        /// Counted plies of each side.
        counted: BySide<u32>,
        /// All plies of each side since the count began.
        all: BySide<u32>,
        /// Plies that the event does not count.
        excluded: Vec<PlyNo>,
        /// Who claims, if somebody does.
        claimant: Option<Side>,
    },
    /// Points that are not as recorded.
    Points {
        /// Each with what should stand there.
        points: Vec<(Point, Option<Piece>)>,
        /// Whose time ran.
        running: Option<Side>,
        /// How much that side had left, ms.
        left_ms: Option<u32>,
        /// Whose hand it was, as far as there is evidence.
        #[serde(default)]
        who: Option<Box<Suspicion>>,
    },
    /// A press.
    Press {
        /// Who.
        side: Side,
        /// When.
        at: Epoch,
    },
    /// A touched piece.
    Touch {
        /// Who.
        side: Side,
        /// Where the touched piece stands.
        touched: Point,
        /// The ply that was played instead.
        played: PlyNo,
        /// For how long it was held, ms.
        held_ms: u32,
    },
    /// Several readings fit.
    Readings {
        /// From which ply on.
        from: PlyNo,
        /// The lines, best first.
        lines: Vec<Vec<Move>>,
        /// How much dearer each is than the first, where that is known: 1,000 more is about e times less likely.
        #[serde(default)]
        dearer: Vec<Cost>,
        /// Why they all fit.
        #[serde(default)]
        doubt: Doubt,
    },
    /// A sensing point at fault.
    BadPoint {
        /// Which.
        point: Point,
        /// True: shows a piece for ever; false: shows none.
        stuck: bool,
    },
    /// A link that is down.
    Link {
        /// Since when.
        since: Epoch,
    },
    /// An offer of a draw.
    DrawOffer {
        /// Who offers.
        side: Side,
        /// After how many plies.
        plies: u16,
        /// Both times then, ms.
        left_ms: Option<BySide<u32>>,
        /// Whether the offerer's general is attacked.
        attacked: bool,
        /// Whether it still may be claimed in time trouble: enough time left and the general not attacked.
        claimable: bool,
    },
    /// A player calls.
    Call {
        /// Who.
        side: Side,
    },
    /// Players who have not acted since the round's start.
    Absent {
        /// Who.
        sides: Vec<Side>,
        /// For how long by now, ms.
        waited_ms: u32,
        /// When they forfeit, ms after the start.
        limit_ms: u32,
    },
    /// The window for a correction.
    Window {
        /// The alert that is not settled.
        alert: u64,
        /// The ply in question.
        ply: PlyNo,
        /// Rounds played since.
        rounds: u16,
        /// Rounds within which it may be corrected.
        limit: u16,
    },
    /// Results that do not agree.
    Results {
        /// What the record says.
        recorded: Option<GameResult>,
        /// Who reported what.
        reported: Vec<(ResultSource, GameResult)>,
    },
    /// A clock that does not run as it should.
    Skew {
        /// Whose time.
        side: Side,
        /// What the clock tells, ms.
        told_ms: u32,
        /// What it should tell, ms.
        expected_ms: u32,
    },
    /// Time left.
    TimeLeft {
        /// Whose.
        side: Side,
        /// At most so much, ms.
        left_ms: u32,
    },
    /// A breach of discipline.
    Misconduct {
        /// Whose.
        side: Side,
        /// What.
        what: Misconduct,
    },
    /// Tables that are still playing.
    Tables {
        /// Which.
        tables: Vec<u16>,
    },
    /// A device's supply.
    Supply {
        /// Millivolts.
        millivolts: u16,
    },
}
