//! From an official to the hall.

use axum::http::StatusCode;
use hall::Act;
use tokio::sync::oneshot;
use tournament::TableNo;

use super::Official;
use crate::lang::Words;
use crate::{ActRequest, AppState, Refused};

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// The official's role does not reach that far.
    Role,
    /// The hall refused.
    Refused(Words),
    /// Somebody else decided something at the table after the page was drawn.
    Overtaken,
    /// The server is stopping.
    Stopping,
}

impl Undone {
    /// The answer's status.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        match self {
            Undone::Role => StatusCode::FORBIDDEN,
            Undone::Refused(_) | Undone::Overtaken => StatusCode::CONFLICT,
            Undone::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// In words.
    #[must_use]
    pub fn words(&self) -> Words {
        match self {
            Undone::Role => Words::of("您的职务不能作此决定", "Your role does not allow this"),
            Undone::Refused(why) => why.clone(),
            Undone::Overtaken => {
                Words::of("此台刚有他人裁决", "Somebody else has just decided at this table")
            }
            Undone::Stopping => Words::of("服务器正在停止", "The server is stopping"),
        }
    }
}

/// Has the hall do this in the official's name, all of it in one go, if his role allows all of it. `drawn`: the table
/// that it is about and the journal entry that the page was drawn from; what others decided there since stops it.
///
/// # Errors
/// Why it was not done.
pub async fn decide(
    state: &AppState,
    official: &Official,
    acts: Vec<Act>,
    drawn: Option<(TableNo, u64)>,
) -> Result<(), Undone> {
    if !acts.iter().all(|act| official.may(act)) {
        return Err(Undone::Role);
    }
    let (answer, answered) = oneshot::channel();
    let request = ActRequest { acts, by: official.actor(), drawn, answer };
    state.acts.send(request).await.map_err(|_| Undone::Stopping)?;
    match answered.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(Refused::Said(why))) => Err(Undone::Refused(why)),
        Ok(Err(Refused::Overtaken)) => Err(Undone::Overtaken),
        Err(_) => Err(Undone::Stopping),
    }
}
