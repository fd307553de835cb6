//! What viewers see: plain values, absolute state, ready for pages, streams and the API.

use std::collections::{BTreeMap, BTreeSet};

use arbitration::{
    AlertCode, Evidence, GameResult, Outcome, Remedy, ResultSource, Severity, VaryOrder, Words,
};
pub use capture::PlyNo;
pub use firmware_proto::{DeviceUid, Epoch, Half, Millis, PlayerSignal};
use serde::{Deserialize, Serialize};
use tournament::{EntrantNo, GroupNo, RoundNo, TableNo, TeamRules};
use xiangqi::{Move, Piece, Point, Side};

use crate::{AccountDeed, Act, Actor, Outgoing, PointState, Settlement, TableBinding};

/// The event's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventView {
    /// Title.
    pub title: String,
    /// Rounds to be played.
    pub rounds: u16,
    /// The current round; 0 before the first is paired.
    pub round: RoundNo,
    /// Whether the current round's games are being played.
    pub playing: bool,
    /// Whether all rounds are over.
    pub finished: bool,
    /// Name of the regulation.
    pub regulation: String,
    /// Base time, ms.
    pub base_ms: u32,
    /// Increment, ms.
    pub increment_ms: u32,
    /// Natural limit in rounds (自然限着).
    pub natural_limit: u16,
    /// Entrants.
    pub entrants: u16,
    /// The groups' names, in order; none where all are in one field.
    pub groups: Vec<String>,
    /// Counters of the venue.
    pub venue: VenueView,
}

/// What the venue's machines are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VenueView {
    /// Tables with devices.
    pub tables: u16,
    /// Plies read in all games.
    pub plies: u64,
    /// Open alerts.
    pub alerts: u32,
    /// Observations handled.
    pub observations: u64,
}

/// A player in a pairing or a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerView {
    /// Number from the draw.
    pub no: EntrantNo,
    /// Name.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// Points before the round.
    pub points: u16,
    /// Rank before the round; 0 before round 1.
    pub rank: u16,
}

/// One round's pairings with live results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundView {
    /// Which round.
    pub round: RoundNo,
    /// Whether it is the current one.
    pub current: bool,
    /// Pairings by table; the bye last.
    pub pairings: Vec<PairingView>,
    /// The matches of a team event that have sat down; none in an individual event.
    pub matches: Vec<MatchView>,
}

/// A match (场) of two teams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchView {
    /// Its number in the round.
    pub no: TableNo,
    /// 主队, with its points (场分) and rank before the round.
    pub home: PlayerView,
    /// 客队; `None`: bye.
    pub away: Option<PlayerView>,
    /// The tables of board (台次) 1, 2, 3, ….
    pub boards: Vec<TableNo>,
}

/// The teams of a team event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamsView {
    /// What boards and matches are worth.
    pub rules: TeamRules,
    /// By number.
    pub teams: Vec<TeamView>,
}

/// A team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamView {
    /// Number from the draw.
    pub no: EntrantNo,
    /// Name.
    pub name: String,
    /// Its players, each with his number, in the order of registration.
    pub members: Vec<(EntrantNo, String)>,
}

/// One pairing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairingView {
    /// The table; `None`: bye.
    pub table: Option<TableNo>,
    /// Red (or who has the bye).
    pub red: PlayerView,
    /// Black; `None`: bye (轮空).
    pub black: Option<PlayerView>,
    /// Why they meet, in words (zh).
    pub reason: String,
    /// Where the game stands.
    pub status: GameStatus,
    /// Plies played.
    pub plies: u16,
    /// The group that both are in.
    pub group: GroupNo,
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is", content = "outcome")]
pub enum GameStatus {
    /// 未开.
    NotStarted,
    /// 进行.
    Playing,
    /// 待判局面: an arbiter has to decide.
    Pending,
    /// 已毕.
    Finished(Outcome),
    /// 已毕, and its outcome is not told (赛果暂不公布): what viewers without results see in the place of the outcome.
    Withheld,
}

impl GameStatus {
    /// Whether the game is over, told or not.
    #[must_use]
    pub const fn is_over(self) -> bool {
        match self {
            GameStatus::Finished(_) | GameStatus::Withheld => true,
            GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending => false,
        }
    }
}

