//! `chuhe serve`: the server of a real venue.

use std::path::Path;

use super::{Ended, Failure, asked_to_stop, log, runtime};
use crate::config::Config;
use crate::pilot;
use crate::server::{BrokerChoice, Server, Settings};

/// What is logged without `RUST_LOG`.
const USUAL_LOG: &str = "info,rmqtt=warn,sqlx=warn";

pub(super) fn serve(path: &Path) -> Ended {
    log(USUAL_LOG);
    let config = Config::read(path).map_err(|error| Failure::BadInput(error.into()))?;
    runtime()?.block_on(run(config))
}

async fn run(config: Config) -> Ended {
    let settings = Settings {
        listen: config.listen,
        database: config.data.join("event.db"),
        broker: match config.broker.external.clone() {
            Some(address) => BrokerChoice::External(address),
            None => BrokerChoice::Embedded(config.broker.embedded),
        },
        venue: config.venue.clone(),
        clock: config.clock,
        keys: config.keys(),
        push: config.push.clone(),
        pages: config.pages.clone(),
        open_house: false,
    };
    let server = Server::start(settings).await.map_err(|error| Failure::BadInput(error.into()))?;
    tracing::info!("the event is at http://{}/", server.address);
    server.push_to(config.webhooks.clone());
    let automatic = config.event.as_ref().is_some_and(|event| event.automatic);
    let event = async {
        let run = async {
            pilot::set_up(&server, config.setup()).await?;
            if automatic { pilot::fly(&server, |_| true).await } else { Ok(()) }
        };
        if let Err(why) = run.await {
            // Pages and gateways are served all the same; an organiser can put it right.
            tracing::error!(why, "the event could not be set up or run automatically");
        }
        // The server goes on until somebody ends it.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = asked_to_stop() => tracing::info!("ending"),
        () = server.broken() => {}
        () = event => {}
    }
    server.stop().await.map_err(|error| Failure::Failed(error.into()))
}
