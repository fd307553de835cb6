//! The views, and games as files by the ending of their path.

use std::ops::RangeBounds;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use tournament::{RoundNo, TableNo};
use xiangqi::files::Game;

use super::files::{File, Options};
use super::{Answer, ApiError, answer, json, model, picture};
use crate::audience::Public;
use crate::lang::query;
use crate::{AppState, auth, export};

/// The event: title, rounds, time control, delay.
#[utoipa::path(get, path = "/event", tag = "views", responses(
    (status = 200, body = model::Event),
    (status = 404, description = "No event was opened yet", body = model::Error)))]
pub async fn event(state: Public, parts: Parts) -> Answer {
    let (view, broadcast, plies) = state.hub.look(|shown| {
        let plies = shown.games.values().map(|game| game.plies.len() as u64).sum();
        (shown.event.clone(), Arc::clone(&shown.broadcast), plies)
    });
    view.map(|view| json(&parts, &model::Event::of(&view, &broadcast, plies)))
        .ok_or_else(|| ApiError::missing("no event was opened yet"))
}

/// The teams with their players; none in an individual event.
#[utoipa::path(get, path = "/teams", tag = "views", responses((status = 200, body = Vec<model::Team>)))]
pub async fn teams(state: Public, parts: Parts) -> Response {
    let teams = state.hub.look(|shown| shown.teams.clone());
    let teams: Vec<model::Team> =
        teams.iter().flat_map(|teams| &teams.teams).map(model::Team::from).collect();
    json(&parts, &teams)
}

/// The numbers of the rounds that were paired.
#[utoipa::path(get, path = "/rounds", tag = "views", responses((status = 200, body = Vec<u16>)))]
pub async fn rounds(state: Public, parts: Parts) -> Response {
    let rounds: Vec<u16> = state.hub.look(|shown| shown.rounds.keys().map(|round| round.0).collect());
    json(&parts, &rounds)
}

/// A round's pairings with results; with an ending its games as a file.
#[utoipa::path(get, path = "/rounds/{round}", tag = "views",
    params(
        ("round" = String, Path, description = "The round's number; with `.pgn`, `.dhtmlxq`, `.uci` or `.txt` its games as a file", example = "3"),
        ("format" = inline(Option<model::Format>), Query, description = "In a PGN: `chinese`, `wxf`, `iccs` or `uci`"),
        ("clocks" = Option<String>, Query, description = "In a PGN: `1` for the clock after each ply"),
        ("charset" = inline(Option<model::Charset>), Query, description = "Of a file: `utf-8` or `gbk`")),
    responses(
        (status = 200, content((model::Round = "application/json"), (String = "application/x-chess-pgn"), (String = "text/plain"))),
        (status = 400, description = "An option that is none", body = model::Error),
        (status = 404, description = "No such round or file", body = model::Error),
        (status = 422, description = "A name that the charset cannot write", body = model::Error)))]
pub async fn round(state: Public, Path(name): Path<String>, parts: Parts) -> Answer {
    let (round, ending) = split(&name);
    let view =
        round.parse().ok().and_then(|n| state.hub.look(|shown| shown.rounds.get(&RoundNo(n)).cloned()));
    let view = view.ok_or_else(|| ApiError::missing(format!("there is no round {round}")))?;
    let options = Options::asked(&parts)?;
    match ending {
        None | Some("json") => Ok(json(&parts, &state.hub.look(|shown| model::Round::of(&view, shown)))),
        Some(ending) => {
            let file = File::asked(ending, options)?;
            file.answer(&parts, &format!("round{round}"), &games(&state, view.round..=view.round))
        }
    }
}

/// One game; with an ending as a file or as a picture of its position.
#[utoipa::path(get, path = "/games/{round}/{table}", tag = "views",
    params(
        ("round" = String, Path, description = "The round's number", example = "3"),
        ("table" = String, Path, description = "The table's number; with `.pgn`, `.dhtmlxq`, `.xqf`, `.uci` or `.txt` the game as a file, with `.svg` a picture", example = "3"),
        ("format" = inline(Option<model::Format>), Query, description = "In a PGN: `chinese`, `wxf`, `iccs` or `uci`"),
        ("clocks" = Option<String>, Query, description = "In a PGN: `1` for the clock after each ply"),
        ("charset" = inline(Option<model::Charset>), Query, description = "Of a file: `utf-8` or `gbk`"),
        ("ply" = Option<u16>, Query, description = "Of a picture: the position after this ply", maximum = 65535)),
    responses(
        (status = 200, content((model::Game = "application/json"), (String = "application/x-chess-pgn"),
            (String = "text/plain"), (String = "application/octet-stream"), (String = "image/svg+xml"))),
        (status = 400, description = "An option that is none", body = model::Error),
        (status = 404, description = "No such game or file", body = model::Error),
        (status = 422, description = "A name that the charset cannot write", body = model::Error)))]
