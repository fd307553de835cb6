//! `/broadcast`: how the broadcast is steered (delay, hidden results, announcement, screens), and the commentators'
//! notes. For officials; each form is one act.

use std::collections::BTreeSet;

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use hall::view::GameView;
use hall::{Act, Broadcast, Delay, Room, ScreenPage, Showing, Timer};
use maud::{Markup, html};
use tournament::{RoundNo, TableNo};
use xiangqi::Side;

use super::game::delay_words;
use super::shell::{Page, Place, Reader};
use crate::AppState;
use crate::auth::{self, Official, Posted};
use crate::board::{Board, Set};
use crate::hub::Shown;
use crate::topic::Topic;

const fn page_name(page: ScreenPage) -> (&'static str, &'static str, &'static str) {
    match page {
        ScreenPage::Pairings => ("pairings", "对阵", "Pairings"),
        ScreenPage::Boards => ("boards", "直播", "Boards"),
        ScreenPage::Standings => ("standings", "名次", "Standings"),
        ScreenPage::Timer => ("timer", "计时", "Timer"),
    }
}

/// `GET /broadcast`, `GET /broadcast?round=3&table=5` with the game to comment on.
pub async fn steer(State(state): State<AppState>, reader: Reader, parts: Parts) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Undelayed) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let shown = state.hub.shown();
    let mut page = Page::new(reader.t("转播", "Broadcast").to_owned(), Place::Other, Some("/"));
    let at = reader.asked("round").zip(reader.asked("table")).map(|(r, t)| (RoundNo(r), TableNo(t)));
    let game = at.and_then(|at| shown.games.get(&at).cloned());
    if let Some(game) = &game {
        // The game goes on while a note is written: the page is fetched again only where nothing is typed.
        page = page.follow([Topic::grid_of(game.round, game.table)]);
    }
    let may_steer = official.may(&Act::Show(Showing::HideResults(true)));
    let body = html! {
        main id="main" class="one steer" {
            @if may_steer { (settings(&shown.broadcast, &official, &reader)) }
            (commentary(&shown, game.as_deref(), &official, &reader))
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

fn form(what: &str, title: &str, official: &Official, fields: &Markup, reader: &Reader) -> Markup {
    html! {
        form class="sec" method="post" action={ "/broadcast/" (what) } {
            h2 { (title) }
            div class="bar" {
                (official.seal())
                (fields)
                button class="btn btn-1" { (reader.t("执行", "Set")) }
            }
        }
    }
}

fn settings(broadcast: &Broadcast, official: &Official, reader: &Reader) -> Markup {
    let number = |name: &'static str, word: &'static str, value: u16| {
        html! { label { (word) " " input type="number" name=(name) min="0" max="999" value=(value) required; } }
    };
    let delay = html! {
        label { (reader.t("台号（空为全部）", "Table (empty: all)")) " " input type="number" name="table" min="1"; }
        (number("minutes", reader.t("分钟", "Minutes"), broadcast.delay.minutes))
        (number("plies", reader.t("着", "Plies"), broadcast.delay.plies))
    };
    let results = html! {
        label { input type="checkbox" name="hide" checked[broadcast.hide_results]; " "
            (reader.t("不公布结果与名次", "Keep results and standings back")) }
    };
    let banner = html! {
        input class="wide-in" name="text" maxlength="500" value=[broadcast.banner.as_deref()] aria-label=(reader.t("公告", "Notice"))
            placeholder=(reader.t("空则撤下", "Empty: take down"));
    };
    let timer = html! {
        input name="what" maxlength="40" value=(reader.t("开赛", "Start")) aria-label=(reader.t("何事", "What"));
        label { input type="number" name="minutes" min="0" max="600"; " " (reader.t("分钟后（空则撤下）", "minutes from now (empty: take down)")) }
    };
    let screen = html! {
        @for page in ScreenPage::ALL {
            @let (name, zh, en) = page_name(page);
            label { input type="checkbox" name=(name) checked[broadcast.screen.contains(&page)]; " " (reader.t(zh, en)) }
        }
        span class="mut" { (reader.t("都不选：有内容的轮流", "None: all that have something to show")) }
    };
    html! {
        (form("delay", reader.t("延迟", "Delay"), official, &delay, reader))
        @for (table, delay) in &broadcast.tables {
            form class="bar" method="post" action="/broadcast/delay" {
                (official.seal())
                input type="hidden" name="table" value=(table);
                b { (reader.t("台 ", "Table ")) (table) }
                span { (delay_words(*delay).map_or_else(|| reader.t("不延迟", "no delay").to_owned(), |words| words.get(reader.lang).to_owned())) }
                span class="sp" {}
                button class="btn btn-s" name="as_event" value="1" { (reader.t("撤销，同全场", "Remove: as the event")) }
            }
        }
        (form("results", reader.t("结果", "Results"), official, &results, reader))
        (form("banner", reader.t("公告", "Notice"), official, &banner, reader))
        (form("timer", reader.t("计时", "Timer"), official, &timer, reader))
        (form("screen", reader.t("大屏轮播", "Hall screens"), official, &screen, reader))
    }
}

fn commentary(shown: &Shown, game: Option<&GameView>, official: &Official, reader: &Reader) -> Markup {
    let may = official.may(&Act::Note { round: RoundNo(1), table: TableNo(1), ply: 0, text: String::new() });
    let round = shown.current_round().map_or(1, |round| round.round.0);
    html! {
        section class="sec" {
            h2 { (reader.t("解说", "Commentary")) }
            form class="bar" action="/broadcast" {
                label { (reader.t("轮", "Round")) " " input type="number" name="round" min="1" value=(game.map_or(round, |game| game.round.0)) required; }
                label { (reader.t("台", "Table")) " " input type="number" name="table" min="1" value=[game.map(|game| game.table)] required; }
                button class="btn" { (reader.t("看此局（不延迟）", "See the game (no delay)")) }
            }
            @if let Some(game) = game {
                div class="gr single" {
                    (Board {
                        fen: &game.fen,
                        last: game.plies.last().map(|ply| ply.mv),
                        check: game.check.then_some(match game.to_move { Side::Red => 'K', Side::Black => 'k' }),
                        flip: false,
                        thumb: false,
                        set: Set::Seal,
                        label: String::new(),
                    })
                }
                @if may {
                    form class="bar" method="post" action="/broadcast/note" {
                        (official.seal())
                        input type="hidden" name="round" value=(game.round);
                        input type="hidden" name="table" value=(game.table);
                        select name="ply" aria-label=(reader.t("着", "Ply")) {
                            @for (i, ply) in game.plies.iter().enumerate().rev() {
                                option value=(i + 1) { (i / 2 + 1) (if i % 2 == 0 { ". " } else { "… " }) (ply.zh) }
                            }
                            option value="0" { (reader.t("全局", "The whole game")) }
                        }
                        input class="wide-in" name="text" maxlength="500" required aria-label=(reader.t("解说", "Note"));
                        button class="btn btn-1" { (reader.t("发布", "Publish")) }
                    }
                }
                ul class="none" { @for note in &game.notes { li { (note.ply) " · " (note.by) "：" span lang="zh" { (note.text) } } } }
            }
        }
    }
}

/// `POST /broadcast/{what}`.
pub async fn set(State(state): State<AppState>, Path(what): Path<String>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Undelayed)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let now = state.hub.now();
    let act = match what.as_str() {
        "delay" if posted.text("as_event").is_some() => {
            let table = posted.parse("table").map(TableNo);
            table.map(|table| Act::Show(Showing::Delay { table: Some(table), delay: None }))
        }
        "delay" => posted.parse("minutes").zip(posted.parse("plies")).map(|(minutes, plies)| {
            let (table, delay) = (posted.parse("table").map(TableNo), Delay { minutes, plies });
            Act::Show(Showing::Delay { table, delay: Some(delay) })
        }),
        "results" => Some(Act::Show(Showing::HideResults(posted.text("hide").is_some()))),
        "banner" => Some(Act::Show(Showing::Banner(filled(&posted, "text")))),
        "timer" => {
            let what = filled(&posted, "what").unwrap_or_else(|| "开赛".to_owned());
            let until =
                posted.parse::<i64>("minutes").map(|minutes| now.plus(minutes.clamp(0, 600) * 60_000));
            Some(Act::Show(Showing::Timer(until.map(|until| Timer { what, until }))))
        }
        "screen" => {
            let chosen = ScreenPage::ALL.into_iter().filter(|page| posted.text(page_name(*page).0).is_some());
            Some(Act::Show(Showing::Screen(chosen.collect::<BTreeSet<_>>())))
        }
        "note" => {
            let at = posted.parse("round").zip(posted.parse("table")).zip(posted.parse("ply"));
            at.map(|((round, table), ply)| Act::Note {
                round: RoundNo(round),
                table: TableNo(table),
                ply,
                text: filled(&posted, "text").unwrap_or_default(),
            })
        }
        _ => None,
    };
    let Some(act) = act else {
        let words = posted.reader.t("表格不完整：数字不可缺", "The form is incomplete: a number is missing");
        return (StatusCode::UNPROCESSABLE_ENTITY, words).into_response();
    };
    let back = if let Act::Note { round, table, .. } = &act {
        format!("/broadcast?round={round}&table={table}")
    } else {
        "/broadcast".to_owned()
    };
    match auth::decide(&state, &posted.official, vec![act], None).await {
        Ok(()) => Redirect::to(&back).into_response(),
        Err(undone) => (undone.status(), undone.words().get(posted.reader.lang).to_owned()).into_response(),
    }
}

fn filled(posted: &Posted, name: &str) -> Option<String> {
    posted.text(name).filter(|text| !text.is_empty()).map(str::to_owned)
}
