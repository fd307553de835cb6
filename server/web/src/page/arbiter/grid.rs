//! `/arbiter/tables`: every table of the round as a tile, in three densities; the state by lightness, then shape, then
//! word, then hue.

use std::sync::Arc;

use arbitration::Severity;
use axum::extract::{Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use hall::Room;
use hall::view::{AlertView, GameStatus, GameView};
use maud::{Markup, html};
use xiangqi::Side;

use super::codes::{label, severity};
use super::{Fields, duty, nav, page, queue, walk};
use crate::AppState;
use crate::auth;
use crate::clock;
use crate::frame::LOW_MS;
use crate::hub::Shown;
use crate::lang::Lang;
use crate::page::shell::Reader;
use crate::topic::Topic;
use crate::words;

/// How much a tile shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Density {
    /// 疏: names, clocks.
    Roomy,
    /// 中: clocks.
    Middle,
    /// 密: number and code.
    Dense,
}

impl Density {
    const ALL: [Density; 3] = [Density::Roomy, Density::Middle, Density::Dense];

    const fn code(self) -> &'static str {
        match self {
            Density::Roomy => "d3",
            Density::Middle => "d2",
            Density::Dense => "d1",
        }
    }

    const fn name(self, lang: Lang) -> &'static str {
        match self {
            Density::Roomy => lang.pick("疏", "Roomy"),
            Density::Middle => lang.pick("中", "Middle"),
            Density::Dense => lang.pick("密", "Dense"),
        }
    }
}

/// One table with the gravest of its alerts.
struct Tile<'a> {
    game: Arc<GameView>,
    alert: Option<&'a AlertView>,
    /// Further open alerts.
    more: usize,
}

impl Tile<'_> {
    /// Lower: more in need of somebody.
    fn need(&self) -> (u8, bool, u32) {
        let rank = match (self.alert.map(|alert| alert.severity), self.game.status) {
            (Some(Severity::P0), _) => 0,
            (Some(Severity::P1), _) => 1,
            (_, GameStatus::Playing | GameStatus::Pending) if !self.game.connected => 2,
            (Some(Severity::P2), _) => 3,
            (_, GameStatus::Playing | GameStatus::Pending) => 4,
            (_, GameStatus::NotStarted) => 5,
            (_, GameStatus::Finished(_) | GameStatus::Withheld) => 6,
        };
        let claimed = self.alert.is_some_and(|alert| alert.claimed_by.is_some());
        (rank, claimed, self.game.clocks.red_ms.min(self.game.clocks.black_ms))
    }

    /// Its class: one state, the heaviest.
    fn class(&self) -> &'static str {
        match (self.alert.map(|alert| alert.severity), self.game.status) {
            (_, GameStatus::Finished(_) | GameStatus::Withheld) if self.alert.is_none() => "done",
            (Some(Severity::P0), _) => "p0",
            (_, GameStatus::Playing | GameStatus::Pending) if !self.game.connected => "off",
            (Some(Severity::P1), _) => "p1",
            (Some(Severity::P2), _) => "p2",
            (_, GameStatus::NotStarted) => "wait",
            (_, GameStatus::Finished(_) | GameStatus::Withheld) => "done",
            (Some(Severity::P3) | None, GameStatus::Playing | GameStatus::Pending) => "live",
        }
    }

    /// Its word: an alert's label, else a result, else the number of moves. Where tiles are dense, the bare figures.
    fn word(&self, density: Density, lang: Lang) -> String {
        if let Some(alert) = self.alert.filter(|alert| alert.severity != Severity::P3) {
            let more = if self.more > 0 { format!(" +{}", self.more) } else { String::new() };
            return format!("{}{more}", label(alert.code, lang));
        }
        match self.game.status {
            GameStatus::NotStarted => lang.pick("未开", "–").to_owned(),
            GameStatus::Finished(outcome) if density == Density::Dense => {
                words::score(outcome.result).to_owned()
            }
            GameStatus::Finished(outcome) => words::result(outcome.result).get(lang).to_owned(),
            // Officials are told.
            GameStatus::Withheld => lang.pick("已毕", "over").to_owned(),
            GameStatus::Playing | GameStatus::Pending if !self.game.connected => {
                lang.pick("断线", "no link").to_owned()
            }
            GameStatus::Playing | GameStatus::Pending if density == Density::Dense => {
                words::moves(self.game.plies.len()).to_string()
            }
            GameStatus::Playing | GameStatus::Pending => {
                words::moves_words(self.game.plies.len()).get(lang).to_owned()
            }
        }
    }
}

