//! The journal: what the hall concluded and what people decided, one entry after the other.

use std::collections::BTreeSet;

use arbitration::{AlertCode, GameFact, Notice, Outcome, Regulation, Words};
use firmware_proto::{CmdId, DoneCode, Epoch, Firmware, GatewayId};
use serde::{Deserialize, Serialize};
use tournament::{EntrantNo, RoundNo, TableNo};

use crate::{AccountDeed, Act, Actor, Entrant, Outgoing, ServerFault, Showing, TableBinding, TestFound};

/// One entry of the journal. Entries are numbered 1, 2, 3 … without a gap and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number.
    pub no: u64,
    /// When it was made, venue time.
    pub at: Epoch,
    /// Who made it.
    pub by: Actor,
    /// What it says.
    pub fact: Fact,
}

/// Who meets whom, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The table; a bye has the number after the last table.
    pub table: TableNo,
    /// Red, or who has the bye.
    pub red: EntrantNo,
    /// Black; `None`: bye (轮空).
    pub black: Option<EntrantNo>,
    /// The reasons of the pairing engine or of the pairing officer.
    pub why: Words,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The event was opened.
    Opened {
        /// Its title.
        title: String,
        /// Rounds to be played.
        rounds: u16,
        /// What it is played under.
        regulation: Box<Regulation>,
        /// Seed of the draw.
        seed: u64,
    },
    /// A player was entered.
    Entered(Entrant),
    /// Devices were put on a table.
    Bound(TableBinding),
    /// The numbers were drawn: number and player, by number.
    Drawn(Vec<(EntrantNo, Entrant)>),
    /// A round was paired and published.
    Paired {
        /// Which.
        round: RoundNo,
        /// Tables in order; a bye last.
        pairs: Vec<Pair>,
    },
    /// A round was started: the clocks are set, games may begin.
    Started {
        /// Which.
        round: RoundNo,
        /// How many observations the hall had handled by then: its games are read from the later ones.
        observations: u64,
    },
    /// Something happened in the current round's game at a table.
    Game {
        /// The table.
        table: TableNo,
        /// What.
        fact: GameFact,
    },
    /// An arbiter corrected the record of a running game: its tracker starts anew from the record as it stands.
    Rebased {
        /// The table.
        table: TableNo,
        /// How many observations the hall had handled by then: the later ones are read from there.
        observations: u64,
    },
    /// The result of a game of an earlier round was corrected.
    Corrected {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// How the game ended.
        outcome: Outcome,
    },
    /// An alert was raised.
    Raised {
        /// The alert's number.
        alert: u64,
        /// Its table, if it is about one.
        table: Option<TableNo>,
        /// What it says.
        notice: Box<Notice>,
    },
    /// An open alert says more than before.
    Amended {
        /// The alert's number.
        alert: u64,
        /// What it says now.
        notice: Box<Notice>,
    },
    /// An alert was taken up.
    Claimed {
        /// The alert.
        alert: u64,
    },
    /// An alert was handed to somebody, or back to all.
    Assigned {
        /// The alert.
        alert: u64,
        /// To whom.
        to: Option<String>,
    },
    /// Nobody took the alert up in time: it goes to the chief arbiter.
    Escalated {
        /// The alert.
        alert: u64,
    },
    /// An alert is closed.
    Settled {
        /// The alert.
        alert: u64,
        /// How.
        how: Settlement,
        /// Why.
        why: String,
    },
    /// A cause that somebody had dealt with is over: what comes of it later is a new one.
    Over {
        /// Its table.
        table: Option<TableNo>,
        /// Its alert's code.
        code: AlertCode,
        /// Its number.
        cause: u32,
    },
    /// A closed alert is open again.
    Recalled {
        /// The alert.
        alert: u64,
    },
    /// Somebody decided this; what it changed stands in the entries around it. The desk's steps have facts of their own.
    Decided {
        /// What.
        act: Box<Act>,
        /// What undoes it, in order; none: nothing does.
        inverse: Vec<Act>,
        /// Both times of its table then, Red's and Black's, ms, if they are known. Older journals lack them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<[u32; 2]>,
    },
    /// A decision was undone; what that changed stands in the entries after it.
    Undone {
        /// The number of the decision's entry.
        decision: u64,
    },
    /// The pieces of a table are being put right as recorded, or have been.
    PuttingRight {
        /// The table.
        table: TableNo,
        /// Whether it is done.
        done: bool,
    },
    /// The players of a table sit the other way round: its game is read anew.
    Swapped {
        /// The table.
        table: TableNo,
        /// How many observations the hall had handled by then.
        observations: u64,
    },
    /// Something of the server is at fault, or works again.
    Server {
        /// What.
        fault: ServerFault,
        /// Whether it is at fault.
        on: bool,
    },
    /// A device was told something; repeated until it is done.
    Commanded(Outgoing),
    /// A device has done, or refused, what it was told.
    Done {
        /// The command.
        command: CmdId,
        /// How it went.
        code: DoneCode,
    },
    /// A gateway came or went.
    Gateway {
        /// Which.
        id: GatewayId,
        /// Whether it is there.
        up: bool,
    },
    /// A gateway may bring observations from now on, or no longer.
    LetIn {
        /// Which.
        gateway: GatewayId,
        /// Whether it may.
        on: bool,
    },
    /// The broadcast was steered.
    Shown(Showing),
    /// A commentator's note on a ply.
    Noted {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// The ply, counted from 1; 0: the game.
        ply: u16,
        /// What he says; empty: nothing any more.
        text: String,
    },
    /// Whoever made the entry walks these tables from now on.
    Walks(BTreeSet<TableNo>),
    /// A self-test of a table's devices began.
    SelfTestBegun(TableNo),
    /// A self-test ended.
    SelfTested {
        /// The table.
        table: TableNo,
        /// What it found.
        found: TestFound,
    },
    /// This firmware is offered to devices; `None`: none any more.
    FirmwareOffered(Option<Firmware>),
    /// Something was done with an account.
    Account(AccountDeed),
    /// All results of the round are in.
    RoundOver(RoundNo),
    /// The organiser's desk did something.
    Desk(crate::desk::DeskFact),
}

/// How an alert was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// Something was done about it (已处理).
    Resolved,
    /// Nothing was to be done (不予处理).
    Dismissed,
    /// Its cause has gone (已自行解除).
    Passed,
}
