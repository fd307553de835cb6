//! 成绩条 on a phone: the result of one table entered where it was played, by an arbiter, board or no board. Names and both
//! sides as they sit, one tap for the result, the ending and fouls below; what is sent is what the desk would enter.

use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use hall::desk::{BoardRow, DeskAct, DeskRound, DeskView, EnteredAt};
use hall::{Act, Room};
use maud::{DOCTYPE, Markup, html};
use tournament::TableNo;

use super::frame::{private, say};
use super::results::{self, KEYS, code};
use super::{Fields, hidden};
use crate::auth::{self, Official};
use crate::page::Reader;
use crate::{AppState, assets};

/// The running round and what is played at a table of it.
fn at(view: &DeskView, table: TableNo) -> Option<(&DeskRound, &BoardRow)> {
    let round = view.rounds.last().filter(|round| round.started)?;
    Some((round, round.boards.iter().find(|board| board.table == table)?))
}

fn nothing(reader: &Reader, table: u16) -> Response {
    let words = match reader.lang {
        crate::lang::Lang::Zh => format!("本轮没有{table}台的对局，或尚未开赛"),
        crate::lang::Lang::En => format!("there is no game at table {table}, or the round has not started"),
    };
    (StatusCode::NOT_FOUND, say(reader, &words, "/slip")).into_response()
}

/// `GET /slip`: the tables of the round, those without a result first.
pub(super) async fn list(State(state): State<AppState>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let Ok(reader) = Reader::from_request_parts(&mut parts, &state).await;
    let official = match auth::enter(&state, &reader, &parts, Room::Duty) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let view = state.hub.look(|shown| shown.desk.clone());
    let round = view.as_ref().and_then(|view| view.rounds.last().filter(|round| round.started));
    let body = html! { @match (&view, round) {
        (Some(view), Some(round)) => {
            h1 { (reader.t("成绩条", "Slips")) " · " (super::round_name(&reader, round.no)) }
            @let (done, open): (Vec<_>, Vec<_>) = round.boards.iter().partition(|board| board.outcome.is_some());
            @for board in open.into_iter().chain(done) { a class="slipline" href={ "/slip/" (board.table) } {
                b { (board.table) } span { (view.seat(board.red).0) " — " (view.seat(board.black).0) }
                span { @if let Some(outcome) = board.outcome { (results::score(reader.lang, outcome)) } } } }
        }
        _ => p class="none" { (reader.t("还没有开赛的轮次。", "No round has started yet.")) },
    } };
    page(&reader, &official, reader.t("成绩条", "Slips"), body)
}

/// `GET /slip/{table}`.
pub(super) async fn one(State(state): State<AppState>, Path(table): Path<u16>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let Ok(reader) = Reader::from_request_parts(&mut parts, &state).await;
    let official = match auth::enter(&state, &reader, &parts, Room::Duty) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let view = state.hub.look(|shown| shown.desk.clone());
    let Some((view, (round, board))) = view.as_ref().and_then(|view| Some((view, at(view, TableNo(table))?)))
    else {
        return nothing(&reader, table);
    };
    let [(red, red_unit), (black, black_unit)] = [view.seat(board.red), view.seat(board.black)];
    let who = |mark: &str, word: &str, name: &str, unit: &str| {
        html! { p class="slipside" { span class={ "sd " (mark) } { (word) } b { (name) } span { (unit) } } }
    };
    let body = html! {
        h1 { (table) (reader.t("台", "")) " · " (super::round_name(&reader, round.no)) }
        (who("sd-r", reader.t("红", "R"), &red, &red_unit)) (who("sd-b", reader.t("黑", "B"), &black, &black_unit))
        @if let Some(old) = board.outcome { p { (reader.t("已录 ", "entered: ")) b { (results::score(reader.lang, old)) } " " (reader.t(old.ending.zh(), old.ending.en())) (reader.t("；改动须写理由", "; a change needs a reason")) } }
        form method="post" action={ "/slip/" (table) } class="sheetform" { (official.seal()) (hidden("round", round.no.0))
            div class="slipkeys" { @for (key, zh, en, _) in KEYS { button class="btn" name="key" value=(key) { (reader.t(zh, en)) } } }
            label { (reader.t("结束方式", "Ending")) select name="ending" { option value="" { "—" } @for ending in results::ENDINGS { option value=(code(&ending)) { (reader.t(ending.zh(), ending.en())) } } } }
            div class="row" { label { (reader.t("红方犯规", "Red's fouls")) input name="red" size="2" value=(board.fouls[0]) inputmode="numeric"; } label { (reader.t("黑方犯规", "Black's fouls")) input name="black" size="2" value=(board.fouls[1]) inputmode="numeric"; } }
            label { (reader.t("理由（改判时）", "Reason (for a change)")) input name="why" maxlength="100"; }
        }
        p { a href="/slip" { (reader.t("其他台", "Other tables")) } }
    };
    page(&reader, &official, &format!("{table}{}", reader.t("台", "")), body)
}

fn page(reader: &Reader, official: &Official, title: &str, body: Markup) -> Response {
    private(html! {
        (DOCTYPE)
        html lang=(reader.lang.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="stylesheet" href=(assets::sheets(&["base.css", "parts.css", "lists.css", "desk.css"]));
            }
            body { main id="main" class="slip" { (body) p class="sub" { a href="/arbiter" { (reader.t("值班", "Duty")) } " · " (official.name) } } }
        }
    })
}

/// `POST /slip/{table}`.
pub(super) async fn send(
    State(state): State<AppState>,
    Path(table): Path<u16>,
    request: Request,
) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Duty)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let fields = Fields::of(posted.fields());
    let reader = &posted.reader;
    let back = format!("/slip/{table}");
    let view = state.hub.look(|shown| shown.desk.clone());
    let Some((round, _)) = view.as_ref().and_then(|view| at(view, TableNo(table))) else {
        return nothing(reader, table);
    };
    // The page may be from the round before.
    if fields.get("round") != Some(round.no.0) {
        let words = reader.t("这一页是上一轮的，请重开", "this page is of an earlier round: open it again");
        return (StatusCode::CONFLICT, say(reader, words, &back)).into_response();
    }
    let key = fields.get::<char>("key").and_then(|typed| KEYS.iter().find(|(key, ..)| *key == typed));
    let Some((.., outcome)) = key else {
        let words = reader.t("结果未选", "no result was chosen");
        return (StatusCode::UNPROCESSABLE_ENTITY, say(reader, words, &back)).into_response();
    };
    let ending = serde_json::from_value(serde_json::Value::from(fields.text("ending")));
    let outcome = arbitration::Outcome { ending: ending.unwrap_or(outcome.ending), ..*outcome };
    let fouls = fields.get("red").zip(fields.get("black")).map(|(red, black)| [red, black]);
    let why = fields.text("why").to_owned();
    let act =
        DeskAct::Result { round: round.no, table: TableNo(table), outcome, fouls, why, at: EnteredAt::Table };
    match auth::decide(&state, &posted.official, vec![Act::Desk(act)], None).await {
        Ok(()) => Redirect::to("/slip").into_response(),
        Err(undone) => (undone.status(), say(reader, undone.words().get(reader.lang), &back)).into_response(),
    }
}
