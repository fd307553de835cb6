//! `/arbiter`: the open alerts, gravest first. The machine proposes; people decide.

use arbitration::Severity;
use axum::Form;
use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use hall::view::{AlertView, Epoch};
use maud::{Markup, html};
use serde::Deserialize;
use tokio::sync::oneshot;

use super::shell::{Page, Place, Reader};
use crate::hub::Shown;
use crate::lang::Lang;
use crate::staff::{self, Denied, StaffKey};
use crate::topic::Topic;
use crate::{ActRequest, AppState};

/// `GET /arbiter`.
pub async fn arbiter(State(state): State<AppState>, reader: Reader, parts: Parts) -> Response {
    if let Err(denied) = staff::admit(&state, &parts) {
        return denied_page(&state, &reader, denied);
    }
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
                    @for alert in &shown.alerts.open { (card(&shown, alert, state.hub.now(), &reader)) }
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

fn card(shown: &Shown, alert: &AlertView, now: Epoch, reader: &Reader) -> Markup {
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
                        form method="post" action={ "/arbiter/" (alert.id) "/take" } {
                            button class="btn btn-1" { (reader.t("受理", "Take it")) }
                        }
                    }
                    @if let (Some(round), Some(table)) = (round, alert.table) {
                        a class="btn" href={ "/round/" (round) "/table/" (table) } { (reader.t("看台面", "See the board")) }
                    }
                    details {
                        summary class="btn" { (reader.t("结案…", "Settle…")) }
                        form method="post" action={ "/arbiter/" (alert.id) "/settle" } class="settle" {
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

fn denied_page(state: &AppState, reader: &Reader, denied: Denied) -> Response {
    let mut page = Page::new(reader.t("值班台", "Arbiters' desk").to_owned(), Place::Other, Some("/"));
    page.sheets = &["lists.css", "arbiter.css"];
    let wrong = reader.asked_text("wrong").is_some();
    let body = html! {
        main id="main" class="say" {
            h1 { (denied.say(reader.lang)) }
            @if denied == Denied::KeyNeeded {
                form class="find" method="post" action="/arbiter/enter" {
                    label for="key" { (reader.t("口令", "Key")) }
                    input id="key" name="key" type="password" required autocomplete="current-password";
                    button class="btn btn-1" { (reader.t("进入", "Enter")) }
                }
                @if wrong { p class="wrong" role="alert" { (reader.t("口令不对", "That is not the key")) } }
            }
        }
    };
    let mut answer = page.answer(&state.hub, &state.hub.shown(), reader, &body);
    *answer.status_mut() = denied.status();
    answer
}

/// The key as entered.
#[derive(Deserialize)]
pub struct Entered {
    key: String,
}

/// `POST /arbiter/enter`.
pub async fn enter(State(state): State<AppState>, Form(entered): Form<Entered>) -> Response {
    match &state.staff {
        Some(key) if key.opens(&entered.key) => {
            let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", StaffKey::COOKIE, key.token());
            ([(header::SET_COOKIE, cookie)], Redirect::to("/arbiter")).into_response()
        }
        Some(_) => {
            // A wrong key costs a second, so that trying many is slow.
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            Redirect::to("/arbiter?wrong=1").into_response()
        }
        None => Redirect::to("/arbiter").into_response(),
    }
}

/// `POST /arbiter/{alert}/take`: somebody takes an alert up.
pub async fn take_up(
    State(state): State<AppState>,
    Path(alert): Path<u64>,
    reader: Reader,
    parts: Parts,
) -> Response {
    act(&state, &reader, &parts, hall::Act::Claim(alert)).await
}

/// Why an alert is settled.
#[derive(Deserialize)]
pub struct Settled {
    why: String,
}

/// `POST /arbiter/{alert}/settle`: an alert is settled, with the reason.
pub async fn settle(
    State(state): State<AppState>,
    Path(alert): Path<u64>,
    reader: Reader,
    parts: Parts,
    Form(settled): Form<Settled>,
) -> Response {
    let why: String = settled.why.trim().chars().take(200).collect();
    if why.is_empty() {
        return (StatusCode::UNPROCESSABLE_ENTITY, reader.t("请写明理由", "A reason is needed"))
            .into_response();
    }
    act(&state, &reader, &parts, hall::Act::Settle { alert, why }).await
}

async fn act(state: &AppState, reader: &Reader, parts: &Parts, act: hall::Act) -> Response {
    if let Err(denied) = staff::admit(state, parts) {
        return (denied.status(), denied.say(reader.lang)).into_response();
    }
    let (answer, answered) = oneshot::channel();
    // Until there are accounts, all who know the key are one person.
    let by = hall::Actor::person(reader.t("裁判", "arbiter"), hall::Role::ChiefArbiter);
    let gone = || {
        (StatusCode::SERVICE_UNAVAILABLE, reader.t("服务器正在停止", "The server is stopping"))
            .into_response()
    };
    if state.acts.send(ActRequest { act, by, answer }).await.is_err() {
        return gone();
    }
    match answered.await {
        Ok(Ok(())) => Redirect::to("/arbiter").into_response(),
        Ok(Err(why)) => (StatusCode::CONFLICT, why.get(reader.lang).to_owned()).into_response(),
        Err(_) => gone(),
    }
}
