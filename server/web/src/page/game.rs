//! `/round/N/table/M`: one board, its clocks and its moves.
//!
//! Every ply has an address (`?ply=12`), so replay works without scripts; with them the same links only move the
//! board.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use hall::Delay;
use hall::view::{GameStatus, GameView, PlayerView, PlyView};
use maud::{Markup, html};
use tournament::{RoundNo, TableNo};
use xiangqi::Side;

use super::home::{round_name, time_control};
use super::pairings::tally_words;
use super::share;
use super::shell::{Page, Place, Reader, disc, icon, not_found};
use crate::audience::Public;
use crate::board::Board;
use crate::clock;
use crate::evaluation;
use crate::frame;
use crate::hub::{Hub, Shown};
use crate::lang::{Lang, Words};
use crate::topic::Topic;
use crate::words;

/// `GET /round/{round}/table/{table}`.
pub async fn game(state: Public, Path(at): Path<(String, String)>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let key = at.0.parse().ok().zip(at.1.parse().ok()).map(|(r, t)| (RoundNo(r), TableNo(t)));
    let Some(game) = key.and_then(|key| shown.games.get(&key).cloned()) else {
        return not_found(&state.hub, &reader, reader.t("没有这一局", "There is no such game"));
    };
    let back = format!("/round/{}", game.round);
    let title = match reader.lang {
        Lang::Zh => format!("第{}轮 · 第{}台", game.round, game.table),
        Lang::En => format!("Round {}, table {}", game.round, game.table),
    };
    let page = Page {
        class: "game",
        // The graph of a game that is over has its rules there; on other screens all pages have them.
        sheets: if reader.phone && game.status.is_over() {
            &["parts.css", "game.css"]
        } else {
            &["game.css"]
        },
        wide: &["game-wide.css"],
        share: Some(format!("/round/{}/table/{}/share", game.round, game.table)),
        script: "game.js",
        picture: Some(format!("/api/v1/games/{}/{}.svg", game.round, game.table)),
        ..Page::new(title, Place::Live, Some(&back))
    }
    .follow([Topic::Game(game.round, game.table), Topic::Event])
    // The list of the other games is for wide screens only.
    .follow((!reader.phone).then_some(Topic::Round(game.round)));
    let body = body(&state.hub, &shown, &game, &reader);
    page.answer(&state.hub, &shown, &reader, &body)
}

/// `GET /table/{table}`: whatever is played there now; what a table's card leads to.
pub async fn table(state: Public, Path(table): Path<String>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let table = table.parse().ok().map(TableNo);
    let newest = table.and_then(|no| shown.games.keys().rev().find(|(_, table)| *table == no));
    match newest {
        Some((round, table)) => Redirect::to(&format!("/round/{round}/table/{table}")).into_response(),
        None => not_found(&state.hub, &reader, reader.t("此台没有棋局", "No game at this table")),
    }
}

/// What of the game is on the board: the last ply, or an earlier one that was asked for.
struct Moment<'a> {
    /// Plies played before it.
    ply: usize,
    /// Whether it is whatever is the game's last, not a ply that was asked for.
    latest: bool,
    last: Option<&'a PlyView>,
    fen: &'a str,
    check: bool,
    turn: Side,
}

