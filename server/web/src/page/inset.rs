//! Boards for other people's pages: `/embed/N/M` in a frame, `/overlay/N/M` over a video picture.

use axum::extract::Path;
use axum::response::Response;
use hall::view::GameView;
use maud::{Markup, html};
use tournament::{EntrantNo, RoundNo, TableNo};
use xiangqi::Side;

use super::shell::{Page, Place, Reader, disc, not_found};
use crate::audience::Public;
use crate::board::Board;
use crate::clock;
use crate::hub::{Hub, Shown};
use crate::lang::Lang;
use crate::topic::Topic;
use crate::words;

/// `GET /embed/{round}/{table}`: one board that any site may show in a frame.
pub async fn embed(state: Public, Path(at): Path<(String, String)>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let key = at.0.parse().ok().zip(at.1.parse().ok()).map(|(r, t)| (RoundNo(r), TableNo(t)));
    let Some(game) = key.and_then(|key| shown.games.get(&key)) else {
        return not_found(&state.hub, &reader, reader.t("没有这一局", "There is no such game"));
    };
    let page = Page {
        class: "inset embed",
        sheets: &["game.css", "lists.css", "inset.css"],
        framed: true,
        ..page(game, &reader)
    };
    page.answer(&state.hub, &shown, &reader, &panel(&state.hub, game, &reader, true))
}

/// `GET /overlay/{round}/{table}`, or `/overlay/player/{no}` for whatever game a player has: transparent, 1920 by 1080.
/// `?strip` shows names and clocks without the board.
pub async fn overlay(state: Public, Path(at): Path<(String, String)>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let game = match (at.0.as_str(), at.1.parse::<u16>()) {
        ("player", Ok(no)) => game_of(&shown, EntrantNo(no)),
        (round, Ok(table)) => {
            round.parse().ok().and_then(|r| shown.games.get(&(RoundNo(r), TableNo(table)))).map(|g| &**g)
        }
        (_, Err(_)) => None,
    };
    let Some(game) = game else {
        return not_found(&state.hub, &reader, reader.t("没有这一局", "There is no such game"));
    };
    let strip = reader.has("strip");
    let mut page = Page {
        class: "inset overlay",
        sheets: &["light.css", "game.css", "lists.css", "inset.css"],
        ..page(game, &reader)
    };
    // Another round may bring the followed player another table.
    page.topics.push(Topic::Event);
    page.answer(&state.hub, &shown, &reader, &panel(&state.hub, game, &reader, !strip))
}

/// The newest game of a player.
fn game_of(shown: &Shown, no: EntrantNo) -> Option<&GameView> {
    shown.games.values().rev().find(|game| game.red.no == no || game.black.no == no).map(|game| &**game)
}

fn page(game: &GameView, reader: &Reader) -> Page<'static> {
    let title = match reader.lang {
        Lang::Zh => format!("第{}轮 · 第{}台", game.round, game.table),
        Lang::En => format!("Round {}, table {}", game.round, game.table),
    };
    Page::new(title, Place::Other, None).follow([Topic::grid_of(game.round, game.table)])
}

/// The board with both players; or the players alone, Red left and Black right of the river.
fn panel(hub: &Hub, game: &GameView, reader: &Reader, with_board: bool) -> Markup {
    let seat = |side: Side| {
        let player = match side {
            Side::Red => &game.red,
            Side::Black => &game.black,
        };
        html! {
            div class={ "seat " (side) } {
                (disc(side, reader.lang))
                div { div class="n" lang="zh" { (player.name) } div class="u" lang="zh" { (player.unit) } }
                (clock::clock(&game.clocks, side, hub.now(), "ck"))
            }
        }
    };
    let last = game.plies.last().map(|ply| reader.moves.of(ply));
    html! {
        main class={ "panel " @if with_board { "board " } (words::state(game.status)) } data-part="panel" data-tile=(game.table)
            data-r=(game.clocks.red_ms) data-b=(game.clocks.black_ms) data-at=(game.clocks.at.0)
            data-run=(clock::running(&game.clocks)) {
            (seat(Side::Black))
            @if with_board {
                (Board {
                    fen: &game.fen,
                    last: game.plies.last().map(|ply| ply.mv),
                    check: game.check.then_some(match game.to_move { Side::Red => 'K', Side::Black => 'k' }),
                    flip: false,
                    thumb: false,
                    set: reader.set,
                    label: String::new(),
                })
            }
            p class="mid" {
                a href={ "/round/" (game.round) "/table/" (game.table) } target="_blank" {
                    @match reader.lang { Lang::Zh => { (game.table) "台" } Lang::En => { "Table " (game.table) } }
                }
                " " span data-n { (words::moves_words(game.plies.len()).get(reader.lang)) }
                " " b data-mv=(reader.moves.place()) { @if let Some(last) = last { (last) } }
                " " span class="tg" {}
                b class="rs" {
                    @if let Some(result) = crate::frame::short_result(game.status) { (result.get(reader.lang)) }
                }
            }
            (seat(Side::Red))
        }
    }
}