/// One game, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameView {
    /// Which round.
    pub round: RoundNo,
    /// At which table.
    pub table: TableNo,
    /// Red.
    pub red: PlayerView,
    /// Black.
    pub black: PlayerView,
    /// Where it stands.
    pub status: GameStatus,
    /// When it ended, venue time.
    pub ended_at: Option<Epoch>,
    /// Counts the changes of this view: a higher one replaces a lower one.
    pub version: u64,
    /// The position now, FEN.
    pub fen: String,
    /// Whose turn it is.
    pub to_move: Side,
    /// Whether the side to move is in check (将军).
    pub check: bool,
    /// The completed plies (pressed, answered, or the game over on the board): a piece that may still slide on is
    /// not shown.
    pub plies: Vec<PlyView>,
    /// The commentators' notes, by ply.
    pub notes: Vec<NoteView>,
    /// Both clocks.
    pub clocks: ClocksView,
    /// Plies since the last capture.
    pub quiet_plies: u16,
    /// Fouls, Red and Black.
    pub fouls: [u8; 2],
    /// Whether board and clock are connected.
    pub connected: bool,
}

/// One ply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlyView {
    /// From where to where (UCI text).
    pub mv: Move,
    /// Chinese notation.
    pub zh: String,
    /// WXF notation.
    pub wxf: String,
    /// The position after it, FEN (board part only).
    pub board: String,
    /// Whether it gives check.
    pub check: bool,
    /// Whether it takes a piece.
    pub capture: bool,
    /// Time used, ms; `None` until the press.
    pub used_ms: Option<u32>,
    /// When the piece was placed.
    pub at: Epoch,
    /// Whether it is no regular ply (记录待核).
    pub irregular: bool,
}

/// A commentator's note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteView {
    /// The ply it is about, counted from 1; 0: the game.
    pub ply: u16,
    /// Whose it is.
    pub by: String,
    /// What he says.
    pub text: String,
}

/// Both clocks at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClocksView {
    /// Red's time left at that instant, ms.
    pub red_ms: u32,
    /// Black's.
    pub black_ms: u32,
    /// Whose time runs.
    pub running: Option<Side>,
    /// That instant, venue time.
    pub at: Epoch,
    /// True if the clock's link is down: what is shown is extrapolated (推算).
    pub estimated: bool,
}

/// The standing after a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandingView {
    /// After this round.
    pub after: RoundNo,
    /// Whether games of that round are still running (a live standing).
    pub live: bool,
    /// The ladder's columns, in its order (of groups with different ladders: all of them): key and Chinese and English head.
    pub columns: Vec<ColumnView>,
    /// Rank by rank, group after group.
    pub rows: Vec<StandingRow>,
}

impl StandingView {
    /// The standing of one group, with the columns by which it is ranked.
    #[must_use]
    pub fn of_group(&self, group: GroupNo) -> StandingView {
        let rows = || self.rows.iter().filter(|row| row.group == group);
        let ranked_by =
            |at: &usize| rows().any(|row| row.values.get(*at).is_some_and(|value| !value.is_empty()));
        let columns: Vec<usize> = (0..self.columns.len()).filter(ranked_by).collect();
        let narrowed = |row: &StandingRow| StandingRow {
            values: columns.iter().map(|at| row.values[*at].clone()).collect(),
            decided_by: row.decided_by.and_then(|column| columns.iter().position(|at| *at == column)),
            ..row.clone()
        };
        StandingView {
            after: self.after,
            live: self.live,
            columns: columns.iter().map(|at| self.columns[*at].clone()).collect(),
            rows: rows().map(narrowed).collect(),
        }
    }
}

/// A column of the standing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnView {
    /// The ladder's key.
    pub key: String,
    /// Chinese head.
    pub zh: String,
    /// English head.
    pub en: String,
}

/// One entrant's line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandingRow {
    /// Rank; shared by equals.
    pub rank: u16,
    /// Number.
    pub no: EntrantNo,
    /// The group in which it has the rank.
    pub group: GroupNo,
    /// Name.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// One value a column; empty where the group is not ranked by it.
    pub values: Vec<String>,
    /// The column that put this entrant behind the one above; `None`: points differ, or equal.
    pub decided_by: Option<usize>,
    /// Why the one above is above, in words (zh, en); empty where points differ.
    pub why: [String; 2],
}

/// The arbiters' alerts, gravest and newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AlertsView {
    /// Open ones.
    pub open: Vec<AlertView>,
    /// How many were settled or passed by themselves.
    pub closed: u32,
    /// Which tables each arbiter walks (我的台), by account; who is not named has said nothing.
    pub walks: BTreeMap<String, BTreeSet<TableNo>>,
}

