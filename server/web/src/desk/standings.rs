//! 名次 with the reason of each place; teams by their members' sum; the best on the boards; 奖项.

use axum::response::Response;
use hall::desk::{Form, Player};
use maud::{Markup, html};
use tournament::{LadderKey, Money, RoundNo, System};

use super::{AtDesk, Frame, Tab, day_time, groups};

/// `GET /desk/standings`: after the last round that is over, or `?after=`; `?version=` an earlier posting.
pub(super) async fn page(whole: AtDesk) -> Response {
    let group = whole.group_asked();
    let desk = group.map_or_else(|| whole.clone(), |no| whole.in_group(no));
    let view = &desk.view;
    let and_group = group.map(|no| format!("&group={no}")).unwrap_or_default();
    let after = desk.reader.asked::<u16>("after").map_or(view.last_over(), RoundNo);
    let posted = view.posted(after, desk.reader.asked("version"));
    let title = desk.words(format!("第{after}轮后名次"), format!("Standing after round {after}"));
    let Some((standing, posting)) = posted else {
        let body = html! { p class="none" { (desk.t("第1轮结束后有名次。", "There is a standing after round 1.")) } };
        return Frame {
            tab: Tab::Standings,
            title: desk.t("名次", "Standings").to_owned(),
            head: groups::switch(&whole, "/desk/standings", group),
            body,
            foot: (html! {}, ""),
        }
        .answer(&whole);
    };
    let keys: Vec<LadderKey> =
        standing.ladder.0.iter().copied().filter(|key| *key != LadderKey::PreviousRound).collect();
    let next = |at: usize| standing.rows.get(at + 1).and_then(|row| row.below.as_ref());
    let body = html! {
        div class="cols two" {
            div class="scroll" { table class="gd" {
                thead { tr { th class="num" { (desk.t("名次", "Rank")) } th class="num" { (desk.t("号", "No")) } th { (if view.in_teams() { desk.t("队名", "Team") } else { desk.t("姓名", "Name") }) } th { (desk.t("单位", "Unit")) } @for key in &keys { th class="num" { (head(&desk, *key)) } } th { (desk.t("列下一名之前的依据", "Above the next by")) } } }
                tbody { @for (at, row) in standing.rows.iter().enumerate() {
                    @let (name, unit) = view.entrant(row.no);
                    tr { td class="num" { b { (row.rank) } } td class="num mut" { (row.no) } td { b { (name) } } td { (unit) }
                        @for (key, figure) in standing.ladder.0.iter().zip(&row.figures).filter(|(key, _)| **key != LadderKey::PreviousRound) {
                            td class={ "num" @if next(at).is_some_and(|below| below.column.key() == *key && *key != LadderKey::Points) { " dec" } } { @if let Some(figure) = figure { (figure) } } }
                        td class="sub why" { @if row.shared { span class="wrn" { (desk.t("并列，抽签定先后 ", "equal: lots decide ")) } } @if let Some(below) = next(at) { @let words = below.words(); (desk.t(words.zh.as_str(), words.en.as_str())) } }
                    }
                } }
            } }
            aside class="pnl" {
                p class="sub" { (desk.t("第", "version ")) (posting.version) (desk.t("版　", "　")) (day_time(&desk, posting.at)) @if !standing.open.is_empty() { span class="wrn" { (desk.t("　未定 ", "　open ")) (standing.open.len()) } } }
                @let versions = view.postings.get(&after).map_or(0, Vec::len);
                @if versions > 1 { p { (desk.t("各版：", "versions: ")) @for version in 1..=versions { a class="btn btn-s" href={ "/desk/standings?after=" (after) "&version=" (version) (and_group) } { (version) } " " } } }
                @if view.in_teams() { (boards(&desk)) } @else { (teams(&desk, &standing)) }
            }
        }
    };
    let trf = group.map_or_else(|| "event.trf".to_owned(), |no| format!("event-{no}.trf"));
    let head = html! {
        (groups::switch(&whole, "/desk/standings", group))
        span class="seg small" { @for round in view.postings.keys() { a href={ "/desk/standings?after=" (round) (and_group) } aria-current=[(*round == after).then_some("true")] { (round) } } }
        span class="sp" {}
        a class="btn btn-s" href={ "/desk/files/standing-" (after) ".xlsx" } { "Excel" }
        a class="btn btn-s" href={ "/desk/files/" (trf) } { "TRF16" }
        a class="btn btn-s" href={ "/print/standings/" (after) } { (desk.t("打印", "Print")) }
    };
    let foot = html! { (desk.t("名次依据：", "ladder: ")) (standing.ladder.0.iter().map(|key| super::head_of(&desk, *key)).collect::<Vec<_>>().join("、")) };
    Frame { tab: Tab::Standings, title, head, body, foot: (foot, "") }.answer(&whole)
}

/// The heading of a column; in a team event 积分 is 场分.
pub(crate) fn head(desk: &AtDesk, key: LadderKey) -> String {
    let (zh, en) = match (desk.view.in_teams(), key) {
        (true, LadderKey::Points) => ("场分", "match points"),
        (true, LadderKey::Wins) => ("胜场", "matches won"),
        (true, LadderKey::BoardWins) => ("胜局", "games won"),
        (_, key) => {
            let heading = key.heading();
            return desk.words(heading.zh, heading.en);
        }
    };
    desk.t(zh, en).to_owned()
}

