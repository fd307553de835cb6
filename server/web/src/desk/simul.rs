//! 车轮战: terms, entries, fees, results and what is paid out.

use axum::response::Response;
use hall::desk::{Challenger, ChallengerNo, DeskAct, SimulAct, SimulResult, SimulTerms};
use maud::{Markup, html};
use tournament::Money;

use super::settings::{instant, written};
use super::{AtDesk, Fields, Frame, Sent, Tab, hidden};

const PATH: &str = "/desk/simul";

/// `GET /desk/simul`.
pub(super) async fn page(desk: AtDesk) -> Response {
    let simul = &desk.view.simul;
    let playing: Vec<&Challenger> = simul.challengers.values().filter(|it| it.struck.is_none()).collect();
    let sum = |of: &dyn Fn(&Challenger) -> Money| playing.iter().map(|it| of(it)).sum::<Money>();
    let paid_in = |it: &Challenger| it.payments.iter().map(|payment| payment.amount).sum();
    let body = html! {
        div class="cols two" {
            div class="scroll" {
                @if simul.terms.masters.is_empty() { p class="none" { (desk.t("右边填写名手和办法后开始报名。", "Name the masters on the right, then take entries.")) } }
                @for (at, master) in (0..).zip(&simul.terms.masters) { (board_list(&desk, at, master)) }
            }
            aside class="pnl" { @if !simul.terms.masters.is_empty() { (entry_form(&desk)) } (terms_form(&desk)) }
        }
    };
    let head = html! {
        span class="bd" { (desk.t("报名 ", "entries ")) (playing.len()) }
        span class="bd" { (desk.t("应收 ", "due ")) (sum(&|it| simul.due(it))) (desk.t(" 已收 ", " paid ")) (sum(&paid_in)) }
        span class="bd" { (desk.t("应付奖金 ", "to pay out ")) (sum(&|it| simul.paid_out(it))) }
        span class="sp" {}
        a class="btn btn-s" href="/print/simul" { (desk.t("打印", "Print")) }
    };
    let words =
        desk.t("胜和各得奖金，发放时在打印表上签收", "paid out against a signature on the printed list");
    Frame {
        tab: Tab::Simul,
        title: desk.t("车轮战", "Exhibition").to_owned(),
        head,
        body,
        foot: (html! {}, words),
    }
    .answer(&desk)
}

fn board_list(desk: &AtDesk, at: u16, master: &str) -> Markup {
    let simul = &desk.view.simul;
    html! {
        h2 class="in" { (master) }
        table class="gd" {
            thead { tr { th class="num" { (desk.t("台", "Board")) } th class="num" { (desk.t("号", "No")) } th { (desk.t("姓名", "Name")) } th { (desk.t("单位", "Unit")) } th class="num" { (desk.t("应收", "Due")) } th { (desk.t("已收", "Paid")) } th { (desk.t("结果", "Result")) } th class="num" { (desk.t("奖金", "Pays")) } th {} } }
            tbody { @for (board, no, challenger) in simul.boards(at) {
                tr {
                    td class="num" { b { (board) } } td class="num mut" { (no.0) } td { b { (challenger.name) } } td { (challenger.unit) @if challenger.member { span class="mut" { (desk.t(" 会员", " member")) } } }
                    td class="num" { (simul.due(challenger)) }
                    td { @let paid: Money = challenger.payments.iter().map(|it| it.amount).sum();
                        @if paid < simul.due(challenger) { form method="post" action=(PATH) class="row" { (desk.seal()) (hidden("do", "pay")) (hidden("no", no.0)) (hidden("amount", simul.due(challenger).to_string()))
                            input name="receipt" size="5" placeholder=(desk.t("收据号", "receipt")) aria-label=(desk.t("收据号", "Receipt")); button class="btn btn-s" { (desk.t("收费", "Take")) } } }
                        @else { (paid) } }
                    td { form method="post" action=(PATH) class="row" { (desk.seal()) (hidden("do", "result")) (hidden("no", no.0))
                        @match challenger.result {
                            Some(result) => { b { (word(desk, result)) } " " button class="btn btn-s" name="result" value="" { (desk.t("改", "change")) } }
                            None => { @for result in SimulResult::ALL { button class="btn btn-s" name="result" value=(result.zh()) { (word(desk, result)) } " " } }
                        } } }
                    td class="num" { @if challenger.result.is_some() { (simul.paid_out(challenger)) } }
                    td { details { summary class="btn btn-s" { (desk.t("撤销…", "Strike…")) } form method="post" action=(PATH) class="row" { (desk.seal()) (hidden("do", "strike")) (hidden("no", no.0))
                        input name="why" required maxlength="100" placeholder=(desk.t("理由", "reason")) aria-label=(desk.t("理由", "Reason")); button class="btn btn-s" { (desk.t("撤销报名", "Strike the entry")) } } } }
                }
            } }
        }
    }
}

