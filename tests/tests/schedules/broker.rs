//! A broker that delivers at least once when it is well, in whatever order; it may be cut off from a client, die with
//! everything that it held, and lie about what it took.

use std::collections::BTreeMap;

use gateway::{Delivery, Publication};
use simulator::Dice;

/// A connection that hears nothing for so long is dropped, ms: two keep-alives.
pub const KEEP_ALIVE: i64 = 10_000;

/// Who is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    Server,
    Gateway(usize),
}

/// A message on its way to a client.
#[derive(Clone, Debug)]
pub struct Delivered {
    pub to: Client,
    pub topic: String,
    pub payload: Vec<u8>,
}

#[derive(Debug)]
struct Session {
    /// Which of the client's connections.
    generation: u64,
    will: Option<Publication>,
    /// Nothing passes until then.
    cut_until: i64,
    /// When both sides give up, if it is cut for too long.
    dropped_at: Option<i64>,
}

#[derive(Debug)]
pub struct Broker {
    dice: Dice,
    sessions: BTreeMap<Client, Session>,
    retained: BTreeMap<String, Vec<u8>>,
    /// By time of arrival; the second number keeps messages of one instant apart.
    on_their_way: BTreeMap<(i64, u64), (u64, Delivered)>,
    count: u64,
    down_until: i64,
    /// One message in so many is lost, doubled or late, until then.
    lies: (i64, i64),
}

impl Broker {
    pub fn new(dice: Dice) -> Broker {
        Broker {
            dice,
            sessions: BTreeMap::new(),
            retained: BTreeMap::new(),
            on_their_way: BTreeMap::new(),
            count: 0,
            down_until: 0,
            lies: (0, 0),
        }
    }

    pub fn is_down(&self, now: i64) -> bool {
        now < self.down_until
    }

    /// A client connects and subscribes; what is retained for it is sent. `None`: there is no broker.
    pub fn connect(&mut self, client: Client, will: Option<Publication>, now: i64) -> Option<u64> {
        if self.is_down(now) {
            return None;
        }
        self.drop_session(client, now);
        self.count += 1;
        let generation = self.count;
        self.sessions.insert(client, Session { generation, will, cut_until: 0, dropped_at: None });
        if client == Client::Server {
            for (topic, payload) in self.retained.clone() {
                self.send(client, &topic, &payload, now);
            }
        }
        Some(generation)
    }

    /// Whether this connection still stands.
    pub fn stands(&self, client: Client, generation: u64) -> bool {
        self.sessions.get(&client).is_some_and(|session| session.generation == generation)
    }

    /// A client goes without a goodbye: its will is published.
    pub fn drop_session(&mut self, client: Client, now: i64) {
        if let Some(Session { will: Some(will), .. }) = self.sessions.remove(&client) {
            self.take(will, now);
        }
    }

    /// A client publishes.
    pub fn publish(&mut self, from: Client, publication: Publication, now: i64) {
        let Some(session) = self.sessions.get(&from) else { return };
        // What cannot pass waits in the socket; if the connection is given up it is lost.
        if session.dropped_at.is_none() {
            let at = now.max(session.cut_until);
            self.take(publication, at);
        }
    }

    fn take(&mut self, publication: Publication, now: i64) {
        let Publication { topic, payload, delivery } = publication;
        if delivery == Delivery::Retained {
            self.retained.insert(topic.clone(), payload.clone());
        }
        let to = match topic.rsplit('/').next() {
            Some("up" | "state") => Client::Server,
            _ => match topic.split('/').nth(3).and_then(|name| name.strip_prefix('g')?.parse().ok()) {
                Some(gateway) => Client::Gateway(gateway),
                None => return,
            },
        };
        let suffers = now < self.lies.1 && self.dice.chance(1.0 / self.lies.0 as f64);
        if !suffers {
            return self.send(to, &topic, &payload, now);
        }
        match self.dice.between(0, 3) {
            0 => {}
            1 => {
                self.send(to, &topic, &payload, now);
                self.send(to, &topic, &payload, now + 300);
            }
            2 => {
                let late = self.dice.between(500, 20_000);
                self.send(to, &topic, &payload, now + late);
            }
            _ => {
                let mut payload = payload;
                let at = self.dice.between(0, payload.len() as i64 - 1) as usize;
                payload[at] ^= 1 << self.dice.between(0, 7);
                self.send(to, &topic, &payload, now);
            }
        }
    }

    fn send(&mut self, to: Client, topic: &str, payload: &[u8], now: i64) {
        let Some(session) = self.sessions.get(&to) else { return };
        if session.dropped_at.is_some() {
            return;
        }
        let at = now.max(session.cut_until) + self.dice.between(1, 12);
        self.count += 1;
        let delivered = Delivered { to, topic: topic.to_owned(), payload: payload.to_vec() };
        self.on_their_way.insert((at, self.count), (session.generation, delivered));
    }

    /// A message that has arrived.
    pub fn arrived(&mut self, now: i64) -> Option<Delivered> {
        loop {
            let (&(at, count), _) = self.on_their_way.first_key_value()?;
            if at > now {
                return None;
            }
            let (generation, delivered) = self.on_their_way.remove(&(at, count))?;
            // To a connection that has gone: lost.
            if self.stands(delivered.to, generation) {
                return Some(delivered);
            }
        }
    }

    /// Nothing passes between a client and the broker for so long.
    pub fn cut(&mut self, client: Client, now: i64, long: i64) {
        let until = now + long;
        if let Some(session) = self.sessions.get_mut(&client) {
            session.cut_until = session.cut_until.max(until);
            if long >= KEEP_ALIVE {
                session.dropped_at.get_or_insert(now + KEEP_ALIVE);
            }
        }
    }

    pub fn kill(&mut self, now: i64, long: i64) {
        self.sessions.clear();
        self.retained.clear();
        self.on_their_way.clear();
        self.down_until = self.down_until.max(now + long);
    }

    pub fn lie(&mut self, one_in: i64, until: i64) {
        self.lies = (one_in, until);
    }

    pub fn poll(&mut self, now: i64) {
        let gone: Vec<Client> = self
            .sessions
            .iter()
            .filter(|(_, session)| session.dropped_at.is_some_and(|at| at <= now))
            .map(|(client, _)| *client)
            .collect();
        for client in gone {
            self.drop_session(client, now);
        }
    }

    pub fn next(&self) -> Option<i64> {
        let arrival = self.on_their_way.first_key_value().map(|(&(at, _), _)| at);
        let dropped = self.sessions.values().filter_map(|session| session.dropped_at).min();
        arrival.into_iter().chain(dropped).min()
    }
}
