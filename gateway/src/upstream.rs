//! What a gateway says to the server and hears from it, without I/O: which observations to send when, sealed; what an
//! acknowledgement frees; which commands are new.
//!
//! The shell ([`crate::run()`]) and the tests' simulation feed the same machine: one from a broker and a disk, the other
//! from models of them.

use std::collections::VecDeque;
use std::sync::Arc;

use firmware_proto::delivery::{Acked, Number, Outbox, Pace, Run};
use firmware_proto::envelope::{self, Freshness, Header, Key, OpenError, Way};
use firmware_proto::progress::Progress;
use firmware_proto::{
    Beat, CmdId, Command, DeviceUid, Down, Epoch, GatewayId, Link, Millis, Observation, Offer, OfferReport,
    Presence, Session, StreamSeq, Topic, Up, VenueId,
};

use crate::fetch::Fetch;
use crate::store::{Entry, Known};

/// Observations in one message: several messages fill the window, so that one is under way while the next is made.
const BATCH: u32 = 128;

/// So many of the newest observations are held in memory; older ones are read from the store.
const TAIL: usize = 2_048;

/// A message for one topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// Where to.
    pub topic: String,
    /// The sealed message.
    pub payload: Vec<u8>,
    /// How.
    pub delivery: Delivery,
}

/// How a message is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// QoS 0: a newer one follows soon.
    AtMostOnce,
    /// QoS 1.
    AtLeastOnce,
    /// QoS 1, and the broker keeps it for whoever subscribes later.
    Retained,
}

/// Who a gateway is to the server.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The venue.
    pub venue: VenueId,
    /// Its name there.
    pub gateway: GatewayId,
    /// Its own key.
    pub key: Key,
}

/// What a message of the server's means to the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The server has everything up to this number: the store may forget it.
    Kept(StreamSeq),
    /// A command for a device. `seen` goes into the store first: a command that is played back later must not act
    /// again.
    Order {
        /// What the store has to keep.
        seen: Entry,
        /// For whom.
        device: DeviceUid,
        /// The command's number.
        id: CmdId,
        /// The command.
        command: Command,
    },
    /// An acknowledgement of what was never sent: ignored.
    ForeignAck(StreamSeq),
    /// The server lacks what it had acknowledged, from this number on: its database was restored from a copy, or is a new
    /// one. What the store still has goes out again after [`Upstream::rewind`].
    Behind(StreamSeq),
    /// What the server offers changed, or more of it is here: [`Upstream::offer_at_hand`] goes to the hub, and
    /// [`Upstream::offer`] to the server. `seen`, if there is one, goes into the store first: an offer that is played
    /// back later must not be believed.
    Offer {
        /// What the store has to keep.
        seen: Option<Entry>,
    },
    /// Nothing new.
    Nothing,
}

/// The gateway's side of the link to the server.
#[derive(Debug)]
pub struct Upstream {
    identity: Identity,
    session: Session,
    outbox: Outbox<StreamSeq>,
    /// The newest observations; the last one is the outbox's last.
    tail: VecDeque<Observation>,
    freshness: Freshness,
    /// What the server offers.
    offered: Option<Fetch>,
    /// Counts sealed `up` messages and connections, above those of every earlier start on this store.
    count: u64,
    connection: u64,
}

impl Upstream {
    /// The link of a gateway that knows what its store knows; `oldest` is the first observation that is kept there.
    #[must_use]
    pub fn new(identity: Identity, known: &Known, oldest: StreamSeq) -> Upstream {
        let earlier_starts = u64::from(known.starts) << 32;
        let freshness =
            known.server_seen.map_or(Freshness::default(), |(life, count)| Freshness::after(life, count));
        Upstream {
            identity,
            session: known.session,
            outbox: Outbox::resume(Pace::UPSTREAM, oldest, known.next),
            tail: VecDeque::new(),
            freshness,
            offered: None,
            count: earlier_starts,
            connection: earlier_starts,
        }
    }

    /// A new connection to the broker is begun: its last will.
    pub fn connecting(&mut self, now: Epoch) -> Publication {
        self.connection += 1;
        self.presence(false, now)
    }

    /// The connection stands: its birth. Whatever was on its way in an earlier one is lost.
    pub fn on_connected(&mut self, now: Epoch) -> Publication {
        self.outbox.on_reconnect();
        self.presence(true, now)
    }

    /// The gateway's presence in this connection: its birth or its end (which is also its will).
    #[must_use]
    pub fn presence(&self, online: bool, since: Epoch) -> Publication {
        let connection = self.connection;
        let count = connection * 2 + u64::from(!online);
        let (gateway, life) = (self.identity.gateway.clone(), self.session.0);
        let header = Header { gateway, way: Way::State, life, count };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let presence = Presence { session: self.session, connection, online, since, version };
        let payload = envelope::seal(&self.identity.key, &header, &presence);
        Publication { topic: self.topic(Way::State), payload, delivery: Delivery::Retained }
    }