fn word(desk: &AtDesk, result: SimulResult) -> &'static str {
    match result {
        SimulResult::Won => desk.t("胜", "won"),
        SimulResult::Drawn => desk.t("和", "drawn"),
        SimulResult::Lost => desk.t("负", "lost"),
    }
}

fn entry_form(desk: &AtDesk) -> Markup {
    let terms = &desk.view.simul.terms;
    let late = terms.closes.is_some_and(|closes| closes < desk.view.at);
    html! {
        h2 { (desk.t("报名", "Entry")) }
        form method="post" action=(PATH) class="sheetform" { (desk.seal()) (hidden("do", "enter"))
            label { (desk.t("姓名", "Name")) input name="name" required maxlength="40"; }
            label { (desk.t("单位", "Unit")) input name="unit" maxlength="40"; }
            label { (desk.t("名手", "Master")) select name="master" { option value="" { (desk.t("按报名次序轮流", "in turn")) } @for (at, master) in terms.masters.iter().enumerate() { option value=(at) { (master) } } } }
            label class="tick" { input type="checkbox" name="member" value="1"; " " (desk.t("协会会员", "member of the association")) }
            @if late { label class="tick" { input type="checkbox" name="late" value="1"; " " (desk.t("已截止，主办方同意补报", "entries are closed: let in all the same")) } }
            button class="btn btn-1" { (desk.t("报名", "Enter")) }
        }
    }
}

fn terms_form(desk: &AtDesk) -> Markup {
    let terms = &desk.view.simul.terms;
    let input =
        |label: &str, name: &str, value: String| html! { label { (label) input name=(name) value=(value); } };
    html! {
        h2 { (desk.t("办法", "Terms")) }
        form method="post" action=(PATH) class="sheetform" { (desk.seal()) (hidden("do", "announce"))
            label { (desk.t("名手，一行一位", "Masters, one a line")) textarea name="masters" rows="3" { (terms.masters.join("\n")) } }
            (input(desk.t("时间地点（印在表上）", "When and where (printed)"), "when", terms.when.clone()))
            (input(desk.t("截止时间", "Entries close"), "closes", written(&desk.view, terms.closes)))
            div class="grid2" {
                (input(desk.t("报名费（元）", "Fee (yuan)"), "fee", terms.fee.to_string())) (input(desk.t("会员（元）", "Members (yuan)"), "member_fee", terms.member_fee.to_string()))
                (input(desk.t("胜（元）", "A win pays"), "win", terms.win.to_string())) (input(desk.t("和（元）", "A draw pays"), "draw", terms.draw.to_string()))
            }
            button class="btn" { (desk.t("保存", "Save")) }
        }
    }
}

fn read(fields: &Fields, desk: &AtDesk) -> Result<SimulAct, String> {
    let money = |name: &str| -> Result<Money, String> {
        match fields.text(name) {
            "" => Ok(Money(0)),
            text => text.parse().map_err(|why| format!("“{text}”：{why}")),
        }
    };
    let no = ChallengerNo(fields.get("no").unwrap_or(0));
    let text = |name: &str| fields.text(name).to_owned();
    Ok(match fields.text("do") {
        "announce" => SimulAct::Announce(Box::new(SimulTerms {
            masters: fields.lines("masters").map(str::to_owned).collect(),
            when: text("when"),
            closes: instant(fields.text("closes"), desk.view.settings.utc_offset)?,
            fee: money("fee")?,
            member_fee: money("member_fee")?,
            win: money("win")?,
            draw: money("draw")?,
        })),
        "enter" => SimulAct::Enter {
            name: text("name"),
            unit: text("unit"),
            member: fields.has("member"),
            master: fields.get("master"),
            late: fields.has("late"),
        },
        "pay" => SimulAct::Pay { no, amount: money("amount")?, receipt: text("receipt") },
        "result" => {
            let result = SimulResult::ALL.into_iter().find(|result| result.zh() == fields.text("result"));
            SimulAct::Result { no, result }
        }
        "strike" => SimulAct::Strike { no, why: text("why") },
        other => return Err(desk.unknown(other)),
    })
}

/// `POST /desk/simul`.
pub(super) async fn change(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    match read(&fields, &desk) {
        Ok(act) => desk.act(DeskAct::Simul(act), PATH).await,
        Err(words) => desk.refuse(&words, PATH),
    }
}
