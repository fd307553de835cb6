//! What people decide, and what it makes of the state: each act is refused with its reason, or becomes entries.

use arbitration::{AlertCode, Game, GameFact, Regulation};
use capture::{Finding, Irregularity, PlyNo, PlyRead, PlyState};
use firmware_proto::{ByHalf, ClockFace, ClockSetting, Command, Epoch, Millis};
use tournament::{RoundNo, TableNo};
use xiangqi::{Move, Side};

use crate::desk::{DeskAct, DeskFact, DeskRefusal, DrawBy};
use crate::entry::{Fact, Settlement};
use crate::event;
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Act, Actor, Hall};

/// Nothing is known of a clock that never told its times.
const UNREAD_CLOCK: Refusal = Refusal::Order(
    "棋钟从未报过用时：请直接设定双方用时",
    "its clock never told its times; set both times instead",
);

impl Hall {
    /// Does what somebody decided, or refuses it with the reason; nothing has changed then.
    pub(crate) fn act(&mut self, act: Act, by: Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
        self.check(&act, &by)?;
        if let Act::Desk(act) = act {
            // The desk keeps its own history, and takes its own steps back.
            return self.desk_act(act, by, now, out);
        }
        let inverse = self.inverse(&act, now).unwrap_or_default();
        let times = self.table_of_act(&act).and_then(|table| self.times(table, now));
        let decided = Fact::Decided { act: Box::new(act.clone()), inverse, times };
        if refuses_while_done(&act) {
            self.carry_out(act, by.clone(), now, out)?;
            return self.enter(decided, by, now, out);
        }
        self.enter(decided, by.clone(), now, out)?;
        self.carry_out(act, by, now, out)
    }

