//! The hall: its state, and what goes in and out.

use std::collections::{BTreeMap, BTreeSet};

use arbitration::{Game, GameFact};
use firmware_proto::{Beat, CmdId, DeviceUid, Epoch, GatewayId, Observation, Sighting};
use tournament::{Event, TableNo};

use crate::alerts::AlertBoard;
use crate::broadcast::Booth;
use crate::deeds::Deed;
use crate::desk::Desk;
use crate::entry::{Entry, Fact};
use crate::event::EventFrame;
use crate::feed::Part;
use crate::refusal::Refusal;
use crate::round::Round;
use crate::tables::{Due, Tables};
use crate::undo::Decision;
use crate::{Changed, Entrant, Input, Outgoing, ServerFault};

/// A whole event.
#[derive(Debug)]
pub struct Hall {
    pub(crate) skew: i64,
    pub(crate) last_entry: u64,
    /// When the last entry was made.
    pub(crate) last_at: Epoch,
    pub(crate) observations: u64,
    pub(crate) frame: Option<EventFrame>,
    pub(crate) entered: Vec<Entrant>,
    pub(crate) event: Option<Event>,
    pub(crate) desk: Desk,
    pub(crate) tables: Tables,
    pub(crate) devices: BTreeMap<DeviceUid, (TableNo, Part)>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) alerts: AlertBoard,
    pub(crate) booth: Booth,
    /// What people decided and could be undone, by the number of the entry.
    pub(crate) decisions: BTreeMap<u64, Decision>,
    /// Who did what, in the journal's order.
    pub(crate) deeds: Vec<Deed>,
    /// Which tables each arbiter walks, by account.
    pub(crate) walks: BTreeMap<String, BTreeSet<TableNo>>,
    /// Tables whose pieces are being put right.
    pub(crate) putting_right: BTreeSet<TableNo>,
    /// What is wrong with the server itself.
    pub(crate) faults: BTreeSet<ServerFault>,
    pub(crate) gateways: BTreeMap<GatewayId, bool>,
    /// Gateways that may bring observations, as the journal knows them.
    pub(crate) let_in: BTreeSet<GatewayId>,
    /// The firmware that is offered to devices.
    pub(crate) firmware: Option<firmware_proto::Firmware>,
    pub(crate) plies: u64,
    pub(crate) commands: BTreeMap<CmdId, Outgoing>,
    pub(crate) last_command: u32,
    pub(crate) replay_from: u64,
    /// How many observations had come when the current round was started.
    pub(crate) started_from: u64,
}

/// What the hall gives back.
#[derive(Debug, Default)]
pub struct Outputs {
    /// New journal entries, already part of the state: to be committed before anything else leaves.
    pub entries: Vec<Entry>,
    /// Commands for devices.
    pub commands: Vec<Outgoing>,
    /// Which views are new.
    pub changed: BTreeSet<Changed>,
}

impl Outputs {
    /// The tables whose games are new.
    fn tables(&self) -> BTreeSet<TableNo> {
        let table = |changed: &Changed| match changed {
            Changed::Game(no) | Changed::Past(_, no) => Some(*no),
            Changed::Event
            | Changed::Round
            | Changed::Standing
            | Changed::Alerts
            | Changed::Broadcast
            | Changed::Desk => None,
        };
        self.changed.iter().filter_map(table).collect()
    }
}

impl Hall {
    /// A hall in which nothing has happened. `skew`: how far two links of one table may lie apart, ms of venue
    /// time ([`crate::SKEW`] at normal speed).
    #[must_use]
    pub fn new(skew: i64) -> Hall {
        Hall {
            skew,
            last_entry: 0,
            last_at: Epoch(0),
            observations: 0,
            frame: None,
            entered: Vec::new(),
            event: None,
            desk: Desk::default(),
            tables: Tables::default(),
            devices: BTreeMap::new(),
            rounds: Vec::new(),
            alerts: AlertBoard::default(),
            booth: Booth::default(),
            decisions: BTreeMap::new(),
            deeds: Vec::new(),
            walks: BTreeMap::new(),
            putting_right: BTreeSet::new(),
            faults: BTreeSet::new(),
            gateways: BTreeMap::new(),
            let_in: BTreeSet::new(),
            firmware: None,
            plies: 0,
            commands: BTreeMap::new(),
            last_command: 0,
            replay_from: 0,
            started_from: 0,
        }
    }

