//! `chuhe/1/<venue>/public/view/…`: the public's views, one topic each, retained: all that a node needs to serve spectators
//! without a database ([`crate::node`]).

use std::collections::BTreeSet;
use std::time::Duration;

use firmware_proto::{EventId, Topic, VenueId};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use web::{Hub, News, PublicView, Relay};

use super::telling::Telling;
use crate::mqtt::Mqtt;

/// How often it is looked what changed.
const EVERY: Duration = Duration::from_millis(250);

/// What speaks of all tables changes with each of them: it is told at one look in so many, as streams do.
const SLOW: u32 = 4;

/// No message is longer: a broker ends the connection of who sends one that is too long for it.
pub(super) const LONGEST: usize = 1_000_000;

/// Views that are told at one look: acknowledgements wait behind them.
const MOST: usize = 256;

/// Tells nodes what changed until `stop` is called.
pub async fn tell_nodes(public: Hub, mqtt: Mqtt, venue: VenueId, life: u64, stop: CancellationToken) {
    let Ok(event) = EventId::new(venue.to_string()) else { return };
    let mut relay = Relay::default();
    let mut too_long = BTreeSet::new();
    let mut connections = mqtt.connections();
    let mut looks = tokio::time::interval(EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for look in 0_u32.. {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = looks.tick() => {}
        }
        // A broker without a disk has forgotten everything when it is back.
        if connections.has_changed().unwrap_or(false) {
            connections.mark_unchanged();
            relay.forget();
        }
        let news = relay.news(&public.shown());
        let due =
            |news: &News| look.is_multiple_of(SLOW) || !news.view.as_ref().is_some_and(is_of_all_tables);
        for News { path, view } in news.into_iter().filter(due).take(MOST) {
            let topic = Topic::View { event: event.clone(), path: path.clone() }.to_string();
            let payload = match &view {
                Some(view) => Telling { life, view: view.clone() }.to_bytes(),
                None => Vec::new(),
            };
            if payload.len() > LONGEST {
                if too_long.insert(path.clone()) {
                    tracing::error!(
                        path,
                        bytes = payload.len(),
                        "too long for a broker: nodes do not show it"
                    );
                }
                relay.told(News { path, view });
                continue;
            }
            // Without room it is told at the next look.
            if mqtt.keep(&topic, payload) {
                relay.told(News { path, view });
            }
        }
    }
}

fn is_of_all_tables(view: &PublicView) -> bool {
    match view {
        PublicView::Event(_) | PublicView::Round(_) | PublicView::Standing(_) => true,
        PublicView::Broadcast(_)
        | PublicView::Game(_)
        | PublicView::Teams(_)
        | PublicView::Evaluation(..) => false,
    }
}
