//! `/live`: the boards of the current round, eight a page on a phone and thirty-two elsewhere.

use std::sync::Arc;

use axum::response::Response;
use hall::view::GameView;
use maud::{Markup, html};
use xiangqi::Side;

use super::home::round_name;
use super::pairings::tally;
use super::shell::{Page, Place, Reader, disc};
use crate::audience::Public;
use crate::board::{Board, Set};
use crate::clock;
use crate::frame;
use crate::hub::Hub;
use crate::lang::Lang;
use crate::topic::Topic;
use crate::words;

/// Boards on one page.
const ON_A_PHONE: usize = 8;
const ON_A_DESK: usize = 32;

/// `GET /live`.
pub async fn live(state: Public, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let round = shown.current_round().cloned();
    let title = match (&round, reader.lang) {
        (Some(round), Lang::Zh) => format!("第{}轮直播", round.round),
        (Some(round), Lang::En) => format!("Round {} live", round.round),
        (None, lang) => lang.pick("直播", "Live").to_owned(),
    };
    let all = reader.asked_text("show") == Some("all");
    let tense_first = reader.asked_text("order") == Some("tense");
    let mut games: Vec<Arc<GameView>> = round
        .iter()
        .flat_map(|round| shown.games.values().filter(|game| game.round == round.round).cloned())
        .collect();
    let (playing, over, _) = round.as_ref().map_or((0, 0, 0), |round| tally(&shown, round));
    // With nothing being played, what was played is better than an empty page.
    let all = all || playing == 0;
    games.retain(|game| all || followed(game, &reader) || !game.status.is_over());
    games.sort_by_key(|game| {
        let tense = tense_first && frame::tag(game).is_some();
        (!followed(game, &reader), game.status.is_over(), !tense, game.table)
    });
    let per =
        reader.asked("per").unwrap_or(if reader.phone { ON_A_PHONE } else { ON_A_DESK }).clamp(1, ON_A_DESK);
    let pages = games.len().div_ceil(per).max(1);
    let page_no = reader.asked("page").unwrap_or(1).clamp(1, pages);
    let on_page: Vec<_> = games.iter().skip((page_no - 1) * per).take(per).collect();

    let topics = on_page.iter().map(|game| Topic::grid_of(game.round, game.table));
    let mut page = Page { class: "live", ..Page::new(title, Place::Live, Some("/")) }.follow([Topic::Event]);
    page.topics.extend(topics.collect::<std::collections::BTreeSet<_>>());
    let here = |n: usize| {
        let show = if all { "&show=all" } else { "" };
        let order = if tense_first { "&order=tense" } else { "" };
        format!("?page={n}{show}{order}&per={per}")
    };
    let current = |on: bool| on.then_some("true");
    let body = html! {
        main id="main" {
            div class="bar" {
                @if let Some(round) = &round { b class="big wide" { (round_name(round.round, reader.lang)) } }
                span class="sp wide" {}
                div class="seg" {
                    @if playing > 0 {
                        a href="/live" aria-current=[current(!all)] { (reader.t("进行中", "Playing")) " " (playing) }
                    }
                    a href="/live?show=all" aria-current=[current(all)] { (reader.t("全部", "All")) " " (playing + over) }
                    @if let Some(round) = &round {
                        a href={ "/round/" (round.round) } { (reader.t("文字", "Text")) }
                    }
                }
                div class="seg wide" {
                    a href={ "/live" @if all { "?show=all" } } aria-current=[current(!tense_first)] {
                        (reader.t("按台号", "By table"))
                    }
                    a href={ "/live?order=tense" @if all { "&show=all" } } aria-current=[current(tense_first)] {
                        (reader.t("待判与紧张在前", "Tense first"))
                    }
                }
                @if pages > 1 { (pager(page_no, pages, here, &reader)) }
            }
            @if on_page.is_empty() {
                p class="none" { (reader.t("还没有棋局", "No games yet")) }
            }
            div class={ "gr" @if on_page.len() <= ON_A_PHONE { " few" } } data-part="grid" {
                @for game in &on_page { (tile(&state.hub, game, &reader)) }
            }
            @if pages > 1 { div class="bar foot" { (pager(page_no, pages, here, &reader)) } }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

fn pager(page: usize, pages: usize, here: impl Fn(usize) -> String, reader: &Reader) -> Markup {
    html! {
        div class="pager" {
            @if page > 1 { a class="btn btn-s" rel="prev" href=(here(page - 1)) { (reader.t("上页", "Previous")) } }
            span class="sub" {
                @match reader.lang {
                    Lang::Zh => { "第 " (page) " / " (pages) " 页" }
                    Lang::En => { "Page " (page) " of " (pages) }
                }
            }
            @if page < pages { a class="btn btn-s" rel="next" href=(here(page + 1)) { (reader.t("下页", "Next")) } }
        }
    }
}

/// Whether the reader follows one of the players.
fn followed(game: &GameView, reader: &Reader) -> bool {
    reader.follows(&game.red) || reader.follows(&game.black)
}

/// One small board with its players, clocks and what matters about it.
#[must_use]
pub fn tile(hub: &Hub, game: &GameView, reader: &Reader) -> Markup {
    let name = |side| match side {
        Side::Red => &game.red.name,
        Side::Black => &game.black.name,
    };
    let player = |side: Side| {
        html! {
            div class="pl" {
                (disc(side, reader.lang))
                b lang="zh" title=(name(side)) { (name(side)) }
                (clock::clock(&game.clocks, side, hub.now(), ""))
            }
        }
    };
    let tag = frame::tag(game);
    let label = match reader.lang {
        Lang::Zh => format!("第{}台，红方 {}，黑方 {}", game.table, game.red.name, game.black.name),
        Lang::En => format!("Table {}, Red {}, Black {}", game.table, game.red.name, game.black.name),
    };
    let pinned = followed(game, reader);
    let whom = if reader.follows(&game.red) { &game.red.name } else { &game.black.name };
    html! {
        a class={ "cell " (words::state(game.status)) @if pinned { " pin" } } href={ "/round/" (game.round) "/table/" (game.table) }
            data-tile=(game.table) data-r=(game.clocks.red_ms) data-b=(game.clocks.black_ms) data-at=(game.clocks.at.0)
            data-run=(clock::running(&game.clocks)) {
            @if pinned {
                div class="pinl" { span { (reader.t("关注 · ", "Following · ")) span lang="zh" { (whom) } } }
            }
            (player(Side::Black))
            (Board {
                fen: &game.fen,
                last: game.plies.last().map(|ply| ply.mv),
                check: game.check.then_some(match game.to_move { Side::Red => 'K', Side::Black => 'k' }),
                flip: false,
                thumb: !pinned,
                set: Set::Seal,
                label,
            })
            (player(Side::Red))
            div class="ft" {
                span {
                    b { @match reader.lang { Lang::Zh => { (game.table) "台" } Lang::En => { "T" (game.table) } } }
                    " " span data-n { (words::moves_words(game.plies.len()).get(reader.lang)) }
                }
                span class={ "tg" @if tag.as_ref().is_some_and(|tag| tag.check) { " tg-ck" } } {
                    @if let Some(tag) = &tag { (tag.word.get(reader.lang)) }
                }
            }
            span class="rs" {
                @if let Some(result) = frame::short_result(game.status) { (result.get(reader.lang)) }
            }
        }
    }
}