impl<'a> Moment<'a> {
    fn of(game: &'a GameView, asked: Option<usize>) -> Moment<'a> {
        let all = game.plies.len();
        let ply = asked.map_or(all, |ply| ply.min(all));
        let last = ply.checked_sub(1).map(|i| &game.plies[i]);
        if ply == all {
            return Moment {
                ply,
                latest: asked.is_none(),
                last,
                fen: &game.fen,
                check: game.check,
                turn: game.to_move,
            };
        }
        let turn = if ply.is_multiple_of(2) { Side::Red } else { Side::Black };
        Moment {
            ply,
            latest: false,
            last,
            fen: last.map_or(frame::START, |last| &last.board),
            check: last.is_some_and(|last| last.check),
            turn,
        }
    }
}

fn body(hub: &Hub, shown: &Shown, game: &GameView, reader: &Reader) -> Markup {
    let moment = Moment::of(game, reader.asked("ply"));
    let flip = reader.has("flip");
    let (near, far) = if flip { (Side::Black, Side::Red) } else { (Side::Red, Side::Black) };
    let running = clock::running(&game.clocks);
    html! {
        main id="main" class="g" data-game={ (game.round) ":" (game.table) } data-state=(words::state(game.status))
            data-r=(game.clocks.red_ms) data-b=(game.clocks.black_ms) data-at=(game.clocks.at.0) data-run=(running)
            data-notation=(reader.moves.code()) data-notes=(game.notes.len()) {
            (seat(hub, shown, game, far, "far", reader))
            div class="bd-box" {
                @let status = frame::status(game);
                @if reader.phone {
                    // Seats and badges say the same.
                    span id="word" hidden { (status.get(reader.lang)) }
                } @else {
                    div class="head" {
                        b class="big" { (match reader.lang {
                            Lang::Zh => format!("第{}台", game.table),
                            Lang::En => format!("Table {}", game.table),
                        }) }
                        span class="sub" id="word" { (status.get(reader.lang)) }
                    }
                }
                (Board {
                    fen: moment.fen,
                    last: moment.last.map(|ply| ply.mv),
                    check: moment.check.then_some(match moment.turn { Side::Red => 'K', Side::Black => 'k' }),
                    flip,
                    thumb: false,
                    set: reader.set,
                    label: label(game, &moment, reader),
                })
            }
            (seat(hub, shown, game, near, "near", reader))
            (badges(shown, game, reader))
            div class="list" {
                (move_list(game, &moment, reader))
                div class="facts" {
                    (notes(game, reader))
                    (facts(shown, game, reader))
                    @if game.status.is_over() { (evaluation::graph(shown, game, moment.ply, reader)) }
                    // Phones have a button in the head.
                    @if !reader.phone { div class="share" { (share::files(game, reader)) (share::choices(game, reader)) } }
                }
            }
            (replay_bar(game, &moment, flip, reader))
            @if !reader.phone { (others(shown, game, reader)) }
            p class="vh" id="say" aria-live="polite" {}
        }
    }
}

/// What a blind reader hears of the board.
fn label(game: &GameView, moment: &Moment<'_>, reader: &Reader) -> String {
    let n = words::moves(moment.ply);
    let check = if moment.check { reader.t("，将军", ", check") } else { "" };
    let last = moment.last.map(|ply| reader.moves.of(ply));
    match reader.lang {
        Lang::Zh => {
            let turn = words::side(moment.turn, Lang::Zh);
            let last = last.map(|last| format!("，{last}")).unwrap_or_default();
            format!("红方 {}，黑方 {}，第{n}回合{last}，轮到{turn}{check}", game.red.name, game.black.name)
        }
        Lang::En => {
            let turn = words::side(moment.turn, Lang::En);
            let last = last.map(|last| format!(", {last}")).unwrap_or_default();
            format!("Red {}, Black {}, move {n}{last}, {turn} to move{check}", game.red.name, game.black.name)
        }
    }
}

fn seat(hub: &Hub, shown: &Shown, game: &GameView, side: Side, class: &str, reader: &Reader) -> Markup {
    let player = match side {
        Side::Red => &game.red,
        Side::Black => &game.black,
    };
    let turn = game.to_move == side && matches!(game.status, GameStatus::Playing);
    html! {
        div class={ "seat " (class) @if turn { " turn" } } data-side=(side) {
            (disc(side, reader.lang))
            div {
                div class="n" {
                    a href={ "/player/" (player.no) } lang="zh" { (player.name) }
                    span class="tn" { (reader.t("走棋", "to move")) }
                }
                div class="u" { (about(player, shown, reader)) }
            }
            (clock::clock(&game.clocks, side, hub.now(), "ck"))
        }
    }
}

fn about(player: &PlayerView, shown: &Shown, reader: &Reader) -> Markup {
    html! {
        @if !player.unit.is_empty() { span lang="zh" { (player.unit) } }
        @if !player.unit.is_empty() && !shown.without_results { " · " }
        @if !shown.without_results { @match reader.lang {
            Lang::Zh => { (player.points) "分" @if player.rank > 0 { " · 第" (player.rank) "名" } }
            Lang::En => { (player.points) " pts" @if player.rank > 0 { ", rank " (player.rank) } }
        } }
    }
}

fn badges(shown: &Shown, game: &GameView, reader: &Reader) -> Markup {
    let limit = shown.event.as_ref().map_or(0, |event| event.natural_limit);
    let quiet = game.quiet_plies / 2;
    html! {
        div class="st" {
            span class="bd bd-live" { (reader.t("直播中", "Live")) }
            @if !game.status.is_over()
                && let Some(late) = delay_words(shown.broadcast.delay_of(game.table)) {
                span class="bd bd-late" { (late.get(reader.lang)) }
            }
            span class="bd bd-off" { (reader.t("重新连接", "Reconnecting")) }
            span class="bd bd-up" hidden[game.connected] { (reader.t("棋盘重新连接", "Board reconnecting")) }
            span class="bd bd-ck" hidden[!game.check || game.status.is_over()] { (reader.t("将军", "Check")) }
            span class="bd bd-pend" { (reader.t("待判局面", "Ruling pending")) }
            @let result = frame::result(game.status);
            span class="bd bd-res" hidden[result.is_none()] {
                @if let Some(result) = result { (result.get(reader.lang)) }
            }
            @if limit > 0 {
                span class={ "bd bd-lim" @if quiet + 5 >= limit { " near" } } data-limit=(limit) {
                    (reader.t("自然限着 ", "Move limit ")) span { (quiet) "/" (limit) }
                    progress max=(limit) value=(quiet) aria-hidden="true" {}
                }
            }
        }
    }
}

/// How much later than played the moves are shown.
#[must_use]
pub fn delay_words(delay: Delay) -> Option<Words> {
    let Delay { minutes, plies } = delay;
    match (minutes, plies) {
        (0, 0) => None,
        (minutes, 0) => Some(Words::new(format!("延迟{minutes}分"), format!("{minutes} min delay"))),
        (0, plies) => Some(Words::new(format!("延迟{plies}着"), format!("{plies} plies delay"))),
        (minutes, plies) => Some(Words::new(
            format!("延迟{minutes}分与{plies}着"),
            format!("{minutes} min and {plies} plies delay"),
        )),
    }
}

/// The moves: number, Red, Black, with the time each took.
fn move_list(game: &GameView, moment: &Moment<'_>, reader: &Reader) -> Markup {
    html! {
        @let first = first_listed(game, moment, reader);
        @if first > 0 { a class="whole" href="?moves=all" { (reader.t("全部着法", "All moves")) } }
        ol class="mv" id="moves" aria-label=(reader.t("着法", "Moves")) data-played=(played(game)) data-first=(first) {
            @for (i, pair) in (first..).step_by(2).zip(game.plies[first..].chunks(2)) {
                li value=(i / 2 + 1) {
                    @for (j, ply) in pair.iter().enumerate() { (one_ply(game, i + j, ply, moment, reader)) }
                }
            }
        }
        @if game.plies.is_empty() { p class="none" { (reader.t("尚未走棋", "No move yet")) } }
    }
}

/// Plies that a phone's list begins with: who goes through the game, or asks for all, gets all.
const ON_A_PHONE: usize = 12;

/// How many plies stand before the first one of the list: an even number.
fn first_listed(game: &GameView, moment: &Moment<'_>, reader: &Reader) -> usize {
    let whole = !reader.phone || reader.has("moves") || !moment.latest;
    if whole { 0 } else { game.plies.len().saturating_sub(ON_A_PHONE) / 2 * 2 }
}

/// The moves as scripts read them: `h2e2`, and `+` after a check.
fn played(game: &GameView) -> String {
    let plies = game.plies.iter().map(|ply| format!("{}{}", ply.mv, if ply.check { "+" } else { "" }));
    plies.collect()
}

fn one_ply(game: &GameView, i: usize, ply: &PlyView, moment: &Moment<'_>, reader: &Reader) -> Markup {
    html! {
        a class=[ply.irregular.then_some("ir")] href={ "?ply=" (i + 1) } data-f=[frame::jump(&game.plies, i)]
            aria-current=[(moment.ply == i + 1).then_some("true")] {
            (reader.moves.of(ply))
            @if ply.irregular { small { (reader.t("待核", "check")) } }
            @if let Some(ms) = ply.used_ms { em { (clock::used(ms)) } }
        }
    }
}

fn replay_bar(game: &GameView, moment: &Moment<'_>, flip: bool, reader: &Reader) -> Markup {
    let all = game.plies.len();
    let over = game.status.is_over();
    let turned = if flip { "&flip=1" } else { "" };
    let step = |key: &'static str, ply: usize, name: &'static str, path: &'static str| {
        html! { a href={ "?ply=" (ply) (turned) } data-step=(key) aria-label=(name) { (icon(path)) } }
    };
    html! {
        nav class="rp" aria-label=(reader.t("打谱", "Replay")) {
            (step("first", 0, reader.t("开局", "Start"), "M5 4v12M15 4L8 10l7 6z"))
            (step("prev", moment.ply.saturating_sub(1), reader.t("上一着", "Back"), "M13 4L6 10l7 6z"))
            (step("next", (moment.ply + 1).min(all), reader.t("下一着", "Forward"), "M7 4l7 6-7 6z"))
            (step("last", all, reader.t("末着", "End"), "M15 4v12M5 4l7 6-7 6z"))
            @if over {
                a class="lv" href="?" data-step="play" data-stop=(reader.t("停止", "Stop")) {
                    (reader.t("自动播放", "Play"))
                }
            } @else {
                a class="lv" href="?" data-step="live" aria-current=[moment.latest.then_some("true")] {
                    span { (reader.t("跟随直播", "Follow")) } b id="behind" {}
                }
            }
            a href=(if flip { "?" } else { "?flip=1" }) data-step="flip" aria-label=(reader.t("翻转棋盘", "Flip")) {
                (icon("M6 16V4M3 7l3-3 3 3M14 4v12M11 13l3 3 3-3"))
            }
        }
    }
}

