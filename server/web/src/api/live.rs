//! What goes on, for programs: a round's games as one endless PGN, the streams' frames as lines, the boards by polling.

use std::collections::BTreeMap;
use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use futures_util::stream;
use hall::view::{GameStatus, GameView};
use tokio_util::sync::CancellationToken;
use tournament::{RoundNo, TableNo};
use xiangqi::Notation;
use xiangqi::files::pgn;

use super::{Answer, ApiError, json, model};
use crate::audience::Public;
use crate::events::{self, KEEP_ALIVE, Open};
use crate::hub::{Follower, Mark, Shown};
use crate::lang::query;
use crate::{AppState, Hub, Topic, export, frame};

/// A game as the API shows it: for the shell's own outlets.
#[must_use]
pub fn game_json(view: &GameView) -> String {
    frame::json(&model::Game::from(view))
}

/// A round with its games as PGN and the standing: what is told of a finished one.
#[must_use]
pub fn round_json(shown: &Shown, round: RoundNo) -> String {
    let event = shown.event.as_deref();
    let games = shown.games.range((round, TableNo(0))..=(round, TableNo(u16::MAX)));
    let games: Vec<_> = games.map(|(_, game)| export::game(game, event)).collect();
    frame::json(&serde_json::json!({
        "event": event.map(|event| &event.title),
        "round": shown.rounds.get(&round).map(|round| model::Round::of(round, shown)),
        "pgn": pgn::write(&games, pgn::Options::default()),
        "standing": shown.standing.as_deref().map(model::Standing::from),
    }))
}

/// The boards of a round, small, those that changed since the last call or all: for programs without streams.
#[utoipa::path(get, path = "/rounds/{round}/state", tag = "live",
    params(
        ("round" = u16, Path, description = "The round's number", example = 3),
        ("since" = Option<String>, Query, description = "The `mark` of the last answer")),
    responses(
        (status = 200, body = model::Boards),
        (status = 404, description = "No such round", body = model::Error)))]
pub async fn state(state: Public, Path(round): Path<String>, parts: Parts) -> Answer {
    let round = paired(&state.hub, &round)?;
    let mark = state.hub.mark();
    let known: Option<Mark> = query(&parts, "since").and_then(|mark| mark.parse().ok());
    let known = known.filter(|known| (known.boot, known.audience) == (mark.boot, mark.audience));
    let news = |game: &GameView| {
        known.is_none_or(|known| state.hub.newest(Topic::Game(round, game.table)) > known.seq)
    };
    let games = state.hub.look(|shown| {
        let games = shown.games.range((round, TableNo(0))..=(round, TableNo(u16::MAX)));
        games.filter(|(_, game)| news(game)).map(|(_, game)| model::Small::from(&**game)).collect()
    });
    let boards = model::Boards { mark: mark.to_string(), now: state.hub.now().0, boards: games };
    Ok(json(&parts, &boards))
}

fn paired(hub: &Hub, round: &str) -> Result<RoundNo, ApiError> {
    let number = round.parse().ok().map(RoundNo);
    number
        .filter(|round| hub.has(Topic::Round(*round)))
        .ok_or_else(|| ApiError::missing(format!("there is no round {round}")))
}

/// The frames of the pages' streams (`game:3:12`, `round:3`, `grid:3:1`, `event`, `standing`), a JSON object a line.
#[utoipa::path(get, path = "/stream", tag = "live",
    params(
        ("topic" = String, Query, description = "What to follow; several with commas or repeated", example = "event"),
        ("after" = Option<String>, Query, description = "The id of the last frame that is known")),
    responses(
        (status = 200, description = "Lines without end", body = String, content_type = "application/x-ndjson"),
        (status = 400, description = "No topic, or none that is", body = model::Error),
        (status = 404, description = "Nothing of that name yet", body = model::Error)))]
pub async fn lines(state: State<AppState>, parts: Parts) -> Answer {
    events::lines(state, parts).await.map_err(|(status, what)| ApiError(status, what))
}

/// A round's games as one endless PGN: all of them first, then each game whole at every change of its moves or result.
#[utoipa::path(get, path = "/rounds/{round}/stream.pgn", tag = "live",
    params(
        ("round" = u16, Path, description = "The round's number", example = 3),
        ("format" = inline(Option<model::Format>), Query, description = "`chinese`, `wxf`, `iccs` or `uci`"),
        ("clocks" = Option<String>, Query, description = "`1` for the clock after each ply")),
    responses(
        (status = 200, description = "Games without end; an empty line every fifteen seconds", body = String, content_type = "application/x-chess-pgn"),
        (status = 400, description = "An option that is none", body = model::Error),
        (status = 404, description = "No such round", body = model::Error)))]
pub async fn pgn(
    state: Public,
    State(app): State<AppState>,
    Path(round): Path<String>,
    parts: Parts,
) -> Answer {
    let round = paired(&state.hub, &round)?;
    let notation = query(&parts, "format").map_or(Ok(Notation::Chinese), str::parse);
    let notation = notation.map_err(|error| ApiError::bad(error.to_string()))?;
    let feed = Feed {
        // The round's own topic says once a second that something changed, whatever it was.
        follower: state.hub.follow(&[Topic::Round(round), Topic::Event], Some(state.hub.mark())),
        hub: state.hub,
        round,
        options: pgn::Options { notation, clocks: query(&parts, "clocks") == Some("1") },
        sent: BTreeMap::new(),
        shutdown: app.shutdown.clone(),
        _open: Open::new(&app.streams),
    };
    let body = stream::unfold(feed, |mut feed| async move {
        let chunk = feed.next().await?;
        Some((Ok::<Bytes, Infallible>(chunk), feed))
    });
    let mut response = Body::from_stream(body).into_response();
    let headers = response.headers_mut();
    let mut put = |name, value| headers.insert(name, HeaderValue::from_static(value));
    put(header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8");
    put(header::CACHE_CONTROL, "no-store");
    put(header::HeaderName::from_static("x-accel-buffering"), "no");
    // A compressor would hold games back.
    put(header::CONTENT_ENCODING, "identity");
    Ok(response)
}

/// What of a game is in its PGN.
type Told = (usize, u32, GameStatus, usize);

struct Feed {
    hub: Hub,
    round: RoundNo,
    options: pgn::Options,
    follower: Follower,
    sent: BTreeMap<TableNo, Told>,
    shutdown: CancellationToken,
    _open: Open,
}

impl Feed {
    /// The games that changed since they were sent.
    fn changed(&mut self) -> String {
        let (sent, round) = (&mut self.sent, self.round);
        let games: Vec<_> = self.hub.look(|shown| {
            let games = shown.games.range((round, TableNo(0))..=(round, TableNo(u16::MAX)));
            let news = games.filter(|((_, table), game)| {
                let told = (game.plies.len(), frame::checksum(&game.plies), game.status, game.notes.len());
                sent.insert(*table, told) != Some(told)
            });
            news.map(|(_, game)| export::game(game, shown.event.as_deref())).collect()
        });
        if games.is_empty() { String::new() } else { pgn::write(&games, self.options) + "\n" }
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let games = self.changed();
            if !games.is_empty() {
                return Some(games.into());
            }
            tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return None,
                () = self.follower.changed() => { self.follower.take(); }
                () = tokio::time::sleep(KEEP_ALIVE) => return Some(Bytes::from_static(b"\n")),
            }
        }
    }
}
