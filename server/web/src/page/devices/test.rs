//! `/devices/N`: one table's self-test. Points answer as pieces are put down and lifted; what does not answer is named.

use hall::view::{Concern, Condition, DevicesView};
use hall::{Act, PointState, TestStep};
use maud::{Markup, html};
use tournament::TableNo;
use xiangqi::{Point, Side};

use super::{Neighbours, words};
use crate::auth::Official;
use crate::lang::Lang;
use crate::page::arbiter::sheet::{at, grid};
use crate::page::arbiter::when::Zone;
use crate::page::shell::{Reader, disc};

pub fn draw(
    table: &DevicesView,
    walk: &Neighbours,
    zone: Zone,
    exchange: &Markup,
    official: &Official,
    reader: &Reader,
) -> Markup {
    html! {
        main id="main" class="dtest" data-poll="1" {
            div data-part="state" { (state(table, zone, reader)) }
            div data-part="board" { (board(table, reader)) (levers(table, reader)) }
            div data-part="concerns" { (concerns(table, reader)) }
            div data-part="acts" { (acts(table, official, reader)) }
            // No part that is drawn anew: somebody types into it.
            (exchange)
            nav class="dwalk" aria-label=(reader.t("走台", "Walk")) {
                @if let Some(no) = walk.before { a class="btn" href={ "/devices/" (no) } { "‹ " (name(no, reader)) } } @else { span {} }
                a class="btn" href="/devices" { (reader.t("全部", "All")) }
                @if let Some(no) = walk.after { a class="btn btn-1" href={ "/devices/" (no) } { (name(no, reader)) " ›" } } @else { span {} }
            }
        }
    }
}

fn name(no: TableNo, reader: &Reader) -> String {
    match reader.lang {
        Lang::Zh => format!("{no}台"),
        Lang::En => format!("Table {no}"),
    }
}

fn state(table: &DevicesView, zone: Zone, reader: &Reader) -> Markup {
    let (class, word) = words::condition(table.condition());
    let tried =
        table.points.as_ref().map(|points| points.iter().filter(|s| **s != PointState::Untried).count());
    html! {
        div class={ "dstate " (class) } role="status" {
            b { (word.get(reader.lang)) }
            span {
                @if table.plays {
                    (reader.t("对局中，此时不能自检", "A game is being played: no self-test now"))
                } @else if table.since.is_some() {
                    @match reader.lang {
                        Lang::Zh => { "自检中　已试 " (tried.unwrap_or(0)) "/90" }
                        Lang::En => { "Testing: " (tried.unwrap_or(0)) " of 90 points" }
                    }
                } @else if let Some(at) = table.tested {
                    (reader.t("自检于 ", "Tested at ")) (zone.time(at))
                } @else {
                    (reader.t("尚未自检", "Not tested yet"))
                }
            }
        }
        @if table.since.is_some() {
            p class="dhow" {
                (reader.t(
                    "每个交叉点放一枚棋子再拿起；红黑两边各按一次钟。",
                    "Put a piece on every point and lift it again; press the clock on both sides.",
                ))
            }
        }
    }
}

