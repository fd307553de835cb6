//! The alert board: raised, claimed, settled; one alert a cause.

use std::collections::BTreeMap;

use arbitration::{AlertCode, Notice, Severity};
use tournament::TableNo;

/// An alert that is not settled.
#[derive(Clone, Debug)]
pub struct Alert {
    /// Its table, if it is about one.
    pub table: Option<TableNo>,
    /// What it says.
    pub notice: Notice,
    /// Who took it up.
    pub claimed_by: Option<String>,
}

/// All alerts of an event.
#[derive(Clone, Debug, Default)]
pub struct AlertBoard {
    open: BTreeMap<u64, Alert>,
    last: u64,
    raised: BTreeMap<AlertCode, u64>,
}

impl AlertBoard {
    /// The number that the next alert gets.
    pub fn next(&self) -> u64 {
        self.last + 1
    }

    /// Takes a raised alert in.
    pub fn raised(&mut self, id: u64, table: Option<TableNo>, notice: Notice) {
        self.last = self.last.max(id);
        *self.raised.entry(notice.code).or_default() += 1;
        self.open.insert(id, Alert { table, notice, claimed_by: None });
    }

    /// Somebody takes an alert up.
    pub fn claimed(&mut self, id: u64, who: &str) {
        if let Some(alert) = self.open.get_mut(&id) {
            alert.claimed_by = Some(who.to_owned());
        }
    }

    /// An alert is settled.
    pub fn settled(&mut self, id: u64) {
        self.open.remove(&id);
    }

    /// The open alert with this number.
    pub fn get(&self, id: u64) -> Option<&Alert> {
        self.open.get(&id)
    }

    /// Whether this cause has its alert already.
    pub fn stands(&self, table: Option<TableNo>, code: AlertCode, cause: u32) -> bool {
        self.open
            .values()
            .any(|alert| alert.table == table && alert.notice.code == code && alert.notice.cause == cause)
    }

    /// The open alerts of a table with this code whose cause is at or after `from`.
    pub fn of(&self, table: Option<TableNo>, code: AlertCode, from: u32) -> Vec<u64> {
        let ours =
            |alert: &Alert| alert.table == table && alert.notice.code == code && alert.notice.cause >= from;
        self.open.iter().filter(|(_, alert)| ours(alert)).map(|(id, _)| *id).collect()
    }

    /// Open alerts, gravest first, then newest first.
    pub fn open(&self) -> Vec<(u64, &Alert)> {
        let mut all: Vec<_> = self.open.iter().map(|(id, alert)| (*id, alert)).collect();
        all.sort_by_key(|(id, alert)| (alert.notice.code.severity(), std::cmp::Reverse(*id)));
        all
    }

    /// How many are open.
    pub fn count(&self) -> u32 {
        self.open.len() as u32
    }

    /// How many were ever raised and are open no more.
    pub fn closed(&self) -> u32 {
        (self.last as u32).saturating_sub(self.count())
    }

    /// How many were ever raised, by code.
    pub fn tally(&self) -> &BTreeMap<AlertCode, u64> {
        &self.raised
    }

    /// Whether a table has an open alert that somebody must decide.
    pub fn pending(&self, table: TableNo) -> bool {
        self.open
            .values()
            .any(|alert| alert.table == Some(table) && alert.notice.code.severity() == Severity::P0)
    }
}
