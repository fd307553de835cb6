//! The hub in the shell: what comes from ports and from whoever asks goes in, what it wants done is done.

use std::collections::BTreeMap;
use std::time::Instant;

use firmware_proto::progress::{Outcome, Stage};
use firmware_proto::{Body, DeviceUid, Fault, HealthFault, Observation, Record, Sighting};
use tokio::sync::{mpsc, watch};
use tracing::{error, info, warn};

use crate::hub::{Hub, Now, Output};
use crate::links::{Light, Links};
use crate::metrics::Downward;
use crate::ports::PortEvent;
use crate::rate::RateLimit;
use crate::socket::{Ask, UpdateReport};
use crate::store::writer::Request;
use crate::store::{Entry, Known};
use crate::uplink::{Order, Report};

/// Links are told with every so many-th beat.
const LINKS_EVERY: u64 = 5;

/// The hub, its ports, and what becomes of its outputs.
pub(crate) struct Shell {
    pub(crate) hub: Hub,
    links: Links,
    requests: mpsc::UnboundedSender<Request>,
    said: RateLimit<(String, &'static str)>,
    lights: BTreeMap<DeviceUid, Light>,
    reports: u64,
    watched: watch::Sender<Downward>,
    /// What was said in the log of the update's outcomes.
    outcomes: BTreeMap<DeviceUid, Outcome>,
}

impl Shell {
    pub(crate) fn new(
        known: &Known,
        requests: mpsc::UnboundedSender<Request>,
        watched: watch::Sender<Downward>,
    ) -> Shell {
        Shell {
            hub: Hub::new(known),
            links: Links::default(),
            requests,
            said: RateLimit::new(),
            lights: BTreeMap::new(),
            reports: 0,
            watched,
            outcomes: BTreeMap::new(),
        }
    }

    /// Somebody asks over the socket. Whoever does not wait for the answer goes without.
    pub(crate) fn on_ask(&mut self, ask: Ask, now: Now) {
        match ask {
            Ask::Devices(answer) => {
                let links = self.links.report(&self.hub);
                let lights = self.links.lights(&self.hub, &links, Instant::now());
                let _gone = answer.send(self.links.ports(&self.hub, &lights));
            }
            Ask::Update { firmware, bytes, named, answer } => {
                let begun = self.hub.begin_update(firmware, bytes, &named, now);
                if begun.is_ok() {
                    info!(version = firmware.version, made_for = %firmware.target, "update begins");
                    self.outcomes.clear();
                }
                let _gone = answer.send(begun);
            }
            Ask::Progress(answer) => {
                let _gone = answer.send(UpdateReport { devices: self.hub.update_progress() });
            }
            Ask::Stop(answer) => {
                self.hub.stop_update();
                let _gone = answer.send(());
            }
        }
    }

    /// The server wants something.
    pub(crate) fn on_order(&mut self, order: Order, now: Now) {
        match order {
            Order::Command(device, id, command) => self.hub.on_command(device, id, command, now),
            Order::Offer(offer) => self.hub.on_offer(offer, now),
        }
    }

    /// By so many seconds.
    pub(crate) fn wall_clock_was_set(&mut self, seconds: i64) {
        if let Some(held_back) = self.said.says((String::new(), "clock"), Instant::now()) {
            warn!(
                seconds,
                held_back,
                "the wall clock was set; times go on as before. Start the gateway again between two rounds"
            );
        }
    }

    pub(crate) fn on_port(&mut self, event: PortEvent, now: Now) {
        match event {
            PortEvent::Opened { port, name, sender } => {
                info!(port = name, "port opened");
                self.links.opened(port, name, sender);
                self.hub.on_open(port, now);
            }
            PortEvent::Joined { port, name, sender } => {
                info!(port = name, "found on a shared line");
                self.links.opened(port, name, sender);
                self.hub.on_join(port, now);
            }
            PortEvent::Bytes { port, bytes } => self.hub.on_bytes(port, &bytes, now),
            PortEvent::Message { port, message } => self.hub.on_said(port, message, now),
            PortEvent::Garbled { name, fault } => {
                self.links.total(&name).frames.count(fault);
                self.complain(&name, kind(fault), &fault.to_string());
            }
            PortEvent::Searched => {}
            PortEvent::Closed { port, name, reason } => {
                self.complain(&name, "closed", &reason);
                self.links.closed(&self.hub, port);
                self.links.shut(name, reason);
                self.hub.on_close(port, now);
            }
            PortEvent::Refused { name, reason } => {
                self.links.total(&name).lost += 1;
                self.complain(&name, "cannot be opened", &reason);
                self.links.shut(name, reason);
            }
        }
    }

