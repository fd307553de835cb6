//! Who is let in: only what is sealed with its gateway's own key. What is not is counted, named once a minute, and
//! disturbs nothing.

use std::collections::BTreeMap;

use firmware_proto::envelope::{Freshness, Key, OpenError, Way, open};
use firmware_proto::{
    Beat, GatewayId, Link, Observation, OfferReport, Presence, Session, StreamSeq, Topic, Up, VenueId,
};

use super::complaint::{Complaint, Complaints};
use crate::mqtt::Message;

/// An authentic message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Observations `first`, `first`+1, … of a gateway's stream.
    Observations {
        /// Which gateway.
        gateway: GatewayId,
        /// Which life of its store.
        session: Session,
        /// Number of the first one.
        first: StreamSeq,
        /// They themselves.
        items: Vec<Observation>,
    },
    /// From which number on its stream can be had; everything before it is with a server, or gone.
    Stream {
        /// Which gateway.
        gateway: GatewayId,
        /// Which life of its store.
        session: Session,
        /// The first number.
        oldest: StreamSeq,
    },
    /// What its clocks show.
    Beats {
        /// Which gateway.
        gateway: GatewayId,
        /// Which life of its store.
        session: Session,
        /// The number that its next observation will get.
        next: StreamSeq,
        /// One each device.
        beats: Vec<Beat>,
    },
    /// It told how its links are: [`Gate::links`].
    Links,
    /// What it knows of the firmware that is offered.
    Offer {
        /// Which gateway.
        gateway: GatewayId,
        /// `None`: it knows of none.
        known: Option<OfferReport>,
    },
    /// It came or went.
    Presence {
        /// Which gateway.
        gateway: GatewayId,
        /// Whether it is there.
        online: bool,
    },
}

/// What is remembered of one gateway.
#[derive(Debug)]
struct Known {
    key: Key,
    beats: Freshness,
    presence: Option<Presence>,
    links: Vec<Link>,
}

/// Opens messages of the venue's gateways.
#[derive(Debug)]
pub struct Gate {
    venue: VenueId,
    gateways: BTreeMap<GatewayId, Known>,
    complaints: Complaints,
}

impl Gate {
    /// A gate for these gateways.
    #[must_use]
    pub fn new(venue: VenueId, keys: BTreeMap<GatewayId, Key>) -> Gate {
        let mut gate = Gate { venue, gateways: BTreeMap::new(), complaints: Complaints::default() };
        gate.let_in(keys);
        gate
    }

    /// From now on these gateways are let in. What is remembered of one under the same key stays: its messages cannot be
    /// played back.
    pub fn let_in(&mut self, keys: BTreeMap<GatewayId, Key>) {
        let mut before = std::mem::take(&mut self.gateways);
        let known = |(gateway, key)| {
            let stays = before.remove(&gateway).filter(|known: &Known| known.key == key);
            let fresh = || Known { key, beats: Freshness::default(), presence: None, links: Vec::new() };
            (gateway, stays.unwrap_or_else(fresh))
        };
        self.gateways = keys.into_iter().map(known).collect();
    }

    /// What was wrong so far.
    #[must_use]
    pub fn complaints(&self) -> &Complaints {
        &self.complaints
    }

    /// How each gateway's links are, as it said last.
    pub fn links(&self) -> impl Iterator<Item = (&GatewayId, &Link)> {
        self.gateways.iter().flat_map(|(gateway, known)| known.links.iter().map(move |link| (gateway, link)))
    }

    /// Complains about somebody.
    pub fn complain(&mut self, complaint: Complaint, who: &GatewayId, detail: &dyn std::fmt::Display) {
        self.complaints.about(complaint, who.as_str(), detail);
    }

    /// Lets a message in, or complains.
    pub fn admit(&mut self, message: &Message) -> Option<Arrival> {
        match message.topic.parse::<Topic>() {
            Ok(Topic::Up { venue, gateway }) if venue == self.venue => self.up(gateway, &message.payload),
            Ok(Topic::State { venue, gateway }) if venue == self.venue => {
                self.state(gateway, &message.payload)
            }
            Ok(
                Topic::Up { .. }
                | Topic::State { .. }
                | Topic::Down { .. }
                | Topic::Table { .. }
                | Topic::View { .. },
            )
            | Err(_) => {
                self.complaints.about(Complaint::ForeignTopic, &message.topic, &"");
                None
            }
        }
    }

