//! What a server answers that does not own the event: where it is.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{DOCTYPE, html};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Why this server stands by, and who has the event.
#[derive(Clone, Debug)]
pub struct StandBy {
    /// In words, for officials.
    pub why: String,
    /// The address of the owner's pages, if it is known.
    pub owner: Option<String>,
}

type Told = watch::Receiver<StandBy>;

/// Answers until `stop` is cancelled: with the owner's address, or with a page that asks for patience.
///
/// # Errors
/// What the listener reports.
pub async fn serve_standby(
    listener: TcpListener,
    told: Told,
    stop: CancellationToken,
) -> std::io::Result<()> {
    axum::serve(listener, standby(told)).with_graceful_shutdown(stop.cancelled_owned()).await
}

/// The routes: health and counters for machines that watch, everything else leads to the owner.
fn standby(told: Told) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route("/metrics", get(|| async { "# TYPE chuhe_owner gauge\nchuhe_owner 0\n" }))
        .fallback(elsewhere)
        .with_state(told)
}

/// 503, so that whatever distributes requests sends them to the owner.
async fn health(State(told): State<Told>) -> impl IntoResponse {
    let StandBy { why, owner } = told.borrow().clone();
    let owner_is = serde_json::json!({ "name": "owner", "ok": false, "detail": why, "owner": owner });
    let body = serde_json::json!({ "ok": false, "checks": [owner_is] });
    (StatusCode::SERVICE_UNAVAILABLE, axum::Json(body))
}

async fn elsewhere(State(told): State<Told>, uri: Uri, headers: HeaderMap) -> Response {
    let StandBy { owner, .. } = told.borrow().clone();
    if let Some(owner) = owner {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        return Redirect::temporary(&format!("{}{path}", owner.trim_end_matches('/'))).into_response();
    }
    let wants_page = headers.get(header::ACCEPT).is_none_or(|accept| {
        accept.to_str().is_ok_and(|accept| accept.contains("text/html") || accept.contains("*/*"))
    });
    let retry = [(header::RETRY_AFTER, "2"), (header::CACHE_CONTROL, "no-store")];
    if !wants_page {
        return (StatusCode::SERVICE_UNAVAILABLE, retry).into_response();
    }
    let page = html! {
        (DOCTYPE)
        html lang="zh" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="refresh" content="2";
                title { "请稍候 · One moment" }
            }
            body {
                h1 { "请稍候" }
                p { "本服务器正在等待接管比赛，页面每两秒自动重试。对局照常进行，所有记录都由棋盘和网关保存着。" }
                p lang="en" {
                    "This server is waiting to take the event over; the page tries again every two seconds. Games go on: \
                     boards and gateways keep every record."
                }
            }
        }
    };
    (StatusCode::SERVICE_UNAVAILABLE, retry, Html(page.into_string())).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt;

    async fn ask(owner: Option<&str>, path: &str) -> Response {
        let (_tell, told) = watch::channel(StandBy { why: "in use".into(), owner: owner.map(Into::into) });
        standby(told).oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn whoever_asks_is_led_to_the_owner_and_watchers_see_that_it_stands_by() {
        let answer = ask(Some("http://10.0.0.2:8080/"), "/round/2?lang=en").await;
        assert_eq!(answer.status(), StatusCode::TEMPORARY_REDIRECT);
        assert_eq!(answer.headers()[header::LOCATION], "http://10.0.0.2:8080/round/2?lang=en");
        assert_eq!(ask(Some("http://x"), "/healthz").await.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test]
    async fn without_an_owner_the_page_asks_for_patience_and_tries_again() {
        let answer = ask(None, "/").await;
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.headers()[header::RETRY_AFTER], "2");
    }
}
