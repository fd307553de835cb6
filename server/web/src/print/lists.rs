//! Lists: the draw, pairings, results, standings, teams, the final book with its cross table.

use std::collections::BTreeMap;

use axum::extract::Path;
use axum::response::Response;
use hall::Pair;
use hall::desk::{BoardRow, Labelled};
use maud::{Markup, html};
use tournament::{EntrantNo, LadderKey, ResultKind, RoundNo, Row, Standing, System};

use super::{Document, foot, head, lying, page_of, paged, sheet};
use crate::desk::{AtDesk, clock_time, day_time, head_of, score};

/// `GET /print/draw`.
pub(super) async fn draw(desk: AtDesk) -> Response {
    let sheets = desk.by_group().iter().flat_map(draw_sheets).collect();
    Document { title: desk.t("抽签记录", "Record of the draw").into(), sheets, desk: &desk }.answer()
}

fn draw_sheets(desk: &AtDesk) -> Vec<Markup> {
    let view = &desk.view;
    let rows: Vec<EntrantNo> = view.whose.keys().copied().collect();
    paged(&rows, 80).into_iter().map(|(at, of, rows)| {
        let half = rows.len().div_ceil(2).max(1);
        sheet(html! {
            (head(desk, desk.t("抽签记录", "Record of the draw"), &desk.words(format!("共{}号　种子 {}", view.whose.len(), view.seed), format!("{} numbers　seed {}", view.whose.len(), view.seed)), &page_of(desk, at, of)))
            div class="lines" { @for part in rows.chunks(half) { table class="p s" {
                thead { tr { th class="num" { (desk.t("号", "No")) } th { (desk.t("姓名", "Name")) } th { (desk.t("单位", "Unit")) } } }
                tbody { @for no in part { @let (name, unit) = view.entrant(*no); tr { td class="num" { b { (no) } } td { (name) } td { (unit) } } } } } } }
            (foot(desk, ""))
        })
    }).collect()
}

fn facts(desk: &AtDesk, round: RoundNo) -> String {
    let time = desk.view.time_of(round);
    let (late, base, more) =
        (desk.view.regulation.late_limit.0 / 60_000, time.base.0 / 60_000, time.increment.0 / 1_000);
    desk.words(
        format!("迟到{late}分钟判弃权　每方{base}分 + 每着{more}秒"),
        format!("forfeited after {late} min　{base} min + {more} s a move each"),
    )
}

/// `GET /print/pairings/{round}`: the published round, or the draft marked as such.
pub(super) async fn pairings(Path(no): Path<u16>, desk: AtDesk) -> Response {
    let no = RoundNo(no);
    let title = desk.words(format!("第{no}轮对阵表"), format!("Round {no} pairings"));
    let sheets = desk.by_group().iter().flat_map(|desk| pairing_sheets(desk, no, &title)).collect();
    Document { title, sheets, desk: &desk }.answer()
}

