//! A table that runs, and its ports.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use firmware_proto::{DeviceUid, FromDevice, SensingKind};
use tokio::sync::mpsc;

use super::line::{Line, open_line};
use super::{Came, Happens};
use crate::emulator::{Chips, Controller, Emulation, Mishap, Told};
use crate::table::{PortKind, TableConfig, VirtualTable};
use crate::truth::PlayedGame;

/// A line that nobody reads is given up on after so many bytes; what was lost is sent again.
const PENDING: usize = 16 * 1024;

/// While hands stand still, time comes to nothing of theirs, ms.
const NOTHING: i64 = 1_000;

pub(super) struct Running {
    number: u16,
    sensing: SensingKind,
    pub table: VirtualTable,
    pub ports: Vec<Port>,
    /// What is to befall its controllers as soon as a piece is lifted.
    awaited: Option<Mishap>,
    /// Since when its hands stand still, ms.
    still_since: Option<i64>,
    /// How long they stood still before, ms: so much later they are than the venue's time.
    late: i64,
}

pub(super) struct Port {
    kind: PortKind,
    /// Where it is named; `None`: it has no line of its own.
    link: Option<PathBuf>,
    /// `None` while the cable is pulled.
    line: Option<Line>,
    /// When it is plugged in again.
    plug_in: Option<Instant>,
    /// What did not fit into the line yet.
    pending: Vec<u8>,
    /// What speaks here in the place of the table's own device.
    emulated: Option<(Controller, Arc<Chips>)>,
}

impl Drop for Port {
    fn drop(&mut self) {
        // The link is of no use without the process; that it may be gone already is fine.
        let _ = self.link.as_ref().map(fs::remove_file);
    }
}

impl Port {
    pub fn open(kind: PortKind, link: PathBuf) -> anyhow::Result<Port> {
        let mut port = Port::without_line(kind);
        port.line = Some(open_line(&link)?);
        port.link = Some(link);
        Ok(port)
    }

    /// Of a table whose controller hangs on another one's line.
    pub const fn without_line(kind: PortKind) -> Port {
        Port { kind, link: None, line: None, plug_in: None, pending: Vec::new(), emulated: None }
    }

    pub const fn line(&self) -> Option<&Line> {
        self.line.as_ref()
    }

    /// Whether something waits for the line to take it, or for the cable.
    pub fn is_blocked(&self) -> bool {
        !self.pending.is_empty() || self.plug_in.is_some()
    }

    /// Plugs the cable in again if it is time. The new line, if so.
    pub fn plug_in(&mut self, now: Instant) -> anyhow::Result<Option<&Line>> {
        if self.plug_in.is_none_or(|at| at > now) {
            return Ok(None);
        }
        self.plug_in = None;
        self.line = self.link.as_deref().map(open_line).transpose()?;
        Ok(self.line.as_ref())
    }

    /// Bytes for the gateway: on a cable that is not plugged in they are lost.
    pub fn carry(&mut self, bytes: &[u8]) {
        if self.line.is_some() {
            self.pending.extend_from_slice(bytes);
        }
    }

    fn pull(&mut self, until: Instant) {
        self.line = None;
        self.plug_in = Some(until);
        self.pending.clear();
    }
}

impl Running {
    pub fn new(config: TableConfig, ports: Vec<Port>) -> Running {
        let (number, sensing) = (config.table, config.sensing);
        Running {
            number,
            sensing,
            table: VirtualTable::new(config),
            ports,
            awaited: None,
            still_since: None,
            late: 0,
        }
    }

    /// The table's number.
    pub const fn number(&self) -> u16 {
        self.number
    }

    /// Lets real firmware speak on its ports.
    pub fn emulate(
        &mut self,
        place: usize,
        emulation: &Emulation,
        uids: impl Iterator<Item = DeviceUid>,
        came: &mpsc::Sender<Came>,
    ) -> anyhow::Result<()> {
        for (number, (port, uid)) in self.ports.iter_mut().zip(uids).enumerate() {
            let told = move |told| Came::Told((place, number), told);
            let program = emulation.binary(port.kind, self.sensing)?;
            let chips = Chips::start(emulation, &program, &[uid], self.sensing, came.clone(), told)?;
            port.emulated = Some((Controller::new(port.kind, 0), Arc::new(chips)));
        }
        Ok(())
    }

    /// Its controller is the one at this place among these chips, on a line that they share.
    pub fn share(&mut self, place: usize, chips: &Arc<Chips>) {
        for port in &mut self.ports {
            port.emulated = Some((Controller::new(port.kind, place), Arc::clone(chips)));
        }
    }

    /// What its boards sense.
    pub const fn sensing(&self) -> SensingKind {
        self.sensing
    }

    /// Lets time pass: what the hands do goes to emulated controllers in its order and at its time.
    pub fn poll(&mut self, at: i64) {
        if self.is_emulated() {
            while let Some(next) = Some(self.next_instant(at)).filter(|next| *next < at) {
                self.step(next);
            }
        }
        self.step(at);
        self.emulated().for_each(|(_, chips)| chips.follow(at));
        self.flush();
    }

