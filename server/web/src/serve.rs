//! The server loop: answers requests, beats the slow streams, ends them all at once.

use std::net::SocketAddr;
use std::time::Duration;

use axum::middleware::from_fn_with_state;
use axum::serve::{Listener, ListenerExt};
use axum::{Extension, Router};
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::redirect::redirect;
use crate::{AppState, Encrypted, Hub, app, spectators_app};

/// How long requests in flight may take to end after the shutdown was asked for.
const GRACE: Duration = Duration::from_millis(1500);

/// Serves until `state.shutdown` is cancelled, then at most [`GRACE`] longer: open streams end with the token and
/// hold up nothing.
///
/// # Errors
/// What the listener reports.
pub async fn serve(listener: TcpListener, state: AppState) -> std::io::Result<()> {
    serve_leading(listener, state, None).await
}

/// The same; browsers from elsewhere are led to this port, where the pages are encrypted.
///
/// # Errors
/// What the listener reports.
pub async fn serve_leading(
    listener: TcpListener,
    state: AppState,
    encrypted: Option<u16>,
) -> std::io::Result<()> {
    beating(listener, &state, app(state.clone()), encrypted).await
}

/// The same pages behind a listener that gives connections out after their TLS handshake, beside [`serve`].
///
/// # Errors
/// What the listener reports.
pub async fn serve_encrypted<L>(listener: L, state: AppState) -> std::io::Result<()>
where
    L: Listener<Addr = SocketAddr>,
{
    let shutdown = state.shutdown.clone();
    answer(listener, app(state).layer(Extension(Encrypted)), shutdown).await
}

/// Serves spectators only, on a node without the event; `owner`: the address of the pages that have all the rest. Browsers
/// are led to the port `encrypted` as by [`serve_leading`].
///
/// # Errors
/// What the listener reports.
pub async fn serve_spectators(
    listener: TcpListener,
    state: AppState,
    owner: Option<String>,
    encrypted: Option<u16>,
) -> std::io::Result<()> {
    beating(listener, &state, spectators_app(state.clone(), owner), encrypted).await
}

/// The same behind a listener that gives connections out after their TLS handshake, beside [`serve_spectators`].
///
/// # Errors
/// What the listener reports.
pub async fn serve_spectators_encrypted<L>(
    listener: L,
    state: AppState,
    owner: Option<String>,
) -> std::io::Result<()>
where
    L: Listener<Addr = SocketAddr>,
{
    let shutdown = state.shutdown.clone();
    answer(listener, spectators_app(state, owner).layer(Extension(Encrypted)), shutdown).await
}

/// Answers with these pages, and beats the hub meanwhile: once for all listeners that show it.
async fn beating(
    listener: TcpListener,
    state: &AppState,
    pages: Router,
    encrypted: Option<u16>,
) -> std::io::Result<()> {
    let beats = tokio::spawn(beat(state.hub.clone()));
    let pages = match encrypted {
        Some(port) => pages.layer(from_fn_with_state(port, redirect)),
        None => pages,
    };
    let served = answer(listener, pages, state.shutdown.clone()).await;
    beats.abort();
    served
}

async fn answer<L>(listener: L, app: Router, shutdown: CancellationToken) -> std::io::Result<()>
where
    L: Listener<Addr = SocketAddr>,
{
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    // A tapped listener tells the other end's address, whatever listener it is.
    let server = axum::serve(listener.tap_io(|_| {}), service)
        .with_graceful_shutdown(shutdown.clone().cancelled_owned());
    let grace = async {
        shutdown.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        served = std::future::IntoFuture::into_future(server) => served,
        () = grace => Ok(()),
    }
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