fn pairing_sheets(desk: &AtDesk, no: RoundNo, title: &str) -> Vec<Markup> {
    let view = &desk.view;
    let draft = view.draft.as_ref().filter(|(round, _)| *round == no);
    let pairs = view
        .round(no)
        .map(|round| round.pairs.as_slice())
        .or(draft.map(|(_, pairs)| pairs.as_slice()))
        .unwrap_or_default();
    if pairs.is_empty() {
        return Vec::new();
    }
    let points = |who: EntrantNo| {
        let before = |event: &tournament::Event| {
            (1..no.0)
                .filter_map(|round| event.result_of(RoundNo(round), who))
                .map(|it| if it.red == who { it.score.red.0 } else { it.score.black.0 })
                .sum::<u32>()
        };
        view.event.as_ref().map_or(0, |event| before(event))
    };
    let (first, second, row) = if view.in_teams() {
        (desk.t("主队", "Home"), desk.t("客队", "Away"), desk.t("场", "Match"))
    } else {
        (desk.t("红方", "Red"), desk.t("黑方", "Black"), desk.t("台", "Table"))
    };
    let start = view
        .settings
        .start_of(no)
        .map(|at| format!("{} {}　", day_time(desk, at), desk.t("开赛", "start")))
        .unwrap_or_default();
    let left = format!(
        "{start}{}",
        if view.in_teams() {
            desk.t("主队单数台执红", "home has Red on odd boards")
        } else {
            desk.t("红方先走", "Red moves first")
        }
    );
    let state = if draft.is_some() && view.round(no).is_none() {
        desk.t("草稿，未公布", "draft, not published").to_owned()
    } else {
        format!("{} {}", clock_time(view, view.at), desk.t("公布", "published"))
    };
    let knockout = matches!(view.settings.options.system, System::Knockout { .. });
    let stage = |pair: &Pair| {
        let words = desk.t(pair.why.zh.as_str(), pair.why.en.as_str());
        words.split(['；', ';']).next().unwrap_or_default().to_owned()
    };
    paged(pairs, 30).into_iter().map(|(at, of, pairs)| sheet(html! {
        (head(desk, title, &left, &format!("{}　{state}", page_of(desk, at, of))))
        table class="p" {
            thead { tr { th class="num" { (row) } th class="num" { (desk.t("号", "No")) } th { (first) } th { (desk.t("单位", "Unit")) } th class="num" { (desk.t("分", "Points")) } th class="riv" { (desk.t("结果", "Result")) } th class="num" { (desk.t("分", "Points")) } th class="num" { (desk.t("号", "No")) } th { (second) } th { (desk.t("单位", "Unit")) } @if knockout { th { (desk.t("场次", "Stage")) } } } }
            tbody { @for pair in pairs {
                @let (name, unit) = view.entrant(pair.red);
                tr { td class="num" { @if pair.black.is_some() { b { (pair.table) } } } td class="num dim" { (pair.red) } td { b { (name) } } td { (unit) } td class="num" { (points(pair.red)) }
                    @match pair.black {
                        Some(black) => { @let (name, unit) = view.entrant(black); td class="riv" {} td class="num" { (points(black)) } td class="num dim" { (black) } td { b { (name) } } td { (unit) } }
                        None => { td class="riv" { (desk.t("轮空", "bye")) } td {} td {} td {} td {} }
                    }
                    @if knockout { td { (stage(pair)) } } }
            } } }
        (foot(desk, &facts(desk, no)))
    })).collect()
}

/// `GET /print/results/{round}`.
pub(super) async fn results(Path(no): Path<u16>, desk: AtDesk) -> Response {
    let no = RoundNo(no);
    let title = desk.words(format!("第{no}轮成绩"), format!("Round {no} results"));
    let sheets = desk.by_group().iter().flat_map(|desk| result_sheets(desk, no, &title)).collect();
    Document { title, sheets, desk: &desk }.answer()
}

fn result_sheets(desk: &AtDesk, no: RoundNo, title: &str) -> Vec<Markup> {
    let view = &desk.view;
    let Some(round) = view.round(no) else { return Vec::new() };
    let boards: &[BoardRow] = &round.boards;
    let open = boards.iter().filter(|board| board.outcome.is_none()).count();
    let state = if open == 0 {
        desk.t("本轮已结束", "the round is over").to_owned()
    } else {
        desk.words(format!("还有{open}台未结束"), format!("{open} tables open"))
    };
    let byes: Vec<String> = round
        .pairs
        .iter()
        .filter(|pair| pair.black.is_none())
        .map(|pair| format!("{} {}", pair.red, view.entrant(pair.red).0))
        .collect();
    paged(boards, 30).into_iter().map(|(at, of, boards)| sheet(html! {
        (head(desk, title, &state, &format!("{}　{}", page_of(desk, at, of), clock_time(view, view.at))))
        table class="p" {
            thead { tr { th class="num" { (desk.t("台", "Table")) } th class="num" { (desk.t("号", "No")) } th { (desk.t("红方", "Red")) } th { (desk.t("单位", "Unit")) } th class="riv" { (desk.t("结果", "Result")) } th class="num" { (desk.t("号", "No")) } th { (desk.t("黑方", "Black")) } th { (desk.t("单位", "Unit")) } th { (desk.t("方式", "Ending")) } th class="num" { (desk.t("犯规", "Fouls")) } } }
            tbody { @for board in boards {
                @let (red, red_unit) = view.seat(board.red); @let (black, black_unit) = view.seat(board.black);
                tr { td class="num" { b { (board.table) } } td class="num dim" { (board.red) } td { b { (red) } } td { (red_unit) }
                    td class="riv" { b { @if let Some(outcome) = board.outcome { (score(desk.reader.lang, outcome)) } } }
                    td class="num dim" { (board.black) } td { b { (black) } } td { (black_unit) }
                    td { @if let Some(outcome) = board.outcome { (desk.t(outcome.ending.zh(), outcome.ending.en())) } } td class="num" { @if board.fouls != [0, 0] { (board.fouls[0]) ":" (board.fouls[1]) } } }
            } } }
        @if at == of && !byes.is_empty() { p { (desk.t("轮空：", "bye: ")) (byes.join("、")) } }
        (foot(desk, ""))
    })).collect()
}

