//! Forms: score tables, result slips, line-ups, match sheets, the prize list with receipts, fees.

use axum::extract::Path;
use axum::response::Response;
use hall::desk::{DeskView, File, Form, due};
use maud::{Markup, html};
use tournament::{BoardNo, EntrantNo, Money, RoundNo, home_colour};
use xiangqi::Side;

use super::lists::met;
use super::{Document, foot, head, lying, page_of, paged, sheet};
use crate::desk::{AtDesk, score};

fn score_sheets(desk: &AtDesk, numbers: &[Option<EntrantNo>], title: &str) -> Vec<Markup> {
    let view = &desk.view;
    let rounds = view.rounds_in_all();
    let running = |no: EntrantNo, upto: RoundNo| -> u32 {
        let Some(event) = &view.event else { return 0 };
        upto.up_to()
            .filter_map(|round| event.result_of(round, no))
            .map(|it| if it.red == no { it.score.red.0 } else { it.score.black.0 })
            .sum()
    };
    let known = |no: EntrantNo, round: RoundNo| {
        view.event.as_ref().is_some_and(|event| event.result_of(round, no).is_some())
    };
    paged(numbers, 20).into_iter().map(|(at, of, numbers)| lying(html! {
        (head(desk, title, "每格：对手号、先后、得分；下为累计", &page_of(desk, at, of)))
        table class="p x box scoretable" { thead { tr { th class="num" { (desk.t("号", "No")) } th { (desk.t("姓名", "Name")) } th { (desk.t("单位", "Unit")) } @for round in 1..=rounds { th class="c" { (round) } } th { (desk.t("总分", "Total")) } th { (desk.t("对手分", "Opponents")) } th { (desk.t("名次", "Rank")) } } }
            tbody { @for no in numbers { tr {
                @match no { Some(no) => { @let (name, unit) = view.entrant(*no); td class="num" { b { (no) } } td { (name) } td { (unit) } } None => { td {} td {} td {} } }
                @for round in (1..=rounds).map(RoundNo) { td class="c" { @if let Some(no) = no { @if known(*no, round) { (met(view, *no, round)) " / " (running(*no, round)) } } } }
                td {} td {} td {}
            } } } }
        (foot(desk, ""))
    })).collect()
}

/// `GET /print/scores`: 积分表, filled as far as played.
pub(super) async fn scores(desk: AtDesk) -> Response {
    let sheets = |desk: &AtDesk| {
        let numbers: Vec<Option<EntrantNo>> = desk.view.whose.keys().map(|no| Some(*no)).collect();
        score_sheets(desk, &numbers, "比赛积分表")
    };
    let sheets = desk.by_group().iter().flat_map(sheets).collect();
    Document { title: "积分表".into(), sheets, desk: &desk }.answer()
}

/// `GET /print/scores/blank`.
pub(super) async fn blank_scores(desk: AtDesk) -> Response {
    let sheets = score_sheets(&desk, &[None; 20], "比赛积分表");
    Document { title: "空白积分表".into(), sheets, desk: &desk }.answer()
}

/// `GET /print/slips/{round}`: 成绩条, eight a sheet.
pub(super) async fn slips(Path(no): Path<u16>, desk: AtDesk) -> Response {
    let view = &desk.view;
    let no = RoundNo(no);
    let boards = view.round(no).map(|round| round.boards.as_slice()).unwrap_or_default();
    let who = |side: Side, no: EntrantNo| {
        let (name, unit) = view.seat(no);
        html! { div class="who" { span class={ "mk" @if side == Side::Black { " b" } } { (if side == Side::Red { "红" } else { "黑" }) } b { (no) " " (name) } span { (unit) } } }
    };
    let sheets = boards.chunks(8).map(|boards| html! { section class="pg slips" { @for board in boards { div class="slip" {
        div class="h" { span { (view.title) br; "第" (no) "轮 " (view.group_name(board.red)) } b { (board.table) "台" } }
        (who(Side::Red, board.red)) (who(Side::Black, board.black))
        div class="why" { "结果　□红胜　□和　□黑胜　□弃权（红 / 黑 / 双）" br; "方式 □将死□困毙□认输□议和□超时□犯规□循环□限着" br; "犯规　红 ____ 次　黑 ____ 次" }
        div class="sg" { span { "红方" u {} } span { "黑方" u {} } span { "裁判" u {} } }
    } } } }).collect();
    Document { title: format!("第{no}轮成绩条"), sheets, desk: &desk }.answer()
}

