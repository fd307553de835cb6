//! Whether an act can be done as things stand. What passes here is done without a further refusal.

use arbitration::DrawTalk;
use tournament::TableNo;

use crate::refusal::Refusal;
use crate::{Act, Actor, Hall, Role};

impl Hall {
    /// Refuses an act that cannot be done now, or not by this person.
    pub(crate) fn check(&self, act: &Act, by: &Actor) -> Result<(), Refusal> {
        match act {
            // These are checked where they are done: each makes its one entry, or none.
            Act::Open { .. }
            | Act::Enter(_)
            | Act::Draw
            | Act::Pair
            | Act::Start
            | Act::Show(_)
            | Act::Walk(_)
            | Act::Desk(_)
            | Act::Note { .. } => Ok(()),
            Act::Bind(binding) => {
                for device in [binding.board, binding.clock] {
                    if let Some((table, _)) = self.part(device).filter(|(table, _)| *table != binding.table) {
                        return Err(Refusal::Taken { device, table });
                    }
                }
                Ok(())
            }
            Act::Result { round, table, .. } => {
                let round = self.rounds.iter().find(|one| one.no() == *round);
                let game = round.and_then(|round| round.games.get(table));
                game.map(|_| ()).ok_or(Refusal::NoGame(*table))
            }
            Act::Reopen(table) => match self.running(*table, true)?.outcome() {
                Some(_) => Ok(()),
                None => Err(Refusal::Order("本局尚未结束", "this game has not ended")),
            },
            Act::Foul { table, side, given, .. } => {
                let fouls = self.running(*table, true)?.fouls()[*side];
                if *given || fouls > 0 {
                    Ok(())
                } else {
                    Err(Refusal::Order("该方没有犯规记录", "this side has no foul"))
                }
            }
            Act::Warn { table, side, given, .. } => {
                let warnings = self.running(*table, true)?.warnings()[*side];
                if *given || warnings > 0 {
                    Ok(())
                } else {
                    Err(Refusal::Order("该方没有警告记录", "this side has no warning"))
                }
            }
            Act::Report { table, .. } => self.running(*table, true).map(|_| ()),
            Act::Misconduct { table, .. }
            | Act::OfferDraw { table, .. }
            | Act::Order { table, .. }
            | Act::ClaimLimit { table, .. }
            | Act::Call { table, .. }
            | Act::Present { table, .. } => self.running(*table, false).map(|_| ()),
            Act::Classify { table, classes } => {
                let game = self.running(*table, false)?;
                let unknown = classes.iter().find(|(ply, _)| game.ply(*ply).is_none());
                unknown.map_or(Ok(()), |(ply, _)| Err(Refusal::NoPly { table: *table, ply: ply.0 }))
            }
            Act::DeclineDraw(table) => match self.running(*table, false)?.draw_talk() {
                DrawTalk::Offered { .. } => Ok(()),
                DrawTalk::Silent | DrawTalk::Agreed => Err(Refusal::Order("无人提和", "no draw was offered")),
            },
            Act::Correct { table, from, line } => {
                // What was played can be said of a game that has ended too; plies are taken back only to play on.
                let game = self.running(*table, !line.is_empty())?;
                if from.0 == 0 || usize::from(from.0) > game.plies().len() + 1 {
                    return Err(Refusal::NoPly { table: *table, ply: from.0 });
                }
                let plays_on = game.outcome().is_none();
                if plays_on && *from < self.correctable_from(*table) && by.role() != Some(Role::ChiefArbiter)
                {
                    let rounds = game.regulation().correction_rounds;
                    return Err(Refusal::TooOld { table: *table, ply: from.0, rounds });
                }
                Ok(())
            }
            Act::SetClock { table, .. }
            | Act::AddTime { table, .. }
            | Act::Run { table, .. }
            | Act::PutRight(table) => self.at_its_devices(*table),
            Act::SelfTest { table, step } => self.may_test(*table, *step),
            Act::OfferFirmware(_) => self.may_offer_firmware(),
            Act::WithdrawFirmware => self.may_withdraw_firmware(),
            Act::Swap(table) => {
                self.at_its_devices(*table)?;
                if self.running(*table, false)?.plies().len() > 1 {
                    return Err(Refusal::Order(
                        "双方已各走一着：请直接判定结果",
                        "the players changed their moves already: give the result by hand",
                    ));
                }
                Ok(())
            }
            Act::Pause(tables) | Act::Resume(tables) => {
                tables.iter().try_for_each(|table| self.at_its_devices(*table))
            }
            Act::Claim(alert) => self.open_to(*alert, by),
            Act::Assign { alert, .. } | Act::Settle { alert, .. } | Act::Dismiss { alert, .. } => {
                self.alerts.get(*alert).map(|_| ()).ok_or_else(|| self.no_alert(*alert))
            }
            Act::Recall(alert) => match self.alerts.any(*alert) {
                Some(alert) if alert.closed.is_some() => Ok(()),
                Some(_) => Err(Refusal::Order("此警报尚未结案", "this alert is open")),
                None => Err(Refusal::NoAlert(*alert)),
            },
            Act::Remedy { alert, choice, .. } => {
                self.open_to(*alert, by)?;
                self.steps(*alert, *choice)?.iter().try_for_each(|act| self.check(act, by))
            }
            Act::Undo(decision) => {
                let known = self.decisions.get(decision).filter(|one| !one.undone);
                let inverse = &known.ok_or(Refusal::NoDecision(*decision))?.inverse;
                inverse.first().map_or(Ok(()), |act| self.check(act, by))
            }
        }
    }

    /// The current round's game at a table; unless `even_ended`, one that has not ended.
    pub(crate) fn running(&self, no: TableNo, even_ended: bool) -> Result<&arbitration::Game, Refusal> {
        let game = self.game(no).ok_or(Refusal::NoGame(no))?;
        if !even_ended && game.outcome().is_some() {
            return Err(Refusal::Order(
                "本局已结束：先撤销结果",
                "this game has ended; take its end back first",
            ));
        }
        Ok(game)
    }

    fn at_its_devices(&self, no: TableNo) -> Result<(), Refusal> {
        self.running(no, false)?;
        self.tables.get(no).map(|_| ()).ok_or(Refusal::Unbound(no))
    }

    /// These tables; none named: all whose games run.
    pub(crate) fn meant(&self, tables: &[TableNo]) -> Vec<TableNo> {
        if tables.is_empty() {
            self.current_tables().filter(|no| self.running(*no, false).is_ok()).collect()
        } else {
            tables.to_vec()
        }
    }

    /// An alert that this person may take up: open, and nobody else has it; the chief arbiter takes any.
    fn open_to(&self, alert: u64, by: &Actor) -> Result<(), Refusal> {
        let open = self.alerts.get(alert).ok_or_else(|| self.no_alert(alert))?;
        match &open.claimed_by {
            Some(other) if other != by.name() && by.role() != Some(Role::ChiefArbiter) => {
                Err(Refusal::Claimed { alert, by: other.clone() })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Why an alert is not open.
    pub(crate) fn no_alert(&self, alert: u64) -> Refusal {
        match self.alerts.any(alert).and_then(|alert| alert.closed.as_ref()) {
            Some(closed) => Refusal::Closed { alert, by: closed.by.clone(), why: closed.why.clone() },
            None => Refusal::NoAlert(alert),
        }
    }
}
