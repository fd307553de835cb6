//! 导入: an Excel or CSV file, or pasted text; a preview first, then all of it in one go.

use axum::body::Bytes;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::Response;
use hall::desk::{DeskAct, Form};
use maud::{Markup, html};

use super::read::{self, Problem, Sheet};
use super::{AtDesk, Frame, Sent, Tab, Todo, hidden, sheet, upload};
use crate::AppState;

/// A file of entries is never larger.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// `GET /desk/import`.
pub(super) async fn import(desk: AtDesk) -> Response {
    page(&desk, None)
}

fn page(desk: &AtDesk, read: Option<&Sheet>) -> Response {
    let body = html! {
        div class="cols two" {
            div class="scroll" { @match read { Some(sheet) => (preview_of(desk, sheet)), None => (how(desk)) } }
            aside class="pnl" {
                h2 { (desk.t("从文件", "From a file")) }
                form method="post" action="/desk/import" enctype="multipart/form-data" class="sheetform" {
                    (desk.seal())
                    input type="file" name="file" accept=".xlsx,.xls,.ods,.csv,.txt" aria-label=(desk.t("文件", "File"));
                    h2 { (desk.t("或粘贴", "Or paste")) }
                    textarea name="text" rows="14" placeholder=(desk.t("队名：东山队\n领队：赵一　电话：13800000000\n队员：钱二、孙三、李四\n\n周五 南湖棋社 男 1988-04", "Zhou Wu SouthLake M 1988-04")) {}
                    button class="btn btn-1" { (desk.t("预览", "Preview")) }
                }
            }
        }
    };
    let head = html! { span class="sp" {} a class="btn btn-s" href="/desk/files/template.xlsx" { (desk.t("空白报名表", "Template")) } };
    let title = desk.t("导入报名", "Import entries").to_owned();
    Frame {
        tab: Tab::Entries,
        title,
        head,
        body,
        foot: (html! {}, desk.t("预览后确认才会登记", "nothing counts before you confirm")),
    }
    .answer(desk)
}

fn how(desk: &AtDesk) -> Markup {
    html! { div class="note" {
        p { (desk.t("先下载空白报名表发给各单位；收回后在右边选文件，看过预览再登记。", "Send the template out, choose the filled file here, look at the preview, then confirm.")) }
        p { (desk.t("微信里的报名可以直接粘贴：每行一人写“姓名 单位 性别 出生 电话”；一队以“队名：”开头，空一行再写下一队。", "Messages can be pasted: one player a line (name, unit, …); a team begins with 队名：, an empty line ends it.")) }
        p { (desk.t("从 Excel 复制的单元格连同标题行也可以粘贴。", "Cells copied out of a spreadsheet, with their heading, can be pasted too.")) }
    } }
}

fn preview_of(desk: &AtDesk, sheet: &Sheet) -> Markup {
    let known = |form: &Form| {
        desk.view.files.values().any(|file| file.struck.is_none() && file.form.name() == form.name())
    };
    html! {
        @if !sheet.problems.is_empty() {
            h3 { (desk.t("读不懂的地方", "Not understood")) " " (sheet.problems.len()) }
            table class="gd" { thead { tr { th class="num" { (desk.t("行", "Row")) } th { (desk.t("列", "Column")) } th { (desk.t("问题与处理", "What is wrong, what to do")) } } }
                tbody { @for Problem { row, column, says } in &sheet.problems { tr class="bad" { td class="num" { (row) } td { (column) } td { (says) } } } } }
        }
        @if !sheet.forms.is_empty() {
            h3 { (desk.t("将登记", "To be entered")) " " (sheet.forms.len()) }
            table class="gd" {
                thead { tr { th { (desk.t("队名 / 姓名", "Team / player")) } th { (desk.t("单位", "Unit")) } th class="num" { (desk.t("人数", "Players")) } th { (desk.t("队员", "Players")) } th { (desk.t("领队", "Leader")) } th {} } }
                tbody { @for form in &sheet.forms { tr class={ @if known(form) { "bad" } } {
                    td { b { (form.name()) } } td { (form.unit) } td class="num" { (form.players.len()) }
                    td { (form.players.iter().map(|player| player.name.as_str()).collect::<Vec<_>>().join("、")) }
                    td { (form.leader) } td { @if known(form) { span class="wrn" { (desk.t("已有同名报名", "already entered")) } } }
                } } }
            }
            form method="post" action="/desk/import/apply" class="row" {
                (desk.seal()) (hidden("forms", serde_json::to_string(&sheet.forms).unwrap_or_default()))
                label class="tick" { input type="checkbox" name="late" value="1"; (desk.t(" 截止后由主办方收下", " taken in by the organiser after the deadline")) }
                button class="btn btn-1" { (desk.t("登记以上报名", "Enter these")) }
            }
        }
    }
}

/// `POST /desk/import`: reads what was sent and shows it.
pub(super) async fn preview(State(state): State<AppState>, request: Request) -> Response {
    use axum::RequestExt;
    let (mut parts, body) = request.into_parts();
    let desk = match AtDesk::from_request_parts(&mut parts, &state).await {
        Ok(desk) => desk,
        Err(answer) => return answer,
    };
    let request = Request::from_parts(parts.clone(), body);
    let bytes: Bytes = match request.extract().await {
        Ok(bytes) => bytes,
        Err(_) => {
            return desk.refuse(
                desk.t("文件太大或没有收全", "The file is too large or did not come whole"),
                "/desk/import",
            );
        }
    };
    let sent =
        upload::parts(&parts.headers, &bytes).filter(|_| bytes.len() <= MOST_BYTES).unwrap_or_default();
    let text_of = |name: &str| {
        sent.iter()
            .find(|(key, ..)| key == name)
            .map(|(.., bytes)| String::from_utf8_lossy(bytes).trim().to_owned())
            .unwrap_or_default()
    };
    if !desk.official.sealed(&text_of("form")) {
        return desk.refuse(
            desk.t("页面已过期，请重新打开后再试", "The page is out of date: open it again"),
            "/desk/import",
        );
    }
    let file = sent.iter().find(|(key, name, bytes)| key == "file" && !name.is_empty() && !bytes.is_empty());
    let sheet = match file {
        Some((_, name, bytes))
            if name.to_lowercase().ends_with(".csv") || name.to_lowercase().ends_with(".txt") =>
        {
            Ok(text(&upload::decode(bytes)))
        }
        Some((_, _, bytes)) => sheet::rows(bytes).map(|rows| read::table(&rows)),
        None => Ok(text(&text_of("text"))),
    };
    match sheet {
        Ok(sheet) => page(&desk, Some(&sheet)),
        Err(words) => desk.refuse(&words, "/desk/import"),
    }
}

/// A table if it has a heading, else a message.
fn text(text: &str) -> Sheet {
    let rows = read::csv(text);
    let table = rows.iter().any(|row| row.len() > 1 && row.iter().any(|cell| cell.trim() == "姓名"));
    if table { read::table(&rows) } else { read::message(text) }
}

/// `POST /desk/import/apply`: all forms of the preview, or none.
pub(super) async fn apply(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let Ok(forms) = serde_json::from_str::<Vec<Form>>(fields.text("forms")) else {
        return desk.refuse(
            desk.t("预览已失效，请重新导入", "The preview is out of date: import again"),
            "/desk/import",
        );
    };
    let late = fields.has("late");
    let acts = forms.into_iter().map(|form| Todo::from(DeskAct::Register { form: Box::new(form), late }));
    desk.all(acts, "/desk/entries").await
}