/// `GET /arbiter/tables`.
pub async fn tables(
    State(state): State<AppState>,
    Query(query): Query<Vec<(String, String)>>,
    reader: Reader,
    parts: Parts,
) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Duty) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let fields = Fields(query);
    let shown = state.hub.shown();
    let density = Density::ALL.into_iter().find(|density| fields.get("d") == Some(density.code()));
    let density = density.unwrap_or(Density::Middle);
    let by_number = fields.get("order") == Some("number");
    let attention = fields.get("show") == Some("need");
    let mine = walk::of(&shown, &official);
    let only_mine = walk::wanted(&fields, mine);
    let mut all = tiles(&shown);
    let everywhere = all.len();
    if only_mine {
        // What nobody took up in time is everybody's.
        let escalated =
            |tile: &Tile<'_>| tile.alert.is_some_and(|alert| alert.escalated && alert.claimed_by.is_none());
        all.retain(|tile| mine.is_none_or(|mine| mine.contains(&tile.game.table)) || escalated(tile));
    }
    let total = all.len();
    let needy = |tile: &Tile<'_>| tile.need().0 < 4;
    let in_need = all.iter().filter(|tile| needy(tile)).count();
    if attention {
        all.retain(needy);
    }
    if by_number {
        all.sort_by_key(|tile| tile.game.table);
    } else {
        all.sort_by_key(|tile| (tile.need(), tile.game.table));
    }
    let here = |d: Density, number: bool, need: bool| {
        let order = if number { "number" } else { "need" };
        let of = if only_mine || mine.is_none() { "" } else { "&of=all" };
        format!("?d={}&order={order}&show={}{of}", d.code(), if need { "need" } else { "all" })
    };
    let there = |of: &str| format!("?d={}&of={of}", density.code());
    let current = |on: bool| on.then_some("true");
    let round = shown.current_round().map(|round| round.round);
    let topics = round.into_iter().flat_map(|round| {
        let grids: std::collections::BTreeSet<Topic> = shown
            .games
            .keys()
            .filter(|(of, _)| *of == round)
            .map(|(of, table)| Topic::grid_of(*of, *table))
            .collect();
        grids
    });
    let mut page = page(reader.t("各台", "Tables").to_owned(), "/").follow([Topic::Alerts, Topic::Event]);
    // A stream follows forty topics at most; larger halls are fetched again with the alerts.
    page.topics.extend(topics.take(36));
    let body = html! {
        main id="main" {
            div data-part="tiles" data-now="1" {
                (queue::counts(&shown, &reader))
                div class="bar" {
                    div class="seg" {
                        @for d in Density::ALL {
                            a href=(here(d, by_number, attention)) aria-current=[current(d == density)] { (d.name(reader.lang)) }
                        }
                    }
                    @if let Some(mine) = mine {
                        div class="seg" {
                            a href=(there("mine")) aria-current=[current(only_mine)] { (reader.t("我的台", "Mine")) " " (mine.len()) }
                            a href=(there("all")) aria-current=[current(!only_mine)] { (reader.t("全场", "Hall")) " " (everywhere) }
                        }
                    }
                    div class="seg" {
                        a href=(here(density, by_number, false)) aria-current=[current(!attention)] { (reader.t("全部", "All")) " " (total) }
                        a href=(here(density, by_number, true)) aria-current=[current(attention)] { (reader.t("须看", "In need")) " " (in_need) }
                    }
                    div class="seg" {
                        a href=(here(density, false, attention)) aria-current=[current(!by_number)] { (reader.t("紧急在前", "By need")) }
                        a href=(here(density, true, attention)) aria-current=[current(by_number)] { (reader.t("按台号", "By number")) }
                    }
                    (duty(&reader))
                }
                div class={ "tg0 " (density.code()) } {
                    @for tile in &all { (draw(&state, tile, density, &reader)) }
                    @if all.is_empty() { p class="none" { (reader.t("没有对局", "No games")) } }
                }
                (walk::form(&shown, &official, "/arbiter/tables", fields.get("walk") == Some("wrong"), &reader))
                p class="closed" id="all" {
                    a class="btn" href="/devices" { (reader.t("设备与自检", "Devices, self-test")) }
                    " "
                    @if official.may(&hall::Act::Pause(Vec::new())) {
                        a class="btn" href="/arbiter?do=pause-all" { (reader.t("全场停钟…", "Stop all clocks…")) }
                        " "
                        a class="btn" href="/arbiter?do=resume-all" { (reader.t("全场继续…", "Run all clocks…")) }
                    }
                }
            }
        }
        (nav("/arbiter/tables", &shown, &official, &reader))
    };
    let mut answer = page.answer(&state.hub, &shown, &reader, &body);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

