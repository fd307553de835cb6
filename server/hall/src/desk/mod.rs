//! 编排处: the organiser's desk. Entries, fees, check-in, the draw, drafts of pairings, line-ups, corrections.
//!
//! [`DeskAct`]s are decided in `decide/`, become [`DeskFact`]s of the journal, and are taken in by `fold.rs`. `view.rs` and
//! `prizes.rs` are what the desk's pages and documents are made of; they hold personal data and are for signed-in staff only.

mod decide;
mod fact;
mod fold;
mod groups;
mod prizes;
mod refusal;
mod roster;
mod rules;
mod settings;
mod simul;
mod source;
mod teams;
mod view;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use arbitration::{Regulation, Words};
use firmware_proto::Epoch;
use tournament::{EntrantNo, Event, Lineup, RoundNo};

pub use fact::{DeskAct, DeskFact, DrawBy, Seat, Whom};
pub use groups::Group;
pub use prizes::PrizeLine;
pub use refusal::DeskRefusal;
pub use roster::{Born, BornError, File, Form, FormNo, Judged, Payment, Player, Ruling, Sex};
pub use rules::{Finding, Rule, Standing as FormStanding, due, findings, standing as form_standing};
pub use settings::{Document, Eligibility, Fees, Labelled, Played, PrizeFor, PrizeList, Settings};
pub use simul::{Challenger, ChallengerNo, Simul, SimulAct, SimulResult, SimulTerms};
pub use source::{EnteredAt, Source, Told};
pub use teams::person_no;
pub use view::{BoardRow, DeskRound, DeskView};

use crate::Pair;

/// How many lines of history and steps of undo are kept at hand; the journal has all.
const HISTORY: usize = 500;

/// One line of the desk's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The journal's entry.
    pub entry: u64,
    /// When.
    pub at: Epoch,
    /// By whom.
    pub by: String,
    /// What was done.
    pub did: Words,
}

/// A standing as it was posted: what is printed later is this one.
#[derive(Clone, Debug)]
pub struct Posting {
    /// 第几版: 1, then one more with each correction.
    pub version: u16,
    /// When.
    pub at: Epoch,
    /// The results that it rests on.
    pub event: Arc<Event>,
}

/// The desk's part of the hall's state.
#[derive(Clone, Debug, Default)]
pub struct Desk {
    pub(crate) settings: Settings,
    pub(crate) files: BTreeMap<FormNo, File>,
    pub(crate) whose: BTreeMap<EntrantNo, Whom>,
    pub(crate) draft: Option<(RoundNo, Vec<Pair>)>,
    pub(crate) lineups: BTreeMap<EntrantNo, BTreeMap<RoundNo, Lineup>>,
    pub(crate) simul: Simul,
    pub(crate) history: VecDeque<History>,
    pub(crate) postings: BTreeMap<RoundNo, Vec<Posting>>,
    /// What takes the last steps back, and what those were.
    undo: Vec<(Words, DeskFact)>,
}

impl Desk {
    /// The form that a number belongs to.
    pub(crate) fn file_of(&self, no: EntrantNo) -> Option<&File> {
        self.files.get(&self.whose.get(&no)?.form)
    }

    /// What the games of a round are played under.
    pub(crate) fn regulation(&self, regulation: &Regulation, round: RoundNo) -> Regulation {
        let time = self.settings.time_of(round).unwrap_or(regulation.time);
        Regulation { time, ..regulation.clone() }
    }

    /// The next form's number.
    fn next_form(&self) -> FormNo {
        FormNo(self.files.keys().next_back().map_or(1, |last| last.0.saturating_add(1)))
    }

    /// The draft was published: its steps cannot be taken back one by one any more.
    pub(crate) fn published(&mut self) {
        self.draft = None;
        self.undo.retain(|(_, inverse)| !matches!(inverse, DeskFact::Drafted { .. } | DeskFact::Numbered(_)));
    }

    /// A round has started: what it rests on is settled; notes on forms are not.
    pub(crate) fn started(&mut self) {
        self.undo.retain(|(_, inverse)| matches!(inverse, DeskFact::Filed { .. } | DeskFact::Simul { .. }));
    }

    /// Writes a line of history.
    pub(crate) fn note(&mut self, entry: u64, at: Epoch, by: &str, did: Words) {
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(History { entry, at, by: by.to_owned(), did });
    }

    /// Posts the standing after a round, unless it stands posted so already.
    pub(crate) fn post(&mut self, after: RoundNo, at: Epoch, event: &Event) {
        let versions = self.postings.entry(after).or_default();
        // A slip that corrects fouls and result in one is one version.
        if versions.last().is_some_and(|last| last.at == at && last.version > 1) {
            versions.pop();
        }
        // Later rounds do not change a standing; corrections and new names do.
        if !versions.last().is_some_and(|last| is_posted(&last.event, event, after)) {
            let version = versions.len() as u16 + 1;
            versions.push(Posting { version, at, event: Arc::new(event.clone()) });
        }
    }
}

/// Whether what was posted after a round is what would be posted now.
fn is_posted(posted: &Event, event: &Event, after: RoundNo) -> bool {
    let names = |event: &Event| event.data().entrants.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    groups::same_standing(posted, event, after) && names(posted) == names(event)
}