    /// These observations are on the disk, in the order of the stream.
    pub fn on_durable(&mut self, items: impl IntoIterator<Item = Observation>) {
        for item in items {
            self.outbox.push();
            if self.tail.len() == TAIL {
                self.tail.pop_front();
            }
            self.tail.push_back(item);
        }
    }

    /// The number that the next observation will get.
    #[must_use]
    pub const fn next(&self) -> StreamSeq {
        self.outbox.next()
    }

    /// Observations that the server has not acknowledged.
    #[must_use]
    pub fn backlog(&self) -> u64 {
        self.outbox.backlog()
    }

    /// Observations that were sent again since the start, or since the last [`Upstream::rewind`].
    #[must_use]
    pub const fn resent(&self) -> u64 {
        self.outbox.resent()
    }

    /// A message of the server's came; `Err`: it is not from there, or damaged.
    pub fn on_message(&mut self, payload: &[u8], now: Millis) -> Result<Heard, OpenError> {
        let Identity { key, gateway, .. } = &self.identity;
        let (header, message) = envelope::open::<Down>(key, gateway, Way::Down, payload)?;
        if !self.freshness.accepts(&header) {
            return Ok(Heard::Nothing);
        }
        Ok(match message {
            Down::Ack { session, upto } if session == self.session => match self.outbox.on_ack(upto, now) {
                Acked::Frees(_) => Heard::Kept(upto),
                // Acknowledgements come in order, so a lower one tells of a database that has gone back.
                Acked::Known if upto.plus(1) >= self.outbox.oldest() => Heard::Nothing,
                Acked::Known => Heard::Behind(upto.plus(1)),
                Acked::Foreign => Heard::ForeignAck(upto),
            },
            // To a session before this store was begun.
            Down::Ack { .. } => Heard::Nothing,
            Down::Command { device, id, command } => {
                Heard::Order { seen: Entry::ServerSeen(header.life, header.count), device, id, command }
            }
            Down::Offer(offer) => {
                let before = self.offered.take();
                let was = before.as_ref().map(Fetch::offer);
                self.offered = offer.and_then(|offer| Fetch::of(offer, before));
                let changed = self.offered.as_ref().map(Fetch::offer) != was;
                Heard::Offer { seen: changed.then_some(Entry::ServerSeen(header.life, header.count)) }
            }
            Down::Part { sha256, at, bytes } => {
                let taken = self.offered.as_mut().is_some_and(|fetch| fetch.on_part(sha256, at, &bytes));
                if taken { Heard::Offer { seen: None } } else { Heard::Nothing }
            }
        })
    }

    /// The firmware that the server offers, once all of it is here.
    #[must_use]
    pub fn offer_at_hand(&self) -> Option<(Offer, Arc<[u8]>)> {
        self.offered.as_ref()?.whole()
    }

    /// Whether the server offers a firmware.
    #[must_use]
    pub const fn is_offered(&self) -> bool {
        self.offered.is_some()
    }

    /// What is known of the server's offer, and how far devices are with it, sealed.
    pub fn offer(&mut self, devices: Vec<(DeviceUid, Progress)>) -> Publication {
        let header = self.next_header();
        let report = |fetch: &Fetch| OfferReport { offer: fetch.offer(), fetched: fetch.fetched(), devices };
        let message = Up::Offer { session: self.session, known: self.offered.as_ref().map(report) };
        self.up(&header, &message, Delivery::AtMostOnce)
    }

    /// The observations to send now; [`Upstream::held`] or the store has them, [`Upstream::observations`] seals them.
    pub fn poll(&mut self, now: Millis) -> Option<Run<StreamSeq>> {
        self.outbox.poll(now, BATCH)
    }

