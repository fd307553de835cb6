//! 记录: what the desk did, newest first, and the way back.

use axum::response::Response;
use hall::desk::DeskAct;
use maud::html;

use super::{AtDesk, Frame, Sent, Tab, day_time};

/// `GET /desk/history`.
pub(super) async fn page(desk: AtDesk) -> Response {
    let view = &desk.view;
    let body = html! {
        div class="scroll" { table class="gd" {
            thead { tr { th class="num" { (desk.t("序", "#")) } th { (desk.t("时间", "Time")) } th { (desk.t("何人", "Who")) } th { (desk.t("何事", "What")) } } }
            tbody { @for line in view.history.iter().rev() { tr { td class="num mut" { (line.entry) } td { (day_time(&desk, line.at)) } td { (line.by) } td { (desk.t(line.did.zh.as_str(), line.did.en.as_str())) } } } }
        } }
    };
    let foot = html! { @if let Some(did) = &view.undo { (desk.t("下一个可撤销：", "can be taken back: ")) (desk.t(did.zh.as_str(), did.en.as_str())) } };
    let words =
        desk.t("记录永久保存，撤销也是一条记录", "nothing is ever erased; taking back is an entry too");
    Frame {
        tab: Tab::History,
        title: desk.t("记录", "History").to_owned(),
        head: html! {},
        body,
        foot: (foot, words),
    }
    .answer(&desk)
}

/// `POST /desk/undo`.
pub(super) async fn undo(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let back = Some(fields.text("back"))
        .filter(|back| back.starts_with("/desk/") || *back == "/print")
        .unwrap_or("/desk/history");
    desk.act(DeskAct::Undo, back).await
}
