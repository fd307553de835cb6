//! 出场名单: handed in secretly, compared by nobody before both are in or the deadline has passed.

use axum::response::Response;
use hall::desk::DeskAct;
use maud::{Markup, html};
use tournament::{BoardNo, EntrantNo, Lineup, MemberNo, RoundNo, home_colour};
use xiangqi::Side;

use super::{AtDesk, Frame, Sent, Tab, day_time, hidden};
use crate::lang::Lang;
use crate::page::disc;

/// `GET /desk/lineups`: of the round that has not started, else of the last one; `?team=` opens a team's.
pub(super) async fn page(desk: AtDesk) -> Response {
    let view = &desk.view;
    let (Some(round), Some(rules)) = (view.rounds.last(), view.settings.team_rules()) else {
        let body = html! { p class="none" { (desk.t("公布对阵后交出场名单。", "Line-ups are handed in after the pairings are published.")) } };
        let title = desk.t("出场名单", "Line-ups").to_owned();
        return Frame { tab: Tab::Lineups, title, head: html! {}, body, foot: (html! {}, "") }.answer(&desk);
    };
    let due = view.settings.lineups_due(round.no);
    let now = desk.state.hub.now();
    let past = due.is_some_and(|due| due < now);
    let given = |team: EntrantNo| view.lineups.get(&team).is_some_and(|of| of.contains_key(&round.no));
    let state = |team: EntrantNo| match (given(team), past || round.started) {
        (true, _) => html! { span class="stt ok" { (desk.t("已交", "in")) } },
        (false, true) => html! { span class="stt wv" { (desk.t("用上轮", "last order")) } },
        (false, false) => html! { span class="stt pd" { (desk.t("待交", "awaited")) } },
    };
    let chosen = desk.reader.asked::<u16>("team").map(EntrantNo).filter(|no| view.form_of(*no).is_some());
    let matches = round.pairs.iter().filter_map(|pair| Some((pair, pair.black?)));
    let body = html! {
        div class="cols two" {
            div class="scroll" {
                table class="gd" {
                    thead { tr { th class="num" { (desk.t("场", "Match")) } th { (desk.t("主队", "Home")) } th {} th { (desk.t("客队", "Away")) } th {} } }
                    tbody { @for (pair, away) in matches {
                        tr { td class="num" { b { (pair.table) } }
                            @for team in [pair.red, away] { td { a href={ "/desk/lineups?team=" (team) } { (team) " " (view.entrant(team).0) } } td { (state(team)) } } }
                    } }
                }
                p class="note sub" {
                    (desk.t("名单在双方交齐或截止前互不可见。", "Nobody sees a line-up before both are in or the time is up. "))
                    (free(&desk, rules.boards, &rules.fixed))
                    (desk.t("主队单数台执红，客队双数台执红。", "The home team has Red on odd boards, the away team on even ones."))
                }
            }
            aside class="pnl" { @if let Some(team) = chosen { (team_form(&desk, round.no, team, rules.boards, past, round.started)) } @else { p { (desk.t("选一个队填写名单。", "Choose a team.")) } } }
        }
    };
    let head = html! {
        @if let Some(due) = due { span class={ "bd" @if !past { " bd-p1" } } { (if past { desk.t("已截止 ", "closed ") } else { desk.t("截止 ", "due ") }) (day_time(&desk, due)) } }
        span class="sp" {} a class="btn btn-s" href={ "/print/lineups/" (round.no) } { (desk.t("空白名单", "Blank forms")) }
    };
    let title = match desk.reader.lang {
        Lang::Zh => format!("第{}轮出场名单", round.no),
        Lang::En => format!("Round {} line-ups", round.no),
    };
    let foot = html! { (desk.t("开赛前 ", "due ")) (view.settings.lineup_minutes) (desk.t(" 分钟截止，逾时用上一轮名单", " minutes before the start; then the last order is used")) };
    Frame { tab: Tab::Lineups, title, head, body, foot: (foot, "") }.answer(&desk)
}

fn free(desk: &AtDesk, boards: u16, fixed: &std::collections::BTreeSet<BoardNo>) -> String {
    let fixed: Vec<String> = fixed.iter().map(|board| board.0.to_string()).collect();
    match desk.reader.lang {
        Lang::Zh => format!("共{boards}台，{}台定人，其余临时定台。", fixed.join("、")),
        Lang::En => format!("{boards} boards; fixed: {}; the others are free. ", fixed.join(", ")),
    }
}

fn team_form(
    desk: &AtDesk,
    round: RoundNo,
    team: EntrantNo,
    boards: u16,
    past: bool,
    started: bool,
) -> Markup {
    let view = &desk.view;
    let Some(form) = view.form_of(team) else { return html! {} };
    let none = std::collections::BTreeMap::new();
    let of_team = view.lineups.get(&team).unwrap_or(&none);
    let shown = view
        .settings
        .team_rules()
        .map(|rules| Lineup::of_round(rules, form.players.len() as u16, of_team, round));
    let home = view.round(round).is_some_and(|one| one.pairs.iter().any(|pair| pair.red == team));
    let seat = |board: BoardNo| {
        shown.as_ref().and_then(|lineup| lineup.0.get(usize::from(board.0 - 1)).copied().flatten())
    };
    html! {
        h2 { (team) (desk.t("号 ", " ")) (form.name()) span class="meta" { (if home { desk.t("主队", "home") } else { desk.t("客队", "away") }) (desk.t("　领队 ", " · captain ")) (form.leader) } }
        form method="post" action="/desk/lineups" class="sheetform" {
            (desk.seal()) (hidden("round", round.0)) (hidden("team", team.0))
            @for board in (1..=boards).map(BoardNo) {
                @let red = (home_colour(board) == Side::Red) == home;
                div class="row seat" {
                    b { (board.0) } (disc(if red { Side::Red } else { Side::Black }, desk.reader.lang))
                    select name={ "b" (board.0) } disabled[started] aria-label={ (desk.t("台", "board ")) (board.0) } {
                        option value="" { (desk.t("— 缺席", "— absent")) }
                        @for (at, player) in (1..).map(MemberNo).zip(&form.players) { option value=(at.0) selected[seat(board) == Some(at)] { (at.0) " " (player.name) } }
                    }
                    @if view.settings.is_fixed(board) { span class="sub" { (desk.t("定人", "fixed")) } }
                }
            }
            @if !started {
                @if past { label class="tick" { input type="checkbox" name="late" value="1" required; (desk.t(" 已过时限，裁判长同意补交", " late, with the chief arbiter's consent")) } }
                button class="btn btn-1" { (desk.t("交名单", "Hand in")) }
            }
        }
    }
}

/// `POST /desk/lineups`.
pub(super) async fn hand_in(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let round = RoundNo(fields.get("round").unwrap_or(0));
    let team = EntrantNo(fields.get("team").unwrap_or(0));
    let boards = desk.view.settings.team_rules().map_or(0, |rules| rules.boards);
    let seats = (1..=boards).map(|board| fields.get(&format!("b{board}")).map(MemberNo));
    let lineup = Some(Lineup(seats.collect()));
    let back = format!("/desk/lineups?team={team}");
    desk.act(DeskAct::LineUp { round, team, lineup, late: fields.has("late") }, &back).await
}
