//! `/player/N`, one player's event, and `/search`.

use axum::extract::{Path, Query};
use axum::response::Response;
use hall::view::{GameStatus, PairingView, PlayerView};
use maud::{Markup, html};
use serde::Deserialize;
use tournament::{EntrantNo, RoundNo};
use xiangqi::Side;

use super::home::round_name;
use super::live::tile;
use super::shell::{Page, Place, Reader, disc, icon, not_found};
use super::standings;
use crate::audience::Public;
use crate::hub::Shown;
use crate::lang::Lang;
use crate::topic::Topic;
use crate::words;

/// A player's part in a round: himself, his side, his opponent; a bye has neither side nor opponent.
struct Played<'a> {
    round: RoundNo,
    pairing: &'a PairingView,
    me: &'a PlayerView,
    against: Option<(Side, &'a PlayerView)>,
}

fn played(shown: &Shown, no: EntrantNo) -> Vec<Played<'_>> {
    let all =
        shown.rounds.values().flat_map(|round| round.pairings.iter().map(|pairing| (round.round, pairing)));
    all.filter_map(|(round, pairing)| {
        let (me, against) = match &pairing.black {
            None if pairing.red.no == no => (&pairing.red, None),
            Some(black) if pairing.red.no == no => (&pairing.red, Some((Side::Red, black))),
            Some(black) if black.no == no => (black, Some((Side::Black, &pairing.red))),
            None | Some(_) => return None,
        };
        Some(Played { round, pairing, me, against })
    })
    .collect()
}

