//! `/arbiter/ruling/N`: the ruling sheet (裁决单) of a decision, to be printed on A4, signed and kept.

use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use hall::view::{AlertView, DecisionView, PlyView};
use hall::{Act, Room};
use maud::{Markup, html};
use xiangqi::Side;

use super::when::Zone;
use super::{classes, evidence, page, say, sheet};
use crate::AppState;
use crate::auth;
use crate::board::Board;
use crate::clock;
use crate::lang::Lang;
use crate::page::not_found;
use crate::page::shell::Reader;
use crate::words;

/// Plies that the sheet shows, where the decision is about no cycle.
const LAST_PLIES: usize = 8;

/// `GET /arbiter/ruling/{decision}`.
pub async fn ruling(
    State(state): State<AppState>,
    Path(no): Path<u64>,
    reader: Reader,
    parts: Parts,
) -> Response {
    if let Err(answer) = auth::enter(&state, &reader, &parts, Room::Journal) {
        return answer;
    }
    let decisions = state.questions.decisions(None).await;
    let Some(decision) = decisions.into_iter().find(|one| one.no == no) else {
        return not_found(&state.hub, &reader, reader.t("没有此裁决", "There is no such decision"));
    };
    // The alert it dealt with, and the table: of the alert, or of the act itself.
    let shown = state.hub.shown();
    let alert = match alert_of(&decision.act) {
        Some(id) => {
            let closed = state.questions.closed(1000).await.into_iter().map(|closed| closed.alert);
            shown.alerts.open.iter().cloned().chain(closed).find(|alert| alert.id == id)
        }
        None => None,
    };
    let no_of_table = decision.table;
    let game = no_of_table.and_then(|no| shown.games.get(&(decision.round, no)));
    let mut page = page(reader.t("裁决单", "Ruling sheet").to_owned(), "/arbiter/journal");
    page.class = "print";
    page.sheets = &["game.css", "arbiter.css", "light.css", "ruling.css"];
    let title = shown.event.as_ref().map(|event| event.title.clone()).unwrap_or_default();
    let round = decision.round;
    let zone = Zone::of(&shown);
    let body = html! {
        main id="main" class="a4" {
            p class="noprint" { a class="btn" href="/arbiter/journal" { (reader.t("返回", "Back")) } " " (reader.t("用浏览器的打印功能，A4 纸。", "Print with the browser, on A4.")) }
            h1 lang="zh" { (title) }
            p class="sub1" {
                @match reader.lang { Lang::Zh => { "裁决单　第 " (round) "-" (decision.no) " 号" } Lang::En => { "Ruling " (round) "-" (decision.no) } }
            }
            p class="facts1" {
                span { @if let Some(no) = no_of_table {
                    @match reader.lang { Lang::Zh => { "第" (round) "轮 第" (no) "台" } Lang::En => { "Round " (round) ", table " (no) } }
                } }
                span { (zone.time(decision.at)) "　" (say::who(&decision.by).get(reader.lang)) }
            }
            table class="rul" {
                @if let Some(game) = game {
                    tr {
                        th { (reader.t("对局", "Game")) }
                        td {
                            (words::side(Side::Red, reader.lang)) " " b { (game.red.name) } (unit(game.red.no.0, &game.red.unit, reader.lang))
                            "　" (words::side(Side::Black, reader.lang)) " " b { (game.black.name) } (unit(game.black.no.0, &game.black.unit, reader.lang))
                        }
                    }
                }
                @if let Some(alert) = &alert {
                    tr {
                        th { (reader.t("事由", "Matter")) }
                        td { (reader.t(alert.code.zh(), alert.code.en())) "：" (alert.evidence[if reader.lang == Lang::Zh { 0 } else { 1 }]) }
                    }
                }
                @if let Some([red_ms, black_ms]) = decision.times {
                    tr {
                        th { (reader.t("裁决时钟面", "Clocks then")) }
                        td {
                            (words::side(Side::Red, reader.lang)) " " (clock::text(red_ms)) "　"
                            (words::side(Side::Black, reader.lang)) " " (clock::text(black_ms))
                        }
                    }
                }
            }
            @if let Some(game) = game { (board_and_plies(&game.plies, alert.as_ref(), &decision, &reader)) }
            div class="verdict" {
                small { (reader.t("裁定", "Ruling")) }
                p class="v" { (verdict(&decision, alert.as_ref(), &reader)) @if decision.undone { (reader.t("（已撤销）", " (undone)")) } }
                @if let Some(why) = why(&decision.act) { p { (reader.t("理由：", "Reason: ")) (why) } }
                @if let Some(event) = &shown.event { p { (reader.t("依据：竞赛规程 ", "Under regulation ")) (event.regulation) } }
            }
            table class="rul" {
                tr { th { (reader.t("执行结果", "Carried out")) } td { "☐ " (reader.t("已执行", "done")) "　☐ " (reader.t("其他：", "otherwise:")) } }
                tr class="tall" { th { (reader.t("双方签字", "Signatures")) } td { (reader.t("红方", "Red")) span class="sign" {} (reader.t("黑方", "Black")) span class="sign" {} } }
                tr class="tall" { th { (reader.t("更正记录", "Corrections")) } td {} }
            }
            p class="foot1" {
                span { (reader.t("裁判员", "Arbiter")) span class="sign" {} (reader.t("裁判长", "Chief arbiter")) span class="sign" {} }
                span { (reader.t("记录号 ", "Journal entry ")) (decision.no) }
            }
        }
    };
    let mut answer = page.answer(&state.hub, &shown, &reader, &body);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn unit(no: u16, unit: &str, lang: Lang) -> String {
    match lang {
        Lang::Zh => format!("（{no}号 {unit}）"),
        Lang::En => format!(" (no. {no} {unit})"),
    }
}

/// The alert that an act is about.
fn alert_of(act: &Act) -> Option<u64> {
    if let Act::Remedy { alert, .. }
    | Act::Settle { alert, .. }
    | Act::Dismiss { alert, .. }
    | Act::Assign { alert, .. } = act
    {
        return Some(*alert);
    }
    None
}

/// What is written down as the reason.
fn why(act: &Act) -> Option<&str> {
    if let Act::Remedy { why, .. }
    | Act::Settle { why, .. }
    | Act::Dismiss { why, .. }
    | Act::Foul { why, .. } = act
    {
        return Some(why).filter(|why| !why.is_empty()).map(String::as_str);
    }
    None
}

fn verdict(decision: &DecisionView, alert: Option<&AlertView>, reader: &Reader) -> String {
    let remedy = match (&decision.act, alert) {
        (Act::Remedy { choice, .. }, Some(alert)) => alert.remedies.get(*choice),
        (_, Some(_) | None) => None,
    };
    match remedy {
        Some(remedy) => remedy.words[if reader.lang == Lang::Zh { 0 } else { 1 }].clone(),
        None => say::act(&decision.act, None).get(reader.lang).to_owned(),
    }
}

fn board_and_plies(
    played: &[PlyView],
    alert: Option<&AlertView>,
    decision: &DecisionView,
    reader: &Reader,
) -> Markup {
    let cycle = alert.and_then(evidence::cycle);
    // The position that was decided about: the cycle's end, or what had been played by then.
    let upto = match cycle {
        Some((_, last, _)) => usize::from(last).min(played.len()),
        None => played.iter().take_while(|ply| ply.at <= decision.at).count(),
    };
    let plies = &played[..upto];
    let fen =
        plies.last().map_or("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR", |ply| &ply.board);
    let board = Board {
        fen,
        last: plies.last().map(|ply| ply.mv),
        check: None,
        flip: false,
        thumb: false,
        set: reader.set,
        label: reader.t("局面", "Position").to_owned(),
    };
    html! {
        div class="two1" {
            div class="bdw" {
                (board)
                svg class="over" viewBox=(sheet::VIEW_BOX) aria-hidden="true" {
                    @if let Some((first, last, _)) = cycle {
                        (sheet::arrows(&part(played, first, last), usize::from(first).saturating_sub(1)))
                    }
                }
            }
            div {
                @if let Some((first, last, classes)) = cycle {
                    (classes::cycle(&part(played, first, last), first, classes, None, reader))
                } @else {
                    p class="h3" { (reader.t("此前着法", "Moves before")) }
                    ol class="cyc" {
                        @for (i, ply) in plies.iter().enumerate().skip(upto.saturating_sub(LAST_PLIES)) {
                            li { span class="no" { (i / 2 + 1) } b { (reader.moves.of(ply)) } @if let Some(ms) = ply.used_ms { span { (clock::used(ms)) } } }
                        }
                    }
                }
            }
        }
    }
}

fn part(played: &[PlyView], first: u16, last: u16) -> Vec<&PlyView> {
    let skip = usize::from(first).saturating_sub(1);
    played.iter().take(usize::from(last)).skip(skip).collect()
}
