//! What befalls cables, devices and the server, and what an arbiter orders: the tracker goes on, or a new one begins with
//! what is known.

use capture::log::Entry;
use capture::{Finding, PlyNo, PlyState, Readings, Seen, Tracker, What};
use firmware_proto::{Command, Epoch};
use xiangqi::{Move, Position};

use super::{BOARD, CLOCK, Run, SEATING};
use crate::hands::Order;
use crate::trial::outages::{Outage, Ports};
use crate::trial::score::alert;
use crate::truth::Incident;

impl Run<'_> {
    pub(super) fn carry_out(&mut self, order: Order) {
        match order {
            Order::Pause => self.send(CLOCK, Command::Pause),
            Order::Run(side) => self.send(CLOCK, Command::Run(SEATING.half(side))),
            Order::TakeBack(from) => {
                self.reopen();
                self.log.push(self.now, Entry::Correct { from: PlyNo(from), line: Vec::new() });
                let findings = self.tracker.correct(PlyNo(from), &[], Epoch(self.now));
                self.say(findings);
            }
            Order::TurnBoard => {
                self.turned = true;
                self.send(BOARD, Command::Snapshot);
            }
        }
    }

    /// The game goes on after all: what the board and the clock did is followed again as if it had not been closed.
    fn reopen(&mut self) {
        if !std::mem::take(&mut self.ended) {
            return;
        }
        self.log.entries.retain(|(_, entry)| !matches!(entry, Entry::Close { .. }));
        let mut tracker = Tracker::new(Position::start(), self.trials.params.clone(), Epoch(0));
        for (came, entry) in &self.log.entries {
            tracker.on_time(Epoch(*came));
            match entry {
                Entry::Seen(seen) => tracker.on_seen(seen),
                Entry::Correct { from, line } => tracker.correct(*from, line, Epoch(*came)),
                Entry::Close { .. } | Entry::Restart => Vec::new(),
            };
        }
        tracker.on_time(Epoch(self.now));
        self.tracker = tracker;
    }

    pub(super) fn suffer(&mut self, outage: Outage) {
        let at = Epoch(self.now);
        match outage {
            Outage::Down(ports, _) => {
                for port in (0..self.links.len()).filter(|port| ports.contains(*port)) {
                    self.go_down(port, at);
                }
            }
            Outage::Reset(port) => {
                self.table.restart(port);
                self.go_down(port, at);
            }
            Outage::Up(ports) => {
                for (_, link) in self.links.iter_mut().enumerate().filter(|(port, _)| ports.contains(*port)) {
                    link.come_up(&mut self.table);
                }
                if ports.contains(BOARD) {
                    self.send(BOARD, Command::Snapshot);
                }
            }
            Outage::Dark(port, _) => self.go_down(port, at),
            Outage::Lit(port) => {
                self.table.restart(port);
                self.suffer(Outage::Up(Ports::One(port)));
            }
            Outage::Server => self.restart_server(),
        }
    }

    fn go_down(&mut self, port: usize, at: Epoch) {
        self.links[port].go_down();
        self.see(Seen { at, what: if port == BOARD { What::BoardDown } else { What::ClockDown } });
    }

    /// Another tracker goes on from the settled plies, with what was seen since the last of them.
    fn restart_server(&mut self) {
        let settled: Vec<_> =
            self.tracker.plies().iter().filter(|ply| ply.state == PlyState::Locked).cloned().collect();
        let Some(last) = settled.last().filter(|_| !self.ended && !self.table.is_held()) else { return };
        let before: Vec<Move> = self.tracker.plies().iter().map(|ply| ply.mv).collect();
        let at = last.at;
        let mut tracker =
            Tracker::resume(Position::start(), &settled, self.trials.params.clone(), Epoch(self.now));
        let mut image: Option<Readings> = None;
        let mut given = false;
        for (came, seen) in self.log.seen() {
            if seen.at <= at {
                if let What::Image(readings) = &seen.what {
                    image = Some((**readings).clone());
                } else if let (What::Changed(point, reading), Some(image)) = (&seen.what, &mut image) {
                    image.points[point.index()] = *reading;
                } else {
                    // Which devices there are, and how the clock stands.
                    tracker.on_seen(seen);
                }
                continue;
            }
            if !std::mem::replace(&mut given, true)
                && let Some(image) = &image
            {
                tracker.on_seen(&Seen { at, what: What::Image(Box::new(image.clone())) });
            }
            tracker.on_time(Epoch(came));
            tracker.on_seen(seen);
        }
        tracker.on_time(Epoch(self.now));
        self.log.push(self.now, Entry::Restart);
        let after: Vec<Move> = tracker.plies().iter().map(|ply| ply.mv).collect();
        self.restarts_differing += u64::from(before != after);
        self.tracker = tracker;
    }

    /// The cables are put right: the game is read again from what was the right clock all the time.
    pub(super) fn exchange_back(&mut self) {
        let Some(other) = self.other.take() else { return };
        let mut right: Vec<(i64, Seen)> = self
            .log
            .seen()
            .filter(|(_, seen)| !of_clock(&seen.what))
            .map(|(came, seen)| (came, seen.clone()))
            .chain(other.own.into_iter().map(|seen| (seen.at.0, seen)))
            .collect();
        right.sort_by_key(|(came, _)| *came);
        self.log.entries.clear();
        let mut tracker = Tracker::new(Position::start(), self.trials.params.clone(), Epoch(0));
        let mut findings = vec![Finding::Withdrawn(PlyNo(1))];
        for (came, seen) in right {
            findings.extend(tracker.on_time(Epoch(came)));
            findings.extend(tracker.on_seen(&seen));
            self.log.push(came, Entry::Seen(seen));
        }
        findings.extend(tracker.on_time(Epoch(self.now)));
        // What is found of the past is no alert of now.
        findings.retain(|finding| alert(finding).is_none());
        self.tracker = tracker;
        self.outages.befell(Incident::CablesExchanged, 0, self.now);
        self.say(findings);
    }
}

/// Whether the clock told it.
fn of_clock(what: &What) -> bool {
    match what {
        What::ClockUp
        | What::ClockDown
        | What::Pressed(..)
        | What::Flagged(..)
        | What::ClockSet(..)
        | What::Signalled(..) => true,
        What::BoardUp(_)
        | What::BoardDown
        | What::Changed(..)
        | What::Image(_)
        | What::Health(..)
        | What::Lost => false,
    }
}
