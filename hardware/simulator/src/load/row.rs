//! A gateway and its tables in memory: the gateway's own [`Hub`] and [`Upstream`], with a queue in the place of serial lines
//! and disk. Sans I/O.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use firmware_proto::delivery::Number;
use firmware_proto::{Address, Beat, Epoch, MAX_FRAME, Observation, Session, StreamSeq, VenueClock, encode};
use gateway::store::Known;
use gateway::{Heard, Hub, Identity, Now, Output, PortId, Publication, Upstream};

use crate::{TableConfig, VirtualTable};

/// A gateway and its tables.
pub(super) struct Row {
    tables: Vec<VirtualTable>,
    /// Table and place at it of each port.
    ports: Vec<(usize, usize)>,
    /// Venue time at the tables' ms 0.
    started: Epoch,
    hub: Hub,
    pub(super) upstream: Upstream,
    /// What the server has not acknowledged, and since when it is kept; the first is number `oldest`.
    kept: VecDeque<(Instant, Observation)>,
    oldest: StreamSeq,
    /// What was kept before this number was told by [`Row::take_kept`].
    told: StreamSeq,
}

/// What a message of the server's led to.
pub(super) enum Answer {
    /// It has these, each so long after it was kept.
    Acknowledged(Vec<Duration>),
    /// A command for a device, or nothing new.
    Nothing,
    /// It makes no sense here.
    Wrong(String),
}

impl Row {
    pub(super) fn new(identity: Identity, tables: Vec<TableConfig>, session: Session, now: Now) -> Row {
        let known = Known::new(session);
        let tables = tables.into_iter().map(|table| TableConfig { started: now.venue, ..table });
        let tables: Vec<VirtualTable> = tables.map(VirtualTable::new).collect();
        let places = tables.iter().enumerate();
        let ports: Vec<(usize, usize)> =
            places.flat_map(|(table, it)| (0..it.ports().len()).map(move |port| (table, port))).collect();
        let mut hub = Hub::new(&known);
        for port in 0..ports.len() {
            hub.on_open(PortId(port as u32), now);
        }
        let upstream = Upstream::new(identity, &known, StreamSeq::FIRST);
        let (kept, oldest, told) = (VecDeque::new(), StreamSeq::FIRST, StreamSeq::FIRST);
        Row { tables, ports, started: now.venue, hub, upstream, kept, oldest, told }
    }

    /// Lets time pass.
    pub(super) fn poll(&mut self, now: Now) {
        let at = now.venue.since(self.started);
        for table in &mut self.tables {
            table.poll(at);
        }
        self.hub.poll(now);
        self.exchange(now);
    }

    /// How long nothing has to be done if nothing comes.
    pub(super) fn wait(&self, now: Now, clock: &VenueClock) -> Duration {
        let at = now.venue.since(self.started);
        let tables = self.tables.iter().map(VirtualTable::poll_timeout).min().unwrap_or(at);
        let tables = clock.wall_millis(tables.saturating_sub(at).max(0).unsigned_abs());
        let hub = self.hub.poll_timeout().map(|(at, _)| at);
        let hub = hub.map_or(tables, |at| if now.wait.reached(at) { 0 } else { at.since(now.wait).0.into() });
        Duration::from_millis(tables.min(hub))
    }

    /// Moves everything to where it belongs, until nothing moves.
    fn exchange(&mut self, now: Now) {
        let mut said = Vec::new();
        loop {
            let mut moved = false;
            for (port, &(table, place)) in self.ports.iter().enumerate() {
                self.tables[table].take_output(place, &mut said);
                if !said.is_empty() {
                    moved = true;
                    self.hub.on_bytes(PortId(port as u32), &said, now);
                    said.clear();
                }
            }
            let next = self.upstream.next();
            while let Some(output) = self.hub.poll_output() {
                match output {
                    Output::Send(PortId(port), message) => {
                        moved = true;
                        let (table, place) = self.ports[port as usize];
                        let mut frame = [0; MAX_FRAME];
                        let used = encode(Address::POINT_TO_POINT, &message, &mut frame)
                            .expect("what a host says fits into a frame");
                        self.tables[table].on_bytes(place, &frame[..used]);
                    }
                    Output::Keep(_, observation) => {
                        self.kept.push_back((Instant::now(), observation));
                        self.upstream.on_durable([observation]);
                    }
                    // Lines of memory do neither.
                    Output::Fault(..) | Output::Untellable(..) => {}
                }
            }
            if let Some(last) = self.upstream.next().before().filter(|_| self.upstream.next() > next) {
                self.hub.on_durable(last);
                moved = true;
            }
            if !moved {
                return;
            }
        }
    }

    /// The next observations to send, sealed.
    pub(super) fn due(&mut self, now: Now) -> Option<Publication> {
        let run = self.upstream.poll(now.wait)?;
        let start = run.first.distance_from(self.oldest) as usize;
        let items = self.kept.range(start..start + run.count as usize).map(|(_, it)| *it).collect();
        Some(self.upstream.observations(run.first, items))
    }

    /// A message of the server's came.
    pub(super) fn on_message(&mut self, payload: &[u8], now: Now) -> Answer {
        match self.upstream.on_message(payload, now.wait) {
            Ok(Heard::Kept(upto)) => {
                let count = upto.plus(1).distance_from(self.oldest) as usize;
                self.oldest = upto.plus(1);
                Answer::Acknowledged(self.kept.drain(..count).map(|(since, _)| since.elapsed()).collect())
            }
            Ok(Heard::Order { device, id, command, .. }) => {
                self.hub.on_command(device, id, command, now);
                self.exchange(now);
                Answer::Nothing
            }
            // No firmware is offered to virtual tables.
            Ok(Heard::Offer { .. } | Heard::Nothing) => Answer::Nothing,
            Ok(Heard::ForeignAck(upto)) => {
                Answer::Wrong(format!("the server acknowledges number {}, which was never sent", upto.0))
            }
            Ok(Heard::Behind(from)) => {
                Answer::Wrong(format!("the server lacks what it had acknowledged, from number {} on", from.0))
            }
            Err(error) => Answer::Wrong(error.to_string()),
        }
    }

    /// Who is there and what the clocks show.
    pub(super) fn beats(&self) -> Vec<Beat> {
        self.hub.beats()
    }

    /// How many observations were kept since this was asked last.
    pub(super) fn take_kept(&mut self) -> u64 {
        let next = self.upstream.next();
        next.distance_from(std::mem::replace(&mut self.told, next))
    }

    /// Observations that the server has not acknowledged.
    pub(super) fn backlog(&self) -> u64 {
        self.kept.len() as u64
    }

    /// Games that have ended since this was asked last.
    pub(super) fn take_played(&mut self) -> u64 {
        self.tables.iter_mut().map(|table| std::iter::from_fn(|| table.take_played()).count() as u64).sum()
    }
}