pub async fn game(state: Public, Path(at): Path<(String, String)>, parts: Parts) -> Answer {
    let (table, ending) = split(&at.1);
    let missing = || ApiError::missing(format!("there is no game at table {table} of round {}", at.0));
    let key = at.0.parse().ok().zip(table.parse().ok()).map(|(r, t)| (RoundNo(r), TableNo(t)));
    let key = key.ok_or_else(missing)?;
    let (game, event) = state.hub.look(|shown| (shown.games.get(&key).cloned(), shown.event.clone()));
    let game = game.ok_or_else(missing)?;
    let ply = query(&parts, "ply").map(str::parse::<u16>).transpose();
    let ply = ply.map_err(|_| ApiError::bad("ply: a number up to 65535 was expected"))?;
    let options = Options::asked(&parts)?;
    match ending {
        None | Some("json") => Ok(json(&parts, &model::Game::from(&*game))),
        Some("svg") => Ok(answer(&parts, "image/svg+xml", picture::board(&game, ply.map(usize::from)))),
        Some(ending) => {
            let file = File::asked(ending, options)?;
            let game = export::game(&game, event.as_deref());
            file.answer(&parts, &format!("round{}-table{table}", at.0), &[game])
        }
    }
}

/// All games of the event as a PGN.
#[utoipa::path(get, path = "/games.pgn", tag = "files",
    params(
        ("format" = inline(Option<model::Format>), Query, description = "`chinese`, `wxf`, `iccs` or `uci`"),
        ("clocks" = Option<String>, Query, description = "`1` for the clock after each ply"),
        ("charset" = inline(Option<model::Charset>), Query, description = "`utf-8` or `gbk`")),
    responses(
        (status = 200, body = String, content_type = "application/x-chess-pgn"),
        (status = 400, description = "An option that is none", body = model::Error),
        (status = 422, description = "A name that the charset cannot write", body = model::Error)))]
pub async fn all_pgn(state: Public, parts: Parts) -> Answer {
    File::asked("pgn", Options::asked(&parts)?)?.answer(&parts, "games", &games(&state, ..))
}

/// All games of the event as DhtmlXQ (东萍).
#[utoipa::path(get, path = "/games.dhtmlxq", tag = "files",
    params(("charset" = inline(Option<model::Charset>), Query, description = "`utf-8` or `gbk`")),
    responses(
        (status = 200, body = String, content_type = "text/plain"),
        (status = 400, description = "An option that is none", body = model::Error),
        (status = 422, description = "A name that the charset cannot write", body = model::Error)))]
pub async fn all_dhtmlxq(state: Public, parts: Parts) -> Answer {
    File::asked("dhtmlxq", Options::asked(&parts)?)?.answer(&parts, "games", &games(&state, ..))
}

/// The standing.
#[utoipa::path(get, path = "/standing", tag = "views", responses(
    (status = 200, body = model::Standing),
    (status = 404, description = "There is none yet", body = model::Error)))]
pub async fn standing(state: Public, parts: Parts) -> Answer {
    let view = state.hub.look(|shown| shown.standing.clone());
    view.map(|view| json(&parts, &model::Standing::from(&*view)))
        .ok_or_else(|| ApiError::missing("there is no standing before round 1"))
}

/// The standing as comma-separated values, with Chinese heads.
#[utoipa::path(get, path = "/standing.csv", tag = "files", responses(
    (status = 200, body = String, content_type = "text/csv"),
    (status = 404, description = "There is none yet", body = model::Error)))]
pub async fn standing_csv(state: Public, parts: Parts) -> Answer {
    let (view, event) = state.hub.look(|shown| (shown.standing.clone(), shown.event.clone()));
    let view = view.ok_or_else(|| ApiError::missing("there is no standing before round 1"))?;
    let groups = event.map_or_else(Vec::new, |event| event.groups.clone());
    Ok(answer(&parts, "text/csv; charset=utf-8", export::csv(&view, &groups)))
}

/// The open alerts: for officials.
#[utoipa::path(get, path = "/alerts", tag = "officials", responses(
    (status = 200, description = "The open alerts", content_type = "application/json", body = serde_json::Value),
    (status = 401, description = "Sign in first", body = model::Error),
    (status = 403, description = "Not for you", body = model::Error)))]
pub async fn alerts(State(state): State<AppState>, parts: Parts) -> Answer {
    auth::admit(&state, &parts, hall::Room::Duty)
        .map_err(|denied| ApiError(denied.status(), denied.say(crate::Lang::En).to_owned()))?;
    let view = state.hub.look(|shown| Arc::clone(&shown.alerts));
    let mut answer = json(&parts, &*view);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}

/// The games of some rounds, by table; those without a move are left out.
pub fn games(state: &Public, rounds: impl RangeBounds<RoundNo>) -> Vec<Game> {
    state.hub.look(|shown| {
        let views =
            shown.games.values().filter(|game| rounds.contains(&game.round) && !game.plies.is_empty());
        views.map(|game| export::game(game, shown.event.as_deref())).collect()
    })
}

/// `12.pgn` is 12, as a PGN.
fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once('.').map_or((name, None), |(name, ending)| (name, Some(ending)))
}
