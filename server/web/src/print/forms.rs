//! Forms: score tables, result slips, line-ups, match sheets, the prize list with receipts, fees.

use axum::extract::Path;
use axum::response::Response;
use hall::desk::{File, Form, due};
use maud::{Markup, html};
use tournament::{BoardNo, EntrantNo, Money, RoundNo, home_colour};
use xiangqi::Side;

use super::lists::met;
use super::{Document, foot, head, lying, page_of, paged, sheet};
use crate::desk::{AtDesk, round_name, score};

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
        (head(desk, title, desk.t("每格：对手号、先后、得分；下为累计", "each cell: opponent, colour, points; then the sum so far"), &page_of(desk, at, of)))
        table class="p x box scoretable" { thead { tr { th class="num" { (desk.t("号", "No")) } th { (desk.t("姓名", "Name")) } th { (desk.t("单位", "Unit")) } @for round in 1..=rounds { th class="c" { (round) } } th { (desk.t("总分", "Total")) } th { (desk.t("对手分", "Opponents")) } th { (desk.t("名次", "Rank")) } } }
            tbody { @for no in numbers { tr {
                @match no { Some(no) => { @let (name, unit) = view.entrant(*no); td class="num" { b { (no) } } td { (name) } td { (unit) } } None => { td {} td {} td {} } }
                @for round in (1..=rounds).map(RoundNo) { td class="c" { @if let Some(no) = no { @if known(*no, round) { (met(desk, *no, round)) " / " (running(*no, round)) } } } }
                td {} td {} td {}
            } } } }
        (foot(desk, ""))
    })).collect()
}

/// `GET /print/scores`: 积分表, filled as far as played.
pub(super) async fn scores(desk: AtDesk) -> Response {
    let sheets = |desk: &AtDesk| {
        let numbers: Vec<Option<EntrantNo>> = desk.view.whose.keys().map(|no| Some(*no)).collect();
        score_sheets(desk, &numbers, desk.t("比赛积分表", "Score table"))
    };
    let sheets = desk.by_group().iter().flat_map(sheets).collect();
    Document { title: desk.t("积分表", "Score table").into(), sheets, desk: &desk }.answer()
}

/// `GET /print/scores/blank`.
pub(super) async fn blank_scores(desk: AtDesk) -> Response {
    let sheets = score_sheets(&desk, &[None; 20], desk.t("比赛积分表", "Score table"));
    Document { title: desk.t("空白积分表", "Blank score table").into(), sheets, desk: &desk }.answer()
}

/// `GET /print/slips/{round}`: 成绩条, eight a sheet.
pub(super) async fn slips(Path(no): Path<u16>, desk: AtDesk) -> Response {
    let view = &desk.view;
    let no = RoundNo(no);
    let boards = view.round(no).map(|round| round.boards.as_slice()).unwrap_or_default();
    let who = |side: Side, no: EntrantNo| {
        let (name, unit) = view.seat(no);
        html! { div class="who" { span class={ "mk" @if side == Side::Black { " b" } } { (mark(&desk, side)) } b { (no) " " (name) } span { (unit) } } }
    };
    let sheets = boards.chunks(8).map(|boards| html! { section class="pg slips" { @for board in boards { div class="slip" {
        div class="h" { span { (view.title) br; (round_name(&desk.reader, no)) " " (view.group_name(board.red)) } b { (board.table) (desk.t("台", "")) } }
        (who(Side::Red, board.red)) (who(Side::Black, board.black))
        div class="why" { (desk.t("结果　□红胜　□和　□黑胜　□弃权（红 / 黑 / 双）", "Result　□ Red won　□ drawn　□ Black won　□ forfeit (R / B / both)")) br; (desk.t("方式 □将死□困毙□认输□议和□超时□犯规□循环□限着", "□ mate □ stale □ resign □ agree □ time □ foul □ rep. □ lim.")) br; (desk.t("犯规　红 ____ 次　黑 ____ 次", "Fouls　Red ____　Black ____")) }
        div class="sg" { span { (desk.t("红方", "Red")) u {} } span { (desk.t("黑方", "Black")) u {} } span { (desk.t("裁判", "Arbiter")) u {} } }
    } } } }).collect();
    Document {
        title: desk.words(format!("第{no}轮成绩条"), format!("Round {no} slips")),
        sheets,
        desk: &desk,
    }
    .answer()
}