/// One alert.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlertView {
    /// Its number.
    pub id: u64,
    /// What it is about.
    pub code: AlertCode,
    /// How much it presses.
    pub severity: Severity,
    /// Its table, if it is about one.
    pub table: Option<TableNo>,
    /// When it was raised.
    pub at: Epoch,
    /// Evidence in words: Chinese, English.
    pub evidence: [String; 2],
    /// What is proposed: Chinese, English; may be empty.
    pub proposal: [String; 2],
    /// Who took it up.
    pub claimed_by: Option<String>,
    /// Whether it went to the chief arbiter because nobody took it up.
    pub escalated: bool,
    /// How often it was raised or said more.
    pub times: u32,
    /// The evidence as data.
    pub data: Evidence,
    /// What is offered, the proposed one first; taken by [`crate::Act::Remedy`] with its place, from 0.
    pub remedies: Vec<RemedyView>,
}

/// A remedy and its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemedyView {
    /// Words of its button: Chinese, English.
    pub words: [String; 2],
    /// Its steps.
    pub steps: Remedy,
}

/// An alert that is closed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClosedAlertView {
    /// What it was.
    pub alert: AlertView,
    /// How it was closed.
    pub how: Settlement,
    /// When.
    pub at: Epoch,
    /// By whom.
    pub by: String,
    /// Why.
    pub why: String,
}

/// A decision that can be undone, or was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionView {
    /// Its number: the journal entry's; for [`crate::Act::Undo`].
    pub no: u64,
    /// In which round.
    pub round: RoundNo,
    /// At which table, if it is about one.
    pub table: Option<TableNo>,
    /// When.
    pub at: Epoch,
    /// Who.
    pub by: Actor,
    /// What.
    pub act: Act,
    /// Both times of its table then, Red's and Black's, ms, if they were known.
    pub times: Option<[u32; 2]>,
    /// Whether it was undone.
    pub undone: bool,
    /// Whether it can be undone.
    pub undoable: bool,
}

/// What a page of the journal shows: all conditions hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalQuery {
    /// Of this table only.
    pub table: Option<TableNo>,
    /// Of this person only.
    pub by: Option<String>,
    /// Of this kind only.
    pub kind: Option<DeedKind>,
    /// Older than this entry.
    pub before: Option<u64>,
    /// At most so many.
    pub at_most: usize,
}

/// A page of the journal (日志), newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JournalView {
    /// Who did what.
    pub rows: Vec<DeedView>,
    /// Where the next page begins ([`JournalQuery::before`]), if there is more.
    pub older: Option<u64>,
    /// Everybody who ever did something.
    pub people: Vec<String>,
}

/// What kind of thing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeedKind {
    /// 裁决与操作: decisions, and games that ended by themselves.
    Decision,
    /// 警报: alerts raised, escalated, passed.
    Alert,
    /// 赛务: the organiser's desk.
    Desk,
    /// 账户: accounts and signing in, and which gateways are let in.
    Account,
}

impl DeedKind {
    /// All kinds.
    pub const ALL: [DeedKind; 4] = [DeedKind::Decision, DeedKind::Alert, DeedKind::Desk, DeedKind::Account];

    /// The stable name, as in addresses.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            DeedKind::Decision => "decision",
            DeedKind::Alert => "alert",
            DeedKind::Desk => "desk",
            DeedKind::Account => "account",
        }
    }
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeedView {
    /// The entry's number.
    pub no: u64,
    /// When.
    pub at: Epoch,
    /// Who.
    pub by: Actor,
    /// At which table.
    pub table: Option<TableNo>,
    /// What.
    pub what: DeedWhat,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum DeedWhat {
    /// Somebody decided this.
    Decided {
        /// What.
        act: Box<Act>,
        /// Whether it was undone.
        undone: bool,
    },
    /// A game ended by itself.
    Ended {
        /// How.
        outcome: Outcome,
    },
    /// Something became of an alert by itself.
    Alert {
        /// Its number.
        id: u64,
        /// What it is about.
        code: AlertCode,
        /// How much it presses.
        severity: Severity,
        /// What became of it.
        turn: AlertTurn,
    },
    /// The desk did this, in its words.
    Desk {
        /// What.
        did: Words,
    },
    /// Something was done with an account.
    Account {
        /// What.
        deed: AccountDeed,
    },
    /// A gateway may bring observations from now on, or no longer.
    LetIn {
        /// Its name.
        gateway: String,
        /// Whether it may.
        on: bool,
    },
}

/// What becomes of an alert by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertTurn {
    /// It was raised.
    Raised,
    /// It went to the chief arbiter.
    Escalated,
    /// Its cause has gone.
    Passed,
}

