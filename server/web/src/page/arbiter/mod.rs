//! The arbiters' pages: alerts, tables, one table with its remedies, the journal, ruling sheets.
//!
//! They show officials' views at once, whatever delay the public has. Every remedy is picked by a link and confirmed
//! by a form that says what it changes ([`choice`]); without scripts too.

mod choice;
mod classes;
mod codes;
mod evidence;
mod grid;
mod journal;
mod moment;
mod queue;
mod remedies;
mod ruling;
mod say;
pub(super) mod sheet;
mod table;
mod timeline;
mod walk;
pub(super) mod when;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use hall::view::{AlertView, DecisionView, GameView, TableView, TimelineView};
use maud::{Markup, html};
use tournament::{RoundNo, TableNo};

use super::shell::{Page, Place, Reader};
use crate::AppState;
use crate::auth::Official;
use crate::hub::Shown;
use crate::lang::Lang;
use crate::page::shell::icon;

/// Their addresses.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/arbiter", get(queue::arbiter).post(queue::confirm))
        .route("/arbiter/alerts/{alert}/take", post(queue::take_up))
        .route("/arbiter/tables", get(grid::tables))
        .route("/arbiter/table/{table}", get(table::table).post(table::confirm))
        .route("/arbiter/table/{table}/timeline", get(timeline::timeline))
        .route("/arbiter/walk", post(walk::set))
        .route("/arbiter/journal", get(journal::journal))
        .route("/arbiter/ruling/{decision}", get(ruling::ruling))
}

/// What is picked on a page: its query, or its form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(pub Vec<(String, String)>);

impl Fields {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim())
    }

    pub(crate) fn parse<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }
}

/// One table as its page was drawn.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The round.
    pub round: RoundNo,
    /// The table.
    pub no: TableNo,
    /// The game as viewers see it.
    pub game: Arc<GameView>,
    /// The table as the hall sees it.
    pub table: TableView,
    /// Its open alerts, gravest first.
    pub alerts: Vec<AlertView>,
    /// What was decided there, newest first.
    pub decisions: Vec<DecisionView>,
    /// What its repetition's alert would say if plies were ruled as the page's address says.
    pub ruled: Option<AlertView>,
    /// What happened there in the last minute.
    pub minute: Option<TimelineView>,
}

impl Seen {
    /// The table as it is now; `None`: there is no game of the current round.
    pub(crate) async fn now(state: &AppState, no: TableNo) -> Option<Seen> {
        let (round, game, alerts) = state.hub.look(|shown| {
            let round = shown.current_round()?.round;
            let game = shown.games.get(&(round, no)).cloned()?;
            let alerts = shown.alerts.open.iter().filter(|alert| alert.table == Some(no)).cloned().collect();
            Some((round, game, alerts))
        })?;
        let table = state.questions.table(no).await?;
        let decisions = state.questions.decisions(Some(no)).await;
        let now = state.hub.now();
        let minute = state.questions.timeline(no, now.plus(-timeline::MINUTE), now).await;
        Some(Seen { round, no, game, table, alerts, decisions, minute, ruled: None })
    }

    /// Looks ahead at what ruling on classes would lead to, if that is picked.
    pub(crate) async fn look_ahead(mut self, state: &AppState, fields: &Fields) -> Seen {
        if fields.get("do") == Some("classes")
            && let Some(ruled) = fields.get("classes").and_then(classes::parse)
        {
            self.ruled = state.questions.if_classed(self.no, ruled).await;
        }
        self
    }

    /// What a form that is drawn now carries: the last decision that it knows of.
    pub(crate) fn version(&self) -> u64 {
        self.decisions.iter().map(|decision| decision.no).max().unwrap_or(0)
    }
}

/// The frame of an arbiters' page.
fn page(title: String, back: &'static str) -> Page<'static> {
    let mut page = Page::new(title, Place::Other, Some(back));
    page.class = "arb";
    page.sheets = &["game.css", "lists.css", "arbiter.css"];
    page.script = "arbiter.js";
    page
}

/// "12台".
fn table_name(no: TableNo, lang: Lang) -> String {
    match lang {
        Lang::Zh => format!("{no}台"),
        Lang::En => format!("Table {no}"),
    }
}

/// The bar at the foot: where to go.
fn nav(here: &str, shown: &Shown, official: &Official, reader: &Reader) -> Markup {
    let open = shown.alerts.open.iter().filter(|alert| alert.claimed_by.is_none()).count();
    let places = [
        (
            "/arbiter",
            reader.t("警报", "Alerts"),
            "M10 3a5 5 0 0 0-5 5v4l-2 3h14l-2-3V8a5 5 0 0 0-5-5zM8 17h4",
        ),
        ("/arbiter/tables", reader.t("各台", "Tables"), "M3 5h14M3 10h14M3 15h14"),
        ("/arbiter/journal", reader.t("日志", "Journal"), "M5 3h10v14H5zM8 7h4M8 10h4M8 13h4"),
        ("/account", reader.t("我的", "Me"), "M10 3a3 3 0 1 0 0 6a3 3 0 0 0 0-6zM4 17c0-4 3-5 6-5s6 1 6 5"),
    ];
    html! {
        nav class="anav" data-part="anav" aria-label=(reader.t("裁判", "Arbiters")) title=(official.name) {
            @for (href, name, path) in places {
                a href=(href) aria-current=[(href == here).then_some("page")] {
                    span { (icon(path)) @if href == "/arbiter" && open > 0 { em { (open) } } }
                    (name)
                }
            }
        }
    }
}

/// The button that starts the duty: it unlocks sound and vibration.
fn duty(reader: &Reader) -> Markup {
    html! {
        button type="button" class="btn btn-s duty" id="duty" hidden
            data-on=(reader.t("声音已开", "Sound on")) data-off=(reader.t("开始值班", "Start duty")) {
            (reader.t("开始值班", "Start duty"))
        }
    }
}
