//! `/arbiter/journal`: who did what, newest first; by table, person and kind, page by page.

use axum::extract::{Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use hall::view::{AlertTurn, DeedKind, DeedView, DeedWhat, JournalQuery};
use hall::{AccountDeed, Room};
use maud::{Markup, html};
use tournament::TableNo;

use super::codes::severity;
use super::when::Zone;
use super::{Fields, nav, page, say, table_name};
use crate::AppState;
use crate::auth;
use crate::lang::{Lang, Words};
use crate::page::shell::Reader;

/// Lines of one page.
const LINES: usize = 60;

/// A kind's name.
const fn name(kind: DeedKind, lang: Lang) -> &'static str {
    match kind {
        DeedKind::Decision => lang.pick("裁决与操作", "Decisions"),
        DeedKind::Alert => lang.pick("警报", "Alerts"),
        DeedKind::Desk => lang.pick("赛务", "Desk"),
        DeedKind::Account => lang.pick("账户", "Accounts"),
    }
}

fn query(fields: &Fields) -> JournalQuery {
    JournalQuery {
        table: fields.parse::<u16>("table").map(TableNo),
        by: fields.get("by").filter(|by| !by.is_empty()).map(str::to_owned),
        kind: DeedKind::ALL.into_iter().find(|kind| fields.get("kind") == Some(kind.code())),
        before: fields.parse("before"),
        at_most: LINES,
    }
}

/// The conditions as a form's hidden fields, older than an entry.
fn conditions(query: &JournalQuery, before: u64) -> Vec<(&'static str, String)> {
    let table = query.table.map(|table| ("table", table.to_string()));
    let by = query.by.clone().map(|by| ("by", by));
    let kind = query.kind.map(|kind| ("kind", kind.code().to_owned()));
    table.into_iter().chain(by).chain(kind).chain([("before", before.to_string())]).collect()
}

/// `GET /arbiter/journal`.
pub async fn journal(
    State(state): State<AppState>,
    Query(fields): Query<Vec<(String, String)>>,
    reader: Reader,
    parts: Parts,
) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Journal) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let query = query(&Fields(fields));
    let view = state.questions.journal(query.clone()).await;
    let shown = state.hub.shown();
    let zone = Zone::of(&shown);
    let body = html! {
        main id="main" class="one" {
            form class="find jf" method="get" action="/arbiter/journal" {
                label {
                    (reader.t("台号", "Table"))
                    input name="table" inputmode="numeric" size="4" value=(query.table.map(|no| no.to_string()).unwrap_or_default());
                }
                label {
                    (reader.t("何人", "Who"))
                    select name="by" {
                        option value="" { (reader.t("所有人", "everybody")) }
                        @for name in &view.people {
                            option value=(name) selected[query.by.as_deref() == Some(name)] { (person(name, reader.lang)) }
                        }
                    }
                }
                label {
                    (reader.t("何类", "Kind"))
                    select name="kind" {
                        option value="" { (reader.t("所有类", "all kinds")) }
                        @for kind in DeedKind::ALL {
                            option value=(kind.code()) selected[query.kind == Some(kind)] { (name(kind, reader.lang)) }
                        }
                    }
                }
                button class="btn" { (reader.t("查", "Find")) }
            }
            section class="sec" {
                h2 { (reader.t("日志", "Journal")) span class="mut" { (reader.t("新的在前", "newest first")) } }
                table class="stg jr" {
                    tr {
                        th { (reader.t("时刻", "Time")) } th { (reader.t("何人", "Who")) } th { (reader.t("台", "Table")) }
                        th { (reader.t("何事", "What")) } th {}
                    }
                    @for row in &view.rows { (line(row, zone, &reader)) }
                }
                @if view.rows.is_empty() { p class="none" { (reader.t("没有记录", "Nothing")) } }
                form class="closed" method="get" action="/arbiter/journal" {
                    @if query.before.is_some() {
                        a class="btn" href="/arbiter/journal" { (reader.t("最新", "Newest")) } " "
                    }
                    @if let Some(older) = view.older {
                        @for (name, value) in conditions(&query, older) { input type="hidden" name=(name) value=(value); }
                        button class="btn" id="older" { (reader.t("更早", "Older")) }
                    }
                }
            }
        }
        (nav("/arbiter/journal", &shown, &official, &reader))
    };
    let page = page(reader.t("日志", "Journal").to_owned(), "/arbiter");
    let mut answer = page.answer(&state.hub, &shown, &reader, &body);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn person(name: &str, lang: Lang) -> &str {
    if name == hall::Actor::Hall.name() { lang.pick("系统", "the system") } else { name }
}

