//! What viewers see: plain values, absolute state, ready for pages, streams and the API.

mod devices;
mod journal;
mod timeline;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arbitration::{AlertCode, Evidence, GameResult, Outcome, Remedy, ResultSource, Severity, VaryOrder};
pub use capture::{Completed, PlyNo};
pub use firmware_proto::progress;
pub use firmware_proto::{
    BadFirmwareFile, Capabilities, DeviceUid, Epoch, Firmware, Half, Millis, PlayerSignal, SensingKind,
    Target, UpdateRefusal,
};
use serde::{Deserialize, Serialize};
use tournament::{EntrantNo, GroupNo, RoundNo, TableNo, TeamRules};
use xiangqi::{Move, Piece, Point, Side};

pub use devices::{Concern, Condition, DevicesView};
pub use journal::{AlertTurn, DecisionView, DeedKind, DeedView, DeedWhat, JournalQuery, JournalView};
pub use timeline::{Moment, MomentView, RivalView, TimelineView, WhyView};

use crate::{Outgoing, Settlement};

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
    /// not shown. Shared: they are the same for every audience.
    pub plies: Arc<Vec<PlyView>>,
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
