//! `/arbiter/table/N/timeline`: what happened at a table in a span of time (时间轴): a strip, and every moment in words.
//! Around now, a ply, an alert or a decision.

use axum::extract::{Path, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use hall::Room;
use hall::view::{Epoch, Moment, TimelineView};
use maud::{Markup, html};
use tournament::TableNo;
use xiangqi::{Piece, Side};

use super::moment::told;
use super::when::Zone;
use super::{Fields, Seen, nav, page, table_name};
use crate::AppState;
use crate::auth;
use crate::lang::Lang;
use crate::page::shell::Reader;

/// What a strip shows at a glance, ms.
pub const MINUTE: i64 = 60_000;

/// The spans that can be chosen, ms.
const SPANS: [i64; 3] = [MINUTE, 3 * MINUTE, 10 * MINUTE];

/// The strip's units: a phone's width.
const WIDTH: f64 = 360.0;
const LEFT: f64 = 38.0;
const RIGHT: f64 = 352.0;

/// `GET /arbiter/table/{table}/timeline`.
pub async fn timeline(
    State(state): State<AppState>,
    Path(no): Path<u16>,
    Query(query): Query<Vec<(String, String)>>,
    reader: Reader,
    parts: Parts,
) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Duty) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let Some(seen) = Seen::now(&state, TableNo(no)).await else {
        return super::table::nothing(&state, no, &reader);
    };
    let fields = Fields(query);
    let span = fields.parse::<i64>("span").filter(|span| SPANS.contains(span)).unwrap_or(MINUTE);
    let now = state.hub.now();
    // Around a moment, a third of the span stands after it.
    let around = centre(&fields, &seen);
    let to = around.map_or(now, |at| at.plus(span / 3)).min(now);
    let from = to.plus(-span);
    let view = state.questions.timeline(seen.no, from, to).await;
    let shown = state.hub.shown();
    let zone = Zone::of(&shown);
    let here = |at: Option<Epoch>, span: i64| match at {
        Some(at) => format!("?at={}&span={span}", at.0),
        None => format!("?span={span}"),
    };
    let title = format!("{} · {}", table_name(seen.no, reader.lang), reader.t("时间轴", "Timeline"));
    let earlier = view.as_ref().is_some_and(|view| view.first.is_some_and(|first| first < from));
    // The place that a neighbouring span is around.
    let beside = |by: i64| here(Some(to.plus(by - span / 3)), span);
    let body = html! {
        main id="main" class="one tlp" {
            div class="bar" {
                div class="seg" {
                    @for one in SPANS {
                        a href=(here(around, one)) aria-current=[(one == span).then_some("true")] {
                            (one / MINUTE) (reader.t("分钟", " min"))
                        }
                    }
                }
                div class="seg" {
                    a href=(beside(-span)) aria-disabled=[(!earlier).then_some("true")] { "‹ " (reader.t("更早", "earlier")) }
                    @if to < now { a href=(beside(span)) { (reader.t("更晚", "later")) " ›" } }
                    a href=(here(None, span)) aria-current=[around.is_none().then_some("true")] { (reader.t("现在", "now")) }
                }
                form class="find" method="get" {
                    label for="ply" { (reader.t("第几着", "Ply")) }
                    input id="ply" name="ply" inputmode="numeric" size="4" value=(fields.get("ply").unwrap_or_default());
                    button class="btn" { (reader.t("查", "Go")) }
                }
            }
            div data-part="timeline" data-poll=[around.is_none().then_some("2")] {
                @match &view {
                    Some(view) => {
                        section class="sec tlw" { (strip(view, around, zone, &reader)) }
                        (list(view, seen.no, zone, &reader))
                    },
                    None => p class="none" { (reader.t("没有记录", "Nothing")) },
                }
            }
            p class="closed" {
                a class="btn" href={ "/arbiter/table/" (seen.no) } { (reader.t("回台面", "Back to the table")) }
            }
        }
        (nav("/arbiter/tables", &shown, &official, &reader))
    };
    let page = page(title, "/arbiter/tables");
    let mut answer = page.answer(&state.hub, &shown, &reader, &body);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// The moment that the page is to show: an instant, or when a ply was played; `None`: now.
fn centre(fields: &Fields, seen: &Seen) -> Option<Epoch> {
    if let Some(ply) = fields.parse::<usize>("ply") {
        return seen.table.plies.get(ply.checked_sub(1)?).map(|ply| ply.at);
    }
    fields.parse::<i64>("at").map(Epoch)
}

/// Where the timeline shows what happened around an instant.
pub fn around(no: TableNo, at: Epoch) -> String {
    format!("/arbiter/table/{no}/timeline?at={}", at.0)
}

