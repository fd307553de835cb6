//! `/api/v1`: every view as JSON, and games as files.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeBounds;
use std::sync::Arc;
use tournament::{RoundNo, TableNo};
use xiangqi::Notation;
use xiangqi::files::{self, Encoding, Game, pgn};

use crate::audience::Public;
use crate::lang::query;
use crate::{AppState, auth, export, frame};

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
fn answer(parts: &Parts, kind: &str, body: impl Into<Bytes>) -> Response {
    let body: Bytes = body.into();
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
pub async fn event(state: Public, parts: Parts) -> Answer {
    let view = state.hub.look(|shown| shown.event.clone());
    view.map(|view| json(&parts, &*view)).ok_or_else(|| ApiError::missing("no event was opened yet"))
}

/// `GET /api/v1/rounds`: the numbers of the rounds that were paired.
pub async fn rounds(state: Public, parts: Parts) -> Response {
    let rounds: Vec<RoundNo> = state.hub.look(|shown| shown.rounds.keys().copied().collect());
    json(&parts, &rounds)
}

/// `GET /api/v1/rounds/{r}`, and its games as a file: `/api/v1/rounds/3.pgn`.
pub async fn round(state: Public, Path(name): Path<String>, parts: Parts) -> Answer {
    let (round, ending) = split(&name);
    let view =
        round.parse().ok().and_then(|n| state.hub.look(|shown| shown.rounds.get(&RoundNo(n)).cloned()));
    let view = view.ok_or_else(|| ApiError::missing(format!("there is no round {round}")))?;
    match ending {
        None | Some("json") => Ok(json(&parts, &*view)),
        Some(ending) => {
            let file = File::asked(ending, &parts)?;
            file.answer(&parts, &format!("round{round}"), &games(&state, view.round..=view.round))
        }
    }
}

/// `GET /api/v1/games.pgn`, `/api/v1/games.dhtmlxq`: all games of the event.
pub async fn all_games(state: Public, uri: Uri, parts: Parts) -> Answer {
    let (_, ending) = split(uri.path().trim_start_matches('/'));
    File::asked(ending.unwrap_or_default(), &parts)?.answer(&parts, "games", &games(&state, ..))
}

/// `GET /api/v1/standing`.
pub async fn standing(state: Public, parts: Parts) -> Answer {
    let view = state.hub.look(|shown| shown.standing.clone());
    view.map(|view| json(&parts, &*view))
        .ok_or_else(|| ApiError::missing("there is no standing before round 1"))
}

/// `GET /api/v1/alerts`: for officials.
pub async fn alerts(State(state): State<AppState>, parts: Parts) -> Answer {
    auth::admit(&state, &parts, hall::Room::Duty)
        .map_err(|denied| ApiError(denied.status(), denied.say(crate::Lang::En).to_owned()))?;
    let view = state.hub.look(|shown| Arc::clone(&shown.alerts));
    let mut answer = json(&parts, &*view);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer.headers_mut().remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
    Ok(answer)
}

/// `GET /api/v1/games/{r}/{t}`, and as a file: see [`File`].
pub async fn game(state: Public, Path(at): Path<(String, String)>, parts: Parts) -> Answer {
    let (table, ending) = split(&at.1);
    let missing = || ApiError::missing(format!("there is no game at table {table} of round {}", at.0));
    let key =
        at.0.parse()
            .ok()
            .zip(table.parse().ok())
            .map(|(r, t)| (RoundNo(r), TableNo(t)))
            .ok_or_else(missing)?;
    let (game, event) = state.hub.look(|shown| (shown.games.get(&key).cloned(), shown.event.clone()));
    let game = game.ok_or_else(missing)?;
    match ending {
        None | Some("json") => Ok(json(&parts, &*game)),
        Some(ending) => {
            let file = File::asked(ending, &parts)?;
            let game = export::game(&game, event.as_deref());
            file.answer(&parts, &format!("round{}-table{table}", at.0), &[game])
        }
    }
}

/// The games of some rounds, by table; those without a move are left out.
fn games(state: &Public, rounds: impl RangeBounds<RoundNo>) -> Vec<Game> {
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

/// A file of games: `.pgn` (`?format=chinese|wxf|iccs|uci`, `&clocks=1`), `.dhtmlxq`, `.uci`, and `.xqf` for one game;
/// `?charset=gbk` for programs that know nothing else.
struct File {
    kind: Kind,
    charset: (&'static str, Encoding),
}

#[derive(Clone, Copy)]
enum Kind {
    Pgn(pgn::Options),
    DhtmlXq,
    Uci,
    Xqf,
}

impl File {
    fn asked(ending: &str, parts: &Parts) -> Result<File, ApiError> {
        let bad = |message: String| ApiError(StatusCode::BAD_REQUEST, message);
        let kind = match ending {
            "pgn" => {
                let notation = query(parts, "format").map_or(Ok(Notation::Chinese), str::parse);
                let notation = notation.map_err(|error| bad(error.to_string()))?;
                Kind::Pgn(pgn::Options { notation, clocks: query(parts, "clocks") == Some("1") })
            }
            "dhtmlxq" => Kind::DhtmlXq,
            "uci" => Kind::Uci,
            "xqf" => Kind::Xqf,
            other => {
                return Err(ApiError::missing(format!(
                    ".{other} is not offered: .pgn, .dhtmlxq, .uci and .xqf are"
                )));
            }
        };
        let charset = match query(parts, "charset") {
            None | Some("utf-8") => ("utf-8", Encoding::Utf8),
            Some("gbk") => ("gbk", Encoding::Gbk),
            Some(other) => return Err(bad(format!("charset={other}: utf-8 or gbk was expected"))),
        };
        Ok(File { kind, charset })
    }

    fn answer(&self, parts: &Parts, name: &str, games: &[Game]) -> Answer {
        let (kind, ending, text) = match self.kind {
            Kind::Pgn(options) => ("application/x-chess-pgn", "pgn", pgn::write(games, options)),
            Kind::DhtmlXq => ("text/plain", "txt", files::write_dhtmlxq(games)),
            Kind::Uci => ("text/plain", "txt", files::write_uci(games)),
            Kind::Xqf => {
                let [game] = games else {
                    return Err(ApiError::missing(
                        "an .xqf holds one game: ask for it at /games/{r}/{t}.xqf",
                    ));
                };
                return Ok(download(
                    parts,
                    "application/octet-stream".to_owned(),
                    name,
                    "xqf",
                    files::write_xqf(game),
                ));
            }
        };
        let (charset, encoding) = self.charset;
        let bytes = encoding.encode(&text);
        let bytes = bytes.map_err(|error| ApiError(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
        Ok(download(parts, format!("{kind}; charset={charset}"), name, ending, bytes))
    }
}

fn download(parts: &Parts, kind: String, name: &str, ending: &str, bytes: Vec<u8>) -> Response {
    let mut response = answer(parts, &kind, bytes);
    let name = format!("attachment; filename=\"{name}.{ending}\"");
    let name = HeaderValue::from_str(&name).expect("names are made of words and numbers");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    response
}

/// `GET /api/…` otherwise.
pub async fn nothing() -> ApiError {
    ApiError::missing(
        "no such path: /api/v1/event, rounds, rounds/{r}, games/{r}/{t}, games.pgn, standing, alerts",
    )
}
