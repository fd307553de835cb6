//! Standing by: another server owns the event, or the database is away. The pages answer with where the event is; the
//! event is taken over as soon as it can be had.

use std::time::Duration;

use hall::{Input, ServerFault};
use store::Look;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use web::StandBy;

use crate::doors::Doors;
use crate::server::{Owned, ServerError, Settings};

/// What can be kept again for so long is taken to be well: then the alert passes by itself.
const LASTS: Duration = Duration::from_secs(120);

/// How often it is tried to take the event over.
const TRY: Duration = Duration::from_millis(500);

/// Waits until the event is ours, and answers for it meanwhile. `None`: `stop` was called first.
pub async fn stand_by(
    settings: &Settings,
    doors: &Doors,
    why: ServerError,
    stop: &CancellationToken,
) -> Result<Option<Owned>, ServerError> {
    tracing::warn!(%why, "standing by");
    let (tell, told) = watch::channel(StandBy { why: why.to_string(), owner: None });
    let answering = CancellationToken::new();
    let pages = tokio::spawn(web::serve_standby(doors.pages()?, told, answering.clone()));
    let ours = doors.url(settings);
    let mut look: Option<Look> = None;
    let outcome = loop {
        tokio::select! {
            () = stop.cancelled() => break Ok(None),
            () = tokio::time::sleep(TRY) => {}
        }
        match settings.own(doors).await {
            Ok(owned) => break Ok(Some(owned)),
            Err(error) if error.may_pass() => {
                let owner = owner(settings, &mut look).await.filter(|pages| *pages != ours);
                tell.send_replace(StandBy { why: error.to_string(), owner });
            }
            Err(error) => break Err(error),
        }
    };
    answering.cancel();
    // Whatever it ends with: the listener's next user finds out.
    let _ended = pages.await;
    if let Ok(Some(_)) = &outcome {
        tracing::info!("the event is ours");
    }
    outcome
}

/// Tells the arbiters that for a while nothing could be kept, and that it can again, once that has lasted.
pub(crate) async fn tell_outage(tell: mpsc::Sender<Input>, stop: CancellationToken) {
    for (on, wait) in [(true, LASTS), (false, Duration::ZERO)] {
        if tell.send(Input::Server { fault: ServerFault::Store, on }).await.is_err() {
            return;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Where the pages of the server are that started last.
async fn owner(settings: &Settings, look: &mut Option<Look>) -> Option<String> {
    if look.is_none() {
        *look = settings.database.look().await.ok();
    }
    let pages = look.as_ref()?.last_pages().await;
    if pages.is_err() {
        *look = None;
    }
    pages.ok().flatten().filter(|pages| !pages.is_empty())
}
