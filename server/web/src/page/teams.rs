//! `/teams`, `/team/N` and `/round/N/match/M`: the teams of a team event, and a match (场) with its boards (台次).
//!
//! 局分 and 场分 are added up here from what the public may see of the boards, so a delay and hidden results hold.

use axum::extract::Path;
use axum::response::Response;
use hall::view::{GameStatus, GameView, MatchView, PairingView, PlayerView, RoundView, TeamView, TeamsView};
use maud::{Markup, html};
use tournament::{BoardNo, EntrantNo, Points, RoundNo, TableNo, TeamRules, home_colour, team_bye};
use xiangqi::{BySide, Side};

use super::home::round_name;
use super::live::tile;
use super::pairings;
use super::shell::{Page, Place, Reader, disc, not_found, tabs};
use super::standings;
use crate::audience::Public;
use crate::hub::Shown;
use crate::lang::Lang;
use crate::topic::Topic;
use crate::words;

/// A match as far as it has got. Home is Red.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// 局分 so far.
    pub boards: BySide<Points>,
    /// 场分, once all boards are over.
    pub points: Option<BySide<Points>>,
    /// Boards without a result.
    pub open: usize,
}

/// What the boards of a match come to; `None` where results are hidden.
#[must_use]
pub fn score(shown: &Shown, rules: &TeamRules, round: &RoundView, of: &MatchView) -> Option<Score> {
    if shown.without_results {
        return None;
    }
    if of.away.is_none() {
        let bye = team_bye(rules, round.round, of.home.no);
        let boards = bye.boards.map_or(BySide::both(Points(0)), |tally| tally.points);
        return Some(Score { boards, points: Some(bye.score), open: 0 });
    }
    let mut score = Score { boards: BySide::both(Points(0)), points: None, open: 0 };
    let mut was_played = false;
    for (board, table) in (1..).map(BoardNo).zip(&of.boards) {
        let GameStatus::Finished(outcome) = status(shown, round, *table).0 else {
            score.open += 1;
            continue;
        };
        was_played |= outcome.ending != arbitration::Ending::Forfeit;
        let worth = hall::score(&rules.board, outcome);
        let (home, away) = match home_colour(board) {
            Side::Red => (worth.red, worth.black),
            Side::Black => (worth.black, worth.red),
        };
        score.boards.red += home;
        score.boards.black += away;
    }
    if score.open == 0 {
        score.points = Some(rules.of_match(score.boards, was_played).1);
    }
    Some(score)
}

fn pairing(round: &RoundView, table: TableNo) -> Option<&PairingView> {
    round.pairings.iter().find(|pairing| pairing.table == Some(table))
}

fn game(shown: &Shown, round: RoundNo, table: TableNo) -> Option<&GameView> {
    shown.games.get(&(round, table)).map(|game| &**game)
}

/// Where a board stands, and how many plies were played there.
fn status(shown: &Shown, round: &RoundView, table: TableNo) -> (GameStatus, usize) {
    let view = pairing(round, table);
    view.map_or((GameStatus::NotStarted, 0), |view| words::standing_of(view, game(shown, round.round, table)))
}

/// The pairings of a team event: each match with its running score, and its boards.
#[must_use]
pub fn matches(shown: &Shown, teams: &TeamsView, round: &RoundView, reader: &Reader) -> Markup {
    html! {
        @for of in &round.matches {
            section class="match" {
                (river(shown, &teams.rules, round, of, reader, true))
                @if !of.boards.is_empty() {
                    ol class="prs" {
                        @for pairing in of.boards.iter().filter_map(|table| pairing(round, *table)) {
                            li { (pairings::row(shown, round.round, pairing, reader)) }
                        }
                    }
                }
            }
        }
    }
}

