//! `/`, the event's home, and `/round/N`.

use axum::extract::Path;
use axum::response::Response;
use hall::view::{EventView, RoundView};
use maud::{Markup, html};
use tournament::RoundNo;

use super::pairings::{pairings, tally, tally_words};
use super::shell::{Page, Place, Reader, not_found, tabs};
use super::standings;
use super::teams::matches;
use crate::audience::Public;
use crate::hub::Shown;
use crate::lang::Lang;
use crate::topic::Topic;

/// `GET /`.
pub async fn home(state: Public, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let round = shown.current_round().cloned();
    let title = shown
        .event
        .as_ref()
        .map_or_else(|| reader.t("楚河", "Chuhe").to_owned(), |event| event.title.clone());
    let topics = [Topic::Event, Topic::Standing]
        .into_iter()
        .chain(round.iter().map(|round| Topic::Round(round.round)));
    let page = Page::new(title, Place::Pairings, None).follow(topics);
    let body = html! {
        main id="main" class="home" {
            (head(&shown, round.as_deref().map(|round| round.round), &reader))
            (tabs(&shown, &reader, Place::Pairings))
            div class="two" {
                (round_section(&shown, round.as_deref(), &reader))
                section class="sec wide" data-part="standing" {
                    @if shown.without_results {
                        h2 { (reader.t("名次", "Standings")) }
                        (standings::hidden(&shown, &reader))
                    } @else if let Some(standing) = &shown.standing {
                        h2 { (reader.t("名次", "Standings")) span class="meta" { (standings::after(standing, &reader)) } }
                        (standings::tables(&shown, standing, &reader, 32))
                        @if standing.rows.len() > 32 {
                            p class="more" { a href="/standings" { (reader.t("全部名次", "All standings")) } }
                        }
                    } @else {
                        h2 { (reader.t("名次", "Standings")) }
                        p class="none" { (reader.t("第1轮结束后公布", "Out after round 1")) }
                    }
                }
            }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

/// `GET /round/{n}`.
pub async fn round(state: Public, Path(round): Path<String>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let view = round.parse().ok().and_then(|n| shown.rounds.get(&RoundNo(n)).cloned());
    let Some(view) = view else {
        return not_found(&state.hub, &reader, reader.t("没有这一轮", "There is no such round"));
    };
    let page = Page::new(round_name(view.round, reader.lang), Place::Pairings, Some("/"))
        .follow([Topic::Event, Topic::Round(view.round)]);
    let body = html! {
        main id="main" class="home" {
            (head(&shown, Some(view.round), &reader))
            div class="one" { (round_section(&shown, Some(&view), &reader)) }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

/// "第7轮".
#[must_use]
pub fn round_name(round: RoundNo, lang: Lang) -> String {
    match lang {
        Lang::Zh => format!("第{round}轮"),
        Lang::En => format!("Round {round}"),
    }
}

fn round_section(shown: &Shown, round: Option<&RoundView>, reader: &Reader) -> Markup {
    html! {
        section class="sec" data-part="round" {
            @if let Some(round) = round {
                h2 {
                    (round_name(round.round, reader.lang)) (reader.t("对阵", " pairings"))
                    span class="meta" {
                        (tally_words(shown, round, reader))
                        @if tally(shown, round).0 > 0 { " · " a href="/live" { (reader.t("看直播", "Watch live")) } }
                    }
                }
                @match &shown.teams {
                    Some(teams) if !round.matches.is_empty() => { (matches(shown, teams, round, reader)) }
                    Some(_) | None => { (pairings(shown, round, reader)) }
                }
                (options(shown, reader))
            } @else {
                h2 { (reader.t("对阵", "Pairings")) }
                p class="none" { (reader.t("抽签编排后公布", "Out after the draw")) }
            }
        }
    }
}

/// What the reader may choose on pages with results.
#[must_use]
pub fn options(shown: &Shown, reader: &Reader) -> Markup {
    html! {
        p class="more opt" {
            @if shown.without_results && !shown.broadcast.hide_results {
                a href="?results=show" { (reader.t("显示结果", "Show results")) }
            } @else if !shown.without_results {
                a href="?results=hide" { (reader.t("隐藏结果", "Hide results")) }
            }
        }
    }
}

/// Title, facts and the strip of rounds.
fn head(shown: &Shown, here: Option<RoundNo>, reader: &Reader) -> Markup {
    let Some(event) = &shown.event else {
        return html! {
            header class="ev" data-part="head" {
                h1 { (reader.t("赛事尚未开始", "The event has not been opened")) }
            }
        };
    };
    html! {
        header class="ev" data-part="head" {
            h1 lang="zh" { (event.title) }
            p class="meta" { (facts(shown, event, reader.lang)) }
        }
        nav class="rounds" data-part="rounds" aria-label=(reader.t("轮次", "Rounds")) {
            ol {
                @for n in 1..=event.rounds { li { (round_cell(shown, event, RoundNo(n), here, reader)) } }
            }
        }
    }
}

fn round_cell(
    shown: &Shown,
    event: &EventView,
    n: RoundNo,
    here: Option<RoundNo>,
    reader: &Reader,
) -> Markup {
    let word = match (n.0.cmp(&event.round.0), event.playing) {
        (std::cmp::Ordering::Less, _) => reader.t("已毕", "done"),
        (std::cmp::Ordering::Equal, true) => reader.t("进行", "live"),
        (std::cmp::Ordering::Equal, false) if event.finished => reader.t("已毕", "done"),
        (std::cmp::Ordering::Equal, false) => reader.t("待开", "paired"),
        (std::cmp::Ordering::Greater, _) => reader.t("未开", "–"),
    };
    let paired = shown.rounds.contains_key(&n);
    html! {
        @if paired {
            a href={ "/round/" (n) } aria-current=[(here == Some(n)).then_some("true")] { b { (n) } (word) }
        } @else {
            span { b { (n) } (word) }
        }
    }
}

/// The facts that people ask for: how many, how long, which limit.
fn facts(shown: &Shown, event: &EventView, lang: Lang) -> String {
    let minutes = event.base_ms / 60_000;
    let increment = event.increment_ms / 1000;
    let base = if event.base_ms.is_multiple_of(60_000) {
        lang.pick(format!("每方{minutes}分").as_str(), format!("{minutes} min").as_str()).to_owned()
    } else {
        lang.pick(
            format!("每方{}秒", event.base_ms / 1000).as_str(),
            format!("{} s", event.base_ms / 1000).as_str(),
        )
        .to_owned()
    };
    let (of_teams_zh, of_teams_en) =
        if shown.teams.is_some() { ("队", "teams") } else { ("人", "players") };
    let groups = match event.groups.len() {
        0 => String::new(),
        groups => {
            lang.pick(format!("{groups}组 · ").as_str(), format!("{groups} groups · ").as_str()).to_owned()
        }
    };
    match lang {
        Lang::Zh => format!(
            "{}{of_teams_zh} · {groups}{}轮 · {base}{} · 自然限着{}回合",
            event.entrants,
            event.rounds,
            if increment > 0 { format!(" + 每着{increment}秒") } else { String::new() },
            event.natural_limit,
        ),
        Lang::En => format!(
            "{} {of_teams_en} · {groups}{} rounds · {base}{} · move limit {}",
            event.entrants,
            event.rounds,
            if increment > 0 { format!(" + {increment} s") } else { String::new() },
            event.natural_limit,
        ),
    }
}

/// The time control, for the page of a game.
#[must_use]
pub fn time_control(event: &EventView, lang: Lang) -> String {
    let (base, increment) = (event.base_ms / 60_000, event.increment_ms / 1000);
    match (lang, increment) {
        (Lang::Zh, 0) => format!("{base}分"),
        (Lang::Zh, _) => format!("{base}分 + 每着{increment}秒"),
        (Lang::En, 0) => format!("{base} min"),
        (Lang::En, _) => format!("{base} min + {increment} s"),
    }
}
