//! A gateway: the real hub, the real uplink's machine and the real store on a folder, around them a disk that takes its
//! time, a wall clock that may be wrong, and a death at any instant with a torn write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use firmware_proto::delivery::Number;
use firmware_proto::{Address, Epoch, MAX_FRAME, Millis, Observation, Session, StreamSeq, encode};
use gateway::store::{Entry, Store};
use gateway::{Heard, Hub, Identity, Now, Output, PortId, Upstream};
use simulator::Dice;

use super::broker::{Broker, Client};
use super::line::Line;

/// Small, so that segments are begun and deleted in every schedule.
const SEGMENT: u64 = 2_000;

/// Beats go up so often, ms.
const BEAT: i64 = 1_000;

/// What lives only as long as the process.
struct Running {
    store: Store,
    hub: Hub,
    upstream: Upstream,
    started: i64,
    /// By how much the clock was wrong when it started: that is when it looks at it.
    clock_off: i64,
    /// Handed to the disk's thread, not on the disk yet.
    queued: Vec<Entry>,
    disk_at: Option<i64>,
    connection: Option<u64>,
    connect_at: i64,
    patience: i64,
    next_beat: i64,
    next_port: u32,
    /// Which device hangs on which port.
    ports: BTreeMap<PortId, usize>,
}

pub struct GatewayBox {
    pub index: usize,
    identity: Identity,
    folder: PathBuf,
    dice: Dice,
    running: Option<Running>,
    /// It does not run until then.
    pub paused_until: i64,
    pub start_at: i64,
    /// The disk takes nothing until then.
    pub disk_until: i64,
    /// By how much its wall clock is wrong.
    pub clock_off: i64,
    base: Epoch,
}

impl GatewayBox {
    pub fn new(index: usize, identity: Identity, folder: PathBuf, dice: Dice, base: Epoch) -> GatewayBox {
        GatewayBox {
            index,
            identity,
            folder,
            dice,
            running: None,
            paused_until: 0,
            start_at: 0,
            disk_until: 0,
            clock_off: 0,
            base,
        }
    }

    pub fn runs(&self, now: i64) -> bool {
        self.running.is_some() && now >= self.paused_until
    }

    pub fn is_alive(&self) -> bool {
        self.running.is_some()
    }

    pub fn backlog(&self) -> u64 {
        self.running.as_ref().map_or(1, |it| it.upstream.backlog() + it.queued.len() as u64)
    }

    /// Starts on what is in its folder.
    pub fn start(&mut self, now: i64) -> Result<(), String> {
        let session = Session((self.base.0 + now + self.clock_off).unsigned_abs());
        let opened = Store::open_with(&self.folder, session, SEGMENT).map_err(|error| error.to_string())?;
        let known = opened.store.known().clone();
        let mut hub = Hub::new(&known);
        hub.on_start(Epoch(self.base.0 + now + self.clock_off));
        self.running = Some(Running {
            upstream: Upstream::new(self.identity.clone(), &known, opened.store.oldest()),
            store: opened.store,
            hub,
            started: now,
            clock_off: self.clock_off,
            queued: Vec::new(),
            disk_at: None,
            connection: None,
            connect_at: now + self.dice.between(5, 100),
            patience: 100,
            next_beat: now + BEAT,
            next_port: 1,
            ports: BTreeMap::new(),
        });
        Ok(())
    }

