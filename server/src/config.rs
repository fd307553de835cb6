//! The configuration of a real venue: one TOML file. What is wrong in it is named with line and field.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use firmware_proto::envelope::Key;
use firmware_proto::{DeviceUid, GatewayId, Half, VenueClock, VenueId};
use hall::{Act, Entrant, TableBinding};
use serde::{Deserialize, Deserializer, de::Error};
use store::{Database, PostgresUrl};
use tournament::TableNo;

use crate::broker::access::SERVER;
use crate::engine::EngineSetup;
use crate::mqtt::BrokerAddress;
use crate::outlets::Webhook;
use crate::push::Robot;
use crate::tls::TlsSetup;

/// `chuhe.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where the pages are served.
    #[serde(default = "default_listen")]
    pub listen: SocketAddr,
    /// The folder of the database; relative ones are taken from the file's own folder.
    #[serde(default = "default_data")]
    pub data: PathBuf,
    /// The PostgreSQL database that several servers share; without it the database is a file in `data`.
    #[serde(default, deserialize_with = "postgres")]
    pub database: Option<PostgresUrl>,
    /// The venue's name in MQTT topics; the gateways have the same.
    pub venue: VenueId,
    /// Which broker.
    #[serde(default)]
    pub broker: Broker,
    /// Encrypted pages and MQTT beside the plain ones; without it there are none.
    #[serde(default)]
    pub tls: Option<TlsSetup>,
    /// Venue time; only for rehearsals.
    #[serde(default)]
    pub clock: VenueClock,
    /// The gateways that are let in.
    #[serde(default)]
    pub gateways: BTreeMap<GatewayId, Gateway>,
    /// Where messages to phones go.
    #[serde(default)]
    pub push: Vec<Robot>,
    /// The pages' address as phones reach it, for links in messages.
    #[serde(default)]
    pub pages: Option<String>,
    /// The event.
    #[serde(default)]
    pub event: Option<EventSetup>,
    /// Addresses that are told of every finished round.
    #[serde(default)]
    pub webhooks: Vec<Webhook>,
    /// The engine that evaluates games that are over; without it none does.
    #[serde(default)]
    pub engine: Option<EngineSetup>,
    /// The tables and what stands on them.
    #[serde(default)]
    pub tables: Vec<TableSetup>,
}

/// Which broker: the embedded one, or one that runs already.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broker {
    /// Where the embedded one listens.
    #[serde(default = "default_broker")]
    pub embedded: SocketAddr,
    /// The one that runs already; then none is embedded.
    #[serde(default)]
    pub external: Option<BrokerAddress>,
}

impl Default for Broker {
    fn default() -> Self {
        Broker { embedded: default_broker(), external: None }
    }
}

/// A gateway.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gateway {
    /// Its own key, 64 hexadecimal digits; the gateway has the same.
    #[serde(deserialize_with = "key")]
    pub key: Key,
}

/// The event.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSetup {
    /// Title.
    pub title: String,
    /// Rounds to be played.
    pub rounds: u16,
    /// Name of the regulation's preset.
    #[serde(default = "default_regulation")]
    pub regulation: String,
    /// Seed of the draw of numbers (抽签).
    pub seed: u64,
    /// Whether rounds are paired and started without anybody's word, as in a rehearsal.
    #[serde(default)]
    pub automatic: bool,
    /// The players; none: they are entered at the organiser's desk.
    #[serde(default)]
    pub entrants: Vec<Entrant>,
}

/// A table: which devices stand on it, and how they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSetup {
    /// Its number.
    pub table: TableNo,
    /// Its board's number, hexadecimal.
    #[serde(deserialize_with = "uid")]
    pub board: DeviceUid,
    /// Its clock's number; without it: the board's own controller is the clock too.
    #[serde(default, deserialize_with = "some_uid")]
    pub clock: Option<DeviceUid>,
    /// The half that plays Red: `a` (cells 0 to 44, the clock's left lever) or `b`.
    #[serde(default = "default_half", deserialize_with = "half")]
    pub red: Half,
}

impl From<TableSetup> for TableBinding {
    fn from(setup: TableSetup) -> TableBinding {
        let TableSetup { table, board, clock, red } = setup;
        TableBinding { table, board, clock: clock.unwrap_or(board), red }
    }
}

fn default_listen() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 8080))
}

fn default_broker() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1883))
}

fn default_data() -> PathBuf {
    PathBuf::from("data")
}

fn default_regulation() -> String {
    "a".into()
}

fn default_half() -> Half {
    Half::A
}

fn key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
    let text = String::deserialize(deserializer)?;
    Key::from_hex(&text).map_err(D::Error::custom)
}

fn postgres<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PostgresUrl>, D::Error> {
    String::deserialize(deserializer)?.parse().map(Some).map_err(D::Error::custom)
}