/// The colour in its circle.
fn mark(desk: &AtDesk, side: Side) -> &'static str {
    match side {
        Side::Red => desk.t("红", "R"),
        Side::Black => desk.t("黑", "B"),
    }
}

fn lineup_box(desk: &AtDesk, round: RoundNo, team: EntrantNo, form: &Form, home: bool) -> Markup {
    let view = &desk.view;
    let boards = view.settings.team_rules().map_or(0, |rules| rules.boards);
    let side = if home { desk.t("主队", "home") } else { desk.t("客队", "away") };
    let due = view.settings.lineup_minutes;
    html! { div class="formbox" {
        h3 { (desk.words(format!("第{round}轮出场名单　{team}号 {}（{side}）", form.name()), format!("Round {round} line-up　{team} {} ({side})", form.name()))) }
        table class="p box" { thead { tr { th class="c" { (desk.t("台", "Board")) } th class="c" { (desk.t("先后", "Colour")) } th { (desk.t("姓名", "Name")) } } }
            tbody { @for board in (1..=boards).map(BoardNo) { @let red = (home_colour(board) == Side::Red) == home;
                tr { td class="c" { b { (board.0) } } td class="c" { span class={ "mk" @if !red { " b" } } { (mark(desk, if red { Side::Red } else { Side::Black })) } }
                    td { @if view.settings.is_fixed(board) { @if let Some(player) = form.players.get(usize::from(board.0 - 1)) { (player.name) (desk.t("（定人）", " (fixed)")) } } } } } } }
        p class="dim" { (desk.t("队员：", "Players: ")) @for (at, player) in (1..).zip(&form.players) { (at) (player.name) "　" } }
        p { (desk.words(format!("领队签字 ______________　交表时间 ____:____　{due}分钟前交编排处，逾时用上一轮名单"), format!("Leader ______________　handed in at ____:____　{due} minutes before the start at the desk; otherwise the last line-up stands"))) }
    } }
}

/// `GET /print/lineups/{round}`: blank, two a sheet.
pub(super) async fn lineups(Path(no): Path<u16>, desk: AtDesk) -> Response {
    let view = &desk.view;
    let no = RoundNo(no);
    let pairs = view.round(no).map(|round| round.pairs.as_slice()).unwrap_or_default();
    let teams: Vec<(EntrantNo, bool)> =
        pairs.iter().filter_map(|pair| Some([(pair.red, true), (pair.black?, false)])).flatten().collect();
    let sheets = teams.chunks(2).map(|teams| sheet(html! { @for (team, home) in teams { @if let Some(form) = view.form_of(*team) { (lineup_box(&desk, no, *team, form, *home)) br; } } })).collect();
    Document {
        title: desk.words(format!("第{no}轮出场名单"), format!("Round {no} line-ups")),
        sheets,
        desk: &desk,
    }
    .answer()
}

