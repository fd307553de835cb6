//! What time alone brings: players who do not come, alerts that nobody takes up, a round that goes on too long.

use arbitration::{AlertCode, Evidence, Notice, Words};
use capture::PlyNo;
use firmware_proto::Epoch;
use tournament::TableNo;

use crate::Hall;
use crate::entry::Fact;
use crate::hall::Outputs;

/// An error must be raised within so many rounds; so many before that the arbiter is reminded (纠错时限).
const REMINDED_BEFORE: u16 = 2;

/// Alerts about errors that can be corrected only for a while (a, article 9). Their cause is a ply.
const CORRECTABLE: [AlertCode; 4] =
    [AlertCode::Illegal, AlertCode::SelfCheck, AlertCode::LostMove, AlertCode::PosMismatch];

impl Hall {
    /// When time alone brings something, and what.
    pub(crate) fn due(&self) -> Option<(Epoch, &'static str)> {
        let tables = self.current_tables().filter_map(|no| {
            let table = self.tables.get(&no)?;
            self.game(no)?.due_after(table.waited())
        });
        let escalation = self.alerts.next_escalation().map(|at| (at, "nobody may take an alert up"));
        let late = self.late_round().map(|(at, _)| (at, "the round may go on too long"));
        tables.chain(escalation).chain(late).min_by_key(|(at, _)| *at)
    }

    /// Time has come so far.
    pub(crate) fn wait_until(&mut self, now: Epoch, out: &mut Outputs) {
        let tables: Vec<_> = self.current_tables().collect();
        for no in tables {
            self.wait_at(no, now, out);
        }
        for alert in self.alerts.escalating(now) {
            self.conclude(Fact::Escalated { alert }, now, out);
        }
        if let Some((_, notice)) = self.late_round().filter(|(at, _)| *at <= now) {
            self.raise(None, notice, now, out);
        }
    }

    /// Time has come so far at a table.
    pub(crate) fn wait_at(&mut self, no: TableNo, now: Epoch, out: &mut Outputs) {
        // Nobody can be seen to be missing at a table that is played without board and clock.
        if !self.tables.contains_key(&no) {
            return;
        }
        let alerts = &self.alerts;
        let known = |code, cause, stage| alerts.stands(Some(no), code, cause, stage);
        let notices = self.game(no).map(|game| game.brought_by(now, known)).unwrap_or_default();
        if let Some(table) = self.tables.get_mut(&no) {
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

    /// The alert about a round that goes on longer than its regulation allows for, and when it is due. Raised once.
    fn late_round(&self) -> Option<(Epoch, Notice)> {
        let (round, frame) = (self.rounds.last()?, self.frame.as_ref()?);
        let (began, code) = (round.began?, AlertCode::RoundLate);
        if round.over || self.alerts.stands(None, code, u32::from(round.no().0), 0) {
            return None;
        }
        let open: Vec<u16> =
            round.games.iter().filter(|(_, game)| game.outcome().is_none()).map(|(no, _)| no.0).collect();
        let at = began.plus(i64::from(frame.regulation.round_time().0));
        let words = Words::new(
            format!("第{}轮已超时，尚有{}台未结束", round.no().0, open.len()),
            format!("Round {} goes on too long; {} tables still play", round.no().0, open.len()),
        );
        let cause = u32::from(round.no().0);
        Some((at, Notice::new(code, cause, at, words, Evidence::Tables { tables: open })))
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
