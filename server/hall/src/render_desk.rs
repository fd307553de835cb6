//! The hall as its arbiters see it: one table whole, closed alerts, decisions.

use arbitration::{AlertCode, Consequence, DrawTalk, GameFact, Offence};
use capture::PlyNo;
use tournament::TableNo;
use xiangqi::Side;
use xiangqi::judge::Class;

use crate::alerts::Alert;
use crate::desk::DeskAct;
use crate::render::ply;
use crate::view::{AlertView, ClosedAlertView, DecisionView, LimitView, RemedyView, TableView};
use crate::{Act, Hall};

impl Hall {
    /// A table of the current round as its arbiter sees it; `None`: no game there.
    #[must_use]
    pub fn table_view(&self, no: TableNo) -> Option<TableView> {
        let (game, table, round) = (self.game(no)?, self.tables.get(no)?, self.rounds.last()?);
        let sides = [Side::Red, Side::Black];
        let (count, excluded) = game.natural_limit();
        let (board_connected, clock_connected) = game.connected();
        let devices = [table.binding().board, table.binding().clock];
        Some(TableView {
            table: no,
            plies: game.plies().iter().map(ply).collect(),
            completed: u16::try_from(game.published().len()).unwrap_or(u16::MAX),
            fen: game.position().fen(),
            image: table.image().map(|image| image.points.iter().map(|reading| reading.0).collect()),
            wrong: table.differing(),
            putting_right: self.putting_right.contains(&no),
            clocks: self.clocks(round, no, game),
            fouls: sides.map(|side| game.fouls()[side]),
            illegal_moves: sides.map(|side| game.offences(side, Offence::IllegalMove)),
            warnings: sides.map(|side| game.warnings()[side]),
            limit: LimitView {
                left: count.rounds_left(),
                rounds: game.regulation().natural_limit.rounds,
                counted: sides.map(|side| count.net()[side]),
                all: sides.map(|side| count.raw()[side]),
                excluded,
                claimant: count.claimant(),
            },
            order: game.order(),
            draw_offered_by: match game.draw_talk() {
                DrawTalk::Offered { by, .. } => Some(by),
                DrawTalk::Silent | DrawTalk::Agreed => None,
            },
            reported: game.reported().iter().map(|(source, result)| (*source, *result)).collect(),
            correctable_from: self.correctable_from(no),
            commands: self.open_commands().filter(|one| devices.contains(&one.device)).collect(),
            board_connected,
            clock_connected,
        })
    }

    /// Closed alerts, newest first, at most so many.
    #[must_use]
    pub fn closed_alerts(&self, at_most: usize) -> Vec<ClosedAlertView> {
        let closed = self.alerts.history().filter_map(|(id, alert)| {
            let closed = alert.closed.as_ref()?;
            Some(ClosedAlertView {
                alert: alert_view(id, alert),
                how: closed.how,
                at: closed.at,
                by: closed.by.clone(),
                why: closed.why.clone(),
            })
        });
        closed.take(at_most).collect()
    }

    /// What people decided and could be undone, newest first; of one table, or of all.
    #[must_use]
    pub fn decisions(&self, table: Option<TableNo>) -> Vec<DecisionView> {
        let all = self.decisions.iter().rev();
        let ours = all.filter(|(_, one)| table.is_none() || self.table_of_act(&one.act) == table);
        ours.map(|(no, one)| DecisionView {
            no: *no,
            round: one.round,
            table: self.table_of_act(&one.act),
            at: one.at,
            by: one.by.clone(),
            act: one.act.clone(),
            times: one.times,
            undone: one.undone,
            undoable: !one.undone && !one.inverse.is_empty(),
        })
        .collect()
    }

