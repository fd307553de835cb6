//! What people decided, table by table: so that the second of two who act at once is told of the first.

use std::collections::BTreeMap;

use tournament::TableNo;

use crate::entry::{Entry, Fact};
use crate::{Actor, Hall};

/// The last decision at each table.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// The last entry by which a person decided something there.
    decided: BTreeMap<TableNo, u64>,
}

impl Hall {
    /// Whether a person decided something at a table after this entry of the journal.
    #[must_use]
    pub fn decided_since(&self, table: TableNo, entry: u64) -> bool {
        self.log.decided.get(&table).is_some_and(|no| *no > entry)
    }

    /// Notes an entry, before it changes the state.
    pub(crate) fn note(&mut self, entry: &Entry) {
        if let (Actor::Person { .. }, Some(table)) = (&entry.by, self.table_in(&entry.fact)) {
            self.log.decided.insert(table, entry.no);
        }
    }

    /// The table that an entry is about.
    fn table_in(&self, fact: &Fact) -> Option<TableNo> {
        match fact {
            Fact::Game { table, .. } | Fact::Rebased { table, .. } | Fact::Corrected { table, .. } => {
                Some(*table)
            }
            Fact::Raised { table, .. } => *table,
            Fact::Noted { .. } => None,
            Fact::Claimed { alert } | Fact::Settled { alert, .. } => self.alerts.get(*alert)?.table,
            Fact::Commanded(outgoing) => self.table_of(outgoing.device),
            Fact::Bound(binding) => Some(binding.table),
            Fact::Opened { .. }
            | Fact::Entered(_)
            | Fact::Drawn(_)
            | Fact::Paired { .. }
            | Fact::Started { .. }
            | Fact::Done { .. }
            | Fact::Gateway { .. }
            | Fact::Shown(_)
            | Fact::RoundOver(_) => None,
        }
    }
}
