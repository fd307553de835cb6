//! 换设备: another board or clock takes the place of one that broke, by its number; asked once more before it is done.

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use hall::view::{DeviceUid, DevicesView};
use hall::{Act, Room, TableBinding};
use maud::{Markup, html};
use tournament::TableNo;

use super::page;
use crate::AppState;
use crate::auth::{self, Official, Posted};
use crate::lang::{Lang, Words};
use crate::page::shell::Reader;
use crate::questions::LinkView;

/// What stands on the table, with two fields to put other numbers into; for whoever may do that.
pub fn form(table: &DevicesView, links: &[LinkView], official: &Official, reader: &Reader) -> Markup {
    let TableBinding { board, clock, .. } = table.binding;
    html! {
        @if official.may(&Act::Bind(table.binding)) {
            details class="dswap" {
                summary { (reader.t("换棋盘或棋钟…", "Another board or clock…")) }
                form class="dacts" method="post" action={ "/devices/" (table.table) "/exchange" } {
                    (official.seal())
                    (number_field("board", reader.t("棋盘", "Board"), board))
                    (number_field("clock", reader.t("棋钟（与棋盘一体则同号）", "Clock (the board's number, if it is one with it)"), clock))
                    datalist id="spare" { @for uid in spare(links) { option value=(uid) {} } }
                    button class="btn" { (reader.t("换上…", "Exchange…")) }
                }
            }
        }
    }
}

fn number_field(name: &str, words: &str, value: DeviceUid) -> Markup {
    html! {
        label { (words)
            input name=(name) value=(value) list="spare" required pattern="[0-9a-fA-F]{1,16}" autocomplete="off" spellcheck="false";
        }
    }
}

/// Devices that gateways see and that stand on no table.
fn spare(links: &[LinkView]) -> impl Iterator<Item = &str> {
    links.iter().filter(|link| link.table.is_none()).filter_map(|link| link.device.as_deref())
}

/// `POST /devices/{table}/exchange`: what would change, and with `sure` the change itself.
pub async fn exchange(State(state): State<AppState>, Path(no): Path<u16>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Devices)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let (tables, links) = (state.questions.devices(None).await, state.questions.links().await);
    let Some(here) = tables.iter().find(|table| table.table == TableNo(no)) else {
        let what = posted.reader.t("此台未装定设备", "No devices are bound to this table");
        return crate::page::not_found(&state.hub, &posted.reader, what);
    };
    let wanted = match wanted(&posted, here, &tables) {
        Ok(wanted) => wanted,
        Err(why) => {
            return (StatusCode::UNPROCESSABLE_ENTITY, why.get(posted.reader.lang).to_owned())
                .into_response();
        }
    };
    let to = format!("/devices/{no}");
    if wanted == here.binding {
        return Redirect::to(&to).into_response();
    }
    if posted.text("sure").is_none() {
        let body = confirm(here, wanted, &links, &posted.official, &posted.reader);
        let title = posted.reader.t("换设备", "Exchange of devices").to_owned();
        return page(&state, title, &to, &body, &posted.reader);
    }
    let done = auth::decide(&state, &posted.official, vec![Act::Bind(wanted)], None).await;
    super::answer(done, &to, &posted.reader)
}

/// What shall stand on the table.
fn wanted(posted: &Posted, here: &DevicesView, tables: &[DevicesView]) -> Result<TableBinding, Words> {
    let number = |name: &str| {
        let said = posted.text(name).unwrap_or_default();
        let uid: DeviceUid = said.parse().map_err(|_| {
            Words::new(
                format!("「{said}」不是设备号：设备上印的 1 至 16 位十六进制数字"),
                format!("“{said}” is no device's number: 1 to 16 hexadecimal digits, as printed on it"),
            )
        })?;
        let elsewhere = tables.iter().find(|table| {
            let TableBinding { board, clock, .. } = table.binding;
            table.table != here.table && (uid == board || uid == clock)
        });
        match elsewhere {
            None => Ok(uid),
            Some(table) => Err(Words::new(
                format!("设备 {uid} 在第{}台，先在那台换下", table.table),
                format!("device {uid} stands on table {}: take it away there first", table.table),
            )),
        }
    };
    Ok(TableBinding { board: number("board")?, clock: number("clock")?, ..here.binding })
}

/// What changes, once more, with what to look at.
fn confirm(
    here: &DevicesView,
    wanted: TableBinding,
    links: &[LinkView],
    official: &Official,
    reader: &Reader,
) -> Markup {
    let seen = |uid: DeviceUid| links.iter().any(|link| link.device.as_deref() == Some(&uid.to_string()));
    let changes = [
        (reader.t("棋盘", "Board"), here.binding.board, wanted.board),
        (reader.t("棋钟", "Clock"), here.binding.clock, wanted.clock),
    ];
    let changes = || changes.iter().filter(|(_, from, to)| from != to);
    html! {
        main id="main" class="dtest" {
            div class="dstate open" role="status" {
                b { @match reader.lang { Lang::Zh => { (here.table) "台换设备" } Lang::En => { "Table " (here.table) ": exchange" } } }
            }
            ul class="dsay" {
                @for (what, from, to) in changes() {
                    li { (what) " " code { (from) } " → " code { (to) } }
                }
                @for (_, _, to) in changes().filter(|(_, _, to)| !seen(*to)) {
                    li class="open" {
                        code { (to) } (reader.t("：没有网关见到它，先插好", ": no gateway sees it, plug it in first"))
                    }
                }
                @if here.plays && wanted.board != here.binding.board {
                    li class="open" {
                        (reader.t(
                            "对局进行中：新棋盘按现在的局面摆好棋子。",
                            "A game goes on: set the new board up as the game stands.",
                        ))
                    }
                }
                @if here.plays && wanted.clock != here.binding.clock {
                    li class="open" {
                        (reader.t(
                            "对局进行中：新棋钟自动拨到现在的余时，由裁判开钟。",
                            "A game goes on: the new clock is set to the times left, and an arbiter starts it.",
                        ))
                    }
                }
                @if !here.plays { li { (reader.t("换上后请再自检。", "Run the self-test again afterwards.")) } }
            }
            form class="dacts" method="post" action={ "/devices/" (here.table) "/exchange" } {
                (official.seal())
                input type="hidden" name="board" value=(wanted.board);
                input type="hidden" name="clock" value=(wanted.clock);
                button class="btn btn-1" name="sure" value="yes" { (reader.t("确认换上", "Exchange")) }
                a class="btn" href={ "/devices/" (here.table) } { (reader.t("取消", "Cancel")) }
                p class="mut" {
                    (reader.t(
                        "记入日志；对局中可在裁判页「本台裁决」撤销，平时再换回即可。",
                        "It goes into the journal; in a round it can be undone among the table's decisions, otherwise exchange them back.",
                    ))
                }
            }
        }
    }
}
