//! Who may see the officials' pages.
//!
//! Without a key they are open to a browser on the server itself and closed to all others. With a key, whoever
//! enters it gets a cookie, wherever he is. A simple lock until there are accounts.

use std::fmt;
use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use sha2::{Digest, Sha256};

use crate::AppState;
use crate::lang::{Lang, cookie};

/// The officials' access key; kept as a digest only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StaffKey([u8; 32]);

impl StaffKey {
    /// The cookie that shows that the key was entered.
    pub const COOKIE: &'static str = "staff";

    /// From the key in plain text.
    #[must_use]
    pub fn new(key: &str) -> StaffKey {
        StaffKey(Sha256::digest(key).into())
    }

    /// Whether `key` is the key. Digests are compared, so the time it takes tells nothing of the key.
    #[must_use]
    pub fn opens(&self, key: &str) -> bool {
        *self == StaffKey::new(key)
    }

    /// What the cookie holds: another digest, from which neither key nor this digest can be told.
    #[must_use]
    pub fn token(&self) -> String {
        let mut digest = Sha256::new();
        digest.update(b"chuhe staff cookie\0");
        digest.update(self.0);
        digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for StaffKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StaffKey(…)")
    }
}

/// A request by an official.
#[derive(Clone, Copy, Debug)]
pub struct Staff;

/// Why a request is no official's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The key is to be entered first.
    KeyNeeded,
    /// No key is configured, and the request comes from elsewhere.
    Elsewhere,
    /// The request was made by another site's page.
    ForeignPage,
}

impl Denied {
    /// The answer's status.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Denied::KeyNeeded => StatusCode::UNAUTHORIZED,
            Denied::Elsewhere | Denied::ForeignPage => StatusCode::FORBIDDEN,
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn say(self, lang: Lang) -> &'static str {
        match self {
            Denied::KeyNeeded => lang.pick("请先输入裁判口令", "Enter the officials' key first"),
            Denied::Elsewhere => lang.pick(
                "未设裁判口令，裁判页面只能在服务器本机打开",
                "No officials' key is configured: this page opens on the server itself only",
            ),
            Denied::ForeignPage => {
                lang.pick("请求来自其他网站，未予执行", "The request came from another site")
            }
        }
    }
}

/// Checks a request.
///
/// # Errors
/// Why it is no official's.
pub fn admit(state: &AppState, parts: &Parts) -> Result<Staff, Denied> {
    // A page of another site may send a browser's cookies along, or reach a server on this very machine.
    if parts.method != Method::GET && !same_site(&parts.headers) {
        return Err(Denied::ForeignPage);
    }
    match &state.staff {
        Some(key) if cookie(parts, StaffKey::COOKIE).is_some_and(|token| token == key.token()) => Ok(Staff),
        Some(_) => Err(Denied::KeyNeeded),
        None if on_this_machine(parts) => Ok(Staff),
        None => Err(Denied::Elsewhere),
    }
}

/// Whether the browser runs on the server: by the peer's address, and neither through a proxy nor under a name
/// that another site may have pointed here.
fn on_this_machine(parts: &Parts) -> bool {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let proxied = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host
        .strip_suffix(|c: char| c.is_ascii_digit())
        .map_or(host, |_| host.rsplit_once(':').map_or(host, |h| h.0));
    peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback())
        && !proxied.iter().any(|name| parts.headers.contains_key(*name))
        && matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

/// Whether a page of this server made the request (or no browser did).
fn same_site(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match (text("sec-fetch-site"), text("origin"), text("host")) {
        (Some(site), ..) => matches!(site, "same-origin" | "none"),
        (None, Some(origin), Some(host)) => origin.split_once("://").is_some_and(|(_, of)| of == host),
        (None, Some(_), None) => false,
        (None, None, _) => true,
    }
}

impl FromRequestParts<AppState> for Staff {
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Staff, Self::Rejection> {
        admit(state, parts).map_err(|denied| (denied.status(), denied.say(Lang::Zh)))
    }
}