/// Where an instant lies on the strip.
fn x(view: &TimelineView, at: Epoch) -> f64 {
    let span = view.to.since(view.from).max(1) as f64;
    LEFT + (RIGHT - LEFT) * (at.since(view.from) as f64 / span).clamp(0.0, 1.0)
}

/// A mark of the strip: which, and whose.
fn mark(what: &Moment, ran: Option<Side>) -> Option<(&'static str, Side)> {
    let of = |piece: &Option<Piece>| piece.map(|piece| piece.side).or(ran);
    Some(match what {
        Moment::Lifted { piece, .. } => ("lift", of(piece)?),
        Moment::Placed { piece, .. } => ("place", of(piece)?),
        Moment::Pressed { side, .. } | Moment::PressedWithoutMove { side } => ("press", *side),
        Moment::Flagged { side, .. } => ("flag", *side),
        Moment::Signalled { side, .. } => ("signal", *side),
        Moment::Clock { .. }
        | Moment::Fault { .. }
        | Moment::Suspects { .. }
        | Moment::Lost
        | Moment::Linked { .. }
        | Moment::Read { .. }
        | Moment::Confirmed { .. }
        | Moment::Withdrawn { .. }
        | Moment::Differs { .. }
        | Moment::Disturbed { .. }
        | Moment::AsRecorded
        | Moment::Touched { .. }
        | Moment::ClockTurned
        | Moment::Ambiguous { .. }
        | Moment::Alert { .. }
        | Moment::Decided { .. } => return None,
    })
}

/// The river: Black above, Red below, between them whose time ran; every lift, placing and press as a mark, the plies
/// by name where they have room.
pub fn strip(view: &TimelineView, around: Option<Epoch>, zone: Zone, reader: &Reader) -> Markup {
    let ran_at =
        |at: Epoch| view.ran.iter().find(|(from, to, _)| *from <= at && at <= *to).map(|(.., side)| *side);
    let named = names(view, reader);
    html! {
        p class="h3" {
            (reader.t("时间轴", "Timeline"))
            span class="tlk" { "△ " (reader.t("提子", "lift")) "　▼ " (reader.t("落子", "place")) "　▮ " (reader.t("按钟", "press")) "　! " (reader.t("警报", "alert")) }
        }
        svg class="tl" viewBox={ "0 0 " (WIDTH) " 128" } role="img"
            aria-label={ (zone.time(view.from)) "–" (zone.time(view.to)) } {
            text class="who" x="2" y="38" { (reader.t("黑方", "Black")) }
            text class="who r" x="2" y="88" { (reader.t("红方", "Red")) }
            path class="bank" d={ "M" (LEFT - 4.0) " 48H" (WIDTH) "M" (LEFT - 4.0) " 68H" (WIDTH) } {}
            @for (from, to, side) in &view.ran {
                @let (a, b) = (x(view, *from), x(view, *to));
                rect class=(match side { Side::Red => "ran r", Side::Black => "ran" })
                    x=(f(a)) y="53" width=(f((b - a).max(1.0))) height="10" {}
            }
            @for i in 0..=4 {
                @let at = view.from.plus(view.to.since(view.from) * i / 4);
                path class="tick" d={ "M" (f(x(view, at))) " 46V70" } {}
                text class="at" x=(f(x(view, at).clamp(LEFT + 12.0, RIGHT - 18.0))) y="122" {
                    (if around.is_none() { ago(view.to.since(at), reader.lang) } else { zone.time(at) })
                }
            }
            @if let Some(at) = around.filter(|at| view.from <= *at && *at <= view.to) {
                path class="here" d={ "M" (f(x(view, at))) " 8V108" } {}
            }
            @for moment in &view.moments {
                @if let Some((kind, side)) = mark(&moment.what, ran_at(moment.at)) {
                    (draw(kind, side, x(view, moment.at)))
                } @else if let Moment::Alert { .. } = &moment.what {
                    @let at = f(x(view, moment.at));
                    path class="al0" d={ "M" (at) " 24V92" } {}
                    text class="al1" x=(at) y="20" { "!" }
                }
            }
            @for (at, side, name) in &named {
                text class=(match side { Side::Red => "ply r", Side::Black => "ply" }) x=(f(*at))
                    y=(match side { Side::Red => "106", Side::Black => "18" }) { (name) }
            }
        }
    }
}

fn f(number: f64) -> String {
    format!("{number:.1}")
}

