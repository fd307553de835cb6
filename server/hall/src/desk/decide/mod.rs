//! What the desk may do when: each act is refused with its reason, or becomes facts.

mod field;
mod forms;
mod rounds;
mod slips;

use arbitration::Words;
use firmware_proto::Epoch;
use tournament::System;

use super::settings::Settings;
use super::{DeskAct, DeskFact, DeskRefusal};
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Actor, Fact, Hall, event};

pub(super) use rounds::as_pairings;

pub(super) fn reason(why: &str) -> Result<String, DeskRefusal> {
    let why = why.trim();
    if why.is_empty() { Err(DeskRefusal::NoReason) } else { Ok(why.to_owned()) }
}

/// What was done, and why if that is said.
pub(super) fn with(zh: impl Into<String>, en: impl Into<String>, why: &str) -> Words {
    let Words { mut zh, mut en } = Words::new(zh, en);
    let why = why.trim();
    if !why.is_empty() {
        zh = format!("{zh}（{why}）");
        en = format!("{en} ({why})");
    }
    Words { zh, en }
}

impl Hall {
    pub(crate) fn desk_act(
        &mut self,
        act: DeskAct,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        if self.frame.is_none() {
            return Err(DeskRefusal::NotOpen.into());
        }
        let desk = &self.desk;
        let fact = match act {
            DeskAct::Set { settings, why } => self.set(*settings, why)?,
            DeskAct::Regulate { regulation, why } => {
                regulation.check()?;
                let why = if self.rounds.is_empty() { why } else { reason(&why)? };
                DeskFact::Regulated { regulation, why }
            }
            DeskAct::Register { form, late } => desk.register(*form, late, now)?,
            DeskAct::Amend { no, form } => desk.amend(no, *form, !self.rounds.is_empty())?,
            DeskAct::Strike { no, why } => desk.strike(no, &why)?,
            DeskAct::Restore(no) => desk.restore(no)?,
            DeskAct::Judge { no, rule, ruling, why } => {
                desk.judge(no, rule, ruling, &why, (by.name(), now))?
            }
            DeskAct::Pay { no, amount, receipt, payer } => desk.pay(no, amount, receipt, payer, now)?,
            DeskAct::CheckIn { no, here } => desk.check_in(no, here, now)?,
            DeskAct::Check { no, item, done } => desk.check(no, item, done)?,
            DeskAct::Draw(how) => return self.draw(how, by, now, out),
            DeskAct::EnterLate { no, member, from } => self.enter_late(no, member, from)?,
            DeskAct::Withdraw { no, from, why } => {
                let did = with(
                    format!("退赛，第{from}轮起"),
                    format!("withdrawn from round {from}"),
                    &reason(&why)?,
                );
                self.entrant(no, |entrant| entrant.withdrawn_from = Some(from), did)?
            }
            DeskAct::Readmit(no) => return self.readmit(no, by, now, out),
            DeskAct::Absent { no, round, absent } => self.absent(no, round, absent)?,
            DeskAct::Draft => self.drafted()?,
            DeskAct::DraftGroup(group) => self.drafted_anew(group)?,
            DeskAct::Swap { a, b, why } => self.swapped(a, b, &why)?,
            DeskAct::TurnDraft { table, why } => self.turned_in_draft(table, &why)?,
            DeskAct::Discard => self.discarded()?,
            DeskAct::Publish { why } => return self.publish(why, by, now, out),
            DeskAct::Unpublish { why } => self.unpublished(&why)?,
            DeskAct::AddTable { red, black } => self.added(red, black)?,
            DeskAct::Turned { round, table, why } => self.turned(round, table, &why)?,
            DeskAct::Result { round, table, outcome, fouls, why, at } => {
                return self.slip((round, table), outcome, fouls, &why, at, by, now, out);
            }
            DeskAct::LineUp { round, team, lineup, late } => self.line_up(round, team, lineup, late, now)?,
            DeskAct::Simul(act) => desk.simul.decide(act, now)?,
            DeskAct::Undo => {
                let (_, inverse) = desk.undo.last().ok_or(DeskRefusal::NothingToUndo)?;
                DeskFact::Undone(Box::new(inverse.clone()))
            }
        };
        self.enter(Fact::Desk(fact), by, now, out)
    }