fn line(row: &DeedView, zone: Zone, reader: &Reader) -> Markup {
    let undone = matches!(row.what, DeedWhat::Decided { undone: true, .. });
    html! {
        tr class=[undone.then_some("undone")] id={ "no-" (row.no) } {
            td { (zone.time(row.at)) }
            td class="wrap" {
                (person(row.by.name(), reader.lang))
                @if let Some(role) = row.by.role() { small class="role" { (reader.t(role.zh(), role.en())) } }
            }
            td {
                @if let Some(table) = row.table {
                    a href={ (super::timeline::around(table, row.at)) } { (table_name(table, reader.lang)) }
                }
            }
            td class="wrap" {
                (what(&row.what).get(reader.lang))
                @if undone { span class="mut" { (reader.t("（已撤销）", " (undone)")) } }
            }
            td {
                @if let DeedWhat::Decided { .. } = row.what {
                    a href={ "/arbiter/ruling/" (row.no) } { (reader.t("裁决单", "sheet")) }
                }
            }
        }
    }
}

fn what(what: &DeedWhat) -> Words {
    match what {
        DeedWhat::Decided { act, .. } => say::act(act, None),
        DeedWhat::Ended { outcome } => {
            let outcome = say::outcome(*outcome);
            Words::new(format!("对局结束：{}", outcome.0), format!("game over: {}", outcome.1))
        }
        DeedWhat::Alert { code, severity: of, turn, .. } => {
            let (zh, en) = match turn {
                AlertTurn::Raised => ("警报", "alert raised"),
                AlertTurn::Escalated => ("警报升级", "alert escalated"),
                AlertTurn::Passed => ("警报自行解除", "alert passed by itself"),
            };
            let word = |lang| severity(*of, lang).1;
            Words::new(
                format!("{zh}（{}）：{}", word(Lang::Zh), code.zh()),
                format!("{en} ({}): {}", word(Lang::En), code.en()),
            )
        }
        DeedWhat::Desk { did } => Words::new(did.zh.clone(), did.en.clone()),
        DeedWhat::Account { deed } => account(deed),
        DeedWhat::LetIn { gateway, on: true } => {
            Words::new(format!("网关 {gateway} 获准接入"), format!("gateway {gateway} is let in"))
        }
        DeedWhat::LetIn { gateway, on: false } => {
            Words::new(format!("网关 {gateway} 不再准入"), format!("gateway {gateway} is let in no longer"))
        }
    }
}

fn account(deed: &AccountDeed) -> Words {
    let w = |zh: String, en: String| Words::new(zh, en);
    let at = |from: &Option<String>| from.as_ref().map_or(String::new(), |from| format!(" [{from}]"));
    match deed {
        AccountDeed::Made { name, role } => {
            w(format!("新账户 {name}（{}）", role.zh()), format!("account made: {name} ({})", role.en()))
        }
        AccountDeed::RoleChanged { name, from, to } => w(
            format!("{name} 职务 {} → {}", from.zh(), to.zh()),
            format!("role of {name}: {} → {}", from.en(), to.en()),
        ),
        AccountDeed::PasswordSet { name } => w(
            format!("{name} 设新密码，其登录全部失效"),
            format!("new password of {name}; his sessions have ended"),
        ),
        AccountDeed::Removed { name } => w(format!("删除账户 {name}"), format!("account removed: {name}")),
        AccountDeed::SignedIn { from } => w(format!("登录{}", at(from)), format!("signed in{}", at(from))),
        AccountDeed::Refused { name, from } => {
            w(format!("登录被拒：{name}{}", at(from)), format!("sign-in refused: {name}{}", at(from)))
        }
        AccountDeed::Limited { name, from } => w(
            format!("登录尝试过多，暂锁：{name}{}", at(from)),
            format!("too many tries, locked for a while: {name}{}", at(from)),
        ),
        AccountDeed::SignedOutEverywhere => Words::of("在所有设备上退出", "signed out everywhere"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_has_the_same_conditions() {
        let fields = |all: &[(&str, &str)]| {
            Fields(all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
        };
        let first = query(&fields(&[("table", "7"), ("by", "李"), ("kind", "alert"), ("before", "")]));
        assert_eq!((first.table, first.kind), (Some(TableNo(7)), Some(DeedKind::Alert)));
        let next: Vec<(String, String)> =
            conditions(&first, 90).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(query(&Fields(next)), JournalQuery { before: Some(90), ..first });
    }
}
