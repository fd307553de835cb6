//! The frame of the desk's pages: the rail in the order of work, the head, the foot with its keys.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hall::Room;
use hall::desk::{Born, DeskView, FormStanding, form_standing};
use hall::view::Epoch;
use maud::{DOCTYPE, Markup, html};

use super::AtDesk;
use crate::assets;
use crate::page::Reader;

/// A place on the rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Entries,
    Draw,
    Pairing,
    Lineups,
    Results,
    Standings,
    Prizes,
    Simul,
    Print,
    Settings,
    History,
}

/// A page of the desk.
pub(crate) struct Frame<'a> {
    /// Its place.
    pub tab: Tab,
    /// Its title.
    pub title: String,
    /// What stands in the head, right of the title.
    pub head: Markup,
    /// The content.
    pub body: Markup,
    /// The foot line: keys left, a remark right.
    pub foot: (Markup, &'a str),
}

impl Frame<'_> {
    /// The answer.
    pub fn answer(self, desk: &AtDesk) -> Response {
        let base = assets::BASE.as_str();
        let reader = &desk.reader;
        let view = &desk.view;
        let open = Open::of(view);
        let number = |count: usize| html! { @if count > 0 { em { (count) } } };
        let tab = |tab: Tab, href: &str, name: &str, count: usize| {
            html! { a href=(href) aria-current=[(tab == self.tab).then_some("page")] { (name) (number(count)) } }
        };
        let html = html! {
            (DOCTYPE)
            html lang=(reader.lang.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · " (view.title) }
                    link rel="stylesheet" href=(assets::sheets(&["base.css", "parts.css"]));
                    link rel="stylesheet" href={ (base) "/desk.css" };
                    link rel="icon" href={ (base) "/seal/rk.svg" };
                    script type="module" src={ (base) "/desk.js" } {}
                }
                body class="dsk" {
                    a class="skip" href="#main" { (reader.t("跳到内容", "Skip to content")) }
                    nav class="side" aria-label=(reader.t("编排处", "Desk")) {
                        a class="wm" href="/" { img src={ (base) "/wordmark.svg" } width="62" height="30" alt=(reader.t("楚河", "Chuhe")); }
                        (tab(Tab::Entries, "/desk/entries", reader.t("报名", "Entries"), open.entries))
                        (tab(Tab::Draw, "/desk/draw", reader.t("抽签", "Draw"), 0))
                        (tab(Tab::Pairing, "/desk/pairing", reader.t("对阵", "Pairings"), open.pairing))
                        @if view.in_teams() { (tab(Tab::Lineups, "/desk/lineups", reader.t("出场名单", "Line-ups"), open.lineups)) }
                        (tab(Tab::Results, "/desk/results", reader.t("成绩", "Results"), open.results))
                        (tab(Tab::Standings, "/desk/standings", reader.t("名次", "Standings"), 0))
                        (tab(Tab::Prizes, "/desk/prizes", reader.t("奖项", "Prizes"), 0))
                        (tab(Tab::Simul, "/desk/simul", reader.t("车轮战", "Exhibition"), 0))
                        (tab(Tab::Print, "/print", reader.t("打印", "Print"), 0))
                        (tab(Tab::Settings, "/desk/settings", reader.t("规程", "Settings"), 0))
                        (tab(Tab::History, "/desk/history", reader.t("记录", "History"), 0))
                        @if desk.official.role.sees(Room::Devices) { a href="/devices" { (reader.t("设备", "Devices")) } }
                        @if desk.official.role.sees(Room::Undelayed) { a href="/broadcast" { (reader.t("转播", "Broadcast")) } }
                        a href="/help" { (reader.t("帮助", "Help")) }
                        div class="ft" {
                            a href="/account" { (desk.official.name) } " · " (reader.t(desk.official.role.zh(), desk.official.role.en())) br;
                            (reader.t("本机 · 离线可用", "this machine, works offline")) br;
                            (reader.t("末次保存 ", "saved ")) (clock_time(view, view.at))
                            @if let Some(did) = &view.undo {
                                form method="post" action="/desk/undo" {
                                    (desk.seal())
                                    (super::hidden("back", back_of(self.tab)))
                                    button class="btn btn-s" title=(desk.t(did.zh.as_str(), did.en.as_str())) { (reader.t("撤销上一步", "Undo")) }
                                }
                            }
                        }
                    }
                    main id="main" class="main" {
                        header class="hd" { h1 { (self.title) } (self.head) }
                        div class="work" { (self.body) }
                        footer class="foot" { span { (self.foot.0) } span class="sp" {} span { (self.foot.1) } }
                    }
                }
            }
        };
        private(html)
    }
}

