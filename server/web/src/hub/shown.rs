//! What is shown: the latest view of everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use hall::Broadcast;
use hall::desk::DeskView;
use hall::view::{AlertsView, EventView, GameView, RoundView, StandingView, TeamsView};
use tournament::{RoundNo, TableNo};

use crate::evaluation::Evaluation;

/// The latest view of everything.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The event, once it was opened.
    pub event: Option<Arc<EventView>>,
    /// Rounds that were paired.
    pub rounds: BTreeMap<RoundNo, Arc<RoundView>>,
    /// Games of all rounds.
    pub games: BTreeMap<(RoundNo, TableNo), Arc<GameView>>,
    /// The newest standing.
    pub standing: Option<Arc<StandingView>>,
    /// The teams, in a team event.
    pub teams: Option<Arc<TeamsView>>,
    /// What an engine thinks of games that are over: for the public that sees results only.
    pub evaluations: BTreeMap<(RoundNo, TableNo), Arc<Evaluation>>,
    /// The alerts; empty for the public.
    pub alerts: Arc<AlertsView>,
    /// How the broadcast is set.
    pub broadcast: Arc<Broadcast>,
    /// Whether results were left out.
    pub without_results: bool,
    /// The organiser's desk, with personal data: for staff only.
    pub desk: Option<Arc<DeskView>>,
}

impl Shown {
    /// The current round: the one that says so, else the last one.
    #[must_use]
    pub fn current_round(&self) -> Option<&Arc<RoundView>> {
        self.rounds.values().rev().find(|round| round.current).or_else(|| self.rounds.values().next_back())
    }
}
