//! 设备: how boards, clocks and gateways are, and the self-test (自检) that somebody walks through before a round, with
//! a phone from table to table.

mod exchange;
mod firmware;
mod glance;
mod links;
mod test;
mod words;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use hall::view::DevicesView;
use hall::{Act, Room, TestStep};
use maud::Markup;
use tournament::TableNo;

use super::shell::{Page, Place, Reader};
use crate::AppState;
use crate::auth;
use crate::page::not_found;

pub(crate) use firmware::made_for;

/// Their addresses.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/devices", get(all).post(begin_all))
        .route(
            "/devices/firmware",
            post(firmware::offer).layer(DefaultBodyLimit::max(firmware::LARGEST_FORM)),
        )
        .route("/devices/firmware/stop", post(firmware::stop))
        .route("/devices/{table}", get(one).post(step))
        .route("/devices/{table}/exchange", post(exchange::exchange))
}

/// `GET /devices`: all tables at a glance.
async fn all(State(state): State<AppState>, reader: Reader, parts: Parts) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Devices) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let tables = state.questions.devices(None).await;
    let links = state.questions.links().await;
    let firmware = state.questions.firmware().await;
    let body = glance::draw(&tables, &links, firmware.as_ref(), &official, &reader);
    page(&state, reader.t("设备", "Devices").to_owned(), "/", &body, &reader)
}

/// `GET /devices/{table}`: one table's self-test.
async fn one(State(state): State<AppState>, Path(no): Path<u16>, reader: Reader, parts: Parts) -> Response {
    let official = match auth::enter(&state, &reader, &parts, Room::Devices) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let tables = state.questions.devices(None).await;
    let Some(here) = tables.iter().find(|table| table.table == TableNo(no)) else {
        let what = reader.t("此台未装定设备", "No devices are bound to this table");
        return not_found(&state.hub, &reader, what);
    };
    let zone = super::arbiter::when::Zone::of(&state.hub.shown());
    let exchange = exchange::form(here, &state.questions.links().await, &official, &reader);
    let body = test::draw(here, &neighbours(&tables, here), zone, &exchange, &official, &reader);
    let title = match reader.lang {
        crate::lang::Lang::Zh => format!("{no}台 自检"),
        crate::lang::Lang::En => format!("Table {no}: self-test"),
    };
    page(&state, title, "/devices", &body, &reader)
}

/// Where somebody who walks along the tables comes from and goes to.
struct Neighbours {
    before: Option<TableNo>,
    after: Option<TableNo>,
}

fn neighbours(tables: &[DevicesView], here: &DevicesView) -> Neighbours {
    let at = tables.iter().position(|table| table.table == here.table).unwrap_or_default();
    let no = |table: &DevicesView| table.table;
    Neighbours { before: tables[..at].last().map(no), after: tables.get(at + 1).map(no) }
}

fn page(state: &AppState, title: String, back: &str, body: &Markup, reader: &Reader) -> Response {
    let mut page = Page::new(title, Place::Other, Some(back));
    page.class = "dev";
    page.sheets = &["lists.css", "devices.css"];
    page.script = "devices.js";
    let shown = state.hub.shown();
    let mut answer = page.answer(&state.hub, &shown, reader, body);
    super::no_store(&mut answer);
    answer
}

/// `POST /devices`: the self-test begins at every table that can be tested now.
async fn begin_all(State(state): State<AppState>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Devices)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let tables = state.questions.devices(None).await;
    let idle = tables.iter().filter(|table| !table.plays && table.since.is_none());
    let acts: Vec<_> =
        idle.map(|table| Act::SelfTest { table: table.table, step: TestStep::Begin }).collect();
    if acts.is_empty() {
        return Redirect::to("/devices").into_response();
    }
    answer(auth::decide(&state, &posted.official, acts, None).await, "/devices", &posted.reader)
}

/// `POST /devices/{table}`: a self-test begins or ends.
async fn step(State(state): State<AppState>, Path(no): Path<u16>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Devices)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let step = match posted.text("step") {
        Some("begin") => TestStep::Begin,
        Some("finish") => TestStep::Finish,
        Some("break_off") => TestStep::BreakOff,
        Some(_) | None => {
            let words = posted.reader.t("未选：开始或结束自检", "Nothing was chosen: begin or end the test");
            return (StatusCode::UNPROCESSABLE_ENTITY, words).into_response();
        }
    };
    let act = Act::SelfTest { table: TableNo(no), step };
    let to = format!("/devices/{no}");
    answer(auth::decide(&state, &posted.official, vec![act], None).await, &to, &posted.reader)
}

fn answer(done: Result<(), auth::Undone>, to: &str, reader: &Reader) -> Response {
    match done {
        Ok(()) => Redirect::to(to).into_response(),
        Err(undone) => (undone.status(), undone.words().get(reader.lang).to_owned()).into_response(),
    }
}
