//! 车轮战: the list of each master with fees, results, pay-outs and signatures.

use axum::response::Response;
use hall::desk::{Challenger, ChallengerNo};
use maud::html;
use tournament::Money;

use super::{Document, head, page_of, paged, sheet};
use crate::desk::AtDesk;

/// `GET /print/simul`.
pub(super) async fn simul(desk: AtDesk) -> Response {
    let simul = &desk.view.simul;
    let title = desk.t("名手车轮战", "Simultaneous exhibition");
    let terms = &simul.terms;
    let mut sheets = Vec::new();
    for (at, master) in (0..).zip(&terms.masters) {
        let boards: Vec<(u16, ChallengerNo, &Challenger)> = simul.boards(at).collect();
        let total: Money = boards.iter().map(|(.., it)| simul.paid_out(it)).sum();
        let facts = format!(
            "{}　{} {}　{} {}　{} {}",
            terms.when,
            desk.t("报名费", "fee"),
            terms.fee,
            desk.t("胜", "win"),
            terms.win,
            desk.t("和", "draw"),
            terms.draw
        );
        for (page, of, rows) in paged(&boards, 28) {
            sheets.push(sheet(html! {
                (head(&desk, &format!("{title}　{master}"), &facts, &page_of(&desk, page, of)))
                table class="p" {
                    thead { tr { th class="num" { (desk.t("台", "Board")) } th class="num" { (desk.t("号", "No")) } th { (desk.t("姓名", "Name")) } th { (desk.t("单位", "Unit")) } th class="num" { (desk.t("已缴", "Paid")) } th class="riv" { (desk.t("结果", "Result")) } th class="num" { (desk.t("奖金（元）", "Pays (yuan)")) } th { (desk.t("签收", "Signature")) } } }
                    tbody { @for (board, no, challenger) in rows {
                        tr { td class="num" { b { (board) } } td class="num dim" { (no.0) } td { b { (challenger.name) } } td { (challenger.unit) }
                            td class="num" { (challenger.payments.iter().map(|it| it.amount).sum::<Money>()) }
                            td class="riv" { @if let Some(result) = challenger.result { b { (desk.t(result.zh(), result.en())) } } }
                            td class="num" { @if challenger.result.is_some() { (simul.paid_out(challenger)) } } td class="riv" {} }
                    } } }
                @if page == of { p { (desk.t("奖金合计 ", "paid out in all ")) b { (total) } (desk.t(" 元", " yuan")) } }
                footer class="ftr" { span { (desk.t("名手", "Master")) span class="sig" {} (desk.t("裁判", "Arbiter")) span class="sig" {} } span { (desk.t("发放人", "Paid by")) span class="sig" {} } }
            }));
        }
    }
    Document { title: title.to_owned(), sheets, desk: &desk }.answer()
}
