//! Who did what (日志): every act of a person, and what became of alerts and games by itself, in the order of the journal.

use arbitration::{GameFact, Outcome, Words};
use firmware_proto::{Epoch, GatewayId};
use tournament::TableNo;

use crate::entry::{Entry, Fact, Settlement};
use crate::view::{AlertTurn, DeedKind, DeedView, DeedWhat, JournalQuery, JournalView};
use crate::{AccountDeed, Actor, Hall};

/// One deed, as short as it can be kept: what is known elsewhere is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    no: u64,
    at: Epoch,
    by: Actor,
    table: Option<TableNo>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// A decision; its number is the entry's.
    Decided,
    Ended(Outcome),
    Alert(u64, AlertTurn),
    Desk(Words),
    Account(AccountDeed),
    /// A gateway may bring observations, or no longer.
    LetIn(GatewayId, bool),
}

impl What {
    const fn kind(&self) -> DeedKind {
        match self {
            What::Decided | What::Ended(_) => DeedKind::Decision,
            What::Alert(..) => DeedKind::Alert,
            What::Desk(_) => DeedKind::Desk,
            What::Account(_) | What::LetIn(..) => DeedKind::Account,
        }
    }
}

impl Hall {
    /// Writes down what an entry that was just taken in says of who did what. What a decision changed is told by the
    /// decision.
    pub(crate) fn write_down(&mut self, entry: &Entry) {
        let of_alert = |id: u64| self.alerts.any(id).and_then(|alert| alert.table);
        let (table, what) = match &entry.fact {
            Fact::Decided { act, .. } => (self.table_of_act(act), What::Decided),
            Fact::Raised { alert, table, .. } => (*table, What::Alert(*alert, AlertTurn::Raised)),
            Fact::Escalated { alert } => (of_alert(*alert), What::Alert(*alert, AlertTurn::Escalated)),
            Fact::Settled { alert, how: Settlement::Passed, .. } => {
                (of_alert(*alert), What::Alert(*alert, AlertTurn::Passed))
            }
            Fact::Game { table, fact: GameFact::Ended { outcome, .. } } if entry.by == Actor::Hall => {
                (Some(*table), What::Ended(*outcome))
            }
            Fact::Desk(_) | Fact::RoundOver(_) => match self.desk.history.back() {
                Some(line) if line.entry == entry.no => (None, What::Desk(line.did.clone())),
                Some(_) | None => return,
            },
            Fact::Account(deed) => (None, What::Account(deed.clone())),
            Fact::LetIn { gateway, on } => (None, What::LetIn(gateway.clone(), *on)),
            Fact::Opened { .. }
            | Fact::Entered(_)
            | Fact::Bound(_)
            | Fact::Drawn(_)
            | Fact::Paired { .. }
            | Fact::Started { .. }
            | Fact::Game { .. }
            | Fact::Rebased { .. }
            | Fact::Corrected { .. }
            | Fact::Amended { .. }
            | Fact::Claimed { .. }
            | Fact::Assigned { .. }
            | Fact::Settled { .. }
            | Fact::Over { .. }
            | Fact::Recalled { .. }
            | Fact::Undone { .. }
            | Fact::PuttingRight { .. }
            | Fact::Swapped { .. }
            | Fact::Server { .. }
            | Fact::Commanded(_)
            | Fact::Done { .. }
            | Fact::Gateway { .. }
            | Fact::Shown(_)
            | Fact::Noted { .. }
            | Fact::SelfTestBegun(_)
            | Fact::SelfTested { .. }
            | Fact::FirmwareOffered(_)
            | Fact::Walks(_) => return,
        };
        self.deeds.push(Deed { no: entry.no, at: entry.at, by: entry.by.clone(), table, what });
    }

    /// A page of who did what, newest first.
    #[must_use]
    pub fn journal(&self, query: &JournalQuery) -> JournalView {
        let fits = |deed: &&Deed| {
            query.before.is_none_or(|before| deed.no < before)
                && query.table.is_none_or(|table| deed.table == Some(table))
                && query.by.as_ref().is_none_or(|by| deed.by.name() == by)
                && query.kind.is_none_or(|kind| deed.what.kind() == kind)
        };
        let mut found = self.deeds.iter().rev().filter(fits).peekable();
        let mut rows = Vec::new();
        while rows.len() < query.at_most
            && let Some(deed) = found.next()
        {
            rows.extend(self.deed_view(deed));
        }
        let older = found.peek().and(rows.last().map(|row: &DeedView| row.no));
        let people: std::collections::BTreeSet<_> = self.deeds.iter().map(|deed| deed.by.name()).collect();
        JournalView { rows, older, people: people.into_iter().map(str::to_owned).collect() }
    }

    fn deed_view(&self, deed: &Deed) -> Option<DeedView> {
        let what = match &deed.what {
            What::Decided => {
                let one = self.decisions.get(&deed.no)?;
                DeedWhat::Decided { act: Box::new(one.act.clone()), undone: one.undone }
            }
            What::Ended(outcome) => DeedWhat::Ended { outcome: *outcome },
            What::Alert(id, turn) => {
                let notice = &self.alerts.any(*id)?.notice;
                DeedWhat::Alert { id: *id, code: notice.code, severity: notice.severity, turn: *turn }
            }
            What::Desk(did) => DeedWhat::Desk { did: did.clone() },
            What::Account(account) => DeedWhat::Account { deed: account.clone() },
            What::LetIn(gateway, on) => DeedWhat::LetIn { gateway: gateway.to_string(), on: *on },
        };
        Some(DeedView { no: deed.no, at: deed.at, by: deed.by.clone(), table: deed.table, what })
    }
}
