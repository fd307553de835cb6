//! `/healthz` and `/metrics`: for machines that watch the server.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Serialize;

use crate::AppState;

/// Whether the parts of the server work.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Health {
    /// Part by part: storage, broker, gateways.
    pub checks: Vec<Check>,
}

/// One part of the server.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// The part.
    pub name: &'static str,
    /// Whether it works.
    pub ok: bool,
    /// What there is to say of it.
    pub detail: String,
}

impl Health {
    /// Whether every part works.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }
}

/// `GET /healthz`: 200 if all parts work, else 503, with the parts as JSON.
pub async fn healthz(State(state): State<AppState>) -> impl IntoResponse {
    let health = (state.health)();
    let status = if health.ok() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(serde_json::json!({ "ok": health.ok(), "checks": health.checks })))
}

/// `GET /metrics`: Prometheus' text format.
pub async fn metrics(State(state): State<AppState>) -> impl IntoResponse {
    let public = state.hub.public();
    let (rounds, games) = public.look(|shown| (shown.rounds.len(), shown.games.len()));
    let mut text = (state.metrics)();
    let gauges = [
        ("chuhe_web_streams", "Open event streams", state.streams.load(Ordering::Relaxed) as u64),
        ("chuhe_web_frames_total", "Frames rendered since the start", public.mark().seq),
        ("chuhe_web_rounds", "Rounds shown", rounds as u64),
        ("chuhe_web_games", "Games shown", games as u64),
    ];
    for (name, help, value) in gauges {
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        let _ = write!(text, "# HELP {name} {help}.\n# TYPE {name} {kind}\n{name} {value}\n");
    }
    ([(axum::http::header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}
