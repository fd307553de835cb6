//! 报名: forms left, the chosen one right: its players, what the rules found, fees, 报到.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use hall::desk::{
    DeskAct, DeskView, File, Form, FormNo, FormStanding, Player, Rule, Ruling, Sex, due, findings,
    form_standing,
};
use maud::{Markup, html};
use tournament::{MemberNo, Money, RoundNo};

use super::{AtDesk, Fields, Frame, Sent, Tab, day_time, hidden};
use crate::AppState;
use crate::lang::Lang;

/// `GET /desk`: where work is.
pub(super) async fn home(State(_): State<AppState>, desk: AtDesk) -> Response {
    let place = match (&desk.view.event, desk.view.rounds.last()) {
        (None, _) => "/desk/entries",
        (Some(_), Some(round)) if round.started && !round.over => "/desk/results",
        (Some(_), _) => "/desk/pairing",
    };
    Redirect::to(place).into_response()
}

/// `GET /desk/entries`.
pub(super) async fn entries(desk: AtDesk) -> Response {
    let view = &desk.view;
    let chosen: Option<FormNo> =
        desk.reader.asked::<u16>("no").map(FormNo).filter(|no| view.files.contains_key(no));
    let only = desk.reader.asked_text("only").unwrap_or_default().to_owned();
    let owes = |no: &FormNo| {
        view.file(*no)
            .is_some_and(|file| file.struck.is_none() && file.paid() < due(&view.settings, &file.form))
    };
    let waits = |no: &FormNo| matches!(standing(view, *no), FormStanding::Pending(_));
    let count = |of: &dyn Fn(&FormNo) -> bool| view.files.keys().filter(|no| of(no)).count();
    let rows = view.files.iter().filter(|(no, _)| match only.as_str() {
        "wait" => waits(no),
        "owe" => owes(no),
        _ => true,
    });
    let people: usize =
        view.files.values().filter(|file| file.struck.is_none()).map(|file| file.form.players.len()).sum();
    let teams = view.files.values().filter(|file| file.struck.is_none() && file.form.team.is_some()).count();
    let paid: Money = view.files.values().map(File::paid).sum();
    let owed: Money = view
        .files
        .values()
        .filter(|file| file.struck.is_none())
        .map(|file| due(&view.settings, &file.form))
        .sum();
    let here = view.files.values().filter(|file| file.here.is_some()).count();
    let grouped = !view.settings.groups.is_empty();
    let seg = |key: &str, name: &str, number: usize| {
        html! { a href={ "/desk/entries?only=" (key) } aria-current=[(only == key).then_some("true")] { (name) " " (number) } }
    };
    let body = html! {
        div class="cols two" {
            div class="scroll" {
                table class="gd" {
                    thead { tr {
                        th class="num" { (desk.t("序", "#")) } th { (desk.t("队名 / 姓名", "Team / player")) } th { (desk.t("单位", "Unit")) }
                        th class="num" { (desk.t("人数", "Players")) } @if grouped { th { (desk.t("组别", "Group")) } } th class="num" { (desk.t("已缴（元）", "Paid")) }
                        th { (desk.t("审核", "Check")) } th { (desk.t("报到", "Here")) }
                    } }
                    tbody {
                        @for (no, file) in rows {
                            tr class={ @if chosen == Some(*no) { "sel" } @else if waits(no) { "bad" } } {
                                td class="num" { (no) }
                                td { a href={ "/desk/entries?no=" (no) } { b { (file.form.name()) } } }
                                td { (file.form.unit) }
                                td class="num" { (file.form.players.len()) }
                                @if grouped { td { (groups_of(&file.form)) } }
                                td class="num" { @if file.payments.is_empty() { "—" } @else { (file.paid()) } }
                                td { (state(&desk, standing(view, *no))) }
                                td { @match file.here { Some(at) => (day_time(&desk, at)), None => "—" } }
                            }
                        }
                    }
                }
                @if view.files.is_empty() {
                    p class="none" { (desk.t(
                        "还没有报名。可以从 Excel 报名表导入、粘贴微信消息，或在右边逐个填写。",
                        "No entries yet. Import the entry form from Excel, paste a message, or fill in the form on the right.",
                    )) }
                }
            }
            aside class="pnl" {
                @match chosen.and_then(|no| view.file(no).map(|file| (no, file))) {
                    Some((no, file)) => (detail(&desk, no, file)),
                    None => (blank(&desk)),
                }
            }
        }
    };
    let head = html! {
        div class="seg" {
            (seg("", desk.t("全部", "All"), view.files.len()))
            (seg("wait", desk.t("待处理", "To check"), count(&waits)))
            (seg("owe", desk.t("未缴清", "Owing"), count(&owes)))
        }
        span class="sp" {}
        a class="btn btn-s" href="/desk/import" { (desk.t("导入 Excel / 粘贴", "Import")) }
        a class="btn btn-s" href="/desk/files/template.xlsx" { (desk.t("空白报名表", "Template")) }
        a class="btn btn-s" href="/desk/files/entries.xlsx" { (desk.t("导出", "Export")) }
        a class="btn btn-1 btn-s" href="/desk/entries" { (desk.t("新增", "New")) }
    };
    let title = match desk.reader.lang {
        Lang::Zh => format!("报名 {teams} 队 {people} 人"),
        Lang::En => format!("Entries: {teams} teams, {people} players"),
    };
    let left = html! {
        (desk.t("已缴 ", "paid ")) b { (paid) } " / " (owed) (desk.t(" 元", " yuan")) " ｜ " (desk.t("已报到 ", "here ")) (here)
        @for (name, count) in group_sizes(view) { " ｜ " (name) " " (count) }
        " ｜ " (desk.t("午餐 ", "lunches ")) (people) (desk.t(" 份 / 天", " a day"))
        @if let Some(seats) = view.settings.seats { @if people > usize::from(seats) {
            span class="wrn" { (desk.t("人数超过座位 ", "more players than seats ")) (seats) }
        } }
    };
    let closes = view.settings.closes.map(|at| match desk.reader.lang {
        Lang::Zh => format!("报名截止 {}，此后新增须主办方确认", day_time(&desk, at)),
        Lang::En => format!("entries close {}; later ones need the organiser's word", day_time(&desk, at)),
    });
    Frame { tab: Tab::Entries, title, head, body, foot: (left, closes.as_deref().unwrap_or_default()) }
        .answer(&desk)
}

