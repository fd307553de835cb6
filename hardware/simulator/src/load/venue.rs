//! The venue that is driven: what counts here of the server's own `chuhe.toml`, and how such a file is written for a
//! rehearsal.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, bail};
use firmware_proto::envelope::Key;
use firmware_proto::{DeviceUid, Epoch, GatewayId, Half, VenueClock, VenueId};
use gateway::BrokerUrl;
use serde::Deserialize;

use crate::table::{PortKind, uid};

/// A venue whose server runs.
#[derive(Clone, Debug)]
pub struct Venue {
    /// Its name.
    pub name: VenueId,
    /// Its pages.
    pub pages: SocketAddr,
    /// Its broker.
    pub broker: BrokerUrl,
    /// Its time.
    pub clock: VenueClock,
    /// Its gateways and their keys.
    pub gateways: Vec<(GatewayId, Key)>,
    /// Its tables, and which half plays Red at each.
    pub tables: Vec<(u16, Half)>,
}

/// The parts of `chuhe.toml` that count here; the server checks them all.
#[derive(Deserialize)]
struct Written {
    #[serde(default = "usual_pages")]
    listen: SocketAddr,
    venue: VenueId,
    #[serde(default)]
    broker: Broker,
    #[serde(default)]
    clock: VenueClock,
    #[serde(default)]
    gateways: BTreeMap<GatewayId, Gateway>,
    #[serde(default)]
    tables: Vec<Table>,
}

#[derive(Default, Deserialize)]
struct Broker {
    embedded: Option<SocketAddr>,
    external: Option<External>,
}

#[derive(Deserialize)]
struct External {
    url: BrokerUrl,
}

#[derive(Deserialize)]
struct Gateway {
    key: String,
}

#[derive(Deserialize)]
struct Table {
    table: u16,
    board: String,
    clock: Option<String>,
    red: Option<String>,
}

fn usual_pages() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 8080))
}

fn usual_broker() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1883))
}

impl Venue {
    /// Reads a server's configuration.
    pub fn read(file: &Path) -> anyhow::Result<Venue> {
        let named = || file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", named()))?;
        Venue::parse(&text).with_context(named)
    }

    fn parse(text: &str) -> anyhow::Result<Venue> {
        let written: Written = toml::from_str(text)?;
        let embedded = written.broker.embedded.unwrap_or_else(usual_broker);
        let broker = match written.broker.external {
            // The server's own user is not a gateway's.
            Some(External { url }) => BrokerUrl { login: None, ..url },
            None => BrokerUrl {
                tls: false,
                host: reachable(embedded).ip().to_string(),
                port: embedded.port(),
                login: None,
            },
        };
        if broker.tls {
            bail!(
                "broker.external.url: load goes over plain mqtt:// only; name a listener without TLS by --broker"
            );
        }
        if written.gateways.is_empty() {
            bail!("gateways: none has its key here; `chuhe-sim venue` writes a file with some");
        }
        if written.tables.is_empty() {
            bail!("tables: there are none; `chuhe-sim venue` writes a file with some");
        }
        let key = |(name, gateway): (GatewayId, Gateway)| {
            let key = Key::from_hex(&gateway.key).with_context(|| format!("gateways.{name}.key"))?;
            anyhow::Ok((name, key))
        };
        Ok(Venue {
            name: written.venue,
            pages: reachable(written.listen),
            broker,
            clock: written.clock,
            gateways: written.gateways.into_iter().map(key).collect::<Result<_, _>>()?,
            tables: written.tables.into_iter().map(table).collect::<Result<_, _>>()?,
        })
    }
}

/// Where a server that listens everywhere is reached from here.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() { SocketAddr::from(([127, 0, 0, 1], address.port())) } else { address }
}

/// A table with a virtual board and a virtual clock: real devices are not spoken for.
fn table(written: Table) -> anyhow::Result<(u16, Half)> {
    let Table { table, board, clock, red } = written;
    for (field, said, kind) in [("board", Some(board), PortKind::Board), ("clock", clock, PortKind::Clock)] {
        let ours = uid(table, kind);
        let said = said.as_deref().map(|said| u64::from_str_radix(said, 16).map(DeviceUid));
        if said != Some(Ok(ours)) {
            bail!(
                "table {table}: {field} has to be the virtual one, \"{ours}\"; `chuhe-sim venue` writes such a file"
            );
        }
    }
    match red.as_deref() {
        None | Some("a") => Ok((table, Half::A)),
        Some("b") => Ok((table, Half::B)),
        Some(other) => bail!("table {table}: red = \"{other}\": a or b"),
    }
}