/// Both teams with the score of their match between them.
fn river(
    shown: &Shown,
    rules: &TeamRules,
    round: &RoundView,
    of: &MatchView,
    reader: &Reader,
    linked: bool,
) -> Markup {
    let score = score(shown, rules, round, of);
    let side = |team: &PlayerView, class: &str, role: &'static str| {
        html! {
            a class={ "tm " (class) } href={ "/team/" (team.no) } {
                b lang="zh" { (team.name) }
                small {
                    (role)
                    @if !shown.without_results { @match reader.lang {
                        Lang::Zh => { " · 场分" (team.points) @if team.rank > 0 { " 第" (team.rank) "名" } }
                        Lang::En => { " · " (team.points) " pts" @if team.rank > 0 { ", rank " (team.rank) } }
                    } }
                }
            }
        }
    };
    let Some(away) = &of.away else {
        return html! { div class="mt" { (side(&of.home, "", "")) span class="ms" { b { (reader.t("轮空", "Bye")) } } span {} } };
    };
    let between = html! {
        @match score {
            Some(Score { boards, points, open }) => {
                b { (boards.red) " : " (boards.black) }
                small { @match (points, reader.lang) {
                    (Some(points), Lang::Zh) => { "局分 · 场分" (points.red) "–" (points.black) }
                    (Some(points), Lang::En) => { "boards · match " (points.red) "–" (points.black) }
                    (None, Lang::Zh) => { "局分 · 余" (open) "台" }
                    (None, Lang::En) => { "boards · " (open) " to come" }
                } }
            }
            None => { b { "–" } small { (reader.t("赛果不显示", "not shown")) } }
        }
    };
    html! {
        div class="mt" {
            (side(&of.home, "", reader.t("主队", "home")))
            @if linked {
                a class="ms" href={ "/round/" (round.round) "/match/" (of.no) } { (between) }
            } @else {
                span class="ms" { (between) }
            }
            (side(away, "aw", reader.t("客队", "away")))
        }
    }
}

/// `GET /round/{round}/match/{no}`.
pub async fn of_match(state: Public, Path(at): Path<(String, String)>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let round = at.0.parse().ok().and_then(|no| shown.rounds.get(&RoundNo(no)).cloned());
    let found = round.as_deref().zip(shown.teams.as_deref()).and_then(|(round, teams)| {
        let no = TableNo(at.1.parse().ok()?);
        Some((round, teams, round.matches.iter().find(|of| of.no == no)?))
    });
    let Some((round, teams, of)) = found else {
        return not_found(&state.hub, &reader, reader.t("没有这一场", "There is no such match"));
    };
    let title = match reader.lang {
        Lang::Zh => format!("第{}轮 · 第{}场", round.round, of.no),
        Lang::En => format!("Round {}, match {}", round.round, of.no),
    };
    let back = format!("/round/{}", round.round);
    let grids: std::collections::BTreeSet<Topic> =
        of.boards.iter().map(|table| Topic::grid_of(round.round, *table)).collect();
    let page = Page::new(title, Place::Teams, Some(&back))
        .follow([Topic::Event, Topic::Round(round.round)])
        .follow(grids);
    let running = of.boards.iter().filter(|table| {
        matches!(status(&shown, round, **table).0, GameStatus::Playing | GameStatus::Pending)
    });
    let running: Vec<_> = running.filter_map(|table| game(&shown, round.round, *table)).collect();
    let body = html! {
        main id="main" class="one" {
            div class="big-match" data-part="match" {
                (river(&shown, &teams.rules, round, of, &reader, false))
                ol class="prs boards" {
                    @for (board, table) in (1..).map(BoardNo).zip(&of.boards) {
                        @if let Some(pairing) = pairing(round, *table) {
                            li { (board_row(&shown, round.round, board, pairing, &reader)) }
                        }
                    }
                }
            }
            @if !running.is_empty() {
                div class="gr few" data-part="grid" { @for game in running { (tile(&state.hub, game, &reader)) } }
            }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

/// A board of a match: home left, away right, each with its colour.
fn board_row(
    shown: &Shown,
    round: RoundNo,
    board: BoardNo,
    pairing: &PairingView,
    reader: &Reader,
) -> Markup {
    let (Some(table), Some(black)) = (pairing.table, &pairing.black) else { return html! {} };
    let game = game(shown, round, table);
    let (status, plies) = words::standing_of(pairing, game);
    let (big, small) = words::between(status, plies);
    let colour = home_colour(board);
    let (home, away) = match colour {
        Side::Red => (&pairing.red, black),
        Side::Black => (black, &pairing.red),
    };
    // The score between two names has home's points first.
    let big = match (colour, status) {
        (Side::Black, GameStatus::Finished(_)) => {
            let (red, black) = big.get(reader.lang).split_once('–').unwrap_or_default();
            format!("{black}–{red}")
        }
        (Side::Red | Side::Black, _) => big.get(reader.lang).to_owned(),
    };
    let seat = |player: &PlayerView, side: Side, class: &str| {
        let name = match side {
            Side::Red => "red",
            Side::Black => "black",
        };
        html! { span class={ "s " (name) " " (class) } { (disc(side, reader.lang)) b lang="zh" { (player.name) } } }
    };
    let class = format!("pr {}", words::state(status));
    let turned = colour == Side::Black;
    let cells = html! {
        span class="k" { (board.0) }
        (seat(home, colour, ""))
        span class="mid2" { span data-big { (big) } small data-small { (small.get(reader.lang)) } }
        (seat(away, colour.opposite(), "bk"))
    };
    html! {
        @if game.is_some() {
            a class=(class) href={ "/round/" (round) "/table/" (table) } data-row=(table) data-turned[turned]
                data-win=[words::winner(status)] { (cells) }
        } @else {
            div class=(class) data-row=(table) data-turned[turned] data-win=[words::winner(status)] { (cells) }
        }
    }
}

/// A team's match of a round.
struct Played<'a> {
    round: &'a RoundView,
    of: &'a MatchView,
    /// Whether the team is at home.
    home: bool,
    score: Option<Score>,
}

impl Played<'_> {
    /// 局分 and 场分 of the team and of the other one.
    fn of_team(&self) -> Option<([Points; 2], Option<[Points; 2]>)> {
        let turn = |of: BySide<Points>| if self.home { [of.red, of.black] } else { [of.black, of.red] };
        self.score.map(|score| (turn(score.boards), score.points.map(turn)))
    }
}

fn played<'a>(shown: &'a Shown, rules: &TeamRules, team: EntrantNo) -> Vec<Played<'a>> {
    let all = shown.rounds.values().flat_map(|round| round.matches.iter().map(move |of| (round, of)));
    all.filter_map(|(round, of)| {
        let home = of.home.no == team;
        let here = home || of.away.as_ref().is_some_and(|away| away.no == team);
        here.then(|| Played { round, of, home, score: score(shown, rules, round, of) })
    })
    .collect()
}

