//! What a gateway decides, without I/O: who hangs on which port, which record is the next one, what time it
//! happened, when to acknowledge, which commands are under way.
//!
//! Ports come and go and may swap; a device is known by what its Hello says. Bytes go in, observations and
//! messages come out ([`Output`]). Nothing is acknowledged before [`Hub::on_durable`] said that it is kept.

mod device;
mod port;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
mod update;

use std::collections::{BTreeMap, VecDeque};

use firmware_proto::delivery::{Number, Receipt, Run};
use firmware_proto::{
    Beat, Body, BootId, CmdId, Command, DeviceUid, Epoch, Fault, FromDevice, HealthFault, Hello, Left, Link,
    LinkFault, Millis, Observation, Record, Seq, Sighting, StreamSeq, ToDevice,
};

use crate::store::Known;
use device::Device;
use port::Port;
pub use update::CannotUpdate;
use update::Updates;

/// A port is asked who hangs on it, and a device for its time, so often.
const ASK: Millis = Millis(1_000);

/// A device that says nothing for so long is gone, though its port is open.
const SILENCE: Millis = Millis(3_000);

/// A command is handed over again when it was not answered for so long.
const COMMAND_RETRY: Millis = Millis(500);

/// A message without a question took no longer than this on its way, venue milliseconds at speed 1.
const UNASKED_DELAY: i64 = 1_000;

/// A port of this gateway; numbers are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub u32);

/// The present: for waiting, a counter of real milliseconds; for stamping, venue time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Real milliseconds since any instant.
    pub wait: Millis,
    /// Venue time.
    pub venue: Epoch,
}

/// What a hub wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Send this on that port.
    Send(PortId, ToDevice),
    /// Keep this observation; it is number so-and-so of the gateway's stream.
    Keep(StreamSeq, Observation),
    /// This came on that port and made no sense.
    Fault(PortId, Fault),
    /// This device started anew with an old start number: its records would pass for old ones. They are dropped.
    Untellable(PortId, DeviceUid, BootId),
}

/// Who hangs where, what comes next, what may be acknowledged: all that a gateway decides, without I/O.
#[derive(Debug)]
pub struct Hub {
    ports: BTreeMap<PortId, Port>,
    devices: BTreeMap<DeviceUid, Device>,
    next: StreamSeq,
    out: VecDeque<Output>,
    updates: Updates,
}

impl Hub {
    /// A hub that knows what its store knows.
    #[must_use]
    pub fn new(known: &Known) -> Hub {
        let device = |(uid, (boot, next)): (&DeviceUid, &(BootId, Seq))| {
            let dated =
                known.dated.get(uid).filter(|(of, ..)| of == boot).map(|(_, at, stamp)| (*at, *stamp));
            (*uid, Device::kept(*boot, *next).dated(dated))
        };
        Hub {
            ports: BTreeMap::new(),
            devices: known.devices.iter().map(device).collect(),
            next: known.next,
            out: VecDeque::new(),
            updates: Updates::default(),
        }
    }

    /// The gateway starts. Until a device says hello it is gone: what it and the others did meanwhile comes in
    /// later, and who puts their stories in order must know whose is still missing.
    pub fn on_start(&mut self, now: Epoch) {
        for uid in self.devices.keys().copied().collect::<Vec<_>>() {
            self.keep(uid, now, Sighting::Detached);
        }
    }

    /// A port was opened.
    pub fn on_open(&mut self, port: PortId, now: Now) {
        self.ports.insert(port, Port::new(now.wait));
        self.send(port, ToDevice::Identify);
    }

    /// A device of a shared line was found: it is a port of its own.
    pub fn on_join(&mut self, port: PortId, now: Now) {
        self.on_open(port, now);
        if let Some(port) = self.ports.get_mut(&port) {
            port.shared_line = true;
        }
    }

    /// A port closed.
    pub fn on_close(&mut self, port: PortId, now: Now) {
        if let Some(closed) = self.ports.remove(&port)
            && let Some(uid) = closed.device
        {
            self.detach(uid, now);
        }
    }

