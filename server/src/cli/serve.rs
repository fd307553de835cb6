//! `chuhe serve`: the server of a real venue. It takes the event into possession and serves it; while another has it, or
//! the database is away, it stands by.

use gateway::log_to_stderr;
use tokio_util::sync::CancellationToken;

use super::place::Place;
use super::{Ended, Failure, runtime, stop_when_asked};
use crate::config::Config;
use crate::doors::Doors;
use crate::pilot;
use crate::server::{BrokerChoice, Owned, Server, ServerError, Settings};
use crate::standby::stand_by;

/// What is logged without `RUST_LOG`.
pub(super) const USUAL_LOG: &str = "info,rmqtt=warn,sqlx=warn";

pub(super) fn serve(place: &Place) -> Ended {
    log_to_stderr(USUAL_LOG);
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
    let stop = stop_when_asked();
    let doors = Doors::open(&settings).map_err(|error| Failure::BadInput(error.into()))?;
    let (mut served, mut lost) = (false, None);
    loop {
        let owned = match lost.take() {
            None => settings.own(&doors).await.map(Some),
            // It served, and what came in could not be kept any more: its arbiters are to know.
            Some(why) => {
                let ours = stand_by(&settings, &doors, why, &stop).await;
                ours.map(|owned| owned.map(|owned| if served { owned.after_an_outage() } else { owned }))
            }
        };
        let ended = match owned {
            Ok(Some(owned)) => serve_event(&config, &settings, &doors, owned, &stop, &mut served).await,
            Ok(None) => return Ok(()),
            Err(error) => Err(error),
        };
        match ended {
            Ok(()) => return Ok(()),
            // What is wrong at the start is wrong in the configuration, unless the event is shared: then its owner or
            // its database may be elsewhere.
            Err(error) if error.may_pass() && (served || settings.database.is_shared()) => lost = Some(error),
            Err(error) if served => return Err(Failure::Failed(error.into())),
            Err(error) => return Err(Failure::BadInput(error.into())),
        }
    }
}

/// Serves the event until `stop` is called or it is lost. `served` tells whether it got as far as that.
async fn serve_event(
    config: &Config,
    settings: &Settings,
    doors: &Doors,
    owned: Owned,
    stop: &CancellationToken,
    served: &mut bool,
) -> Result<(), ServerError> {
    let server = Server::run(settings.clone(), doors, owned).await?;
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