    /// Does several acts as one decision; each was checked.
    fn all(&mut self, acts: Vec<Act>, by: &Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
        for act in acts {
            // One may have made another needless: a game that has ended needs no clock.
            if self.check(&act, by).is_ok() {
                self.carry_out(act, by.clone(), now, out)?;
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, act: Act, by: Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
        let at = now;
        match act {
            Act::Open { title, rounds, regulation, seed } => {
                if self.frame.is_some() {
                    return Err(Refusal::Order("赛事已建立", "the event is open already"));
                }
                let regulation = Box::new(Regulation::read(&regulation)?);
                event::ladder(&regulation)?;
                self.enter(Fact::Opened { title, rounds, regulation, seed }, by, now, out)
            }
            Act::Enter(entrant) => {
                if self.event.is_some() {
                    return Err(Refusal::Order(
                        "已抽签，报名已截止",
                        "the numbers are drawn: the entries are closed",
                    ));
                }
                self.enter(Fact::Entered(entrant), by, now, out)
            }
            Act::Bind(binding) => self.bind(binding, by, now, out),
            Act::Draw => {
                let frame = self.frame.as_ref().ok_or(DeskRefusal::NotOpen)?;
                if self.entered.is_empty() {
                    // Entries by form are drawn from the event's seed too.
                    let seed = frame.seed;
                    return self.desk_act(DeskAct::Draw(DrawBy::Computer { seed }), by, now, out);
                }
                if self.event.is_some() {
                    return Err(DeskRefusal::DrawnAlready.into());
                }
                let drawn = tournament::draw_numbers(self.entered.clone(), frame.seed);
                self.enter(Fact::Drawn(drawn), by, now, out)
            }
            Act::Pair => {
                let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
                if self.rounds.last().is_some_and(|round| !round.over) {
                    return Err(Refusal::Order("上一轮尚未结束", "the round before is not over"));
                }
                if self.alerts.open().any(|(_, alert)| alert.notice.code == AlertCode::ResultConflict) {
                    return Err(DeskRefusal::Conflict.into());
                }
                let pairing = event::pair(event, RoundNo(self.rounds.len() as u16 + 1))?;
                self.enter(pairing, by, now, out)
            }
            Act::Start => self.start_round(by, now, out),
            Act::Desk(act) => self.desk_act(act, by, now, out),
            Act::Result { round, table, outcome } => {
                if self.rounds.last().is_none_or(|current| current.no() != round) {
                    return self.enter(Fact::Corrected { round, table, outcome }, by, now, out);
                }
                self.settle(table, now, now, out);
                self.enter_game(table, GameFact::Ended { outcome, at }, by, now, out)
            }
            Act::Reopen(table) => {
                self.enter_game(table, GameFact::Reopened { at }, by.clone(), now, out)?;
                self.enter(Fact::Rebased { table, observations: self.observations() }, by, now, out)
            }
            Act::Foul { table, side, given, offence, why } => {
                self.enter_game(table, GameFact::Fouled { side, given, offence, why, at }, by, now, out)
            }
            Act::Misconduct { table, side, what } => {
                self.enter_game(table, GameFact::Misbehaved { side, what, at }, by, now, out)
            }
            Act::Warn { table, side, given, what } => {
                self.enter_game(table, GameFact::Warned { side, given, what, at }, by, now, out)
            }
            Act::OfferDraw { table, side } => {
                self.enter_game(table, GameFact::DrawOffered { side, at }, by, now, out)
            }
            Act::DeclineDraw(table) => self.enter_game(table, GameFact::DrawDeclined { at }, by, now, out),
            Act::Order { table, order } => {
                self.enter_game(table, GameFact::Ordered { order, at }, by, now, out)
            }
            Act::ClaimLimit { table, claim } => {
                self.enter_game(table, GameFact::LimitClaimed { claim, at }, by, now, out)
            }
            Act::Classify { table, classes } => {
                self.enter_game(table, GameFact::Classed { classes, at }, by, now, out)
            }
            Act::SelfTest { table, step } => self.self_test(table, step, by, now, out),
            Act::Walk(tables) => self.enter(Fact::Walks(tables), by, now, out),
            Act::OfferFirmware(firmware) => self.offer_firmware(Some(firmware), by, now, out),
            Act::WithdrawFirmware => self.offer_firmware(None, by, now, out),
            Act::Call { table, side } => self.enter_game(table, GameFact::Called { side, at }, by, now, out),
            Act::Present { table, side, present } => {
                self.enter_game(table, GameFact::Present { side, present, at }, by, now, out)
            }
            Act::Report { table, source, result } => {
                self.enter_game(table, GameFact::Reported { source, result, at }, by, now, out)
            }
            Act::Correct { table, from, line } => self.correct(table, from, &line, by, now, out),
            Act::SetClock { table, red_ms, black_ms, running } => {
                self.set_clock(table, [red_ms, black_ms], running, by, now, out)
            }
            Act::AddTime { table, red_ms, black_ms } => {
                let [red, black] = self.times(table, now).ok_or(UNREAD_CLOCK)?;
                let add =
                    |left: u32, ms: i64| u32::try_from((i64::from(left) + ms).max(0)).unwrap_or(u32::MAX);
                let running = self.running_side(table);
                self.set_clock(table, [add(red, red_ms), add(black, black_ms)], running, by, now, out)
            }
            Act::Run { table, side } => {
                let table = self.tables.get(table).ok_or(Refusal::Unbound(table))?;
                let (half, clock) = (table.seating().half(side), table.binding().clock);
                let fact = self.commanded(clock, Command::Run(half));
                self.enter(fact, by, now, out)
            }
            Act::Pause(tables) => self.each_clock(&tables, |_| Command::Pause, by, now, out),
            Act::Resume(tables) => self.each_clock(&tables, Command::Run, by, now, out),
            Act::Show(showing) => self.show(showing, by, now, out),
            Act::Note { round, table, ply, text } => self.comment((round, table), ply, text, (by, now), out),
            Act::PutRight(table) => {
                let differs = self.tables.get(table).is_some_and(|table| !table.differing().is_empty());
                if differs {
                    return self.enter(Fact::PuttingRight { table, done: false }, by, now, out);
                }
                Ok(())
            }
            Act::Swap(table) => {
                self.enter(Fact::Swapped { table, observations: self.observations() }, by, now, out)
            }
            Act::Claim(alert) => self.enter(Fact::Claimed { alert }, by, now, out),
            Act::Assign { alert, to } => self.enter(Fact::Assigned { alert, to }, by, now, out),
            Act::Settle { alert, why } => {
                self.enter(Fact::Settled { alert, how: Settlement::Resolved, why }, by, now, out)
            }
            Act::Dismiss { alert, why } => {
                self.enter(Fact::Settled { alert, how: Settlement::Dismissed, why }, by, now, out)
            }
            Act::Recall(alert) => self.enter(Fact::Recalled { alert }, by, now, out),
            Act::Remedy { alert, choice, why } => {
                let steps = self.steps(alert, choice)?;
                let how = if steps.is_empty() { Settlement::Dismissed } else { Settlement::Resolved };
                self.enter(Fact::Settled { alert, how, why }, by.clone(), now, out)?;
                self.all(steps, &by, now, out)
            }
            Act::Undo(decision) => {
                let inverse = self.decisions.get(&decision).map(|one| one.inverse.clone());
                let inverse = inverse.ok_or(Refusal::NoDecision(decision))?;
                self.enter(Fact::Undone { decision }, by.clone(), now, out)?;
                self.all(inverse, &by, now, out)
            }
        }
    }

    /// Devices are put on a table; in mid-game they take the place of the ones that stood there.
    fn bind(
        &mut self,
        binding: crate::TableBinding,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let no = binding.table;
        let former = self.tables.get(no).map(|table| table.binding());
        let times = self.times(no, now);
        self.enter(Fact::Bound(binding), by.clone(), now, out)?;
        if self.game(no).is_some_and(|game| game.outcome().is_none()) {
            self.enter(Fact::Rebased { table: no, observations: self.observations() }, by.clone(), now, out)?;
            self.command(binding.board, Command::Snapshot, now, out);
            if former.is_some_and(|former| former.clock != binding.clock)
                && let Some(times) = times
            {
                self.set_clock(no, times, None, by, now, out)?;
            }
        }
        Ok(())
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

    /// Both times of a table now, Red and Black, ms: what the clock told last, and the time since.
    pub(crate) fn times(&self, no: TableNo, now: Epoch) -> Option<[u32; 2]> {
        let game = self.game(no)?;
        let reading = self.tables.get(no).and_then(|table| table.shown()).or(game.clock())?;
        Some([Side::Red, Side::Black].map(|side| {
            let passed = if reading.running == Some(side) { now.since(reading.at).max(0) } else { 0 };
            reading.left()[side].0.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX))
        }))
    }

    fn start_round(&mut self, by: Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
        let round = self.rounds.last().ok_or(Refusal::Order("还没有编排好的轮次", "no round is paired"))?;
        if round.started {
            return Err(Refusal::Order("本轮已开赛", "the round was started already"));
        }
        let no = round.no();
        if let Some(rules) = self.desk.settings.team_rules() {
            let seats = self.desk.seats(rules, no, round.pairs());
            self.enter(Fact::Desk(DeskFact::Seated { round: no, seats }), by.clone(), now, out)?;
        }
        // A table without board and clock is played all the same: its result is entered by hand.
        let fact = Fact::Started { round: no, observations: self.observations() };
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
        if let Some((_, ended)) = self.game(no).and_then(|game| game.outcome()) {
            return self.record_anew(no, from, line, ended, by, now, out);
        }
        let findings =
            self.tables.get_mut(no).map(|table| table.correct(from, line, now)).unwrap_or_default();
        for finding in findings {
            self.enter_game(no, GameFact::Found(finding), by.clone(), now, out)?;
        }
        self.enter(Fact::Rebased { table: no, observations: self.observations() }, by, now, out)
    }

    /// The plies of a game that has ended, from one on, as the arbiter gives them: to its end, for nothing is read any
    /// more. What stands so already is left as it is.
    #[allow(clippy::too_many_arguments)] // What is corrected, when the game ended, who, when, what comes of it.
    fn record_anew(
        &mut self,
        no: TableNo,
        from: PlyNo,
        line: &[Move],
        ended: Epoch,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let plies = self.game(no).map(Game::plies).unwrap_or_default();
        let kept = usize::from(from.0).saturating_sub(1);
        let read: Vec<_> = plies.iter().skip(kept).map(|ply| (ply.read.mv, ply.read.at)).collect();
        let same = read.iter().zip(line).take_while(|((was, _), is)| was == *is).count();
        let number = |index: usize| PlyNo(u16::try_from(kept + index + 1).unwrap_or(u16::MAX));
        let mut findings = Vec::new();
        if same < read.len() {
            findings.push(Finding::Withdrawn(number(same)));
        }
        findings.extend(line.iter().enumerate().skip(same).map(|(index, &mv)| {
            Finding::Read(PlyRead {
                no: number(index),
                mv,
                at: read.get(index).map_or(ended, |(_, at)| *at),
                state: PlyState::Locked,
                irregular: Some(Irregularity::Entered),
                why: None,
            })
        }));
        for finding in findings {
            self.enter_game(no, GameFact::Found(finding), by.clone(), now, out)?;
        }
        Ok(())
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
        let table = self.tables.get(no).ok_or(Refusal::Unbound(no))?;
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
        for no in self.meant(tables) {
            let to_move = self.running(no, false)?.position().side_to_move();
            let table = self.tables.get(no).ok_or(Refusal::Unbound(no))?;
            let (half, clock) = (table.seating().half(to_move), table.binding().clock);
            let fact = self.commanded(clock, command(half));
            self.enter(fact, by.clone(), now, out)?;
        }
        Ok(())
    }
}

/// Whether an act is checked only where it is done: it is no decision before it is.
const fn refuses_while_done(act: &Act) -> bool {
    match act {
        Act::Open { .. }
        | Act::Enter(_)
        | Act::Draw
        | Act::Pair
        | Act::Start
        | Act::Show(_)
        | Act::Note { .. }
        | Act::Desk(_) => true,
        Act::Bind(_)
        | Act::Result { .. }
        | Act::Reopen(_)
        | Act::Foul { .. }
        | Act::Misconduct { .. }
        | Act::Warn { .. }
        | Act::OfferDraw { .. }
        | Act::DeclineDraw(_)
        | Act::Order { .. }
        | Act::ClaimLimit { .. }
        | Act::Classify { .. }
        | Act::Walk(_)
        | Act::SelfTest { .. }
        | Act::OfferFirmware(_)
        | Act::WithdrawFirmware
        | Act::Call { .. }
        | Act::Present { .. }
        | Act::Report { .. }
        | Act::Correct { .. }
        | Act::SetClock { .. }
        | Act::AddTime { .. }
        | Act::Run { .. }
        | Act::PutRight(_)
        | Act::Swap(_)
        | Act::Pause(_)
        | Act::Resume(_)
        | Act::Claim(_)
        | Act::Assign { .. }
        | Act::Settle { .. }
        | Act::Dismiss { .. }
        | Act::Recall(_)
        | Act::Remedy { .. }
        | Act::Undo(_) => false,
    }
}
