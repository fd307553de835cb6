//! Slips: results and their corrections, colours reversed at the table, line-ups.

use arbitration::{GameFact, Outcome};
use firmware_proto::Epoch;
use tournament::{EntrantNo, Lineup, RoundNo, TableNo};

use super::{reason, with};
use crate::desk::{DeskFact, DeskRefusal, EnteredAt};
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Actor, Fact, Hall};

impl Hall {
    pub(super) fn turned(&self, round: RoundNo, table: TableNo, why: &str) -> Result<DeskFact, DeskRefusal> {
        if self.desk.settings.team_rules().is_some() {
            return Err(DeskRefusal::TeamsOnly);
        }
        let of_round = self.rounds.iter().find(|one| one.no() == round).ok_or(DeskRefusal::NoRound(round))?;
        of_round.pairing(table).ok_or(DeskRefusal::NoTable(round, table))?;
        Ok(DeskFact::Turned { round, table, why: reason(why)? })
    }

    #[allow(clippy::too_many_arguments)] // A slip has these parts.
    pub(super) fn slip(
        &mut self,
        (no, table): (RoundNo, TableNo),
        outcome: Outcome,
        fouls: Option<[u16; 2]>,
        why: &str,
        at: EnteredAt,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let round = self.rounds.iter().find(|round| round.no() == no).ok_or(DeskRefusal::NoRound(no))?;
        let game = round.games.get(&table).ok_or(DeskRefusal::NoTable(no, table))?;
        let old = game.outcome().map(|(old, _)| old);
        let zh = |outcome: Outcome| format!("{}·{}", outcome.result.zh(), outcome.ending.zh());
        let en = |outcome: Outcome| format!("{}, {}", outcome.result.en(), outcome.ending.en());
        let did = match old {
            Some(old) if old != outcome => {
                let (zh, en) = ([zh(old), zh(outcome)].join(" → "), [en(old), en(outcome)].join(" → "));
                with(format!("改判 {zh}"), format!("corrected: {en}"), &reason(why)?)
            }
            Some(_) if fouls.is_some_and(|fouls| fouls != round.fouls(table)) => {
                let change = format!("{:?} → {:?}", round.fouls(table), fouls.unwrap_or_default());
                with(format!("改犯规 {change}"), format!("fouls corrected: {change}"), &reason(why)?)
            }
            Some(_) => return Ok(()),
            None => with(format!("录入 {}", zh(outcome)), format!("entered: {}", en(outcome)), why),
        };
        self.enter(Fact::Desk(DeskFact::Noted { round: no, table, fouls, did, at }), by.clone(), now, out)?;
        if self.rounds.last().is_some_and(|last| last.no() == no) {
            self.settle(table, now, now, out);
            let fact = GameFact::Ended { outcome, at: now };
            self.enter(Fact::Game { table, fact }, by, now, out)
        } else {
            self.enter(Fact::Corrected { round: no, table, outcome }, by, now, out)
        }
    }

    pub(super) fn line_up(
        &self,
        round: RoundNo,
        team: EntrantNo,
        lineup: Option<Lineup>,
        late: bool,
        now: Epoch,
    ) -> Result<DeskFact, Refusal> {
        let settings = &self.desk.settings;
        let rules = settings.team_rules().ok_or(DeskRefusal::NoTeams)?;
        self.numbered(team)?;
        if self.rounds.iter().any(|one| one.no() == round && one.started) {
            return Err(DeskRefusal::Started(round).into());
        }
        if let Some(lineup) = &lineup {
            lineup.check(rules, self.desk.members(team)).map_err(DeskRefusal::Lineup)?;
        }
        let due = settings.lineups_due(round);
        let is_late = due.is_some_and(|due| due < now);
        if is_late && !late {
            return Err(DeskRefusal::LineupLate.into());
        }
        Ok(DeskFact::LinedUp { round, team, lineup, late: is_late })
    }
}