/// `GET /player/{n}`.
pub async fn player(state: Public, Path(no): Path<String>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let no = no.parse().ok().map(EntrantNo);
    let row = no.and_then(|no| shown.standing.as_ref()?.rows.iter().find(|row| row.no == no));
    let rounds = no.map(|no| played(&shown, no)).unwrap_or_default();
    let who = row.map(|row| (row.no, &row.name, &row.unit));
    let who = who.or_else(|| rounds.last().map(|last| (last.me.no, &last.me.name, &last.me.unit)));
    let followed = rounds.last().is_some_and(|last| reader.follows(last.me));
    let Some((no, name, unit)) = who else {
        return not_found(&state.hub, &reader, reader.t("没有这个编号的选手", "There is no such player"));
    };
    let group = row.map(|row| row.group).or_else(|| rounds.last().map(|last| last.pairing.group));
    let group = standings::groups(&shown).find(|(no, _)| Some(*no) == group).map(|(_, name)| name.to_owned());
    let current = shown.current_round().map(|round| round.round);
    let now = rounds.iter().find(|played| Some(played.round) == current);
    let mut page =
        Page::new(name.clone(), Place::Other, Some("/standings")).follow([Topic::Event, Topic::Standing]);
    let game = now.and_then(|now| shown.games.get(&(now.round, now.pairing.table?)));
    if let Some(game) = game {
        page.topics.push(Topic::grid_of(game.round, game.table));
        page.topics.push(Topic::Round(game.round));
    }
    let body = html! {
        main id="main" class="one player" {
            div class="who" {
                @if followed {
                    a class="btn btn-s btn-1" href={ "?unfollow=" (no) } aria-pressed="true" { (reader.t("已关注", "Following")) }
                } @else {
                    a class="btn btn-s" href={ "?follow=" (no) } { (reader.t("关注", "Follow")) }
                }
                h1 lang="zh" { (name) }
                p class="meta" {
                    @if !unit.is_empty() { span lang="zh" { (unit) } " · " }
                    @if let Some(group) = &group { span lang="zh" { (group) } " · " }
                    @match reader.lang { Lang::Zh => { (no) "号" } Lang::En => { "No. " (no) } }
                }
            }
            @if let Some(now) = now { (hero(now, &reader)) }
            @let ranked = row.zip(shown.standing.as_ref()).map(|(row, standing)| standing.of_group(row.group));
            @if let Some((standing, row)) = ranked.as_ref().and_then(|of| Some((of, of.rows.iter().find(|row| row.no == no)?))) {
                dl class="figures" data-part="figures" {
                    div { dd { (row.rank) } dt { (reader.t("名次", "Rank")) } }
                    @for (column, value) in standing.columns.iter().zip(&row.values).take(3) {
                        div { dd { (value) } dt { (reader.t(column.zh.as_str(), column.en.as_str())) } }
                    }
                }
            }
            @if let Some(game) = game {
                div class="gr single" data-part="grid" { (tile(&state.hub, game, &reader)) }
            }
            section class="sec" data-part="round" {
                h2 { (reader.t("各轮", "Rounds")) }
                div class="scroll" {
                    table class="stg" {
                        thead {
                            tr {
                                th class="num" scope="col" { (reader.t("轮", "Rd")) }
                                th scope="col" { (reader.t("执", "Side")) }
                                th scope="col" { (reader.t("对手", "Opponent")) }
                                th class="num" scope="col" { (reader.t("得分", "Score")) }
                                th scope="col" { (reader.t("结果", "Result")) }
                                th scope="col" {}
                            }
                        }
                        tbody { @for played in &rounds { (line(&shown, played, &reader)) } }
                    }
                }
            }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

/// Which table, which side, against whom: what a player looks for before the round.
fn hero(now: &Played<'_>, reader: &Reader) -> Markup {
    html! {
        div class="hero" {
            p { (round_name(now.round, reader.lang)) }
            @match (now.pairing.table, now.against) {
                (Some(table), Some((side, against))) => {
                    p {
                        b class="at" { @match reader.lang { Lang::Zh => { (table) "台" } Lang::En => { "Table " (table) } } }
                        b class="as" { @match side {
                            Side::Red => (reader.t("执红", "Red")),
                            Side::Black => (reader.t("执黑", "Black")),
                        } }
                        span { (reader.t("对 ", "against ")) a href={ "/player/" (against.no) } lang="zh" { (against.name) } }
                    }
                }
                (None, _) | (_, None) => { p { b class="at" { (reader.t("轮空", "Bye")) } } }
            }
        }
    }
}

fn line(shown: &Shown, played: &Played<'_>, reader: &Reader) -> Markup {
    let game =
        played.pairing.table.and_then(|table| shown.games.get(&(played.round, table))).map(|game| &**game);
    let (status, plies) = words::standing_of(played.pairing, game);
    html! {
        tr {
            td class="rk" { (played.round) }
            @match played.against {
                Some((side, against)) => {
                    td { (disc(side, reader.lang)) }
                    td { a href={ "/player/" (against.no) } { b lang="zh" { (against.name) } " " span class="mut" { (against.no) } } }
                    td class="num pt" { (score(status, side)) }
                    td class="sub" {
                        @match status {
                            GameStatus::Finished(outcome) => (words::ending(outcome).get(reader.lang)),
                            GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending | GameStatus::Withheld => {
                                (words::between(status, plies).0.get(reader.lang))
                            }
                        }
                    }
                }
                None => {
                    td {} td { (reader.t("轮空", "Bye")) } td class="num pt" { @if !shown.without_results { "2" } } td {}
                }
            }
            td {
                @if let Some(game) = game {
                    a href={ "/round/" (game.round) "/table/" (game.table) } { (reader.t("棋谱", "Game")) }
                }
            }
        }
    }
}

/// The points of a side, as in the score between the names.
fn score(status: GameStatus, side: Side) -> &'static str {
    let GameStatus::Finished(outcome) = status else { return "" };
    let (red, black) = words::score(outcome.result).split_once('–').unwrap_or_default();
    match side {
        Side::Red => red,
        Side::Black => black,
    }
}

/// What is searched for.
#[derive(Deserialize)]
pub struct Search {
    #[serde(default)]
    q: String,
}

/// `GET /search?q=`: players by part of the name, by unit or by number.
pub async fn search(
    state: Public,
    query: Result<Query<Search>, axum::extract::rejection::QueryRejection>,
    reader: Reader,
) -> Response {
    let shown = state.hub.shown();
    let q = query.map(|Query(search)| search.q).unwrap_or_default();
    let q: String = q.trim().chars().take(40).collect();
    let found = find(&shown, &q);
    let body = html! {
        main id="main" class="one" {
            form class="find" action="/search" role="search" {
                label class="vh" for="q" { (reader.t("姓名、单位或编号", "Name, unit or number")) }
                input id="q" name="q" value=(q) type="search" autocomplete="off" enterkeyhint="search"
                    placeholder=(reader.t("姓名、单位或编号", "Name, unit or number"));
                button class="btn btn-1" { (icon("M9 3a6 6 0 1 0 0 12a6 6 0 0 0 0-12zM13.5 13.5L18 18")) (reader.t("查找", "Search")) }
            }
            @if !q.is_empty() && found.is_empty() {
                p class="none" { (reader.t("没有找到", "Nothing found")) }
            }
            @if !found.is_empty() {
                ul class="sec people" {
                    @for player in &found {
                        li {
                            a href={ "/player/" (player.no) } {
                                span class="k" { (player.no) }
                                b lang="zh" { (player.name) }
                                span class="sub" lang="zh" { (player.unit) }
                            }
                        }
                    }
                }
            }
        }
    };
    Page::new(reader.t("查找", "Search").to_owned(), Place::Other, Some("/"))
        .answer(&state.hub, &shown, &reader, &body)
}

/// Players of the latest round (everybody plays or has a bye) who match, by number.
fn find<'a>(shown: &'a Shown, q: &str) -> Vec<&'a PlayerView> {
    let players = shown.rounds.values().next_back().into_iter().flat_map(|round| &round.pairings);
    let players = players.flat_map(|pairing| [Some(&pairing.red), pairing.black.as_ref()]).flatten();
    let lower = q.to_lowercase();
    let mut found: Vec<&PlayerView> = players
        .filter(|player| match q.parse::<u16>() {
            Ok(no) => player.no.0 == no,
            Err(_) => {
                player.name.to_lowercase().contains(&lower) || player.unit.to_lowercase().contains(&lower)
            }
        })
        .collect();
    found.sort_by_key(|player| player.no);
    found
}
