//! Cards: table numbers, placards, badges, certificates.

use axum::response::Response;
use maud::{Markup, html};
use tournament::{EntrantNo, Money};

use super::{Document, lying};
use crate::desk::{AtDesk, day_name, local};

/// `GET /print/tables`: one a table, as many as the event needs.
pub(super) async fn tables(desk: AtDesk) -> Response {
    let view = &desk.view;
    let most =
        view.rounds.iter().flat_map(|round| &round.boards).map(|board| board.table.0).max().unwrap_or(0);
    let boards = view.settings.team_rules().map_or(1, |rules| rules.boards);
    let entrants = view.event.as_ref().map_or(view.present.len(), |event| event.data().entrants.len());
    let count = most.max(entrants as u16 / 2 * boards);
    let sheets = (1..=count).map(|no| lying(html! { div class="cover tno" { b { (no) } img class="qr" src={ "/qr.svg?to=/table/" (no) } alt=""; @if boards > 1 { p { span { (seat_words(&desk, (no - 1) / boards + 1, (no - 1) % boards + 1)) } } } } })).collect();
    Document { title: desk.t("台号", "Table numbers").into(), sheets, desk: &desk }.answer()
}

/// `第3场　2台`.
fn seat_words(desk: &AtDesk, of: u16, board: u16) -> String {
    desk.words(format!("第{of}场　{board}台"), format!("match {of}, board {board}"))
}

/// Everybody who plays: number, name, team or unit.
fn people(desk: &AtDesk) -> Vec<(EntrantNo, String, String)> {
    let view = &desk.view;
    let mut people = Vec::new();
    for no in view.whose.keys() {
        match view.form_of(*no) {
            Some(form) if view.in_teams() => {
                people.extend((1..).zip(&form.players).map(|(member, player)| {
                    (
                        hall::desk::person_no(*no, tournament::MemberNo(member)),
                        player.name.clone(),
                        form.name().to_owned(),
                    )
                }))
            }
            Some(_) | None => {
                let (name, unit) = view.entrant(*no);
                people.push((*no, name, unit));
            }
        }
    }
    people
}

fn face(no: EntrantNo, name: &str, unit: &str) -> Markup {
    let size = match name.chars().count() {
        0..=2 => "k2",
        3 => "k3",
        4 => "",
        5..=6 => "k5",
        _ => "k7",
    };
    html! { div class="half" { div class="no" { (no) } div class={ "nm kai " (size) } { b { (name) } span { (unit) } } } }
}

/// `GET /print/placards`: folded in the middle, readable from both sides.
pub(super) async fn placards(desk: AtDesk) -> Response {
    let sheets = people(&desk).iter().map(|(no, name, unit)| html! { section class="pg ls pl" { (face(*no, name, unit)) (face(*no, name, unit)) } }).collect();
    Document { title: desk.t("座牌", "Placards").into(), sheets, desk: &desk }.answer()
}

/// `GET /print/badges`: officials first, then players, ten a sheet.
pub(super) async fn badges(desk: AtDesk) -> Response {
    let view = &desk.view;
    let named = |text: &str| {
        text.split(['、', '，', ','])
            .map(|name| {
                // A title in brackets is not part of the name.
                name.split(['（', '(']).next().unwrap_or_default().trim().to_owned()
            })
            .filter(|name| !name.is_empty())
            .collect::<Vec<_>>()
    };
    let officials = view.settings.officials.iter().flat_map(|it| {
        named(&it.text)
            .into_iter()
            .map(move |name| ("off", it.label.clone(), name, String::new(), String::new()))
    });
    let leaders = view.files.values().filter(|file| file.struck.is_none()).flat_map(|file| {
        let form = &file.form;
        [(desk.t("领队", "Leader"), &form.leader), (desk.t("教练", "Coach"), &form.coach)]
            .into_iter()
            .filter(|(_, name)| !name.is_empty())
            .map(|(post, name)| ("", post.to_owned(), name.clone(), form.name().to_owned(), String::new()))
            .collect::<Vec<_>>()
    });
    let players = people(&desk)
        .into_iter()
        .map(|(no, name, unit)| ("", desk.t("运动员", "Player").to_owned(), name, unit, no.to_string()));
    let cards: Vec<_> = officials.chain(leaders).chain(players).collect();
    let sheets = cards.chunks(10).map(|cards| html! { section class="pg cardpage" { div class="cards" { @for (class, role, name, unit, no) in cards {
        div class={ "card " (class) } { div class="band" { (role) } div class="ev" { (view.title) } b class="kai" { (name) } span { (unit) } i { @if !no.is_empty() { "No. " (no) } } }
    } } } }).collect();
    Document { title: desk.t("胸牌", "Badges").into(), sheets, desk: &desk }.answer()
}

/// `GET /print/certificates`: for every prize won, and the special awards.
pub(super) async fn certificates(desk: AtDesk) -> Response {
    let view = &desk.view;
    let (day, _) = local(view, view.at);
    let issuer = view.settings.organisers.first().map(|it| it.text.clone()).unwrap_or_default();
    let certificate = |name: &str, what: String| {
        html! { section class="pg ls cert" { div class="fr kai" {
            h1 { (desk.t("荣誉证书", "Certificate")) } div class="river" {}
            p class="to" { (name) (desk.t("：", "")) } p { (what) }
            p class="end" { (issuer) br; (desk.words(format!("{}年{}", day.year, day_name(&desk, day)), format!("{} {}", day_name(&desk, day), day.year))) } span class="seal" {}
        } } }
    };
    let mut sheets = Vec::new();
    for (list, lines) in view.prizes() {
        for line in lines.into_iter().filter(|line| line.amount > Money(0)) {
            let name = if line.unit.is_empty() || view.in_teams() && line.no.is_some_and(|no| no.0 < 100) {
                line.name.clone()
            } else {
                format!("{} {}", line.unit, line.name)
            };
            sheets.push(certificate(
                &name,
                desk.words(
                    format!(
                        "在“{}”中荣获{}第{}名。特发此证，以资鼓励。",
                        view.title,
                        list.name,
                        ordinal(line.rank)
                    ),
                    format!("has won place {} of “{}” in “{}”.", line.rank, list.name, view.title),
                ),
            ));
        }
    }
    for award in view.settings.awards.iter().filter(|award| !award.text.is_empty()) {
        for name in award.text.split(['、', '，', ',']).map(str::trim).filter(|name| !name.is_empty()) {
            sheets.push(certificate(
                name,
                desk.words(
                    format!("在“{}”中荣获{}。特发此证，以资鼓励。", view.title, award.label),
                    format!("has won “{}” in “{}”.", award.label, view.title),
                ),
            ));
        }
    }
    Document { title: desk.t("证书", "Certificates").into(), sheets, desk: &desk }.answer()
}

/// 一, 十二, 二十: as certificates write places.
fn ordinal(rank: u16) -> String {
    let digits = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    match rank {
        1..=9 => digits[usize::from(rank)].into(),
        10..=19 => format!("十{}", digits[usize::from(rank - 10)]),
        20..=99 => format!("{}十{}", digits[usize::from(rank / 10)], digits[usize::from(rank % 10)]),
        _ => rank.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn places_are_written_in_chinese() {
        assert_eq!([1, 10, 12, 20, 35].map(super::ordinal), ["一", "十", "十二", "二十", "三十五"]);
    }
}
