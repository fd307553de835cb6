//! A table of the venue: hands, a board and a clock, with the device code between them and the wire. Sans I/O.

mod board;
mod config;
mod course;
mod installed;

use std::collections::VecDeque;

use device::Contact;
use firmware_proto::{Cell, MAX_FRAME, Reading};
use xiangqi::{Point, Position};

use self::board::Board;
pub use self::config::{Resume, TableConfig, Venue};
use self::course::Phase;
use self::installed::Installed;
pub use self::installed::{PortKind, uid};
use crate::hands::{Act, Order};
use crate::man::{Stand, stand};
use crate::truth::PlayedGame;

/// Touches that are kept for whoever asks.
const TOUCHES: usize = 16;

/// A table: feed it time and bytes, take bytes and truth.
pub struct VirtualTable {
    config: TableConfig,
    devices: Vec<Installed>,
    /// How far time has come, ms since the start.
    now: i64,
    board: Board,
    /// What stands on the board, whatever its sensors show.
    stands: Stand,
    acts: VecDeque<(i64, Act)>,
    /// What the arbiter at the table ordered and nobody has carried out yet.
    orders: VecDeque<Order>,
    /// Whether that arbiter has stopped the clock.
    held: bool,
    phase: Phase,
    games_played: u32,
    played: VecDeque<PlayedGame>,
    /// The last contacts that were touched and not asked for.
    touched: VecDeque<Contact>,
}

impl VirtualTable {
    /// A table whose pieces stand, for its next game or as in the one that was begun, and whose clock waits to be set.
    #[must_use]
    pub fn new(config: TableConfig) -> VirtualTable {
        let kinds: &[PortKind] =
            if config.combined { &[PortKind::Both] } else { &[PortKind::Board, PortKind::Clock] };
        let devices = kinds.iter().map(|&kind| Installed::at(&config, kind)).collect();
        let stands = stand(Position::start().board());
        let (phase, shown) = match config.resume {
            None => (Phase::Idle, stands),
            Some(Resume { plies, base }) => Phase::interrupted(&config, plies, base),
        };
        let mut board = Board::new(config.sensing, config.seating());
        for point in Point::ALL {
            board.show(point, shown[point.index()], 0);
        }
        VirtualTable {
            devices,
            now: 0,
            board,
            stands,
            acts: VecDeque::new(),
            orders: VecDeque::new(),
            held: false,
            phase,
            games_played: config.games_before,
            played: VecDeque::new(),
            touched: VecDeque::new(),
            config,
        }
    }

    /// Its devices, in the order of port numbers.
    #[must_use]
    pub fn ports(&self) -> Vec<PortKind> {
        self.devices.iter().map(|installed| installed.kind).collect()
    }

    /// When [`VirtualTable::poll`] wants to be called next, ms since the start.
    #[must_use]
    pub fn poll_timeout(&self) -> i64 {
        self.next_instant().max(self.now)
    }

    /// Lets time pass up to `now`, ms since the start.
    pub fn poll(&mut self, now: i64) {
        loop {
            let next = self.next_instant();
            if next > now {
                break;
            }
            self.now = self.now.max(next);
            self.step();
        }
        self.now = self.now.max(now);
        self.poll_devices();
    }

    fn poll_devices(&mut self) {
        for installed in &mut self.devices {
            installed.device.poll(installed.time(self.now));
            installed.write();
            installed.make_room(self.now);
        }
    }

    /// A device restarts: what it had not handed over comes from its flash, or is gone if it has none; its clock goes on as
    /// it stood.
    pub fn restart(&mut self, port: usize) {
        let now = self.now;
        if let Some(installed) = self.devices.get_mut(port) {
            installed.restart(now);
            self.board.scan_anew(now);
        }
    }

    /// Bytes came for a device.
    pub fn on_bytes(&mut self, port: usize, bytes: &[u8]) {
        let Some(installed) = self.devices.get_mut(port) else { return };
        let (at, device) = (installed.time(self.now), &mut installed.device);
        // Lets the clock's time pass first: what changes now was set.
        device.poll(at);
        let before = device.face();
        device.on_bytes(bytes, at);
        let after = device.face();
        installed.write();
        if let (Some(before), Some(after)) = (before, after)
            && before.left != after.left
        {
            self.clock_was_set(after);
        }
    }

