//! 抽签: by the computer with a seed that is printed, by halves, or the numbers as they were drawn by hand.

use axum::response::Response;
use hall::desk::{DeskAct, DeskView, DrawBy, Whom};
use maud::html;
use tournament::{EntrantNo, GroupNo};

use super::{AtDesk, Frame, Sent, Tab};

fn name(view: &DeskView, whom: &Whom) -> (String, String) {
    let Some(file) = view.file(whom.form) else { return Default::default() };
    match whom.member {
        Some(member) => {
            let name = file.form.player(member).map(|player| player.name.clone()).unwrap_or_default();
            (name, file.form.unit().to_owned())
        }
        None => (file.form.name().to_owned(), file.form.unit.clone()),
    }
}

fn field(whom: &Whom) -> String {
    format!("n{}_{}", whom.form.0, whom.member.map_or(0, |member| member.0))
}

/// The group of somebody with a number, or that which the form asks for.
fn group(view: &DeskView, (no, whom): (Option<EntrantNo>, Whom)) -> Option<GroupNo> {
    no.map_or_else(|| view.asks_for(whom), |no| view.group_of(no))
}

fn group_name(desk: &AtDesk, row: (Option<EntrantNo>, Whom)) -> &str {
    let group = group(&desk.view, row).and_then(|no| desk.view.settings.group(no));
    group.map_or(
        desk.t("没有组别：先在报名表里填", "no group: fill it in on the form first"),
        |group| &group.field.name,
    )
}

/// `GET /desk/draw`.
pub(super) async fn page(desk: AtDesk) -> Response {
    let view = &desk.view;
    let drawn = view.event.is_some();
    let mut rows: Vec<(Option<EntrantNo>, Whom)> = if drawn {
        view.whose.iter().map(|(no, whom)| (Some(*no), *whom)).collect()
    } else {
        view.present.iter().map(|whom| (None, *whom)).collect()
    };
    let grouped = !view.settings.groups.is_empty();
    if grouped {
        rows.sort_by_key(|row| group(view, *row).map_or(0, |no| no.0));
    }
    let missing = view.files.values().filter(|file| file.struck.is_none() && file.here.is_none()).count();
    let body = html! {
        div class="cols two" {
            div class="scroll" {
                form method="post" action="/desk/draw" id="hand" { (desk.seal())
                    table class="gd" {
                        thead { tr { th class="num" { (desk.t("号", "No")) } th { (desk.t("姓名 / 队名", "Name")) } th { (desk.t("单位", "Unit")) } } }
                        tbody { @for (at, (no, whom)) in rows.iter().enumerate() {
                            @let (name, unit) = name(view, whom);
                            @let before = at.checked_sub(1).map(|at| group(view, rows[at]));
                            @if grouped && before != Some(group(view, (*no, *whom))) { tr class="grp" { th colspan="3" { (group_name(&desk, (*no, *whom))) } } }
                            tr { td class="num" { @match no { Some(no) => b { (no) }, None => input class="n" name=(field(whom)) inputmode="numeric" maxlength="4" aria-label={ (name) (desk.t(" 抽签号", ": number drawn")) }; } }
                                td { b { (name) } } td { (unit) } }
                        } }
                    }
                }
                @if rows.is_empty() { p class="none" { (desk.t("还没有人报到。报到后才参加抽签。", "Nobody has checked in yet.")) } }
            }
            aside class="pnl" {
                @if drawn {
                    h2 { (desk.t("已抽签", "Drawn")) }
                    p { (desk.t("编号不再改变。补报者在报名页编入，取下一个空号。", "Numbers stay. Late entries get the next free one, on the entries page.")) }
                    @if view.rounds.is_empty() { p { (desk.t("第1轮公布前可用左下“撤销上一步”重抽。", "Until round 1 is published the draw can be taken back with “Undo”.")) } }
                } @else {
                    h2 { (desk.t("电脑抽签", "By the computer")) }
                    form method="post" action="/desk/draw" class="sheetform" { (desk.seal())
                        label { (desk.t("种子（印在抽签记录上，任何人可重算）", "Seed (printed with the record)")) input name="seed" value=(view.seed) required inputmode="numeric"; }
                        button class="btn btn-1" name="by" value="computer" { (desk.t("全体抽签", "Draw")) }
                        button class="btn" name="by" value="halves" { (desk.t("分档抽签（前半单号，后半双号）", "By halves")) }
                    }
                    h2 { (desk.t("人工抽签", "By hand")) }
                    p class="sub" { (desk.t("在左边逐人填入抽到的号，1 号起不缺不重。", "Type the numbers drawn on the left: from 1, no gap, none twice.")) }
                    @if grouped { p class="sub" { (desk.t("各组分别从 1 号抽起；编号全场相连，后一组接着前一组。", "Each group draws from 1; the numbers of the hall run on from one group to the next.")) } }
                    button class="btn" form="hand" name="by" value="hand" { (desk.t("登记号码", "Enter the numbers")) }
                    @if missing > 0 { p class="wrn" { (missing) (desk.t(" 份报名尚未报到，不参加抽签", " entries have not checked in and are not drawn")) } }
                }
            }
        }
    };
    let title = format!("{} {}", desk.t("抽签", "Draw"), rows.len());
    let head = html! { span class="sp" {} a class="btn btn-s" href="/print/draw" { (desk.t("打印抽签记录", "Print the record")) } };
    Frame { tab: Tab::Draw, title, head, body, foot: (html! {}, "") }.answer(&desk)
}

/// `POST /desk/draw`.
pub(super) async fn draw(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let seed = fields.get("seed").unwrap_or(desk.view.seed);
    let how = match fields.text("by") {
        "halves" => DrawBy::Halves { seed },
        "hand" => {
            let mut numbers = Vec::new();
            for whom in &desk.view.present {
                let typed = fields.text(&field(whom));
                let Ok(no) = typed.parse() else {
                    let words = format!("{} 的号“{typed}”不是数字", name(&desk.view, whom).0);
                    return desk.refuse(&words, "/desk/draw");
                };
                numbers.push((EntrantNo(no), *whom));
            }
            DrawBy::Hand(numbers)
        }
        _ => DrawBy::Computer { seed },
    };
    desk.act(DeskAct::Draw(how), "/desk/draw").await
}
