//! `/arbiter`: the open alerts, gravest first. The machine proposes; people decide.

use arbitration::Severity;
use axum::extract::{Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use hall::Room;
use hall::view::{AlertView, Epoch};
use maud::{Markup, html};

use super::choice::{self, Choice};
use super::codes::severity;
use super::{Fields, duty, nav, page, walk};
use crate::AppState;
use crate::auth::{self, Official};
use crate::hub::Shown;
use crate::lang::{Lang, Words};
use crate::page::pairings;
use crate::page::shell::Reader;
use crate::topic::Topic;

/// `GET /arbiter`.
pub async fn arbiter(
    State(state): State<AppState>,
    Query(query): Query<Vec<(String, String)>>,
    reader: Reader,
    parts: Parts,
) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Duty) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    draw(&state, &Fields(query), None, &official, &reader)
}

/// `POST /arbiter`: a choice about an alert of no table is confirmed.
pub async fn confirm(State(state): State<AppState>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Duty)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let fields = Fields(posted.fields().map(|(key, value)| (key.to_owned(), value.to_owned())).collect());
    let done = match picked(&state.hub.shown(), &fields) {
        Ok(Some(choice)) => auth::decide(&state, &posted.official, choice.acts, None).await,
        Ok(None) => return Redirect::to("/arbiter").into_response(),
        Err(why) => Err(auth::Undone::Refused(why)),
    };
    match done {
        Ok(()) => Redirect::to(back(fields.get("to"))).into_response(),
        Err(undone) => {
            let mut answer = draw(&state, &fields, Some(&undone.words()), &posted.official, &posted.reader);
            *answer.status_mut() = undone.status();
            answer
        }
    }
}

/// A page of the arbiters to go back to.
fn back(to: Option<&str>) -> &str {
    let ours = |to: &&str| to.starts_with("/arbiter") && to.bytes().all(|b| b.is_ascii_graphic());
    to.filter(ours).unwrap_or("/arbiter")
}

/// `POST /arbiter/alerts/{alert}/take`: somebody takes an alert up.
pub async fn take_up(State(state): State<AppState>, Path(alert): Path<u64>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Duty)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    match auth::decide(&state, &posted.official, vec![hall::Act::Claim(alert)], None).await {
        Ok(()) => Redirect::to(back(posted.text("to"))).into_response(),
        Err(undone) => {
            let fields = Fields::default();
            let mut answer = draw(&state, &fields, Some(&undone.words()), &posted.official, &posted.reader);
            *answer.status_mut() = undone.status();
            answer
        }
    }
}

/// What is picked about an alert, or about the whole hall.
fn picked(shown: &Shown, fields: &Fields) -> Result<Option<Choice>, Words> {
    let all = |act: hall::Act| {
        let title = super::say::act(&act, None);
        Ok(Some(Choice { title, effects: Vec::new(), acts: vec![act], reason: None }))
    };
    match (fields.get("do"), fields.parse::<u64>("alert")) {
        (Some("pause-all"), _) => all(hall::Act::Pause(Vec::new())),
        (Some("resume-all"), _) => all(hall::Act::Resume(Vec::new())),
        (_, Some(id)) => {
            let alert = shown.alerts.open.iter().find(|alert| alert.id == id);
            let alert = alert.ok_or(Words::of("此警报已结", "This alert is closed"))?;
            choice::of_alert(fields, alert, None)
        }
        (_, None) => Ok(None),
    }
}