    /// When [`Upstream::poll`] wants to be called although nothing happened, and why.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        self.outbox.poll_timeout()
    }

    /// The observations of a run, if they are among the newest; else the store has them.
    #[must_use]
    pub fn held(&self, run: Run<StreamSeq>) -> Option<Vec<Observation>> {
        let behind = self.outbox.next().distance_from(run.first) as usize;
        let start = self.tail.len().checked_sub(behind)?;
        Some(self.tail.range(start..start + run.count as usize).copied().collect())
    }

    /// Observations from number `first` on, sealed.
    pub fn observations(&mut self, first: StreamSeq, items: Vec<Observation>) -> Publication {
        let header = self.next_header();
        let message = Up::Observations { session: self.session, first, items };
        self.up(&header, &message, Delivery::AtLeastOnce)
    }

    /// The server lacks everything from `from` on, the store has everything from `oldest` on: it goes out again from
    /// the later of the two. Returns what is to be told if that leaves a gap.
    pub fn rewind(&mut self, from: StreamSeq, oldest: StreamSeq) -> Option<Publication> {
        let to = from.max(oldest).min(self.outbox.oldest());
        self.outbox = Outbox::resume(Pace::UPSTREAM, to, self.outbox.next());
        (to > from).then(|| self.stream())
    }

    /// From which number on this stream can be had, sealed.
    fn stream(&mut self) -> Publication {
        let header = self.next_header();
        let message = Up::Stream { session: self.session, oldest: self.outbox.oldest() };
        self.up(&header, &message, Delivery::AtLeastOnce)
    }

    /// Who is there, sealed.
    pub fn beats(&mut self, beats: Vec<Beat>) -> Publication {
        let header = self.next_header();
        let faults = Vec::new();
        let message = Up::Beats { session: self.session, next: self.outbox.next(), beats, faults };
        self.up(&header, &message, Delivery::AtMostOnce)
    }

    /// How the links are, sealed.
    pub fn links(&mut self, links: Vec<Link>) -> Publication {
        let header = self.next_header();
        let message = Up::Links { session: self.session, links };
        self.up(&header, &message, Delivery::AtMostOnce)
    }

    /// This gateway's topic of that way.
    #[must_use]
    pub fn topic(&self, way: Way) -> String {
        let (venue, gateway) = (self.identity.venue.clone(), self.identity.gateway.clone());
        match way {
            Way::Up => Topic::Up { venue, gateway },
            Way::Down => Topic::Down { venue, gateway },
            Way::State => Topic::State { venue, gateway },
        }
        .to_string()
    }

    fn next_header(&mut self) -> Header {
        self.count += 1;
        let (gateway, life, count) = (self.identity.gateway.clone(), self.session.0, self.count);
        Header { gateway, way: Way::Up, life, count }
    }

    fn up(&self, header: &Header, message: &Up, delivery: Delivery) -> Publication {
        let payload = envelope::seal(&self.identity.key, header, message);
        Publication { topic: self.topic(Way::Up), payload, delivery }
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Capabilities, Firmware, Target};

    use super::*;

    fn identity() -> Identity {
        Identity {
            venue: VenueId::new("hall").unwrap(),
            gateway: GatewayId::new("row-1").unwrap(),
            key: Key::new([1; 32]),
        }
    }

    fn hear(upstream: &mut Upstream, count: u64, message: &Down) -> Heard {
        let header = Header { gateway: identity().gateway, way: Way::Down, life: 1, count };
        let payload = envelope::seal(&identity().key, &header, message);
        upstream.on_message(&payload, Millis(0)).unwrap()
    }

    #[test]
    fn an_offer_is_fetched_and_one_that_is_played_back_is_not_believed_even_after_a_restart() {
        let mut known = Known::new(Session(1));
        let mut upstream = Upstream::new(identity(), &known, StreamSeq(1));
        let capabilities = Capabilities { board: None, clock: true };
        let target = Target { hardware: 1, capabilities, shared_line: false };
        let firmware = Firmware::of_bytes(target, 2, b"firmware");
        let offer = Down::Offer(Some(Offer { firmware, go: true }));
        let Heard::Offer { seen: Some(seen) } = hear(&mut upstream, 7, &offer) else { panic!("it is new") };
        known.learn(&seen);
        assert_eq!(hear(&mut upstream, 8, &offer), Heard::Offer { seen: None }, "it is told again");
        let part = |at: u32, bytes: &[u8]| Down::Part { sha256: firmware.sha256, at, bytes: bytes.to_vec() };
        assert_eq!(hear(&mut upstream, 9, &part(4, b"ware")), Heard::Nothing, "that is not the next part");
        assert_eq!(hear(&mut upstream, 10, &part(0, b"firmware")), Heard::Offer { seen: None });
        assert_eq!(upstream.offer_at_hand().unwrap().1[..], *b"firmware");

        let Heard::Offer { seen: Some(seen) } = hear(&mut upstream, 11, &Down::Offer(None)) else {
            panic!("it is withdrawn")
        };
        known.learn(&seen);
        assert_eq!(upstream.offer_at_hand(), None);
        assert_eq!(hear(&mut upstream, 8, &offer), Heard::Nothing);
        let mut restarted = Upstream::new(identity(), &known, StreamSeq(1));
        assert_eq!(hear(&mut restarted, 8, &offer), Heard::Nothing);
        assert!(!restarted.is_offered());
    }
}
