//! 名次 with the reason of each place; teams by their members' sum; the best on the boards; 奖项.

use axum::response::Response;
use hall::desk::{DeskView, Form};
use maud::{Markup, html};
use tournament::{LadderKey, Money, RoundNo, System};

use super::{AtDesk, Frame, Tab, day_time};

/// `GET /desk/standings`: after the last round that is over, or `?after=`; `?version=` an earlier posting.
pub(super) async fn page(desk: AtDesk) -> Response {
    let view = &desk.view;
    let after = desk.reader.asked::<u16>("after").map_or(view.last_over(), RoundNo);
    let posted = view.posted(after, desk.reader.asked("version"));
    let title = format!("第{after}轮后名次");
    let Some((standing, posting)) = posted else {
        let body = html! { p class="none" { (desk.t("第1轮结束后有名次。", "There is a standing after round 1.")) } };
        return Frame {
            tab: Tab::Standings,
            title: desk.t("名次", "Standings").to_owned(),
            head: html! {},
            body,
            foot: (html! {}, ""),
        }
        .answer(&desk);
    };
    let keys: Vec<LadderKey> =
        standing.ladder.0.iter().copied().filter(|key| *key != LadderKey::PreviousRound).collect();
    let next = |at: usize| standing.rows.get(at + 1).and_then(|row| row.below.as_ref());
    let body = html! {
        div class="cols two" {
            div class="scroll" { table class="gd" {
                thead { tr { th class="num" { "名次" } th class="num" { "号" } th { (if view.in_teams() { "队名" } else { "姓名" }) } th { "单位" } @for key in &keys { th class="num" { (head(view, *key)) } } th { "列下一名之前的依据" } } }
                tbody { @for (at, row) in standing.rows.iter().enumerate() {
                    @let (name, unit) = view.entrant(row.no);
                    tr { td class="num" { b { (row.rank) } } td class="num mut" { (row.no) } td { b { (name) } } td { (unit) }
                        @for (key, figure) in standing.ladder.0.iter().zip(&row.figures).filter(|(key, _)| **key != LadderKey::PreviousRound) {
                            td class={ "num" @if next(at).is_some_and(|below| below.column.key() == *key && *key != LadderKey::Points) { " dec" } } { @if let Some(figure) = figure { (figure) } } }
                        td class="sub" { @if row.shared { span class="wrn" { "并列，抽签定先后 " } } @if let Some(below) = next(at) { (below.words().zh) } }
                    }
                } }
            } }
            aside class="pnl" {
                p class="sub" { "第" (posting.version) "版　" (day_time(view, posting.at)) @if !standing.open.is_empty() { span class="wrn" { "　还有" (standing.open.len()) "人未定" } } }
                @let versions = view.postings.get(&after).map_or(0, Vec::len);
                @if versions > 1 { p { "各版：" @for version in 1..=versions { a class="btn btn-s" href={ "/desk/standings?after=" (after) "&version=" (version) } { (version) } " " } } }
                @if view.in_teams() { (boards(view)) } @else { (teams(view, &standing)) }
            }
        }
    };
    let head = html! {
        span class="seg small" { @for round in view.postings.keys() { a href={ "/desk/standings?after=" (round) } aria-current=[(*round == after).then_some("true")] { (round) } } }
        span class="sp" {}
        a class="btn btn-s" href={ "/desk/files/standing-" (after) ".xlsx" } { "Excel" }
        a class="btn btn-s" href="/desk/files/event.trf" { "TRF16" }
        a class="btn btn-s" href={ "/print/standings/" (after) } { (desk.t("打印", "Print")) }
    };
    let foot = html! { (desk.t("名次依据：", "ladder: ")) (standing.ladder.0.iter().map(|key| super::head_of(view, *key)).collect::<Vec<_>>().join("、")) };
    Frame { tab: Tab::Standings, title, head, body, foot: (foot, "") }.answer(&desk)
}

/// The heading of a column; in a team event 积分 is 场分.
pub(crate) fn head(view: &DeskView, key: LadderKey) -> String {
    match (view.in_teams(), key) {
        (true, LadderKey::Points) => "场分".into(),
        (true, LadderKey::Opponents) => "对手分".into(),
        (true, LadderKey::Wins) => "胜场".into(),
        (true, LadderKey::BoardWins) => "胜局".into(),
        (_, key) => key.heading().zh,
    }
}