    /// How many observations were handled, replayed ones included: the stored ones are numbered alike.
    #[must_use]
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Commands that no device has answered yet.
    pub fn open_commands(&self) -> impl Iterator<Item = Outgoing> + '_ {
        self.commands.values().copied()
    }

    /// The table that a device stands on.
    #[must_use]
    pub fn table_of(&self, device: DeviceUid) -> Option<TableNo> {
        self.part(device).map(|(table, _)| table)
    }

    /// Alerts ever raised, by code.
    #[must_use]
    pub fn alert_tally(&self) -> &BTreeMap<arbitration::AlertCode, u64> {
        self.alerts.tally()
    }

    /// Handles an input. Only an act can be refused; nothing has changed then.
    pub fn handle(&mut self, input: Input, now: Epoch) -> Result<Outputs, Refusal> {
        let handled = self.take_in(input, now);
        self.reckon();
        handled
    }

    fn take_in(&mut self, input: Input, now: Epoch) -> Result<Outputs, Refusal> {
        let mut out = Outputs::default();
        match input {
            Input::Observed(observations) => self.observed(&observations, now, &mut out),
            Input::Beats(beats) => self.beaten(&beats, now, &mut out),
            Input::Gateway { id, up } => {
                if self.gateways.get(&id) != Some(&up) {
                    self.conclude(Fact::Gateway { id, up }, now, &mut out);
                }
            }
            Input::LetIn(now_in) => {
                let changed: Vec<_> = self.let_in.symmetric_difference(&now_in).cloned().collect();
                for gateway in changed {
                    let on = now_in.contains(&gateway);
                    self.conclude(Fact::LetIn { gateway, on }, now, &mut out);
                }
            }
            Input::Server { fault, on } => {
                if self.faults.contains(&fault) != on {
                    self.conclude(Fact::Server { fault, on }, now, &mut out);
                }
            }
            // Whoever it was, it was done elsewhere: here it is only written down.
            Input::Account(deed, by) => {
                let written = self.enter(Fact::Account(deed), by, now, &mut out);
                debug_assert!(written.is_ok(), "an account's deed changes nothing here");
            }
            Input::Act(act, by) => {
                self.act(act, by, now, &mut out)?;
                // Where something was decided, something may be due at once: a settled alert's cause lasts.
                for no in out.tables() {
                    self.wait_at(no, now, &mut out);
                }
                self.wait_at_no_table(now, &mut out);
            }
            Input::Time => {
                for table in self.tables.due_by(now) {
                    self.advance(table, now, &mut out);
                }
                self.wait_at_no_table(now, &mut out);
            }
        }
        Ok(out)
    }

    /// When the hall wants [`Input::Time`], and why.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Due> {
        self.tables.next_due().into_iter().chain(self.due_at_no_table()).min_by_key(|(at, _)| *at)
    }

    fn observed(&mut self, observations: &[Observation], now: Epoch, out: &mut Outputs) {
        let mut touched = BTreeSet::new();
        for observation in observations {
            self.observations += 1;
            if let Sighting::Done(done) = observation.sighting
                && self.commands.contains_key(&done.command)
            {
                self.conclude(Fact::Done { command: done.command, code: done.code }, now, out);
            }
            let Some((no, part)) = self.part(observation.device) else {
                continue;
            };
            if let Some(table) = self.tables.get_mut(no) {
                table.take(part, observation);
                touched.insert(no);
            }
            self.hear_of_device(no, part, observation, now, out);
        }
        for no in touched {
            self.advance(no, now, out);
        }
    }

    fn beaten(&mut self, beats: &[Beat], now: Epoch, out: &mut Outputs) {
        for beat in beats {
            if let Some((no, part)) = self.part(beat.device)
                && let Some(table) = self.tables.get_mut(no)
            {
                let before = table.shown().and_then(|shown| shown.running);
                table.beat(part, beat);
                if table.shown().and_then(|shown| shown.running) != before {
                    out.changed.insert(Changed::Game(no));
                }
                self.advance(no, now, out);
            }
        }
    }

    /// Lets a table's game learn what is complete.
    pub(crate) fn advance(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        let Some(table) = self.tables.get_mut(no) else { return };
        let relinked = table.relinked();
        let facts = table.advance(now);
        if self.game(no).is_none() {
            return;
        }
        if let Some((board, clock)) = relinked {
            self.conclude(
                Fact::Game { table: no, fact: GameFact::Linked { board, clock, at: now } },
                now,
                out,
            );
        }
        for fact in facts {
            if self.game(no).is_some_and(|game| game.outcome().is_some()) {
                break;
            }
            self.conclude(Fact::Game { table: no, fact }, now, out);
        }
        self.wait_at(no, now, out);
    }

    pub(crate) fn part(&self, device: DeviceUid) -> Option<(TableNo, Part)> {
        self.devices.get(&device).copied()
    }

    pub(crate) fn game(&self, no: TableNo) -> Option<&Game> {
        self.rounds.last()?.games.get(&no)
    }

    pub(crate) fn live_games(&self) -> impl Iterator<Item = TableNo> + '_ {
        let games = self.rounds.last().into_iter().flat_map(|round| &round.games);
        games.filter(|(_, game)| game.outcome().is_none()).map(|(no, _)| *no)
    }

    pub(crate) fn current_tables(&self) -> impl Iterator<Item = TableNo> + use<> {
        self.rounds.last().map(|round| round.tables().collect::<Vec<_>>()).unwrap_or_default().into_iter()
    }
}
