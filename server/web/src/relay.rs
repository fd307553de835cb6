//! From a server that owns the event to nodes that serve spectators without a database: each view that the public may see, as
//! a message of its own, told again when it changed. A node shows what it was told, so it goes on when the owner is gone.
//!
//! Pure: the public's views go in, messages come out ([`Relay`]); on a node messages become views again
//! ([`Hub::relay`]). What only officials may see has no message, so it cannot get out this way.

use std::collections::BTreeMap;
use std::sync::Arc;

use hall::Broadcast;
use hall::view::{EventView, GameView, RoundView, StandingView, TeamsView};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tournament::{RoundNo, TableNo};

use crate::evaluation::Evaluation;
use crate::frame;
use crate::hub::{Hub, Shown, Update};

/// A view that the public may see.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublicView {
    /// How the broadcast is set.
    Broadcast(#[serde(with = "shared")] Arc<Broadcast>),
    /// The event's frame.
    Event(#[serde(with = "shared")] Arc<EventView>),
    /// A round's pairings.
    Round(#[serde(with = "shared")] Arc<RoundView>),
    /// A game.
    Game(#[serde(with = "shared")] Arc<GameView>),
    /// The standing.
    Standing(#[serde(with = "shared")] Arc<StandingView>),
    /// The teams.
    Teams(#[serde(with = "shared")] Arc<TeamsView>),
    /// What an engine thinks of a game that is over.
    Evaluation(RoundNo, TableNo, #[serde(with = "shared")] Arc<Evaluation>),
}

/// A shared value is written as the value, and read as one of its own.
mod shared {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
        T::serialize(value, to)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(from).map(Arc::new)
    }
}

impl PublicView {
    /// The path of its topic: one for each thing that there is.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            PublicView::Broadcast(_) => "broadcast".into(),
            PublicView::Event(_) => "event".into(),
            PublicView::Round(view) => format!("round/{}", view.round),
            PublicView::Game(view) => format!("game/{}/{}", view.round, view.table),
            PublicView::Standing(_) => "standing".into(),
            PublicView::Teams(_) => "teams".into(),
            PublicView::Evaluation(round, table, _) => format!("evaluation/{round}/{table}"),
        }
    }

    /// Whether who was told `self` needs not be told `new`.
    fn says_as_much_as(&self, new: &PublicView) -> bool {
        match (self, new) {
            // A clock that runs as told is no news.
            (PublicView::Game(told), PublicView::Game(new)) => {
                Arc::ptr_eq(told, new) || frame::looks_the_same(told, new)
            }
            (PublicView::Round(told), PublicView::Round(new)) => Arc::ptr_eq(told, new) || told == new,
            (PublicView::Standing(told), PublicView::Standing(new)) => Arc::ptr_eq(told, new) || told == new,
            (PublicView::Teams(told), PublicView::Teams(new)) => Arc::ptr_eq(told, new) || told == new,
            (PublicView::Event(told), PublicView::Event(new)) => Arc::ptr_eq(told, new) || told == new,
            (PublicView::Broadcast(told), PublicView::Broadcast(new)) => {
                Arc::ptr_eq(told, new) || told == new
            }
            (PublicView::Evaluation(.., told), PublicView::Evaluation(.., new)) => {
                Arc::ptr_eq(told, new) || told == new
            }
            // Another path's.
            (
                PublicView::Broadcast(_)
                | PublicView::Event(_)
                | PublicView::Round(_)
                | PublicView::Game(_)
                | PublicView::Standing(_)
                | PublicView::Teams(_)
                | PublicView::Evaluation(..),
                _,
            ) => false,
        }
    }
}

/// What nodes were told.
#[derive(Debug, Default)]
pub struct Relay {
    told: BTreeMap<String, PublicView>,
}

/// What nodes are to be told.
#[derive(Clone, Debug)]
pub struct News {
    /// Which view.
    pub path: String,
    /// How it is now; `None`: it is no more.
    pub view: Option<PublicView>,
}

impl Relay {
    /// What of the public's views is new; [`Relay::told`] says that it was told.
    #[must_use]
    pub fn news(&self, shown: &Shown) -> Vec<News> {
        let Shown { event, rounds, games, standing, teams, evaluations, broadcast, .. } = shown;
        let all = std::iter::once(PublicView::Broadcast(Arc::clone(broadcast)))
            .chain(rounds.values().cloned().map(PublicView::Round))
            .chain(games.values().cloned().map(PublicView::Game))
            .chain(standing.iter().cloned().map(PublicView::Standing))
            .chain(teams.iter().cloned().map(PublicView::Teams))
            .chain(
                evaluations
                    .iter()
                    .map(|((round, table), it)| PublicView::Evaluation(*round, *table, Arc::clone(it))),
            )
            // Who has the event has all that it speaks of.
            .chain(event.iter().cloned().map(PublicView::Event));
        let all: BTreeMap<String, PublicView> = all.map(|view| (view.path(), view)).collect();
        let gone = self.told.keys().filter(|path| !all.contains_key(*path));
        let mut news: Vec<News> = gone.map(|path| News { path: path.clone(), view: None }).collect();
        let new = all
            .into_iter()
            .filter(|(path, view)| !self.told.get(path).is_some_and(|told| told.says_as_much_as(view)));
        news.extend(new.map(|(path, view)| News { path, view: Some(view) }));
        news
    }

    /// This was told.
    pub fn told(&mut self, news: News) {
        match news.view {
            Some(view) => drop(self.told.insert(news.path, view)),
            None => drop(self.told.remove(&news.path)),
        }
    }

    /// Everything is to be told again: a broker without a disk forgets when it restarts.
    pub fn forget(&mut self) {
        self.told.clear();
    }
}

impl Hub {
    /// Shows a view that another server's public sees already: nothing of it waits here.
    pub fn relay(&self, view: PublicView) {
        let update = match view {
            PublicView::Broadcast(view) => Update::Broadcast(view),
            PublicView::Event(view) => Update::Event(view),
            PublicView::Round(view) => Update::Round(view),
            PublicView::Game(view) => Update::Game(view),
            PublicView::Standing(view) => Update::Standing(view),
            PublicView::Teams(view) => Update::Teams(view),
            PublicView::Evaluation(round, table, view) => {
                return self.public().evaluate(round, table, Arc::unwrap_or_clone(view));
            }
        };
        self.show_public(update);
    }
}