    pub(crate) fn carry_out(&mut self) {
        let mut entries = vec![];
        while let Some(output) = self.hub.poll_output() {
            match output {
                Output::Send(port, message) => self.links.send(port, message),
                Output::Keep(_, observation) => {
                    self.tell(&observation);
                    entries.push(Entry::Observation(observation));
                }
                Output::Fault(port, fault) => {
                    let name = self.links.name(port);
                    self.complain(&name, kind(fault), &fault.to_string());
                }
                Output::Untellable(port, device, boot) => {
                    let name = self.links.name(port);
                    error!(
                        port = name, %device, %boot,
                        "this device started anew without counting its start: its records cannot be told from \
                         earlier ones and are dropped. Replace the device"
                    );
                }
            }
        }
        if !entries.is_empty() {
            self.requests.send(Request::Append(entries)).unwrap_or_else(|_| {
                error!("the store's thread ended: nothing is kept any more; restart the gateway")
            });
        }
    }

    fn tell(&self, observation: &Observation) {
        let device = observation.device;
        match observation.sighting {
            Sighting::Attached(hello) => {
                info!(%device, boot = %hello.boot, reset = ?hello.reset, "device attached")
            }
            Sighting::Detached => warn!(%device, "device gone"),
            Sighting::Gap { boot, from, to } => {
                warn!(%device, %boot, %from, %to, "records are lost for good: the device had no room, or was reset");
            }
            Sighting::Record(_, Record { body: Body::Health(HealthFault::Unkept(true)), .. }) => {
                warn!(%device, "its log of records is full: what is not yet here would not outlive a power cut of its");
            }
            Sighting::Record(..) | Sighting::Done(_) => {}
        }
    }

    fn complain(&mut self, port: &str, kind: &'static str, reason: &str) {
        if let Some(held_back) = self.said.says((port.to_owned(), kind), Instant::now()) {
            warn!(port, reason, held_back, "port: {kind}");
        }
    }

    /// Says what came of the update, device by device.
    fn tell_outcomes(&mut self) {
        for (device, progress) in self.hub.update_progress() {
            let Stage::Over(outcome) = progress.stage else { continue };
            if self.outcomes.insert(device, outcome) != Some(outcome) {
                match outcome.is_well() {
                    true => info!(%device, "update: {outcome}"),
                    false => warn!(%device, "update: {outcome}"),
                }
            }
        }
    }

    /// Who is there, and at every fifth time how the links are.
    pub(crate) fn report(&mut self) -> Report {
        self.reports += 1;
        let links = self.links.report(&self.hub);
        let lights = self.links.lights(&self.hub, &links, Instant::now());
        for (device, light) in &lights {
            match (self.lights.get(device), light) {
                (Some(before), light) if before == light => {}
                (_, Light::Green) => info!(%device, "device status: green"),
                (_, Light::Amber) => warn!(%device, "device status: amber, something went wrong on its link"),
                (_, Light::Red) => warn!(%device, "device status: red, it is not there"),
            }
        }
        self.lights.clone_from(&lights);
        self.tell_outcomes();
        let told = (self.reports % LINKS_EVERY == 1).then(|| links.clone());
        self.watched.send_replace(Downward { links, lights, unkept: self.hub.unkept().collect() });
        let offer = self.hub.offer_progress();
        Report { beats: self.hub.beats(), links: told, offer }
    }
}

fn kind(fault: Fault) -> &'static str {
    match fault {
        Fault::Garbage { .. } => "garbage",
        Fault::Overfull { .. } => "no frame ends",
        Fault::BadCrc => "wrong check sum",
        Fault::BadVersion { .. } => "unknown wire version",
        Fault::BadPayload => "unknown message",
    }
}