    /// Bytes came.
    pub fn on_bytes(&mut self, port: PortId, bytes: &[u8], now: Now) {
        for &byte in bytes {
            let Some(at) = self.ports.get_mut(&port) else { return };
            match at.reader.push(byte) {
                Some(Ok((_, message))) => self.on_said(port, message, now),
                Some(Err(fault)) => self.out.push_back(Output::Fault(port, fault)),
                None => {}
            }
        }
    }

    /// The device on a port said this: what [`Hub::on_bytes`] finds by itself in what comes on a port.
    pub fn on_said(&mut self, port: PortId, message: FromDevice, now: Now) {
        if let Some(at) = self.ports.get_mut(&port) {
            at.hears(now.wait);
            self.on_message(port, message, now);
        }
    }

    /// Everything up to this number of the gateway's stream is on the disk: devices may forget it.
    pub fn on_durable(&mut self, upto: StreamSeq) {
        let mut acks = vec![];
        for device in self.devices.values_mut() {
            if device.on_durable(upto)
                && let Some(port) = device.port
            {
                acks.extend(device.ack().map(|ack| (port, ack)));
            }
        }
        for (port, ack) in acks {
            self.send(port, ack);
        }
    }

    /// The server has a command for a device. One that is not there now gets it when the server repeats it.
    pub fn on_command(&mut self, uid: DeviceUid, id: CmdId, command: Command, now: Now) {
        if let Some(device) = self.devices.get_mut(&uid)
            && let Some(port) = device.port
            && device.take_command(id, command, now.wait.plus(COMMAND_RETRY))
        {
            self.send(port, ToDevice::Command(id, command));
        }
    }

    /// Time passed.
    pub fn poll(&mut self, now: Now) {
        let silent: Vec<PortId> =
            self.ports.iter().filter(|(_, port)| port.is_silent(now.wait)).map(|(id, _)| *id).collect();
        for id in silent {
            let Some(port) = self.ports.get_mut(&id) else { continue };
            port.hears(now.wait);
            if let Some(uid) = port.device.take() {
                self.detach(uid, now);
            }
        }
        let mut asks = vec![];
        for (id, port) in &mut self.ports {
            asks.extend(port.poll(now).map(|ask| (*id, ask)));
        }
        for device in self.devices.values_mut() {
            if let Some(port) = device.port {
                asks.extend(device.commands_due(now.wait, COMMAND_RETRY).map(|message| (port, message)));
            }
        }
        for (port, message) in asks {
            self.send(port, message);
        }
        self.poll_update(now);
        self.poll_offer(now);
    }

