//! The frames of the streams: small JSON of absolute state, rendered once for all viewers.
//!
//! Every frame says how things are, never what to add. A game's frame carries the last plies only; `h`, a checksum
//! of all plies before them, tells a viewer whether what he has is still the game's beginning.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::Bytes;
use hall::view::{ClocksView, GameStatus, GameView, PlyView};
use serde::Serialize;
use tournament::{RoundNo, TableNo};
use xiangqi::Side;

use crate::clock;
use crate::hub::{Mark, Shown};
use crate::lang::{Lang, Words};
use crate::topic::Topic;
use crate::words::{self, WITHHELD};

/// The position before the first ply.
pub const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

/// Plies that a game's frame carries.
const TAIL: usize = 4;

/// A clock that shows what its viewers already extrapolate, give or take this, is no news. Milliseconds.
const CLOCK_SLACK: i64 = 600;

/// The bytes of a frame on the wire.
#[must_use]
pub fn bytes(mark: Mark, event: &str, data: &str) -> Bytes {
    let head = format!("id: {mark}\nevent: {event}\ndata: ");
    // Frames are kept for a while by the thousand, so none takes more room than it needs.
    let mut text = String::with_capacity(head.len() + data.len() + 2);
    text.extend([&head, data, "\n\n"]);
    text.into()
}

/// JSON of our own values.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain values with text keys always render")
}

/// "Something here is new": the viewer fetches it.
#[must_use]
pub fn notice(topic: Topic) -> String {
    format!("{{\"topic\":\"{topic}\"}}")
}

/// One game, small.
#[derive(Serialize)]
struct Game<'a> {
    v: u64,
    fen: &'a str,
    last: Option<String>,
    check: bool,
    turn: Side,
    is: &'static str,
    /// The status in words.
    word: Words,
    result: Option<Words>,
    k: Clocks,
    quiet: u16,
    /// Both sides' fouls in words.
    fouls: Words,
    /// The last ply as it is announced.
    say: Option<Words>,
    up: bool,
    /// Commentators' notes.
    notes: usize,
    /// Plies played.
    n: usize,
    /// Checksum of the plies before the tail.
    h: u32,
    tail: Vec<Ply<'a>>,
}

/// One ply of a tail.
#[derive(Serialize)]
struct Ply<'a> {
    mv: String,
    zh: &'a str,
    wxf: &'a str,
    iccs: String,
    /// The position, if the ply was more than a piece from here to there.
    fen: Option<&'a str>,
    /// The time it took, in words.
    used: Option<String>,
    check: bool,
    odd: bool,
}

/// The position after a ply (the `i`th, from 0) if it is not the one before with a piece moved from here to there: an arbiter set the
/// board right.
#[must_use]
pub fn jump(plies: &[PlyView], i: usize) -> Option<&str> {
    let ply = &plies[i];
    let before = i.checked_sub(1).map_or(START, |i| &plies[i].board);
    let man = |fen: &str, at| crate::board::pieces(fen).find_map(|(point, man)| (point == at).then_some(man));
    let others = |fen| {
        let of_them =
            crate::board::pieces(fen).filter(|(point, _)| *point != ply.mv.from && *point != ply.mv.to);
        of_them.collect::<Vec<_>>()
    };
    let plain = man(before, ply.mv.from) == man(&ply.board, ply.mv.to)
        && man(&ply.board, ply.mv.from).is_none()
        && others(before) == others(&ply.board);
    (!plain).then(|| board(&ply.board))
}

/// The fouls of both sides.
#[must_use]
pub fn fouls([red, black]: [u8; 2]) -> Words {
    Words::new(format!("红 {red} · 黑 {black}"), format!("Red {red} · Black {black}"))
}

/// A ply for the ear: “红方，炮二平五，将军”.
fn spoken(game: &GameView) -> Option<Words> {
    let last = game.plies.last()?;
    let mover = game.to_move.opposite();
    let say = |lang: Lang, mv: &str, check: &str| {
        let parts = [words::side(mover, lang), mv].into_iter().chain(game.check.then_some(check));
        parts.collect::<Vec<_>>().join(lang.pick("，", ", "))
    };
    Some(Words::new(say(Lang::Zh, &last.zh, "将军"), say(Lang::En, &last.wxf, "check")))
}

/// Both clocks.
#[derive(Serialize)]
pub struct Clocks {
    r: u32,
    b: u32,
    run: Option<Side>,
    at: i64,
    est: bool,
}

impl From<ClocksView> for Clocks {
    fn from(view: ClocksView) -> Clocks {
        Clocks { r: view.red_ms, b: view.black_ms, run: view.running, at: view.at.0, est: view.estimated }
    }
}