fn draw(
    state: &AppState,
    fields: &Fields,
    wrong: Option<&Words>,
    official: &Official,
    reader: &Reader,
) -> Response {
    let shown = state.hub.shown();
    let picked = picked(&shown, fields);
    let page =
        page(reader.t("值班台", "Arbiters' desk").to_owned(), "/").follow([Topic::Alerts, Topic::Event]);
    let now = state.hub.now();
    let mine = walk::of(&shown, official);
    let only_mine = walk::wanted(fields, mine);
    let mut open: Vec<&AlertView> = shown.alerts.open.iter().collect();
    let others = open.iter().filter(|alert| !walk::concerns(alert, mine, official)).count();
    open.retain(|alert| !only_mine || walk::concerns(alert, mine, official));
    // One's own tables first; what somebody has taken up stands below what nobody has, within its severity.
    let own = |alert: &AlertView| walk::concerns(alert, mine, official);
    open.sort_by_key(|alert| (!own(alert), alert.severity, alert.claimed_by.is_some()));
    let body = html! {
           main id="main" {
               div data-part="alerts" {
                   (counts(&shown, reader))
                   div class="bar" {
                       @if mine.is_some() {
                           div class="seg" {
                               a href="/arbiter" aria-current=[only_mine.then_some("true")] { (reader.t("我的台", "Mine")) }
                               a href="/arbiter?of=all" aria-current=[(!only_mine).then_some("true")] {
                                   (reader.t("全部", "All"))
                                   @if others > 0 { " +" (others) }
                               }
                           }
                       }
                       (duty(reader)) span class="mut" { (official.name) }
                   }
                   @if let Some(wrong) = wrong { p class="hind" role="alert" { (wrong.get(reader.lang)) } }
                   @if let Err(wrong) = &picked { p class="hind" role="alert" { (wrong.get(reader.lang)) } }
                   div class="queue" {
                       @for alert in &open { (card(&shown, alert, own(alert), now, official, reader)) }
                       @if open.is_empty() {
                           p class="none" { (reader.t("没有待处理的警报", "No open alerts")) }
                       }
                   }
    (walk::form(&shown, official, "/arbiter", fields.get("walk") == Some("wrong"), reader))
                   p class="closed" {
                       @match reader.lang {
                           Lang::Zh => { "已结 " (shown.alerts.closed) " 件" }
                           Lang::En => { (shown.alerts.closed) " settled" }
                       }
                   }
               }
           }
           @if let Ok(Some(choice)) = &picked { (bar(choice, fields, official, reader)) }
           @else { (nav("/arbiter", &shown, official, reader)) }
       };
    let mut answer = page.answer(&state.hub, &shown, reader, &body);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// How many of each severity are open, and how many games are played.
pub fn counts(shown: &Shown, reader: &Reader) -> Markup {
    let count = |of: Severity| shown.alerts.open.iter().filter(|alert| alert.severity == of).count();
    let playing = shown.current_round().map_or(0, |round| pairings::tally(shown, round).0);
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

fn card(
    shown: &Shown,
    alert: &AlertView,
    own: bool,
    now: Epoch,
    official: &Official,
    reader: &Reader,
) -> Markup {
    let (class, word) = severity(alert.severity, reader.lang);
    let in_round =
        |table| shown.current_round().is_some_and(|round| shown.games.contains_key(&(round.round, table)));
    let place = match alert.table.filter(|table| in_round(*table)) {
        Some(table) => format!("/arbiter/table/{table}"),
        None => "/arbiter".to_owned(),
    };
    let text = |both: &[String; 2]| both[if reader.lang == Lang::Zh { 0 } else { 1 }].clone();
    let (evidence, proposal) = (text(&alert.evidence), text(&alert.proposal));
    html! {
        article class={ "al " (class) @if alert.claimed_by.is_some() { " claimed" } } id={ "alert-" (alert.id) }
            data-alert=(alert.id) data-sev=(class) data-free[alert.claimed_by.is_none()] data-own[own] {
            header {
                span class="sev" { (word) }
                h2 {
                    @if let Some(table) = alert.table { (super::table_name(table, reader.lang)) " " }
                    (reader.t(alert.code.zh(), alert.code.en()))
                    @if alert.times > 1 { small { " ×" (alert.times) } }
                }
                @if alert.escalated { span class="esc" { (reader.t("已升级", "escalated")) } }
                @match &alert.claimed_by {
                    Some(who) => span class="by" { (who) " " (reader.t("已受理", "has it")) },
                    None => time class="age" data-age=(alert.at.0) { (age(now.since(alert.at))) },
                }
            }
            div class="body" {
                @if !evidence.is_empty() { p { (evidence) } }
                @if !proposal.is_empty() { p class="prop" { (proposed(&proposal, reader.lang)) } }
                div class="acts" {
                    @if alert.claimed_by.is_none() {
                        form method="post" action={ "/arbiter/alerts/" (alert.id) "/take" } {
                            (official.seal())
                            button class="btn btn-1" { (reader.t("受理", "Take it")) }
                        }
                    }
                    @if alert.table.is_some() {
                        a class="btn" href={ (place) "?alert=" (alert.id) } { (reader.t("看台面", "See the table")) }
                    }
                    @for (i, remedy) in alert.remedies.iter().take(2).enumerate() {
                        a class="btn" href={ (place) "?alert=" (alert.id) "&choice=" (i) } { span { (text(&remedy.words)) } }
                    }
                    @if alert.remedies.is_empty() {
                        a class="btn" href={ (place) "?alert=" (alert.id) "&do=settle" } { (reader.t("已处理", "Dealt with")) }
                        a class="btn" href={ (place) "?alert=" (alert.id) "&do=dismiss" } { (reader.t("不予处理", "Dismiss")) }
                    }
                }
            }
        }
    }
}

/// The bar at the foot: what was chosen, cancel or confirm.
pub fn bar(choice: &Choice, fields: &Fields, official: &Official, reader: &Reader) -> Markup {
    let may = choice.acts.iter().all(|act| official.may(act));
    html! {
        form class="conf" id="confirm" method="post" action="/arbiter" {
            (official.seal())
            @for name in choice::FIELDS {
                @if let Some(value) = fields.get(name).filter(|_| name != "why") {
                    input type="hidden" name=(name) value=(value);
                }
            }
            div {
                b { (choice.title.get(reader.lang)) }
                @if choice.reason.is_some() {
                    input name="why" maxlength="200" autocomplete="off" aria-label=(reader.t("理由", "Reason"))
                        placeholder=(reader.t("理由（可不填）", "reason (optional)"));
                }
                @if !may { p { (auth::Undone::Role.words().get(reader.lang)) } }
            }
            a class="btn btn-g" href="/arbiter" { (reader.t("取消", "Cancel")) }
            button class="btn" disabled[!may] { (reader.t("确认裁决", "Confirm")) }
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
pub fn age(ms: i64) -> String {
    let s = (ms / 1000).max(0);
    format!("{:02}:{:02}", s / 60, s % 60)
}