/// The groups of a form's players, each once.
fn groups_of(form: &Form) -> String {
    let mut groups: Vec<&str> = form.players.iter().map(|player| player.group.as_str()).collect();
    groups.dedup();
    groups.join("、")
}

/// How many are entered in each group.
fn group_sizes(view: &DeskView) -> Vec<(&str, usize)> {
    let players =
        || view.files.values().filter(|file| file.struck.is_none()).flat_map(|file| &file.form.players);
    let size = |no| players().filter(|player| view.settings.group_asked(player) == Some(no)).count();
    view.groups().map(|(no, name)| (name, size(no))).collect()
}

fn standing(view: &DeskView, no: FormNo) -> FormStanding {
    form_standing(&view.settings, &view.files, no)
}

fn state(desk: &AtDesk, standing: FormStanding) -> Markup {
    let (class, word) = match standing {
        FormStanding::Struck => ("stt wv", desk.t("已撤", "struck").to_owned()),
        FormStanding::Rejected => ("stt no", desk.t("退回", "rejected").to_owned()),
        FormStanding::Pending(count) => ("stt pd", format!("{} {count}", desk.t("待审", "to check:"))),
        FormStanding::Unpaid => ("stt pd", desk.t("未缴费", "unpaid").to_owned()),
        FormStanding::Waived => ("stt wv", desk.t("豁免", "waived").to_owned()),
        FormStanding::Accepted => ("stt ok", desk.t("已接受", "accepted").to_owned()),
    };
    html! { span class=(class) { (word) } }
}

