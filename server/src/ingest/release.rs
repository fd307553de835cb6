//! What leaves the process once the batch that it rests on is on the disk: acknowledgements, commands, views, answers.

use std::collections::BTreeMap;

use firmware_proto::envelope::{Header, Key, Way, seal};
use firmware_proto::{Down, GatewayId, Topic, VenueId};
use store::{Committed, StoreError};
use tokio::sync::{mpsc, oneshot, watch};
use web::{Hub, Refused, Update};

use crate::gateways::Keys;
use crate::mqtt::Mqtt;

/// What rests on one batch.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) committed: Committed,
    pub(super) downs: Vec<(GatewayId, Down)>,
    pub(super) updates: Vec<Update>,
    pub(super) answers: Vec<Answer>,
}

/// What somebody who asked for something is told.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) to: oneshot::Sender<Result<(), Refused>>,
    pub(super) says: Result<(), Refused>,
}

/// Seals what goes down to gateways.
#[derive(Debug)]
pub struct Sealer {
    venue: VenueId,
    keys: BTreeMap<GatewayId, Key>,
    life: u64,
    count: u64,
}

impl Sealer {
    /// For these gateways; `life` is higher at each start of the server.
    #[must_use]
    pub fn new(venue: VenueId, keys: BTreeMap<GatewayId, Key>, life: u64) -> Sealer {
        Sealer { venue, keys, life, count: 0 }
    }

    /// From now on these gateways are spoken to.
    pub fn let_in(&mut self, keys: BTreeMap<GatewayId, Key>) {
        self.keys = keys;
    }

    /// Topic and payload; `None` for a gateway that is not let in any more.
    pub fn seal(&mut self, gateway: &GatewayId, down: &Down) -> Option<(String, Vec<u8>)> {
        let key = self.keys.get(gateway)?;
        self.count += 1;
        let header = Header { gateway: gateway.clone(), way: Way::Down, life: self.life, count: self.count };
        let topic = Topic::Down { venue: self.venue.clone(), gateway: gateway.clone() };
        Some((topic.to_string(), seal(key, &header, down)))
    }
}

/// Lets go of one batch's consequences after the other, until there are no more; fails when a batch was not kept.
pub(super) async fn release_all(
    mut waiting: mpsc::Receiver<Release>,
    mut sealer: Sealer,
    mut keys: watch::Receiver<Keys>,
    mqtt: Mqtt,
    hub: Hub,
) -> Result<(), StoreError> {
    while let Some(release) = waiting.recv().await {
        release.committed.wait().await?;
        // An error: the server ends.
        if keys.has_changed().unwrap_or(false) {
            sealer.let_in(keys.borrow_and_update().clone());
        }
        for (gateway, down) in &release.downs {
            if let Some((topic, payload)) = sealer.seal(gateway, down)
                && !mqtt.tell(&topic, payload)
            {
                // It is repeated: an ack when the gateway asks again, a command after a second.
                tracing::debug!(%gateway, "no room towards the broker, dropped");
            }
        }
        for update in release.updates {
            hub.publish(update);
        }
        for Answer { to, says } in release.answers {
            // Whoever asked may have gone.
            let _gone = to.send(says);
        }
    }
    Ok(())
}