/// The ninety points, each by a shape of its own: what stands there now, and how it did.
fn board(table: &DevicesView, reader: &Reader) -> Markup {
    let image = table.image.as_deref().unwrap_or_default();
    let points = (0..Point::COUNT).filter_map(Point::from_index);
    html! {
        svg class="dboard" viewBox="-70 -70 940 1040" role="img" aria-label=(reader.t("各点情况", "The points")) {
            path class="gr" d=(grid()) {}
            @for point in points {
                @let (x, y) = at(point);
                @if image.get(point.index()).is_some_and(|reading| *reading != 0) {
                    circle class="here" cx=(x) cy=(y) r="44" {}
                }
                @match table.points.as_ref().map(|points| points[point.index()]) {
                    None => {},
                    Some(PointState::Untried) => circle class="untried" cx=(x) cy=(y) r="26" {},
                    Some(PointState::Sound) => path class="sound" d={ "M" (x - 22) " " (y + 2) "l16 18l30 -38" } {},
                    Some(PointState::Unsure) => path class="unsure" d={ "M" (x - 28) " " (y + 8) "q14 -34 28 -8t28 -8" } {},
                    Some(PointState::Dead) => path class="dead" d={ "M" (x - 26) " " (y - 26) "l52 52M" (x + 26) " " (y - 26) "l-52 52" } {},
                    Some(PointState::Stuck) => rect class="stuck" x=(x - 26) y=(y - 26) width="52" height="52" {},
                }
            }
        }
        ul class="dkey" {
            li { span class="q here" {} (reader.t("有子", "piece")) }
            li { b class="sound" { "✓" } (reader.t("正常", "sound")) }
            li { span class="q untried" {} (reader.t("未试", "untried")) }
            li { b class="unsure" { "~" } (reader.t("不稳", "unsure")) }
            li { b class="dead" { "×" } (reader.t("失灵", "dead")) }
            li { b class="stuck" { "■" } (reader.t("卡死", "stuck")) }
        }
    }
}

fn levers(table: &DevicesView, reader: &Reader) -> Markup {
    let tested = table.points.is_some();
    html! {
        div class="dlever" {
            @for side in [Side::Red, Side::Black] {
                @let pressed = tested && table.pressed[side as usize];
                div class={ @if pressed { "ok" } @else { "open" } } {
                    (disc(side, reader.lang))
                    b {
                        @match (tested, pressed) {
                            (false, _) => "—",
                            (true, true) => { "✓ " (reader.t("已按", "pressed")) },
                            (true, false) => (reader.t("请按钟", "press")),
                        }
                    }
                }
            }
        }
    }
}

fn concerns(table: &DevicesView, reader: &Reader) -> Markup {
    // While the test goes on, what is still to be done shows on the board itself.
    let said = |concern: &&Concern| {
        let doing = matches!(concern, Concern::Untried(_) | Concern::Unpressed(_));
        table.since.is_none() || !doing
    };
    let all: Vec<&Concern> = table.concerns.iter().filter(said).collect();
    html! {
        @if !all.is_empty() {
            ul class="dsay" {
                @for concern in all {
                    li class=(words::condition(concern.condition()).0) { (words::concern(concern).get(reader.lang)) }
                }
            }
        } @else if table.condition() == Condition::Sound {
            p class="dsay ok" { (reader.t("90 点与两边棋钟都正常。", "All 90 points and both levers are sound.")) }
        }
        p class="mut duid" {
            (reader.t("棋盘 ", "board ")) code { (table.binding.board) }
            @if table.binding.clock == table.binding.board { (reader.t("（与棋钟一体）", " (and clock)")) }
            @else { (reader.t("　棋钟 ", ", clock ")) code { (table.binding.clock) } }
        }
    }
}

fn acts(table: &DevicesView, official: &Official, reader: &Reader) -> Markup {
    let may = official.may(&Act::SelfTest { table: table.table, step: TestStep::Begin });
    let button = |step: &str, main: bool, word: &str| {
        html! { button class={ "btn" @if main { " btn-1" } } name="step" value=(step) { (word) } }
    };
    html! {
        @if may && !table.plays {
            form class="dacts" method="post" action={ "/devices/" (table.table) } {
                (official.seal())
                @if table.since.is_some() {
                    (button("finish", true, reader.t("全部试过，结束", "All tried: finish")))
                    (button("break_off", false, reader.t("先到此", "Stop here")))
                    p class="mut" {
                        (reader.t(
                            "「全部试过」：没有反应的点记为失灵或卡死，下一局不依它判着。「先到此」：没试的点记为未试。",
                            "Finish: points that did not answer are noted as dead or stuck, and the next game does not rely on them. Stop here: they are noted as not tried.",
                        ))
                    }
                } @else {
                    (button("begin", true, if table.tested.is_some() { reader.t("重新自检", "Test again") } else { reader.t("开始自检", "Begin the self-test") }))
                }
            }
        }
    }
}
