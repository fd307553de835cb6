//! `/devices`: every table as a tile with its condition in a word, a shape and a colour; gateways and links below.

use hall::view::{Condition, DevicesView};
use hall::{Act, TestStep};
use maud::{Markup, html};
use tournament::TableNo;

use super::{firmware, links, words};
use crate::auth::Official;
use crate::page::shell::Reader;
use crate::questions::{FirmwareView, LinkView};

const CONDITIONS: [Condition; 3] = [Condition::Faulty, Condition::Open, Condition::Sound];

pub fn draw(
    tables: &[DevicesView],
    links: &[LinkView],
    firmware: Option<&FirmwareView>,
    official: &Official,
    reader: &Reader,
) -> Markup {
    let count = |condition| tables.iter().filter(|table| table.condition() == condition).count();
    let may = official.may(&Act::SelfTest { table: TableNo(1), step: TestStep::Begin });
    let idle = tables.iter().filter(|table| !table.plays && table.since.is_none()).count();
    html! {
        main id="main" data-poll="2" {
            div data-part="tables" {
                dl class="dcount" {
                    @for condition in CONDITIONS {
                        @let (class, word) = words::condition(condition);
                        div class={ (class) @if count(condition) == 0 { " zero" } } {
                            dd { (count(condition)) } dt { (word.get(reader.lang)) }
                        }
                    }
                }
                @if tables.is_empty() {
                    p class="none" {
                        (reader.t(
                            "还没有装定设备的台：见网关手册，先把棋盘与棋钟装定到台上",
                            "No table has devices yet: bind boards and clocks to tables first",
                        ))
                    }
                }
                div class="dtiles" { @for table in tables { (tile(table, reader)) } }
            }
            @if may && idle > 0 {
                form class="dacts" method="post" action="/devices" {
                    (official.seal())
                    button class="btn" {
                        @match reader.lang {
                            crate::lang::Lang::Zh => { "空闲 " (idle) " 台开始自检" }
                            crate::lang::Lang::En => { "Begin the self-test at " (idle) " free tables" }
                        }
                    }
                }
            }
            div data-part="firmware" { (firmware::draw(firmware, reader)) }
            (firmware::forms(firmware, official, reader))
            div data-part="links" { (links::draw(links, reader)) }
        }
    }
}

fn tile(table: &DevicesView, reader: &Reader) -> Markup {
    let (class, word) = words::condition(table.condition());
    let first = table.concerns.first().map(words::short);
    html! {
        a class={ "dtile " (class) } href={ "/devices/" (table.table) } {
            b class="k" { (table.table) }
            span class="s" { (word.get(reader.lang)) }
            @if table.since.is_some() { span class="w" { (reader.t("自检中", "testing")) } }
            @else if let Some(first) = first { span class="w" { (first.get(reader.lang)) } }
        }
    }
}
