//! The tables of an event, and in which order time is due at them.
//!
//! Whoever may change a table goes through [`Tables::get_mut`], so it is known which ones an input touched. Only their
//! due times are reckoned again after it ([`Tables::reckon`]); the others are as they were.

use std::collections::{BTreeMap, BTreeSet};

use firmware_proto::Epoch;
use tournament::TableNo;

use crate::table::Table;

/// When time is due, and why.
pub type Due = (Epoch, &'static str);

/// All tables that have devices.
#[derive(Debug, Default)]
pub struct Tables {
    all: BTreeMap<TableNo, Table>,
    /// Changed since their due times were reckoned.
    touched: BTreeSet<TableNo>,
    agenda: Agenda,
}

impl Tables {
    /// The table with this number.
    pub fn get(&self, no: TableNo) -> Option<&Table> {
        self.all.get(&no)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, no: TableNo) -> Option<&mut Table> {
        self.touched.insert(no);
        self.all.get_mut(&no)
    }

    /// Puts devices at a table, in the place of those that stood there.
    pub fn put(&mut self, no: TableNo, made_of: impl FnOnce(Option<Table>) -> Table) -> &Table {
        self.touched.insert(no);
        let table = made_of(self.all.remove(&no));
        self.all.entry(no).or_insert(table)
    }

    /// All, by number.
    pub fn iter(&self) -> impl Iterator<Item = (TableNo, &Table)> {
        self.all.iter().map(|(no, table)| (*no, table))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Any table may be due at another time now.
    pub fn touch_all(&mut self) {
        self.touched.extend(self.all.keys());
    }

    /// The tables whose due times are to be reckoned; from then on they count as reckoned.
    pub fn touched(&mut self) -> BTreeSet<TableNo> {
        std::mem::take(&mut self.touched)
    }

    /// Time is due at a table then; `None`: never.
    pub fn set_due(&mut self, no: TableNo, due: Option<Due>) {
        self.agenda.set(no, due);
    }

    /// When time is due next at any table.
    pub fn next_due(&self) -> Option<Due> {
        self.agenda.first()
    }

    /// The tables at which time is due, by number.
    pub fn due_by(&self, now: Epoch) -> BTreeSet<TableNo> {
        self.agenda.by(now)
    }
}

/// Tables in the order of their due times.
#[derive(Debug, Default)]
struct Agenda {
    of: BTreeMap<TableNo, Due>,
    order: BTreeSet<(Epoch, TableNo)>,
}

impl Agenda {
    fn set(&mut self, no: TableNo, due: Option<Due>) {
        let former = match due {
            Some(due) => self.of.insert(no, due),
            None => self.of.remove(&no),
        };
        if let Some((at, _)) = former {
            self.order.remove(&(at, no));
        }
        self.order.extend(due.map(|(at, _)| (at, no)));
    }

    fn first(&self) -> Option<Due> {
        let (_, no) = self.order.first()?;
        self.of.get(no).copied()
    }

    fn by(&self, now: Epoch) -> BTreeSet<TableNo> {
        self.order.range(..=(now, TableNo(u16::MAX))).map(|(_, no)| *no).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a walk over all tables, whatever is set, set again and taken away.
        #[test]
        fn the_agenda_says_what_a_walk_over_all_tables_says(
            sets in prop::collection::vec((1_u16..12, prop::option::of(0_i64..40)), 0..200),
            now in 0_i64..40,
        ) {
            let (mut agenda, mut walked) = (Agenda::default(), BTreeMap::new());
            for (no, at) in sets {
                agenda.set(TableNo(no), at.map(|at| (Epoch(at), "a test")));
                walked.insert(TableNo(no), at.map(Epoch));
                let earliest = walked.values().copied().flatten().min();
                prop_assert_eq!(agenda.first().map(|(at, _)| at), earliest);
                let due = walked.iter().filter(|(_, at)| at.is_some_and(|at| at <= Epoch(now)));
                prop_assert_eq!(agenda.by(Epoch(now)), due.map(|(no, _)| *no).collect());
            }
        }
    }
}