fn lineup_box(view: &DeskView, round: RoundNo, team: EntrantNo, form: &Form, home: bool) -> Markup {
    let boards = view.settings.team_rules().map_or(0, |rules| rules.boards);
    html! { div class="formbox" {
        h3 { "第" (round) "轮出场名单　" (team) "号 " (form.name()) "（" (if home { "主队" } else { "客队" }) "）" }
        table class="p box" { thead { tr { th class="c" { "台" } th class="c" { "先后" } th { "姓名" } } }
            tbody { @for board in (1..=boards).map(BoardNo) { @let red = (home_colour(board) == Side::Red) == home;
                tr { td class="c" { b { (board.0) } } td class="c" { span class={ "mk" @if !red { " b" } } { (if red { "红" } else { "黑" }) } }
                    td { @if view.settings.is_fixed(board) { @if let Some(player) = form.players.get(usize::from(board.0 - 1)) { (player.name) "（定人）" } } } } } } }
        p class="dim" { "队员：" @for (at, player) in (1..).zip(&form.players) { (at) (player.name) "　" } }
        p { "领队签字 ______________　交表时间 ____:____　" (view.settings.lineup_minutes) "分钟前交编排处，逾时用上一轮名单" }
    } }
}

/// `GET /print/lineups/{round}`: blank, two a sheet.
pub(super) async fn lineups(Path(no): Path<u16>, desk: AtDesk) -> Response {
    let view = &desk.view;
    let no = RoundNo(no);
    let pairs = view.round(no).map(|round| round.pairs.as_slice()).unwrap_or_default();
    let teams: Vec<(EntrantNo, bool)> =
        pairs.iter().filter_map(|pair| Some([(pair.red, true), (pair.black?, false)])).flatten().collect();
    let sheets = teams.chunks(2).map(|teams| sheet(html! { @for (team, home) in teams { @if let Some(form) = view.form_of(*team) { (lineup_box(view, no, *team, form, *home)) br; } } })).collect();
    Document { title: format!("第{no}轮出场名单"), sheets, desk: &desk }.answer()
}

/// `GET /print/match/{round}`: a sheet a match, filled as far as played.
pub(super) async fn matches(Path(no): Path<u16>, desk: AtDesk) -> Response {
    let view = &desk.view;
    let no = RoundNo(no);
    let Some(round) = view.round(no) else {
        return Document { title: "团体对阵单".into(), sheets: Vec::new(), desk: &desk }.answer();
    };
    let result = |of: tournament::TableNo| {
        view.matches
            .iter()
            .find(|it| it.round == no && it.table == of)
            .and_then(|it| it.result(view.settings.team_rules()?).ok())
    };
    let sheets = round.pairs.iter().filter(|pair| pair.black.is_some()).map(|pair| {
        let boards = round.boards.iter().filter(|board| board.of.is_some_and(|(of, _)| of == pair.table));
        let away = pair.black.unwrap_or(pair.red);
        sheet(html! {
            (head(&desk, &format!("第{no}轮 第{}场", pair.table), &format!("主队 {} {}", pair.red, view.entrant(pair.red).0), &format!("客队 {} {}", away, view.entrant(away).0)))
            table class="p box" { thead { tr { th class="c" { (desk.t("台", "Table")) } th class="c" { (desk.t("台号", "Table")) } th { (desk.t("红方", "Red")) } th { (desk.t("队", "Team")) } th class="riv" { (desk.t("结果", "Result")) } th { (desk.t("黑方", "Black")) } th { (desk.t("队", "Team")) } th { (desk.t("方式", "Ending")) } } }
                tbody { @for board in boards { @let (red, red_team) = view.seat(board.red); @let (black, black_team) = view.seat(board.black);
                    tr { td class="c" { b { (board.of.map_or(0, |(_, at)| at.0)) } } td class="c" { (board.table) } td { b { (red) } } td { (red_team) } td class="riv" { @if let Some(outcome) = board.outcome { (score(outcome)) } } td { b { (black) } } td { (black_team) } td { @if let Some(outcome) = board.outcome { (outcome.ending.zh()) } } } } } }
            @if let Some(result) = result(pair.table) { p { "局分 " b { (result.boards.map_or(0, |it| it.points.red.0)) " : " (result.boards.map_or(0, |it| it.points.black.0)) } "　场分 " b { (result.score.red) " : " (result.score.black) } } }
            footer class="ftr" { span { "主队领队" span class="sig" {} "客队领队" span class="sig" {} } span { "裁判" span class="sig" {} } }
        })
    }).collect();
    Document { title: format!("第{no}轮团体对阵单"), sheets, desk: &desk }.answer()
}