    fn set(&self, settings: Settings, why: String) -> Result<DeskFact, Refusal> {
        let now = &self.desk.settings;
        if self.event.is_some() && settings.played != now.played {
            return Err(DeskRefusal::Fixed(
                "抽签后不能再改个人赛或团体赛",
                "individual or team cannot change after the draw",
            )
            .into());
        }
        if settings.team_rules().is_some() && !settings.options.tables.is_empty() {
            return Err(DeskRefusal::Fixed("团体赛不设固定台", "a team event has no fixed tables").into());
        }
        if let Some((zh, en)) = settings.groups_at_odds() {
            return Err(DeskRefusal::Fixed(zh, en).into());
        }
        if self.event.is_some() && settings.groups.len() != now.groups.len() {
            return Err(DeskRefusal::Fixed(
                "抽签后不能增减组别",
                "groups cannot be added or dropped after the draw",
            )
            .into());
        }
        let systems = |of: &Settings| -> Vec<System> {
            let own = if of.groups.is_empty() { Some(of.options.system) } else { None };
            own.into_iter().chain(of.groups.iter().map(|group| group.field.system)).collect()
        };
        if !self.rounds.is_empty() && systems(&settings) != systems(now) {
            return Err(DeskRefusal::Fixed(
                "第1轮公布后不能改赛制",
                "the system cannot change after round 1 is published",
            )
            .into());
        }
        if self.drops_rounds(&settings) {
            return Err(DeskRefusal::Fixed(
                "轮数不能少于已编排的轮次",
                "rounds already paired cannot be dropped",
            )
            .into());
        }
        if let Some(event) = &self.event {
            event::edit(event, |data| event::set(data, &settings))?;
        } else {
            // What an event without entrants would be: the ladder, the scoring and the number of rounds are looked at.
            let mut data = tournament::EventData::default();
            event::set(&mut data, &Settings { options: Default::default(), ..settings.clone() });
            tournament::Event::new(data)?;
            if !settings.options.tables.is_empty() {
                return Err(DeskRefusal::Fixed(
                    "固定台在抽签后按号填写",
                    "fixed tables are set by number, after the draw",
                )
                .into());
            }
            if !settings.options.forbidden.is_empty() {
                return Err(DeskRefusal::Fixed(
                    "回避对子在抽签后按号填写",
                    "forbidden pairs are set by number, after the draw",
                )
                .into());
            }
        }
        let weighed = |of: &Settings| {
            let rounds: Vec<u16> = of.groups.iter().map(|group| group.field.rounds).collect();
            (of.scoring, of.ladder.clone(), of.options.clone(), of.rounds, rounds)
        };
        let weighty = weighed(&settings) != weighed(now);
        let why = if weighty && !self.rounds.is_empty() { reason(&why)? } else { why };
        Ok(DeskFact::Set { settings: Box::new(settings), why })
    }

    /// Whether the Swiss system would have fewer rounds than were paired, in the event or in a group.
    fn drops_rounds(&self, settings: &Settings) -> bool {
        let paired = self.rounds.len() as u16;
        let fewer = |system: System, rounds: u16, paired: u16| system == System::Swiss && rounds < paired;
        if settings.groups.is_empty() {
            return fewer(settings.options.system, settings.rounds, paired);
        }
        let played = |no: usize| {
            let before = self.desk.settings.groups.get(no).map_or(0, |group| group.field.rounds);
            before.min(paired)
        };
        let groups = settings.groups.iter().map(|group| &group.field).enumerate();
        groups.into_iter().any(|(no, group)| fewer(group.system, group.rounds, played(no)))
    }
}
