//! `/arbiter/table/N`: one table with everything an arbiter needs there. A remedy is picked by a link, confirmed by
//! the bar at the foot, which says what it changes.

use axum::extract::{Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use hall::Room;
use hall::view::AlertView;
use maud::{Markup, html};
use tournament::TableNo;
use xiangqi::{Point, Side};

use super::choice::{self, Choice};
use super::codes::severity;
use super::remedies::remedies;
use super::when::Zone;
use super::{Fields, Seen, evidence, nav, page, say, sheet, table_name, timeline};
use crate::AppState;
use crate::auth::{self, Official, Undone};
use crate::board::Board;
use crate::clock;
use crate::lang::{Lang, Words};
use crate::page::not_found;
use crate::page::shell::{Reader, disc, icon};
use crate::topic::Topic;
use crate::words;

/// `GET /arbiter/table/{table}`.
pub async fn table(
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
        // A table without board and clock has its slip.
        let view = state.hub.look(|shown| shown.desk.clone());
        let round = view.as_ref().and_then(|view| view.rounds.last().filter(|round| round.started));
        return match round.is_some_and(|round| round.boards.iter().any(|board| board.table.0 == no)) {
            true => Redirect::to(&format!("/slip/{no}")).into_response(),
            false => nothing(&state, no, &reader),
        };
    };
    let fields = Fields(query);
    let seen = seen.look_ahead(&state, &fields).await;
    let picked = choice::at_table(&fields, &seen);
    // The decision was picked on a page that did not know of what somebody else has decided since.
    let since = fields.parse::<u64>("since").filter(|since| seen.version() > *since);
    let overtaken = since.map(|since| Hindrance { what: Undone::Overtaken.words(), since });
    draw(&state, &seen, &fields, &picked, overtaken.as_ref(), &official, &reader)
}

pub fn nothing(state: &AppState, no: u16, reader: &Reader) -> Response {
    let what = match reader.lang {
        Lang::Zh => format!("本轮没有{no}台的对局"),
        Lang::En => format!("There is no game at table {no} in this round"),
    };
    not_found(&state.hub, reader, &what)
}

/// What stood in the way of a confirmation.
struct Hindrance {
    /// In words.
    what: Words,
    /// Decisions that the page did not know of.
    since: u64,
}

/// `POST /arbiter/table/{table}`: a choice is confirmed.
pub async fn confirm(State(state): State<AppState>, Path(no): Path<u16>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Duty)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let fields = Fields(posted.fields().map(|(key, value)| (key.to_owned(), value.to_owned())).collect());
    let Some(seen) = Seen::now(&state, TableNo(no)).await else {
        return nothing(&state, no, &posted.reader);
    };
    let drawn: u64 = fields.parse("drawn").unwrap_or(0);
    let picked = choice::at_table(&fields, &seen);
    let hindrance = match &picked {
        Ok(Some(choice)) => {
            let acts = choice.acts.clone();
            match auth::decide(&state, &posted.official, acts, Some((TableNo(no), drawn))).await {
                Ok(()) => return Redirect::to(&format!("/arbiter/table/{no}")).into_response(),
                Err(undone) => {
                    let since = if undone == Undone::Overtaken { drawn } else { u64::MAX };
                    (undone.status(), Hindrance { what: undone.words(), since })
                }
            }
        }
        // What it was about has gone meanwhile: somebody else dealt with it.
        Ok(None) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            Hindrance { what: Words::of("未选处置", "Nothing was chosen"), since: drawn },
        ),
        Err(why) => (StatusCode::CONFLICT, Hindrance { what: why.clone(), since: drawn }),
    };
    // As it is now, with what was chosen still chosen: nothing is lost, it is only not done.
    let seen = Seen::now(&state, TableNo(no)).await.unwrap_or(seen).look_ahead(&state, &fields).await;
    let picked = choice::at_table(&fields, &seen).or(Ok(None));
    let (status, hindrance) = hindrance;
    let mut answer =
        draw(&state, &seen, &fields, &picked, Some(&hindrance), &posted.official, &posted.reader);
    *answer.status_mut() = status;
    answer
}

