//! Decisions, and who did what in the whole event.

use arbitration::{AlertCode, Outcome, Severity, Words};
use firmware_proto::Epoch;
use serde::Serialize;
use tournament::{RoundNo, TableNo};

use crate::{AccountDeed, Act, Actor};

/// A decision that can be undone, or was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionView {
    /// Its number: the journal entry's; for [`crate::Act::Undo`].
    pub no: u64,
    /// In which round.
    pub round: RoundNo,
    /// At which table, if it is about one.
    pub table: Option<TableNo>,
    /// When.
    pub at: Epoch,
    /// Who.
    pub by: Actor,
    /// What.
    pub act: Act,
    /// Both times of its table then, Red's and Black's, ms, if they were known.
    pub times: Option<[u32; 2]>,
    /// Whether it was undone.
    pub undone: bool,
    /// Whether it can be undone.
    pub undoable: bool,
}

/// What a page of the journal shows: all conditions hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalQuery {
    /// Of this table only.
    pub table: Option<TableNo>,
    /// Of this person only.
    pub by: Option<String>,
    /// Of this kind only.
    pub kind: Option<DeedKind>,
    /// Older than this entry.
    pub before: Option<u64>,
    /// At most so many.
    pub at_most: usize,
}

/// A page of the journal (日志), newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JournalView {
    /// Who did what.
    pub rows: Vec<DeedView>,
    /// Where the next page begins ([`JournalQuery::before`]), if there is more.
    pub older: Option<u64>,
    /// Everybody who ever did something.
    pub people: Vec<String>,
}

/// What kind of thing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeedKind {
    /// 裁决与操作: decisions, and games that ended by themselves.
    Decision,
    /// 警报: alerts raised, escalated, passed.
    Alert,
    /// 赛务: the organiser's desk.
    Desk,
    /// 账户: accounts and signing in, and which gateways are let in.
    Account,
}

impl DeedKind {
    /// All kinds.
    pub const ALL: [DeedKind; 4] = [DeedKind::Decision, DeedKind::Alert, DeedKind::Desk, DeedKind::Account];

    /// The stable name, as in addresses.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            DeedKind::Decision => "decision",
            DeedKind::Alert => "alert",
            DeedKind::Desk => "desk",
            DeedKind::Account => "account",
        }
    }
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeedView {
    /// The entry's number.
    pub no: u64,
    /// When.
    pub at: Epoch,
    /// Who.
    pub by: Actor,
    /// At which table.
    pub table: Option<TableNo>,
    /// What.
    pub what: DeedWhat,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum DeedWhat {
    /// Somebody decided this.
    Decided {
        /// What.
        act: Box<Act>,
        /// Whether it was undone.
        undone: bool,
    },
    /// A game ended by itself.
    Ended {
        /// How.
        outcome: Outcome,
    },
    /// Something became of an alert by itself.
    Alert {
        /// Its number.
        id: u64,
        /// What it is about.
        code: AlertCode,
        /// How much it presses.
        severity: Severity,
        /// What became of it.
        turn: AlertTurn,
    },
    /// The desk did this, in its words.
    Desk {
        /// What.
        did: Words,
    },
    /// Something was done with an account.
    Account {
        /// What.
        deed: AccountDeed,
    },
    /// A gateway may bring observations from now on, or no longer.
    LetIn {
        /// Its name.
        gateway: String,
        /// Whether it may.
        on: bool,
    },
}

/// What becomes of an alert by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertTurn {
    /// It was raised.
    Raised,
    /// It went to the chief arbiter.
    Escalated,
    /// Its cause has gone.
    Passed,
}
