//! What the API says: its own types, so that it stays as it is when the views behind it change.

use hall::view;
use serde::Serialize;
use utoipa::ToSchema;

use crate::hub::Shown;

/// The name that a value of ours has in JSON.
fn code(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

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

impl From<xiangqi::Side> for Side {
    fn from(side: xiangqi::Side) -> Side {
        match side {
            xiangqi::Side::Red => Side::Red,
            xiangqi::Side::Black => Side::Black,
        }
    }
}

impl Event {
    /// The event as it is broadcast; `played`: how many plies the games that are shown hold (the view's own count is as old
    /// as its last other change).
    #[must_use]
    pub fn of(view: &view::EventView, broadcast: &hall::Broadcast, played: u64) -> Event {
        let hall::Delay { minutes, plies } = broadcast.delay;
        let view::VenueView { tables, plies: _, alerts, observations } = view.venue;
        Event {
            title: view.title.clone(),
            rounds: view.rounds,
            round: view.round.0,
            playing: view.playing,
            finished: view.finished,
            regulation: view.regulation.clone(),
            base_ms: view.base_ms,
            increment_ms: view.increment_ms,
            natural_limit: view.natural_limit,
            entrants: view.entrants,
            groups: view.groups.clone(),
            venue: Venue { tables, plies: played, alerts, observations },
            delay: Delay { minutes, plies },
            results_hidden: broadcast.hide_results,
            notice: broadcast.banner.clone(),
        }
    }
}

impl Round {
    /// A round with the games that are shown of it.
    #[must_use]
    pub fn of(view: &view::RoundView, shown: &Shown) -> Round {
        let game = |table| shown.games.get(&(view.round, table));
        let pairings = view.pairings.iter().map(|pairing| Pairing {
            table: pairing.table.map(|table| table.0),
            red: (&pairing.red).into(),
            black: pairing.black.as_ref().map(Player::from),
            reason: pairing.reason.clone(),
            status: pairing.status.into(),
            group: pairing.group.0,
            plies: pairing.table.and_then(game).map_or(0, |game| game.plies.len() as u16),
        });
        let matches = view.matches.iter().map(|of| Match {
            no: of.no.0,
            home: (&of.home).into(),
            away: of.away.as_ref().map(Player::from),
            boards: of.boards.iter().map(|table| table.0).collect(),
        });
        Round {
            round: view.round.0,
            current: view.current,
            pairings: pairings.collect(),
            matches: matches.collect(),
        }
    }
}

impl From<&view::TeamView> for Team {
    fn from(view: &view::TeamView) -> Team {
        let members = view.members.iter().map(|(no, name)| Member { no: no.0, name: name.clone() });
        Team { no: view.no.0, name: view.name.clone(), members: members.collect() }
    }
}

impl From<&view::PlayerView> for Player {
    fn from(view: &view::PlayerView) -> Player {
        let (name, unit) = (view.name.clone(), view.unit.clone());
        Player { no: view.no.0, name, unit, points: view.points, rank: view.rank }
    }
}

impl From<view::GameStatus> for Status {
    fn from(status: view::GameStatus) -> Status {
        let word = |is| Status { is, outcome: None };
        match status {
            view::GameStatus::NotStarted => word(GameState::NotStarted),
            view::GameStatus::Playing => word(GameState::Playing),
            view::GameStatus::Pending => word(GameState::Pending),
            view::GameStatus::Withheld => word(GameState::Withheld),
            view::GameStatus::Finished(outcome) => Status {
                is: GameState::Finished,
                outcome: Some(Outcome { result: code(&outcome.result), ending: code(&outcome.ending) }),
            },
        }
    }
}

impl From<view::ClocksView> for Clocks {
    fn from(view: view::ClocksView) -> Clocks {
        Clocks {
            red_ms: view.red_ms,
            black_ms: view.black_ms,
            running: view.running.map(Side::from),
            at: view.at.0,
            estimated: view.estimated,
        }
    }
}

impl From<&view::PlyView> for Ply {
    fn from(view: &view::PlyView) -> Ply {
        Ply {
            mv: view.mv.to_string(),
            zh: view.zh.clone(),
            wxf: view.wxf.clone(),
            board: view.board.clone(),
            check: view.check,
            capture: view.capture,
            used_ms: view.used_ms,
            at: view.at.0,
            irregular: view.irregular,
        }
    }
}

impl From<&view::GameView> for Game {
    fn from(view: &view::GameView) -> Game {
        let note =
            |note: &view::NoteView| Note { ply: note.ply, by: note.by.clone(), text: note.text.clone() };
        Game {
            round: view.round.0,
            table: view.table.0,
            red: (&view.red).into(),
            black: (&view.black).into(),
            status: view.status.into(),
            ended_at: view.ended_at.map(|at| at.0),
            version: view.version,
            fen: view.fen.clone(),
            to_move: view.to_move.into(),
            check: view.check,
            plies: view.plies.iter().map(Ply::from).collect(),
            clocks: view.clocks.into(),
            quiet_plies: view.quiet_plies,
            fouls: view.fouls,
            connected: view.connected,
            notes: view.notes.iter().map(note).collect(),
        }
    }
}

impl From<&view::GameView> for Small {
    fn from(view: &view::GameView) -> Small {
        Small {
            table: view.table.0,
            red: view.red.no.0,
            black: view.black.no.0,
            status: view.status.into(),
            plies: view.plies.len(),
            fen: view.fen.clone(),
            last: view.plies.last().map(|ply| ply.mv.to_string()),
            clocks: view.clocks.into(),
        }
    }
}

impl From<&view::StandingView> for Standing {
    fn from(view: &view::StandingView) -> Standing {
        let column = |column: &view::ColumnView| Column {
            key: column.key.clone(),
            zh: column.zh.clone(),
            en: column.en.clone(),
        };
        let row = |row: &view::StandingRow| Row {
            rank: row.rank,
            no: row.no.0,
            group: row.group.0,
            name: row.name.clone(),
            unit: row.unit.clone(),
            values: row.values.clone(),
            decided_by: row.decided_by,
            why: row.why.clone(),
        };
        Standing {
            after: view.after.0,
            live: view.live,
            columns: view.columns.iter().map(column).collect(),
            rows: view.rows.iter().map(row).collect(),
        }
    }
}