/// A rehearsal: an event that pairs and starts its rounds by itself, with virtual devices at every table.
#[derive(Clone, Debug, clap::Args)]
pub struct Rehearsal {
    /// How many tables; twice as many players.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..=30_000))]
    pub tables: u16,
    /// How many gateways; one for every eight tables if it is not said.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub gateways: Option<u16>,
    /// How many rounds.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub rounds: u16,
    /// Venue milliseconds per wall millisecond.
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
    /// The regulation's preset.
    #[arg(long, default_value = "a")]
    pub regulation: String,
    /// Where the pages are to be.
    #[arg(long, default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Where the embedded broker is to be.
    #[arg(long, default_value = "127.0.0.1:1883")]
    pub mqtt: SocketAddr,
}

impl Rehearsal {
    /// Its `chuhe.toml`, with new keys; venue and wall time agree at `origin`.
    pub fn write(&self, origin: Epoch) -> anyhow::Result<String> {
        let Rehearsal { tables, rounds, speed, regulation, listen, mqtt, .. } = self;
        if !(VenueClock { origin, speed: *speed }).is_sane() {
            bail!("--speed {speed}: must be a number above 0");
        }
        let gateways = self.gateways.unwrap_or(tables.div_ceil(8));
        if gateways > *tables {
            bail!("--gateways {gateways}: more than there are tables");
        }
        let mut text = format!(
            "# A rehearsal with virtual tables, written by `chuhe-sim venue`.\n\
             listen = \"{listen}\"\nvenue = \"rehearsal\"\n\n[broker]\nembedded = \"{mqtt}\"\n\n\
             [clock]\norigin = {}\nspeed = {speed:?}\n\n\
             [event]\ntitle = \"彩排\"\nrounds = {rounds}\nregulation = \"{regulation}\"\nseed = 1\nautomatic = true\n\
             entrants = [\n",
            origin.0
        );
        for no in 1..=2 * u32::from(*tables) {
            writeln!(text, "  {{ name = \"棋手{no}\", unit = \"县{}\" }},", no % 100)?;
        }
        text += "]\n";
        let mut random =
            std::fs::File::open("/dev/urandom").context("this system gives no random numbers")?;
        for no in 1..=gateways {
            let mut key = [0; 32];
            random.read_exact(&mut key).context("this system gives no random numbers")?;
            write!(text, "\n[gateways.row-{no}]\nkey = \"{}\"\n", Key::new(key).to_hex())?;
        }
        for table in 1..=*tables {
            let (board, clock) = (uid(table, PortKind::Board), uid(table, PortKind::Clock));
            write!(text, "\n[[tables]]\ntable = {table}\nboard = \"{board}\"\nclock = \"{clock}\"\n")?;
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rehearsal() -> Rehearsal {
        Rehearsal {
            tables: 10,
            gateways: None,
            rounds: 1,
            speed: 20.0,
            regulation: "a".into(),
            listen: "0.0.0.0:8081".parse().unwrap(),
            mqtt: "127.0.0.1:1884".parse().unwrap(),
        }
    }

    #[test]
    fn a_rehearsal_that_is_written_is_read_back() {
        let venue = Venue::parse(&rehearsal().write(Epoch(1_000)).unwrap()).unwrap();
        assert_eq!(venue.tables, (1..=10).map(|table| (table, Half::A)).collect::<Vec<_>>());
        assert_eq!(venue.gateways.len(), 2, "one for every eight tables");
        assert_ne!(venue.gateways[0].1, venue.gateways[1].1);
        assert_eq!(venue.pages.to_string(), "127.0.0.1:8081");
        assert_eq!(venue.broker.port, 1884);
        assert_eq!(venue.clock, VenueClock { origin: Epoch(1_000), speed: 20.0 });
    }

    #[test]
    fn what_cannot_be_driven_is_named() {
        let text = rehearsal().write(Epoch(0)).unwrap();
        let says = |text: &str| format!("{:#}", Venue::parse(text).unwrap_err());
        let real = text.replace("c400000100000003", "0000000000000007");
        assert!(says(&real).contains("table 3: board"), "{}", says(&real));
        assert!(says("venue = \"v\"").contains("gateways"));
        let encrypted = text.replace(
            "embedded = \"127.0.0.1:1884\"",
            "external = { url = \"mqtts://chuhe:secret@b\", ca = \"ca.pem\" }",
        );
        let said = says(&encrypted);
        assert!(said.contains("broker.external.url") && !said.contains("secret"), "{said}");
        assert!(says(&text.replacen("key = \"", "key = \"zz", 1)).contains("gateways.row-1.key"));
        let Err(error) = Rehearsal { gateways: Some(11), ..rehearsal() }.write(Epoch(0)) else { panic!() };
        assert!(error.to_string().contains("--gateways 11"));
    }
}
