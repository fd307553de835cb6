//! What all pages share: who reads, the frame around the content, the headers of the answer.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hall::view::{PlayerView, PlyView};
use maud::{DOCTYPE, Markup, html};
use tournament::EntrantNo;

use crate::assets;
use crate::audience::RESULTS;
use crate::board::Set;
use crate::events::DESK;
use crate::hub::{Audience, Hub, Shown};
use crate::lang::{Lang, cookie, query};
use crate::topic::Topic;

/// Players that one reader can follow: they have to fit a cookie and a page.
const MOST_FOLLOWED: usize = 20;

/// How moves are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// 炮二平五.
    Chinese,
    /// C2.5.
    Wxf,
    /// H2-E2.
    Iccs,
}

impl Moves {
    /// All of them, in the order in which the page offers them.
    pub const ALL: [Moves; 3] = [Moves::Chinese, Moves::Wxf, Moves::Iccs];

    /// Its name in the query and in cookies.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Moves::Chinese => "zh",
            Moves::Wxf => "wxf",
            Moves::Iccs => "iccs",
        }
    }

    /// Its place in the frames of the grid.
    #[must_use]
    pub const fn place(self) -> usize {
        match self {
            Moves::Chinese => 0,
            Moves::Wxf => 1,
            Moves::Iccs => 2,
        }
    }

    fn parse(code: &str) -> Option<Moves> {
        Moves::ALL.into_iter().find(|moves| moves.code() == code)
    }

    /// A ply.
    #[must_use]
    pub fn of(self, ply: &PlyView) -> Cow<'_, str> {
        match self {
            Moves::Chinese => Cow::Borrowed(&ply.zh),
            Moves::Wxf => Cow::Borrowed(&ply.wxf),
            Moves::Iccs => Cow::Owned(crate::frame::iccs(ply)),
        }
    }
}

/// The reader of a page, by his request.
#[derive(Clone, Debug)]
pub struct Reader {
    /// His language.
    pub lang: Lang,
    /// The pieces he wants to see on a large board.
    pub set: Set,
    /// How moves are written.
    pub moves: Moves,
    /// The address of this server as the reader's browser knows it.
    pub base: Option<String>,
    /// The players he follows, by number.
    follows: BTreeSet<EntrantNo>,
    /// Whether he reads on a phone, as far as the browser says.
    pub phone: bool,
    /// What he chose just now, to be remembered.
    chosen: Vec<String>,
    known: Option<HeaderValue>,
    query: String,
}

impl Reader {
    /// A query parameter that is a code or a number.
    pub fn asked<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.asked_text(name)?.parse().ok()
    }

    /// A query parameter without percent-encoding.
    #[must_use]
    pub fn asked_text(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Whether he follows a player.
    #[must_use]
    pub fn follows(&self, player: &PlayerView) -> bool {
        self.follows.contains(&player.no)
    }

    /// Whether a query parameter is there, with or without a value.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.query.split('&').any(|pair| pair.split('=').next() == Some(name))
    }

    /// One of two texts.
    #[must_use]
    pub const fn t<T: Copy>(&self, zh: T, en: T) -> T {
        self.lang.pick(zh, en)
    }
}

impl<S: Sync> FromRequestParts<S> for Reader {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Reader, Infallible> {
        let Ok(lang) = Lang::from_request_parts(parts, state).await;
        let choice = |name: &str| query(parts, name).or_else(|| cookie(parts, name));
        let agent = parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
        let keeps = ["lang", "pieces", "notation", RESULTS];
        let known_value = |value: &str| value.len() < 12 && value.bytes().all(|b| b.is_ascii_alphanumeric());
        let chosen = keeps.iter().filter_map(|name| {
            let value = query(parts, name).filter(|value| known_value(value))?;
            Some(format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax"))
        });
        let mut chosen: Vec<String> = chosen.collect();
        let kept = cookie(parts, "follow").unwrap_or_default().split('.');
        let mut follows: BTreeSet<EntrantNo> = kept.filter_map(|no| no.parse().ok().map(EntrantNo)).collect();
        let player = |name: &str| query(parts, name).and_then(|no| no.parse().ok()).map(EntrantNo);
        let more = player("follow").is_some_and(|no| follows.len() < MOST_FOLLOWED && follows.insert(no));
        let less = player("unfollow").is_some_and(|no| follows.remove(&no));
        if more || less {
            let numbers: Vec<String> = follows.iter().map(EntrantNo::to_string).collect();
            chosen.push(format!("follow={}; Path=/; Max-Age=31536000; SameSite=Lax", numbers.join(".")));
        }
        Ok(Reader {
            lang,
            follows,
            set: choice("pieces").and_then(Set::parse).unwrap_or_default(),
            moves: choice("notation").and_then(Moves::parse).unwrap_or(lang.pick(Moves::Chinese, Moves::Wxf)),
            base: crate::qr::base(parts),
            phone: agent.is_some_and(|agent| agent.contains("Mobi")),
            chosen,
            known: parts.headers.get(header::IF_NONE_MATCH).cloned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
        })
    }
}

/// Where a page stands among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// 对阵: the event's home and its rounds.
    Pairings,
    /// 直播.
    Live,
    /// 名次.
    Standings,
    /// 队伍, in a team event.
    Teams,
    /// Somewhere else.
    Other,
}