/// By which system, and how many rounds: `单循环 7 轮`.
pub(crate) fn system_words(desk: &AtDesk) -> String {
    let view = &desk.view;
    if !view.settings.groups.is_empty() {
        let of = |desk: &AtDesk, name: &str| format!("{name} {}", system_words(desk));
        let each = view.groups().map(|(no, name)| of(&desk.in_group(no), name));
        return each.collect::<Vec<_>>().join(desk.t("；", "; "));
    }
    let system = view.settings.options.system;
    let rounds = view.rounds_in_all();
    match system {
        System::Swiss | System::RoundRobin { .. } => desk.words(
            format!("{}{rounds}轮", system.words().zh),
            format!("{}, {rounds} rounds", system.words().en),
        ),
        System::Knockout { .. } => desk.words(system.words().zh, system.words().en),
    }
}

fn teams(desk: &AtDesk, standing: &tournament::Standing) -> Markup {
    let view = &desk.view;
    let totals = view.totals(standing);
    html! { @if !totals.is_empty() {
        h2 { (desk.t("团体（队员分值总和）", "Teams (members' sum)")) }
        table class="gd" { thead { tr { th class="num" { (desk.t("名次", "Rank")) } th { (desk.t("队名", "Team")) } th class="num" { (desk.t("总分", "Total")) } th class="num" { (desk.t("对手分", "Opponents")) } th class="num" { (desk.t("胜局", "Wins")) } th class="num" { (desk.t("最好名次", "Best rank")) } } }
            tbody { @for total in &totals { tr { td class="num" { b { (total.rank) } } td { (view.file(total.team).map_or("", |file| file.form.name())) }
                td class="num" { (total.points) } td class="num" { (total.opponents) } td class="num" { (total.wins) } td class="num" { (total.best) } } } } }
    } }
}

fn boards(desk: &AtDesk) -> Markup {
    let view = &desk.view;
    html! { @for (name, fixed) in [(desk.t("临时定台（自由台）", "Free boards"), false), (desk.t("定人台", "Fixed boards"), true)] {
        h3 { (name) }
        table class="gd" { thead { tr { th class="num" { (desk.t("名次", "Rank")) } th { (desk.t("姓名", "Name")) } th { (desk.t("队", "Team")) } th class="num" { (desk.t("分", "Points")) } th class="num" { (desk.t("局", "Games")) } th class="num" { (desk.t("胜", "Wins")) } } }
            tbody { @for (rank, no, of) in view.performers(&view.boards(fixed), false).into_iter().take(12) { @let (name, team) = view.seat(no);
                tr { td class="num" { (rank) } td { b { (name) } } td { (team) } td class="num" { (of.points) } td class="num" { (of.games) } td class="num" { (of.wins) } } } } }
    } }
}

/// `GET /desk/prizes`.
pub(super) async fn prizes(desk: AtDesk) -> Response {
    let view = &desk.view;
    let mut total = Money(0);
    let lists: Vec<Markup> = view.prizes().into_iter().map(|(list, lines)| {
        let sum: Money = lines.iter().map(|line| line.amount).sum();
        total = total + sum;
        html! {
            h2 class="in" { (list.name) span class="meta" { (desk.t("合计 ", "in all ")) (sum) (desk.t(" 元", " yuan")) } }
            table class="gd" { thead { tr { th class="num" { (desk.t("名次", "Rank")) } th class="num" { (desk.t("号", "No")) } th { (desk.t("姓名 / 队名", "Player / team")) } th { (desk.t("单位", "Unit")) } th { (desk.t("成绩", "Score")) } th class="num" { (desk.t("奖金（元）", "Prize (yuan)")) } th {} } }
                tbody { @for line in &lines { tr class={ @if line.amount == Money(0) { "mut" } } {
                    td class="num" { b { (line.rank) } } td class="num" { @if let Some(no) = line.no { (no) } } td { b { (line.name) } } td { (line.unit) } td { (line.by) }
                    td class="num" { (line.amount) } td class="sub" { @if line.amount == Money(0) { (desk.t("同分，无奖", "equal, no prize")) } @else if line.shared_with > 0 { (desk.t("平分，人数 ", "shared by ")) (line.shared_with + 1) } } } } } }
            @if lines.is_empty() { p class="none" { (desk.t("名次公布后算出", "known when the standing is")) } }
        }
    }).collect();
    let body = html! {
        div class="scroll" {
            @for list in lists { (list) }
            @if !view.settings.awards.is_empty() { h2 class="in" { (desk.t("特别奖", "Special awards")) } @for award in &view.settings.awards { p class="note" { b { (award.label) } "　" (award.text) } } }
            @if view.settings.prizes.is_empty() { p class="none" { (desk.t("在规程页填写奖项。", "Set the prizes on the settings page.")) } }
        }
    };
    let head = html! { span class="bd" { (desk.t("合计 ", "in all ")) (total) (desk.t(" 元", " yuan")) } span class="sp" {} a class="btn btn-s" href="/print/prizes" { (desk.t("领奖签收表", "Prize list")) } a class="btn btn-s" href="/print/certificates" { (desk.t("证书", "Certificates")) } };
    Frame {
        tab: Tab::Prizes,
        title: desk.t("奖项", "Prizes").to_owned(),
        head,
        body,
        foot: (
            html! {},
            if view.settings.one_prize {
                desk.t(
                    "一人一奖，取高者；并列者平分所占名次的奖金",
                    "one prize for each person, the best; equals share the prizes of their places",
                )
            } else {
                desk.t("并列者平分所占名次的奖金", "equals share the prizes of their places")
            },
        ),
    }
    .answer(&desk)
}

/// The members of a form, in one line.
pub(crate) fn members(form: &Form) -> String {
    let name = |player: &Player| match player.group.as_str() {
        "" => player.name.clone(),
        group => format!("{}（{group}）", player.name),
    };
    form.players.iter().map(name).collect::<Vec<_>>().join("、")
}