    /// What the alert about a table's repetition would say if an arbiter ruled so; `None`: there would be none.
    #[must_use]
    pub fn if_classed(&self, no: TableNo, classes: &[(PlyNo, Option<Class>)]) -> Option<AlertView> {
        let mut game = self.game(no)?.clone();
        let at = game.plies().last()?.read.at;
        let fact = GameFact::Classed { classes: classes.to_vec(), at };
        game.apply(&fact);
        let about = [AlertCode::RepDone, AlertCode::RepDeadline];
        let notice = game.consequences(&fact).into_iter().find_map(|consequence| match consequence {
            Consequence::Raise(notice) => Some(notice).filter(|notice| about.contains(&notice.code)),
            Consequence::End(..)
            | Consequence::Clear(_)
            | Consequence::ClearCause(..)
            | Consequence::ClearFrom(..) => None,
        })?;
        let open = self.alerts.of_cause(Some(no), notice.code, notice.cause);
        let (id, mut alert) = open.map(|(id, alert)| (id, alert.clone()))?;
        alert.notice = notice;
        Some(alert_view(id, &alert))
    }

    /// Whether a person decided something about a table after this entry of the journal: so that the second of two
    /// who act at once is told of the first.
    #[must_use]
    pub fn decided_since(&self, table: TableNo, entry: u64) -> bool {
        let later = self.decisions.range(entry.saturating_add(1)..);
        later.into_iter().any(|(_, one)| self.table_of_act(&one.act) == Some(table))
    }

    /// The table that an act is about, if it is about one.
    pub(crate) fn table_of_act(&self, act: &Act) -> Option<TableNo> {
        match act {
            Act::Open { .. } | Act::Enter(_) | Act::Draw | Act::Pair | Act::Start => None,
            Act::Show(_) | Act::Walk(_) | Act::OfferFirmware(_) | Act::WithdrawFirmware => None,
            Act::Desk(DeskAct::Result { table, .. } | DeskAct::Turned { table, .. }) => Some(*table),
            Act::Desk(_) => None,
            Act::Note { table, .. } => Some(*table),
            Act::Bind(binding) => Some(binding.table),
            Act::Result { table, .. }
            | Act::Foul { table, .. }
            | Act::Misconduct { table, .. }
            | Act::Warn { table, .. }
            | Act::OfferDraw { table, .. }
            | Act::Order { table, .. }
            | Act::ClaimLimit { table, .. }
            | Act::Classify { table, .. }
            | Act::SelfTest { table, .. }
            | Act::Call { table, .. }
            | Act::Present { table, .. }
            | Act::Report { table, .. }
            | Act::Correct { table, .. }
            | Act::SetClock { table, .. }
            | Act::AddTime { table, .. }
            | Act::Run { table, .. }
            | Act::Reopen(table)
            | Act::DeclineDraw(table)
            | Act::PutRight(table)
            | Act::Swap(table) => Some(*table),
            Act::Pause(tables) | Act::Resume(tables) => match tables[..] {
                [table] => Some(table),
                _ => None,
            },
            Act::Claim(alert)
            | Act::Recall(alert)
            | Act::Assign { alert, .. }
            | Act::Settle { alert, .. }
            | Act::Dismiss { alert, .. }
            | Act::Remedy { alert, .. } => self.alerts.any(*alert)?.table,
            Act::Undo(decision) => self.table_of_act(&self.decisions.get(decision)?.act),
        }
    }
}

/// An alert as pages show it.
pub(crate) fn alert_view(id: u64, alert: &Alert) -> AlertView {
    let notice = &alert.notice;
    AlertView {
        id,
        code: notice.code,
        severity: notice.severity,
        table: alert.table,
        at: notice.at,
        evidence: [notice.evidence.zh.clone(), notice.evidence.en.clone()],
        proposal: [notice.proposal.zh.clone(), notice.proposal.en.clone()],
        claimed_by: alert.claimed_by.clone(),
        escalated: alert.escalated,
        times: alert.times,
        data: notice.data.clone(),
        remedies: notice
            .remedies
            .iter()
            .map(|remedy| {
                let words = remedy.words();
                RemedyView { words: [words.zh, words.en], steps: remedy.clone() }
            })
            .collect(),
    }
}