fn uid<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DeviceUid, D::Error> {
    let text = String::deserialize(deserializer)?;
    u64::from_str_radix(&text, 16).map(DeviceUid).map_err(|_| {
        D::Error::custom(format!(
            "“{text}” is no device number: up to 16 hexadecimal digits, as printed on it"
        ))
    })
}

fn some_uid<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DeviceUid>, D::Error> {
    uid(deserializer).map(Some)
}

fn half<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Half, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.as_str() {
        "a" => Ok(Half::A),
        "b" => Ok(Half::B),
        _ => Err(D::Error::custom(format!("“{text}” is no half: a or b"))),
    }
}

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {file}: {why}")]
    Read {
        /// Which file.
        file: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// It is no valid TOML, or a field has a wrong name or value; the text names line and field.
    #[error("{file}: {said}")]
    Text {
        /// Which file.
        file: String,
        /// Line and what is wrong there.
        said: String,
    },
    /// The parts do not fit together.
    #[error("{file}: {field}: {why}")]
    Field {
        /// Which file.
        file: String,
        /// Which field.
        field: String,
        /// What is wrong, and what to do.
        why: String,
    },
}

impl Config {
    /// Reads and checks a file.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let file = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|why| ConfigError::Read { file: file.clone(), why })?;
        let mut config = Config::parse(&text, &file)?;
        if let Some(folder) = path.parent() {
            let tls = config.tls.as_mut();
            let files = tls.map(|tls| [&mut tls.certificate, &mut tls.key]).into_iter().flatten().flatten();
            for place in files.chain([&mut config.data]) {
                *place = folder.join(&place);
            }
        }
        Ok(config)
    }

    /// Reads and checks a text; `file` is its name in messages.
    pub fn parse(text: &str, file: &str) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(text)
            .map_err(|why| ConfigError::Text { file: file.into(), said: gateway::misread(text, &why) })?;
        config.check().map_err(|(field, why)| ConfigError::Field { file: file.into(), field, why })?;
        Ok(config)
    }

    fn check(&self) -> Result<(), (String, String)> {
        if !self.clock.is_sane() {
            return Err(("clock.speed".into(), "it has to be a number above 0; 1 in a real venue".into()));
        }
        if let Some(tls) = &self.tls
            && tls.certificate.is_some() != tls.key.is_some()
        {
            let why = "a certificate goes with its key; leave both out and the server makes its own";
            return Err(("tls".into(), why.into()));
        }
        // These two mean something else at the broker.
        if let Some(name) = self.gateways.keys().find(|name| ["public", SERVER].contains(&name.as_str())) {
            return Err((
                format!("gateways.{name}"),
                "no gateway can be called so; choose another name".into(),
            ));
        }
        for (place, robot) in self.push.iter().enumerate() {
            if !robot.url.starts_with("https://") && !robot.url.starts_with("http://") {
                return Err((
                    format!("push[{place}].url"),
                    "it has to begin with https:// or http://".into(),
                ));
            }
        }
        let mut tables = BTreeSet::new();
        let mut devices = BTreeSet::new();
        for (place, setup) in self.tables.iter().enumerate() {
            let field = format!("tables[{place}]");
            if setup.table.0 == 0 {
                return Err((format!("{field}.table"), "tables are numbered from 1".into()));
            }
            if !tables.insert(setup.table) {
                return Err((format!("{field}.table"), format!("table {} is there twice", setup.table)));
            }
            for device in [Some(setup.board), setup.clock].into_iter().flatten() {
                if !devices.insert(device) {
                    return Err((field, format!("device {device} is there twice")));
                }
            }
        }
        let Some(event) = &self.event else { return Ok(()) };
        if event.entrants.len() == 1 || (event.automatic && event.entrants.is_empty()) {
            let why = "two players at least, or none here and all at the organiser's desk";
            return Err(("event.entrants".into(), why.into()));
        }
        if event.rounds == 0 {
            return Err(("event.rounds".into(), "an event has one round at least".into()));
        }
        let needed = event.entrants.len() / 2;
        if self.tables.len() < needed {
            let why =
                format!("{} players need {needed} tables, {} are given", event.entrants.len(), tables.len());
            return Err(("tables".into(), why));
        }
        if let Err(error) = arbitration::Regulation::preset(&event.regulation) {
            return Err(("event.regulation".into(), error.to_string()));
        }
        Ok(())
    }

    /// The event's database.
    #[must_use]
    pub fn database(&self) -> Database {
        match &self.database {
            Some(url) => Database::Postgres(url.clone()),
            None => Database::File(self.data.join("event.db")),
        }
    }

    /// The gateways' keys.
    #[must_use]
    pub fn keys(&self) -> BTreeMap<GatewayId, Key> {
        self.gateways.iter().map(|(id, gateway)| (id.clone(), gateway.key.clone())).collect()
    }

    /// What sets the event up, to be done once: everything up to the draw of numbers.
    #[must_use]
    pub fn setup(&self) -> Vec<Act> {
        let tables = self.tables.iter().copied().map(TableBinding::from);
        match &self.event {
            Some(event) => event.setup(tables),
            // The event is opened at the organiser's desk.
            None => tables.map(Act::Bind).collect(),
        }
    }
}

