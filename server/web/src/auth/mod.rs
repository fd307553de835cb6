//! Who may do what: accounts, sessions, and the check that every official's page and form passes.
//!
//! A page asks [`enter`] for its [`Official`], a form's handler [`posted`]; both answer by themselves when the
//! request is nobody's. What an official decides goes to the hall through [`decide`], the only place that asks
//! [`hall::Role::may`].

mod account;
mod accounts;
mod attempts;
mod decide;
mod keep;
mod official;
mod pages;
mod password;
mod session;

pub use account::{Account, AccountError};
pub use accounts::Accounts;
#[allow(unused_imports, reason = "the organiser's desk names it")]
pub use decide::{Undone, decide};
pub use keep::{Change, Keep};
#[allow(unused_imports, reason = "the organiser's desk names it")]
pub use official::Posted;
pub use official::{Denied, Encrypted, Official, admit, enter, posted};
pub use password::{MIN_PASSWORD, digest_password};
pub use session::Session;

use axum::Router;
use axum::routing::{get, post};

use crate::AppState;

/// Signing in and out, the first account, all accounts.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/signin", get(pages::sign_in_page).post(pages::sign_in))
        .route("/signout", post(pages::sign_out))
        .route("/setup", get(pages::setup_page).post(pages::setup))
        .route("/account", get(pages::own))
        .route("/account/password", post(pages::own_password))
        .route("/accounts", get(pages::all).post(pages::put))
        .route("/accounts/remove", post(pages::remove))
}
