//! What the hall concludes by itself: each entry, and the entries that follow from it.

use arbitration::{Consequence, GameFact, Notice, Words};
use firmware_proto::{ByHalf, ClockFace, ClockSetting, CmdId, Command, DeviceUid, Epoch, GatewayId};
use tournament::TableNo;

use crate::entry::{Entry, Fact};
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

    fn mark_changed(&self, fact: &Fact, out: &mut Outputs) {
        match fact {
            Fact::Game { table, fact } => {
                out.changed.insert(Changed::Game(*table));
                out.changed.insert(Changed::Round);
                if matches!(fact, GameFact::Ended { .. } | GameFact::Reopened { .. }) {
                    out.changed.extend([Changed::Event, Changed::Standing]);
                }
            }
            Fact::Raised { table, .. } => {
                out.changed.extend([Changed::Alerts, Changed::Event]);
                out.changed.extend(table.map(Changed::Game));
            }
            Fact::Claimed { .. } | Fact::Settled { .. } => {
                out.changed.extend([Changed::Alerts, Changed::Event]);
            }
            Fact::Rebased { table, .. } => {
                out.changed.insert(Changed::Game(*table));
            }
            Fact::Corrected { round, table, .. } => {
                out.changed.insert(Changed::Past(*round, *table));
                out.changed.extend([Changed::Round, Changed::Standing]);
            }
            Fact::Commanded(outgoing) => out.commands.push(*outgoing),
            Fact::Done { .. } => {}
            Fact::Gateway { .. } => {
                out.changed.insert(Changed::Event);
            }
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
                out.changed.extend([Changed::Event, Changed::Round, Changed::Standing]);
                out.changed.extend(self.current_tables().map(Changed::Game));
            }
        }
    }

    /// What the hall does by itself after an entry.
    fn follow(&mut self, fact: &Fact, now: Epoch, out: &mut Outputs) {
        match fact {
            Fact::Game { table, fact } => {
                let consequences = self.game(*table).map(|game| game.consequences(fact)).unwrap_or_default();
                self.draw_consequences(*table, consequences, now, out);
                if matches!(fact, GameFact::Ended { .. }) {
                    self.after_end(*table, now, out);
                }
            }
            Fact::Started { .. } => {
                let tables: Vec<_> = self.current_tables().collect();
                for table in tables {
                    self.set_up(table, now, out);
                }
                self.close_round(now, out);
            }
            Fact::Gateway { id, up } => self.after_gateway(&id.clone(), *up, now, out),
            Fact::Opened { .. }
            | Fact::Entered(_)
            | Fact::Bound(_)
            | Fact::Drawn(_)
            | Fact::Paired { .. }
            | Fact::Rebased { .. }
            | Fact::Corrected { .. }
            | Fact::Raised { .. }
            | Fact::Claimed { .. }
            | Fact::Settled { .. }
            | Fact::Commanded(_)
            | Fact::Done { .. }
            | Fact::Shown(_)
            | Fact::Noted { .. }
            | Fact::RoundOver(_) => {}
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
                Consequence::Clear(code) => self.pass(Some(no), code, 0, now, out),
                Consequence::ClearFrom(code, ply) => self.pass(Some(no), code, ply, now, out),
            }
        }
    }

    /// The plies that a game's end settles.
    pub(crate) fn settle(&mut self, no: TableNo, at: Epoch, now: Epoch, out: &mut Outputs) {
        let findings = self.tables.get_mut(&no).map(|table| table.settle(at)).unwrap_or_default();
        for finding in findings {
            self.conclude(Fact::Game { table: no, fact: GameFact::Found(finding) }, now, out);
        }
    }

    pub(crate) fn raise(&mut self, table: Option<TableNo>, notice: Notice, now: Epoch, out: &mut Outputs) {
        if !self.alerts.stands(table, notice.code, notice.cause) {
            let alert = self.alerts.next();
            self.conclude(Fact::Raised { alert, table, notice: Box::new(notice) }, now, out);
        }
    }

    /// Alerts that have lost their cause pass by themselves.
    pub(crate) fn pass(
        &mut self,
        table: Option<TableNo>,
        code: arbitration::AlertCode,
        from: u32,
        now: Epoch,
        out: &mut Outputs,
    ) {
        for alert in self.alerts.of(table, code, from) {
            self.conclude(Fact::Settled { alert, why: "已自行解除".into() }, now, out);
        }
    }

    /// The clock stops where the game ended; the round ends with its last game.
    fn after_end(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        if let Some(clock) = self.tables.get(&no).map(|table| table.binding().clock) {
            self.command(clock, Command::Pause, now, out);
        }
        self.close_round(now, out);
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
        let (Some(table), Some(frame)) = (self.tables.get(&no), &self.frame) else { return };
        let binding = table.binding();
        let time = frame.regulation.time;
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

    fn after_gateway(&mut self, id: &GatewayId, up: bool, now: Epoch, out: &mut Outputs) {
        let code = arbitration::AlertCode::GwDown;
        // One alert for all tables of a gateway: the cause is the gateway, by its place among the known ones.
        let cause = self.gateways.keys().position(|known| known == id).unwrap_or_default() as u32;
        if up {
            for alert in self.alerts.of(None, code, cause) {
                if self.alerts.get(alert).is_some_and(|open| open.notice.cause == cause) {
                    self.conclude(Fact::Settled { alert, why: "网关已恢复".into() }, now, out);
                }
            }
        } else {
            let evidence = Words::new(
                format!("网关 {id} 断线；各台照常进行，恢复后补录"),
                format!("Gateway {id} is down; games go on, what was played is taken in when it is back"),
            );
            let notice = Notice { code, cause, at: now, evidence, proposal: Words::default() };
            self.raise(None, notice, now, out);
        }
    }
}
