//! Plain HTTP where the pages are encrypted beside it: browsers are led there; machines that watch, and the server itself,
//! are answered.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Leads whoever comes from elsewhere to the same address at this port over HTTPS. What a form holds was sent in the clear
/// already: it is not obeyed, and its sender is led to the page.
pub(crate) async fn redirect(State(port): State<u16>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let is_here = peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback());
    if is_here || matches!(request.uri().path(), "/healthz" | "/metrics") {
        return next.run(request).await;
    }
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let to = encrypted(host, port, request.uri().path_and_query().map_or("/", |path| path.as_str()));
    match to.and_then(|to| HeaderValue::from_str(&to).ok()) {
        Some(to) => (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response(),
        None => (StatusCode::BAD_REQUEST, "this address is served over HTTPS only").into_response(),
    }
}

/// The same address over HTTPS; `None` if the request does not say by which name the browser knows the server.
fn encrypted(host: &str, port: u16, path: &str) -> Option<String> {
    let name = match host.rsplit_once(':') {
        // An address of version 6 stands in brackets, with colons of its own.
        Some((name, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '[' | ']' | ':');
    if name.is_empty() || !name.chars().all(sound) {
        return None;
    }
    Some(if port == 443 { format!("https://{name}{path}") } else { format!("https://{name}:{port}{path}") })
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    #[test]
    fn the_same_page_is_found_at_the_other_port() {
        let to = |host, port| encrypted(host, port, "/round/2?lang=en");
        assert_eq!(to("chuhe.lan:8080", 8443).as_deref(), Some("https://chuhe.lan:8443/round/2?lang=en"));
        assert_eq!(to("192.168.1.2", 443).as_deref(), Some("https://192.168.1.2/round/2?lang=en"));
        assert_eq!(to("[fe80::1]:8080", 8443).as_deref(), Some("https://[fe80::1]:8443/round/2?lang=en"));
        assert_eq!(to("[fe80::1]", 8443).as_deref(), Some("https://[fe80::1]:8443/round/2?lang=en"));
        assert_eq!(to("", 8443), None);
        assert_eq!(to("evil.example/@x", 8443), None);
    }

    #[tokio::test]
    async fn browsers_from_elsewhere_are_led_on_and_watchers_and_the_machine_itself_are_answered() {
        let layer = axum::middleware::from_fn_with_state(8443, redirect);
        let app = Router::new().fallback(get(async || "plain")).layer(layer);
        let ask = async |from: [u8; 4], path: &str| {
            let request = Request::get(path).header(header::HOST, "hall:80");
            let request = request.extension(ConnectInfo(SocketAddr::from((from, 4000))));
            app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
        };
        let led = ask([192, 168, 1, 7], "/arbiter").await;
        assert_eq!(
            (led.status(), &led.headers()[header::LOCATION]),
            (StatusCode::SEE_OTHER, &"https://hall:8443/arbiter".parse().unwrap())
        );
        assert_eq!(ask([192, 168, 1, 7], "/metrics").await.status(), StatusCode::OK);
        assert_eq!(ask([127, 0, 0, 1], "/arbiter").await.status(), StatusCode::OK);
    }
}
