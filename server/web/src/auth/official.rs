//! Whose request it is: the check that every official's page and form passes.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Form, FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;
use hall::{Act, Actor, Role, Room};
use maud::{Markup, html};

use super::pages::denied_page;
use crate::AppState;
use crate::lang::{Lang, cookie};
use crate::page::Reader;

/// The cookie that holds a session's token.
pub(super) const COOKIE: &str = "session";

/// The field that every official's form carries.
const FORM_WORD: &str = "form";

/// A request extension: the connection is encrypted (the shell that does TLS sets it).
#[derive(Clone, Copy, Debug)]
pub struct Encrypted;

/// A signed-in person.
#[derive(Clone, Debug)]
pub struct Official {
    /// His account's name.
    pub name: String,
    /// What he may do.
    pub role: Role,
    /// Of his session; `None` at the machine itself in an open house.
    pub(super) token: Option<String>,
    word: String,
}

impl Official {
    /// As the journal names him.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor::person(&self.name, self.role)
    }

    /// Whether he may do this.
    #[must_use]
    pub fn may(&self, act: &Act) -> bool {
        self.role.may(act)
    }

    /// The hidden field without which no form of his is obeyed.
    #[must_use]
    pub fn seal(&self) -> Markup {
        html! { input type="hidden" name=(FORM_WORD) value=(self.word); }
    }

    /// Whether a form that was posted carries this session's word; for forms that [`posted`] does not read.
    #[must_use]
    pub fn sealed(&self, word: &str) -> bool {
        // Both are digests of the same length; equal time is not needed for what cannot be guessed bit by bit.
        self.word == word
    }
}

/// Why a request is no official's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// Somebody has to sign in first.
    SignIn,
    /// There is no account yet; here, on the machine itself, one can be made.
    Setup,
    /// There is no account yet, and the request comes from elsewhere.
    Elsewhere,
    /// The request was made by another site's page.
    ForeignPage,
    /// The form was not made by our page for this session.
    Unsealed,
    /// His role does not reach there.
    Role(Role),
}

impl Denied {
    /// The answer's status.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Denied::SignIn => StatusCode::UNAUTHORIZED,
            Denied::Setup | Denied::Elsewhere | Denied::ForeignPage | Denied::Unsealed | Denied::Role(_) => {
                StatusCode::FORBIDDEN
            }
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn say(self, lang: Lang) -> &'static str {
        match self {
            Denied::SignIn => lang.pick("请登录", "Sign in"),
            Denied::Setup => lang.pick(
                "尚无账户：请先设裁判长账户",
                "There is no account yet: make the chief arbiter's first",
            ),
            Denied::Elsewhere => lang.pick(
                "尚无账户：请在服务器本机打开 /setup 设裁判长账户",
                "There is no account yet: open /setup on the server itself and make the chief arbiter's",
            ),
            Denied::ForeignPage => lang
                .pick("请求来自其他网站，未予执行", "The request came from another site and was not obeyed"),
            Denied::Unsealed => lang.pick(
                "页面已过期，未予执行：请返回刷新后再试",
                "The page is out of date and was not obeyed: go back, reload, try again",
            ),
            Denied::Role(_) => lang.pick("您的职务不能进入此页", "Your role does not open this page"),
        }
    }
}

/// Whose request it is.
fn whose(state: &AppState, parts: &Parts) -> Result<Official, Denied> {
    // A page of another site may send a browser's cookies along, or reach a server on this very machine.
    if parts.method != Method::GET && !same_site(&parts.headers) {
        return Err(Denied::ForeignPage);
    }
    let accounts = &state.accounts;
    if accounts.is_empty() {
        return match (on_this_machine(parts), accounts.is_open_house()) {
            (true, true) => Ok(Official {
                name: "裁判长".to_owned(),
                role: Role::ChiefArbiter,
                token: None,
                word: accounts.form_word(None),
            }),
            (true, false) => Err(Denied::Setup),
            (false, _) => Err(Denied::Elsewhere),
        };
    }
    let token = cookie(parts, COOKIE).ok_or(Denied::SignIn)?;
    let (name, role) = accounts.who(token).ok_or(Denied::SignIn)?;
    Ok(Official { name, role, token: Some(token.to_owned()), word: accounts.form_word(Some(token)) })
}

