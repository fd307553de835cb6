//! What an alert rests on, drawn: a repetition with the class of each ply, the count of the natural limit, explanations.

use arbitration::Evidence;
use hall::view::{AlertView, PlyView, TableView};
use maud::{Markup, html};
use xiangqi::Side;
use xiangqi::judge::Class;

use super::classes::{self, Tapping};
use super::{Fields, moment, sheet};
use crate::clock;
use crate::lang::Lang;
use crate::page::Reader;
use crate::page::shell::disc;
use crate::words;

/// The plies from number `first` to number `last`.
fn cut(table: &TableView, first: u16, last: u16) -> Vec<&PlyView> {
    let skip = usize::from(first).saturating_sub(1);
    table.plies.iter().take(usize::from(last)).skip(skip).collect()
}

/// The arrows of an alert's cycle, to be drawn over the board; empty if it has none.
pub fn arrows(alert: &AlertView, table: &TableView) -> Markup {
    match cycle(alert) {
        Some((first, last, _)) => {
            sheet::arrows(&cut(table, first, last), usize::from(first).saturating_sub(1))
        }
        None => html! {},
    }
}

/// First and last ply of an alert's cycle, and the classes.
pub fn cycle(alert: &AlertView) -> Option<(u16, u16, &[Class])> {
    if let Evidence::Repetition { first, last, classes, .. } = &alert.data {
        return Some((first.0, last.0, classes));
    }
    None
}

/// The evidence beyond its words. A cycle's classes can be tapped.
pub fn drawn(alert: &AlertView, table: &TableView, fields: &Fields, reader: &Reader) -> Markup {
    match &alert.data {
        Evidence::Repetition { first, last, classes, ruled, .. } => {
            let tapping = Tapping { table: table.table, alert: alert.id, fields, ruled };
            classes::cycle(&cut(table, first.0, last.0), first.0, classes, Some(&tapping), reader)
        }
        Evidence::Limit { rounds, counted, excluded, claimant, .. } => {
            let excluded: Vec<u16> = excluded.iter().map(|ply| ply.0).collect();
            limit(table, *rounds, [counted.red, counted.black], &excluded, *claimant, reader)
        }
        // Nobody saw what was played: there is nothing to choose from, and the words say so.
        Evidence::Readings { lines, .. } if lines.is_empty() => html! {},
        Evidence::Readings { from, lines, dearer, .. } => html! {
            p class="h3" { (reader.t("可能的解释", "Explanations")) }
            ol class="expl" {
                @for (index, line) in lines.iter().enumerate() {
                    li {
                        (line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
                        @if let Some(dearer) = dearer.get(index).filter(|_| index > 0) {
                            " " span class="mut" { (moment::likelihood(*dearer).get(reader.lang)) }
                        }
                    }
                }
            }
            p class="mut" {
                @match reader.lang { Lang::Zh => { "自第" (from.0) "着起" } Lang::En => { "from ply " (from.0) " on" } }
            }
        },
        Evidence::Flags { clock, last_press, .. } => html! {
            dl class="kv" {
                dt { (reader.t("当时钟面", "Clocks then")) }
                dd {
                    (words::side(Side::Red, reader.lang)) " " (clock::text(clock.red_ms)) " · "
                    (words::side(Side::Black, reader.lang)) " " (clock::text(clock.black_ms))
                }
                @if let Some((side, _)) = last_press {
                    dt { (reader.t("末次按钟", "Last press")) } dd { (words::side(*side, reader.lang)) }
                }
            }
        },
        Evidence::Words
        | Evidence::Points { .. }
        | Evidence::Ply { .. }
        | Evidence::Recurrence { .. }
        | Evidence::Fouls { .. }
        | Evidence::Press { .. }
        | Evidence::Touch { .. }
        | Evidence::BadPoint { .. }
        | Evidence::Link { .. }
        | Evidence::DrawOffer { .. }
        | Evidence::Call { .. }
        | Evidence::Absent { .. }
        | Evidence::Window { .. }
        | Evidence::Results { .. }
        | Evidence::Skew { .. }
        | Evidence::TimeLeft { .. }
        | Evidence::Misconduct { .. }
        | Evidence::Tables { .. }
        | Evidence::Supply { .. } => html! {},
    }
}

/// One square a ply and side since the last capture: solid counts, hatched does not.
fn limit(
    table: &TableView,
    rounds: u32,
    counted: [u32; 2],
    excluded: &[u16],
    claimant: Option<Side>,
    reader: &Reader,
) -> Markup {
    let from = table.plies.iter().rposition(|ply| ply.capture).map_or(0, |at| at + 1);
    html! {
        p class="h3" {
            (reader.t("自然限着", "Move limit"))
            span {
                (words::side(Side::Red, reader.lang)) " " (counted[0]) "/" (rounds) " · "
                (words::side(Side::Black, reader.lang)) " " (counted[1]) "/" (rounds)
            }
        }
        @for side in [0, 1] {
            div class="lim" {
                (disc(if side == 0 { Side::Red } else { Side::Black }, reader.lang))
                @for (i, ply) in table.plies.iter().enumerate().skip(from).filter(|(i, _)| i % 2 == side) {
                    @let out = u16::try_from(i + 1).is_ok_and(|no| excluded.contains(&no));
                    i class=[out.then_some("out")] title={ (i / 2 + 1) " " (ply.zh) } {}
                }
            }
        }
        @if !excluded.is_empty() {
            p class="mut" {
                (reader.t("不计：", "Not counted: "))
                @for (n, no) in excluded.iter().enumerate() {
                    @if n > 0 { "、" }
                    @if let Some(ply) = table.plies.get(usize::from(*no).saturating_sub(1)) {
                        (no.div_ceil(2)) "." (reader.moves.of(ply))
                    }
                }
            }
        }
        @if let Some(side) = claimant {
            p class="mut" { (words::side(side, reader.lang)) (reader.t("提出", " claims")) }
        }
    }
}