fn detail(desk: &AtDesk, no: FormNo, file: &File) -> Markup {
    let view = &desk.view;
    let form = &file.form;
    let act = |what: &str, inner: Markup| {
        html! {
            form method="post" action={ "/desk/entries/" (no) } class="row" {
                (desk.seal()) (hidden("do", what)) (inner)
            }
        }
    };
    let all = findings(&view.settings, &view.files, no);
    let grouped = !view.settings.groups.is_empty();
    let whose = |member: u16| {
        view.whose
            .iter()
            .find(|(_, whom)| whom.form == no && whom.member == Some(MemberNo(member)))
            .map(|(no, _)| *no)
    };
    html! {
        h2 { (form.name()) span class="meta" { (desk.t("已缴 ", "paid ")) (file.paid()) " / " (due(&view.settings, form)) (desk.t(" 元", " yuan")) } }
        table class="gd" {
            thead { tr { th class="num" { (desk.t("台", "#")) } th { (desk.t("姓名", "Name")) } th { (desk.t("性别", "Sex")) } th { (desk.t("出生", "Born")) } th { (desk.t("证件号", "ID")) } th { (desk.t("电话", "Phone")) } th { (desk.t("证明", "Evidence")) } @if grouped { th { (desk.t("组别", "Group")) } } th { (desk.t("抽签号", "No drawn")) } } }
            tbody { @for (at, player) in (1..).zip(&form.players) {
                tr {
                    td class="num" { (at) }
                    td { b { (player.name) } @if player.house { span class="sub" { (desk.t(" 补位", " house player")) } } @if !player.title.is_empty() { span class="sub" { " " (player.title) } } }
                    td { (player.sex.map_or("", |sex| desk.t(sex.zh(), sex.en()))) }
                    td { @if let Some(born) = player.born { (born) } }
                    td { (player.id) } td { (player.phone) }
                    td { @if player.local { (desk.t("本省 ", "local ")) } (player.evidence) @if player.member { (desk.t(" 会员", " member")) } }
                    @if grouped { td { (player.group) } }
                    td class="num" { @if let Some(no) = whose(at) { (no) } }
                }
            } }
        }
        @if !form.leader.is_empty() || !form.coach.is_empty() || !form.phone.is_empty() {
            p class="sub" { (desk.t("领队 ", "Captain ")) (form.leader) (desk.t("　教练 ", " · coach ")) (form.coach) (desk.t("　电话 ", " · phone ")) (form.phone) }
        }
        h3 { (desk.t("规程核对", "Rules")) }
        ul class="chk" { @for finding in &all {
            li {
                @match &finding.judged {
                    _ if finding.fine => span class="stt ok" { (desk.t("符合", "met")) },
                    None => span class="stt pd" { (desk.t("待定", "open")) },
                    Some(judged) => span class={ "stt " (match judged.ruling { Ruling::Accepted => "ok", Ruling::Rejected => "no", Ruling::Waived => "wv" }) } { (desk.t(judged.ruling.zh(), judged.ruling.en())) },
                }
                @let asks = finding.rule.words(&view.settings);
                span { (desk.t(asks.zh.as_str(), asks.en.as_str())) small { (desk.t(finding.says.zh.as_str(), finding.says.en.as_str()))
                    @if let Some(judged) = &finding.judged { "；" (judged.by) " " (judged.why) } } }
                @if !finding.fine { (judge(desk, no, finding.rule)) }
            }
        } }
        h3 { (desk.t("缴费与报到", "Fees and check-in")) }
        @for payment in &file.payments { p class="sub" { (payment.amount) (desk.t(" 元　收据 ", " yuan · receipt ")) (payment.receipt) "　" (payment.payer) "　" (day_time(desk, payment.at)) } }
        (act("pay", html! {
            label { (desk.t("金额", "Amount")) input name="amount" size="6" required inputmode="decimal" value=(due(&view.settings, form)); }
            label { (desk.t("收据号", "Receipt")) input name="receipt" size="6"; } label { (desk.t("缴款人", "Payer")) input name="payer" size="8" value=(form.leader); }
            button class="btn btn-s" { (desk.t("收费", "Take the fee")) }
        }))
        (act("here", html! {
            @if file.here.is_some() { button class="btn btn-s" name="here" value="" { (desk.t("取消报到", "Not here after all")) } }
            @else { button class="btn btn-1 btn-s" name="here" value="1" { (desk.t("报到", "Check in")) } }
        }))
        @for item in &view.settings.checklist {
            (act("check", html! { (hidden("item", item))
                @let done = file.checks.contains(item);
                button class="btn btn-s" name="done" value=(if done { "" } else { "1" }) { (if done { "☑ " } else { "☐ " }) (item) }
            }))
        }
        @if view.event.is_some() { (late(desk, no, form)) }
        details { summary class="btn btn-s" { (desk.t("修改报名表…", "Amend…")) }
            form method="post" action={ "/desk/entries/" (no) } class="sheetform" { (desk.seal()) (hidden("do", "amend")) (inputs(desk, form)) button class="btn btn-1" { (desk.t("保存", "Save")) } }
        }
        @if file.struck.is_some() { (act("restore", html! { button class="btn btn-s" { (desk.t("恢复报名", "Restore")) } })) }
        @else { details { summary class="btn btn-s" { (desk.t("撤销报名…", "Strike…")) }
            (act("strike", html! { label { (desk.t("理由", "Reason")) input name="why" required maxlength="100"; } button class="btn btn-s" { (desk.t("撤销", "Strike")) } })) } }
    }
}

