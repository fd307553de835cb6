//! 秩序册: titles, committees, the regulation, who takes part, the timetable.

use axum::response::Response;
use hall::desk::{File, Labelled};
use maud::{Markup, html};
use tournament::RoundNo;

use super::{Document, head, page_of, paged, sheet};
use crate::desk::{AtDesk, day_time, members};

fn list(title: &str, of: &[Labelled]) -> Markup {
    html! { @if !of.is_empty() { div class="sec" { h3 { (title) } dl class="kv" { @for it in of { dt { (it.label) } dd { (it.text) } } } } } }
}

/// `GET /print/booklet`.
pub(super) async fn booklet(desk: AtDesk) -> Response {
    let view = &desk.view;
    let set = &view.settings;
    let mut sheets = vec![sheet(html! {
        div class="cover" { @for title in &set.titles { h1 { (title) } } h2 { (desk.t("秩序册", "Programme")) } @for organiser in &set.organisers { p { (organiser.label) (desk.t("：", ": ")) (organiser.text) } } @for venue in &set.venues { p { (venue.label) (desk.t("地点：", ": ")) (venue.text) } } }
    })];
    sheets.push(sheet(html! {
        (head(&desk, desk.t("组织与日程", "Organisation and timetable"), "", ""))
        (list(desk.t("组织机构", "Organisers"), &set.organisers)) (list(desk.t("组织委员会、裁判、仲裁", "Committees, arbiters, appeals"), &set.officials)) (list(desk.t("地点", "Venues"), &set.venues))
        div class="sec" { h3 { (desk.t("比赛办法", "How it is played")) } p { (terms(&desk)) }
            p { (desk.t("名次依据：", "Ladder: ")) (set.ladder.0.iter().map(|key| crate::desk::head_of(&desk, *key)).collect::<Vec<_>>().join(desk.t("、", ", "))) (desk.t("。", ".")) } }
        div class="sec" { h3 { (desk.t("日程", "Timetable")) } table class="p s" { tbody { @for round in (1..=view.rounds_in_all()).map(RoundNo) { tr { td { (desk.words(format!("第{round}轮"), format!("Round {round}"))) } td { @match set.start_of(round) { Some(at) => (day_time(&desk, at)), None => (desk.t("待定", "open")) } } } } } } }
    }));
    let waived: Vec<String> = view
        .files
        .values()
        .flat_map(|file| {
            let waived = file.judged.iter().filter(|(_, judged)| judged.ruling == hall::desk::Ruling::Waived);
            waived
                .map(|(rule, judged)| {
                    let words = rule.words(set);
                    let (name, why) = (file.form.name(), &judged.why);
                    desk.words(format!("{name}：{}，{why}", words.zh), format!("{name}: {}, {why}", words.en))
                })
                .collect::<Vec<_>>()
        })
        .collect();
    for document in &set.documents {
        let lines: Vec<&str> = document.text.lines().collect();
        // A line of print holds about 44 characters; a sheet about 36 lines.
        let mut pages: Vec<(usize, Vec<&str>)> = vec![(0, Vec::new())];
        for line in lines {
            let height = line.chars().count().div_ceil(44).max(1);
            if pages.last().is_some_and(|(used, _)| used + height > 36) {
                pages.push((0, Vec::new()));
            }
            if let Some((used, page)) = pages.last_mut() {
                *used += height;
                page.push(line);
            }
        }
        let of = pages.len();
        sheets.extend(pages.iter().enumerate().map(|(at, (_, lines))| sheet(html! {
            (head(&desk, &document.title, &format!("{}　{}", document.issuer, document.date), &page_of(&desk, at + 1, of)))
            div class="sec" { @for line in lines { p { (line) } } }
        })));
    }
    let files: Vec<&File> = view.files.values().filter(|file| file.struck.is_none()).collect();
    let count = files.len();
    sheets.extend(paged(&files, 24).into_iter().map(|(at, of, files)| sheet(html! {
        (head(&desk, desk.t("参赛名单", "Participants"), &desk.words(format!("共{count}个报名单位、个人"), format!("{count} entries")), &page_of(&desk, at, of)))
        table class="p" { thead { tr { th { (desk.t("队名", "Team")) } th { (desk.t("单位", "Unit")) } th { (desk.t("领队", "Leader")) } th { (desk.t("教练", "Coach")) } th { (desk.t("队员", "Players")) } } }
            tbody { @for file in files { tr { td { b { (file.form.team.as_deref().unwrap_or(desk.t("个人", "individual"))) } } td { (file.form.unit) } td { (file.form.leader) } td { (file.form.coach) } td class="w" { (members(&file.form)) } } } } }
        @if at == of && !waived.is_empty() { div class="sec" { h3 { (desk.t("资格说明", "Eligibility")) } @for line in &waived { p { (line) } } } }
    })));
    Document { title: desk.t("秩序册", "Programme").into(), sheets, desk: &desk }.answer()
}

/// 比赛办法 in one sentence.
fn terms(desk: &AtDesk) -> String {
    let view = &desk.view;
    let time = view.regulation.time;
    let (base, more) = (time.base.0 / 60_000, time.increment.0 / 1_000);
    let (late, limit) = (view.regulation.late_limit.0 / 60_000, view.regulation.natural_limit.rounds);
    let system = crate::desk::system_words(desk);
    let [zh, en] = if view.in_teams() {
        ["团体赛", "Teams"]
    } else {
        ["个人赛，团体按队员分值总和", "Individuals; teams by their members' sum"]
    };
    desk.words(
        format!("{zh}，{system}；每方{base}分钟，每着加{more}秒；迟到{late}分钟判该轮弃权；自然限着{limit}回合。"),
        format!("{en}; {system}; {base} minutes a side and {more} seconds a move; who is {late} minutes late forfeits the round; natural limit {limit} rounds."),
    )
}
