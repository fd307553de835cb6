//! What the API says: its own types, so that it stays as it is when the views behind it change.

mod of_views;

use serde::Serialize;
use utoipa::ToSchema;

/// How a PGN writes moves.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[allow(dead_code, reason = "it describes; the words are read by `xiangqi::Notation`")]
pub enum Format {
    /// 炮二平五; what is written unless asked otherwise.
    Chinese,
    /// C2.5.
    Wxf,
    /// H2-E2.
    Iccs,
    /// h2e2.
    Uci,
}

/// The charset of a file.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes; the words are read where files are made")]
pub enum Charset {
    /// Unless asked otherwise.
    #[schema(rename = "utf-8")]
    Utf8,
    /// For programs that know nothing else.
    #[schema(rename = "gbk")]
    Gbk,
}

/// What went wrong.
#[derive(Serialize, ToSchema)]
pub struct Error {
    /// What, where, and what to do.
    pub error: String,
}

/// The event.
#[derive(Serialize, ToSchema)]
pub struct Event {
    /// Title.
    title: String,
    /// Rounds to be played.
    rounds: u16,
    /// The current round; 0 before the first is paired.
    round: u16,
    /// Whether its games are being played.
    playing: bool,
    /// Whether all rounds are over.
    finished: bool,
    /// Name of the regulation.
    regulation: String,
    /// Base time of each side, ms.
    base_ms: u32,
    /// Increment a move, ms.
    increment_ms: u32,
    /// Natural limit in moves of each side (自然限着).
    natural_limit: u16,
    /// Entrants.
    entrants: u16,
    /// The groups' names, in order; none where all are in one field.
    groups: Vec<String>,
    venue: Venue,
    /// How much later than played the games are shown.
    delay: Delay,
    /// Whether results are kept back.
    results_hidden: bool,
    /// The announcement on the pages.
    notice: Option<String>,
}

/// Counters of the venue; those that would tell of what is delayed are 0.
#[derive(Serialize, ToSchema)]
pub struct Venue {
    /// Tables with devices.
    tables: u16,
    /// Plies in all games.
    plies: u64,
    /// Open alerts.
    alerts: u32,
    /// Observations handled.
    observations: u64,
}

/// A delay: the later of the two counts.
#[derive(Serialize, ToSchema)]
pub struct Delay {
    /// Minutes.
    minutes: u16,
    /// Plies that follow before one is shown; the end of the game ends the wait.
    plies: u16,
}

/// One round.
#[derive(Serialize, ToSchema)]
pub struct Round {
    /// Which.
    round: u16,
    /// Whether it is the current one.
    current: bool,
    /// By table; the bye last.
    pairings: Vec<Pairing>,
    /// The matches of a team event; none in an individual event.
    matches: Vec<Match>,
}

/// A match of two teams (场).
#[derive(Serialize, ToSchema)]
pub struct Match {
    /// Its number in the round.
    no: u16,
    /// The home team: its number, name, and match points (场分) and rank before the round.
    home: Player,
    /// The away team; null: bye.
    away: Option<Player>,
    /// The tables of its boards. Home has Red on the first, third, … board.
    boards: Vec<u16>,
}

/// A team.
#[derive(Serialize, ToSchema)]
pub struct Team {
    /// Number from the draw.
    no: u16,
    /// Name.
    name: String,
    /// Its players, in the order of registration.
    members: Vec<Member>,
}

/// A player of a team.
#[derive(Serialize, ToSchema)]
pub struct Member {
    /// His number in pairings.
    no: u16,
    /// Name.
    name: String,
}

/// Who meets whom.
#[derive(Serialize, ToSchema)]
pub struct Pairing {
    /// The table; null: bye (轮空).
    table: Option<u16>,
    /// Red, or who has the bye.
    red: Player,
    /// Black; null: bye.
    black: Option<Player>,
    /// Why they meet, in Chinese.
    reason: String,
    status: Status,
    /// Plies played.
    plies: u16,
    /// The group, from 1; 1 where there are none.
    group: u16,
}

/// A player.
#[derive(Serialize, ToSchema)]
pub struct Player {
    /// Number from the draw: his identity in the event.
    no: u16,
    /// Name.
    name: String,
    /// Club, town or team.
    unit: String,
    /// Points before the round; 0 where results are hidden.
    points: u16,
    /// Rank before the round; 0 before round 1 and where results are hidden.
    rank: u16,
}

/// Where a game stands.
#[derive(Serialize, ToSchema)]
pub struct Status {
    is: GameState,
    /// How it ended, once it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
}

/// Where a game stands, in a word.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum GameState {
    NotStarted,
    Playing,
    /// An arbiter has to decide (待判局面).
    Pending,
    Finished,
    /// Over, and its outcome is not told: results are hidden.
    Withheld,
}

