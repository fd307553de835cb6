//! The demo's parts, wired: server, gateways, tables.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use firmware_proto::{BootId, Half, SensingKind, VenueId};
use hall::TableBinding;
use hall::view::GameStatus;
use simulator::games::Source;
use simulator::pty::{self, PtyConfig, Totals};
use simulator::{Noise, PlayedGame, PortKind, TableConfig, uid};
use store::Database;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tournament::TableNo;

use super::past::Past;
use super::people::entrants;
use super::report::Summary;
use super::settings::{Settings, TABLES_A_GATEWAY};
use crate::config::EventSetup;
use crate::pilot;
use crate::server::{BrokerChoice, Server};
use crate::time;

/// How long records may take, after the tables stopped, until they are all stored.
const SETTLE: Duration = Duration::from_secs(10);

/// What a board senses, by its name.
pub fn sensing(name: &str) -> Option<SensingKind> {
    match name {
        "occupancy" => Some(SensingKind::Occupancy),
        "colour" => Some(SensingKind::Colour),
        "type" => Some(SensingKind::Type),
        "identity" => Some(SensingKind::Identity),
        _ => None,
    }
}

/// A running demo.
pub struct Venue {
    /// The server.
    pub server: Server,
    settings: Settings,
    /// The devices' start in this run.
    boot: BootId,
    stop_tables: CancellationToken,
    stop_gateways: CancellationToken,
    tables: JoinHandle<anyhow::Result<Totals>>,
    gateways: Vec<JoinHandle<Result<(), gateway::GatewayError>>>,
    truth: mpsc::UnboundedReceiver<PlayedGame>,
}

impl Venue {
    /// Starts everything and sets the event up, or goes on with what is in the folder.
    pub async fn start(
        settings: Settings,
        games: Source,
        listen: SocketAddr,
        folder: &Path,
        database: Option<Database>,
    ) -> anyhow::Result<Venue> {
        let venue = VenueId::new("demo").map_err(anyhow::Error::msg)?;
        let keys = settings.unsealed_keys()?;
        let broker = free_address()?;
        let server = Server::start(crate::server::Settings {
            listen,
            database: database.unwrap_or_else(|| Database::File(folder.join("event.db"))),
            data: folder.to_owned(),
            broker: BrokerChoice::Embedded(broker),
            venue: venue.clone(),
            clock: settings.clock(),
            keys: keys.clone(),
            tls: None,
            push: Vec::new(),
            pages: None,
            open_house: true,
        })
        .await?;
        // It answers when all that was stored is concluded and published.
        pilot::act(&server, Vec::new()).await.map_err(anyhow::Error::msg)?;
        let past: Vec<Past> = server
            .hub
            .look(|shown| (1..=settings.tables).map(|table| Past::of(TableNo(table), shown)).collect());

        // The devices are new at each start: they count their starts by the wall's seconds.
        let boot = BootId(u32::try_from(time::wall().0 / 1000).context("the wall clock is wrong")?);
        let noise = Noise::named(&settings.noise).context("a noise profile that was known has gone")?;
        let sensing = sensing(&settings.sensing).context("a kind of sensing that was known has gone")?;
        let tables = simulator::Venue {
            tables: settings.tables,
            first: 1,
            seed: settings.seed,
            noise,
            sensing,
            combined: false,
            boot,
            speed: settings.speed,
            games: Arc::new(games),
        };
        let ports_folder = folder.join("ports");
        let tables = tables.tables().into_iter().zip(&past);
        let tables = tables
            .map(|(table, past)| TableConfig { games_before: past.games, resume: past.begun, ..table })
            .collect();
        let ports = pty::open(PtyConfig { tables, dir: ports_folder, clock: settings.clock() })?;

        let stop_gateways = CancellationToken::new();
        let mut gateways = Vec::new();
        for (row, (name, key)) in (0_u16..).zip(&keys) {
            let served = row * TABLES_A_GATEWAY + 1..=(row + 1) * TABLES_A_GATEWAY;
            let config = gateway::Config {
                name: name.clone(),
                venue: venue.clone(),
                store: folder.join("gateways").join(name.as_str()),
                broker: gateway::BrokerUrl {
                    tls: false,
                    host: broker.ip().to_string(),
                    port: broker.port(),
                    login: None,
                },
                broker_ca: None,
                broker_pin: None,
                metrics: None,
                key: key.clone(),
                ports: ports
                    .names()
                    .iter()
                    .filter(|port| served.contains(&port.table))
                    .map(|port| port.path.display().to_string())
                    .collect(),
                lines: vec![],
                time: settings.clock(),
            };
            gateways.push(tokio::spawn(gateway::run(config, stop_gateways.clone().cancelled_owned())));
        }
        let stop_tables = CancellationToken::new();
        let (tell, truth) = mpsc::unbounded_channel();
        let tables = tokio::spawn(ports.run(stop_tables.clone(), tell));
        let demo = Venue { server, settings, boot, stop_tables, stop_gateways, tables, gateways, truth };
        demo.set_up().await.map_err(anyhow::Error::msg)?;
        let clocks = past.into_iter().filter_map(|past| past.clock).collect();
        pilot::act(&demo.server, clocks).await.map_err(anyhow::Error::msg)?;
        Ok(demo)
    }

