//! `chuhe demo`: a whole venue in one process.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use gateway::log_to_stderr;
use simulator::Noise;
use simulator::games::Source;
use store::Database;

use super::{Ended, Failure, asked_to_stop, print, runtime};
use crate::demo::{Settings, Summary, Venue, new_keys, sensing};
use crate::time;

/// What is logged without `RUST_LOG`: the status line says the rest.
const USUAL_LOG: &str = "warn,rmqtt=error,gateway=error";

/// How often the status line comes.
const STATUS_EVERY: Duration = Duration::from_secs(5);

/// A whole venue in one process.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Tables; twice as many players.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=400))]
    tables: u16,
    /// Rounds.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=31))]
    rounds: u16,
    /// How many times as fast as in life.
    #[arg(long, default_value_t = 10.0)]
    speed: f64,
    /// Seed of players, hands and draw.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How clumsy the hands, how bad the sensors: N0 to N7, N3K.
    #[arg(long, default_value = "N1")]
    noise: String,
    /// What the boards sense: occupancy, colour, type or identity.
    #[arg(long, default_value = "colour")]
    sensing: String,
    /// The regulation: a or b.
    #[arg(long, default_value = "a")]
    regulation: String,
    /// Games to be played; without it a small player makes them up.
    #[arg(long)]
    games: Option<PathBuf>,
    /// Where the pages are served.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Folder of everything that is kept. Another start with the same folder goes on, with the settings that the first
    /// one had. Without it a folder is made for this run and removed at its end.
    #[arg(long)]
    data: Option<PathBuf>,
    /// The event's database, if not a file in that folder: postgres://user:password@host/database.
    #[arg(long)]
    database: Option<Database>,
    /// End after the last round with a summary on stdout; status 0 only if nothing was lost or misread.
    #[arg(long)]
    exit: bool,
}

pub(super) fn demo(options: Options) -> Ended {
    log_to_stderr(USUAL_LOG);
    let games = Source::open(options.games.as_deref()).context("--games").map_err(Failure::BadInput)?;
    options.check()?;
    runtime()?.block_on(async {
        match options.data.clone() {
            Some(folder) => run(&options, games, &folder).await,
            None => {
                let folder = tempfile::Builder::new().prefix("chuhe-demo-").tempdir();
                let folder = folder.context("cannot make a folder for this run")?;
                run(&options, games, folder.path()).await
            }
        }
    })
}

impl Options {
    fn check(&self) -> Ended {
        let wrong = |field: &str, value: &dyn std::fmt::Display, why: &dyn std::fmt::Display| {
            Err(Failure::input(format!("--{field} {value}: {why}")))
        };
        if !(self.speed.is_finite() && self.speed > 0.0) {
            return wrong("speed", &self.speed, &"a number above 0");
        }
        if Noise::named(&self.noise).is_none() {
            return wrong("noise", &self.noise, &"no such profile; N0 to N7 and N3K are");
        }
        if sensing(&self.sensing).is_none() {
            return wrong("sensing", &self.sensing, &"occupancy, colour, type or identity");
        }
        if let Err(error) = arbitration::Regulation::preset(&self.regulation) {
            return wrong("regulation", &self.regulation, &error);
        }
        Ok(())
    }

    /// What an earlier start in this folder was begun with, or what the arguments say.
    fn settings(&self, folder: &Path) -> anyhow::Result<Settings> {
        if let Some(settings) = Settings::read(folder)? {
            return Ok(settings);
        }
        let settings = Settings {
            tables: self.tables,
            rounds: self.rounds,
            speed: self.speed,
            origin: time::wall(),
            seed: self.seed,
            noise: self.noise.clone(),
            sensing: self.sensing.clone(),
            regulation: self.regulation.clone(),
            keys: new_keys(self.tables)?,
        };
        settings.write(folder)?;
        Ok(settings)
    }
}

async fn run(options: &Options, games: Source, folder: &Path) -> Ended {
    let settings = options.settings(folder).map_err(Failure::BadInput)?;
    let venue = Venue::start(settings, games, options.listen, folder, options.database.clone());
    let venue = venue.await.map_err(Failure::BadInput)?;
    eprintln!("楚河 Chuhe: http://{}/", venue.server.address);
    let stopped = tokio::select! {
        () = asked_to_stop() => true,
        () = venue.server.broken() => true,
        () = tell(&venue) => true,
        played = play(&venue, options.exit) => {
            played.map_err(|why| Failure::Failed(anyhow::Error::msg(why)))?;
            false
        }
    };
    if stopped {
        eprintln!("{} — ending", venue.status());
        return venue.stop().await.map_err(Failure::Failed);
    }
    eprintln!("{}", venue.status());
    let summary: Summary = venue.finish().await?;
    print(&summary);
    if summary.is_clean() {
        Ok(())
    } else {
        Err(Failure::Failed(anyhow::Error::msg(
            "not every game was recorded exactly, or records were lost or doubled",
        )))
    }
}

/// Plays the event; then ends, or leaves the pages up until somebody ends the demo.
async fn play(venue: &Venue, exit: bool) -> Result<(), String> {
    venue.play().await?;
    if exit {
        return Ok(());
    }
    eprintln!("all rounds are over; the pages stay up until Ctrl-C");
    std::future::pending().await
}

/// The status line, again and again.
async fn tell(venue: &Venue) {
    let mut every = tokio::time::interval(STATUS_EVERY);
    // The first tick is at once, before there is anything to tell.
    every.tick().await;
    loop {
        every.tick().await;
        eprintln!("{}", venue.status());
    }
}