/// The frame of a page.
pub struct Page<'a> {
    /// The page's own title.
    pub title: String,
    /// Its place in the navigation.
    pub place: Place,
    /// Where "back" leads; `None` on the event's home.
    pub back: Option<&'a str>,
    /// What its script follows.
    pub topics: Vec<Topic>,
    /// A class of the body.
    pub class: &'static str,
    /// Its style sheets, after the one that all share.
    pub sheets: &'static [&'static str],
    /// Those for wide screens, after the one that all share: phones do without.
    pub wide: &'static [&'static str],
    /// Its script.
    pub script: &'static str,
    /// What it looks like in a message: the path of a picture.
    pub picture: Option<String>,
    /// Where it is shared and downloaded: takes the place of the search.
    pub share: Option<String>,
    /// Whether other sites may show it in a frame.
    pub framed: bool,
    /// Without scripts, the page to show next, after so many seconds.
    pub next: Option<(u32, String)>,
}

impl<'a> Page<'a> {
    /// A page without anything special.
    #[must_use]
    pub fn new(title: String, place: Place, back: Option<&'a str>) -> Page<'a> {
        Page {
            title,
            place,
            back,
            topics: Vec::new(),
            class: "",
            sheets: &["lists.css"],
            wide: &[],
            script: "lists.js",
            picture: None,
            share: None,
            framed: false,
            next: None,
        }
    }

    /// Follows these topics.
    #[must_use]
    pub fn follow(mut self, topics: impl IntoIterator<Item = Topic>) -> Page<'a> {
        self.topics.extend(topics);
        self
    }

    /// The answer: the whole document with its headers, or "not modified".
    pub fn answer(self, hub: &Hub, shown: &Shown, reader: &Reader, body: &Markup) -> Response {
        // Taken before rendering would be right too, but never after: frames in between are merely repeated.
        let html = self.document(hub, shown, reader, body).into_string();
        let mut hash = DefaultHasher::new();
        html.hash(&mut hash);
        let etag = format!("W/\"{:016x}\"", hash.finish());
        let mut headers = HeaderMap::new();
        let mut put = |name, value: &str| {
            headers.append(name, HeaderValue::from_str(value).expect("headers here are plain ASCII"));
        };
        put(header::ETAG, &etag);
        put(header::CACHE_CONTROL, "no-cache");
        put(header::VARY, "Cookie, User-Agent");
        put(header::CONTENT_SECURITY_POLICY, &policy(self.framed));
        for choice in &reader.chosen {
            put(header::SET_COOKIE, choice);
        }
        let known = reader.known.as_ref().and_then(|known| known.to_str().ok());
        if known.is_some_and(|known| known.split(',').any(|tag| tag.trim() == etag)) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        put_html(headers, html.replacen("data-mark=\"\"", &format!("data-mark=\"{}\"", hub.mark()), 1))
    }

