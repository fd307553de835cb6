//! `/arbiter/journal`: who decided what, newest first; by table and by person.

use axum::extract::{Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use hall::Room;
use maud::html;
use tournament::TableNo;

use super::table::hm;
use super::{Fields, nav, page, say, table_name};
use crate::AppState;
use crate::auth;
use crate::page::shell::Reader;

/// Closed alerts that are shown at most.
const CLOSED: usize = 200;

/// Decisions on one page.
const MOST: usize = 300;

/// `GET /arbiter/journal`.
pub async fn journal(
    State(state): State<AppState>,
    Query(query): Query<Vec<(String, String)>>,
    reader: Reader,
    parts: Parts,
) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Journal) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let fields = Fields(query);
    let shown = state.hub.shown();
    let table = fields.parse::<u16>("table").map(TableNo);
    let person = fields.get("by").filter(|by| !by.is_empty());
    let everything = state.questions.decisions(table).await;
    let people: std::collections::BTreeSet<&str> = everything.iter().map(|one| one.by.name()).collect();
    let decisions: Vec<_> =
        everything.iter().filter(|one| person.is_none_or(|by| one.by.name() == by)).collect();
    let closed = state.questions.closed(CLOSED).await;
    let closed = closed.iter().filter(|one| table.is_none_or(|table| one.alert.table == Some(table)));
    let closed: Vec<_> = closed.filter(|one| person.is_none_or(|by| one.by == by)).collect();
    let body = html! {
        main id="main" class="one" {
            form class="find" method="get" action="/arbiter/journal" {
                label for="table" { (reader.t("台号", "Table")) }
                input id="table" name="table" inputmode="numeric" value=(table.map(|no| no.to_string()).unwrap_or_default());
                label for="by" { (reader.t("何人", "Who")) }
                select id="by" name="by" {
                    option value="" { (reader.t("所有人", "everybody")) }
                    @for name in &people { option value=(name) selected[person == Some(*name)] { (name) } }
                }
                button class="btn" { (reader.t("查", "Find")) }
            }
            section class="sec" {
                h2 { (reader.t("裁决与操作", "Decisions")) span class="mut" { (decisions.len()) } }
                table class="stg jr" {
                    tr {
                        th { "#" } th { (reader.t("时刻", "Time")) } th { (reader.t("何人", "Who")) }
                        th { (reader.t("何事", "What")) } th {}
                    }
                    @for one in decisions.iter().take(MOST) {
                        tr class=[one.undone.then_some("undone")] {
                            td { (one.no) } td { (hm(one.at.0)) }
                            td { (say::who(&one.by).get(reader.lang)) }
                            td class="wrap" {
                                (say::act(&one.act, None).get(reader.lang))
                                @if one.undone { span class="mut" { (reader.t("（已撤销）", " (undone)")) } }
                            }
                            td { a href={ "/arbiter/ruling/" (one.no) } { (reader.t("裁决单", "sheet")) } }
                        }
                    }
                }
                @if decisions.is_empty() { p class="none" { (reader.t("没有记录", "Nothing")) } }
            }
            section class="sec" {
                h2 { (reader.t("已结警报", "Closed alerts")) span class="mut" { (closed.len()) } }
                table class="stg jr" {
                    @for one in &closed {
                        tr {
                            td { (hm(one.at.0)) }
                            td { @if let Some(table) = one.alert.table { (table_name(table, reader.lang)) } }
                            td { (reader.t(one.alert.code.zh(), one.alert.code.en())) }
                            td { (one.by) }
                            td class="wrap" { (one.why) }
                        }
                    }
                }
                @if closed.is_empty() { p class="none" { (reader.t("没有记录", "Nothing")) } }
            }
        }
        (nav("/arbiter/journal", &shown, &official, &reader))
    };
    let page = page(reader.t("日志", "Journal").to_owned(), "/arbiter");
    let mut answer = page.answer(&state.hub, &shown, &reader, &body);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}
