//! The server loop: answers requests, beats the slow streams, ends them all at once.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;

use crate::{AppState, Hub, app};

/// How long requests in flight may take to end after the shutdown was asked for.
const GRACE: Duration = Duration::from_millis(1500);

/// Serves until `state.shutdown` is cancelled, then at most [`GRACE`] longer: open streams end with the token and
/// hold up nothing.
///
/// # Errors
/// What the listener reports.
pub async fn serve(listener: TcpListener, state: AppState) -> std::io::Result<()> {
    let shutdown = state.shutdown.clone();
    let beats = tokio::spawn(beat(state.hub.clone()));
    let service = app(state).into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, service).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    let grace = async {
        shutdown.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    let served = tokio::select! {
        served = std::future::IntoFuture::into_future(server) => served,
        () = grace => Ok(()),
    };
    beats.abort();
    served
}

/// Once a second, what changed in rounds and grids.
async fn beat(hub: Hub) {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        seconds.tick().await;
        hub.beat();
    }
}