/// How a game ended.
#[derive(Serialize, ToSchema)]
pub struct Outcome {
    /// Who won: `red_wins`, `black_wins`, `draw`, `both_lose`.
    #[schema(example = "red_wins")]
    result: String,
    /// By what: `checkmate`, `stalemate`, `flag`, `resignation`, `agreement`, `forfeit` and others.
    #[schema(example = "checkmate")]
    ending: String,
}

/// A side.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// 红方.
    Red,
    /// 黑方.
    Black,
}

/// One game, whole.
#[derive(Serialize, ToSchema)]
pub struct Game {
    /// Which round.
    round: u16,
    /// At which table.
    table: u16,
    red: Player,
    black: Player,
    status: Status,
    /// When it ended, venue time, ms since 1970.
    ended_at: Option<i64>,
    /// Rises with every change.
    version: u64,
    /// The position, FEN.
    fen: String,
    to_move: Side,
    /// Whether the side to move is in check.
    check: bool,
    /// What was played.
    plies: Vec<Ply>,
    clocks: Clocks,
    /// Plies since the last capture.
    quiet_plies: u16,
    /// Fouls of Red and of Black.
    fouls: [u8; 2],
    /// Whether board and clock are connected.
    connected: bool,
    /// The commentators' notes.
    notes: Vec<Note>,
}

/// One ply (着).
#[derive(Serialize, ToSchema)]
pub struct Ply {
    /// From where to where: files a to i from Red's left, ranks 0 to 9 from Red's side.
    #[schema(example = "h2e2")]
    mv: String,
    /// In Chinese notation.
    #[schema(example = "炮二平五")]
    zh: String,
    /// In WXF notation.
    #[schema(example = "C2.5")]
    wxf: String,
    /// The position after it: the board part of a FEN.
    board: String,
    /// Whether it gives check.
    check: bool,
    /// Whether it takes a piece.
    capture: bool,
    /// Time used, ms.
    used_ms: Option<u32>,
    /// When the piece was placed, venue time, ms since 1970.
    at: i64,
    /// Whether the record holds something that is no legal move (记录待核).
    irregular: bool,
}

/// Both clocks at an instant.
#[derive(Serialize, ToSchema)]
pub struct Clocks {
    /// Red's time left then, ms; 0 for both once the game is over where results are hidden.
    red_ms: u32,
    /// Black's.
    black_ms: u32,
    /// Whose time has run since.
    running: Option<Side>,
    /// That instant, venue time, ms since 1970.
    at: i64,
    /// Whether it is an estimate.
    estimated: bool,
}

/// A commentator's note.
#[derive(Serialize, ToSchema)]
pub struct Note {
    /// The ply it is about, counted from 1; 0: the game.
    ply: u16,
    /// Whose it is.
    by: String,
    /// What he says.
    text: String,
}

/// The standing; without rows where results are hidden.
#[derive(Serialize, ToSchema)]
pub struct Standing {
    /// After which round.
    after: u16,
    /// Whether games of that round are still being played.
    live: bool,
    /// The columns, in the order in which they decide.
    columns: Vec<Column>,
    /// Rank by rank.
    rows: Vec<Row>,
}

/// A column of the standing.
#[derive(Serialize, ToSchema)]
pub struct Column {
    /// Its key.
    #[schema(example = "opponents")]
    key: String,
    /// Its head in Chinese.
    zh: String,
    /// And in English.
    en: String,
}

/// One entrant's line.
#[derive(Serialize, ToSchema)]
pub struct Row {
    /// Rank; shared by equals.
    rank: u16,
    /// Number.
    no: u16,
    /// The group in which it has the rank, from 1; 1 where there are none.
    group: u16,
    /// Name.
    name: String,
    /// Unit.
    unit: String,
    /// A value a column; empty where the group is not ranked by it.
    values: Vec<String>,
    /// The column that put this one behind the one above; null: points differ, or nothing does.
    decided_by: Option<usize>,
    /// Why, in Chinese and English.
    why: [String; 2],
}

/// All boards of a round, small: for programs that poll.
#[derive(Serialize, ToSchema)]
pub struct Boards {
    /// What is known now: hand it in as `since` the next time.
    #[schema(example = "5-1042")]
    pub mark: String,
    /// Venue time, ms since 1970.
    pub now: i64,
    /// Those that changed since then, or all.
    pub boards: Vec<Small>,
}

/// A board, small.
#[derive(Serialize, ToSchema)]
pub struct Small {
    /// The table.
    table: u16,
    /// Red's number.
    red: u16,
    /// Black's number.
    black: u16,
    status: Status,
    /// Plies played.
    plies: usize,
    /// The position, FEN.
    fen: String,
    /// The last move.
    last: Option<String>,
    clocks: Clocks,
}
