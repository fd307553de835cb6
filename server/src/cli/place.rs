//! Which event a command is about.

use std::path::PathBuf;

use clap::Args;
use store::{Database, Look};

use super::Failure;
use crate::config::Config;

/// Which event.
#[derive(Clone, Debug, Args)]
pub(super) struct Place {
    /// The server's configuration.
    #[arg(long, default_value = "chuhe.toml")]
    config: PathBuf,
    /// The database, instead of the configuration's: an SQLite file (a copy, too), or
    /// postgres://user:password@host/database.
    #[arg(long)]
    database: Option<Database>,
}

impl Place {
    pub(super) fn config(&self) -> Result<Config, Failure> {
        Config::read(&self.config).map_err(|error| Failure::BadInput(error.into()))
    }

    pub(super) fn database(&self) -> Result<Database, Failure> {
        match &self.database {
            Some(database) => Ok(database.clone()),
            None => Ok(self.config()?.database()),
        }
    }

    /// Opens the database to look at it.
    pub(super) async fn look(&self) -> Result<Look, Failure> {
        self.database()?.look().await.map_err(|error| Failure::BadInput(error.into()))
    }
}
