//! What the tests share: an app with the made-up event, and requests to it without a socket.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response, header};
use axum::response::IntoResponse;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use web::{Accounts, ActRequest, AppState, Hub, Questions};

use crate::fixture;

/// The number of this server's start.
pub const BOOT: u64 = 5;

pub fn hub() -> Hub {
    Hub::new(BOOT, Arc::new(|| fixture::BEGAN.plus(2_300_000)), 1.0)
}

pub fn state(hub: &Hub) -> (AppState, mpsc::Receiver<ActRequest>) {
    let (acts, asked) = mpsc::channel(4);
    let mut state = AppState::new(hub.clone(), CancellationToken::new(), acts);
    state.accounts = Accounts::unkept(Vec::new(), true);
    let (ask, mut asked_for) = mpsc::channel(16);
    state.questions = Questions::to(ask);
    let answers = hub.clone();
    tokio::spawn(async move {
        while let Some(question) = asked_for.recv().await {
            fixture::tell(&answers, question);
        }
    });
    (state, asked)
}

/// A request as the router gets it from a browser on this machine.
pub fn request(path: &str) -> axum::http::request::Builder {
    Request::get(path)
        .header(header::HOST, "127.0.0.1:8080")
        .extension(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 4000))))
}

pub async fn send(app: &Router, request: Request<Body>) -> Response<Body> {
    app.clone().oneshot(request).await.into_response()
}

pub async fn get(app: &Router, path: &str) -> Response<Body> {
    send(app, request(path).body(Body::empty()).expect("a request")).await
}

pub async fn text(response: Response<Body>) -> String {
    let bytes = axum::body::to_bytes(response.into_body(), 10 << 20).await.expect("a whole body");
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[allow(dead_code, reason = "not every test file uses it")]
pub async fn page(app: &Router, path: &str) -> String {
    text(get(app, path).await).await
}