fn facts(shown: &Shown, game: &GameView, reader: &Reader) -> Markup {
    let last_capture = game.plies.iter().rposition(|ply| ply.capture);
    html! {
        dl class="kv" data-part="facts" {
            @if let Some(event) = &shown.event {
                dt { (reader.t("用时", "Time")) } dd { (time_control(event, reader.lang)) }
            }
            @if let Some(i) = last_capture {
                dt { (reader.t("末次吃子", "Last capture")) }
                dd { @match reader.lang { Lang::Zh => { "第" (i / 2 + 1) "回合" } Lang::En => { "move " (i / 2 + 1) } } }
            }
            dt { (reader.t("犯规", "Fouls")) }
            dd id="fouls" {
                (frame::fouls(game.fouls).get(reader.lang))
            }
            @let [red, black] = captured(game);
            dt { (reader.t("已吃", "Taken")) }
            dd class="taken" {
                @for (side, men) in [("r", red), ("b", black)] {
                    span {
                        @for man in men.chars() {
                            img src={ (crate::assets::BASE.as_str()) "/thumb/" (side) (man) ".svg" } width="20" height="20"
                                alt=(man);
                        }
                    }
                }
            }
        }
    }
}

/// What the commentators say, each at its ply.
fn notes(game: &GameView, reader: &Reader) -> Markup {
    html! {
        ul class="notes" data-part="notes" hidden[game.notes.is_empty()] aria-label=(reader.t("解说", "Commentary")) {
            @for note in &game.notes {
                li {
                    @if let Some(ply) = usize::from(note.ply).checked_sub(1).and_then(|i| game.plies.get(i)) {
                        a href={ "?ply=" (note.ply) } { ((note.ply).div_ceil(2)) ". " (reader.moves.of(ply)) } " "
                    }
                    span lang="zh" { (note.text) } " " small { (note.by) }
                }
            }
        }
    }
}