/// `GET /print/prizes`: 领奖签收表.
pub(super) async fn prizes(desk: AtDesk) -> Response {
    let view = &desk.view;
    let mut lines = Vec::new();
    let mut total = Money(0);
    for (list, won) in view.prizes() {
        for line in won {
            total = total + line.amount;
            lines.push((list.name.as_str(), line));
        }
    }
    let awards: Vec<String> =
        view.settings.awards.iter().map(|award| format!("{}：{}", award.label, award.text)).collect();
    let sheets = paged(&lines, 26).into_iter().map(|(at, of, lines)| sheet(html! {
        (head(&desk, desk.t("领奖签收表", "Prize list"), &desk.words(format!("奖金合计 {total} 元"), format!("{total} yuan in all")), &page_of(&desk, at, of)))
        table class="p" { thead { tr { th { (desk.t("奖项", "Prize")) } th class="num" { (desk.t("名次", "Rank")) } th { (desk.t("获奖者", "Winner")) } th { (desk.t("单位", "Unit")) } th { (desk.t("成绩", "Score")) } th class="num" { (desk.t("奖金（元）", "Prize (yuan)")) } th { (desk.t("签收", "Signature")) } } }
            tbody { @for (name, line) in lines { tr { td { (name) } td class="num" { b { (line.rank) } } td { b { (line.name) } } td { (line.unit) } td { (line.by) } td class="num" { @if line.amount > Money(0) { b { (line.amount) } } @else { (desk.t("同分无奖", "equal, no prize")) } } td class="riv" {} } } } }
        @if at == of { @for award in &awards { p { (award) } } }
        footer class="ftr" { span { "组委会" span class="sig" {} "裁判长" span class="sig" {} } span { "发放人" span class="sig" {} } }
    })).collect();
    Document { title: "领奖签收表".into(), sheets, desk: &desk }.answer()
}

/// `GET /print/fees`: due and paid, with totals (F65).
pub(super) async fn fees(desk: AtDesk) -> Response {
    let view = &desk.view;
    let files: Vec<&File> = view.files.values().filter(|file| file.struck.is_none()).collect();
    let owed: Money = files.iter().map(|file| due(&view.settings, &file.form)).sum();
    let paid: Money = files.iter().map(|file| file.paid()).sum();
    let sheets = paged(&files, 30).into_iter().map(|(at, of, files)| sheet(html! {
        (head(&desk, desk.t("报名费", "Fees"), &desk.words(format!("应缴 {owed} 元　已缴 {paid} 元"), format!("due {owed} yuan　paid {paid} yuan")), &page_of(&desk, at, of)))
        table class="p" { thead { tr { th { (desk.t("队名 / 姓名", "Team / player")) } th { (desk.t("单位", "Unit")) } th class="num" { (desk.t("人数", "Players")) } th class="num" { (desk.t("应缴", "Due")) } th class="num" { (desk.t("已缴", "Paid")) } th { (desk.t("收据", "Receipt")) } th { (desk.t("缴款人", "Paid by")) } } }
            tbody { @for file in files { tr { td { b { (file.form.name()) } } td { (file.form.unit) } td class="num" { (file.form.players.len()) } td class="num" { (due(&view.settings, &file.form)) } td class="num" { (file.paid()) }
                td { (file.payments.iter().map(|it| it.receipt.as_str()).collect::<Vec<_>>().join("、")) } td { (file.payments.iter().map(|it| it.payer.as_str()).collect::<Vec<_>>().join("、")) } } } } }
        footer class="ftr" { span { "收款人" span class="sig" {} } span {} }
    })).collect();
    Document { title: "报名费".into(), sheets, desk: &desk }.answer()
}