fn back_of(tab: Tab) -> &'static str {
    match tab {
        Tab::Entries => "/desk/entries",
        Tab::Draw => "/desk/draw",
        Tab::Pairing => "/desk/pairing",
        Tab::Lineups => "/desk/lineups",
        Tab::Results => "/desk/results",
        Tab::Standings => "/desk/standings",
        Tab::Prizes => "/desk/prizes",
        Tab::Simul => "/desk/simul",
        Tab::Print => "/print",
        Tab::Settings => "/desk/settings",
        Tab::History => "/desk/history",
    }
}

/// How much waits in each place.
struct Open {
    entries: usize,
    pairing: usize,
    lineups: usize,
    results: usize,
}

impl Open {
    fn of(view: &DeskView) -> Open {
        let waits = |no| {
            matches!(
                form_standing(&view.settings, &view.files, no),
                FormStanding::Pending(_) | FormStanding::Unpaid
            )
        };
        let results = view
            .rounds
            .last()
            .filter(|round| round.started)
            .map_or(0, |round| round.boards.iter().filter(|board| board.outcome.is_none()).count());
        let lineups =
            view.rounds.last().filter(|round| !round.started && view.in_teams()).map_or(0, |round| {
                let handed = |no| view.lineups.get(&no).is_some_and(|of| of.contains_key(&round.no));
                let teams = round.pairs.iter().filter(|pair| pair.black.is_some());
                teams
                    .flat_map(|pair| [Some(pair.red), pair.black])
                    .flatten()
                    .filter(|no| !handed(*no))
                    .count()
            });
        Open {
            entries: view.files.keys().filter(|no| waits(**no)).count(),
            pairing: view.warnings.iter().filter(|warning| warning.needs_confirmation()).count(),
            lineups,
            results,
        }
    }
}

/// A page that is nobody else's business: not kept anywhere.
pub(crate) fn private(html: Markup) -> Response {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                  form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
    ];
    (headers, html.into_string()).into_response()
}

/// A page that says one thing and the way back.
pub(super) fn say(reader: &Reader, words: &str, back: &str) -> Response {
    let base = assets::BASE.as_str();
    private(html! {
        (DOCTYPE)
        html lang=(reader.lang.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (reader.t("编排处", "Desk")) }
                link rel="stylesheet" href=(assets::sheets(&["base.css", "parts.css"]));
                link rel="stylesheet" href={ (base) "/lists.css" };
            }
            body {
                main class="say" {
                    h1 role="alert" { (words) }
                    p { a class="btn btn-1" href=(back) { (reader.t("返回", "Back")) } }
                }
            }
        }
    })
}

/// Day and time of an instant at the venue.
pub(crate) fn local(view: &DeskView, at: Epoch) -> (Born, u32) {
    let offset = view.settings.utc_offset;
    let minutes = (at.0.div_euclid(60_000) + i64::from(offset)).rem_euclid(1_440);
    (Born::of(at, offset), minutes as u32)
}

/// The months, as English dates have them.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `9月20日`, `20 Sep`.
pub(crate) fn day_name(desk: &AtDesk, day: Born) -> String {
    let month = MONTHS.get(usize::from(day.month).wrapping_sub(1)).copied().unwrap_or_default();
    desk.words(format!("{}月{}日", day.month, day.day), format!("{} {month}", day.day))
}

/// `9月20日 14:00`.
pub(crate) fn day_time(desk: &AtDesk, at: Epoch) -> String {
    let (day, minutes) = local(&desk.view, at);
    format!("{} {:02}:{:02}", day_name(desk, day), minutes / 60, minutes % 60)
}

/// `14:00`.
pub(crate) fn clock_time(view: &DeskView, at: Epoch) -> String {
    let (_, minutes) = local(view, at);
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}
