//! `/standings`: rank by rank, with the column that decided each place.

use axum::response::Response;
use hall::view::{StandingRow, StandingView};
use maud::{Markup, html};
use tournament::GroupNo;

use super::shell::{Page, Place, Reader, tabs};
use crate::audience::Public;
use crate::hub::Shown;
use crate::lang::Lang;
use crate::topic::Topic;

/// `GET /standings`.
pub async fn standings(state: Public, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let title = reader.t("名次", "Standings").to_owned();
    let page = Page::new(title, Place::Standings, Some("/")).follow([Topic::Standing]);
    let body = html! {
        main id="main" class="home" {
            (tabs(&shown, &reader, Place::Standings))
            section class="sec full" data-part="standing" {
                h2 {
                    @if shown.teams.is_some() { (reader.t("团体名次", "Team standings")) }
                    @else { (reader.t("个人名次", "Individual standings")) }
                    @if let Some(standing) = &shown.standing { span class="meta" { (after(standing, &reader)) } }
                }
                @if shown.without_results {
                    (hidden(&shown, &reader))
                } @else if let Some(standing) = &shown.standing {
                    (switch(&shown, &reader))
                    (tables(&shown, standing, &reader, usize::MAX))
                } @else {
                    p class="none" { (reader.t("第1轮结束后公布", "Out after round 1")) }
                }
            }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

/// In the place of what would tell results.
#[must_use]
pub fn hidden(shown: &Shown, reader: &Reader) -> Markup {
    html! {
        p class="none" {
            @if shown.broadcast.hide_results {
                (reader.t("主办方暂不公布结果", "The organisers keep the results back for now"))
            } @else {
                (reader.t("结果已隐藏", "Results are hidden"))
                " · " a href="?results=show" { (reader.t("显示结果", "Show results")) }
            }
        }
    }
}

/// "第6轮后", or that it still moves.
#[must_use]
pub fn after(standing: &StandingView, reader: &Reader) -> String {
    match (reader.lang, standing.live) {
        (Lang::Zh, false) => format!("第{}轮后", standing.after),
        (Lang::Zh, true) => format!("第{}轮进行中", standing.after),
        (Lang::En, false) => format!("after round {}", standing.after),
        (Lang::En, true) => format!("round {} in progress", standing.after),
    }
}

/// The groups' numbers and names; none where all are in one field.
pub fn groups(shown: &Shown) -> impl Iterator<Item = (GroupNo, &str)> {
    let names = shown.event.iter().flat_map(|event| &event.groups);
    (1..).map(GroupNo).zip(names.map(String::as_str))
}

/// One group or all of them.
fn switch(shown: &Shown, reader: &Reader) -> Markup {
    let chosen = reader.asked::<u16>("group").map(GroupNo);
    html! {
        @if groups(shown).next().is_some() {
            nav class="seg small" aria-label=(reader.t("组别", "Groups")) {
                a href="/standings" aria-current=[chosen.is_none().then_some("true")] { (reader.t("全部", "All")) }
                @for (no, name) in groups(shown) {
                    a href={ "/standings?group=" (no) } lang="zh" aria-current=[(chosen == Some(no)).then_some("true")] { (name) }
                }
            }
        }
    }
}

/// The table, of each group its own, or that of `?group=` alone; at most `most` rows of each.
#[must_use]
pub fn tables(shown: &Shown, standing: &StandingView, reader: &Reader, most: usize) -> Markup {
    let chosen = reader.asked::<u16>("group").map(GroupNo);
    html! {
        @if groups(shown).next().is_none() { (table(shown, standing, reader, most)) }
        @for (no, name) in groups(shown).filter(|(no, _)| chosen.is_none_or(|chosen| chosen == *no)) {
            h3 class="grp" lang="zh" { (name) }
            (table(shown, &standing.of_group(no), reader, most))
        }
    }
}

/// The table, at most `most` rows of it.
fn table(shown: &Shown, standing: &StandingView, reader: &Reader, most: usize) -> Markup {
    let span = standing.columns.len() + 2;
    let path = if shown.teams.is_some() { "/team/" } else { "/player/" };
    html! {
        div class="scroll" {
            table class="stg" {
                thead {
                    tr {
                        th class="rk" scope="col" { (reader.t("名次", "#")) }
                        th scope="col" {
                            @if shown.teams.is_some() { (reader.t("队伍", "Team")) } @else { (reader.t("姓名", "Name")) }
                        }
                        th scope="col" class="un" { (reader.t("单位", "Unit")) }
                        @for column in &standing.columns {
                            th class="num" scope="col" { (reader.t(column.zh.as_str(), column.en.as_str())) }
                        }
                    }
                }
                tbody {
                    @for (row, next) in pairs(&standing.rows).take(most) { (line(row, next, span, path, reader)) }
                }
            }
        }
    }
}

/// Each row with the one below it.
fn pairs(rows: &[StandingRow]) -> impl Iterator<Item = (&StandingRow, Option<&StandingRow>)> {
    rows.iter().zip(rows.iter().skip(1).map(Some).chain([None]))
}

/// A row says why it stands before the next one, where points alone do not.
fn line(row: &StandingRow, next: Option<&StandingRow>, span: usize, path: &str, reader: &Reader) -> Markup {
    let decided = next.and_then(|next| next.decided_by);
    let why = next.and_then(|next| match reader.lang {
        Lang::Zh => {
            Some(format!("列第{}名之前：{}", next.rank, next.why[0])).filter(|_| !next.why[0].is_empty())
        }
        Lang::En => {
            Some(format!("above rank {}: {}", next.rank, next.why[1])).filter(|_| !next.why[1].is_empty())
        }
    });
    html! {
        tr {
            td class="rk" { (row.rank) }
            td {
                a href={ (path) (row.no) } { b lang="zh" { (row.name) } " " span class="mut" { (row.no) } }
            }
            td class="sub un" lang="zh" { (row.unit) }
            @for (i, value) in row.values.iter().enumerate() {
                td class={ "num" @if i == 0 { " pt" } @if decided == Some(i) { " dec" } } { (value) }
            }
        }
        @if let Some(why) = why {
            tr class="why" { td {} td colspan=(span - 1) { span { (why) } } }
        }
    }
}
