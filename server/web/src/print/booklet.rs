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
        div class="cover" { @for title in &set.titles { h1 { (title) } } h2 { "秩序册" } @for organiser in &set.organisers { p { (organiser.label) "：" (organiser.text) } } @for venue in &set.venues { p { (venue.label) "地点：" (venue.text) } } }
    })];
    let time = view.regulation.time;
    sheets.push(sheet(html! {
        (head(&desk, "组织与日程", "", ""))
        (list("组织机构", &set.organisers)) (list("组织委员会、裁判、仲裁", &set.officials)) (list("地点", &set.venues))
        div class="sec" { h3 { "比赛办法" } p { (if view.in_teams() { "团体赛" } else { "个人赛，团体按队员分值总和" }) "，" (crate::desk::system_words(&desk)) "；每方" (time.base.0 / 60_000) "分钟，每着加" (time.increment.0 / 1_000) "秒；迟到" (view.regulation.late_limit.0 / 60_000) "分钟判该轮弃权；自然限着" (view.regulation.natural_limit.rounds) "回合。" }
            p { "名次依据：" (set.ladder.0.iter().map(|key| crate::desk::head_of(&desk, *key)).collect::<Vec<_>>().join("、")) "。" } }
        div class="sec" { h3 { "日程" } table class="p s" { tbody { @for round in (1..=view.rounds_in_all()).map(RoundNo) { tr { td { "第" (round) "轮" } td { @match set.start_of(round) { Some(at) => (day_time(view, at)), None => "待定" } } } } } } }
    }));
    let waived: Vec<String> = view
        .files
        .values()
        .flat_map(|file| {
            let waived = file.judged.iter().filter(|(_, judged)| judged.ruling == hall::desk::Ruling::Waived);
            waived
                .map(|(rule, judged)| format!("{}：{}，{}", file.form.name(), rule.words(set).zh, judged.why))
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
    sheets.extend(paged(&files, 24).into_iter().map(|(at, of, files)| sheet(html! {
        (head(&desk, "参赛名单", &format!("共{}个报名单位、个人", view.files.values().filter(|file| file.struck.is_none()).count()), &page_of(&desk, at, of)))
        table class="p" { thead { tr { th { (desk.t("队名", "Team")) } th { (desk.t("单位", "Unit")) } th { (desk.t("领队", "Leader")) } th { (desk.t("教练", "Coach")) } th { (desk.t("队员", "Players")) } } }
            tbody { @for file in files { tr { td { b { (file.form.team.as_deref().unwrap_or("个人")) } } td { (file.form.unit) } td { (file.form.leader) } td { (file.form.coach) } td class="w" { (members(&file.form)) } } } } }
        @if at == of && !waived.is_empty() { div class="sec" { h3 { "资格说明" } @for line in &waived { p { (line) } } } }
    })));
    Document { title: "秩序册".into(), sheets, desk: &desk }.answer()
}