/// By which system, and how many rounds: `单循环 7 轮`.
pub(crate) fn system_words(view: &DeskView) -> String {
    let system = view.settings.options.system;
    let rounds = view.rounds_in_all();
    match system {
        System::Swiss | System::RoundRobin { .. } => format!("{}{rounds}轮", system.words().zh),
        System::Knockout { .. } => system.words().zh,
    }
}

fn teams(view: &DeskView, standing: &tournament::Standing) -> Markup {
    let totals = view.totals(standing);
    html! { @if !totals.is_empty() {
        h2 { "团体（队员分值总和）" }
        table class="gd" { thead { tr { th class="num" { "名次" } th { "队名" } th class="num" { "总分" } th class="num" { "对手分" } th class="num" { "胜局" } th class="num" { "最好名次" } } }
            tbody { @for total in &totals { tr { td class="num" { b { (total.rank) } } td { (view.file(total.team).map_or("", |file| file.form.name())) }
                td class="num" { (total.points) } td class="num" { (total.opponents) } td class="num" { (total.wins) } td class="num" { (total.best) } } } } }
    } }
}

fn boards(view: &DeskView) -> Markup {
    html! { @for (name, fixed) in [("临时定台（自由台）", false), ("定人台", true)] {
        h3 { (name) }
        table class="gd" { thead { tr { th class="num" { "名次" } th { "姓名" } th { "队" } th class="num" { "分" } th class="num" { "局" } th class="num" { "胜" } } }
            tbody { @for (rank, no, of) in view.performers(&view.boards(fixed), false).into_iter().take(12) { @let (name, team) = view.seat(no);
                tr { td class="num" { (rank) } td { b { (name) } } td { (team) } td class="num" { (of.points) } td class="num" { (of.games) } td class="num" { (of.wins) } } } } }
    } }
}

/// `GET /desk/prizes`.
pub(super) async fn prizes(desk: AtDesk) -> Response {
    let view = &desk.view;
    let mut total = Money(0);
    let lists: Vec<Markup> = view.settings.prizes.iter().map(|list| {
        let lines = view.prize_lines(list);
        let sum: Money = lines.iter().map(|line| line.amount).sum();
        total = total + sum;
        html! {
            h2 class="in" { (list.name) span class="meta" { "合计 " (sum) " 元" } }
            table class="gd" { thead { tr { th class="num" { "名次" } th class="num" { "号" } th { "姓名 / 队名" } th { "单位" } th { "成绩" } th class="num" { "奖金（元）" } th {} } }
                tbody { @for line in &lines { tr class={ @if line.amount == Money(0) { "mut" } } {
                    td class="num" { b { (line.rank) } } td class="num" { @if let Some(no) = line.no { (no) } } td { b { (line.name) } } td { (line.unit) } td { (line.by) }
                    td class="num" { (line.amount) } td class="sub" { @if line.amount == Money(0) { "同分，无奖" } @else if line.shared_with > 0 { "与" (line.shared_with) "人平分" } } } } } }
            @if lines.is_empty() { p class="none" { "名次公布后算出" } }
        }
    }).collect();
    let body = html! {
        div class="scroll" {
            @for list in lists { (list) }
            @if !view.settings.awards.is_empty() { h2 class="in" { "特别奖" } @for award in &view.settings.awards { p class="note" { b { (award.label) } "　" (award.text) } } }
            @if view.settings.prizes.is_empty() { p class="none" { (desk.t("在规程页填写奖项。", "Set the prizes on the settings page.")) } }
        }
    };
    let head = html! { span class="bd" { "合计 " (total) " 元" } span class="sp" {} a class="btn btn-s" href="/print/prizes" { (desk.t("领奖签收表", "Prize list")) } a class="btn btn-s" href="/print/certificates" { (desk.t("证书", "Certificates")) } };
    Frame {
        tab: Tab::Prizes,
        title: desk.t("奖项", "Prizes").to_owned(),
        head,
        body,
        foot: (html! {}, desk.t("并列者平分所占名次的奖金", "equals share the prizes of their places")),
    }
    .answer(&desk)
}

/// The members of a form, in one line.
pub(crate) fn members(form: &Form) -> String {
    form.players.iter().map(|player| player.name.as_str()).collect::<Vec<_>>().join("、")
}
