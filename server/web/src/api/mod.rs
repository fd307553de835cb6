//! `/api/v1`: every public view as JSON, games as files and pictures, streams; described at `/api/v1/openapi.json`.
//!
//! Routes and their description are one thing (`utoipa`), so neither is without the other. The public's views only:
//! delayed and hidden as on the pages.

mod files;
mod limit;
mod live;
mod model;
mod picture;
mod views;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::{AppState, frame};

pub use live::{game_json, round_json};

/// The description's head.
#[derive(OpenApi)]
#[openapi(info(
    title = "Chuhe 楚河",
    version = "1",
    description = "The public state of a Xiangqi tournament: as JSON, as files, as streams. What is broadcast with a \
                   delay or without results is so here too. Any origin may ask; 20 requests a second and address, \
                   100 at once."
))]
struct Doc;

/// All routes under `/api/v1`.
pub fn router() -> axum::Router<AppState> {
    let api = OpenApiRouter::new()
        .routes(routes!(views::event))
        .routes(routes!(views::rounds))
        .routes(routes!(views::teams))
        .routes(routes!(views::round))
        .routes(routes!(views::game))
        .routes(routes!(views::standing))
        .routes(routes!(views::standing_csv))
        .routes(routes!(views::all_pgn))
        .routes(routes!(views::all_dhtmlxq))
        .routes(routes!(live::state))
        .routes(routes!(live::pgn))
        .routes(routes!(live::lines))
        .routes(routes!(views::alerts))
        .fallback(nothing);
    let (router, doc) = OpenApiRouter::with_openapi(Doc::openapi()).nest("/api/v1", api).split_for_parts();
    let text: Bytes = frame::json(&doc).into();
    let limiter = Arc::new(limit::Limiter::default());
    router
        .route(
            "/api/v1/openapi.json",
            get(move |parts: Parts| async move { answer(&parts, "application/json", text) }),
        )
        .layer(middleware::from_fn_with_state(limiter, limit::limit))
        .layer(middleware::from_fn(for_any_origin))
}

/// Why a request has no answer, as JSON: `{"error":"…"}`.
pub struct ApiError(pub StatusCode, pub String);

impl ApiError {
    fn missing(what: impl Into<String>) -> ApiError {
        ApiError(StatusCode::NOT_FOUND, what.into())
    }

    fn bad(what: impl Into<String>) -> ApiError {
        ApiError(StatusCode::BAD_REQUEST, what.into())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = frame::json(&model::Error { error: self.1 });
        (self.0, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}

type Answer = Result<Response, ApiError>;

/// The text with its type, for caches: "not modified" for who has it already.
fn answer(parts: &Parts, kind: &str, body: impl Into<Bytes>) -> Response {
    let body: Bytes = body.into();
    let mut hash = DefaultHasher::new();
    body.hash(&mut hash);
    let etag = format!("W/\"{:016x}\"", hash.finish());
    let mut headers = HeaderMap::new();
    let value = |text: &str| HeaderValue::from_str(text).expect("headers here are plain ASCII");
    headers.insert(header::ETAG, value(&etag));
    headers.insert(header::CACHE_CONTROL, value("public, max-age=1, stale-while-revalidate=5"));
    // A reader who hides results gets other files than the others.
    headers.insert(header::VARY, value("Cookie"));
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

/// Other sites' pages may read all of it; errors of the router are JSON too.
async fn for_any_origin(request: Request, next: Next) -> Response {
    let asks_first = request.method() == Method::OPTIONS;
    let officials = request.uri().path() == "/api/v1/alerts";
    let mut response =
        if asks_first { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let error = ApiError(StatusCode::METHOD_NOT_ALLOWED, "this path is only read: GET".to_owned());
        let allow = response.headers().get(header::ALLOW).cloned();
        response = error.into_response();
        response.headers_mut().extend(allow.map(|allow| (header::ALLOW, allow)));
    }
    if !officials {
        let headers = response.headers_mut();
        let mut put = |name, value| headers.insert(name, HeaderValue::from_static(value));
        put(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        put(header::ACCESS_CONTROL_EXPOSE_HEADERS, "ETag, Retry-After");
        if asks_first {
            put(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD");
            put(header::ACCESS_CONTROL_ALLOW_HEADERS, "If-None-Match, Last-Event-ID");
            put(header::ACCESS_CONTROL_MAX_AGE, "86400");
        }
    }
    response
}

/// `GET /api/v1/…` otherwise.
async fn nothing() -> ApiError {
    ApiError::missing("no such path; /api/v1/openapi.json names them all")
}