fn draw(
    state: &AppState,
    seen: &Seen,
    fields: &Fields,
    picked: &Result<Option<Choice>, Words>,
    hindrance: Option<&Hindrance>,
    official: &Official,
    reader: &Reader,
) -> Response {
    let shown = state.hub.shown();
    let alert = fields.parse::<u64>("alert");
    let alert = seen.alerts.iter().find(|one| Some(one.id) == alert).or(seen.alerts.first());
    let title = match alert {
        Some(alert) => {
            format!("{} · {}", table_name(seen.no, reader.lang), reader.t(alert.code.zh(), alert.code.en()))
        }
        None => table_name(seen.no, reader.lang),
    };
    let mut page = page(title, "/arbiter/tables").follow([
        Topic::Game(seen.round, seen.no),
        Topic::Alerts,
        Topic::Event,
    ]);
    page.class = "arb one-table";
    let zone = Zone::of(&shown);
    let state_word = words::state(seen.game.status);
    let body = html! {
        main id="main" class="tbl" data-state=(state_word) data-poll="2" {
            @if let Some(hindrance) = hindrance { (hindered(hindrance, seen, zone, reader)) }
            @if let Err(why) = picked { p class="wrong" role="alert" { (why.get(reader.lang)) } }
            div class="pane left" data-part="board" {
                div data-run=(clock::running(&seen.table.clocks)) data-r=(seen.table.clocks.red_ms)
                    data-b=(seen.table.clocks.black_ms) data-at=(seen.table.clocks.at.0)
                    data-est=[seen.table.clocks.estimated.then_some("1")] {
                    (seat(state, seen, Side::Black, reader))
                    (board(seen, fields, alert, reader))
                    (seat(state, seen, Side::Red, reader))
                }
                (differences(seen, reader))
            }
            div class="pane right" {
                div data-part="state" { (standing(seen, reader)) }
                div data-part="alerts" class="queue" {
                    @for alert in &seen.alerts { (card(alert, seen, fields, official, state, reader)) }
                }
                div data-part="minute" class="tlw" {
                    @if let Some(minute) = &seen.minute {
                        (timeline::strip(minute, None, zone, reader))
                        p class="more" { a href={ "/arbiter/table/" (seen.no) "/timeline" } { (reader.t("逐条细看", "every moment")) } }
                    }
                }
                section class="rems" aria-label=(reader.t("裁决", "Remedies")) { (remedies(seen, fields, official, reader)) }
                div data-part="record" { (record(seen, reader)) }
                div data-part="log" { (log(seen, zone, reader)) }
            }
        }
        @if let Ok(Some(choice)) = picked { (bar(choice, fields, seen, official, reader)) }
        @else { (nav("/arbiter/tables", &shown, official, reader)) }
    };
    let mut answer = page.answer(&state.hub, &shown, reader, &body);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Who decided what meanwhile.
fn hindered(hindrance: &Hindrance, seen: &Seen, zone: Zone, reader: &Reader) -> Markup {
    let news: Vec<_> = seen.decisions.iter().filter(|one| one.no > hindrance.since).collect();
    html! {
        div class="hind" role="alert" {
            b { (hindrance.what.get(reader.lang)) }
            @for one in &news {
                p {
                    (say::who(&one.by).get(reader.lang)) " " (zone.time(one.at)) " "
                    (say::act(&one.act, None).get(reader.lang))
                }
            }
            @if !news.is_empty() {
                p {
                    (reader.t(
                        "下面是现在的情形。您所选的尚未执行，仍可确认，或取消。",
                        "Below is how things stand now. What you chose was not done: confirm it all the same, or cancel.",
                    ))
                }
            }
        }
    }
}

fn seat(state: &AppState, seen: &Seen, side: Side, reader: &Reader) -> Markup {
    let player = match side {
        Side::Red => &seen.game.red,
        Side::Black => &seen.game.black,
    };
    let at = side as usize;
    html! {
        div class={ "seat" @if seen.table.clocks.running == Some(side) { " turn" } } {
            (disc(side, reader.lang))
            div {
                div class="n" { span lang="zh" { (player.name) } span class="tn" { (reader.t("走棋", "to move")) } }
                div class="u" {
                    (reader.t("犯规 ", "fouls ")) (seen.table.fouls[at])
                    @if seen.table.warnings[at] > 0 { (reader.t(" · 警告 ", " · warnings ")) (seen.table.warnings[at]) }
                }
            }
            (clock::clock(&seen.table.clocks, side, state.hub.now(), "ck"))
        }
    }
}

fn board(seen: &Seen, fields: &Fields, alert: Option<&AlertView>, reader: &Reader) -> Markup {
    let last = seen.table.plies.last();
    let black_to_move = seen.table.plies.len() % 2 == 1;
    let check = last.is_some_and(|ply| ply.check).then_some(if black_to_move { 'k' } else { 'K' });
    let entering = fields.get("do") == Some("enter");
    let from: Option<Point> = fields.parse("from");
    let board = Board {
        fen: &seen.table.fen,
        last: last.map(|ply| ply.mv),
        check,
        flip: false,
        thumb: false,
        set: reader.set,
        label: match reader.lang {
            Lang::Zh => format!("{}台 记录局面，{}着", seen.no, seen.table.plies.len()),
            Lang::En => {
                format!("table {}, recorded position after {} plies", seen.no, seen.table.plies.len())
            }
        },
    };
    let no = seen.no;
    html! {
        div class="bdw" {
            (board)
            svg class="over" viewBox=(sheet::VIEW_BOX) aria-hidden=[(!entering).then_some("true")] {
                @if let Some(alert) = alert { (evidence::arrows(alert, &seen.table)) }
                g class="sm" { (sheet::marks(&seen.table)) }
                @if entering {
                    (sheet::taps(|point| match from.and_then(|from| sheet::tapped(from, point)) {
                        Some(mv) => format!("/arbiter/table/{no}?do=enter&mv={mv}"),
                        None => format!("/arbiter/table/{no}?do=enter&from={point}"),
                    }, from))
                }
            }
        }
    }
}

/// The differences in words, beside the small picture of the sensors.
fn differences(seen: &Seen, reader: &Reader) -> Markup {
    let zh = reader.lang == Lang::Zh;
    html! {
        div class="sensed" {
            @if seen.table.image.is_some() { (sheet::sensors(&seen.table)) }
            div {
                p class="h3" {
                    (reader.t("盘面传感", "Sensors"))
                    @if !seen.table.board_connected { b class="tg" { (reader.t("断线", "no link")) } }
                }
                @if seen.table.image.is_none() {
                    p { (reader.t("尚无盘面数据", "nothing seen yet")) }
                } @else if seen.table.wrong.is_empty() && !seen.table.board_connected {
                    p { (reader.t("断线前与记录相符", "as recorded before the link went")) }
                } @else if seen.table.wrong.is_empty() {
                    p { (reader.t("与记录相符", "as recorded")) }
                } @else {
                    ul {
                        @for (point, differs) in sheet::differences(&seen.table) {
                            li {
                                @match differs {
                                    sheet::Differs::Missing => b { "× " (reader.t("缺", "missing")) },
                                    sheet::Differs::Extra => b { "＋ " (reader.t("多", "extra")) },
                                    sheet::Differs::Other => b { "◇ " (reader.t("错", "other")) },
                                }
                                " " (sheet::place(point, zh))
                            }
                        }
                    }
                    @if seen.table.putting_right {
                        p class="mut" { (reader.t("正在复原，摆正后自动解除", "being put right; passes when it is done")) }
                    }
                }
            }
        }
    }
}

/// Where things stand, in badges.
fn standing(seen: &Seen, reader: &Reader) -> Markup {
    let (big, small) = words::between(seen.game.status, seen.table.plies.len());
    let limit = &seen.table.limit;
    html! {
        div class="st" {
            span class="bd" { b { (big.get(reader.lang)) } " " (small.get(reader.lang)) }
            span class="bd" {
                (reader.t("限着 ", "limit ")) (limit.counted[0]) "·" (limit.counted[1]) "/" (limit.rounds)
            }
            @if !seen.table.clock_connected { span class="bd bd-up" { (reader.t("棋钟断线", "clock: no link")) } }
            @if let Some(side) = seen.table.draw_offered_by {
                span class="bd bd-up" { (words::side(side, reader.lang)) (reader.t("提和", " offers a draw")) }
            }
            @if let Some(order) = seen.table.order {
                span class="bd bd-up" {
                    @match reader.lang {
                        Lang::Zh => { (order.side.map_or("双方", |side| words::side(side, Lang::Zh))) "须变着，至第" (order.by.0.div_ceil(2)) "回合" }
                        Lang::En => { (order.side.map_or("either", |side| words::side(side, Lang::En))) " must vary by move " (order.by.0.div_ceil(2)) }
                    }
                }
            }
            @if !seen.table.commands.is_empty() {
                span class="bd bd-up" id="pending" {
                    @match reader.lang {
                        Lang::Zh => { "指令 " (seen.table.commands.len()) " 条已发，待设备确认" }
                        Lang::En => { (seen.table.commands.len()) " commands sent, not yet acknowledged" }
                    }
                }
            } @else if seen.decisions.first().is_some_and(|one| about_clock(&one.act)) {
                span class="bd bd-live-2" id="acknowledged" { (reader.t("棋钟已确认", "acknowledged by the clock")) }
            }
        }
    }
}

/// Whether an act told the clock something.
fn about_clock(act: &hall::Act) -> bool {
    use hall::Act;
    matches!(
        act,
        Act::AddTime { .. } | Act::SetClock { .. } | Act::Run { .. } | Act::Pause(_) | Act::Resume(_)
    )
}

fn card(
    alert: &AlertView,
    seen: &Seen,
    fields: &Fields,
    official: &Official,
    state: &AppState,
    reader: &Reader,
) -> Markup {
    // What it would say by the classes that are picked and not confirmed yet.
    let ruled = seen.ruled.as_ref().filter(|ruled| ruled.id == alert.id);
    let alert = ruled.unwrap_or(alert);
    let (class, word) = severity(alert.severity, reader.lang);
    let text = |both: &[String; 2]| both[if reader.lang == Lang::Zh { 0 } else { 1 }].clone();
    let (evidence_words, proposal) = (text(&alert.evidence), text(&alert.proposal));
    let here = format!("/arbiter/table/{}?alert={}", seen.no, alert.id);
    html! {
        article class={ "al " (class) @if alert.claimed_by.is_some() { " claimed" } } id={ "alert-" (alert.id) } {
            header {
                span class="sev" { (word) }
                h2 { (reader.t(alert.code.zh(), alert.code.en())) }
                @if alert.escalated { span class="esc" { (reader.t("已升级", "escalated")) } }
                @match &alert.claimed_by {
                    Some(who) => span class="by" { (who) " " (reader.t("已受理", "has it")) },
                    None => time class="age" data-age=(alert.at.0) { (super::queue::age(state.hub.now().since(alert.at))) },
                }
            }
            div class="body" {
                @if !evidence_words.is_empty() { p { (evidence_words) } }
                (evidence::drawn(alert, &seen.table, fields, reader))
                @if !proposal.is_empty() {
                    div class="propbox" {
                        small {
                            @if ruled.is_some() {
                                (reader.t("按裁判改判 · 尚未确认", "As ruled by the arbiter, not confirmed yet"))
                            } @else {
                                (reader.t("建议裁定 · 须裁判确认", "Proposal, for the arbiter to confirm"))
                            }
                        }
                        p class="v" { (proposal) }
                    }
                }
                @if alert.claimed_by.is_none() {
                    form class="acts" method="post" action={ "/arbiter/alerts/" (alert.id) "/take" } {
                        (official.seal())
                        input type="hidden" name="to" value={ "/arbiter/table/" (seen.no) };
                        button class="btn btn-1" { (reader.t("受理", "Take it")) }
                    }
                }
                div class="rem" {
                    // The remedies of a ruling that is not confirmed are not offered yet.
                    @for (i, remedy) in alert.remedies.iter().enumerate().filter(|_| ruled.is_none()) {
                        a class="btn" href={ (here) "&choice=" (i) } { span { (text(&remedy.words)) } }
                    }
                    a class="btn" href={ (timeline::around(seen.no, alert.at)) } {
                        span { (reader.t("发生前后", "Around then")) small { (reader.t("时间轴", "timeline")) } }
                    }
                    a class="btn" href={ (here) "&do=settle" } { (reader.t("已处理", "Dealt with")) }
                    // Where a remedy leaves all as it is, it is that one.
                    @if !alert.remedies.iter().any(|remedy| remedy.steps.0.is_empty()) {
                        a class="btn" href={ (here) "&do=dismiss" } { (reader.t("不予处理", "Dismiss")) }
                    }
                }
            }
        }
    }
}

/// The moves with their times; the last ones are what arbiters ask for.
fn record(seen: &Seen, reader: &Reader) -> Markup {
    html! {
        p class="h3" {
            (reader.t("对局记录", "Record"))
            a href={ "/round/" (seen.round) "/table/" (seen.no) } { (reader.t("打谱", "replay")) }
        }
        div class="reclist" {
            ol class="mv" {
                @for (i, pair) in seen.table.plies.chunks(2).enumerate() {
                    li {
                        span class="no" { (i + 1) }
                        @for ply in pair {
                            a class={ "pl" @if ply.irregular { " ir" } } href={ (timeline::around(seen.no, ply.at)) } {
                                (reader.moves.of(ply))
                                @if ply.irregular { small { (reader.t("待核", "check")) } }
                                @if let Some(ms) = ply.used_ms { em { (clock::used(ms)) } }
                            }
                        }
                    }
                }
            }
            @if seen.table.plies.is_empty() { p class="none" { (reader.t("尚未走棋", "No move yet")) } }
        }
    }
}

/// Who decided what here, newest first; each can be undone, and printed.
fn log(seen: &Seen, zone: Zone, reader: &Reader) -> Markup {
    html! {
        p class="h3" {
            (reader.t("本台裁决", "Decisions here"))
            a href={ "/arbiter/journal?table=" (seen.no) } { (reader.t("日志", "journal")) }
        }
        ul class="dec" {
            @for one in seen.decisions.iter().filter(|one| one.round == seen.round) {
                li class=[one.undone.then_some("undone")] {
                    a href={ (timeline::around(seen.no, one.at)) } { time { (zone.time(one.at)) } }
                    span {
                        (say::act(&one.act, None).get(reader.lang))
                        small { (say::who(&one.by).get(reader.lang)) @if one.undone { (reader.t(" · 已撤销", " · undone")) } }
                    }
                    a href={ "/arbiter/ruling/" (one.no) } aria-label=(reader.t("裁决单", "ruling sheet")) { (icon("M6 7V3h8v4M6 14H4V8h12v6h-2M6 11h8v6H6z")) }
                    @if one.undoable {
                        a class="btn btn-s" href={ "/arbiter/table/" (seen.no) "?do=undo&no=" (one.no) "&since=" (seen.version()) } { (reader.t("撤销…", "Undo…")) }
                    }
                }
            }
            @if seen.decisions.iter().all(|one| one.round != seen.round) { li { (reader.t("尚无裁决", "none yet")) } }
        }
    }
}

/// The bar at the foot: what was chosen, what it changes, cancel or confirm.
fn bar(choice: &Choice, fields: &Fields, seen: &Seen, official: &Official, reader: &Reader) -> Markup {
    let may = choice.acts.iter().all(|act| official.may(act));
    html! {
        form class="conf" id="confirm" method="post" action={ "/arbiter/table/" (seen.no) } {
            (official.seal())
            input type="hidden" name="drawn" value=(seen.version());
            @for name in choice::FIELDS {
                @if let Some(value) = fields.get(name).filter(|_| name != "why") {
                    input type="hidden" name=(name) value=(value);
                }
            }
            div {
                b { (choice.title.get(reader.lang)) }
                @for effect in &choice.effects { p { (effect.get(reader.lang)) } }
                @if choice.reason.is_some() {
                    input name="why" maxlength="200" autocomplete="off" value=(fields.get("why").unwrap_or_default())
                        aria-label=(reader.t("理由", "Reason")) placeholder=(reader.t("理由（可不填）", "reason (optional)"));
                }
                @if !may { p { (Undone::Role.words().get(reader.lang)) } }
            }
            a class="btn btn-g" href={ "/arbiter/table/" (seen.no) } { (reader.t("取消", "Cancel")) }
            button class="btn" disabled[!may] { (reader.t("确认裁决", "Confirm")) }
        }
    }
}