fn ladder(desk: &AtDesk, standing: &Standing) -> String {
    let name = |key: &LadderKey| {
        let name = head_of(desk, *key);
        if key.fewer_is_better() {
            format!("{name}{}", desk.t("（少者前）", " (fewer first)"))
        } else {
            name
        }
    };
    standing.ladder.0.iter().map(name).collect::<Vec<_>>().join(desk.t("、", ", "))
}

fn standing_sheets(desk: &AtDesk, after: RoundNo, version: Option<u16>, title: &str) -> Vec<Markup> {
    let view = &desk.view;
    // A group with fewer rounds has its last standing.
    let Some((standing, posting)) = view.posted(after.min(view.last_over()), version) else {
        return Vec::new();
    };
    let keys: Vec<LadderKey> =
        standing.ladder.0.iter().copied().filter(|key| *key != LadderKey::PreviousRound).collect();
    let rows: Vec<(&Row, String)> = standing
        .rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let next = standing.rows.get(at + 1).and_then(|next| next.below.as_ref());
            let why = next
                .filter(|below| {
                    below.column.key() != LadderKey::Points || below.column.rung() == LadderKey::PreviousRound
                })
                .map(|below| below.words())
                .map(|words| desk.words(words.zh, words.en));
            (
                row,
                why.unwrap_or_else(
                    || if row.shared { desk.t("并列", "equal").into() } else { String::new() },
                ),
            )
        })
        .collect();
    let left = format!("{}{}", desk.t("名次依据：", "ranked by "), ladder(desk, &standing));
    paged(&rows, 40).into_iter().map(|(at, of, rows)| sheet(html! {
        (head(desk, title, &left, &format!("{}　{} {}", page_of(desk, at, of), clock_time(view, posting.at), desk.words(format!("公布　第{}版", posting.version), format!("published　version {}", posting.version)))))
        table class="p s" {
            thead { tr { th class="num" { (desk.t("名次", "Rank")) } th class="num" { (desk.t("号", "No")) } th { (if view.in_teams() { desk.t("队名", "Team") } else { desk.t("姓名", "Name") }) } th { (desk.t("单位", "Unit")) } @for key in &keys { th class="num" { (head_of(desk, *key)) } } th { (desk.t("列下一名前的依据", "Above the next by")) } } }
            tbody { @for (row, why) in rows { @let (name, unit) = entrant(posting, row.no);
                tr { td class="num" { b { (row.rank) } } td class="num dim" { (row.no) } td { b { (name) } } td { (unit) }
                    @for (_, figure) in standing.ladder.0.iter().zip(&row.figures).filter(|(key, _)| **key != LadderKey::PreviousRound) { td class="num" { @if let Some(figure) = figure { (figure) } } }
                    td class="dim" { (why) } } } } }
        (foot(desk, &desk.words(format!("共{}　本表可按轮次重印", standing.rows.len()), format!("{} in all", standing.rows.len()))))
    })).collect()
}

/// Names as they were when it was posted.
fn entrant(posting: &hall::desk::Posting, no: EntrantNo) -> (String, String) {
    posting
        .event
        .entrant(no)
        .map_or_else(Default::default, |entrant| (entrant.name.clone(), entrant.unit.clone()))
}

/// `GET /print/standings/{after}`, `?version=`.
pub(super) async fn standings(Path(after): Path<u16>, desk: AtDesk) -> Response {
    let title = desk.words(
        format!("{}名次（第{after}轮后）", if desk.view.in_teams() { "团体" } else { "个人" }),
        format!("Standing after round {after}"),
    );
    let version = desk.reader.asked("version");
    let sheets = |desk: &AtDesk| standing_sheets(desk, RoundNo(after), version, &title);
    let sheets = desk.by_group().iter().flat_map(sheets).collect();
    Document { title, sheets, desk: &desk }.answer()
}

