//! What time alone brings: players who do not come, alerts that nobody takes up, a round that goes on too long.

use arbitration::{AlertCode, Evidence, Notice, Words};
use capture::PlyNo;
use firmware_proto::Epoch;
use tournament::TableNo;

use crate::Hall;
use crate::entry::Fact;
use crate::hall::Outputs;
use crate::tables::Due;

/// An error must be raised within so many rounds; so many before that the arbiter is reminded (纠错时限).
const REMINDED_BEFORE: u16 = 2;

/// Alerts about errors that can be corrected only for a while (a, article 9). Their cause is a ply.
const CORRECTABLE: [AlertCode; 4] =
    [AlertCode::Illegal, AlertCode::SelfCheck, AlertCode::LostMove, AlertCode::PosMismatch];

impl Hall {
    /// When time is due at a table: for what its devices told, and for what time alone brings.
    fn due_at(&self, no: TableNo) -> Option<Due> {
        let table = self.tables.get(no)?;
        let waits = self.game(no).and_then(|game| game.due_after(table.waited()));
        table.poll_timeout().into_iter().chain(waits).min_by_key(|(at, _)| *at)
    }

    /// Reckons anew when time is due at the tables that were touched.
    pub(crate) fn reckon(&mut self) {
        for no in self.tables.touched() {
            let due = self.due_at(no);
            self.tables.set_due(no, due);
        }
        debug_assert_eq!(
            self.tables.next_due().map(|(at, _)| at),
            self.tables.iter().filter_map(|(no, _)| Some(self.due_at(no)?.0)).min(),
            "a table changed without being touched"
        );
    }

    /// When time alone brings something that belongs to no table, and what.
    pub(crate) fn due_at_no_table(&self) -> Option<Due> {
        let escalation = self.alerts.next_escalation().map(|at| (at, "nobody may take an alert up"));
        let late = self.round_late_at().map(|at| (at, "the round may go on too long"));
        escalation.into_iter().chain(late).min_by_key(|(at, _)| *at)
    }

    /// Time has come so far, at every table of the round and beside them.
    pub(crate) fn wait_everywhere(&mut self, now: Epoch, out: &mut Outputs) {
        for no in self.current_tables() {
            self.wait_at(no, now, out);
        }
        self.wait_at_no_table(now, out);
    }

    /// Time has come so far for what belongs to no table.
    pub(crate) fn wait_at_no_table(&mut self, now: Epoch, out: &mut Outputs) {
        for alert in self.alerts.escalating(now) {
            self.conclude(Fact::Escalated { alert }, now, out);
        }
        if let Some(at) = self.round_late_at().filter(|at| *at <= now)
            && let Some(notice) = self.round_late(at)
        {
            self.raise(None, notice, now, out);
        }
    }

    /// Time has come so far at a table.
    pub(crate) fn wait_at(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        // Nobody can be seen to be missing at a table that is played without board and clock.
        if self.tables.get(no).is_none() {
            return;
        }
        let alerts = &self.alerts;
        let known = |code, cause, stage| alerts.stands(Some(no), code, cause, stage);
        let notices = self.game(no).map(|game| game.brought_by(now, known)).unwrap_or_default();
        if let Some(table) = self.tables.get_mut(no) {
            table.has_waited(now);
        }
        for notice in notices {
            if notice.code == AlertCode::Absent && notice.cause > 0 {
                // The limit has passed: its own alert takes the place of the count-down.
                self.pass(Some(no), AlertCode::Absent, |cause| cause == 0, now, out);
            }
            self.raise(Some(no), notice, now, out);
        }
    }

    /// When the round goes on longer than its regulation allows for. That is told once.
    fn round_late_at(&self) -> Option<Epoch> {
        let (round, frame) = (self.rounds.last()?, self.frame.as_ref()?);
        let began = round.began?;
        let told = || self.alerts.stands(None, AlertCode::RoundLate, u32::from(round.no().0), 0);
        (!round.over && !told()).then(|| began.plus(i64::from(frame.regulation.round_time().0)))
    }

    /// The alert about that.
    fn round_late(&self, at: Epoch) -> Option<Notice> {
        let (no, open) = (self.rounds.last()?.no(), self.live_games().map(|no| no.0).collect::<Vec<_>>());
        let words = Words::new(
            format!("第{no}轮已超时，尚有{}台未结束", open.len()),
            format!("Round {no} goes on too long; {} tables still play", open.len()),
        );
        let (code, cause) = (AlertCode::RoundLate, u32::from(no.0));
        Some(Notice::new(code, cause, at, words, Evidence::Tables { tables: open }))
    }

    /// After a completed ply: errors that can soon be corrected no more (a, article 9).
    pub(crate) fn watch_window(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        let Some(game) = self.game(no) else { return };
        let (plies, limit) = (game.plies().len() as u32, game.regulation().correction_rounds);
        let mut notices = Vec::new();
        for (id, alert) in self.alerts.at(no).filter(|(_, alert)| CORRECTABLE.contains(&alert.notice.code)) {
            let cause = alert.notice.cause;
            let rounds = u16::try_from(plies.saturating_sub(cause) / 2).unwrap_or(u16::MAX);
            if rounds + REMINDED_BEFORE < limit {
                continue;
            }
            let passed = rounds >= limit;
            let words = if passed {
                Words::new(
                    format!("第{cause}着的差错已过{limit}回合，只有裁判长可以更正"),
                    format!(
                        "The error at ply {cause} is {limit} rounds old: only the chief arbiter corrects it"
                    ),
                )
            } else {
                Words::new(
                    format!("第{cause}着的差错已过{rounds}回合，{limit}回合内可更正"),
                    format!(
                        "The error at ply {cause} is {rounds} rounds old; it can be corrected within {limit}"
                    ),
                )
            };
            let ply = PlyNo(u16::try_from(cause).unwrap_or(u16::MAX));
            let data = Evidence::Window { alert: id, ply, rounds: rounds.min(limit), limit };
            let severity = if passed { arbitration::Severity::P1 } else { arbitration::Severity::P2 };
            let stage = u8::from(passed) + u8::try_from(rounds.min(limit)).unwrap_or_default();
            notices.push(
                Notice::new(AlertCode::FixWindow, cause, alert.notice.at, words, data)
                    .offering(alert.notice.remedies.clone())
                    .at_stage(stage, severity),
            );
        }
        for notice in notices {
            self.raise(Some(no), notice, now, out);
        }
    }

    /// An alert is closed: its correction window is over too.
    pub(crate) fn close_window(&mut self, alert: u64, now: Epoch, out: &mut Outputs) {
        let Some(closed) = self.alerts.any(alert) else { return };
        let (table, notice) = (closed.table, &closed.notice);
        if CORRECTABLE.contains(&notice.code) {
            let cause = notice.cause;
            self.pass(table, AlertCode::FixWindow, |other| other == cause, now, out);
        }
    }
}
