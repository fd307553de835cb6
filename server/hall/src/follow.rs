//! What the hall concludes by itself: each entry, and the entries that follow from it.

use arbitration::{AlertCode, Consequence, Ending, GameFact, GameResult, Notice, Outcome};
use capture::Finding;
use firmware_proto::{ByHalf, ClockFace, ClockSetting, CmdId, Command, DeviceUid, Epoch};
use tournament::TableNo;

use crate::desk::DeskFact;
use crate::entry::{Entry, Fact, Settlement};
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Actor, Changed, Hall, Outgoing};

impl Hall {
    /// Makes an entry, takes it in, and makes the entries that follow from it.
    pub(crate) fn conclude(&mut self, fact: Fact, now: Epoch, out: &mut Outputs) {
        let made = self.enter(fact, Actor::Hall, now, out);
        debug_assert!(made.is_ok(), "the hall concludes only what fits its state");
    }

    pub(crate) fn enter(
        &mut self,
        fact: Fact,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let entry = Entry { no: self.last_entry + 1, at: now, by, fact };
        self.apply(&entry)?;
        self.mark_changed(&entry.fact, out);
        let follows = entry.fact.clone();
        out.entries.push(entry);
        self.follow(&follows, now, out);
        Ok(())
    }

    fn mark_changed(&mut self, fact: &Fact, out: &mut Outputs) {
        match fact {
            Fact::Game { table, fact } => {
                out.changed.insert(Changed::Game(*table));
                self.mark_status(*table, out);
                if matches!(
                    fact,
                    GameFact::Ended { .. } | GameFact::Reopened { .. } | GameFact::Fouled { .. }
                ) {
                    out.changed.extend([Changed::Event, Changed::Standing, Changed::Desk]);
                }
            }
            Fact::Raised { table, notice, .. } => {
                out.changed.extend([Changed::Alerts, Changed::Event]);
                if let Some(table) = *table {
                    out.changed.insert(Changed::Game(table));
                    self.mark_status(table, out);
                }
                out.changed.extend((notice.code == AlertCode::LostMove).then_some(Changed::Desk));
            }
            Fact::Amended { alert, .. }
            | Fact::Claimed { alert }
            | Fact::Assigned { alert, .. }
            | Fact::Escalated { alert }
            | Fact::Settled { alert, .. }
            | Fact::Recalled { alert } => {
                out.changed.extend([Changed::Alerts, Changed::Event]);
                let alert = self.alerts.any(*alert);
                // The desk shows which records are in doubt.
                let doubt = alert.is_some_and(|one| one.notice.code == AlertCode::LostMove);
                out.changed.extend(doubt.then_some(Changed::Desk));
                if let Some(table) = alert.and_then(|one| one.table) {
                    out.changed.insert(Changed::Game(table));
                    self.mark_status(table, out);
                }
            }
            Fact::Rebased { table, .. } | Fact::PuttingRight { table, .. } | Fact::Swapped { table, .. } => {
                out.changed.insert(Changed::Game(*table));
                self.mark_status(*table, out);
            }
            Fact::Over { .. } | Fact::Decided { .. } | Fact::Undone { .. } | Fact::Server { .. } => {}
            Fact::Corrected { round, table, .. } => {
                out.changed.extend([Changed::Past(*round, *table), Changed::Standing, Changed::Desk]);
            }
            Fact::Desk(fact) => {
                out.changed.insert(Changed::Desk);
                match fact {
                    DeskFact::Filed { .. }
                    | DeskFact::Drafted { .. }
                    | DeskFact::LinedUp { .. }
                    | DeskFact::Simul { .. } => {}
                    DeskFact::Turned { round, table, .. } | DeskFact::Noted { round, table, .. } => {
                        out.changed.extend([Changed::Past(*round, *table), Changed::Standing]);
                    }
                    DeskFact::Set { .. }
                    | DeskFact::Regulated { .. }
                    | DeskFact::Numbered(_)
                    | DeskFact::Entrant { .. }
                    | DeskFact::Absent { .. }
                    | DeskFact::Unpublished { .. }
                    | DeskFact::Added { .. }
                    | DeskFact::Seated { .. }
                    | DeskFact::Undone(_) => {
                        out.changed.extend([Changed::Event, Changed::Round, Changed::Standing]);
                        out.changed.extend(self.current_tables().map(Changed::Game));
                    }
                }
            }
            Fact::Commanded(outgoing) => out.commands.push(*outgoing),
            Fact::Done { .. } => {}
            Fact::Gateway { .. } => {
                out.changed.insert(Changed::Event);
            }
            Fact::Walks(_) => {
                out.changed.insert(Changed::Alerts);
            }
            Fact::LetIn { .. }
            | Fact::SelfTestBegun(_)
            | Fact::SelfTested { .. }
            | Fact::FirmwareOffered(_)
            | Fact::Account(_) => {}
            Fact::Shown(_) => {
                out.changed.insert(Changed::Broadcast);
            }
            Fact::Noted { round, table, .. } => {
                out.changed.insert(Changed::Past(*round, *table));
            }
            Fact::Opened { .. }
            | Fact::Entered(_)
            | Fact::Bound(_)
            | Fact::Drawn(_)
            | Fact::Paired { .. }
            | Fact::Started { .. }
            | Fact::RoundOver(_) => {
                out.changed.extend([Changed::Event, Changed::Round, Changed::Standing, Changed::Desk]);
                out.changed.extend(self.current_tables().map(Changed::Game));
            }
        }
    }