/// `GET /print/match/{round}`: a sheet a match, filled as far as played.
pub(super) async fn matches(Path(no): Path<u16>, desk: AtDesk) -> Response {
    let view = &desk.view;
    let no = RoundNo(no);
    let Some(round) = view.round(no) else {
        return Document {
            title: desk.t("团体对阵单", "Match sheets").into(),
            sheets: Vec::new(),
            desk: &desk,
        }
        .answer();
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
            (head(&desk, &desk.words(format!("第{no}轮 第{}场", pair.table), format!("Round {no}, match {}", pair.table)), &format!("{} {} {}", desk.t("主队", "home"), pair.red, view.entrant(pair.red).0), &format!("{} {} {}", desk.t("客队", "away"), away, view.entrant(away).0)))
            table class="p box" { thead { tr { th class="c" { (desk.t("台", "Table")) } th class="c" { (desk.t("台号", "Table")) } th { (desk.t("红方", "Red")) } th { (desk.t("队", "Team")) } th class="riv" { (desk.t("结果", "Result")) } th { (desk.t("黑方", "Black")) } th { (desk.t("队", "Team")) } th { (desk.t("方式", "Ending")) } } }
                tbody { @for board in boards { @let (red, red_team) = view.seat(board.red); @let (black, black_team) = view.seat(board.black);
                    tr { td class="c" { b { (board.of.map_or(0, |(_, at)| at.0)) } } td class="c" { (board.table) } td { b { (red) } } td { (red_team) } td class="riv" { @if let Some(outcome) = board.outcome { (score(desk.reader.lang, outcome)) } } td { b { (black) } } td { (black_team) } td { @if let Some(outcome) = board.outcome { (desk.t(outcome.ending.zh(), outcome.ending.en())) } } } } } }
            @if let Some(result) = result(pair.table) { p { (desk.t("局分 ", "board points ")) b { (result.boards.map_or(0, |it| it.points.red.0)) " : " (result.boards.map_or(0, |it| it.points.black.0)) } (desk.t("　场分 ", "　match points ")) b { (result.score.red) " : " (result.score.black) } } }
            footer class="ftr" { span { (desk.t("主队领队", "Home leader")) span class="sig" {} (desk.t("客队领队", "Away leader")) span class="sig" {} } span { (desk.t("裁判", "Arbiter")) span class="sig" {} } }
        })
    }).collect();
    Document {
        title: desk.words(format!("第{no}轮团体对阵单"), format!("Round {no} match sheets")),
        sheets,
        desk: &desk,
    }
    .answer()
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
    let awards: Vec<String> = view
        .settings
        .awards
        .iter()
        .map(|award| format!("{}{}{}", award.label, desk.t("：", ": "), award.text))
        .collect();
    let sheets = paged(&lines, 26).into_iter().map(|(at, of, lines)| sheet(html! {
        (head(&desk, desk.t("领奖签收表", "Prize list"), &desk.words(format!("奖金合计 {total} 元"), format!("{total} yuan in all")), &page_of(&desk, at, of)))
        table class="p" { thead { tr { th { (desk.t("奖项", "Prize")) } th class="num" { (desk.t("名次", "Rank")) } th { (desk.t("获奖者", "Winner")) } th { (desk.t("单位", "Unit")) } th { (desk.t("成绩", "Score")) } th class="num" { (desk.t("奖金（元）", "Prize (yuan)")) } th { (desk.t("签收", "Signature")) } } }
            tbody { @for (name, line) in lines { tr { td { (name) } td class="num" { b { (line.rank) } } td { b { (line.name) } } td { (line.unit) } td { (line.by) } td class="num" { @if line.amount > Money(0) { b { (line.amount) } } @else { (desk.t("同分无奖", "equal, no prize")) } } td class="riv" {} } } } }
        @if at == of { @for award in &awards { p { (award) } } }
        footer class="ftr" { span { (desk.t("组委会", "Committee")) span class="sig" {} (desk.t("裁判长", "Chief arbiter")) span class="sig" {} } span { (desk.t("发放人", "Paid by")) span class="sig" {} } }
    })).collect();
    Document { title: desk.t("领奖签收表", "Prize list").into(), sheets, desk: &desk }.answer()
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
        footer class="ftr" { span { (desk.t("收款人", "Received by")) span class="sig" {} } span {} }
    })).collect();
    Document { title: desk.t("报名费", "Fees").into(), sheets, desk: &desk }.answer()
}
