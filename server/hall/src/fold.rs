//! The fold: how each entry of the journal changes the state. Nothing is concluded here.

use arbitration::{Game, GameFact, Outcome, Words};
use firmware_proto::Epoch;
use tournament::{EventData, RoundNo, TableNo};
use xiangqi::Position;

use crate::Hall;
use crate::alerts::Closed;
use crate::desk::{DeskFact, DeskRefusal, Settings};
use crate::entry::{Entry, Fact};
use crate::event::{self, EventFrame};
use crate::refusal::Refusal;
use crate::round::Round;
use crate::table::Table;
use crate::undo::Decision;

impl Hall {
    /// Takes an entry of the journal into the state.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), Refusal> {
        match &entry.fact {
            Fact::Opened { title, rounds, regulation, seed } => {
                self.frame = Some(EventFrame {
                    title: title.clone(),
                    rounds: *rounds,
                    regulation: (**regulation).clone(),
                    seed: *seed,
                });
                self.last_command = event::first_command(entry.at);
                self.desk.settings = Settings {
                    titles: vec![title.clone()],
                    rounds: *rounds,
                    ladder: event::ladder(regulation)?,
                    ..Settings::default()
                };
            }
            Fact::Entered(entrant) => self.entered.push(entrant.clone()),
            Fact::Bound(binding) => {
                self.devices.retain(|_, (table, _)| *table != binding.table);
                let skew = self.skew;
                let table = self.tables.put(binding.table, |former| Table::after(*binding, skew, former));
                for device in [binding.board, binding.clock] {
                    self.devices.extend(table.part(device).map(|part| (device, (binding.table, part))));
                }
                self.putting_right.remove(&binding.table);
            }
            Fact::Drawn(drawn) => {
                let frame = self.frame.as_ref().ok_or(DeskRefusal::NotOpen)?;
                let desk = &self.desk;
                let dress = |data: &mut EventData| {
                    event::set(data, &desk.settings);
                    for entrant in &mut data.entrants {
                        let whom = desk.whose.get(&entrant.no).and_then(|whom| desk.named(*whom));
                        entrant.house = whom.is_some_and(|(_, house)| house);
                        let asked = desk.whose.get(&entrant.no).and_then(|whom| desk.group_asked(*whom));
                        entrant.group = asked.unwrap_or_default();
                    }
                };
                self.event = Some(event::edit(&event::of(frame, drawn)?, dress)?);
            }
            Fact::Paired { round, pairs } => {
                let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
                let rules = self.desk.settings.team_rules().cloned();
                self.rounds.push(Round::new(*round, pairs.clone(), event, rules));
                self.desk.published();
                self.tell_desk(
                    entry,
                    Words::new(format!("公布第{round}轮对阵"), format!("round {round}: pairings published")),
                );
            }
            Fact::Started { round, observations } => {
                self.desk.started();
                self.tell_desk(
                    entry,
                    Words::new(format!("第{round}轮开赛"), format!("round {round} started")),
                );
                // From the round before on: how a board lay when this one began may have been seen then.
                self.replay_from = std::mem::replace(&mut self.started_from, *observations);
                self.start_games(entry.at, *observations);
            }
            Fact::Game { table, fact } => self.apply_to_game(*table, fact, entry)?,
            Fact::Rebased { table, observations } => self.rebase(*table, entry.at, *observations),
            Fact::Corrected { round, table, outcome } => {
                self.correct_result(*round, *table, *outcome, entry)?;
                self.post_from(*round, entry.at);
            }
            Fact::Desk(fact) => {
                self.fold_desk(fact, entry)?;
                if let DeskFact::Turned { round, .. } | DeskFact::Noted { round, .. } = fact {
                    self.post_from(*round, entry.at);
                }
            }
            Fact::Raised { alert, table, notice } => {
                self.alerts.raised(*alert, *table, (**notice).clone(), entry.at);
            }
            Fact::Amended { alert, notice } => self.alerts.amended(*alert, (**notice).clone(), entry.at),
            Fact::Claimed { alert } => self.alerts.assigned(*alert, Some(entry.by.name().to_owned())),
            Fact::Assigned { alert, to } => self.alerts.assigned(*alert, to.clone()),
            Fact::Escalated { alert } => self.alerts.escalated(*alert),
            Fact::Settled { alert, how, why } => {
                let (by, why) = (entry.by.name().to_owned(), why.clone());
                self.alerts.settled(*alert, Closed { how: *how, at: entry.at, by, why });
            }
            Fact::Over { table, code, cause } => self.alerts.over(*table, *code, *cause),
            Fact::Recalled { alert } => self.alerts.recalled(*alert, entry.at),
            Fact::Decided { act, inverse, times } => {
                let (by, act, inverse) = (entry.by.clone(), (**act).clone(), inverse.clone());
                let round = self.rounds.last().map_or(RoundNo(0), Round::no);
                let decision =
                    Decision { round, at: entry.at, by, act, inverse, times: *times, undone: false };
                self.decisions.insert(entry.no, decision);
            }
            Fact::Undone { decision } => {
                if let Some(decision) = self.decisions.get_mut(decision) {
                    decision.undone = true;
                }
            }
            Fact::PuttingRight { table, done } => {
                if *done {
                    self.putting_right.remove(table);
                } else {
                    self.putting_right.insert(*table);
                }
            }
            Fact::Swapped { table, observations } => self.swap(*table, entry.at, *observations),
            Fact::Server { fault, on } => {
                if *on {
                    self.faults.insert(*fault);
                } else {
                    self.faults.remove(fault);
                }
            }
            Fact::Commanded(outgoing) => {
                self.last_command = self.last_command.max(outgoing.id.0);
                self.commands.insert(outgoing.id, *outgoing);
            }
            Fact::Done { command, .. } => {
                self.commands.remove(command);
            }
            Fact::Gateway { id, up } => {
                self.gateways.insert(id.clone(), *up);
            }
            Fact::Walks(tables) => {
                self.walks.insert(entry.by.name().to_owned(), tables.clone());
            }
            Fact::SelfTestBegun(table) => {
                if let Some(table) = self.tables.get_mut(*table) {
                    table.test_mut().begin(entry.at);
                }
            }
            Fact::SelfTested { table, found } => {
                if let Some(table) = self.tables.get_mut(*table) {
                    table.test_mut().end(entry.at, found.clone());
                }
            }
            Fact::FirmwareOffered(firmware) => self.firmware = *firmware,
            Fact::Account(_) => {}
            Fact::LetIn { gateway, on } => {
                if *on {
                    self.let_in.insert(gateway.clone());
                } else {
                    self.let_in.remove(gateway);
                }
            }
            Fact::Shown(showing) => self.booth.take(showing),
            Fact::Noted { round, table, ply, text } => {
                self.booth.note((*round, *table), *ply, entry.by.name(), text);
                if let Some(round) = self.rounds.iter_mut().find(|one| one.no() == *round) {
                    round.touch(*table);
                }
            }
            Fact::RoundOver(no) => {
                if let Some(round) = self.rounds.last_mut() {
                    round.over = true;
                }
                self.tell_desk(entry, Words::new(format!("第{no}轮结束"), format!("round {no} over")));
                self.post_from(*no, entry.at);
            }
        }
        self.last_entry = entry.no;
        self.last_at = entry.at;
        self.write_down(entry);
        Ok(())
    }

    fn apply_to_game(&mut self, no: TableNo, fact: &GameFact, entry: &Entry) -> Result<(), Refusal> {
        let round = self.rounds.last_mut().ok_or(Refusal::NoGame(no))?;
        let game = round.games.get_mut(&no).ok_or(Refusal::NoGame(no))?;
        let before = game.plies().len();
        game.apply(fact);
        self.plies = (self.plies + game.plies().len() as u64).saturating_sub(before as u64);
        round.touch(no);
        if let Some(table) = self.tables.get_mut(no) {
            table.has_journalled(fact, entry.at);
        }
        match fact {
            GameFact::Ended { outcome, .. } => {
                round.decided(no, *outcome, entry);
                let round = round.no();
                self.retake(round, no)?;
                if let Some(table) = self.tables.get_mut(no) {
                    table.end();
                }
            }
            GameFact::Reopened { .. } => {
                round.over = false;
                round.reopened(no);
                let round = round.no();
                self.retake(round, no)?;
            }
            GameFact::Found(_)
            | GameFact::Clocked(_)
            | GameFact::Signalled { .. }
            | GameFact::Linked { .. }
            | GameFact::Fouled { .. }
            | GameFact::Misbehaved { .. }
            | GameFact::Warned { .. }
            | GameFact::DrawOffered { .. }
            | GameFact::DrawDeclined { .. }
            | GameFact::Ordered { .. }
            | GameFact::LimitClaimed { .. }
            | GameFact::Classed { .. }
            | GameFact::Called { .. }
            | GameFact::Present { .. } => {}
            GameFact::Reported { source, result, .. } => {
                round.reported(no, *source, *result, entry);
            }
        }
        Ok(())
    }

    /// The players sit the other way round: the table's devices are read so from now on, and the game anew.
    fn swap(&mut self, no: TableNo, at: Epoch, observations: u64) {
        let Some(round) = self.rounds.last_mut() else { return };
        if let (Some(game), Some(table)) = (round.games.get_mut(&no), self.tables.get_mut(no)) {
            *game = Game::new(game.regulation().clone(), game.start().clone(), game.began());
            table.swap(game.start().clone(), at, observations);
            round.touch(no);
        }
    }

    fn rebase(&mut self, no: TableNo, at: Epoch, observations: u64) {
        if let Some(game) = self.rounds.last().and_then(|round| round.games.get(&no))
            && let Some(table) = self.tables.get_mut(no)
        {
            table.rebase(game, at, observations);
        }
    }

    fn correct_result(
        &mut self,
        round: RoundNo,
        no: TableNo,
        outcome: Outcome,
        entry: &Entry,
    ) -> Result<(), Refusal> {
        let round = self.rounds.iter_mut().find(|one| one.no() == round).ok_or(Refusal::NoGame(no))?;
        let game = round.games.get_mut(&no).ok_or(Refusal::NoGame(no))?;
        game.apply(&GameFact::Ended { outcome, at: entry.at });
        round.decided(no, outcome, entry);
        round.touch(no);
        let round = round.no();
        self.retake(round, no)
    }

    /// The tournament learns how the game at a table, or its match, stands.
    pub(crate) fn retake(&mut self, round: RoundNo, no: TableNo) -> Result<(), Refusal> {
        let Some(of) = self.rounds.iter().find(|one| one.no() == round) else { return Ok(()) };
        let Some(event) = &mut self.event else { return Ok(()) };
        match of.result(no) {
            Some(result) => event::take_result(event, result),
            None => event::forget_result(event, round, of.scored_at(no)),
        }
    }

    /// The standings after this round and later ones are posted anew where they have changed.
    fn post_from(&mut self, from: RoundNo, at: Epoch) {
        let Some(event) = &self.event else { return };
        for round in self.rounds.iter().filter(|round| round.over && round.no() >= from) {
            self.desk.post(round.no(), at, event);
        }
    }

    fn tell_desk(&mut self, entry: &Entry, did: Words) {
        self.desk.note(entry.no, entry.at, entry.by.name(), did);
    }

    fn start_games(&mut self, at: Epoch, after: u64) {
        let (Some(round), Some(frame)) = (self.rounds.last_mut(), &self.frame) else { return };
        round.started = true;
        round.began = Some(at);
        let tables: Vec<_> = round.tables().collect();
        let regulation = self.desk.regulation(&frame.regulation, round.no());
        for no in tables {
            round.games.insert(no, Game::new(regulation.clone(), Position::start(), at));
            self.alerts.begin(no);
            if let Some(table) = self.tables.get_mut(no) {
                table.begin(Position::start(), at, after);
            }
        }
        if let Some(event) = &mut self.event {
            // A bye is a result from the start (轮空); one that was recorded before is left as it is.
            for bye in round.byes(event) {
                let _ = event.record(bye);
            }
        }
    }
}
