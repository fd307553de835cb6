//! What a public page or file is made from: never what only officials may see.
//!
//! Pages for everybody take a [`Public`] in the place of the whole state, so they cannot show what is still delayed.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::lang::{cookie, query};
use crate::{AppState, Hub};

/// The state as this reader may see it: without results if he asked so (`?results=hide`, or the cookie).
#[derive(Clone, Debug)]
pub struct Public {
    /// The views.
    pub hub: Hub,
}

/// The name of the choice, in the query and in the cookie.
pub const RESULTS: &str = "results";

impl Public {
    /// For a request.
    #[must_use]
    pub fn of(state: &AppState, parts: &Parts) -> Public {
        let hide = query(parts, RESULTS).or_else(|| cookie(parts, RESULTS)) == Some("hide");
        Public { hub: if hide { state.hub.veiled() } else { state.hub.public() } }
    }
}

impl FromRequestParts<AppState> for Public {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Public, Infallible> {
        Ok(Public::of(state, parts))
    }
}
