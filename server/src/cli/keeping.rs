//! `chuhe backup`, `chuhe restore`, `chuhe release`, `chuhe verify`: what is kept, and the proof of it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::json;
use store::Database;

use super::place::Place;
use super::{Ended, Failure, print, runtime};
use crate::seal::{Release, Sealer, hex};
use crate::time;

/// Copies the event's database, also while the server runs.
#[derive(Debug, Args)]
pub(super) struct Backup {
    #[command(flatten)]
    place: Place,
    /// The file to write; without it one named by the time, in the folder `backups` of the data folder.
    to: Option<PathBuf>,
}

/// Brings a copy back. The server has to be stopped; what was there is kept beside it.
#[derive(Debug, Args)]
pub(super) struct Restore {
    #[command(flatten)]
    place: Place,
    /// The copy.
    from: PathBuf,
}

/// Prints the signed head of the journal for each round that is over: one object a line.
#[derive(Debug, Args)]
pub(super) struct Publish {
    #[command(flatten)]
    place: Place,
}

/// Checks the journal's chain of hashes, and releases against it.
#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    place: Place,
    /// Releases as `chuhe release` printed them.
    releases: Option<PathBuf>,
    /// The public key that they have to bear, hexadecimal.
    #[arg(long)]
    key: Option<String>,
}

impl Backup {
    pub(super) fn run(self) -> Ended {
        let to = match self.to {
            Some(to) => to,
            None => {
                let folder = self.place.config()?.data.join("backups");
                std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
                folder.join(format!("event-{}.db", time::wall().0 / 1_000))
            }
        };
        runtime()?.block_on(async {
            let look = self.place.look().await?;
            look.copy_to(&to).await.map_err(anyhow::Error::from)?;
            look.close().await;
            // The copy itself is read back: a copy that nobody read is a hope.
            let copy = Database::File(to.clone()).look().await.map_err(anyhow::Error::from)?;
            let chain = copy.chain().await.map_err(anyhow::Error::from)?;
            let observations = copy.observations().await.map_err(anyhow::Error::from)?;
            copy.close().await;
            let head = chain.last().map(|(_, hash)| hex(hash));
            print(&json!({ "file": to, "entries": chain.len(), "observations": observations, "head": head }));
            Ok(())
        })
    }
}

impl Restore {
    pub(super) fn run(self) -> Ended {
        let database = self.place.database()?;
        if let Database::File(file) = &database
            && let Some(folder) = file.parent()
        {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let stamp = time::wall().0.unsigned_abs() / 1_000;
        let before = runtime()?
            .block_on(store::restore(&self.from, &database, stamp))
            .map_err(|error| Failure::BadInput(error.into()))?;
        print(&json!({ "database": database.to_string(), "from": self.from, "before": before }));
        Ok(())
    }
}

impl Publish {
    pub(super) fn run(self) -> Ended {
        let config = self.place.config()?;
        runtime()?.block_on(async {
            let look = self.place.look().await?;
            let chain = look.chain().await.map_err(anyhow::Error::from)?;
            look.close().await;
            for release in Sealer::of(&config.data)?.releases(config.venue.as_str(), &chain) {
                print(&release);
            }
            Ok(())
        })
    }
}

impl Verify {
    pub(super) fn run(self) -> Ended {
        let releases = self.releases.as_deref().map(read).transpose()?.unwrap_or_default();
        runtime()?.block_on(async {
            let look = self.place.look().await?;
            let chain = look.chain().await.map_err(anyhow::Error::from)?;
            look.close().await;
            let head = chain.last().map(|(_, hash)| hex(hash));
            for release in &releases {
                release.check_signature()?;
                release.check_journal(&chain)?;
                if self.key.as_ref().is_some_and(|key| *key != release.key) {
                    let why =
                        format!("round {}: it is signed with another key, {}", release.round, release.key);
                    return Err(Failure::Failed(anyhow::Error::msg(why)));
                }
            }
            print(&json!({ "entries": chain.len(), "head": head, "releases": releases.len() }));
            Ok(())
        })
    }
}

fn read(file: &Path) -> Result<Vec<Release>, Failure> {
    let named = || file.display().to_string();
    let text = std::fs::read_to_string(file).with_context(named).map_err(Failure::BadInput)?;
    let line = |(index, line): (usize, &str)| {
        serde_json::from_str(line)
            .with_context(|| format!("{}, line {}: no release", named(), index + 1))
            .map_err(Failure::BadInput)
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
}