impl EventSetup {
    /// Opens the event, enters the players, binds the tables, draws the numbers if there are players.
    #[must_use]
    pub fn setup(&self, tables: impl IntoIterator<Item = TableBinding>) -> Vec<Act> {
        let open = Act::Open {
            title: self.title.clone(),
            rounds: self.rounds,
            regulation: self.regulation.clone(),
            seed: self.seed,
        };
        let enter = self.entrants.iter().cloned().map(Act::Enter);
        let bind = tables.into_iter().map(Act::Bind);
        let draw = (!self.entrants.is_empty()).then_some(Act::Draw);
        [open].into_iter().chain(enter).chain(bind).chain(draw).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
venue = "hangzhou"
[broker]
embedded = "0.0.0.0:1883"
[gateways.row-1]
key = "0707070707070707070707070707070707070707070707070707070707070707"
[event]
title = "县象棋锦标赛"
rounds = 7
seed = 20261107
entrants = [{ name = "甲", unit = "东" }, { name = "乙", unit = "西" }]
[[tables]]
table = 1
board = "b1"
clock = "c1"
red = "b"
"#;

    fn error_of(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from), "{from}");
        Config::parse(&GOOD.replace(from, to), "chuhe.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_venue_reads() {
        let config = Config::parse(GOOD, "chuhe.toml").unwrap();
        assert_eq!(config.listen, default_listen());
        let binding =
            TableBinding { table: TableNo(1), board: DeviceUid(0xb1), clock: DeviceUid(0xc1), red: Half::B };
        assert!(config.setup().contains(&Act::Bind(binding)));
        assert_eq!(config.setup().len(), 1 + 2 + 1 + 1);
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_field() {
        for (from, to, parts) in [
            ("rounds = 7", "rounds = \"seven\"", ["line 9", "rounds"]),
            ("seed = 20261107", "sed = 1", ["line 10", "unknown field `sed`"]),
            ("venue = \"hangzhou\"", "venue = \"Hang Zhou\"", ["line 2", "a-z, 0-9, -"]),
            ("key = \"07", "key = \"7", ["line 6", "64 hexadecimal digits"]),
            ("board = \"b1\"", "board = \"left\"", ["line 14", "no device number"]),
            ("red = \"b\"", "red = \"c\"", ["line 16", "a or b"]),
            ("[broker]", "[tls]\ncertificate = \"c.pem\"\n[broker]", ["tls", "goes with its key"]),
            ("[gateways.row-1]", "[gateways.public]", ["gateways.public", "another name"]),
            ("rounds = 7", "rounds = 0", ["event.rounds", "one round"]),
            ("venue = ", "database = \"mysql://db\"\nvenue = ", ["line 2", "postgres://user"]),
            ("clock = \"c1\"", "clock = \"b1\"", ["tables[0]", "twice"]),
            ("[[tables]]\ntable = 1", "[[tables]]\ntable = 0", ["tables[0].table", "from 1"]),
            ("rounds = 7", "rounds = 7\nregulation = \"x\"", ["event.regulation", "x"]),
        ] {
            let error = error_of(from, to);
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
            assert!(error.contains("chuhe.toml"), "{error}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Config::read(Path::new("/nowhere/chuhe.toml")).unwrap_err().to_string();
        assert!(error.contains("/nowhere/chuhe.toml"), "{error}");
    }

    proptest::proptest! {
        /// A slip anywhere in the file.
        #[test]
        fn whatever_is_spoilt_in_a_venue_is_read_or_refused_with_words_that_hold_no_secret(
            at in 0..400_usize, cut in 0..12_usize, put in "\\PC{0,6}"
        ) {
            let mut spoilt: Vec<char> = GOOD.chars().collect();
            let at = at.min(spoilt.len());
            spoilt.splice(at..(at + cut).min(GOOD.chars().count()), put.chars());
            let spoilt: String = spoilt.into_iter().collect();
            match Config::parse(&spoilt, "chuhe.toml") {
                Ok(config) => drop(config.setup()),
                Err(why) => {
                    let said = why.to_string();
                    proptest::prop_assert!(said.starts_with("chuhe.toml: "), "{}", said);
                    proptest::prop_assert!(!said.contains(&"07".repeat(16)), "{}", said);
                }
            }
        }
    }
}
