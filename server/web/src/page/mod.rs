//! The pages: HTML from the latest views. Complete without scripts; `app.js` keeps them up to date.

mod arbiter;
pub(crate) mod devices;
mod game;
mod home;
mod inset;
mod live;
mod pairings;
mod player;
mod screen;
mod share;
mod shell;
mod standings;
mod steer;
mod teams;

pub(crate) use arbiter::routes as arbiter_routes;
pub(crate) use devices::routes as devices_routes;
pub use game::{game, table};
pub use home::{home, round};
pub use inset::{embed, overlay};
pub use live::live;
pub use player::{player, search};
pub use screen::screen;
pub use share::share;
pub use standings::standings;
pub use steer::{set, steer};
pub use teams::{of_match, team, teams};

/// An officials' page: nobody keeps it.
fn no_store(answer: &mut axum::response::Response) {
    let headers = answer.headers_mut();
    headers.insert(axum::http::header::CACHE_CONTROL, axum::http::HeaderValue::from_static("no-store"));
}

pub(crate) use shell::{Page, Place, Reader, disc, not_found};
