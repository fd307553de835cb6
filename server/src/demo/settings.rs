//! What a demo was begun with, kept beside its data: whoever starts it again with the same folder goes on with it.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use firmware_proto::envelope::Key;
use firmware_proto::{Epoch, GatewayId, VenueClock};
use serde::{Deserialize, Serialize};

/// Tables that one gateway serves.
pub const TABLES_A_GATEWAY: u16 = 8;

/// The file's name in the data folder.
const FILE: &str = "demo.json";

/// What does not change between starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Tables; twice as many players.
    pub tables: u16,
    /// Rounds.
    pub rounds: u16,
    /// Venue milliseconds per wall millisecond.
    pub speed: f64,
    /// Where venue and wall time agree.
    pub origin: Epoch,
    /// Seed of players, hands and draw.
    pub seed: u64,
    /// Name of the hands' noise profile.
    pub noise: String,
    /// What the boards sense.
    pub sensing: String,
    /// The regulation's preset.
    pub regulation: String,
    /// Each gateway's key.
    pub keys: BTreeMap<GatewayId, String>,
}

impl Settings {
    /// Reads what an earlier start wrote; `None`: there was none.
    pub fn read(folder: &Path) -> anyhow::Result<Option<Settings>> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let settings: Settings =
            serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
        Ok(Some(settings))
    }

    /// Writes them for later starts.
    pub fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(self).context("the demo's settings")?;
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Venue time.
    #[must_use]
    pub fn clock(&self) -> VenueClock {
        VenueClock { origin: self.origin, speed: self.speed }
    }

    /// The gateways' keys, ready to use.
    pub fn unsealed_keys(&self) -> anyhow::Result<BTreeMap<GatewayId, Key>> {
        let key = |(id, text): (&GatewayId, &String)| Ok((id.clone(), Key::from_hex(text)?));
        self.keys.iter().map(key).collect()
    }
}

/// The gateways of so many tables, each with a key of its own.
pub fn new_keys(tables: u16) -> anyhow::Result<BTreeMap<GatewayId, String>> {
    let mut random = std::fs::File::open("/dev/urandom").context("cannot make keys: /dev/urandom")?;
    let mut keys = BTreeMap::new();
    for row in 1..=tables.div_ceil(TABLES_A_GATEWAY) {
        let mut bytes = [0; 32];
        random.read_exact(&mut bytes).context("cannot make keys: /dev/urandom")?;
        let id = GatewayId::new(format!("row-{row}")).map_err(anyhow::Error::msg)?;
        keys.insert(id, Key::new(bytes).to_hex());
    }
    if keys.is_empty() {
        bail!("a venue has one table at least");
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings {
            tables: 9,
            rounds: 1,
            speed: 10.0,
            origin: Epoch(5),
            seed: 1,
            noise: "N1".into(),
            sensing: "colour".into(),
            regulation: "a".into(),
            keys: new_keys(9).unwrap(),
        }
    }

    #[test]
    fn settings_read_back_and_a_new_folder_has_none() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Settings::read(folder.path()).unwrap(), None);
        settings().write(folder.path()).unwrap();
        assert_eq!(Settings::read(folder.path()).unwrap().map(|read| read.keys.len()), Some(2));
    }

    #[test]
    fn no_two_gateways_share_a_key() {
        let keys = settings().unsealed_keys().unwrap();
        assert_ne!(keys.values().next(), keys.values().last());
    }
}