fn judge(desk: &AtDesk, no: FormNo, rule: Rule) -> Markup {
    let code = serde_json::to_string(&rule).unwrap_or_default();
    html! {
        form method="post" action={ "/desk/entries/" (no) } class="row" {
            (desk.seal()) (hidden("do", "judge")) (hidden("rule", code.trim_matches('"')))
            input name="why" placeholder=(desk.t("理由", "reason")) size="8" maxlength="100" aria-label=(desk.t("理由", "reason"));
            button class="btn btn-s" name="ruling" value="accepted" { (desk.t("接受", "Accept")) }
            button class="btn btn-s" name="ruling" value="rejected" { (desk.t("退回", "Reject")) }
            button class="btn btn-s" name="ruling" value="waived" { (desk.t("豁免", "Waive")) }
        }
    }
}

/// Who entered after the draw gets the next free number.
fn late(desk: &AtDesk, no: FormNo, form: &Form) -> Markup {
    let view = &desk.view;
    let from = view.rounds.last().map_or(1, |round| if round.started { round.no.0 + 1 } else { round.no.0 });
    let without =
        |member: Option<MemberNo>| !view.whose.values().any(|whom| whom.form == no && whom.member == member);
    let members: Vec<(Option<MemberNo>, &str)> = if view.in_teams() {
        vec![(None, form.name())]
    } else {
        (1..)
            .map(|at| Some(MemberNo(at)))
            .zip(form.players.iter().map(|player| player.name.as_str()))
            .collect()
    };
    html! {
        @for (member, name) in members.into_iter().filter(|(member, _)| without(*member)) {
            form method="post" action={ "/desk/entries/" (no) } class="row" {
                (desk.seal()) (hidden("do", "late")) (hidden("member", member.map_or(0, |member| member.0)))
                label { (desk.t("补报 ", "Late: ")) (name) (desk.t("，从第", ", from round ")) input name="from" size="2" value=(from); (desk.t("轮起", "")) }
                button class="btn btn-s" { (desk.t("编入", "Take in")) }
            }
        }
    }
}

fn blank(desk: &AtDesk) -> Markup {
    let players = usize::from(desk.view.settings.eligibility.team_size.unwrap_or(1).max(1));
    let form = Form { players: vec![Player::default(); players], ..Form::default() };
    html! {
        h2 { (desk.t("新增报名", "New entry")) }
        form method="post" action="/desk/entries" class="sheetform" {
            (desk.seal()) (inputs(desk, &form))
            label class="tick" { input type="checkbox" name="late" value="1"; (desk.t(" 截止后由主办方收下", " taken after the closing time by the organiser")) }
            button class="btn btn-1" { (desk.t("登记", "Enter")) }
        }
    }
}

/// The fields of a form; players one a line, so that any number fits.
fn inputs(desk: &AtDesk, form: &Form) -> Markup {
    let grouped = !desk.view.settings.groups.is_empty();
    let text = |name: &str, label: &str, value: &str| html! { label { (label) input name=(name) value=(value) maxlength="60"; } };
    html! {
        div class="grid2" {
            (text("team", desk.t("队名（个人报名留空）", "Team (empty for one player)"), form.team.as_deref().unwrap_or_default()))
            (text("unit", desk.t("单位", "Unit"), &form.unit)) (text("leader", desk.t("领队", "Captain"), &form.leader)) (text("coach", desk.t("教练", "Coach"), &form.coach))
            (text("phone", desk.t("联系电话", "Phone"), &form.phone)) (text("note", desk.t("备注", "Note"), &form.note))
        }
        table class="gd edit" {
            thead { tr {
                @for (zh, en) in [
                    ("姓名", "Name"), ("性别", "Sex"), ("出生", "Born"), ("证件号", "ID"), ("电话", "Phone"), ("称号", "Title"),
                    ("证明", "Proof"), ("本省", "Local"), ("职业", "Pro"), ("会员", "Mem."), ("补位", "House"),
                ] { th { (desk.t(zh, en)) } }
                @if grouped { th { (desk.t("组别", "Group")) } }
             } }
            tbody { @for (at, player) in form.players.iter().chain([&Player::default()]).enumerate() {
                tr {
                    @for (key, value) in [
                        ("name", player.name.clone()), ("sex", player.sex.map_or("", Sex::zh).to_owned()),
                        ("born", player.born.map(|born| born.to_string()).unwrap_or_default()),
                        ("id", player.id.clone()), ("tel", player.phone.clone()), ("title", player.title.clone()), ("evidence", player.evidence.clone()),
                    ] { td { input name={ "p" (at) "_" (key) } value=(value) aria-label=(key) class=(key); } }
                    @for (key, is) in [("local", player.local), ("pro", player.professional), ("member", player.member), ("house", player.house)] {
                        td { input type="checkbox" name={ "p" (at) "_" (key) } value="1" checked[is] aria-label=(key); }
                    }
                    @if grouped { td { select name={ "p" (at) "_group" } aria-label=(desk.t("组别", "Group")) {
                        option value="" {}
                        @for (_, name) in desk.view.groups() { option value=(name) selected[player.group == name] { (name) } }
                    } } }
                }
            } }
        }
    }
}

