//! `/api/v1`: every view as JSON, and games as files.

use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use tournament::{RoundNo, TableNo};

use crate::lang::query;
use crate::{AppState, export, frame, staff};

/// Why a request has no answer, as JSON: `{"error":"…"}`.
pub struct ApiError(StatusCode, String);

impl ApiError {
    fn missing(what: impl Into<String>) -> ApiError {
        ApiError(StatusCode::NOT_FOUND, what.into())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = frame::json(&serde_json::json!({ "error": self.1 }));
        (self.0, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}

type Answer = Result<Response, ApiError>;

/// The text with its type, for caches and for other sites' pages: "not modified" for who has it already.
fn answer(parts: &Parts, kind: &'static str, body: String) -> Response {
    let mut hash = DefaultHasher::new();
    body.hash(&mut hash);
    let etag = format!("W/\"{:016x}\"", hash.finish());
    let mut headers = HeaderMap::new();
    let value = |text: &str| HeaderValue::from_str(text).expect("headers here are plain ASCII");
    headers.insert(header::ETAG, value(&etag));
    headers.insert(header::CACHE_CONTROL, value("public, max-age=1, stale-while-revalidate=5"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, value("*"));
    headers.insert(header::CONTENT_TYPE, value(kind));
    let known = parts.headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|tag| tag.trim() == etag)) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, body).into_response()
}

fn json(parts: &Parts, view: &impl Serialize) -> Response {
    answer(parts, "application/json", frame::json(view))
}

/// `GET /api/v1/event`.
pub async fn event(State(state): State<AppState>, parts: Parts) -> Answer {
    let view = state.hub.look(|shown| shown.event.clone());
    view.map(|view| json(&parts, &*view)).ok_or_else(|| ApiError::missing("no event was opened yet"))
}

/// `GET /api/v1/rounds`: the numbers of the rounds that were paired.
pub async fn rounds(State(state): State<AppState>, parts: Parts) -> Response {
    let rounds: Vec<RoundNo> = state.hub.look(|shown| shown.rounds.keys().copied().collect());
    json(&parts, &rounds)
}

/// `GET /api/v1/rounds/{r}`.
pub async fn round(State(state): State<AppState>, Path(round): Path<String>, parts: Parts) -> Answer {
    let view =
        round.parse().ok().and_then(|n| state.hub.look(|shown| shown.rounds.get(&RoundNo(n)).cloned()));
    view.map(|view| json(&parts, &*view))
        .ok_or_else(|| ApiError::missing(format!("there is no round {round}")))
}

/// `GET /api/v1/standing`.
pub async fn standing(State(state): State<AppState>, parts: Parts) -> Answer {
    let view = state.hub.look(|shown| shown.standing.clone());
    view.map(|view| json(&parts, &*view))
        .ok_or_else(|| ApiError::missing("there is no standing before round 1"))
}

/// `GET /api/v1/alerts`: for officials.
pub async fn alerts(State(state): State<AppState>, parts: Parts) -> Answer {
    staff::admit(&state, &parts)
        .map_err(|denied| ApiError(denied.status(), denied.say(crate::Lang::En).to_owned()))?;
    let view = state.hub.look(|shown| Arc::clone(&shown.alerts));
    let mut answer = json(&parts, &*view);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer.headers_mut().remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
    Ok(answer)
}

/// `GET /api/v1/games/{r}/{t}`, `….pgn`, `….dhtmlxq`. `?format=chinese|wxf|iccs` says how the PGN writes moves.
pub async fn game(State(state): State<AppState>, Path(at): Path<(String, String)>, parts: Parts) -> Answer {
    let (table, kind) = at.1.split_once('.').map_or((at.1.as_str(), ""), |(table, kind)| (table, kind));
    let missing = || ApiError::missing(format!("there is no game at table {table} of round {}", at.0));
    let key =
        at.0.parse()
            .ok()
            .zip(table.parse().ok())
            .map(|(r, t)| (RoundNo(r), TableNo(t)))
            .ok_or_else(missing)?;
    let (game, event) = state.hub.look(|shown| (shown.games.get(&key).cloned(), shown.event.clone()));
    let game = game.ok_or_else(missing)?;
    let title = event.as_ref().map_or("", |event| event.title.as_str());
    Ok(match kind {
        "" | "json" => json(&parts, &*game),
        "pgn" => {
            let format = match query(&parts, "format") {
                None | Some("chinese") => export::Format::Chinese,
                Some("wxf") => export::Format::Wxf,
                Some("iccs") => export::Format::Iccs,
                Some(other) => {
                    let message = format!("format={other}: chinese, wxf or iccs was expected");
                    return Err(ApiError(StatusCode::BAD_REQUEST, message));
                }
            };
            file(&parts, "application/x-chess-pgn", &game, "pgn", export::pgn(&game, title, format))
        }
        "dhtmlxq" => file(&parts, "text/plain", &game, "txt", export::dhtmlxq(&game, title)),
        other => {
            return Err(ApiError::missing(format!(".{other} is not offered: .json, .pgn and .dhtmlxq are")));
        }
    })
}

fn file(parts: &Parts, kind: &str, game: &hall::view::GameView, ending: &str, text: String) -> Response {
    let mut response = answer(parts, "text/plain; charset=utf-8", text);
    let put = |text: String| HeaderValue::from_str(&text).expect("headers here are plain ASCII");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, put(format!("{kind}; charset=utf-8")));
    let name = format!("attachment; filename=\"round{}-table{}.{ending}\"", game.round, game.table);
    headers.insert(header::CONTENT_DISPOSITION, put(name));
    response
}

/// `GET /api/…` otherwise.
pub async fn nothing() -> ApiError {
    ApiError::missing("no such path: /api/v1/event, rounds, rounds/{r}, games/{r}/{t}, standing, alerts")
}