    fn document(&self, hub: &Hub, shown: &Shown, reader: &Reader, body: &Markup) -> Markup {
        let base = assets::BASE.as_str();
        let event = shown.event.as_ref().map_or(reader.t("楚河", "Chuhe"), |event| event.title.as_str());
        let mut live = self.topics.iter().map(Topic::to_string).collect::<Vec<_>>().join(",");
        if hub.audience() == Audience::Officials && !live.is_empty() {
            live = format!("{live}&{DESK}");
        }
        // One game on a phone has neither buttons nor tables.
        let parts: &[&str] = if self.share.is_some() && reader.phone { &[] } else { &["parts.css"] };
        let bare = self.class == "hall" || self.class.starts_with("inset");
        html! {
            (DOCTYPE)
            html lang=(reader.lang.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover";
                    meta name="color-scheme" content="light dark";
                    meta property="og:title" content=(self.title);
                    @if let (Some(picture), Some(base)) = (&self.picture, &reader.base) {
                        meta property="og:type" content="article";
                        meta property="og:image" content={ (base) (picture) };
                    }
                    title { (self.title) @if self.title != event { " · " (event) } }
                    link rel="stylesheet" href=(assets::sheets(&[&["base.css"], parts, self.sheets].concat()));
                    @if !reader.phone {
                        link rel="stylesheet" media="(min-width:1100px)" href=(assets::sheets(&[&["wide.css"], self.wide].concat()));
                    }
                    link rel="icon" href={ (base) "/seal/rk.svg" };
                    link rel="modulepreload" href={ (base) "/app.js" };
                    script type="module" src={ (base) "/" (self.script) } {}
                    @if let Some((seconds, next)) = &self.next {
                        noscript { meta http-equiv="refresh" content={ (seconds) ";url=" (next) }; }
                    }
                }
                // The mark is filled in last, so that it does not make an unchanged page a new one.
                body class=(self.class) data-live=(live) data-mark="" data-speed=(hub.speed()) {
                    @if !bare {
                        (self.top(shown, reader, event))
                        // Always there, so that a page that is open gets it and loses it.
                        div class="ban" role="status" data-part="ban" hidden[shown.broadcast.banner.is_none()] {
                            @if let Some(banner) = &shown.broadcast.banner {
                                b { (reader.t("公告", "Notice")) } span lang="zh" { (banner) }
                            }
                        }
                    }
                    (body)
                    p class="net" role="status" {
                        (reader.t("连不上服务器，显示 ", "No connection: this is as of "))
                        b id="asof" {} (reader.t(" 的内容", ""))
                    }
                }
            }
        }
    }

    fn top(&self, shown: &Shown, reader: &Reader, event: &str) -> Markup {
        let base = assets::BASE.as_str();
        let other = reader.lang.other();
        html! {
            a class="skip" href="#main" { (reader.t("跳到内容", "Skip to content")) }
            header class="top" {
                @if let Some(back) = self.back {
                    a class="icb back" href=(back) aria-label=(reader.t("返回", "Back")) { (icon("M12 3L5 10L12 17")) }
                }
                // Phones show the way back in its place.
                @if self.back.is_none() || !reader.phone {
                    a class={ "wm" @if self.back.is_some() { " inner" } } href="/" {
                        img src={ (base) "/wordmark.svg" } width="62" height="30" alt=(reader.t("楚河", "Chuhe"));
                    }
                }
                div class="t" {
                    @if self.title != event { b { (self.title) } }
                    small class=[(self.title == event).then_some("only")] { (event) }
                }
                // Phones have the places as tabs.
                @if !reader.phone {
                    nav aria-label=(reader.t("栏目", "Sections")) { (places(shown, reader, self.place)) }
                }
                span class="sp" {}
                @if let Some(share) = &self.share {
                    a class="icb" href=(share) aria-label=(reader.t("分享与下载", "Share and download")) {
                        (icon("M10 12V2M6 5.5L10 1.5L14 5.5M5 9H3.5V18H16.5V9H15"))
                    }
                } @else {
                    a class="icb" href="/search" aria-label=(reader.t("查找", "Search")) {
                        (icon("M9 3a6 6 0 1 0 0 12a6 6 0 0 0 0-12zM13.5 13.5L18 18"))
                    }
                }
                a class="lang" href={ "?lang=" (other.code()) } lang=(other.tag()) hreflang=(other.tag()) {
                    (other.pick("中文", "EN"))
                }
            }
        }
    }
}

/// Links to the places of the event.
fn places(shown: &Shown, reader: &Reader, here: Place) -> Markup {
    let places = [
        (Place::Pairings, "/", reader.t("对阵", "Pairings")),
        (Place::Live, "/live", reader.t("直播", "Live")),
        (Place::Standings, "/standings", reader.t("名次", "Standings")),
        (Place::Teams, "/teams", reader.t("队伍", "Teams")),
    ];
    let there = places.into_iter().filter(|(place, ..)| *place != Place::Teams || shown.teams.is_some());
    html! {
        @for (place, href, name) in there {
            a href=(href) aria-current=[(place == here).then_some("page")] { (name) }
        }
    }
}

/// The tabs under the head on a phone: the same places as in the navigation.
#[must_use]
pub fn tabs(shown: &Shown, reader: &Reader, here: Place) -> Markup {
    html! { div class="bar tabs" { div class="seg" { (places(shown, reader, here)) } } }
}

/// An icon: 20 units, one stroke.
#[must_use]
pub fn icon(path: &'static str) -> Markup {
    html! { svg class="ic" viewBox="0 0 20 20" aria-hidden="true" { path d=(path) {} } }
}

/// The disc of a side: Red an open one, Black a solid one.
#[must_use]
pub fn disc(side: xiangqi::Side, lang: Lang) -> Markup {
    let (class, word) = match side {
        xiangqi::Side::Red => ("sd sd-r", lang.pick("红", "R")),
        xiangqi::Side::Black => ("sd sd-b", lang.pick("黑", "B")),
    };
    html! { span class=(class) { (word) } }
}

/// What a page may load: its own files, nothing else, and no script in its text.
fn policy(framed: bool) -> String {
    let ancestors = if framed { "*" } else { "'self'" };
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}"
    )
}

fn put_html(mut headers: HeaderMap, html: String) -> Response {
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    (headers, html).into_response()
}

/// Nothing there: what was asked for, and the way out.
pub fn not_found(hub: &Hub, reader: &Reader, what: &str) -> Response {
    let title = reader.t("没有此页", "No such page").to_owned();
    let body = html! {
        main id="main" class="say" {
            h1 { (what) }
            p { a class="btn" href="/" { (reader.t("回到赛事首页", "To the event")) } }
        }
    };
    let shown = hub.shown();
    let mut answer = Page::new(title, Place::Other, Some("/")).answer(hub, &shown, reader, &body);
    *answer.status_mut() = StatusCode::NOT_FOUND;
    answer
}
