//! Outages over a trial: links that break off, devices, gateway and server that restart. Each is a seeded process.

use std::collections::VecDeque;

use super::run::BOARD;
use crate::dice::Dice;
use crate::incidents::{Incidents, Row};
use crate::truth::{Due, Incident, PlayedGame, SensedBy};

/// What happens to the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outage {
    /// The links of these ports break off for so long, ms.
    Down(Ports, i64),
    /// They are up again.
    Up(Ports),
    /// A device restarts: it is back after so long, ms.
    Reset(usize),
    /// A device is without power for so long, ms.
    Dark(usize, i64),
    /// It has power again.
    Lit(usize),
    /// The server restarts.
    Server,
}

/// One port of a table, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ports {
    One(usize),
    All,
}

impl Ports {
    pub fn contains(self, port: usize) -> bool {
        match self {
            Ports::One(one) => one == port,
            Ports::All => true,
        }
    }
}

/// What will happen, in order of time; and what the truth has to say of it.
pub(super) struct Outages {
    planned: VecDeque<(i64, Outage)>,
    truth: Vec<(Incident, i64, i64)>,
}

/// No game lasts longer, ms.
const HORIZON: f64 = 4.0 * HOUR;
const HOUR: f64 = 3_600_000.0;
/// Alerts have this cause for so long after it was over, ms.
pub(super) const STILL_TOLD: i64 = 10_000;
/// A device that restarts is silent for so long, ms.
const RESTART: i64 = 1_500;

impl Outages {
    pub fn plan(incidents: &Incidents, ports: usize, dice: &Dice) -> Outages {
        let mut planned = Vec::new();
        let mut truth = Vec::new();
        let instants = |row: Row| {
            let mut dice = dice.branch(row as u64);
            let mean = HOUR / incidents.rate(row);
            let mut instants = Vec::new();
            let mut at = if mean.is_finite() { dice.exponential(mean) } else { HORIZON };
            while at < HORIZON {
                instants.push(at as i64);
                at += dice.exponential(mean);
            }
            (instants, dice)
        };
        let (at, mut chance) = instants(Row::LinkDown);
        for at in at {
            let (port, lasts) = (chance.between(0, ports as i64 - 1) as usize, chance.between(2_000, 60_000));
            planned.push((at, Outage::Down(Ports::One(port), lasts)));
            truth.push((Incident::LinkDown, at, at + lasts));
        }
        let (at, mut chance) = instants(Row::DeviceReset);
        for at in at {
            planned.push((at, Outage::Reset(chance.between(0, ports as i64 - 1) as usize)));
            truth.push((Incident::DeviceReset, at, at + RESTART));
        }
        let (at, mut chance) = instants(Row::GatewayRestart);
        for at in at {
            let lasts = chance.between(2_000, 8_000);
            planned.push((at, Outage::Down(Ports::All, lasts)));
            truth.push((Incident::GatewayRestart, at, at + lasts));
        }
        for at in instants(Row::ServerRestart).0 {
            planned.push((at, Outage::Server));
            truth.push((Incident::ServerRestart, at, at));
        }
        let (at, mut chance) = instants(Row::BoardDark);
        for at in at {
            let lasts = chance.between(2_000, 30_000);
            planned.push((at, Outage::Dark(BOARD, lasts)));
            truth.push((Incident::BoardDark, at, at + lasts));
        }
        planned.sort_by_key(|(at, _)| *at);
        Outages { planned: planned.into(), truth }
    }

    /// What happens by now, one by one.
    pub fn due(&mut self, now: i64) -> Option<Outage> {
        let (at, outage) = self.planned.pop_front_if(|(at, _)| *at <= now)?;
        let up = match outage {
            Outage::Down(ports, lasts) => Some((at + lasts, Outage::Up(ports))),
            Outage::Reset(port) => Some((at + RESTART, Outage::Up(Ports::One(port)))),
            Outage::Dark(port, lasts) => Some((at + lasts, Outage::Lit(port))),
            Outage::Up(_) | Outage::Lit(_) | Outage::Server => None,
        };
        if let Some((at, up)) = up {
            let place = self.planned.partition_point(|(other, _)| *other <= at);
            self.planned.insert(place, (at, up));
        }
        Some(outage)
    }

    pub fn next(&self) -> i64 {
        self.planned.front().map_or(i64::MAX, |(at, _)| *at)
    }

    /// Something happened from `at` until `until` that was not planned here.
    pub fn befell(&mut self, what: Incident, at: i64, until: i64) {
        self.truth.push((what, at, until));
    }

    /// Adds what happened by now to the truth of the game.
    pub fn tell_truth(&self, played: &mut PlayedGame, now: i64) {
        let began = played.began.0;
        for &(what, at, until) in self.truth.iter().filter(|(_, at, _)| *at <= now) {
            let plies = played.plies.iter().filter(|ply| ply.placed + began <= at).count() as u16;
            played.alerts_due.push(Due {
                what,
                at: at - began,
                until: until - began + STILL_TOLD,
                plies,
                points: Vec::new(),
                sensed_by: SensedBy::Occupancy,
            });
        }
    }
}