    /// When [`Hub::poll`] wants to be called although nothing happened, and why.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        let ports = self.ports.values().map(Port::poll_timeout);
        let devices = self.devices.values().filter_map(Device::poll_timeout);
        ports
            .chain(devices)
            .chain(self.updates.poll_timeout())
            .reduce(|one, other| if other.0.reached(one.0) { one } else { other })
    }

    /// What it wants done.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// Who is there and what the clocks showed last.
    #[must_use]
    pub fn beats(&self) -> Vec<Beat> {
        self.devices.iter().filter_map(|(uid, device)| device.beat(*uid)).collect()
    }

    /// Every device that was ever there.
    pub fn devices(&self) -> impl Iterator<Item = DeviceUid> + '_ {
        self.devices.keys().copied()
    }

    /// Of these the ones that said last that their records would not outlive a power cut.
    pub fn unkept(&self) -> impl Iterator<Item = DeviceUid> + '_ {
        self.devices.iter().filter(|(_, device)| device.unkept).map(|(uid, _)| *uid)
    }

    /// Who hangs on a port.
    #[must_use]
    pub fn device_at(&self, port: PortId) -> Option<DeviceUid> {
        self.ports.get(&port)?.device
    }

    /// How the device on a port greeted last, with the records that are still to come from it.
    #[must_use]
    pub fn greeting_at(&self, port: PortId) -> Option<Hello> {
        let device = self.devices.get(&self.device_at(port)?)?;
        let (oldest, next) = (device.inbox.expected(), device.announced);
        device.hello.map(|hello| Hello { oldest, next, ..hello })
    }

    /// How a port is, under the name that its owner gives it. `lost` is the owner's to count.
    #[must_use]
    pub fn link(&self, port: PortId, name: &str) -> Link {
        let mut link = Link::from(LinkFault { port: name.to_owned(), ..LinkFault::default() });
        if let Some(port) = self.ports.get(&port) {
            link.fault.frames = port.reader.faults();
            link.fault.repeated = port.repeated;
            link.fault.asked_again = port.asked_again;
            link.device = port.device;
            link.resets = port.resets;
            link.worst_gap = port.worst_gap;
        }
        link
    }

    fn on_message(&mut self, port: PortId, message: FromDevice, now: Now) {
        match message {
            FromDevice::Hello(hello) => return self.on_hello(port, hello, now),
            FromDevice::Left(hello, left) => return self.on_left(port, hello.uid, left, now),
            FromDevice::Record(..)
            | FromDevice::Beat { .. }
            | FromDevice::Done(_)
            | FromDevice::TimeSync { .. }
            | FromDevice::Update(_) => {}
        }
        let Some(uid) = self.device_at(port) else {
            // Someone who has not said who he is: he was asked, and is asked again in a second.
            return;
        };
        match message {
            FromDevice::Hello(_) | FromDevice::Left(..) => {}
            FromDevice::Record(boot, record) => self.on_record(port, uid, boot, record, now),
            FromDevice::Beat { boot, next_seq, at, face } => {
                let Some(device) = self.devices.get_mut(&uid) else { return };
                // It speaks of its present start, which is not told of yet.
                if device.catches_up {
                    return;
                }
                if device.boot != boot {
                    return self.send(port, ToDevice::Identify);
                }
                device.announced = device.announced.max(next_seq);
                device.face = face;
                device.estimate.on_message(at, now.venue, UNASKED_DELAY);
                device.beaten = device.venue(at, now.venue);
            }
            FromDevice::Done(done) => {
                if self.devices.get_mut(&uid).is_some_and(|device| device.on_done(done.command)) {
                    self.keep(uid, now.venue, Sighting::Done(done));
                }
            }
            FromDevice::TimeSync { token, at } => {
                let asked = self.ports.get(&port).and_then(|port| port.asked_at(token));
                if let (Some(asked), Some(device)) = (asked, self.devices.get_mut(&uid))
                    && !device.catches_up
                {
                    device.estimate.on_trip(asked, at, now.venue);
                }
            }
            FromDevice::Update(state) => {
                let steps = self.updates.on_state(uid, state, now.wait);
                self.tell_update(uid, steps);
            }
        }
    }

    /// This device hangs on this port from now on; whether it was there before. `boot`: the start that comes first if
    /// it was never seen.
    fn plug(&mut self, port: PortId, uid: DeviceUid, boot: BootId, now: Now) -> bool {
        // Another device hung here before: the cable was moved without the port closing.
        if let Some(before) = self.device_at(port)
            && before != uid
        {
            self.detach(before, now);
        }
        let device = self.devices.entry(uid).or_insert_with(|| Device::kept(boot, Seq::FIRST));
        // It hung on another port: that one must find out anew who is there.
        let before = device.port.replace(port);
        if let Some(before) = before.filter(|before| *before != port)
            && let Some(port) = self.ports.get_mut(&before)
        {
            port.device = None;
        }
        if let Some(port) = self.ports.get_mut(&port) {
            port.device = Some(uid);
        }
        before.is_some()
    }

    /// A device has records of an earlier start to hand over. They are taken as if that start still lasted, and the device
    /// is attached when it greets with nothing left: so everything stands in the stream in the order in which it happened.
    fn on_left(&mut self, port: PortId, uid: DeviceUid, left: Left, now: Now) {
        self.plug(port, uid, left.boot, now);
        let device = self.devices.get_mut(&uid).expect("plugged in above");
        // Whoever puts stories in order must know that this one's is not complete.
        let begins = !std::mem::replace(&mut device.catches_up, true);
        device.hello = None;
        let mut lost = vec![];
        let ack = if left.boot < device.boot {
            // A start after it has been seen here: it was taken, or given up, before that one began.
            left.next.before().map(|upto| ToDevice::Ack { boot: left.boot, upto })
        } else {
            if left.boot > device.boot {
                lost.extend(device.start_anew(left.boot));
                device.catches_up = true;
            }
            device.date(&left, now.venue);
            device.announced = device.announced.max(left.next);
            lost.extend(device.inbox.give_up_until(left.oldest).map(|run| (left.boot, run)));
            device.ack()
        };
        if begins {
            self.keep(uid, now.venue, Sighting::Detached);
        }
        for (boot, run) in lost {
            self.keep_gap(uid, now.venue, boot, run);
        }
        if let Some(ack) = ack {
            self.send(port, ack);
        }
    }

    fn on_hello(&mut self, port: PortId, hello: Hello, now: Now) {
        let uid = hello.uid;
        let was_plugged = self.plug(port, uid, hello.boot, now);
        let device = self.devices.get_mut(&uid).expect("plugged in above");
        let has_caught_up = std::mem::take(&mut device.catches_up);
        let was_there = was_plugged && !has_caught_up && device.boot == hello.boot;
        let mut lost = vec![];
        if device.boot != hello.boot {
            lost.extend(device.start_anew(hello.boot));
            if let Some(port) = self.ports.get_mut(&port) {
                port.resets += 1;
            }
        }
        if hello.next < device.inbox.expected() {
            self.out.push_back(Output::Untellable(port, uid, hello.boot));
        }
        device.announced = device.announced.max(hello.next);
        device.hello = Some(hello);
        device.estimate.on_message(hello.at, now.venue, UNASKED_DELAY);
        device.beaten = now.venue;
        if let Some(run) = device.inbox.give_up_until(hello.oldest) {
            lost.push((hello.boot, run));
        }
        let ack = device.ack();
        // A loss in the start before is told before the new start.
        let (old, own): (Vec<_>, Vec<_>) = lost.into_iter().partition(|(boot, _)| *boot != hello.boot);
        for (boot, run) in old {
            self.keep_gap(uid, now.venue, boot, run);
        }
        if !was_there {
            self.keep(uid, now.venue, Sighting::Attached(hello));
        }
        for (boot, run) in own {
            self.keep_gap(uid, now.venue, boot, run);
        }
        if let Some(ack) = ack {
            self.send(port, ack);
        }
        let steps = self.updates.on_hello(&hello, now.wait);
        self.tell_update(uid, steps);
    }

    fn on_record(&mut self, port: PortId, uid: DeviceUid, boot: BootId, record: Record, now: Now) {
        let (Some(device), Some(at)) = (self.devices.get_mut(&uid), self.ports.get_mut(&port)) else {
            return;
        };
        if device.boot != boot {
            return self.send(port, ToDevice::Identify);
        }
        match device.inbox.on_item(record.seq) {
            Receipt::Apply { .. } => {
                device.announced = device.announced.max(record.seq.plus(1));
                let stamp = device.stamp(record.at, now.venue);
                device.undurable.push_back((self.next, record.seq));
                if let Body::Health(HealthFault::Unkept(is)) = record.body {
                    device.unkept = is;
                }
                self.keep(uid, stamp, Sighting::Record(boot, record));
            }
            Receipt::Repeated => {
                at.repeated += 1;
                if let Some(ack) = device.ack() {
                    self.send(port, ack);
                }
            }
            Receipt::Gap { ask } => {
                if ask {
                    at.asked_again += 1;
                    let from = device.inbox.expected();
                    self.send(port, ToDevice::Nak { boot, from });
                }
            }
        }
    }

    fn detach(&mut self, uid: DeviceUid, now: Now) {
        let Some(device) = self.devices.get_mut(&uid) else { return };
        let was_there = !device.catches_up;
        device.detach();
        self.updates.on_gone(uid);
        if was_there {
            self.keep(uid, now.venue, Sighting::Detached);
        }
    }

    fn keep_gap(&mut self, uid: DeviceUid, at: Epoch, boot: BootId, run: Run<Seq>) {
        let to = run.first.plus(run.count - 1);
        self.keep(uid, at, Sighting::Gap { boot, from: run.first, to });
    }

    fn keep(&mut self, device: DeviceUid, at: Epoch, sighting: Sighting) {
        self.out.push_back(Output::Keep(self.next, Observation { device, at, sighting }));
        self.next = self.next.plus(1);
    }

    fn send(&mut self, port: PortId, message: ToDevice) {
        self.out.push_back(Output::Send(port, message));
    }
}
