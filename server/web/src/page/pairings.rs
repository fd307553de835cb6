//! The list of a round's pairings, with live results in the river between the two players.

use hall::view::{GameStatus, PairingView, PlayerView, RoundView};
use maud::{Markup, html};
use tournament::RoundNo;
use xiangqi::Side;

use super::shell::Reader;
use super::standings::groups;
use crate::hub::Shown;
use crate::words;

/// How many games are being played, how many are over, how many there are.
#[must_use]
pub fn tally(shown: &Shown, round: &RoundView) -> (usize, usize, usize) {
    let mut tally = (0, 0, 0);
    for pairing in &round.pairings {
        let Some(table) = pairing.table else { continue };
        let game = shown.games.get(&(round.round, table)).map(|game| &**game);
        tally.2 += 1;
        match words::standing_of(pairing, game).0 {
            GameStatus::Playing | GameStatus::Pending => tally.0 += 1,
            GameStatus::Finished(_) | GameStatus::Withheld => tally.1 += 1,
            GameStatus::NotStarted => {}
        }
    }
    tally
}

/// "进行 21 · 已毕 9".
#[must_use]
pub fn tally_words(shown: &Shown, round: &RoundView, reader: &Reader) -> String {
    let (playing, done, all) = tally(shown, round);
    match (playing, done) {
        (0, 0) => reader.t("未开赛", "not started").to_owned(),
        (0, done) => match reader.lang {
            crate::Lang::Zh => format!("已毕 {done} / {all}"),
            crate::Lang::En => format!("{done} of {all} finished"),
        },
        (playing, done) => match reader.lang {
            crate::Lang::Zh => format!("进行 {playing} · 已毕 {done}"),
            crate::Lang::En => format!("{playing} live · {done} finished"),
        },
    }
}

/// All pairings of a round.
#[must_use]
pub fn pairings(shown: &Shown, round: &RoundView, reader: &Reader) -> Markup {
    html! {
        div class="pr prh" aria-hidden="true" {
            span class="k" { (reader.t("台", "Tbl")) }
            span { (reader.t("红方（先走）", "Red (moves first)")) }
            span class="c" { (reader.t("结果", "Result")) }
            span class="bk" { (reader.t("黑方", "Black")) }
        }
        @if groups(shown).next().is_none() { (list(shown, round, reader, round.pairings.iter())) }
        @for (no, name) in groups(shown) {
            @let mut ours = round.pairings.iter().filter(|pairing| pairing.group == no).peekable();
            @if ours.peek().is_some() {
                h3 class="grp" lang="zh" { (name) }
                (list(shown, round, reader, ours))
            }
        }
        @if round.pairings.is_empty() { p class="none" { (reader.t("对阵尚未公布", "The pairings are not out yet")) } }
    }
}

fn list<'a>(
    shown: &Shown,
    round: &RoundView,
    reader: &Reader,
    pairings: impl Iterator<Item = &'a PairingView>,
) -> Markup {
    html! { ol class="prs" { @for pairing in pairings { li { (row(shown, round.round, pairing, reader)) } } } }
}

/// One board of it.
#[must_use]
pub fn row(shown: &Shown, round: RoundNo, pairing: &PairingView, reader: &Reader) -> Markup {
    let (Some(table), Some(black)) = (pairing.table, &pairing.black) else {
        return html! {
            div class="pr" {
                span class="k" {}
                (seat(&pairing.red, None, "", shown, reader))
                span class="mid2" { span { (reader.t("轮空", "Bye")) } }
                span class="bk" {}
            }
        };
    };
    let game = shown.games.get(&(round, table)).map(|game| &**game);
    let (status, plies) = words::standing_of(pairing, game);
    let (big, small) = words::between(status, plies);
    let winner = words::winner(status);
    let mine = reader.follows(&pairing.red) || reader.follows(black);
    let cells = html! {
        span class="k" { (table) }
        (seat(&pairing.red, Some(Side::Red), "", shown, reader))
        span class="mid2" { span data-big { (big.get(reader.lang)) } small data-small { (small.get(reader.lang)) } }
        (seat(black, Some(Side::Black), "bk", shown, reader))
    };
    let class = format!("pr {}{}", words::state(status), if mine { " me" } else { "" });
    html! {
        @if game.is_some() {
            a class=(class) href={ "/round/" (round) "/table/" (table) } data-row=(table) data-win=[winner]
                title=(pairing.reason) { (cells) }
        } @else {
            // Nothing to look at before the boards are set up.
            div class=(class) data-row=(table) data-win=[winner] title=(pairing.reason) { (cells) }
        }
    }
}

fn seat(player: &PlayerView, side: Option<Side>, class: &str, shown: &Shown, reader: &Reader) -> Markup {
    let side = side.map_or("", |side| match side {
        Side::Red => "red",
        Side::Black => "black",
    });
    html! {
        span class={ "s " (side) " " (class) } {
            b lang="zh" { (player.name) }
            small {
                span { (player.no) (reader.t("号", "")) }
                @if !player.unit.is_empty() { span class="un" lang="zh" { (player.unit) } }
                // In a team event they are the team's, and stand beside its name.
                @if !shown.without_results && shown.teams.is_none() { span { (player.points) (reader.t("分", " pts")) } }
            }
        }
    }
}