fn team_sheets(desk: &AtDesk, after: RoundNo, title: &str) -> Vec<Markup> {
    let view = &desk.view;
    let Some((standing, posting)) = view.posted(after, None) else { return Vec::new() };
    let totals = view.totals(&standing);
    if totals.is_empty() {
        return Vec::new();
    }
    // A member's rank is that in the group.
    let ranks: BTreeMap<EntrantNo, u16> = desk
        .by_group()
        .iter()
        .filter_map(|desk| Some(desk.view.posted(after.min(desk.view.last_over()), None)?.0))
        .flat_map(|standing| standing.rows.into_iter().map(|row| (row.no, row.rank)))
        .collect();
    paged(&totals, 30).into_iter().map(|(at, of, totals)| sheet(html! {
        (head(desk, title, desk.t("团体名次依据：队员分值总和、对手分和、胜局和、最好名次", "ranked by the members' sums of points, opponents' points and wins, then the best rank"), &format!("{}　{}", page_of(desk, at, of), desk.words(format!("第{}版", posting.version), format!("version {}", posting.version)))))
        table class="p" {
            thead { tr { th class="num" { (desk.t("名次", "Rank")) } th { (desk.t("队名", "Team")) } th { (desk.t("队员（名次）", "Members (rank)")) } th class="num" { (desk.t("总分", "Total")) } th class="num" { (desk.t("对手分", "Opponents")) } th class="num" { (desk.t("胜局", "Wins")) } } }
            tbody { @for total in totals {
                @let members: Vec<String> = total.members.iter().map(|no| format!("{}（{}）", view.entrant(*no).0, ranks.get(no).copied().unwrap_or_default())).collect();
                tr { td class="num" { b { (total.rank) } } td { b { (view.file(total.team).map_or("", |file| file.form.name())) } } td class="w" { (members.join("、")) } td class="num" { b { (total.points) } } td class="num" { (total.opponents) } td class="num" { (total.wins) } }
            } } }
        (foot(desk, ""))
    })).collect()
}

/// `GET /print/teams/{after}`.
pub(super) async fn teams(Path(after): Path<u16>, desk: AtDesk) -> Response {
    let title = desk.words(format!("团体名次（第{after}轮后）"), format!("Teams after round {after}"));
    let sheets = team_sheets(&desk, RoundNo(after), &title);
    Document { title, sheets, desk: &desk }.answer()
}

fn board_sheets(desk: &AtDesk) -> Vec<Markup> {
    let view = &desk.view;
    [(desk.t("临时定台个人成绩", "Players on free boards"), false), (desk.t("定人台个人成绩", "Players on fixed boards"), true)].into_iter().flat_map(|(title, fixed)| {
        let rows = view.performers(&view.boards(fixed), false);
        paged(&rows, 40).into_iter().map(|(at, of, rows)| sheet(html! {
            (head(desk, title, desk.t("依据：得分、胜局、犯规（少者前）；并列者奖金平分", "by points, wins, fouls (fewer first); equals share prizes"), &page_of(desk, at, of)))
            table class="p s" { thead { tr { th class="num" { (desk.t("名次", "Rank")) } th class="num" { (desk.t("号", "No")) } th { (desk.t("姓名", "Name")) } th { (desk.t("队名", "Team")) } th class="num" { (desk.t("得分", "Points")) } th class="num" { (desk.t("局数", "Games")) } th class="num" { (desk.t("胜局", "Wins")) } th class="num" { (desk.t("犯规", "Fouls")) } } }
                tbody { @for (rank, no, of) in rows { @let (name, team) = view.seat(*no); tr { td class="num" { b { (rank) } } td class="num dim" { (no) } td { b { (name) } } td { (team) } td class="num" { (of.points) } td class="num" { (of.games) } td class="num" { (of.wins) } td class="num" { (of.fouls) } } } } }
            (foot(desk, ""))
        })).collect::<Vec<_>>()
    }).collect()
}

/// `GET /print/boards/{after}`.
pub(super) async fn boards(Path(_): Path<u16>, desk: AtDesk) -> Response {
    let sheets = board_sheets(&desk);
    Document { title: desk.t("个人成绩", "Players").into(), sheets, desk: &desk }.answer()
}

