//! Files to take away: the entry form, the entries, standings, TRF16.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use tournament::{GroupNo, RoundNo};

use super::{AtDesk, sheet, trf};

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// `GET /desk/files/{name}`.
pub(super) async fn file(Path(name): Path<String>, desk: AtDesk) -> Response {
    let view = &desk.view;
    let standing = name.strip_prefix("standing-").and_then(|rest| rest.strip_suffix(".xlsx")?.parse().ok());
    let of_group = name.strip_prefix("event-").and_then(|rest| rest.strip_suffix(".trf")?.parse().ok());
    let of_group = of_group.map(GroupNo).filter(|no| view.settings.group(*no).is_some());
    let (kind, bytes) = match (name.as_str(), standing) {
        ("template.xlsx", _) => (XLSX, sheet::entries(view, false)),
        ("entries.xlsx", _) => (XLSX, sheet::entries(view, true)),
        (_, Some(after)) => (XLSX, sheet::standing(view, RoundNo(after))),
        (trf, _) if trf == "event.trf" || of_group.is_some() => {
            match trf::trf16(&of_group.map_or_else(|| (**view).clone(), |no| view.of_group(no))) {
                Some(text) => ("text/plain; charset=utf-8", Ok(text.into_bytes())),
                None => {
                    return desk.refuse(
                        desk.t("抽签后才能导出", "There is nothing to export before the draw"),
                        "/desk/standings",
                    );
                }
            }
        }
        _ => return desk.refuse(desk.t("没有这个文件", "There is no such file"), "/desk/entries"),
    };
    match bytes {
        Ok(bytes) => {
            let attached = format!("attachment; filename=\"{name}\"");
            let headers = [
                (header::CONTENT_TYPE, kind.to_owned()),
                (header::CONTENT_DISPOSITION, attached),
                (header::CACHE_CONTROL, "no-store".to_owned()),
            ];
            (headers, bytes).into_response()
        }
        Err(why) => desk.refuse(&format!("文件没有做成：{why}"), "/desk/entries"),
    }
}