/// One table of the current round as its arbiter sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableView {
    /// The table.
    pub table: TableNo,
    /// All plies, the ones that may still slide on included.
    pub plies: Vec<PlyView>,
    /// How many of them are completed, as spectators see them.
    pub completed: u16,
    /// The position after all of them, FEN.
    pub fen: String,
    /// What the board's sensors show, by point, in the board's own terms; `None` until they were seen.
    pub image: Option<Vec<u8>>,
    /// Where the board is not as recorded: what should stand there. The pieces to move.
    pub wrong: Vec<(Point, Option<Piece>)>,
    /// Whether the pieces are being put right; passes when the board sees that it is done.
    pub putting_right: bool,
    /// Both clocks.
    pub clocks: ClocksView,
    /// Fouls, Red and Black.
    pub fouls: [u8; 2],
    /// Illegal moves among them.
    pub illegal_moves: [u8; 2],
    /// Warnings.
    pub warnings: [u8; 2],
    /// The natural limit's count.
    pub limit: LimitView,
    /// The order to vary that stands.
    pub order: Option<VaryOrder>,
    /// Who offers a draw.
    pub draw_offered_by: Option<Side>,
    /// Results that were reported.
    pub reported: Vec<(ResultSource, GameResult)>,
    /// From which ply on others than the chief arbiter may correct.
    pub correctable_from: PlyNo,
    /// Commands that its devices have not answered yet.
    pub commands: Vec<Outgoing>,
    /// Whether its board is connected.
    pub board_connected: bool,
    /// Whether its clock is connected.
    pub clock_connected: bool,
}

/// The natural limit's count (自然限着).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitView {
    /// Rounds still to go.
    pub left: u32,
    /// The event's limit, rounds.
    pub rounds: u32,
    /// Counted plies, Red and Black.
    pub counted: [u32; 2],
    /// All plies since the count began.
    pub all: [u32; 2],
    /// Plies that the event does not count.
    pub excluded: Vec<PlyNo>,
    /// Who claims.
    pub claimant: Option<Side>,
}

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
    },
    /// A ply was completed (确认).
    Confirmed {
        /// Its number.
        no: PlyNo,
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

/// How the devices of a table are, and how far their self-test (自检) is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevicesView {
    /// The table.
    pub table: TableNo,
    /// Its devices.
    pub binding: TableBinding,
    /// Whether a game is being played there.
    pub plays: bool,
    /// Since when a self-test goes on.
    pub since: Option<Epoch>,
    /// When the last one ended, if none has begun since.
    pub tested: Option<Epoch>,
    /// What the sensors show, by point, in the board's own terms; `None` until they were seen.
    pub image: Option<Vec<u8>>,
    /// How each point did, by [`Point::index`]; `None`: it was not tested.
    pub points: Option<Vec<PointState>>,
    /// Whether the levers were pressed in the test, Red's and Black's.
    pub pressed: [bool; 2],
    /// What there is to say, gravest first.
    pub concerns: Vec<Concern>,
}

/// What stands between a table and a round that is recorded by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concern {
    /// The board was never heard of.
    BoardUnseen,
    /// The board is not connected.
    BoardAway,
    /// The clock was never heard of.
    ClockUnseen,
    /// The clock is not connected.
    ClockAway,
    /// A supply is low, mV.
    Supply(u16),
    /// These points see no piece.
    Dead(Vec<Point>),
    /// These points see a piece for ever.
    Stuck(Vec<Point>),
    /// These points flicker.
    Unsure(Vec<Point>),
    /// These points had no piece in the test.
    Untried(Vec<Point>),
    /// This side's lever was not pressed in the test.
    Unpressed(Side),
    /// There was no test.
    Untested,
}

/// How a table's devices are, in one word: the worst of their concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Tested and found sound (正常).
    Sound,
    /// Something is not known, or wants to be looked at (待查).
    Open,
    /// Something does not work (故障).
    Faulty,
}

impl Concern {
    /// How grave it is.
    #[must_use]
    pub const fn condition(&self) -> Condition {
        match self {
            Concern::BoardUnseen
            | Concern::BoardAway
            | Concern::ClockUnseen
            | Concern::ClockAway
            | Concern::Dead(_)
            | Concern::Stuck(_) => Condition::Faulty,
            Concern::Supply(_)
            | Concern::Unsure(_)
            | Concern::Untried(_)
            | Concern::Unpressed(_)
            | Concern::Untested => Condition::Open,
        }
    }
}

impl DevicesView {
    /// In one word.
    #[must_use]
    pub fn condition(&self) -> Condition {
        self.concerns.iter().map(Concern::condition).max().unwrap_or(Condition::Sound)
    }
}
