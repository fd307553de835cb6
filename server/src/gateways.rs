//! Who is let in: the gateways of the configuration and those that enrolled, without those that were sent away.

use std::collections::BTreeMap;
use std::time::Duration;

use firmware_proto::envelope::Key;
use firmware_proto::{Epoch, GatewayId, VenueId};
use gateway::{Admission, Application};
use sha2::{Digest, Sha256};
use store::{Enrolled, Roll, Standing, StoreError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::seal::hex;
use crate::time;
use crate::vault::Vault;

/// The gateways that are let in, each with its key.
pub type Keys = BTreeMap<GatewayId, Key>;

/// How often the roll is looked at: others change it.
const LOOK: Duration = Duration::from_secs(1);

/// The gateways of a running server.
#[derive(Debug)]
pub struct Gateways {
    venue: VenueId,
    configured: Keys,
    vault: Vault,
    roll: Roll,
    keys: watch::Sender<Keys>,
    /// Where enrolled gateways find the broker; `None`: they are told by hand.
    broker: Option<Whereabouts>,
}

/// Where gateways find the broker.
#[derive(Clone, Debug)]
pub struct Whereabouts {
    /// As [`Admission::broker`].
    pub url: String,
    /// Whether it shows this server's own certificate.
    pub pinned: bool,
}

impl Gateways {
    /// Those of the configuration and of the roll as it is now.
    pub async fn new(
        venue: VenueId,
        configured: Keys,
        vault: Vault,
        roll: Roll,
        broker: Option<Whereabouts>,
    ) -> Result<Gateways, StoreError> {
        let all = roll.all().await?;
        let (keys, shut) = admitted(&configured, &all, &vault);
        for why in shut {
            tracing::error!(why, "a gateway is not let in");
        }
        let gateways = Gateways { venue, configured, vault, roll, keys: watch::Sender::new(keys), broker };
        gateways.seal(&all).await?;
        Ok(gateways)
    }

    /// Keys that an earlier program kept in clear are kept sealed from now on.
    async fn seal(&self, all: &[Enrolled]) -> Result<(), StoreError> {
        for Enrolled { gateway, standing } in all {
            if let Standing::Enrolled { key, .. } = standing
                && Vault::is_clear(key)
                && let Ok(sealed) =
                    self.vault.open(gateway, key).and_then(|open| self.vault.seal(gateway, &open))
            {
                self.roll.keep_otherwise(gateway, key, &sealed).await?;
                tracing::info!(%gateway, "its key is sealed in the database now");
            }
        }
        Ok(())
    }

    /// Who is let in, now and whenever that changes.
    #[must_use]
    pub fn keys(&self) -> watch::Receiver<Keys> {
        self.keys.subscribe()
    }

    /// Looks at the roll again and again.
    pub async fn watch(&self, stop: CancellationToken) {
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = looks.tick() => {}
            }
            // If the database is out of reach, its writer says so.
            let _away = self.look().await;
        }
    }

    async fn look(&self) -> Result<(), StoreError> {
        // Who cannot be let in was named at the start.
        let (now, _) = admitted(&self.configured, &self.roll.all().await?, &self.vault);
        self.keys.send_if_modified(|before| {
            for gateway in now.keys().filter(|gateway| before.get(*gateway) != now.get(*gateway)) {
                tracing::info!(%gateway, "is let in");
            }
            for gateway in before.keys().filter(|gateway| !now.contains_key(*gateway)) {
                tracing::warn!(%gateway, "was sent away: what it brings is refused from now on");
            }
            let changed = *before != now;
            *before = now;
            changed
        });
        Ok(())
    }

    /// Enrols whoever shows a token that is still good, once. `Err` in words.
    pub async fn enrol(&self, application: Application) -> Result<Admission, String> {
        let Some(Whereabouts { url, pinned }) = self.broker.clone() else {
            return Err("gateways are not enrolled here".to_owned());
        };
        let Application { gateway, secret } = application;
        let key = new_key().map_err(|why| why.to_string())?;
        let kept = self.vault.seal(&gateway, &key).map_err(|why| why.to_string())?;
        let enrolled = self.roll.enrol(&gateway, &digest(&secret), &kept, time::wall()).await;
        match enrolled {
            Ok(true) => {
                self.look().await.map_err(|why| why.to_string())?;
                Ok(Admission { venue: self.venue.clone(), key: key.to_hex(), broker: url, pinned })
            }
            Ok(false) => {
                tracing::warn!(%gateway, "showed a token that is wrong, used or out of date");
                Err("the token is wrong, used or out of date; `chuhe gateway add` makes another".to_owned())
            }
            Err(why) => Err(why.to_string()),
        }
    }
}

/// What is kept of a token's secret.
#[must_use]
pub fn digest(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// A key that nobody knows yet.
pub fn new_key() -> anyhow::Result<Key> {
    random().map(Key::new)
}

/// Bytes that nobody can guess.
pub fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|why| anyhow::anyhow!("this system gives no random numbers: {why}"))?;
    Ok(bytes)
}

