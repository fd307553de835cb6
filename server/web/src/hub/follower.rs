//! A viewer who follows topics, frame by frame.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Bytes;
use tokio::sync::watch;
use tournament::TableNo;

use super::{Channel, Hub, Mark, lock};
use crate::frame;
use crate::topic::Topic;

impl Hub {
    /// Follows topics from what the viewer already knows (`None`: nothing).
    #[must_use]
    pub fn follow(&self, topics: &[Topic], known: Option<Mark>) -> Follower {
        let mut followed = Vec::new();
        for topic in topics.iter().collect::<BTreeSet<_>>() {
            let channel = self.channel(*topic);
            let wake = channel.newest.subscribe();
            followed.push(Followed { topic: *topic, channel, wake });
        }
        let here = self.mark();
        let ours =
            |mark: &Mark| (mark.boot, mark.audience) == (here.boot, here.audience) && mark.seq <= here.seq;
        let known_here = known.filter(ours);
        Follower {
            hub: self.clone(),
            seq: known_here.map(|mark| mark.seq),
            resync: known.is_some() && known_here.is_none(),
            followed,
        }
    }

    /// The topic's whole state as one frame, for a viewer who knows nothing.
    fn snapshot(&self, topic: Topic, mark: Mark) -> Option<Bytes> {
        let (event, data) = self.look(|shown| match topic {
            Topic::Event | Topic::Standing | Topic::Alerts => Some(("notice", frame::notice(topic))),
            Topic::Round(round) => {
                shown.rounds.get(&round).map(|_| ("round", frame::json(&frame::lines(shown, round, None))))
            }
            Topic::Grid(round, _) => {
                let tiles: Vec<frame::Tile> = shown
                    .games
                    .range((round, TableNo(0))..=(round, TableNo(u16::MAX)))
                    .filter(|((round, table), _)| Topic::grid_of(*round, *table) == topic)
                    .map(|(_, game)| frame::tile(game))
                    .collect();
                Some(("grid", frame::json(&tiles)))
            }
            Topic::Game(round, table) => {
                shown.games.get(&(round, table)).map(|game| ("game", frame::game(game)))
            }
        })?;
        Some(frame::bytes(mark, event, &data))
    }
}

struct Followed {
    topic: Topic,
    channel: Arc<Channel>,
    wake: watch::Receiver<u64>,
}

/// A viewer of some topics. It reads the rings at its own pace; one that falls behind a ring's length is told so
/// and given the state anew, so a slow viewer holds up nobody and misses nothing in the end.
pub struct Follower {
    hub: Hub,
    /// The newest frame delivered; `None`: the viewer needs the state first.
    seq: Option<u64>,
    resync: bool,
    followed: Vec<Followed>,
}

impl Follower {
    /// All that the viewer does not know yet, in order, as one chunk; empty if there is nothing.
    pub fn take(&mut self) -> Bytes {
        for followed in &mut self.followed {
            followed.wake.mark_unchanged();
        }
        // A frame is in its ring before the counter shows it, so all up to the mark are there; what comes later
        // is left for the next time, lest a topic read too early lose one to a topic read later.
        let mark = self.hub.mark();
        let mut frames = Vec::new();
        let from = self.seq.unwrap_or(mark.seq);
        let whole = self.followed.iter().all(|f| lock(&f.channel.ring).after(from, &mut frames).is_ok());
        if self.seq.is_none() || !whole {
            return self.anew(mark, !whole);
        }
        frames.retain(|frame| frame.seq <= mark.seq);
        frames.sort_by_key(|frame| frame.seq);
        self.seq = Some(mark.seq);
        concat(frames.into_iter().map(|frame| frame.bytes))
    }

    fn anew(&mut self, mark: Mark, lagged: bool) -> Bytes {
        let resync = std::mem::take(&mut self.resync) || lagged;
        self.seq = Some(mark.seq);
        let head = resync.then(|| frame::bytes(mark, "resync", "{}"));
        let states = self.followed.iter().filter_map(|f| self.hub.snapshot(f.topic, mark));
        concat(head.into_iter().chain(states))
    }

    /// Waits until a topic has something new.
    pub async fn changed(&mut self) {
        let waits = self.followed.iter_mut().map(|followed| Box::pin(followed.wake.changed()));
        // The hub lives as long as its followers, so the senders do: an error cannot happen.
        let _ = futures_util::future::select_all(waits).await;
    }
}

fn concat(parts: impl Iterator<Item = Bytes>) -> Bytes {
    let parts: Vec<Bytes> = parts.collect();
    match parts.as_slice() {
        [one] => one.clone(),
        many => many.concat().into(),
    }
}