/// A ply in ICCS: `H2-E2`.
#[must_use]
pub fn iccs(ply: &PlyView) -> String {
    let mv = ply.mv.to_string().to_uppercase();
    let (from, to) = mv.split_at(2);
    format!("{from}-{to}")
}

/// The board part of a FEN.
#[must_use]
pub fn board(fen: &str) -> &str {
    fen.split(' ').next().unwrap_or(fen)
}

/// The last move, UCI.
fn last(game: &GameView) -> Option<String> {
    game.plies.last().map(|ply| ply.mv.to_string())
}

/// A checksum of plies that the page computes likewise: over UTF-16 units of the moves' text, `h·31 + unit`.
#[must_use]
pub fn checksum(plies: &[PlyView]) -> u32 {
    let text = plies.iter().map(|ply| ply.mv.to_string()).collect::<Vec<_>>().concat();
    text.encode_utf16().fold(0, |h: u32, unit| h.wrapping_mul(31).wrapping_add(u32::from(unit)))
}

/// A game's frame.
#[must_use]
pub fn game(game: &GameView) -> String {
    let (before, tail) = game.plies.split_at(game.plies.len().saturating_sub(TAIL));
    json(&Game {
        v: game.version,
        fen: board(&game.fen),
        last: last(game),
        check: game.check,
        turn: game.to_move,
        is: words::state(game.status),
        word: status(game),
        result: result(game.status),
        k: game.clocks.into(),
        quiet: game.quiet_plies / 2,
        fouls: fouls(game.fouls),
        say: spoken(game),
        up: game.connected,
        notes: game.notes.len(),
        n: game.plies.len(),
        h: checksum(before),
        tail: (before.len()..)
            .zip(tail)
            .map(|(i, ply)| Ply {
                mv: ply.mv.to_string(),
                zh: &ply.zh,
                wxf: &ply.wxf,
                iccs: iccs(ply),
                fen: jump(&game.plies, i),
                used: ply.used_ms.map(clock::used),
                check: ply.check,
                odd: ply.irregular,
            })
            .collect(),
    })
}

/// Where the game stands, in a line: "第35回合 · 轮到黑方".
#[must_use]
pub fn status(game: &GameView) -> Words {
    // The move being played: the one that the next ply belongs to.
    let n = game.plies.len() / 2 + 1;
    match game.status {
        GameStatus::NotStarted => Words::of("未开", "Not started"),
        GameStatus::Playing => match game.to_move {
            Side::Red => Words::new(format!("第{n}回合 · 轮到红方"), format!("Move {n}, Red to move")),
            Side::Black => Words::new(format!("第{n}回合 · 轮到黑方"), format!("Move {n}, Black to move")),
        },
        GameStatus::Pending => {
            Words::new(format!("第{n}回合 · 裁判处理中"), format!("Move {n}, ruling pending"))
        }
        GameStatus::Finished(outcome) => {
            let n = words::moves(game.plies.len());
            let end = words::outcome(outcome);
            Words::new(format!("{n}回合 · {}", end.0), format!("{n} moves, {}", end.1))
        }
        GameStatus::Withheld => WITHHELD,
    }
}

/// How it ended, once it has: in words.
#[must_use]
pub fn result(status: GameStatus) -> Option<Words> {
    match status {
        GameStatus::Finished(outcome) => Some(words::outcome(outcome)),
        GameStatus::Withheld => Some(WITHHELD),
        GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending => None,
    }
}

/// Whether viewers of `told` would see nothing new in `view`: all is the same, and the clocks are where they
/// already run to by themselves.
#[must_use]
pub fn looks_the_same(told: &GameView, view: &GameView) -> bool {
    let elapsed = view.clocks.at.since(told.clocks.at);
    let near = |was: u32, is: u32, side: Side| {
        let ran = if told.clocks.running == Some(side) { elapsed } else { 0 };
        let shown = (i64::from(was) - ran).max(0);
        (shown - i64::from(is)).abs() <= if ran == 0 { 0 } else { CLOCK_SLACK }
    };
    let same_clocks = told.clocks.running == view.clocks.running
        && told.clocks.estimated == view.clocks.estimated
        && near(told.clocks.red_ms, view.clocks.red_ms, Side::Red)
        && near(told.clocks.black_ms, view.clocks.black_ms, Side::Black);
    same_clocks && same_but_for_clocks(told, view)
}

