//! `chuhe node`: spectators' pages without a database, beside a server that owns the event.

use std::path::PathBuf;

use clap::Args;
use tokio_util::sync::CancellationToken;

use super::serve::USUAL_LOG;
use super::{Ended, Failure, asked_to_stop, log, runtime};
use crate::config::Config;
use crate::node;

/// Which broker, and where to serve.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// A configuration as the server's: listen, venue, broker, clock, and pages for where the owner's are.
    #[arg(long, default_value = "chuhe.toml")]
    config: PathBuf,
}

pub(super) fn node(options: &Options) -> Ended {
    log(USUAL_LOG);
    let config = Config::read(&options.config).map_err(|error| Failure::BadInput(error.into()))?;
    runtime()?.block_on(async {
        let stop = CancellationToken::new();
        let asked = stop.clone();
        tokio::spawn(async move {
            asked_to_stop().await;
            tracing::info!("ending");
            asked.cancel();
        });
        node::run(&config, stop).await.map_err(|error| Failure::BadInput(error.into()))
    })
}