    async fn set_up(&self) -> Result<(), String> {
        let Settings { tables, rounds, seed, regulation, .. } = &self.settings;
        let event = EventSetup {
            title: "楚河杯象棋公开赛".into(),
            rounds: *rounds,
            regulation: regulation.clone(),
            seed: *seed,
            automatic: true,
            entrants: entrants(usize::from(*tables) * 2, *seed),
        };
        let bindings = (1..=*tables).map(|table| TableBinding {
            table: TableNo(table),
            board: uid(table, PortKind::Board),
            clock: uid(table, PortKind::Clock),
            red: Half::A,
        });
        pilot::set_up(&self.server, event.setup(bindings)).await
    }

    /// Plays round after round until the event is finished.
    pub async fn play(&self) -> Result<(), String> {
        pilot::fly(&self.server, |_| true).await
    }

    /// One line for people: what is going on.
    #[must_use]
    pub fn status(&self) -> String {
        let stored = self.server.tally().observations;
        self.server.hub.look(|shown| {
            let Some(event) = &shown.event else { return "准备中 setting up".to_owned() };
            let playing = shown.rounds.get(&event.round).map_or(0, |round| {
                round.pairings.iter().filter(|it| matches!(it.status, GameStatus::Playing)).count()
            });
            let venue = event.venue;
            format!(
                "round {}/{} · {} tables, {playing} playing · {} moves · {} alerts · {stored} records stored",
                event.round, event.rounds, venue.tables, venue.plies, venue.alerts,
            )
        })
    }

    /// Stops the tables, waits until what they recorded is stored, stops the rest, and compares.
    pub async fn finish(mut self) -> anyhow::Result<Summary> {
        // What the venue's own end raises is no matter of the games.
        let alerts = self.server.tally().alerts;
        let records_sent = self.wind_up().await?.records;
        let mut summary = Summary { records_sent, alerts, ..Summary::default() };
        let mut played = Vec::new();
        while let Ok(game) = self.truth.try_recv() {
            played.push(game);
        }
        summary.compare(&played, &self.server.hub.shown());
        summary.take_stock(&self.server.store.observations(1).await?, self.boot);
        self.server.stop().await?;
        Ok(summary)
    }

    /// Stops the tables, waits until what they recorded is stored (or cannot be any more), stops the gateways.
    async fn wind_up(&mut self) -> anyhow::Result<Totals> {
        self.stop_tables.cancel();
        let totals = (&mut self.tables).await.context("the tables broke off")??;
        tokio::select! {
            biased;
            () = self.server.broken() => {}
            stored = self.until_stored(totals.records) => stored?,
            () = tokio::time::sleep(SETTLE) => {}
        }
        self.stop_gateways.cancel();
        for gateway in self.gateways.drain(..) {
            gateway.await.context("a gateway broke off")??;
        }
        Ok(totals)
    }

    /// Waits until so many records of this run's devices are stored.
    async fn until_stored(&self, records: u64) -> anyhow::Result<()> {
        loop {
            let ranges = self.server.store.record_ranges().await?;
            let ours = ranges.into_iter().filter(|range| range.boot == self.boot);
            let stored: u64 = ours.map(|range| u64::from(range.last.0 - range.first.0 + 1)).sum();
            if stored >= records {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Ends everything as it is; another start with the same folder goes on from there.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        let wound_up = self.wind_up().await;
        self.server.stop().await?;
        wound_up.map(drop)
    }
}

/// An address on this machine that nobody listens at.
fn free_address() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port for the broker")?;
    let address = listener.local_addr().context("no free port for the broker")?;
    if address.port() == 0 {
        bail!("no free port for the broker");
    }
    Ok(address)
}
