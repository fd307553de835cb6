//! The alert board: raised, claimed, closed; one alert a cause, and the history of those that are closed.

use std::collections::{BTreeMap, BTreeSet};

use arbitration::{AlertCode, Notice, Severity};
use firmware_proto::Epoch;
use tournament::TableNo;

use crate::entry::Settlement;

/// An alert.
#[derive(Clone, Debug)]
pub struct Alert {
    /// Its table, if it is about one.
    pub table: Option<TableNo>,
    /// What it says.
    pub notice: Notice,
    /// When it was raised, or grew to a graver stage.
    pub raised: Epoch,
    /// How often it was raised or said more.
    pub times: u32,
    /// Who took it up.
    pub claimed_by: Option<String>,
    /// Whether it went to the chief arbiter because nobody took it up.
    pub escalated: bool,
    /// How, when, by whom and why it was closed.
    pub closed: Option<Closed>,
}

/// How an alert was closed.
#[derive(Clone, Debug)]
pub struct Closed {
    /// How.
    pub how: Settlement,
    /// When.
    pub at: Epoch,
    /// By whom.
    pub by: String,
    /// Why.
    pub why: String,
}

/// What makes two alerts the same: table, code and cause.
type Key = (Option<TableNo>, AlertCode, u32);

/// All alerts of an event.
#[derive(Clone, Debug, Default)]
pub struct AlertBoard {
    all: BTreeMap<u64, Alert>,
    open: BTreeSet<u64>,
    /// The open ones by their cause.
    by_cause: BTreeSet<(Key, u64)>,
    /// The open ones that wait for somebody, by when they go to the chief arbiter.
    waiting: BTreeSet<(Epoch, u64)>,
    /// Causes that somebody has dealt with: they raise nothing again while they last.
    dealt_with: BTreeSet<Key>,
    raised: BTreeMap<AlertCode, u64>,
}

/// How long an alert may wait for somebody before it goes to the chief arbiter, ms.
pub const fn patience(severity: Severity) -> Option<i64> {
    match severity {
        Severity::P0 => Some(30_000),
        Severity::P1 => Some(120_000),
        Severity::P2 | Severity::P3 => None,
    }
}

impl Alert {
    fn key(&self) -> Key {
        (self.table, self.notice.code, self.notice.cause)
    }

    /// When it goes to the chief arbiter, if nobody takes it up.
    fn escalates(&self) -> Option<Epoch> {
        if self.escalated || self.claimed_by.is_some() {
            return None;
        }
        Some(self.raised.plus(patience(self.notice.severity)?))
    }
}

impl AlertBoard {
    /// The number that the next alert gets.
    pub fn next(&self) -> u64 {
        self.all.keys().next_back().map_or(1, |last| last + 1)
    }

    /// Takes a raised alert in.
    pub fn raised(&mut self, id: u64, table: Option<TableNo>, notice: Notice, at: Epoch) {
        *self.raised.entry(notice.code).or_default() += 1;
        let (claimed_by, escalated, closed) = (None, false, None);
        self.all.insert(id, Alert { table, notice, raised: at, times: 1, claimed_by, escalated, closed });
        self.list(id);
    }

    /// An alert says more. A graver one waits anew for somebody.
    pub fn amended(&mut self, id: u64, notice: Notice, at: Epoch) {
        self.change(id, |alert| {
            if notice.severity < alert.notice.severity {
                alert.raised = at;
            }
            alert.notice = notice;
            alert.times += 1;
        });
    }

    /// Somebody has an alert now; `None`: nobody.
    pub fn assigned(&mut self, id: u64, to: Option<String>) {
        self.change(id, |alert| alert.claimed_by = to);
    }

    /// Nobody took an alert up.
    pub fn escalated(&mut self, id: u64) {
        self.change(id, |alert| alert.escalated = true);
    }

    /// An alert is closed. A cause that somebody has dealt with raises nothing again while it lasts.
    pub fn settled(&mut self, id: u64, closed: Closed) {
        let Some(key) = self.all.get(&id).map(Alert::key) else { return };
        match closed.how {
            Settlement::Resolved | Settlement::Dismissed => {
                self.dealt_with.insert(key);
            }
            Settlement::Passed => {}
        }
        self.change(id, |alert| alert.closed = Some(closed));
    }

