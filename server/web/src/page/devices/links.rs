//! Gateways and their links, with what went wrong on each since the gateway's start.

use maud::{Markup, html};

use crate::page::shell::Reader;
use crate::questions::LinkView;

/// Devices say once a second that they are there: a silence of so much says that something holds them up.
const LONG_GAP_MS: u32 = 2_500;

pub fn draw(links: &[LinkView], reader: &Reader) -> Markup {
    html! {
        section class="dlinks" {
            h2 { (reader.t("网关与线路", "Gateways and links")) }
            @if links.is_empty() {
                p class="mut" { (reader.t("还没有网关报过线路情况", "No gateway has told of its links yet")) }
            } @else {
                div class="dscroll" {
                    table {
                        thead { tr {
                            th { (reader.t("台", "Table")) }
                            th class="num" { (reader.t("校验错", "CRC errors")) }
                            th class="num" { (reader.t("重发", "Resends")) }
                            th class="num" { (reader.t("重启", "Resets")) }
                            th class="num" { (reader.t("断开", "Lost")) }
                            th class="num" { (reader.t("最长静默", "Worst gap")) }
                            th { (reader.t("网关 · 端口", "Gateway · port")) }
                            th { (reader.t("设备", "Device")) }
                            th { (reader.t("固件", "Firmware")) }
                        } }
                        tbody {
                            @for link in links {
                                tr {
                                    td { @match link.table { Some(table) => { a href={ "/devices/" (table) } { b { (table) } } }, None => "—" } }
                                    (number(link.bad_crc))
                                    (number(link.resends))
                                    (number(link.resets))
                                    (number(link.lost))
                                    td class={ "num" @if link.worst_gap_ms > LONG_GAP_MS { " hot" } } {
                                        (link.worst_gap_ms / 1000) "." (link.worst_gap_ms / 100 % 10) " s"
                                    }
                                    td { b { (link.gateway) } " " (link.port) }
                                    td { code { (link.device.as_deref().unwrap_or("—")) } }
                                    (firmware(link, links, reader))
                                }
                            }
                        }
                    }
                }
                p class="mut" {
                    (reader.t(
                        "自网关启动起累计。线路上的差错会自动重发，不会丢着法；数字总在涨就换线。",
                        "Since the gateway started. What is damaged on a line is sent again and no move is lost; where a number keeps rising, change the cable.",
                    ))
                }
            }
        }
    }
}

/// The version that its device runs, marked when another one of its kind runs a newer one.
fn firmware(link: &LinkView, links: &[LinkView], reader: &Reader) -> Markup {
    let Some(runs) = link.runs else { return html! { td { "—" } } };
    let behind = runs.is_behind(links);
    html! {
        td class=[behind.then_some("hot")] {
            (runs.firmware)
            @if behind { " " (reader.t("旧于同类", "older than others of its kind")) }
        }
    }
}

fn number(count: u64) -> Markup {
    html! { td class={ "num" @if count > 0 { " hot" } } { (count) } }
}
