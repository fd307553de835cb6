//! 编排处: the organiser's desk, from the first entry to the prize list. Laptop size, keyboard first, complete without scripts.
//!
//! Every page is a function of [`DeskView`]; every button is an act that the hall may refuse. The view holds personal data:
//! nothing here is for the public.

mod draw;
mod entries;
mod export;
mod form;
mod frame;
mod groups;
mod history;
mod import;
mod lineups;
mod open;
mod pairing;
mod read;
mod regulation;
mod results;
mod settings;
mod sheet;
mod simul;
mod slip;
mod standings;
mod trf;
pub(crate) mod upload;

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use hall::desk::{DeskAct, DeskView};
use hall::{Act, Room};
use maud::{Markup, html};

pub(crate) use form::Fields;
pub(crate) use frame::{Frame, Tab, clock_time, day_name, day_time, local, private};
pub(crate) use groups::parted;
pub(crate) use results::score;
pub(crate) use standings::{head as head_of, members, system_words};

use crate::AppState;
use crate::auth::{self, Official};
use crate::page::Reader;

/// The desk's addresses.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/desk", get(entries::home))
        .route("/desk/open", post(open::open))
        .route("/desk/entries", get(entries::entries).post(entries::register))
        .route("/desk/entries/{no}", post(entries::change))
        .route("/desk/import", get(import::import).post(import::preview))
        .route("/desk/import/apply", post(import::apply))
        .route("/desk/draw", get(draw::page).post(draw::draw))
        .route("/desk/pairing", get(pairing::page).post(pairing::change))
        .route("/desk/field", post(pairing::field))
        .route("/desk/lineups", get(lineups::page).post(lineups::hand_in))
        .route("/desk/results", get(results::page).post(results::enter))
        .route("/desk/results/one", post(results::one))
        .route("/desk/standings", get(standings::page))
        .route("/desk/prizes", get(standings::prizes))
        .route("/desk/simul", get(simul::page).post(simul::change))
        .route("/slip", get(slip::list))
        .route("/slip/{table}", get(slip::one).post(slip::send))
        .route("/desk/settings", get(settings::page).post(settings::save))
        .route("/desk/regulation", post(regulation::regulate))
        .route("/desk/history", get(history::page))
        .route("/desk/undo", post(history::undo))
        .route("/desk/files/{name}", get(export::file))
}

/// An official at the desk, and what the desk shows.
#[derive(Clone)]
pub(crate) struct AtDesk {
    /// The server's state.
    pub state: AppState,
    /// The reader.
    pub reader: Reader,
    /// The desk.
    pub view: Arc<DeskView>,
    /// Who.
    pub official: Official,
}

/// A form sent from one of the desk's pages.
pub(crate) struct Sent {
    /// By whom.
    pub desk: AtDesk,
    /// What stands in it.
    pub fields: Fields,
}

impl FromRequestParts<AppState> for AtDesk {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<AtDesk, Response> {
        let Ok(reader) = Reader::from_request_parts(parts, state).await;
        let official = auth::enter(state, &reader, parts, Room::Desk)?;
        AtDesk::with(state, reader, official)
    }
}

impl FromRequest<AppState> for Sent {
    type Rejection = Response;

    async fn from_request(request: Request, state: &AppState) -> Result<Sent, Response> {
        let posted = auth::posted(state, request, Some(Room::Desk)).await?;
        let fields = Fields::of(posted.fields());
        let desk = AtDesk::with(state, posted.reader, posted.official)?;
        Ok(Sent { desk, fields })
    }
}

impl AtDesk {
    #[allow(clippy::result_large_err, reason = "an answer is an answer")]
    fn with(state: &AppState, reader: Reader, official: Official) -> Result<AtDesk, Response> {
        let Some(view) = state.hub.look(|shown| shown.desk.clone()) else {
            return Err((StatusCode::NOT_FOUND, open::form(&reader, &official)).into_response());
        };
        Ok(AtDesk { state: state.clone(), reader, view, official })
    }

    /// Does something and goes on to a page; a refusal is said in words, with the way back.
    pub async fn act(&self, act: impl Into<Todo>, back: &str) -> Response {
        self.all([act.into()], back).await
    }

    /// Does all of it in one go, or up to the first that is refused.
    pub async fn all(&self, acts: impl IntoIterator<Item = Todo>, back: &str) -> Response {
        let acts: Vec<Act> = acts.into_iter().map(|todo| todo.0).collect();
        if acts.is_empty() {
            return Redirect::to(back).into_response();
        }
        match auth::decide(&self.state, &self.official, acts, None).await {
            Ok(()) => Redirect::to(back).into_response(),
            Err(undone) => {
                (undone.status(), frame::say(&self.reader, undone.words().get(self.reader.lang), back))
                    .into_response()
            }
        }
    }

    /// What was typed makes no sense.
    pub fn refuse(&self, words: &str, back: &str) -> Response {
        (StatusCode::UNPROCESSABLE_ENTITY, frame::say(&self.reader, words, back)).into_response()
    }

    /// A form asks for something that there is not.
    pub fn unknown(&self, what: &str) -> String {
        self.words(format!("不认识的操作“{what}”"), format!("“{what}” is nothing that can be done here"))
    }

    /// The hidden field of every form.
    pub fn seal(&self) -> Markup {
        self.official.seal()
    }

    /// One of two sentences with figures in them.
    pub fn words(&self, zh: String, en: String) -> String {
        match self.reader.lang {
            crate::lang::Lang::Zh => zh,
            crate::lang::Lang::En => en,
        }
    }

    /// One of two texts.
    pub fn t<T: Copy>(&self, zh: T, en: T) -> T {
        self.reader.t(zh, en)
    }
}

/// Something to be done by the hall.
pub(crate) struct Todo(Act);

impl From<DeskAct> for Todo {
    fn from(act: DeskAct) -> Todo {
        Todo(Act::Desk(act))
    }
}

impl From<Act> for Todo {
    fn from(act: Act) -> Todo {
        Todo(act)
    }
}

/// `第3轮`, `round 3`.
pub(crate) fn round_name(reader: &Reader, round: tournament::RoundNo) -> String {
    match reader.lang {
        crate::lang::Lang::Zh => format!("第{round}轮"),
        crate::lang::Lang::En => format!("round {round}"),
    }
}

/// A hidden field.
pub(crate) fn hidden(name: &str, value: impl maud::Render) -> maud::Markup {
    html! { input type="hidden" name=(name) value=(value); }
}
