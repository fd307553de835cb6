//! `chuhe serve`: the server of a real venue. It takes the event into possession and serves it; while another has it, or
//! the database is away, it stands by.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::place::Place;
use super::{Ended, Failure, asked_to_stop, log, runtime};
use crate::config::Config;
use crate::pilot;
use crate::server::{BrokerChoice, Doors, Server, ServerError, Settings};
use crate::standby::stand_by;

/// What is logged without `RUST_LOG`.
const USUAL_LOG: &str = "info,rmqtt=warn,sqlx=warn";

/// How long a server that broke off waits until it tries again.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) fn serve(place: &Place) -> Ended {
    log(USUAL_LOG);
    let config = place.config()?;
    let settings = settings(&config, place)?;
    runtime()?.block_on(run(config, settings))
}

fn settings(config: &Config, place: &Place) -> Result<Settings, Failure> {
    Ok(Settings {
        listen: config.listen,
        database: place.database()?,
        data: config.data.clone(),
        broker: match config.broker.external.clone() {
            Some(address) => BrokerChoice::External(address),
            None => BrokerChoice::Embedded(config.broker.embedded),
        },
        venue: config.venue.clone(),
        clock: config.clock,
        keys: config.keys(),
        tls: config.tls.clone(),
        push: config.push.clone(),
        pages: config.pages.clone(),
        open_house: false,
    })
}

async fn run(config: Config, settings: Settings) -> Ended {
    let stop = CancellationToken::new();
    let asked = stop.clone();
    // Heard once for all, so that a signal between two waits is not missed.
    tokio::spawn(async move {
        asked_to_stop().await;
        tracing::info!("ending");
        asked.cancel();
    });
    let doors = Doors::open(&settings).map_err(|error| Failure::BadInput(error.into()))?;
    let mut served = false;
    loop {
        match own_and_serve(&config, &settings, &doors, &stop, &mut served).await {
            Ok(()) => return Ok(()),
            // What is wrong at the start is wrong in the configuration, unless the event is shared: then its owner or
            // its database may be elsewhere.
            Err(error) if error.may_pass() && (served || settings.database.is_shared()) => {
                tracing::error!(%error, "stepping down; trying again");
            }
            Err(error) if served => return Err(Failure::Failed(error.into())),
            Err(error) => return Err(Failure::BadInput(error.into())),
        }
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

/// Waits for the event, serves it until `stop` or until it is lost. `served` tells whether it got as far as that.
async fn own_and_serve(
    config: &Config,
    settings: &Settings,
    doors: &Doors,
    stop: &CancellationToken,
    served: &mut bool,
) -> Result<(), ServerError> {
    let patient = *served || settings.database.is_shared();
    let store = match settings.own().await {
        Err(error) if patient && error.may_pass() => match stand_by(settings, doors, error, stop).await? {
            Some(store) => store,
            None => return Ok(()),
        },
        owned => owned?,
    };
    let server = Server::run(settings.clone(), doors, store).await?;
    *served = true;
    tracing::info!("the event is at {}/", doors.url(settings));
    if let Some(address) = doors.encrypted() {
        tracing::info!("encrypted at https://{address}/");
    }
    server.push_to(config.webhooks.clone());
    if let Some(engine) = config.engine.clone() {
        server.evaluate_with(engine);
    }
    tokio::select! {
        () = stop.cancelled() => {}
        () = server.broken() => {}
        () = conduct(config, &server) => {}
    }
    server.stop().await
}

/// Sets the event up and, if it is automatic, runs it. It does not return: the server goes on until somebody ends it.
async fn conduct(config: &Config, server: &Server) {
    let automatic = config.event.as_ref().is_some_and(|event| event.automatic);
    let run = async {
        pilot::set_up(server, config.setup()).await?;
        if automatic { pilot::fly(server, |_| true).await } else { Ok(()) }
    };
    if let Err(why) = run.await {
        // Pages and gateways are served all the same; an organiser can put it right.
        tracing::error!(why, "the event could not be set up or run automatically");
    }
    std::future::pending().await
}
