//! The broadcast (直播) as the organisers steer it: how much later than the arbiters the public sees the games, whether
//! results stay hidden, what the hall's screens show, and the commentators' notes.
//!
//! None of it touches a game. It is part of the journal, so a restart shows the public no more than before.

use std::collections::{BTreeMap, BTreeSet};

use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use tournament::{RoundNo, TableNo};

use crate::entry::Fact;
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::view::NoteView;
use crate::{Actor, Hall};

/// Characters of a banner or a note at most.
const MOST_CHARS: usize = 500;

/// How much later the public sees a game: whatever is later of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delay {
    /// Minutes of venue time.
    pub minutes: u16,
    /// Plies (着) that have to be played after one before it is shown. The game's end ends the wait.
    pub plies: u16,
}

impl Delay {
    /// No delay.
    pub const NONE: Delay = Delay { minutes: 0, plies: 0 };

    /// The minutes, ms of venue time.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.minutes as i64 * 60_000
    }
}

/// A page of the hall's screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScreenPage {
    /// 对阵与结果.
    Pairings,
    /// Live boards (直播).
    Boards,
    /// 名次.
    Standings,
    /// The round timer (计时) with the way to the pages on a phone.
    Timer,
}

impl ScreenPage {
    /// All of them, in the order in which they take turns.
    pub const ALL: [ScreenPage; 4] =
        [ScreenPage::Pairings, ScreenPage::Boards, ScreenPage::Standings, ScreenPage::Timer];
}

/// What the hall waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// What happens then: 开赛.
    pub what: String,
    /// When, venue time.
    pub until: Epoch,
}

/// The settings of the broadcast.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broadcast {
    /// The delay of every table that has none of its own.
    pub delay: Delay,
    /// Tables with a delay of their own.
    pub tables: BTreeMap<TableNo, Delay>,
    /// Whether results and standings are kept from the public.
    pub hide_results: bool,
    /// The announcement (公告) on all screens and pages.
    pub banner: Option<String>,
    /// What the round timer counts down to.
    pub timer: Option<Timer>,
    /// The pages that take turns on the hall's screens; empty: those that have something to show.
    pub screen: BTreeSet<ScreenPage>,
}

impl Broadcast {
    /// The delay of a table.
    #[must_use]
    pub fn delay_of(&self, table: TableNo) -> Delay {
        self.tables.get(&table).copied().unwrap_or(self.delay)
    }

    /// The longest delay of all, ms: what says something about all tables waits so long.
    #[must_use]
    pub fn longest_ms(&self) -> i64 {
        self.tables.values().chain([&self.delay]).map(|delay| delay.ms()).max().unwrap_or(0)
    }

    /// Takes a change in.
    fn take(&mut self, showing: &Showing) {
        match showing {
            Showing::Delay { table: None, delay } => self.delay = delay.unwrap_or_default(),
            Showing::Delay { table: Some(table), delay: Some(delay) } => {
                self.tables.insert(*table, *delay);
            }
            Showing::Delay { table: Some(table), delay: None } => {
                self.tables.remove(table);
            }
            Showing::HideResults(hide) => self.hide_results = *hide,
            Showing::Banner(text) => self.banner.clone_from(text),
            Showing::Timer(timer) => self.timer.clone_from(timer),
            Showing::Screen(pages) => self.screen.clone_from(pages),
        }
    }
}

/// One change of the broadcast.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Showing {
    /// A delay is set, of the event or of a table; `None`: the event has none, the table has the event's.
    Delay {
        /// The table; `None`: the event.
        table: Option<TableNo>,
        /// The delay.
        delay: Option<Delay>,
    },
    /// Results are kept from the public, or are not any more.
    HideResults(bool),
    /// An announcement is put up, or taken down.
    Banner(Option<String>),
    /// The round timer is set, or taken down.
    Timer(Option<Timer>),
    /// Which pages take turns on the hall's screens.
    Screen(BTreeSet<ScreenPage>),
}

/// Everything of the broadcast that the hall keeps.
#[derive(Debug, Default)]
pub(crate) struct Booth {
    broadcast: Broadcast,
    notes: BTreeMap<(RoundNo, TableNo), Vec<NoteView>>,
}

impl Booth {
    pub(crate) fn take(&mut self, showing: &Showing) {
        self.broadcast.take(showing);
    }

