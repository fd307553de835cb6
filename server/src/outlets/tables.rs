//! `chuhe/1/<venue>/public/table/<n>`: the game at each table of the current round as JSON, retained.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use firmware_proto::{EventId, Topic, VenueId};
use hall::view::GameView;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tournament::TableNo;
use web::Hub;

use crate::mqtt::Mqtt;

/// How often it is looked whether a game changed.
const EVERY: Duration = Duration::from_secs(1);

/// Looks after which all tables are told again: a broker without a disk forgets when it restarts.
const AFRESH: u32 = 60;

/// Publishes until `stop` is called.
pub async fn publish(public: Hub, mqtt: Mqtt, venue: VenueId, stop: CancellationToken) {
    let Ok(event) = EventId::new(venue.to_string()) else { return };
    let mut told: BTreeMap<TableNo, Arc<GameView>> = BTreeMap::new();
    let mut looks = tokio::time::interval(EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for look in 0_u32.. {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = looks.tick() => {}
        }
        if look % AFRESH == 0 {
            told.clear();
        }
        let games: Vec<Arc<GameView>> = public.look(|shown| {
            let round = shown.current_round().map(|round| round.round);
            let ours = shown.games.values().filter(|game| Some(game.round) == round);
            let known =
                |game: &Arc<GameView>| told.get(&game.table).is_some_and(|told| Arc::ptr_eq(told, game));
            ours.filter(|game| !known(game)).cloned().collect()
        });
        for game in games {
            let topic = Topic::Table { event: event.clone(), table: game.table.0 };
            // Without room it is told at the next look.
            if mqtt.keep(&topic.to_string(), web::game_json(&game).into_bytes()) {
                told.insert(game.table, game);
            }
        }
    }
}