/// Checks a request for a room; what a form carries is not looked at ([`posted`] does).
///
/// # Errors
/// Why it is nobody's, or not for him.
pub fn admit(state: &AppState, parts: &Parts, room: Room) -> Result<Official, Denied> {
    let official = whose(state, parts)?;
    if official.role.sees(room) { Ok(official) } else { Err(Denied::Role(official.role)) }
}

/// Anybody who is signed in.
pub(super) fn anybody(state: &AppState, parts: &Parts) -> Result<Official, Denied> {
    whose(state, parts)
}

/// The official who asks for a page of a room, or the answer that turns him away.
///
/// # Errors
/// The whole answer.
#[allow(clippy::result_large_err, reason = "an answer is an answer")]
pub fn enter(state: &AppState, reader: &Reader, parts: &Parts, room: Room) -> Result<Official, Response> {
    admit(state, parts, room).map_err(|denied| denied_page(state, reader, parts, denied))
}

/// A form that an official sent from a page of ours.
#[derive(Debug)]
pub struct Posted {
    /// Who sent it.
    pub official: Official,
    /// Who reads the answer.
    pub reader: Reader,
    /// The request without its body.
    pub parts: Parts,
    fields: Vec<(String, String)>,
}

impl Posted {
    /// A field, without white space around it.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim())
    }

    /// A field as it came.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A field that is a code or a number.
    #[must_use]
    #[allow(dead_code, reason = "forms with numbers use it")]
    pub fn parse<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// All fields but the word that seals the form, in the form's order.
    #[allow(dead_code, reason = "forms with numbers use it")]
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.fields.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        fields.filter(|(key, _)| *key != FORM_WORD)
    }
}

/// Reads a form for a room (`None`: for whoever is signed in), or gives the answer that turns it away.
///
/// # Errors
/// The whole answer.
#[allow(clippy::result_large_err, reason = "an answer is an answer")]
pub async fn posted(state: &AppState, request: Request, room: Option<Room>) -> Result<Posted, Response> {
    let (mut parts, body) = request.into_parts();
    let Ok(reader) = Reader::from_request_parts(&mut parts, state).await;
    let official = match room {
        Some(room) => admit(state, &parts, room),
        None => anybody(state, &parts),
    };
    let official = official.map_err(|denied| denied_page(state, &reader, &parts, denied))?;
    let again = Request::from_parts(parts.clone(), body);
    let fields = match Form::<Vec<(String, String)>>::from_request(again, state).await {
        Ok(Form(fields)) => fields,
        Err(_) => return Err(denied_page(state, &reader, &parts, Denied::Unsealed)),
    };
    let word = fields.iter().find(|(key, _)| key == FORM_WORD).map(|(_, value)| value.as_str());
    if !word.is_some_and(|word| official.sealed(word)) {
        return Err(denied_page(state, &reader, &parts, Denied::Unsealed));
    }
    Ok(Posted { official, reader, parts, fields })
}

/// Who asks, by address; behind a proxy on this machine, by the address that it names last.
pub(super) fn address(parts: &Parts) -> Option<IpAddr> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>()?.0.ip().to_canonical();
    let named = parts.headers.get("x-forwarded-for").and_then(|value| value.to_str().ok());
    let named = named.and_then(|all| all.rsplit(',').next()?.trim().parse().ok());
    Some(named.filter(|_| peer.is_loopback()).unwrap_or(peer))
}

/// Whether the browser spoke to us, or to a proxy before us, over TLS.
pub(super) fn by_https(parts: &Parts) -> bool {
    let forwarded = parts.headers.get("x-forwarded-proto").and_then(|value| value.to_str().ok());
    parts.extensions.get::<Encrypted>().is_some() || forwarded.is_some_and(|scheme| scheme.trim() == "https")
}

/// Whether the browser runs on the server: by the peer's address, and neither through a proxy nor under a name
/// that another site may have pointed here.
pub(super) fn on_this_machine(parts: &Parts) -> bool {
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
pub(super) fn same_site(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match (text("sec-fetch-site"), text("origin"), text("host")) {
        (Some(site), ..) => matches!(site, "same-origin" | "none"),
        (None, Some(origin), Some(host)) => origin.split_once("://").is_some_and(|(_, of)| of == host),
        (None, Some(_), None) => false,
        (None, None, _) => true,
    }
}
