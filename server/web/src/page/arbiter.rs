//! `/arbiter`: the open alerts, gravest first. The machine proposes; people decide.

use arbitration::Severity;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use hall::Room;
use hall::view::{AlertView, Epoch};
use maud::{Markup, html};

use super::shell::{Page, Place, Reader};
use crate::AppState;
use crate::auth::{self, Official, Posted};
use crate::hub::Shown;
use crate::lang::Lang;
use crate::topic::Topic;

/// `GET /arbiter`.
pub async fn arbiter(State(state): State<AppState>, reader: Reader, parts: Parts) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Duty) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let shown = state.hub.shown();
    let mut page = Page::new(reader.t("值班台", "Arbiters' desk").to_owned(), Place::Other, Some("/"))
        .follow([Topic::Alerts, Topic::Event]);
    page.class = "arb";
    page.sheets = &["lists.css", "arbiter.css"];
    let body = html! {
        main id="main" {
            div data-part="alerts" {
                (counts(&shown, &reader))
                div class="queue" {
                    @for alert in &shown.alerts.open { (card(&shown, alert, state.hub.now(), &official, &reader)) }
                    @if shown.alerts.open.is_empty() {
                        p class="none" { (reader.t("没有未处理的警报", "No open alerts")) }
                    }
                }
                p class="closed" {
                    @match reader.lang {
                        Lang::Zh => { "已结 " (shown.alerts.closed) " 件" }
                        Lang::En => { (shown.alerts.closed) " settled" }
                    }
                }
            }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

const fn severity(severity: Severity, lang: Lang) -> (&'static str, &'static str) {
    match severity {
        Severity::P0 => ("p0", lang.pick("须裁决", "Decide")),
        Severity::P1 => ("p1", lang.pick("注意", "Look")),
        Severity::P2 => ("p2", lang.pick("提示", "Note")),
        Severity::P3 => ("p3", lang.pick("记录", "Log")),
    }
}

fn counts(shown: &Shown, reader: &Reader) -> Markup {
    let count = |of: Severity| shown.alerts.open.iter().filter(|alert| alert.severity == of).count();
    let playing = shown.current_round().map_or(0, |round| super::pairings::tally(shown, round).0);
    html! {
        dl class="counts" {
            @for of in [Severity::P0, Severity::P1, Severity::P2] {
                @let (class, word) = severity(of, reader.lang);
                div class={ (class) @if count(of) == 0 { " zero" } } { dd { (count(of)) } dt { (word) } }
            }
            div { dd { (playing) } dt { (reader.t("进行", "Playing")) } }
        }
    }
}

fn card(shown: &Shown, alert: &AlertView, now: Epoch, official: &Official, reader: &Reader) -> Markup {
    let (class, word) = severity(alert.severity, reader.lang);
    let round = shown.current_round().map(|round| round.round);
    let [evidence, proposal] = [&alert.evidence, &alert.proposal].map(|words| match reader.lang {
        Lang::Zh => &words[0],
        Lang::En => &words[1],
    });
    html! {
        article class={ "al " (class) @if alert.claimed_by.is_some() { " claimed" } } id={ "alert-" (alert.id) } {
            header {
                span class="sev" { (word) }
                h2 {
                    @if let Some(table) = alert.table {
                        @match reader.lang { Lang::Zh => { (table) "台 " } Lang::En => { "Table " (table) " " } }
                    }
                    (reader.t(alert.code.zh(), alert.code.en()))
                }
                @match &alert.claimed_by {
                    Some(who) => span class="by" { (who) " " (reader.t("已受理", "has it")) },
                    None => time class="age" data-age=(alert.at.0) { (age(now.since(alert.at))) },
                }
            }
            div class="body" {
                @if !evidence.is_empty() { p { (evidence) } }
                @if !proposal.is_empty() { p class="prop" { (proposed(proposal, reader.lang)) } }
                div class="acts" {
                    @if alert.claimed_by.is_none() {
                        form method="post" action={ "/arbiter/alerts/" (alert.id) "/take" } {
                            (official.seal())
                            button class="btn btn-1" { (reader.t("受理", "Take it")) }
                        }
                    }
                    @if let (Some(round), Some(table)) = (round, alert.table) {
                        a class="btn" href={ "/round/" (round) "/table/" (table) } { (reader.t("看台面", "See the board")) }
                    }
                    details {
                        summary class="btn" { (reader.t("结案…", "Settle…")) }
                        form method="post" action={ "/arbiter/alerts/" (alert.id) "/settle" } class="settle" {
                            (official.seal())
                            label for={ "why-" (alert.id) } { (reader.t("理由", "Reason")) }
                            input id={ "why-" (alert.id) } name="why" required maxlength="200" autocomplete="off";
                            button class="btn btn-1" { (reader.t("结案", "Settle")) }
                        }
                    }
                }
            }
        }
    }
}

/// The proposal, said to be one: some say so themselves.
fn proposed(proposal: &str, lang: Lang) -> String {
    if proposal.starts_with("建议") || proposal.starts_with("Propos") {
        return proposal.to_owned();
    }
    format!("{}{proposal}", lang.pick("建议：", "Proposal: "))
}

/// Age as `mm:ss`.
fn age(ms: i64) -> String {
    let s = (ms / 1000).max(0);
    format!("{:02}:{:02}", s / 60, s % 60)
}

/// `POST /arbiter/alerts/{alert}/take`: somebody takes an alert up.
pub async fn take_up(State(state): State<AppState>, Path(alert): Path<u64>, request: Request) -> Response {
    match auth::posted(&state, request, Some(Room::Duty)).await {
        Ok(posted) => act(&state, &posted, hall::Act::Claim(alert)).await,
        Err(answer) => answer,
    }
}

/// `POST /arbiter/alerts/{alert}/settle`: an alert is settled, with the reason.
pub async fn settle(State(state): State<AppState>, Path(alert): Path<u64>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Duty)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let why: String = posted.text("why").unwrap_or_default().chars().take(200).collect();
    if why.is_empty() {
        return (StatusCode::UNPROCESSABLE_ENTITY, posted.reader.t("请写明理由", "A reason is needed"))
            .into_response();
    }
    act(&state, &posted, hall::Act::Settle { alert, why }).await
}

async fn act(state: &AppState, posted: &Posted, act: hall::Act) -> Response {
    match auth::decide(state, &posted.official, vec![act], None).await {
        Ok(()) => Redirect::to("/arbiter").into_response(),
        Err(undone) => (undone.status(), undone.words().get(posted.reader.lang).to_owned()).into_response(),
    }
}
