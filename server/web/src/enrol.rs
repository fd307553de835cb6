//! `POST /api/v1/enrol`: a gateway shows its one-time token and is told its key. Only over TLS.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::future::BoxFuture;

use crate::{AppState, Encrypted};

/// Takes what a gateway sends; `Ok`: what it is told, JSON; `Err`: why not, in words.
pub type Enrol = Arc<dyn Fn(Vec<u8>) -> BoxFuture<'static, Result<String, String>> + Send + Sync>;

/// Bytes of a request that are read.
pub(crate) const LARGEST: usize = 4 * 1024;

/// Nobody is enrolled.
pub(crate) fn nobody() -> Enrol {
    Arc::new(|_| Box::pin(async { Err("gateways are not enrolled here".to_owned()) }))
}

pub(crate) async fn enrol(
    State(state): State<AppState>,
    encrypted: Option<Extension<Encrypted>>,
    body: Bytes,
) -> Response {
    if encrypted.is_none() {
        return (StatusCode::FORBIDDEN, "only over https: a key must not cross the network in the clear")
            .into_response();
    }
    match (state.enrol)(body.to_vec()).await {
        Ok(admission) => {
            let head = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
            (head, admission).into_response()
        }
        Err(why) => (StatusCode::FORBIDDEN, why).into_response(),
    }
}