/// 场分 and 局分 of a team as they stand.
fn totals(played: &[Played<'_>]) -> (u32, u32) {
    let of = played.iter().filter_map(Played::of_team);
    of.fold((0, 0), |(matches, boards), (of_boards, of_match)| {
        (matches + of_match.map_or(0, |points| points[0].0), boards + of_boards[0].0)
    })
}

fn rank(shown: &Shown, team: EntrantNo) -> Option<u16> {
    shown.standing.as_ref()?.rows.iter().find(|row| row.no == team).map(|row| row.rank)
}

/// `GET /teams`: by rank, with the points as they stand.
pub async fn teams(state: Public, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let Some(teams) = shown.teams.clone() else {
        return not_found(&state.hub, &reader, reader.t("这不是团体赛", "This is no team event"));
    };
    let mut all: Vec<(&TeamView, Option<u16>)> =
        teams.teams.iter().map(|team| (team, rank(&shown, team.no))).collect();
    all.sort_by_key(|(team, rank)| (rank.unwrap_or(u16::MAX), team.no));
    let page = Page::new(reader.t("队伍", "Teams").to_owned(), Place::Teams, Some("/"))
        .follow([Topic::Event, Topic::Standing])
        .follow(shown.current_round().map(|round| Topic::Round(round.round)));
    let body = html! {
        main id="main" class="one" {
            (tabs(&shown, &reader, Place::Teams))
            section class="sec" data-part="teams" {
                h2 {
                    (reader.t("队伍", "Teams"))
                    span class="meta" { (all.len()) (reader.t("队", " teams")) }
                }
                @if shown.without_results { (standings::hidden(&shown, &reader)) }
                div class="scroll" {
                    table class="stg" {
                        thead { tr {
                            th class="rk" scope="col" { (reader.t("名次", "#")) }
                            th scope="col" { (reader.t("队伍", "Team")) }
                            th class="num" scope="col" { (reader.t("场分", "Match pts")) }
                            th class="num" scope="col" { (reader.t("局分", "Board pts")) }
                            th class="num" scope="col" { (reader.t("队员", "Players")) }
                        } }
                        tbody {
                            @for (team, rank) in all {
                                @let (of_matches, of_boards) = totals(&played(&shown, &teams.rules, team.no));
                                tr {
                                    td class="rk" { @if let Some(rank) = rank { (rank) } }
                                    td { a href={ "/team/" (team.no) } { b lang="zh" { (team.name) } " " span class="mut" { (team.no) } } }
                                    td class="num pt" { @if !shown.without_results { (of_matches) } }
                                    td class="num" { @if !shown.without_results { (of_boards) } }
                                    td class="num" { (team.members.len()) }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

/// `GET /team/{no}`: its points, its players and its matches.
pub async fn team(state: Public, Path(no): Path<String>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let teams = shown.teams.clone();
    let no = no.parse().ok().map(EntrantNo);
    let found = teams
        .as_deref()
        .and_then(|teams| Some((teams, teams.teams.iter().find(|team| Some(team.no) == no)?)));
    let Some((teams, team)) = found else {
        return not_found(&state.hub, &reader, reader.t("没有这支队伍", "There is no such team"));
    };
    let played = played(&shown, &teams.rules, team.no);
    let (of_matches, of_boards) = totals(&played);
    let page = Page::new(team.name.clone(), Place::Teams, Some("/teams"))
        .follow([Topic::Event, Topic::Standing])
        .follow(shown.current_round().map(|round| Topic::Round(round.round)));
    let body = html! {
        main id="main" class="one" {
            header class="who" { h1 lang="zh" { (team.name) } p class="meta" { (reader.t("", "No. ")) (team.no) (reader.t("号队", "")) } }
            @if !shown.without_results {
                dl class="figures" data-part="figures" {
                    @if let Some(rank) = rank(&shown, team.no) { div { dd { (rank) } dt { (reader.t("名次", "Rank")) } } }
                    div { dd { (of_matches) } dt { (reader.t("场分", "Match points")) } }
                    div { dd { (of_boards) } dt { (reader.t("局分", "Board points")) } }
                }
            }
            section class="sec" data-part="matches" {
                h2 { (reader.t("各轮", "Matches")) }
                div class="scroll" {
                    table class="stg" {
                        thead { tr {
                            th class="rk" scope="col" { (reader.t("轮", "Rd")) }
                            th scope="col" { (reader.t("主客", "Home")) }
                            th scope="col" { (reader.t("对手", "Against")) }
                            th class="num" scope="col" { (reader.t("局分", "Boards")) }
                            th class="num" scope="col" { (reader.t("场分", "Match")) }
                            th {}
                        } }
                        tbody { @for played in &played { (line(played, &reader)) } }
                    }
                }
                @if played.is_empty() { p class="none" { (reader.t("对阵尚未公布", "The pairings are not out yet")) } }
            }
            section class="sec" {
                h2 { (reader.t("队员", "Players")) }
                ul class="people" {
                    @for (no, name) in &team.members {
                        li { a href={ "/player/" (no) } { span class="k" { (no) } b lang="zh" { (name) } } }
                    }
                }
            }
        }
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

fn line(played: &Played<'_>, reader: &Reader) -> Markup {
    let against = if played.home { played.of.away.as_ref() } else { Some(&played.of.home) };
    html! {
        tr {
            td class="rk" { (played.round.round) }
            td class="sub" { @if against.is_some() { (if played.home { reader.t("主", "home") } else { reader.t("客", "away") }) } }
            td { @match against {
                Some(team) => { a href={ "/team/" (team.no) } { b lang="zh" { (team.name) } } }
                None => { (reader.t("轮空", "Bye")) }
            } }
            @let of_team = played.of_team();
            td class="num pt" { @if let Some(([own, other], _)) = of_team { (own) "–" (other) } }
            td class="num" { @match of_team {
                Some((_, Some([own, _]))) => { (own) }
                Some((_, None)) => { (reader.t("进行", "live")) }
                None => {}
            } }
            td { a href={ "/round/" (played.round.round) "/match/" (played.of.no) } title=(round_name(played.round.round, reader.lang)) {
                (reader.t("对阵", "Boards"))
            } }
        }
    }
}