    fn step(&mut self, at: i64) {
        if self.still_since.is_none() {
            self.table.poll(at - self.late);
        }
        if !self.is_emulated() {
            return;
        }
        let touched: Vec<_> = std::iter::from_fn(|| self.table.take_touched()).collect();
        let sensed = *self.table.sensed();
        let mut lifted = false;
        for (controller, chips) in self.emulated() {
            lifted |= controller.show(&sensed, at, chips);
            controller.poll(at, chips);
            touched.iter().for_each(|contact| controller.touch(*contact, at, chips));
        }
        if lifted && let Some(mishap) = self.awaited.take() {
            self.emulated().for_each(|(controller, chips)| controller.befall(mishap, chips));
        }
    }

    /// When hands, fingers or power do something next.
    fn next_instant(&self, at: i64) -> i64 {
        let hands = match self.still_since {
            None => self.table.poll_timeout() + self.late,
            Some(_) => at + NOTHING,
        };
        let controllers = self.controllers().filter_map(Controller::poll_timeout);
        controllers.fold(hands, i64::min)
    }

    /// When it wants to be polled next.
    pub fn poll_timeout(&self, at: i64) -> i64 {
        let chips = self.ports.iter().filter_map(|port| port.emulated.as_ref());
        chips.map(|(_, chips)| chips.next_step()).fold(self.next_instant(at), i64::min)
    }

    /// So far its time may come: the slowest chip is there soon.
    pub fn horizon(&self) -> i64 {
        let chips = self.ports.iter().filter_map(|port| port.emulated.as_ref());
        chips.map(|(_, chips)| chips.horizon()).min().unwrap_or(i64::MAX)
    }

    /// Something happens to it.
    pub fn happens(&mut self, what: Happens, at: i64) {
        match what {
            Happens::Pull(outage) => {
                let until = Instant::now() + outage;
                self.ports.iter_mut().for_each(|port| port.pull(until));
            }
            Happens::GoOn => {
                self.late += self.still_since.take().map_or(0, |since| at - since);
            }
            Happens::PowerCutInWrite(bytes) => {
                self.emulated().for_each(|(controller, chips)| controller.cut_in_write(bytes, chips));
            }
            Happens::Reset => self.awaited = Some(Mishap::Reset),
            Happens::PowerCut => self.awaited = Some(Mishap::PowerCut),
        }
    }

    /// Bytes came from the gateway.
    pub fn on_heard(&mut self, port: usize, bytes: &[u8], at: i64) {
        self.on_seen(port, bytes, at);
        self.hand_on(port, bytes);
    }

    /// The hands see what the gateway has to say to their device.
    pub fn on_seen(&mut self, port: usize, bytes: &[u8], at: i64) {
        self.poll(at);
        self.table.on_bytes(port, bytes);
    }

    /// Emulated controllers hear what the gateway has to say.
    pub fn hand_on(&self, port: usize, bytes: &[u8]) {
        if let Some((_, chips)) = self.ports.get(port).and_then(|port| port.emulated.as_ref()) {
            chips.on_bytes(bytes);
        }
    }

    /// Its controller said this on a line that it shares with others.
    pub fn on_said(&mut self, message: &FromDevice) {
        self.emulated().for_each(|(controller, _)| controller.on_said(message));
    }

    /// Something is told of an emulated controller.
    pub fn on_told(&mut self, port: usize, told: Told, at: i64) {
        let Some(port) = self.ports.get_mut(port) else { return };
        let Some((controller, chips)) = &mut port.emulated else { return };
        match told {
            Told::Sent(bytes) => {
                controller.on_sent(&bytes);
                port.carry(&bytes);
            }
            Told::Off(_) => {
                controller.on_off(at);
                self.still_since.get_or_insert(at);
            }
            Told::Reached(at) => chips.on_reached(at),
        }
    }

    /// A game that has ended, if one has.
    pub fn take_played(&mut self) -> Option<PlayedGame> {
        self.table.take_played()
    }

    /// Records that its devices have made.
    pub fn records_made(&self) -> u64 {
        if self.is_emulated() {
            self.controllers().map(Controller::records_made).sum()
        } else {
            self.table.records_made()
        }
    }

    /// Writes what the devices have to say, as far as the lines take it.
    pub fn flush(&mut self) {
        for (index, port) in self.ports.iter_mut().enumerate() {
            if port.emulated.is_some() {
                // What the table's own device says is not for the gateway.
                self.table.take_output(index, &mut Vec::new());
            }
            let Some(line) = &port.line else { continue };
            loop {
                if port.pending.is_empty() && port.emulated.is_none() {
                    self.table.take_output(index, &mut port.pending);
                }
                if port.pending.is_empty() {
                    break;
                }
                let mut file: &fs::File = line.fd.get_ref();
                match file.write(&port.pending) {
                    Ok(written) => drop(port.pending.drain(..written)),
                    // Full, or nobody there: the rest waits, or is sent again later.
                    Err(_) => {
                        if port.pending.len() > PENDING {
                            port.pending.clear();
                        }
                        break;
                    }
                }
            }
        }
    }

    fn is_emulated(&self) -> bool {
        self.ports.iter().any(|port| port.emulated.is_some())
    }

    fn emulated(&mut self) -> impl Iterator<Item = &mut (Controller, Arc<Chips>)> {
        self.ports.iter_mut().filter_map(|port| port.emulated.as_mut())
    }

    fn controllers(&self) -> impl Iterator<Item = &Controller> {
        self.ports.iter().filter_map(|port| port.emulated.as_ref()).map(|(controller, _)| controller)
    }
}