    /// The round's pairings say where each game stands: they are new when that is another than it was.
    fn mark_status(&mut self, no: TableNo, out: &mut Outputs) {
        let Some(round) = self.rounds.last() else { return };
        let status = round.games.get(&no).map(|game| self.status(no, round, game));
        if let (Some(round), Some(status)) = (self.rounds.last_mut(), status)
            && round.stands(no, status)
        {
            out.changed.insert(Changed::Round);
        }
    }

    /// What the hall does by itself after an entry.
    fn follow(&mut self, fact: &Fact, now: Epoch, out: &mut Outputs) {
        match fact {
            Fact::Game { table, fact } => {
                let consequences = self.game(*table).map(|game| game.consequences(fact)).unwrap_or_default();
                self.draw_consequences(*table, consequences, now, out);
                self.after_game_fact(*table, fact, now, out);
            }
            Fact::Started { .. } => {
                let tables: Vec<_> = self.current_tables().collect();
                for table in tables {
                    self.forget_former(table, now, out);
                    self.set_up(table, now, out);
                }
                self.wait_everywhere(now, out);
                self.forfeit_empty(now, out);
                self.close_round(now, out);
            }
            Fact::Gateway { id, up } => self.after_gateway(&id.clone(), *up, now, out),
            Fact::Server { fault, on } => self.after_server(*fault, *on, now, out),
            Fact::Settled { alert, .. } => self.close_window(*alert, now, out),
            Fact::RoundOver(_) => self.pass(None, AlertCode::RoundLate, |_| true, now, out),
            Fact::Swapped { table, .. } => self.set_up(*table, now, out),
            Fact::Opened { .. }
            | Fact::Entered(_)
            | Fact::Bound(_)
            | Fact::Drawn(_)
            | Fact::Paired { .. }
            | Fact::Rebased { .. }
            | Fact::Corrected { .. }
            | Fact::Raised { .. }
            | Fact::Amended { .. }
            | Fact::Claimed { .. }
            | Fact::Assigned { .. }
            | Fact::Escalated { .. }
            | Fact::Over { .. }
            | Fact::Recalled { .. }
            | Fact::Decided { .. }
            | Fact::Undone { .. }
            | Fact::PuttingRight { .. }
            | Fact::Commanded(_)
            | Fact::Done { .. }
            | Fact::Shown(_)
            | Fact::Walks(_)
            | Fact::LetIn { .. }
            | Fact::SelfTestBegun(_)
            | Fact::SelfTested { .. }
            | Fact::FirmwareOffered(_)
            | Fact::Account(_)
            | Fact::Desk(_)
            | Fact::Noted { .. } => {}
        }
    }

    fn draw_consequences(&mut self, no: TableNo, all: Vec<Consequence>, now: Epoch, out: &mut Outputs) {
        for consequence in all {
            match consequence {
                Consequence::End(outcome, at) => {
                    self.settle(no, at, now, out);
                    if self.game(no).is_some_and(|game| game.outcome().is_none()) {
                        let fact = GameFact::Ended { outcome, at };
                        self.conclude(Fact::Game { table: no, fact }, now, out);
                    }
                }
                Consequence::Raise(notice) => self.raise(Some(no), notice, now, out),
                Consequence::Clear(code) => self.pass(Some(no), code, |_| true, now, out),
                Consequence::ClearCause(code, one) => {
                    self.pass(Some(no), code, |cause| cause == one, now, out)
                }
                Consequence::ClearFrom(code, ply) => {
                    self.pass(Some(no), code, |cause| cause >= ply, now, out)
                }
            }
        }
    }

    /// The plies that a game's end settles.
    pub(crate) fn settle(&mut self, no: TableNo, at: Epoch, now: Epoch, out: &mut Outputs) {
        let findings = self.tables.get_mut(no).map(|table| table.settle(at)).unwrap_or_default();
        for finding in findings {
            self.conclude(Fact::Game { table: no, fact: GameFact::Found(finding) }, now, out);
        }
    }