    /// A commentator has one note a ply: a new one takes the old one's place, an empty one takes it away.
    pub(crate) fn note(&mut self, at: (RoundNo, TableNo), ply: u16, by: &str, text: &str) {
        let notes = self.notes.entry(at).or_default();
        notes.retain(|note| (note.ply, note.by.as_str()) != (ply, by));
        if !text.is_empty() {
            notes.push(NoteView { ply, by: by.to_owned(), text: text.to_owned() });
            notes.sort_by_key(|note| note.ply);
        }
    }

    pub(crate) fn notes(&self, round: RoundNo, table: TableNo) -> &[NoteView] {
        self.notes.get(&(round, table)).map_or(&[], Vec::as_slice)
    }
}

impl Hall {
    /// How the broadcast is set.
    #[must_use]
    pub fn broadcast_view(&self) -> Broadcast {
        self.booth.broadcast.clone()
    }

    pub(crate) fn show(
        &mut self,
        showing: Showing,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let text = match &showing {
            Showing::Banner(text) => text.as_deref(),
            Showing::Timer(timer) => timer.as_ref().map(|timer| timer.what.as_str()),
            Showing::Delay { .. } | Showing::HideResults(_) | Showing::Screen(_) => None,
        };
        if text.is_some_and(|text| text.trim().is_empty() || text.chars().count() > MOST_CHARS) {
            return Err(Refusal::Order("公告须为1至500字", "an announcement has 1 to 500 characters"));
        }
        self.enter(Fact::Shown(showing), by, now, out)
    }

    pub(crate) fn comment(
        &mut self,
        (round, table): (RoundNo, TableNo),
        ply: u16,
        text: String,
        (by, now): (Actor, Epoch),
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let game = self.game_view(round, table).ok_or(Refusal::NoGame(table))?;
        if usize::from(ply) > game.plies.len() {
            return Err(Refusal::NoPly { table, ply });
        }
        if text.chars().count() > MOST_CHARS {
            return Err(Refusal::Order("解说最多500字", "a note has 500 characters at most"));
        }
        self.enter(Fact::Noted { round, table, ply, text: text.trim().to_owned() }, by, now, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tables_own_delay_goes_before_the_events() {
        let mut broadcast = Broadcast::default();
        let minutes = |minutes| Delay { minutes, plies: 0 };
        broadcast.take(&Showing::Delay { table: None, delay: Some(minutes(15)) });
        broadcast.take(&Showing::Delay { table: Some(TableNo(3)), delay: Some(Delay::NONE) });
        assert_eq!(broadcast.delay_of(TableNo(1)), minutes(15));
        assert_eq!(broadcast.delay_of(TableNo(3)), Delay::NONE);
        assert_eq!(broadcast.longest_ms(), 15 * 60_000);
        broadcast.take(&Showing::Delay { table: Some(TableNo(3)), delay: None });
        assert_eq!(broadcast.delay_of(TableNo(3)), minutes(15));
        broadcast.take(&Showing::Delay { table: None, delay: None });
        assert_eq!(broadcast.longest_ms(), 0);
    }

    #[test]
    fn settings_read_back_from_the_journal() {
        let mut broadcast = Broadcast::default();
        broadcast
            .take(&Showing::Delay { table: Some(TableNo(12)), delay: Some(Delay { minutes: 1, plies: 4 }) });
        broadcast.take(&Showing::Screen(BTreeSet::from(ScreenPage::ALL)));
        let text = serde_json::to_string(&broadcast).expect("settings are JSON");
        assert_eq!(serde_json::from_str::<Broadcast>(&text).expect("and read back"), broadcast);
    }

    #[test]
    fn a_commentator_has_one_note_a_ply() {
        let (mut booth, at) = (Booth::default(), (RoundNo(1), TableNo(2)));
        booth.note(at, 5, "甲", "好棋");
        booth.note(at, 3, "甲", "开局");
        booth.note(at, 5, "乙", "未必");
        booth.note(at, 5, "甲", "妙手");
        let texts: Vec<_> = booth.notes(at.0, at.1).iter().map(|note| note.text.as_str()).collect();
        assert_eq!(texts, ["开局", "未必", "妙手"]);
        booth.note(at, 5, "甲", "");
        assert_eq!(booth.notes(at.0, at.1).len(), 2);
    }
}