/// Who is let in: what the roll says counts more than what the configuration says. And of whom the key does not open, in
/// words.
pub fn admitted(configured: &Keys, roll: &[Enrolled], vault: &Vault) -> (Keys, Vec<String>) {
    let (mut keys, mut shut) = (configured.clone(), Vec::new());
    for Enrolled { gateway, standing } in roll {
        match standing {
            Standing::Enrolled { key, .. } => match vault.open(gateway, key) {
                Ok(key) => drop(keys.insert(gateway.clone(), key)),
                Err(why) => {
                    keys.remove(gateway);
                    shut.push(why.to_string());
                }
            },
            Standing::Revoked { .. } => drop(keys.remove(gateway)),
            Standing::Invited { .. } => {}
        }
    }
    (keys, shut)
}

/// How a gateway stands, for people.
#[must_use]
pub fn standing(standing: &Standing, now: Epoch) -> (&'static str, Epoch) {
    match standing {
        Standing::Invited { until, .. } if *until <= now => ("invitation ran out", *until),
        Standing::Invited { until, .. } => ("invited until", *until),
        Standing::Enrolled { since, .. } => ("enrolled since", *since),
        Standing::Revoked { since } => ("revoked since", *since),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> GatewayId {
        GatewayId::new(name).unwrap()
    }

    #[test]
    fn the_roll_counts_more_than_the_configuration() {
        let configured = Keys::from([(id("west"), Key::new([1; 32])), (id("east"), Key::new([2; 32]))]);
        let on = |name, standing| Enrolled { gateway: id(name), standing };
        let since = Epoch(1);
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (vault, foreign) = (Vault::of(folder.path()).unwrap(), Vault::of(elsewhere.path()).unwrap());
        let roll = [
            on("east", Standing::Revoked { since }),
            on(
                "north",
                Standing::Enrolled { key: vault.seal(&id("north"), &Key::new([3; 32])).unwrap(), since },
            ),
            on(
                "south",
                Standing::Enrolled { key: foreign.seal(&id("south"), &Key::new([4; 32])).unwrap(), since },
            ),
            on("west", Standing::Invited { digest: "d".into(), until: Epoch(9) }),
        ];
        let (keys, shut) = admitted(&configured, &roll, &vault);
        assert!(shut.len() == 1 && shut[0].contains("south"), "{shut:?}");
        assert_eq!(keys, Keys::from([(id("west"), Key::new([1; 32])), (id("north"), Key::new([3; 32]))]));
    }

    #[tokio::test]
    async fn a_token_enrols_once_and_revoking_takes_effect_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = store::Store::open(&folder.path().join("event.db")).await.unwrap();
        let broker = Whereabouts { url: "mqtts://*:8883".into(), pinned: true };
        let venue = VenueId::new("hall").unwrap();
        let vault = Vault::of(folder.path()).unwrap();
        let gateways = Gateways::new(venue, Keys::new(), vault, store.roll(), Some(broker)).await.unwrap();
        let keys = gateways.keys();
        let until = Epoch(time::wall().0 + 60_000);
        store.roll().invite(&id("row-1"), &digest("secret"), until).await.unwrap();
        let apply = |secret: &str| Application { gateway: id("row-1"), secret: secret.into() };
        assert!(gateways.enrol(apply("guess")).await.is_err());
        let admission = gateways.enrol(apply("secret")).await.unwrap();
        assert_eq!(keys.borrow().get(&id("row-1")).map(Key::to_hex), Some(admission.key));
        let all = store.roll().all().await.unwrap();
        let is_sealed =
            |one: &Enrolled| matches!(&one.standing, Standing::Enrolled { key, .. } if !Vault::is_clear(key));
        assert!(all.iter().all(is_sealed), "{all:?}");
        assert!(gateways.enrol(apply("secret")).await.is_err(), "a token serves once");
        store.roll().revoke(&id("row-1"), time::wall()).await.unwrap();
        gateways.look().await.unwrap();
        assert!(keys.borrow().is_empty());
        store.close().await;
    }

    #[tokio::test]
    async fn a_key_that_lay_in_the_database_in_clear_is_sealed_at_the_next_start_and_stays_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let store = store::Store::open(&folder.path().join("event.db")).await.unwrap();
        let (roll, key) = (store.roll(), Key::new([5; 32]));
        roll.invite(&id("row-1"), "digest", Epoch(9)).await.unwrap();
        assert!(roll.enrol(&id("row-1"), "digest", &store::KeptKey(key.to_hex()), Epoch(1)).await.unwrap());
        for start in ["first", "second"] {
            let venue = VenueId::new("hall").unwrap();
            let vault = Vault::of(folder.path()).unwrap();
            let gateways = Gateways::new(venue, Keys::new(), vault, store.roll(), None).await.unwrap();
            assert_eq!(gateways.keys().borrow().get(&id("row-1")), Some(&key), "{start} start");
            let all = roll.all().await.unwrap();
            let Standing::Enrolled { key: kept, .. } = &all[0].standing else { panic!("{all:?}") };
            assert!(!Vault::is_clear(kept) && !kept.0.contains(&key.to_hex()), "{start} start");
        }
        store.close().await;
    }
}