    /// Appends to `out` what a device has to say.
    pub fn take_output(&mut self, port: usize, out: &mut Vec<u8>) {
        let Some(installed) = self.devices.get_mut(port) else { return };
        installed.write();
        let device = &mut installed.device;
        let mut buffer = [0; 4 * MAX_FRAME];
        loop {
            let used = device.take_output(&mut buffer);
            if used == 0 {
                break;
            }
            out.extend_from_slice(&buffer[..used]);
        }
    }

    /// What the sensors of its board show.
    #[must_use]
    pub fn sensed(&self) -> &[Reading; Cell::COUNT] {
        self.board.shown()
    }

    /// A contact of its clock that was touched since it was asked last, in order.
    pub fn take_touched(&mut self) -> Option<Contact> {
        self.touched.pop_front()
    }

    fn touch(&mut self, contact: Contact) {
        if self.touched.len() == TOUCHES {
            self.touched.pop_front();
        }
        self.touched.push_back(contact);
    }

    /// A game that has ended, if one has.
    pub fn take_played(&mut self) -> Option<PlayedGame> {
        self.played.pop_front()
    }

    /// Whether the arbiter at the table has stopped the clock.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// What the arbiter at the table wants done, if he does.
    pub fn take_order(&mut self) -> Option<Order> {
        self.orders.pop_front()
    }

    /// Records that its devices have made so far: what a server should have in the end.
    #[must_use]
    pub fn records_made(&self) -> u64 {
        self.devices.iter().map(|installed| installed.made_before + installed.made()).sum()
    }

    /// Records that no host has acknowledged yet.
    #[must_use]
    pub fn backlog(&self) -> u64 {
        self.devices.iter().map(|installed| installed.device.backlog()).sum()
    }

    /// The point of the present game that never senses.
    #[must_use]
    pub fn dead(&self) -> Option<Point> {
        self.phase.script().and_then(|script| script.truth.dead)
    }

    fn next_instant(&self) -> i64 {
        let act = self.acts.front().map(|(at, _)| *at);
        let device = self
            .devices
            .iter()
            .filter_map(|installed| {
                let (at, _) = installed.device.poll_timeout()?;
                Some(self.now + i64::from(at.since(installed.time(self.now)).0.cast_signed()))
            })
            // What is overdue waits for the line to take what the device has to say, not for time.
            .filter(|at| *at > self.now)
            .min();
        let instants = [act, self.board.next_scan(), device, self.phase.next_instant(self.now)];
        // Devices beat once a second, so this is never far off.
        instants.into_iter().flatten().min().unwrap_or(self.now + 1_000)
    }

    /// Does what is due at this instant.
    fn step(&mut self) {
        self.poll_devices();
        while let Some(&(_, act)) = self.acts.front().filter(|(at, _)| *at <= self.now) {
            self.acts.pop_front();
            self.act(act);
        }
        if self.board.next_scan().is_some_and(|at| at <= self.now) {
            for installed in &mut self.devices {
                installed.device.on_scan(installed.time(self.now), self.board.shown());
            }
            self.board.scanned(self.now);
        }
        self.turn();
    }

    fn act(&mut self, act: Act) {
        let now = self.now;
        match act {
            Act::Shows(point, man) => self.board.show(point, man, now),
            Act::Lever(side) => {
                let half = self.config.seating().half(side);
                self.touch(Contact::Lever(half));
                for installed in &mut self.devices {
                    installed.device.on_lever(half, installed.time(now));
                }
            }
            Act::Button(side, signal) => {
                let half = self.config.seating().half(side);
                self.touch(Contact::Button(half, signal));
                for installed in &mut self.devices {
                    installed.device.on_button(half, signal, installed.time(now));
                }
            }
            Act::Arbiter(order) => {
                match order {
                    Order::Pause => self.held = true,
                    Order::Run(_) => self.held = false,
                    Order::TakeBack(_) | Order::TurnBoard => {}
                }
                self.orders.push_back(order);
            }
        }
    }

    /// The hands finish the ply that they are at and begin no other.
    pub fn finish_ply(&mut self) {
        if let Phase::Playing { began, script, .. } = &self.phase {
            let until = began + script.rest_after(self.now - began);
            self.acts.retain(|(at, _)| *at <= until);
        }
    }

    /// Whether the hands have nothing to do any more.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.acts.is_empty()
    }
}