    fn up(&mut self, gateway: GatewayId, payload: &[u8]) -> Option<Arrival> {
        let (header, known, up) = self.opened::<Up>(&gateway, Way::Up, payload)?;
        match up {
            // Old or repeated observations are told by their numbers, see Streams.
            Up::Observations { session, first, items } => {
                Some(Arrival::Observations { gateway, session, first, items })
            }
            // One that is played back speaks of a number that is passed long ago.
            Up::Stream { session, oldest } => Some(Arrival::Stream { gateway, session, oldest }),
            Up::Beats { session, next, beats, faults } => {
                if !known.beats.accepts(&header) {
                    return None;
                }
                // So a gateway tells of its links that does not say `Up::Links` yet.
                if !faults.is_empty() {
                    known.links = faults.into_iter().map(Link::from).collect();
                }
                Some(Arrival::Beats { gateway, session, next, beats })
            }
            Up::Links { links, .. } => {
                if !known.beats.accepts(&header) {
                    return None;
                }
                known.links = links;
                Some(Arrival::Links)
            }
            Up::Offer { known: report, .. } => {
                known.beats.accepts(&header).then_some(Arrival::Offer { gateway, known: report })
            }
        }
    }

    fn state(&mut self, gateway: GatewayId, payload: &[u8]) -> Option<Arrival> {
        // An empty retained message clears a topic.
        if payload.is_empty() {
            return None;
        }
        let (_, known, presence) = self.opened::<Presence>(&gateway, Way::State, payload)?;
        if known.presence.as_ref().is_some_and(|before| !presence.supersedes(before)) {
            return None;
        }
        let online = presence.online;
        known.presence = Some(presence);
        Some(Arrival::Presence { gateway, online })
    }

