//! One emulated controller of a table: what its sensors show, who touches it, what befalls it.

use std::collections::{BTreeMap, VecDeque};

use device::Contact;
use firmware_proto::{Cell, FrameReader, FromDevice, PlayerSignal, Reading};

use super::Chips;
use crate::table::PortKind;

/// How long a finger stays on a lever or a button, ms …
const TOUCH: i64 = 150;

/// … and on the one for resigning, which has to be held.
const HELD: i64 = 2_500;

/// Power that has gone comes back after so many ms.
const POWERLESS: i64 = 1_000;

/// What befalls a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mishap {
    /// It is reset.
    Reset,
    /// Its power goes.
    PowerCut,
}

pub(crate) struct Controller {
    kind: PortKind,
    /// Its chip's place on the line.
    place: usize,
    /// What its cells show now.
    cells: [Reading; Cell::COUNT],
    contacts: u8,
    /// When fingers leave contacts.
    releases: VecDeque<(i64, u8)>,
    /// When its power comes back.
    power_on: Option<i64>,
    reader: FrameReader<FromDevice>,
    /// The highest record number heard of each start.
    made: BTreeMap<u32, u32>,
}

impl Controller {
    pub(crate) fn new(kind: PortKind, place: usize) -> Controller {
        Controller {
            kind,
            place,
            cells: [Reading::EMPTY; Cell::COUNT],
            contacts: 0,
            releases: VecDeque::new(),
            power_on: None,
            reader: FrameReader::new(),
            made: BTreeMap::new(),
        }
    }

    /// What its cells show from this ms of the table on. Whether a piece was lifted.
    pub(crate) fn show(&mut self, cells: &[Reading; Cell::COUNT], at: i64, chips: &Chips) -> bool {
        if self.kind == PortKind::Clock || *cells == self.cells {
            return false;
        }
        let lifted = cells.iter().zip(&self.cells).any(|(now, before)| now.is_empty() && !before.is_empty());
        self.cells = *cells;
        let digits = cells.iter().map(|reading| reading.0.to_string()).collect::<String>();
        chips.allow(at);
        chips.command(format!("cells {} {digits}", self.place));
        lifted
    }

    /// A player touches a contact.
    pub(crate) fn touch(&mut self, contact: Contact, at: i64, chips: &Chips) {
        let Some(bit) = Contact::ALL.iter().position(|known| *known == contact) else { return };
        if self.kind == PortKind::Board {
            return;
        }
        let held = match contact {
            Contact::Button(_, PlayerSignal::Resign) => HELD,
            Contact::Lever(_) | Contact::Button(_, PlayerSignal::Draw | PlayerSignal::CallArbiter) => TOUCH,
        };
        self.releases.push_back((at + held, 1 << bit));
        self.close(self.contacts | 1 << bit, at, chips);
    }

    /// Lets time pass: fingers leave contacts, power comes back.
    pub(crate) fn poll(&mut self, at: i64, chips: &Chips) {
        let mut closed = self.contacts;
        self.releases.retain(|&(release, bit)| {
            let due = release <= at;
            closed &= if due { !bit } else { u8::MAX };
            !due
        });
        if closed != self.contacts {
            self.close(closed, at, chips);
        }
        if self.power_on.is_some_and(|on| on <= at) {
            self.power_on = None;
            chips.allow(at);
            chips.command(format!("power {} on", self.place));
        }
    }

    /// When something is due next.
    pub(crate) fn poll_timeout(&self) -> Option<i64> {
        self.releases.iter().map(|(at, _)| *at).chain(self.power_on).min()
    }

    /// Its power goes once it has written so many more bytes to its flash.
    pub(crate) fn cut_in_write(&self, bytes: u32, chips: &Chips) {
        chips.command(format!("power {} cut {bytes}", self.place));
    }

    /// This befalls it now.
    pub(crate) fn befall(&self, mishap: Mishap, chips: &Chips) {
        chips.command(match mishap {
            Mishap::Reset => format!("reset {}", self.place),
            Mishap::PowerCut => format!("power {} off", self.place),
        });
    }

    /// Its power has gone.
    pub(crate) fn on_off(&mut self, at: i64) {
        self.power_on = Some(at + POWERLESS);
        self.reader = FrameReader::new();
    }

    /// It sent these bytes, whether anybody hears them or not.
    pub(crate) fn on_sent(&mut self, bytes: &[u8]) {
        let mut said = Vec::new();
        self.reader.push_all(bytes, |heard| said.extend(heard.ok()));
        said.iter().for_each(|(_, message)| self.on_said(message));
    }

    /// It said this.
    pub(crate) fn on_said(&mut self, message: &FromDevice) {
        if let FromDevice::Record(boot, record) = message {
            let highest = self.made.entry(boot.0).or_default();
            *highest = record.seq.0.max(*highest);
        }
    }

    /// Records that it sent, over all its starts.
    pub(crate) fn records_made(&self) -> u64 {
        self.made.values().map(|highest| u64::from(*highest)).sum()
    }

    fn close(&mut self, contacts: u8, at: i64, chips: &Chips) {
        self.contacts = contacts;
        chips.allow(at);
        chips.command(format!("contacts {} {contacts}", self.place));
    }
}
