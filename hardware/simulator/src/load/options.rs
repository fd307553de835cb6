//! What a load is asked for on the command line, and the venue and tables that follow from it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use firmware_proto::{BootId, SensingKind};
use gateway::BrokerUrl;

use super::venue::Venue;
use crate::games::Source;
use crate::{Noise, TableConfig};

/// Games that the small player makes up, if none are given: a table plays one after the other.
const GAMES: u64 = 64;

/// Drives a running server with virtual tables over MQTT and measures it.
#[derive(Args)]
pub struct Load {
    /// The server's configuration, with its gateways' keys; `chuhe-sim venue` writes one.
    #[arg(long)]
    pub(super) config: PathBuf,
    /// Starts the server too: the path of `chuhe`. It is ended afterwards.
    #[arg(long, conflicts_with = "pid")]
    pub(super) serve: Option<PathBuf>,
    /// The server's process on this machine: its time on the cores, memory and handles are measured.
    #[arg(long)]
    pub(super) pid: Option<u32>,
    /// Where the broker is, if it is not where the configuration says: mqtt://host:port.
    #[arg(long, value_parser = broker)]
    broker: Option<BrokerUrl>,
    /// Where the pages are, if they are not where the configuration says: host:port.
    #[arg(long)]
    pages: Option<SocketAddr>,
    /// How long is measured, minutes; less if the event is over before.
    #[arg(long, default_value_t = 2.0)]
    pub(super) minutes: f64,
    /// What is not measured at the beginning, seconds: pieces are set up, caches fill.
    #[arg(long, default_value_t = 20.0)]
    pub(super) warm_up: f64,
    /// A line of what was counted so often, seconds.
    #[arg(long, default_value_t = 5.0)]
    pub(super) every: f64,
    /// How many tables have a spectator.
    #[arg(long, default_value_t = 50)]
    pub(super) watch: u16,
    /// Fails if the server's memory, handles or lag grow from the first quarter of the time to the last.
    #[arg(long)]
    pub(super) steady: bool,
    /// The noise profile of hands and boards.
    #[arg(long, default_value = "N1")]
    noise: String,
    /// Median of the think time, s, if it is not to be the profile's.
    #[arg(long)]
    think: Option<f64>,
    /// The seed of hands and games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games to play: a table or a file of any known format; without it the small player makes some up.
    #[arg(long)]
    games: Option<PathBuf>,
}

fn broker(text: &str) -> Result<BrokerUrl, String> {
    let url = BrokerUrl::try_from(text.to_owned())?;
    if url.tls { Err("load goes over plain mqtt:// only".to_owned()) } else { Ok(url) }
}

impl Load {
    /// Refuses numbers that nothing can be measured with.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let above_zero = [("--minutes", self.minutes), ("--every", self.every)];
        for (name, value) in above_zero {
            if !(value.is_finite() && value > 0.0) {
                bail!("{name} {value}: must be a number above 0");
            }
        }
        if !(self.warm_up.is_finite() && self.warm_up >= 0.0) {
            bail!("--warm-up {}: must be a number, 0 or above", self.warm_up);
        }
        Ok(())
    }

    /// The venue of the configuration, with the addresses given here.
    pub(super) fn venue(&self) -> anyhow::Result<Venue> {
        let mut venue = Venue::read(&self.config)?;
        if let Some(broker) = &self.broker {
            venue.broker = broker.clone();
        }
        if let Some(pages) = self.pages {
            venue.pages = pages;
        }
        Ok(venue)
    }

    /// The venue's tables.
    pub(super) fn tables(&self, venue: &Venue) -> anyhow::Result<Vec<TableConfig>> {
        let noise = Noise::named(&self.noise).with_context(|| {
            format!("--noise {}: known profiles are {}", self.noise, Noise::NAMES.join(", "))
        })?;
        let games = match &self.games {
            Some(file) => Source::open(Some(file))?,
            None => Source::Record((0..GAMES).map(|number| Source::Player.game(number, self.seed)).collect()),
        };
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let like = crate::Venue {
            first: 1,
            tables: venue.tables.iter().map(|(table, _)| *table).max().unwrap_or_default(),
            seed: self.seed,
            noise: Noise { think: self.think.unwrap_or(noise.think), ..noise },
            sensing: SensingKind::Colour,
            combined: false,
            boot: BootId(u32::try_from(since.as_secs()).unwrap_or(u32::MAX)),
            speed: venue.clock.speed,
            games: Arc::new(games),
        };
        let all = like.tables();
        let placed = |&(table, red): &(u16, _)| TableConfig { red, ..all[usize::from(table) - 1].clone() };
        Ok(venue.tables.iter().map(placed).collect())
    }
}