    /// A closed alert is open again.
    pub fn recalled(&mut self, id: u64, at: Epoch) {
        let Some(key) = self.all.get(&id).map(Alert::key) else { return };
        self.dealt_with.remove(&key);
        self.change(id, |alert| (alert.closed, alert.raised, alert.escalated) = (None, at, false));
    }

    /// Changes an alert, and where it is listed.
    fn change(&mut self, id: u64, how: impl FnOnce(&mut Alert)) {
        if let Some(alert) = self.all.get_mut(&id) {
            self.open.remove(&id);
            self.by_cause.remove(&(alert.key(), id));
            if let Some(at) = alert.escalates() {
                self.waiting.remove(&(at, id));
            }
            how(alert);
            self.list(id);
        }
    }

    fn list(&mut self, id: u64) {
        if let Some(alert) = self.all.get(&id).filter(|alert| alert.closed.is_none()) {
            self.open.insert(id);
            self.by_cause.insert((alert.key(), id));
            self.waiting.extend(alert.escalates().map(|at| (at, id)));
        }
    }

    /// The causes of this kind that somebody has dealt with.
    pub fn dealt_with(
        &self,
        table: Option<TableNo>,
        code: AlertCode,
        causes: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let ours = self.dealt_with.iter().filter(|(there, what, _)| (*there, *what) == (table, code));
        ours.map(|(_, _, cause)| *cause).filter(|cause| causes(*cause)).collect()
    }

    /// A cause that somebody has dealt with is over: what comes of it later is a new one.
    pub fn over(&mut self, table: Option<TableNo>, code: AlertCode, cause: u32) {
        self.dealt_with.remove(&(table, code, cause));
    }

    /// A new game begins at a table: nothing of the one before is remembered.
    pub fn begin(&mut self, table: TableNo) {
        self.dealt_with.retain(|(there, ..)| *there != Some(table));
    }

    /// The alert with this number, open or closed.
    pub fn any(&self, id: u64) -> Option<&Alert> {
        self.all.get(&id)
    }

    /// The open alert with this number.
    pub fn get(&self, id: u64) -> Option<&Alert> {
        self.all.get(&id).filter(|alert| alert.closed.is_none())
    }

    /// The open alert of a cause.
    pub fn of_cause(&self, table: Option<TableNo>, code: AlertCode, cause: u32) -> Option<(u64, &Alert)> {
        let key = (table, code, cause);
        let (_, id) = self.by_cause.range((key, 0)..=(key, u64::MAX)).next()?;
        Some((*id, self.all.get(id)?))
    }

    /// Whether a cause has its alert already, at this stage or a later one, or was dealt with.
    pub fn stands(&self, table: Option<TableNo>, code: AlertCode, cause: u32, stage: u8) -> bool {
        self.dealt_with.contains(&(table, code, cause))
            || self.of_cause(table, code, cause).is_some_and(|(_, alert)| alert.notice.stage >= stage)
    }

    /// The open alerts of a table with this code, for these causes.
    pub fn of(&self, table: Option<TableNo>, code: AlertCode, causes: impl Fn(u32) -> bool) -> Vec<u64> {
        let (first, last) = ((table, code, 0), (table, code, u32::MAX));
        let all = self.by_cause.range((first, 0)..=(last, u64::MAX));
        let mut ours: Vec<_> = all.filter(|((.., cause), _)| causes(*cause)).map(|(_, id)| *id).collect();
        ours.sort_unstable();
        ours
    }

    /// The open alerts of a table.
    pub fn at(&self, table: TableNo) -> impl Iterator<Item = (u64, &Alert)> {
        self.open().filter(move |(_, alert)| alert.table == Some(table))
    }

    /// All alerts of a table ever, by number.
    pub fn about(&self, table: TableNo) -> impl Iterator<Item = (u64, &Alert)> {
        self.all.iter().map(|(id, alert)| (*id, alert)).filter(move |(_, alert)| alert.table == Some(table))
    }

    /// Open alerts by number.
    pub fn open(&self) -> impl Iterator<Item = (u64, &Alert)> {
        self.open.iter().filter_map(|id| Some((*id, self.all.get(id)?)))
    }