fn tiles(shown: &Shown) -> Vec<Tile<'_>> {
    let Some(round) = shown.current_round().map(|round| round.round) else { return Vec::new() };
    let games = shown.games.iter().filter(|((of, _), _)| *of == round);
    games
        .map(|((_, table), game)| {
            let ours = || shown.alerts.open.iter().filter(|alert| alert.table == Some(*table));
            let alert = ours().min_by_key(|alert| (alert.severity, alert.claimed_by.is_some()));
            Tile { game: Arc::clone(game), alert, more: ours().count().saturating_sub(1) }
        })
        .collect()
}

fn draw(state: &AppState, tile: &Tile<'_>, density: Density, reader: &Reader) -> Markup {
    let game = &tile.game;
    let now = state.hub.now();
    let mine = tile.alert.and_then(|alert| alert.claimed_by.as_deref());
    let title = tile.alert.map(|alert| {
        let severity = severity(alert.severity, reader.lang).1;
        format!("{severity} · {}", reader.t(alert.code.zh(), alert.code.en()))
    });
    let side = |side: Side, player: &hall::view::PlayerView| {
        html! {
            span class="row" {
                span class="nm" {
                    @if density == Density::Roomy { (player.name) } @else { (match side { Side::Red => reader.t("红", "R"), Side::Black => reader.t("黑", "B") }) }
                }
                (clock::clock(&game.clocks, side, now, ""))
            }
        }
    };
    let low = game.clocks.running.is_some() && game.clocks.red_ms.min(game.clocks.black_ms) < LOW_MS;
    html! {
        a class={ "tile " (tile.class()) @if low { " lowt" } } href={ "/arbiter/table/" (game.table) } title=[title]
            data-tile-of=(game.table) data-run=(clock::running(&game.clocks)) data-r=(game.clocks.red_ms)
            data-b=(game.clocks.black_ms) data-at=(game.clocks.at.0) data-est=[game.clocks.estimated.then_some("1")] {
            span class="row top1" {
                span { b class="k" { (game.table) } @if let Some(who) = mine { span class="own" { (who.chars().take(2).collect::<String>()) } } }
                b class="s" { (tile.word(density, reader.lang)) }
            }
            @if density != Density::Dense {
                (side(Side::Black, &game.black))
                (side(Side::Red, &game.red))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_are_found_by_their_codes() {
        let codes: std::collections::BTreeSet<_> =
            Density::ALL.iter().map(|density| density.code()).collect();
        assert_eq!(codes.len(), 3);
    }
}