    /// `kill -9`, or its power goes: what the disk had not taken is gone, or is there in part.
    pub fn kill(&mut self, now: i64, long: i64, broker: &mut Broker) -> Result<(), String> {
        self.start_at = now + long;
        self.paused_until = 0;
        let Some(mut running) = self.running.take() else { return Ok(()) };
        broker.drop_session(Client::Gateway(self.index), now);
        if !running.queued.is_empty() && now >= self.disk_until {
            let before = newest(&self.folder);
            running.store.append(&running.queued).map_err(|error| error.to_string())?;
            drop(running);
            let (path, length) = newest(&self.folder);
            let kept = if path == before.0 { before.1 } else { 0 };
            let cut = self.dice.between(kept as i64, length as i64) as u64;
            let file = std::fs::File::options().write(true).open(&path).map_err(|error| error.to_string())?;
            file.set_len(cut).map_err(|error| error.to_string())?;
            if self.dice.chance(0.3) && cut < length {
                // Blocks that were given to the file but not written.
                file.set_len(cut + self.dice.between(1, 64) as u64).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn now(&self, now: i64) -> Now {
        let (started, off) = self.running.as_ref().map_or((now, 0), |it| (it.started, it.clock_off));
        Now { wait: Millis((now - started) as u32), venue: Epoch(self.base.0 + now + off) }
    }

    /// A cable is plugged in.
    pub fn plug(&mut self, device: usize, now: i64) {
        let at = self.now(now);
        if let Some(it) = &mut self.running {
            let port = PortId(it.next_port);
            it.next_port += 1;
            it.ports.insert(port, device);
            it.hub.on_open(port, at);
        }
    }

    pub fn unplug(&mut self, device: usize, now: i64) {
        let at = self.now(now);
        if let Some(it) = &mut self.running
            && let Some(port) = it.ports.iter().find(|(_, it)| **it == device).map(|(port, _)| *port)
        {
            it.ports.remove(&port);
            it.hub.on_close(port, at);
        }
    }

    pub fn on_bytes(&mut self, device: usize, bytes: &[u8], now: i64) {
        let at = self.now(now);
        if let Some(it) = &mut self.running
            && let Some(port) = it.ports.iter().find(|(_, it)| **it == device).map(|(port, _)| *port)
        {
            it.hub.on_bytes(port, bytes, at);
        }
    }

    pub fn on_message(&mut self, payload: &[u8], now: i64, broker: &mut Broker) {
        let at = self.now(now);
        let Some(it) = &mut self.running else { return };
        match it.upstream.on_message(payload, at.wait) {
            Ok(Heard::Kept(upto)) => {
                // A file that cannot be deleted stays; nothing depends on it.
                let _stays = it.store.forget(upto);
            }
            Ok(Heard::Order { seen, device, id, command }) => {
                it.queued.push(seen);
                it.hub.on_command(device, id, command, at);
            }
            // No firmware is offered here.
            Ok(Heard::Offer { .. }) => {}
            Ok(Heard::Behind(from)) => {
                if let Some(gap) = it.upstream.rewind(from, it.store.oldest()) {
                    broker.publish(Client::Gateway(self.index), gap, now);
                }
            }
            Ok(Heard::ForeignAck(_) | Heard::Nothing) | Err(_) => {}
        }
    }

    /// Everything that is due. Bytes for devices go into `lines`.
    pub fn step(
        &mut self,
        now: i64,
        broker: &mut Broker,
        lines: &mut [Line],
        noise: i64,
    ) -> Result<(), String> {
        if self.running.is_none() && now >= self.start_at {
            self.start(now)?;
        }
        let at = self.now(now);
        let (index, disk_until) = (self.index, self.disk_until);
        let dice = &mut self.dice;
        let Some(it) = &mut self.running else { return Ok(()) };
        if it.hub.poll_timeout().is_some_and(|(due, _)| at.wait.reached(due)) {
            it.hub.poll(at);
        }
        // The disk.
        if it.disk_at.is_some_and(|due| due <= now) {
            it.disk_at = None;
            let entries = std::mem::take(&mut it.queued);
            it.store.append(&entries).map_err(|error| error.to_string())?;
            let items: Vec<Observation> = entries
                .into_iter()
                .filter_map(|entry| match entry {
                    Entry::Observation(observation) => Some(observation),
                    Entry::Checkpoint(_) | Entry::Started | Entry::ServerSeen(..) => None,
                })
                .collect();
            it.upstream.on_durable(items);
            let last = it.store.known().next.before().unwrap_or(StreamSeq(0));
            it.hub.on_durable(last);
        }
        while let Some(output) = it.hub.poll_output() {
            match output {
                Output::Send(port, message) => {
                    if let Some(&device) = it.ports.get(&port) {
                        let mut frame = [0; MAX_FRAME];
                        let used = encode(Address::POINT_TO_POINT, &message, &mut frame)
                            .map_err(|error| error.to_string())?;
                        lines[device].put(frame[..used].to_vec(), now, noise, dice);
                    }
                }
                Output::Keep(_, observation) => it.queued.push(Entry::Observation(observation)),
                Output::Fault(..) => {}
                Output::Untellable(_, device, boot) => {
                    return Err(format!(
                        "gateway {index}: the records of {device} in its start {boot} are dropped"
                    ));
                }
            }
        }
        if !it.queued.is_empty() && it.disk_at.is_none() {
            it.disk_at = Some((now + dice.between(1, 15)).max(disk_until));
        }
        // The broker.
        if it.connection.is_some_and(|generation| !broker.stands(Client::Gateway(index), generation)) {
            it.connection = None;
            it.connect_at = now + dice.between(10, 2_000);
        }
        if it.connection.is_none() && now >= it.connect_at {
            let will = it.upstream.connecting(at.venue);
            match broker.connect(Client::Gateway(index), Some(will), now) {
                Some(generation) => {
                    it.connection = Some(generation);
                    it.patience = 100;
                    let birth = it.upstream.on_connected(at.venue);
                    broker.publish(Client::Gateway(index), birth, now);
                }
                None => {
                    it.connect_at = now + it.patience;
                    it.patience = (2 * it.patience).min(3_000);
                }
            }
        }
        if it.connection.is_some() {
            while let Some(run) = it.upstream.poll(at.wait) {
                let mut items = it.upstream.held(run).unwrap_or_default();
                while items.len() < run.count as usize {
                    let (from, most) = (run.first.plus(items.len() as u32), run.count as usize - items.len());
                    let more = it.store.read(from, most).map_err(|error| error.to_string())?;
                    if more.is_empty() {
                        return Err(format!("gateway {index}: its store does not have {from:?}"));
                    }
                    items.extend(more);
                }
                let publication = it.upstream.observations(run.first, items);
                broker.publish(Client::Gateway(index), publication, now);
            }
            if now >= it.next_beat {
                let publication = it.upstream.beats(it.hub.beats());
                broker.publish(Client::Gateway(index), publication, now);
            }
        }
        if now >= it.next_beat {
            it.next_beat = now + BEAT;
        }
        Ok(())
    }

    /// When something is due.
    pub fn next(&self, now: i64) -> i64 {
        let Some(it) = &self.running else { return self.start_at };
        let at = self.now(now).wait;
        let waits = |due: Millis| now + i64::from(due.since(at).0.cast_signed()).max(1);
        let hub = it.hub.poll_timeout().map(|(due, _)| waits(due));
        let upstream = it.connection.and(it.upstream.poll_timeout()).map(|(due, _)| waits(due));
        let connect = it.connection.is_none().then_some(it.connect_at);
        let next =
            hub.into_iter().chain(upstream).chain(connect).chain(it.disk_at).fold(it.next_beat, i64::min);
        next.max(self.paused_until)
    }
}

/// The newest segment and its length.
fn newest(folder: &Path) -> (PathBuf, u64) {
    let segments = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let newest = segments.filter(|path| path.extension().is_some_and(|it| it == "log")).max();
    let newest = newest.unwrap_or_default();
    let length = std::fs::metadata(&newest).map_or(0, |it| it.len());
    (newest, length)
}
