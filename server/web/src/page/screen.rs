//! `/screen`: the hall's display, 1920 by 1080 scaled to whatever it is shown on. Pairings, boards and standings
//! take turns; without scripts too.

use axum::response::Response;
use hall::view::Epoch;
use hall::view::{GameStatus, GameView, PairingView, StandingView};
use hall::{ScreenPage, Timer};
use maud::{Markup, html};
use tournament::GroupNo;
use xiangqi::Side;

use super::home::round_name;
use super::pairings::tally_words;
use super::shell::{Page, Place, Reader, disc};
use crate::assets;
use crate::audience::Public;
use crate::board::{Board, Set};
use crate::clock;
use crate::hub::{Hub, Shown};
use crate::lang::Lang;
use crate::topic::Topic;
use crate::words;

/// How long a page stays, in seconds.
const TURN: u32 = 15;
const PAIRINGS: usize = 30;
const BOARDS: usize = 6;
const RANKS: usize = 12;

/// `GET /screen`, `GET /screen?p=2`.
pub async fn screen(state: Public, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let pages = pages(&state.hub, &shown, &reader);
    let now: usize = reader.asked("p").unwrap_or(0) % pages.len().max(1);
    let round = shown.current_round();
    let mut page = Page::new(reader.t("大屏", "Hall screen").to_owned(), Place::Other, None)
        .follow([Topic::Event, Topic::Standing])
        .follow(round.iter().map(|round| Topic::Round(round.round)));
    if let Some(round) = round {
        let tables = round.pairings.iter().filter_map(|pairing| pairing.table);
        let grids: std::collections::BTreeSet<Topic> =
            tables.map(|table| Topic::grid_of(round.round, table)).collect();
        page.topics.extend(grids);
    }
    page.class = "hall";
    page.sheets = &["light.css", "game.css", "hall.css"];
    page.next = Some((TURN, format!("/screen?p={}", (now + 1) % pages.len().max(1))));
    let event = shown.event.as_ref().map_or("", |event| event.title.as_str());
    let body = html! {
        main class="screen" data-part="screen" data-turn=(TURN) {
            @let broadcast = &shown.broadcast;
            @for (i, (title, content)) in pages.iter().enumerate() {
                section class={ "sheet" @if broadcast.banner.is_some() { " told" } } hidden[i != now] {
                    header class="hh" {
                        img src={ (assets::BASE.as_str()) "/wordmark.svg" } alt=(reader.t("楚河", "Chuhe"));
                        h1 { (title) }
                        span class="tm" {
                            @if let Some(timer) = &broadcast.timer {
                                small { (reader.t("距", "To ")) (timer.what) } " " (countdown(timer, state.hub.now()))
                            } @else if let Some(round) = round { (tally_words(&shown, round, &reader)) } }
                    }
                    @if let Some(banner) = &broadcast.banner {
                        p class="hban" { b { (reader.t("公告", "Notice")) } span lang="zh" { (banner) } }
                    }
                    (content)
                    footer class="hf" {
                        span lang="zh" { (event) }
                        span class="sp" {}
                        span { (reader.t("左红 · 右黑", "Red left, Black right")) }
                        span class="pg" { @for j in 0..pages.len() { i class={ @if i == j { "on" } } {} } }
                    }
                }
            }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

/// What is left of a countdown; `app.js` runs it.
fn countdown(timer: &Timer, now: Epoch) -> Markup {
    let left = u32::try_from(timer.until.since(now).max(0)).unwrap_or(u32::MAX);
    html! { b class="left" data-until=(timer.until.0) { (clock::text(left)) } }
}

/// 计时: between rounds, large, with the way to the pages on a phone.
fn timer(hub: &Hub, shown: &Shown, reader: &Reader) -> Markup {
    html! {
        div class="ht" {
            @match &shown.broadcast.timer {
                Some(timer) => div { p { (reader.t("距", "To ")) (timer.what) } (countdown(timer, hub.now())) },
                None => div { p { (reader.t("请关注公告", "Watch this screen")) } },
            }
            figure {
                img src="/qr.svg" width="300" height="300" alt=(reader.t("二维码", "QR code"));
                figcaption { (reader.t("手机看对阵直播", "Follow on your phone")) }
            }
            @if let Some(event) = &shown.event {
                p class="hfacts" { (super::home::time_control(event, reader.lang)) }
            }
        }
    }
}

/// The pages that take turns: those that the desk chose, or all that have something to show.
fn pages(hub: &Hub, shown: &Shown, reader: &Reader) -> Vec<(String, Markup)> {
    let chosen = &shown.broadcast.screen;
    let takes_turn =
        |page: ScreenPage, usual: bool| if chosen.is_empty() { usual } else { chosen.contains(&page) };
    let mut pages = Vec::new();
    if takes_turn(ScreenPage::Timer, shown.broadcast.timer.is_some()) {
        let title =
            shown.current_round().map_or_else(String::new, |round| round_name(round.round, reader.lang));
        pages.push((title, timer(hub, shown, reader)));
    }
    if let Some(round) = shown.current_round() {
        let name = round_name(round.round, reader.lang);
        let listed = if takes_turn(ScreenPage::Pairings, true) { &round.pairings[..] } else { &[] };
        for (group, listed) in by_group(shown, listed) {
            for part in listed.chunks(PAIRINGS) {
                let title = format!("{group}{name}{}", reader.t(" 对阵与结果", ": pairings and results"));
                pages.push((title, pairings(shown, round.round, part, reader)));
            }
        }
        let mut games: Vec<&GameView> =
            shown.games.values().filter(|game| game.round == round.round).map(|game| &**game).collect();
        games.sort_by_key(|game| (game.status.is_over(), game.table));
        let live = games.iter().filter(|game| !game.status.is_over()).count();
        let live = if takes_turn(ScreenPage::Boards, true) { live } else { 0 };
        for part in games[..live].chunks(BOARDS) {
            let title = format!("{name}{}", reader.t(" 直播", ": live boards"));
            pages
                .push((title, html! { div class="hg" { @for game in part { (board(hub, game, reader)) } } }));
        }
    }
    if let Some(standing) = shown.standing.as_ref().filter(|_| takes_turn(ScreenPage::Standings, true)) {
        let groups: Vec<(GroupNo, &str)> = super::standings::groups(shown).collect();
        let standings: Vec<(&str, StandingView)> = if groups.is_empty() {
            vec![("", (**standing).clone())]
        } else {
            groups.into_iter().map(|(no, name)| (name, standing.of_group(no))).collect()
        };
        for (name, standing) in &standings {
            for part in standing.rows.chunks(RANKS) {
                let title = match (reader.lang, standing.live) {
                    (Lang::Zh, true) => format!("名次 第{}轮进行中", standing.after),
                    (Lang::Zh, false) => format!("名次 第{}轮后", standing.after),
                    (Lang::En, true) => format!("Standings, round {} in progress", standing.after),
                    (Lang::En, false) => format!("Standings after round {}", standing.after),
                };
                let title = if name.is_empty() { title } else { format!("{name} {title}") };
                pages.push((title, ranks(standing, part, reader)));
            }
        }
    }
    if pages.is_empty() {
        let title = shown.event.as_ref().map_or_else(|| "楚河".to_owned(), |event| event.title.clone());
        pages.push((
            title,
            html! { p class="wait" { (reader.t("对阵尚未公布", "The pairings are not out yet")) } },
        ));
    }
    pages
}

/// Pairings group by group, each with what stands before the title; where there are no groups, all of them.
fn by_group<'a>(shown: &'a Shown, listed: &'a [PairingView]) -> Vec<(String, Vec<&'a PairingView>)> {
    let of = |no: GroupNo| listed.iter().filter(|pairing| pairing.group == no).collect::<Vec<_>>();
    let groups: Vec<_> =
        super::standings::groups(shown).map(|(no, name)| (format!("{name} "), of(no))).collect();
    if groups.is_empty() { vec![(String::new(), listed.iter().collect())] } else { groups }
}

fn pairings(shown: &Shown, round: tournament::RoundNo, part: &[&PairingView], reader: &Reader) -> Markup {
    // Few tables: one column, larger, in as many rows as they need; not fewer than six, lest they grow grotesque.
    let rows = match part.len() {
        few @ ..=10 => few.max(6),
        many => many.div_ceil(2).max(10),
    };
    html! {
        div class={ "hp rows-" (rows) @if part.len() <= 10 { " single" } } {
            @for column in part.chunks(rows) {
                ol { @for pairing in column { (hall_row(shown, round, pairing, reader)) } }
            }
        }
    }
}

fn hall_row(shown: &Shown, round: tournament::RoundNo, pairing: &PairingView, reader: &Reader) -> Markup {
    let game = pairing.table.and_then(|table| shown.games.get(&(round, table))).map(|game| &**game);
    let (status, _) = words::standing_of(pairing, game);
    let word = match (status, &pairing.black) {
        (_, None) => reader.t("轮空", "bye").to_owned(),
        (GameStatus::NotStarted, _) => {
            format!("{} : {}", pairing.red.points, pairing.black.as_ref().map_or(0, |b| b.points))
        }
        (GameStatus::Playing, _) => reader.t("进行", "live").to_owned(),
        (GameStatus::Pending, _) => reader.t("待判", "ruling").to_owned(),
        (GameStatus::Withheld, _) => reader.t("已毕", "over").to_owned(),
        (GameStatus::Finished(outcome), _) => words::score(outcome.result).replace('–', " : "),
    };
    html! {
        li class={ "hr " (words::state(status)) } data-row=[pairing.table] data-win=[words::winner(status)] {
            span class="k" { @if let Some(table) = pairing.table { (table) } }
            span class="a red" { b lang="zh" { (pairing.red.name) } small lang="zh" { (pairing.red.unit) } }
            span class="m" data-score { (word) }
            span class="b black" {
                @if let Some(black) = &pairing.black { b lang="zh" { (black.name) } small lang="zh" { (black.unit) } }
            }
        }
    }
}

fn board(hub: &Hub, game: &GameView, reader: &Reader) -> Markup {
    let seat = |side: Side, name: &str| {
        html! {
            div class="hseat" {
                (disc(side, reader.lang))
                b lang="zh" { (name) }
                (clock::clock(&game.clocks, side, hub.now(), "ck"))
            }
        }
    };
    let tag = crate::frame::tag(game);
    html! {
        div class={ "hc " (words::state(game.status)) } data-tile=(game.table) data-r=(game.clocks.red_ms)
            data-b=(game.clocks.black_ms) data-at=(game.clocks.at.0) data-run=(clock::running(&game.clocks)) {
            (Board {
                fen: &game.fen,
                last: game.plies.last().map(|ply| ply.mv),
                check: game.check.then_some(match game.to_move { Side::Red => 'K', Side::Black => 'k' }),
                flip: false,
                thumb: true,
                set: Set::Seal,
                label: String::new(),
            })
            div class="hinfo" {
                (seat(Side::Black, &game.black.name))
                div class="hmid" {
                    b { @match reader.lang { Lang::Zh => { (game.table) "台" } Lang::En => { "Table " (game.table) } } }
                    span data-n { (words::moves_words(game.plies.len()).get(reader.lang)) }
                    span class="tg" { @if let Some(tag) = &tag { (tag.word.get(reader.lang)) } }
                }
                (seat(Side::Red, &game.red.name))
            }
        }
    }
}

fn ranks(standing: &StandingView, part: &[hall::view::StandingRow], reader: &Reader) -> Markup {
    html! {
        div class="hs" {
            table {
                thead {
                    tr {
                        th class="num" { (reader.t("名次", "#")) }
                        th { (reader.t("姓名", "Name")) }
                        th { (reader.t("单位", "Unit")) }
                        @for column in &standing.columns {
                            th class="num" { (reader.t(column.zh.as_str(), column.en.as_str())) }
                        }
                    }
                }
                tbody {
                    @for row in part {
                        @let below = standing.rows.iter().skip_while(|other| other.no != row.no).nth(1);
                        tr {
                            td class="num rk" { (row.rank) }
                            td { b lang="zh" { (row.name) } }
                            td class="y" lang="zh" { (row.unit) }
                            @for (i, value) in row.values.iter().enumerate() {
                                td class={ "num" @if below.and_then(|below| below.decided_by) == Some(i) { " dec" } } { (value) }
                            }
                        }
                    }
                }
            }
        }
    }
}