/// The men that are off the board, Red's and Black's, as small letters.
fn captured(game: &GameView) -> [String; 2] {
    let on = |c: char| crate::board::pieces(&game.fen).filter(|(_, man)| *man == c).count();
    let off = |upper: bool| {
        let set = [('r', 2), ('n', 2), ('c', 2), ('b', 2), ('a', 2), ('p', 5)];
        set.iter()
            .flat_map(|(man, all): &(char, usize)| {
                let c = if upper { man.to_ascii_uppercase() } else { *man };
                std::iter::repeat_n(*man, all.saturating_sub(on(c)))
            })
            .collect()
    };
    [off(true), off(false)]
}

/// The other games of the round, on wide screens.
fn others(shown: &Shown, game: &GameView, reader: &Reader) -> Markup {
    let Some(round) = shown.rounds.get(&game.round) else { return html! {} };
    html! {
        aside class="tl" data-part="others" {
            h2 {
                span { (round_name(game.round, reader.lang)) }
                span class="mut" { (tally_words(shown, round, reader)) }
            }
            ul {
                @for pairing in &round.pairings {
                    @if let (Some(table), Some(black)) = (pairing.table, &pairing.black) {
                        @let other = shown.games.get(&(round.round, table)).map(|game| &**game);
                        @let (status, plies) = words::standing_of(pairing, other);
                        @let (big, small) = words::between(status, plies);
                        @let word = if status.is_over() { small } else { big };
                        li {
                            a href={ "/round/" (round.round) "/table/" (table) } class=(words::state(status))
                                aria-current=[(table == game.table).then_some("true")] data-row=(table) {
                                span class="k" { (table) }
                                span lang="zh" { (pairing.red.name) br; (black.name) }
                                span class="res" data-side-word { (word.get(reader.lang)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
