//! What people decide, and what it makes of the state: each act is refused with its reason, or becomes entries.

use arbitration::{GameFact, Regulation};
use capture::PlyNo;
use firmware_proto::{ByHalf, ClockFace, ClockSetting, Command, Epoch, Millis};
use tournament::{RoundNo, TableNo};
use xiangqi::{Move, Side};

use crate::entry::Fact;
use crate::event;
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Act, Actor, Hall};

impl Hall {
    pub(crate) fn act(&mut self, act: Act, by: Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
        match act {
            Act::Open { title, rounds, regulation, seed } => {
                if self.frame.is_some() {
                    return Err(Refusal::Order("the event is open already"));
                }
                let regulation = Box::new(Regulation::preset(&regulation)?);
                event::ladder(&regulation)?;
                self.enter(Fact::Opened { title, rounds, regulation, seed }, by, now, out)
            }
            Act::Enter(entrant) => {
                if self.event.is_some() {
                    return Err(Refusal::Order("the numbers are drawn: the entries are closed"));
                }
                self.enter(Fact::Entered(entrant), by, now, out)
            }
            Act::Bind(binding) => {
                for device in [binding.board, binding.clock] {
                    if let Some((table, _)) = self.part(device).filter(|(table, _)| *table != binding.table) {
                        return Err(Refusal::Taken { device, table });
                    }
                }
                self.enter(Fact::Bound(binding), by, now, out)
            }
            Act::Draw => {
                let frame = self.frame.as_ref().ok_or(Refusal::Order("the event is not open"))?;
                if self.event.is_some() {
                    return Err(Refusal::Order("the numbers are drawn already"));
                }
                let drawn = tournament::draw_numbers(self.entered.clone(), frame.seed);
                self.enter(Fact::Drawn(drawn), by, now, out)
            }
            Act::Pair => {
                let event = self.event.as_ref().ok_or(Refusal::Order("the numbers are not drawn"))?;
                if self.rounds.last().is_some_and(|round| !round.over) {
                    return Err(Refusal::Order("the round before is not over"));
                }
                let pairing = event::pair(event, RoundNo(self.rounds.len() as u16 + 1))?;
                self.enter(pairing, by, now, out)
            }
            Act::Start => self.start_round(by, now, out),
            Act::Result { round, table, outcome } => {
                if self.rounds.last().is_none_or(|current| current.no() != round) {
                    return self.enter(Fact::Corrected { round, table, outcome }, by, now, out);
                }
                self.running(table, true)?;
                self.settle(table, now, now, out);
                self.enter_game(table, GameFact::Ended { outcome, at: now }, by, now, out)
            }
            Act::Reopen(table) => {
                if self.running(table, true)?.outcome().is_none() {
                    return Err(Refusal::Order("this game has not ended"));
                }
                self.enter_game(table, GameFact::Reopened { at: now }, by.clone(), now, out)?;
                self.enter(Fact::Rebased { table, observations: self.observations() }, by, now, out)
            }
            Act::Foul { table, side, given, why } => {
                if !given && self.running(table, true)?.fouls()[side] == 0 {
                    return Err(Refusal::Order("this side has no foul"));
                }
                self.running(table, true)?;
                self.enter_game(table, GameFact::Fouled { side, given, why, at: now }, by, now, out)
            }
            Act::Correct { table, from, line } => self.correct(table, from, &line, by, now, out),
            Act::SetClock { table, red_ms, black_ms, running } => {
                self.set_clock(table, [red_ms, black_ms], running, by, now, out)
            }
            Act::Pause(tables) => self.each_clock(&tables, |_| Command::Pause, by, now, out),
            Act::Resume(tables) => self.each_clock(&tables, Command::Run, by, now, out),
            Act::Show(showing) => self.show(showing, by, now, out),
            Act::Note { round, table, ply, text } => self.comment((round, table), ply, text, (by, now), out),
            Act::Claim(alert) => {
                self.alerts.get(alert).ok_or(Refusal::NoAlert(alert))?;
                self.enter(Fact::Claimed { alert }, by, now, out)
            }
            Act::Settle { alert, why } => {
                self.alerts.get(alert).ok_or(Refusal::NoAlert(alert))?;
                self.enter(Fact::Settled { alert, why }, by, now, out)
            }
        }
    }

    fn enter_game(
        &mut self,
        table: TableNo,
        fact: GameFact,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        self.enter(Fact::Game { table, fact }, by, now, out)
    }

    /// The current round's game at a table; unless `even_ended`, one that has not ended.
    fn running(&self, no: TableNo, even_ended: bool) -> Result<&arbitration::Game, Refusal> {
        let game = self.game(no).ok_or(Refusal::NoGame(no))?;
        if !even_ended && game.outcome().is_some() {
            return Err(Refusal::Order("this game has ended; take its end back first"));
        }
        Ok(game)
    }

    fn start_round(&mut self, by: Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
        let round = self.rounds.last().ok_or(Refusal::Order("no round is paired"))?;
        if round.started {
            return Err(Refusal::Order("the round was started already"));
        }
        if let Some(unbound) = round.tables().find(|no| !self.tables.contains_key(no)) {
            return Err(Refusal::Unbound(unbound));
        }
        let fact = Fact::Started { round: round.no(), observations: self.observations() };
        self.enter(fact, by, now, out)
    }

    /// The plies as the arbiter gives them, those after it read again from what the board told, and the tracker
    /// from there on.
    fn correct(
        &mut self,
        no: TableNo,
        from: PlyNo,
        line: &[Move],
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let plies = self.running(no, false)?.plies().len();
        if from.0 == 0 || usize::from(from.0) > plies + 1 {
            return Err(Refusal::NoPly { table: no, ply: from.0 });
        }
        let findings =
            self.tables.get_mut(&no).map(|table| table.correct(from, line, now)).unwrap_or_default();
        for finding in findings {
            self.enter_game(no, GameFact::Found(finding), by.clone(), now, out)?;
        }
        self.enter(Fact::Rebased { table: no, observations: self.observations() }, by, now, out)
    }

    fn set_clock(
        &mut self,
        no: TableNo,
        [red, black]: [u32; 2],
        running: Option<Side>,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let increment = self.running(no, false)?.regulation().time.increment;
        let table = self.tables.get(&no).ok_or(Refusal::Unbound(no))?;
        let (seating, clock) = (table.seating(), table.binding().clock);
        let mut left = ByHalf { a: Millis(0), b: Millis(0) };
        left[seating.half(Side::Red)] = Millis(red);
        left[seating.half(Side::Black)] = Millis(black);
        let face = ClockFace { left, running: running.map(|side| seating.half(side)) };
        let fact = self.commanded(clock, Command::SetClock(ClockSetting { face, increment }));
        self.enter(fact, by, now, out)
    }

    /// One command for the clock of each of these tables whose game runs; none named: all.
    fn each_clock(
        &mut self,
        tables: &[TableNo],
        command: impl Fn(firmware_proto::Half) -> Command,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let all: Vec<_> = if tables.is_empty() { self.current_tables().collect() } else { tables.to_vec() };
        for no in all {
            let game = match self.running(no, false) {
                Ok(game) => game,
                // “All” means all that run.
                Err(_) if tables.is_empty() => continue,
                Err(why) => return Err(why),
            };
            let to_move = game.position().side_to_move();
            let table = self.tables.get(&no).ok_or(Refusal::Unbound(no))?;
            let (half, clock) = (table.seating().half(to_move), table.binding().clock);
            let fact = self.commanded(clock, command(half));
            self.enter(fact, by.clone(), now, out)?;
        }
        Ok(())
    }
}