    fn opened<M: serde::de::DeserializeOwned>(
        &mut self,
        gateway: &GatewayId,
        way: Way,
        payload: &[u8],
    ) -> Option<(firmware_proto::envelope::Header, &mut Known, M)> {
        let Some(known) = self.gateways.get_mut(gateway) else {
            self.complaints.about(Complaint::UnknownGateway, gateway.as_str(), &"");
            return None;
        };
        match open::<M>(&known.key, gateway, way, payload) {
            Ok((header, message)) => Some((header, known, message)),
            Err(error) => {
                let complaint = match error {
                    OpenError::Truncated(_) | OpenError::BadContent => Complaint::Undecodable,
                    OpenError::UnknownVersion { .. } => Complaint::UnknownVersion,
                    OpenError::WrongKey => Complaint::WrongKey,
                    OpenError::Misdirected { .. } => Complaint::Misdirected,
                };
                self.complaints.about(complaint, gateway.as_str(), &error);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::envelope::{Header, seal};
    use firmware_proto::{Epoch, LinkFault};

    fn id(name: &str) -> GatewayId {
        GatewayId::new(name).unwrap()
    }

    fn venue() -> VenueId {
        VenueId::new("hall").unwrap()
    }

    fn gate() -> Gate {
        Gate::new(venue(), BTreeMap::from([(id("west"), Key::new([1; 32]))]))
    }

    fn sealed(key: u8, gateway: &str, way: Way, count: u64, message: &impl serde::Serialize) -> Message {
        let header = Header { gateway: id(gateway), way, life: 1, count };
        let topic = match way {
            Way::Up => Topic::Up { venue: venue(), gateway: id(gateway) },
            Way::Down => Topic::Down { venue: venue(), gateway: id(gateway) },
            Way::State => Topic::State { venue: venue(), gateway: id(gateway) },
        };
        Message { topic: topic.to_string(), payload: seal(&Key::new([key; 32]), &header, message) }
    }

    fn observations() -> Up {
        Up::Observations { session: Session(1), first: StreamSeq(1), items: Vec::new() }
    }

    fn presence(connection: u64, online: bool) -> Presence {
        Presence { session: Session(1), connection, online, since: Epoch(0), version: "1".into() }
    }

    #[test]
    fn what_is_sealed_with_the_gateways_key_comes_in() {
        let arrival = gate().admit(&sealed(1, "west", Way::Up, 1, &observations()));
        assert!(matches!(arrival, Some(Arrival::Observations { .. })), "{arrival:?}");
    }

    #[test]
    fn everything_else_is_counted_by_its_fault_and_stays_out() {
        let mut gate = gate();
        let mut newer = sealed(1, "west", Way::Up, 1, &observations());
        newer.payload[0] = 9;
        let foreign = |topic: &str| Message { topic: topic.into(), payload: Vec::new() };
        let misdirected = Message {
            topic: "chuhe/1/hall/west/up".into(),
            ..sealed(1, "west", Way::State, 1, &presence(1, true))
        };
        let unknown_content = sealed(1, "west", Way::Up, 1, &(77_u8, "a message of the future"));
        for (message, complaint) in [
            (sealed(2, "west", Way::Up, 1, &observations()), Complaint::WrongKey),
            (sealed(1, "east", Way::Up, 1, &observations()), Complaint::UnknownGateway),
            (newer, Complaint::UnknownVersion),
            (foreign("chuhe/1/hall/west/up"), Complaint::Undecodable),
            (foreign("chuhe/1/elsewhere/west/up"), Complaint::ForeignTopic),
            (foreign("weather"), Complaint::ForeignTopic),
            (misdirected, Complaint::Misdirected),
            (unknown_content, Complaint::Undecodable),
        ] {
            let before = gate.complaints().counts().get(&complaint).copied().unwrap_or(0);
            assert_eq!(gate.admit(&message), None);
            assert_eq!(gate.complaints().counts().get(&complaint), Some(&(before + 1)), "{complaint:?}");
        }
    }

    #[test]
    fn a_gateway_that_was_sent_away_is_unknown_and_with_a_new_key_its_old_messages_are_no_use() {
        let mut gate = gate();
        let before = sealed(1, "west", Way::Up, 1, &observations());
        gate.let_in(BTreeMap::new());
        assert_eq!(gate.admit(&before), None);
        assert_eq!(gate.complaints().counts().get(&Complaint::UnknownGateway), Some(&1));
        gate.let_in(BTreeMap::from([(id("west"), Key::new([2; 32]))]));
        assert_eq!(gate.admit(&before), None);
        assert_eq!(gate.complaints().counts().get(&Complaint::WrongKey), Some(&1));
        assert!(gate.admit(&sealed(2, "west", Way::Up, 1, &observations())).is_some());
    }

    #[test]
    fn a_beat_that_comes_late_is_dropped() {
        let mut gate = gate();
        let beats =
            Up::Beats { session: Session(1), next: StreamSeq(1), beats: Vec::new(), faults: Vec::new() };
        assert!(gate.admit(&sealed(1, "west", Way::Up, 5, &beats)).is_some());
        assert!(gate.admit(&sealed(1, "west", Way::Up, 4, &beats)).is_none());
        assert!(gate.admit(&sealed(1, "west", Way::Up, 6, &beats)).is_some());
    }

    #[test]
    fn links_are_known_as_they_were_told_last_by_gateways_of_today_and_of_yesterday() {
        let fault = |repeated| LinkFault { port: "tty".to_owned(), repeated, ..LinkFault::default() };
        let mut gate = gate();
        let faults = vec![fault(1)];
        let beats = Up::Beats { session: Session(1), next: StreamSeq(1), beats: Vec::new(), faults };
        assert!(gate.admit(&sealed(1, "west", Way::Up, 1, &beats)).is_some());
        assert_eq!(gate.links().map(|(_, link)| link.fault.repeated).collect::<Vec<_>>(), [1]);
        let today = Link { resets: 3, ..Link::from(fault(2)) };
        let links = Up::Links { session: Session(1), links: vec![today.clone()] };
        gate.admit(&sealed(1, "west", Way::Up, 2, &links));
        gate.admit(&sealed(1, "west", Way::Up, 1, &Up::Links { session: Session(1), links: Vec::new() }));
        assert_eq!(gate.links().map(|(_, link)| link).collect::<Vec<_>>(), [&today], "an old one is dropped");
    }

    #[test]
    fn a_last_will_that_comes_after_the_rebirth_is_dropped() {
        let mut gate = gate();
        let mut state = |presence| gate.admit(&sealed(1, "west", Way::State, 1, &presence));
        assert!(state(presence(2, true)).is_some());
        assert!(state(presence(1, false)).is_none());
        let gone = state(presence(2, false));
        assert_eq!(gone, Some(Arrival::Presence { gateway: id("west"), online: false }));
    }
}