    /// Open alerts, gravest first, then newest first.
    pub fn by_weight(&self) -> Vec<(u64, &Alert)> {
        let mut all: Vec<_> = self.open().collect();
        all.sort_by_key(|(id, alert)| (alert.notice.severity, std::cmp::Reverse(*id)));
        all
    }

    /// Closed alerts, newest first.
    pub fn history(&self) -> impl Iterator<Item = (u64, &Alert)> {
        self.all.iter().rev().map(|(id, alert)| (*id, alert)).filter(|(_, alert)| alert.closed.is_some())
    }

    /// When the next alert goes to the chief arbiter.
    pub fn next_escalation(&self) -> Option<Epoch> {
        self.waiting.first().map(|(at, _)| *at)
    }

    /// Alerts that nobody took up in time.
    pub fn escalating(&self, now: Epoch) -> Vec<u64> {
        let mut due: Vec<_> = self.waiting.range(..=(now, u64::MAX)).map(|(_, id)| *id).collect();
        due.sort_unstable();
        due
    }

    /// How many are open.
    pub fn count(&self) -> u32 {
        self.open.len() as u32
    }

    /// How many were ever raised and are open no more.
    pub fn closed(&self) -> u32 {
        (self.all.len() as u32).saturating_sub(self.count())
    }

    /// How many were ever raised, by code.
    pub fn tally(&self) -> &BTreeMap<AlertCode, u64> {
        &self.raised
    }

    /// Whether a table has an open alert that somebody must decide.
    pub fn pending(&self, table: TableNo) -> bool {
        let [first, .., last] = AlertCode::ALL;
        let of_table = ((Some(table), first, 0), 0)..=((Some(table), last, u32::MAX), u64::MAX);
        let mut causes = self.by_cause.range(of_table);
        causes.any(|(_, id)| self.all.get(id).is_some_and(|alert| alert.notice.severity == Severity::P0))
    }
}

#[cfg(test)]
mod tests {
    use arbitration::{Evidence, Words};
    use proptest::prelude::*;

    use super::*;

    const CODES: [AlertCode; 3] = [AlertCode::Illegal, AlertCode::GwDown, AlertCode::Battery];

    fn closed(how: Settlement, at: Epoch) -> Closed {
        Closed { how, at, by: "裁判".to_owned(), why: String::new() }
    }

    #[test]
    fn the_first_and_the_last_code_are_those_of_the_list() {
        assert!(AlertCode::ALL.is_sorted());
    }

    proptest! {
        /// Against a walk over all open alerts, whatever becomes of them.
        #[test]
        fn a_cause_and_who_waits_are_found_as_a_walk_finds_them(
            steps in prop::collection::vec((0..7, 1_u64..8, 0..CODES.len(), 0_u32..3), 0..120),
        ) {
            let mut board = AlertBoard::default();
            for ((what, id, code, cause), at) in steps.into_iter().zip((0..).step_by(10_000)) {
                let (at, table, code) = (Epoch(at), Some(TableNo(1)), CODES[code]);
                let notice = Notice::new(code, cause, at, Words::new("一", "one"), Evidence::Words);
                match what {
                    0 | 1 => board.raised(board.next(), table, notice, at),
                    2 => board.amended(id, notice, at),
                    3 => board.assigned(id, (cause > 0).then(|| "裁判".to_owned())),
                    4 => board.escalated(id),
                    5 => board.settled(id, closed(Settlement::Passed, at)),
                    _ => board.recalled(id, at),
                }
                let of = |(_, alert): &(u64, &Alert)| alert.key() == (table, code, cause);
                let walked = board.open().find(of).map(|(id, _)| id);
                prop_assert_eq!(board.of_cause(table, code, cause).map(|(id, _)| id), walked);
                let walked = board.open().filter_map(|(_, alert)| alert.escalates()).min();
                prop_assert_eq!(board.next_escalation(), walked);
                let decides = |(_, alert): (u64, &Alert)| alert.notice.severity == Severity::P0;
                prop_assert_eq!(board.pending(TableNo(1)), board.open().any(decides));
                prop_assert!(!board.pending(TableNo(2)));
            }
        }
    }
}