/// A cell of the cross table: `12红2`, the opponent, the colour, the points.
pub(super) fn met(desk: &AtDesk, no: EntrantNo, round: RoundNo) -> String {
    let view = &desk.view;
    let Some(result) = view.event.as_ref().and_then(|event| event.result_of(round, no)) else {
        return "—".into();
    };
    let red = result.red == no;
    let points = if red { result.score.red } else { result.score.black };
    let colour = match (view.in_teams(), red) {
        (true, true) => desk.t("主", "H"),
        (true, false) => desk.t("客", "A"),
        (false, true) => desk.t("红", "R"),
        (false, false) => desk.t("黑", "B"),
    };
    let other = if red { result.black } else { Some(result.red) };
    match (result.kind, other) {
        (ResultKind::Bye, _) => format!("{}{points}", desk.t("轮空", "bye ")),
        (ResultKind::Absent, _) | (_, None) => format!("{}{points}", desk.t("缺", "– ")),
        (ResultKind::Played, Some(other)) => format!("{other}{colour}{points}"),
        (ResultKind::Forfeit | ResultKind::DoubleForfeit, Some(other)) => {
            format!("{other}{}{points}", desk.t("弃", "F"))
        }
    }
}

fn cross(desk: &AtDesk, after: RoundNo) -> Vec<Markup> {
    let view = &desk.view;
    let Some((standing, _)) = view.posted(after, None) else { return Vec::new() };
    let total = |row: &Row| {
        let column = standing.ladder.0.iter().position(|key| *key == LadderKey::Points);
        column.and_then(|column| row.figures[column]).map(|figure| figure.to_string()).unwrap_or_default()
    };
    paged(&standing.rows, 26).into_iter().map(|(at, of, rows)| lying(html! {
        (head(desk, desk.t("成绩总表", "Cross table"), desk.t("每格：对手号、先后、得分", "each cell: opponent, colour, points"), &page_of(desk, at, of)))
        table class="p x" { thead { tr { th class="num" { (desk.t("名次", "Rank")) } th class="num" { (desk.t("号", "No")) } th { (if view.in_teams() { desk.t("队名", "Team") } else { desk.t("姓名", "Name") }) } th { (desk.t("单位", "Unit")) } @for round in after.up_to() { th class="c" { (round) } } th class="num" { (desk.t("总分", "Total")) } } }
            tbody { @for row in rows { @let (name, unit) = view.entrant(row.no); tr { td class="num" { b { (row.rank) } } td class="num" { (row.no) } td { b { (name) } } td { (unit) } @for round in after.up_to() { td class="c" { (met(desk, row.no, round)) } } td class="num" { b { (total(row)) } } } } } }
        (foot(desk, ""))
    })).collect()
}

/// `GET /print/final`: 成绩册.
pub(super) async fn final_book(desk: AtDesk) -> Response {
    let view = &desk.view;
    let after = view.last_over();
    let who = |list: &[Labelled]| html! { dl class="kv" { @for it in list { dt { (it.label) } dd { (it.text) } } } };
    let cover = sheet(
        html! { div class="cover" { @for title in &view.settings.titles { h1 { (title) } } h2 { (desk.t("成绩册", "Results")) } @for organiser in &view.settings.organisers { p { (organiser.label) "：" (organiser.text) } } }
        @if !view.settings.officials.is_empty() { div class="sec" { (who(&view.settings.officials)) } } (foot(&desk, "")) },
    );
    let mut sheets = vec![cover];
    let (kind, other) = if view.in_teams() {
        (desk.t("团体名次", "Standing of teams"), "")
    } else {
        (desk.t("个人名次", "Standing"), desk.t("团体名次", "Teams"))
    };
    for desk in desk.by_group() {
        sheets.extend(standing_sheets(&desk, after, None, kind));
    }
    if view.in_teams() {
        sheets.extend(board_sheets(&desk))
    } else {
        sheets.extend(team_sheets(&desk, after, other))
    }
    for desk in desk.by_group() {
        sheets.extend(cross(&desk, after.min(desk.view.last_over())));
    }
    Document { title: desk.t("成绩册", "Results").into(), sheets, desk: &desk }.answer()
}