/// Whether all is the same but the clocks and what counts the changes. Field by field: views are long, and most are not new.
fn same_but_for_clocks(told: &GameView, view: &GameView) -> bool {
    let GameView {
        round,
        table,
        red,
        black,
        status,
        ended_at,
        version: _,
        fen,
        to_move,
        check,
        plies,
        notes,
        clocks: _,
        quiet_plies,
        fouls,
        connected,
    } = view;
    (round, table, status, ended_at, to_move, check)
        == (&told.round, &told.table, &told.status, &told.ended_at, &told.to_move, &told.check)
        && (quiet_plies, fouls, connected, fen)
            == (&told.quiet_plies, &told.fouls, &told.connected, &told.fen)
        && (red, black, notes) == (&told.red, &told.black, &told.notes)
        && (Arc::ptr_eq(plies, &told.plies) || *plies == told.plies)
}

/// One board of the grid.
#[derive(Serialize)]
pub struct Tile {
    t: u16,
    fen: String,
    last: Option<String>,
    check: bool,
    turn: Side,
    is: &'static str,
    n: usize,
    /// The last move in words: Chinese, WXF, ICCS.
    mv: Option<[String; 3]>,
    k: Clocks,
    tag: Option<Tag>,
    result: Option<Words>,
}

/// What a board of the grid calls attention to: the gravest of its matters only.
#[derive(Serialize)]
pub struct Tag {
    /// In words.
    pub word: Words,
    /// Whether it is a check.
    pub check: bool,
}

/// A minute: below it a clock is short (时间紧张).
pub const LOW_MS: u32 = 60_000;

/// The tag of a game.
#[must_use]
pub fn tag(game: &GameView) -> Option<Tag> {
    let plain = |word| Some(Tag { word, check: false });
    match game.status {
        GameStatus::Pending => return plain(Words::of("待判局面", "Ruling")),
        GameStatus::NotStarted => return plain(Words::of("未开", "Not started")),
        GameStatus::Finished(_) | GameStatus::Withheld => return None,
        GameStatus::Playing => {}
    }
    if game.check {
        return Some(Tag { word: Words::of("将军", "Check"), check: true });
    }
    if !game.connected {
        return plain(Words::of("重新连接", "No link"));
    }
    match (game.clocks.red_ms < LOW_MS, game.clocks.black_ms < LOW_MS) {
        (true, true) => plain(Words::of("双方不足1分", "Both < 1 min")),
        (true, false) => plain(Words::of("红方不足1分", "Red < 1 min")),
        (false, true) => plain(Words::of("黑方不足1分", "Black < 1 min")),
        (false, false) => None,
    }
}

/// A board of the grid.
#[must_use]
pub fn tile(game: &GameView) -> Tile {
    Tile {
        t: game.table.0,
        fen: board(&game.fen).to_owned(),
        last: last(game),
        check: game.check,
        turn: game.to_move,
        is: words::state(game.status),
        n: words::moves(game.plies.len()),
        mv: game.plies.last().map(|ply| [ply.zh.clone(), ply.wxf.clone(), iccs(ply)]),
        k: game.clocks.into(),
        tag: tag(game),
        result: short_result(game.status),
    }
}

/// Who won, or that it is over.
#[must_use]
pub fn short_result(status: GameStatus) -> Option<Words> {
    match status {
        GameStatus::Finished(outcome) => Some(words::result(outcome.result)),
        GameStatus::Withheld => Some(Words::of("已毕", "Over")),
        GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending => None,
    }
}

/// One line of the pairings.
#[derive(Serialize)]
pub struct Line {
    t: u16,
    is: &'static str,
    big: Words,
    small: Words,
    win: Option<Side>,
}

/// The lines of a round: of these tables, or of all.
#[must_use]
pub fn lines(shown: &Shown, round: RoundNo, tables: Option<&BTreeSet<TableNo>>) -> Vec<Line> {
    let pairings = shown.rounds.get(&round).into_iter().flat_map(|view| &view.pairings);
    pairings
        .filter_map(|pairing| Some((pairing.table?, pairing)))
        .filter(|(table, _)| tables.is_none_or(|tables| tables.contains(table)))
        .map(|(table, pairing)| {
            let game = shown.games.get(&(round, table)).map(|game| &**game);
            let (status, plies) = words::standing_of(pairing, game);
            let (big, small) = words::between(status, plies);
            Line { t: table.0, is: words::state(status), big, small, win: words::winner(status) }
        })
        .collect()
}

/// `hello`: the first frame of a connection. It has no id: it tells nothing that could be missed.
#[must_use]
pub fn hello(now: i64, speed: f64, retry_ms: u32) -> Bytes {
    let mut text = String::new();
    let _ = write!(text, "retry: {retry_ms}\nevent: hello\ndata: {{\"now\":{now},\"speed\":{speed}}}\n\n");
    text.into()
}

/// `t`: venue time, so that proxies see life and clocks stay right.
#[must_use]
pub fn tick(now: i64) -> Bytes {
    format!("event: t\ndata: {now}\n\n").into()
}