    /// One alert a cause: a cause that has its alert says more there, one that was dealt with says nothing.
    pub(crate) fn raise(&mut self, table: Option<TableNo>, notice: Notice, now: Epoch, out: &mut Outputs) {
        let (code, cause) = (notice.code, notice.cause);
        match self.alerts.of_cause(table, code, cause) {
            Some((_, open)) if notice.stage < open.notice.stage || notice.says_the_same_as(&open.notice) => {}
            Some((alert, _)) => self.conclude(Fact::Amended { alert, notice: Box::new(notice) }, now, out),
            None if self.alerts.stands(table, code, cause, notice.stage) => {}
            None => {
                let alert = self.alerts.next();
                self.conclude(Fact::Raised { alert, table, notice: Box::new(notice) }, now, out);
            }
        }
    }

    /// Alerts that have lost their cause pass by themselves; what was dealt with may be raised again.
    pub(crate) fn pass(
        &mut self,
        table: Option<TableNo>,
        code: AlertCode,
        causes: impl Fn(u32) -> bool,
        now: Epoch,
        out: &mut Outputs,
    ) {
        for alert in self.alerts.of(table, code, &causes) {
            let (how, why) = (Settlement::Passed, "已自行解除".to_owned());
            self.conclude(Fact::Settled { alert, how, why }, now, out);
        }
        for cause in self.alerts.dealt_with(table, code, &causes) {
            self.conclude(Fact::Over { table, code, cause }, now, out);
        }
    }

    /// What was open about the table's game before belongs to history; what is wrong with its devices stays.
    fn forget_former(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        for code in AlertCode::ALL.into_iter().filter(|code| !code.is_of_devices()) {
            self.pass(Some(no), code, |_| true, now, out);
        }
    }

    /// What the hall does after something happened in a game, beside what the game itself concludes.
    fn after_game_fact(&mut self, no: TableNo, fact: &GameFact, now: Epoch, out: &mut Outputs) {
        match fact {
            GameFact::Ended { .. } => self.after_end(no, now, out),
            GameFact::Found(Finding::Confirmed(..)) => self.watch_window(no, now, out),
            GameFact::Found(Finding::Restored(_) | Finding::SetUpRight) => {
                if self.putting_right.contains(&no) {
                    self.conclude(Fact::PuttingRight { table: no, done: true }, now, out);
                }
            }
            GameFact::Found(
                Finding::Read(_)
                | Finding::Locked(_)
                | Finding::Withdrawn(_)
                | Finding::Mismatch { .. }
                | Finding::Disturbed { .. }
                | Finding::PressWithoutMove(..)
                | Finding::ClockTurned(..)
                | Finding::TouchMove { .. }
                | Finding::Ambiguous { .. }
                | Finding::SetUp { .. }
                | Finding::Suspects { .. }
                | Finding::BadPoint { .. },
            )
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
            | GameFact::Present { .. }
            | GameFact::Reported { .. }
            | GameFact::Reopened { .. } => {}
        }
    }

    /// The clock stops where the game ended; the round ends with its last game.
    fn after_end(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        if let Some(clock) = self.tables.get(no).map(|table| table.binding().clock) {
            self.command(clock, Command::Pause, now, out);
        }
        self.close_round(now, out);
    }

    /// A board of a match at which a side has no player is forfeited from the start.
    fn forfeit_empty(&mut self, now: Epoch, out: &mut Outputs) {
        let seats = self.rounds.last().map(|round| round.seats().to_vec()).unwrap_or_default();
        for seat in seats {
            let result = match seat.empty() {
                [false, false] => continue,
                [true, false] => GameResult::BlackWins,
                [false, true] => GameResult::RedWins,
                [true, true] => GameResult::BothLose,
            };
            let fact = GameFact::Ended { outcome: Outcome { result, ending: Ending::Forfeit }, at: now };
            self.conclude(Fact::Game { table: seat.table, fact }, now, out);
        }
    }

    fn close_round(&mut self, now: Epoch, out: &mut Outputs) {
        if let Some(round) = self.rounds.last()
            && round.started
            && !round.over
            && round.games.values().all(|game| game.outcome().is_some())
        {
            self.conclude(Fact::RoundOver(round.no()), now, out);
        }
    }

    /// Sets a table up for its game: the board shows itself, the clock waits for the first press.
    fn set_up(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        let (Some(table), Some(game)) = (self.tables.get(no), self.game(no)) else { return };
        let binding = table.binding();
        let time = game.regulation().time;
        let face = ClockFace { left: ByHalf { a: time.base, b: time.base }, running: None };
        self.command(binding.board, Command::Snapshot, now, out);
        self.command(
            binding.clock,
            Command::SetClock(ClockSetting { face, increment: time.increment }),
            now,
            out,
        );
    }

    pub(crate) fn command(&mut self, device: DeviceUid, command: Command, now: Epoch, out: &mut Outputs) {
        let fact = self.commanded(device, command);
        self.conclude(fact, now, out);
    }

    /// The entry by which a device is told something.
    pub(crate) fn commanded(&self, device: DeviceUid, command: Command) -> Fact {
        let id = CmdId(self.last_command.wrapping_add(1));
        Fact::Commanded(Outgoing { device, id, command })
    }
}