/// A form out of the fields, or what is wrong with it.
fn read(fields: &Fields) -> Result<Form, String> {
    let text = |name: &str| fields.text(name).to_owned();
    let mut players = Vec::new();
    for at in 0..100 {
        let of = |key: &str| fields.text(&format!("p{at}_{key}"));
        if of("name").is_empty() {
            continue;
        }
        let born = match of("born") {
            "" => None,
            text => Some(
                text.parse()
                    .map_err(|_| format!("{} 的出生“{text}”不是日期：写成 1988-04-12 或 1988", of("name")))?,
            ),
        };
        players.push(Player {
            name: of("name").to_owned(),
            sex: Sex::parse(of("sex")),
            born,
            id: of("id").to_owned(),
            phone: of("tel").to_owned(),
            title: of("title").to_owned(),
            professional: !of("pro").is_empty(),
            local: !of("local").is_empty(),
            evidence: of("evidence").to_owned(),
            member: !of("member").is_empty(),
            house: !of("house").is_empty(),
            group: of("group").to_owned(),
        });
    }
    Ok(Form {
        team: Some(text("team")).filter(|team| !team.is_empty()),
        unit: text("unit"),
        leader: text("leader"),
        coach: text("coach"),
        phone: text("phone"),
        players,
        note: text("note"),
    })
}

/// `POST /desk/entries`: a new form.
pub(super) async fn register(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    match read(&fields) {
        Ok(form) => {
            desk.act(DeskAct::Register { form: Box::new(form), late: fields.has("late") }, "/desk/entries")
                .await
        }
        Err(words) => desk.refuse(&words, "/desk/entries"),
    }
}

/// `POST /desk/entries/{no}`: something is done to a form.
pub(super) async fn change(Path(no): Path<u16>, sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let no = FormNo(no);
    let back = format!("/desk/entries?no={no}");
    let act = match fields.text("do") {
        "amend" => match read(&fields) {
            Ok(form) => DeskAct::Amend { no, form: Box::new(form) },
            Err(words) => return desk.refuse(&words, &back),
        },
        "strike" => DeskAct::Strike { no, why: fields.text("why").to_owned() },
        "restore" => DeskAct::Restore(no),
        "here" => DeskAct::CheckIn { no, here: fields.has("here") },
        "check" => DeskAct::Check { no, item: fields.text("item").to_owned(), done: fields.has("done") },
        "pay" => match fields.text("amount").parse() {
            Ok(amount) => DeskAct::Pay {
                no,
                amount,
                receipt: fields.text("receipt").to_owned(),
                payer: fields.text("payer").to_owned(),
            },
            Err(_) => {
                return desk
                    .refuse(&format!("“{}”不是金额：写成 300 或 12.50", fields.text("amount")), &back);
            }
        },
        "judge" => {
            let rule = serde_json::from_value(serde_json::Value::from(fields.text("rule")));
            let ruling = serde_json::from_value(serde_json::Value::from(fields.text("ruling")));
            let (Ok(rule), Ok(ruling)) = (rule, ruling) else {
                return desk.refuse(desk.t("不认识的审核项", "No such rule"), &back);
            };
            DeskAct::Judge { no, rule, ruling: Some(ruling), why: fields.text("why").to_owned() }
        }
        "late" => DeskAct::EnterLate {
            no,
            member: fields.get("member").filter(|member| *member > 0).map(MemberNo),
            from: RoundNo(fields.get("from").unwrap_or(0)),
        },
        other => return desk.refuse(&desk.unknown(other), &back),
    };
    desk.act(act, &back).await
}
