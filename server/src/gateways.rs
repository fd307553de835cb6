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

/// The gateways that are let in, each with its key.
pub type Keys = BTreeMap<GatewayId, Key>;

/// How often the roll is looked at: others change it.
const LOOK: Duration = Duration::from_secs(1);

/// The gateways of a running server.
#[derive(Debug)]
pub struct Gateways {
    venue: VenueId,
    configured: Keys,
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
        roll: Roll,
        broker: Option<Whereabouts>,
    ) -> Result<Gateways, StoreError> {
        let keys = watch::Sender::new(admitted(&configured, &roll.all().await?));
        Ok(Gateways { venue, configured, roll, keys, broker })
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
        let now = admitted(&self.configured, &self.roll.all().await?);
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
        let enrolled = self.roll.enrol(&gateway, &digest(&secret), &key, time::wall()).await;
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

/// What the roll says counts more than what the configuration says.
fn admitted(configured: &Keys, roll: &[Enrolled]) -> Keys {
    let mut keys = configured.clone();
    for Enrolled { gateway, standing } in roll {
        match standing {
            Standing::Enrolled { key, .. } => {
                keys.insert(gateway.clone(), key.clone());
            }
            Standing::Revoked { .. } => {
                keys.remove(gateway);
            }
            Standing::Invited { .. } => {}
        }
    }
    keys
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
        let roll = [
            on("east", Standing::Revoked { since }),
            on("north", Standing::Enrolled { key: Key::new([3; 32]), since }),
            on("west", Standing::Invited { digest: "d".into(), until: Epoch(9) }),
        ];
        let keys = admitted(&configured, &roll);
        assert_eq!(keys, Keys::from([(id("west"), Key::new([1; 32])), (id("north"), Key::new([3; 32]))]));
    }

    #[tokio::test]
    async fn a_token_enrols_once_and_revoking_takes_effect_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = store::Store::open(&folder.path().join("event.db")).await.unwrap();
        let broker = Whereabouts { url: "mqtts://*:8883".into(), pinned: true };
        let venue = VenueId::new("hall").unwrap();
        let gateways = Gateways::new(venue, Keys::new(), store.roll(), Some(broker)).await.unwrap();
        let keys = gateways.keys();
        let until = Epoch(time::wall().0 + 60_000);
        store.roll().invite(&id("row-1"), &digest("secret"), until).await.unwrap();
        let apply = |secret: &str| Application { gateway: id("row-1"), secret: secret.into() };
        assert!(gateways.enrol(apply("guess")).await.is_err());
        let admission = gateways.enrol(apply("secret")).await.unwrap();
        assert_eq!(keys.borrow().get(&id("row-1")).map(Key::to_hex), Some(admission.key));
        assert!(gateways.enrol(apply("secret")).await.is_err(), "a token serves once");
        store.roll().revoke(&id("row-1"), time::wall()).await.unwrap();
        gateways.look().await.unwrap();
        assert!(keys.borrow().is_empty());
        store.close().await;
    }
}
