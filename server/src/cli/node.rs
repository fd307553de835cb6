//! `chuhe node`: spectators' pages without a database, beside a server that owns the event.

use std::path::PathBuf;

use clap::Args;
use gateway::log_to_stderr;

use super::serve::USUAL_LOG;
use super::{Ended, Failure, runtime, stop_when_asked};
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
    log_to_stderr(USUAL_LOG);
    let config = Config::read(&options.config).map_err(|error| Failure::BadInput(error.into()))?;
    runtime()?.block_on(async {
        node::run(&config, stop_when_asked()).await.map_err(|error| Failure::BadInput(error.into()))
    })
}