fn ago(ms: i64, lang: Lang) -> String {
    let s = ms / 1000;
    match (s, lang) {
        (0, Lang::Zh) => "现在".to_owned(),
        (0, Lang::En) => "now".to_owned(),
        (s, Lang::Zh) if s % 60 == 0 => format!("{}分前", s / 60),
        (s, Lang::Zh) => format!("{s}秒前"),
        (s, Lang::En) => format!("−{s} s"),
    }
}

/// The plies of the span where each has room, by side: the later of two that would overlap stays away.
fn names(view: &TimelineView, reader: &Reader) -> Vec<(f64, Side, String)> {
    const ROOM: f64 = 52.0;
    let mut named: Vec<(f64, Side, String)> = Vec::new();
    for moment in &view.moments {
        let Moment::Read { no, zh: Some(zh), wxf: Some(wxf), .. } = &moment.what else { continue };
        let side = if no.0 % 2 == 1 { Side::Red } else { Side::Black };
        let at = x(view, moment.at).clamp(LEFT + ROOM / 2.0, RIGHT - ROOM / 2.0);
        if named.iter().all(|(other, of, _)| *of != side || (other - at).abs() >= ROOM) {
            named.push((at, side, reader.lang.pick(zh, wxf).clone()));
        }
    }
    named
}

fn draw(kind: &str, side: Side, x: f64) -> Markup {
    let y = match side {
        Side::Black => 28.0,
        Side::Red => 74.0,
    };
    let (l, r) = (x - 6.0, x + 6.0);
    let d = match kind {
        "lift" => format!("M{} {}L{} {}H{}Z", f(x), f(y), f(r), f(y + 12.0), f(l)),
        "place" => format!("M{} {}L{} {}H{}Z", f(x), f(y + 13.0), f(r), f(y + 1.0), f(l)),
        "press" => format!("M{} {}h5v16h-5Z", f(x - 2.5), f(y - 1.0)),
        "flag" => format!("M{} {}h12v12h-12Z", f(l), f(y)),
        _ => format!(
            "M{} {}L{} {}L{} {}L{} {}Z",
            f(x),
            f(y),
            f(r),
            f(y + 6.0),
            f(x),
            f(y + 12.0),
            f(l),
            f(y + 6.0)
        ),
    };
    let class = match side {
        Side::Red => "r",
        Side::Black => "b",
    };
    html! { path class={ "mk " (kind) " " (class) } d=(d) {} }
}

/// Every moment in words, the latest first.
fn list(view: &TimelineView, no: TableNo, zone: Zone, reader: &Reader) -> Markup {
    html! {
        ol class="tll" reversed {
            @for moment in view.moments.iter().rev() {
                @let (sign, side, said) = told(&moment.what);
                li class=(weight(&moment.what)) {
                    time { (zone.tenths(moment.at)) }
                    i class=[side.map(|side| match side { Side::Red => "r", Side::Black => "b" })] { (sign) }
                    span { (said.get(reader.lang)) }
                    @match &moment.what {
                        Moment::Alert { id, .. } => a href={ "/arbiter/table/" (no) "?alert=" (id) } { (reader.t("看", "see")) },
                        Moment::Decided { no, .. } => a href={ "/arbiter/ruling/" (no) } { (reader.t("裁决单", "sheet")) },
                        _ => {},
                    }
                }
            }
        }
        @if view.moments.is_empty() {
            p class="none" { (reader.t("这段时间没有动静", "Nothing happened in this span")) }
        }
        @if view.first.is_some_and(|first| first > view.from) {
            p class="mut tln" { (reader.t("此前没有记录（本轮开始，或已过保留量）", "Nothing is kept from before (the round began, or there was too much)")) }
        }
    }
}

/// What hands and people did stands out, what was read from it steps back.
const fn weight(what: &Moment) -> &'static str {
    match what {
        Moment::Alert { .. }
        | Moment::Flagged { .. }
        | Moment::Disturbed { .. }
        | Moment::ClockTurned
        | Moment::PressedWithoutMove { .. } => "hot",
        Moment::Decided { .. } => "dec1",
        Moment::Read { .. } => "read",
        Moment::Confirmed { .. } | Moment::AsRecorded => "mut",
        Moment::Lifted { .. }
        | Moment::Placed { .. }
        | Moment::Pressed { .. }
        | Moment::Clock { .. }
        | Moment::Signalled { .. }
        | Moment::Fault { .. }
        | Moment::Suspects { .. }
        | Moment::Lost
        | Moment::Linked { .. }
        | Moment::Withdrawn { .. }
        | Moment::Differs { .. }
        | Moment::Touched { .. }
        | Moment::Ambiguous { .. } => "",
    }
}
