//! `/events`: what changes, as it changes.
//!
//! `GET /events?topic=game:3:12&topic=round:3` answers with server-sent events. A viewer says what he knows by
//! `Last-Event-ID` (a browser does so by itself) or `&after=<id>` (a page knows the id it was rendered at) and gets
//! what he missed; who says nothing gets the state first; who was away too long, or comes from before a restart,
//! gets `resync` and the state. Then come the frames, and venue time every fifteen seconds.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use tokio::time::{Instant, Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::audience::Public;
use crate::hub::{Follower, Mark};
use crate::lang::query;
use crate::{AppState, Hub, Topic, auth, frame};

/// Topics that one connection may follow: a page of 32 boards needs at most 32 pages of the grid.
const MOST_TOPICS: usize = 40;

/// What an official's page says in the address of its stream.
pub const DESK: &str = "desk";

/// How often a silent stream shows that it lives.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// When a viewer whose stream broke comes back, in milliseconds; spread, so that a restart meets no stampede.
const RETRY_MS: u32 = 1500;
const RETRY_SPREAD_MS: u32 = 1500;

/// `GET /api/v1/stream`: the same frames for machines, one JSON object a line:
/// `{"id":"5-17","event":"game","data":{…}}`.
///
/// # Errors
/// The topics are none, or not for this reader.
pub async fn lines(State(state): State<AppState>, parts: Parts) -> Result<Response, (StatusCode, String)> {
    let response = open(&state, &parts)?;
    let mut response = response.map(|body| {
        Body::from_stream(body.into_data_stream().map(|chunk| chunk.map(|chunk| as_lines(&chunk))))
    });
    let kind = HeaderValue::from_static("application/x-ndjson");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

/// Frames as lines. A chunk of a stream holds whole frames.
fn as_lines(chunk: &[u8]) -> Bytes {
    let text = String::from_utf8_lossy(chunk);
    let mut lines = String::new();
    for frame in text.split("\n\n").filter(|frame| !frame.is_empty()) {
        let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        // The data is JSON already; ids and names hold nothing to escape.
        let id = field("id").map(|id| format!("\"id\":\"{id}\",")).unwrap_or_default();
        let (event, data) = (field("event").unwrap_or_default(), field("data").unwrap_or("null"));
        lines += &format!("{{{id}\"event\":\"{event}\",\"data\":{data}}}\n");
    }
    lines.into()
}

/// `GET /events`.
pub async fn events(State(state): State<AppState>, parts: Parts) -> Response {
    open(&state, &parts).unwrap_or_else(IntoResponse::into_response)
}

fn open(state: &AppState, parts: &Parts) -> Result<Response, (StatusCode, String)> {
    let (hub, topics) = topics(state, parts)?;
    let header = parts.headers.get("last-event-id").and_then(|id| id.to_str().ok());
    // A browser that reconnects repeats the address, `after` and all; its header is the newer knowledge.
    let known = header.or_else(|| query(parts, "after")).map(|id| id.parse().unwrap_or(Mark::NEVER));
    let stream = Stream::open(state, hub, &topics, known);
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let body = Body::from_stream(stream::unfold(stream, |mut stream| async move {
        let chunk = stream.next().await?;
        Some((Ok::<Bytes, Infallible>(chunk), stream))
    }));
    Ok((headers, body).into_response())
}

/// What a request wants to follow, and whose eyes it is for: an official's page says `&desk`, or follows a topic for
/// officials; then it gets everything as the officials see it.
fn topics(state: &AppState, parts: &Parts) -> Result<(Hub, Vec<Topic>), (StatusCode, String)> {
    let bad = |message: String| (StatusCode::BAD_REQUEST, message);
    let pairs = parts.uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let mut topics = Vec::new();
    for name in pairs.filter(|(key, _)| *key == "topic").flat_map(|(_, value)| value.split(',')) {
        // Browsers may escape the colons.
        let topic: Topic =
            name.replace("%3A", ":").parse().map_err(|e: crate::ParseTopicError| bad(e.to_string()))?;
        topics.push(topic);
    }
    let desk = parts.uri.query().unwrap_or_default().split('&').any(|pair| pair == DESK);
    let rooms: Vec<hall::Room> =
        topics.iter().filter_map(|topic| topic.room()).chain(desk.then_some(hall::Room::Undelayed)).collect();
    for room in &rooms {
        auth::admit(state, parts, *room)
            .map_err(|denied| (denied.status(), denied.say(crate::Lang::En).to_owned()))?;
    }
    let hub = if rooms.is_empty() { Public::of(state, parts).hub } else { state.hub.clone() };
    if let Some(topic) = topics.iter().find(|topic| !hub.has(**topic)) {
        return Err((StatusCode::NOT_FOUND, format!("there is no {topic}")));
    }
    match topics.len() {
        0 => Err(bad("say what to follow: /events?topic=event".to_owned())),
        1..=MOST_TOPICS => Ok((hub, topics)),
        n => Err(bad(format!("{n} topics are too many: at most {MOST_TOPICS}"))),
    }
}

/// One viewer's connection.
struct Stream {
    hub: Hub,
    follower: Follower,
    shutdown: CancellationToken,
    alive: Interval,
    /// The first chunk is sent at once, whatever there is.
    greeted: bool,
    _open: Open,
}

impl Stream {
    fn open(state: &AppState, hub: Hub, topics: &[Topic], known: Option<Mark>) -> Stream {
        let mut alive = tokio::time::interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Stream {
            follower: hub.follow(topics, known),
            hub,
            shutdown: state.shutdown.clone(),
            alive,
            greeted: false,
            _open: Open::new(&state.streams),
        }
    }

    async fn next(&mut self) -> Option<Bytes> {
        if self.shutdown.is_cancelled() {
            return None;
        }
        if !self.greeted {
            self.greeted = true;
            let spread = (self.hub.mark().seq.wrapping_mul(7919) % u64::from(RETRY_SPREAD_MS)) as u32;
            let hello = frame::hello(self.hub.now().0, self.hub.speed(), RETRY_MS + spread);
            return Some([hello, self.follower.take()].concat().into());
        }
        loop {
            tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return None,
                () = self.follower.changed() => {
                    let chunk = self.follower.take();
                    if !chunk.is_empty() {
                        return Some(chunk);
                    }
                }
                _ = self.alive.tick() => return Some(frame::tick(self.hub.now().0)),
            }
        }
    }
}

/// Counts the open streams.
pub struct Open(Arc<AtomicUsize>);

impl Open {
    /// One more.
    #[must_use]
    pub fn new(streams: &Arc<AtomicUsize>) -> Open {
        streams.fetch_add(1, Ordering::Relaxed);
        Open(Arc::clone(streams))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
