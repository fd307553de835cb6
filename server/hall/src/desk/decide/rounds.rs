//! The next round: its draft, changes by hand, publication, a table more.

use arbitration::{AlertCode, Words};
use firmware_proto::Epoch;
use tournament::{
    EntrantNo, GroupNo, Pairing, RoundNo, System, TableNo, Warning, check_pairing, number_tables,
};

use super::{reason, with};
use crate::desk::{DeskFact, DeskRefusal};
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Actor, Fact, Hall, Pair, event};

/// A pairing as the tournament looks at it.
pub(in crate::desk) fn as_pairings(pairs: &[Pair]) -> Vec<Pairing> {
    let pairing =
        |pair: &Pair| Pairing { table: pair.table, red: pair.red, black: pair.black, reasons: Vec::new() };
    pairs.iter().map(pairing).collect()
}

fn said<'a>(warnings: impl Iterator<Item = &'a Warning>) -> Words {
    let words: Vec<_> = warnings.map(Warning::words).collect();
    let zh: Vec<_> = words.iter().map(|words| words.zh.as_str()).collect();
    let en: Vec<_> = words.iter().map(|words| words.en.as_str()).collect();
    Words::new(zh.join("；"), en.join("; "))
}

impl Hall {
    fn draft(&self) -> Result<(RoundNo, Vec<Pair>), DeskRefusal> {
        self.desk.draft.clone().ok_or(DeskRefusal::NoDraft)
    }

    /// The round to be paired: the one before has to be over.
    fn next_round(&self) -> Result<RoundNo, DeskRefusal> {
        if self.alerts.open().any(|(_, alert)| alert.notice.code == AlertCode::ResultConflict) {
            return Err(DeskRefusal::Conflict);
        }
        match self.rounds.last() {
            Some(last) if !last.over => Err(DeskRefusal::NotOver(last.no())),
            Some(last) => Ok(last.no().next()),
            None => Ok(RoundNo(1)),
        }
    }
    /// The next round as the computer pairs it.
    pub(super) fn drafted(&self) -> Result<DeskFact, Refusal> {
        let round = self.next_round()?;
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        let Fact::Paired { round, pairs } = event::pair(event, round)? else {
            return Err(DeskRefusal::NoDraft.into());
        };
        Ok(DeskFact::Drafted {
            round,
            pairs: Some(pairs),
            did: Words::new("电脑编排", "paired by the computer"),
        })
    }

    /// One group of the draft as the computer pairs it; the others stay.
    pub(super) fn drafted_anew(&self, group: GroupNo) -> Result<DeskFact, Refusal> {
        let (round, mut pairs) = self.draft()?;
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        let Fact::Paired { pairs: proposed, .. } = event::pair(event, round)? else {
            return Err(DeskRefusal::NoDraft.into());
        };
        let is_member = |no: EntrantNo| event.group_of(no) == Some(group);
        // A pair of two groups, made by hand, is taken apart from either side.
        let ours = |pair: &Pair| is_member(pair.red) || pair.black.is_some_and(is_member);
        pairs.retain(|pair| !ours(pair));
        pairs.extend(proposed.into_iter().filter(ours));
        let tables = number_tables(event, as_pairings(&pairs))?;
        let at = |pair: &Pair| tables.iter().find(|it| it.red == pair.red).map(|it| it.table);
        for pair in &mut pairs {
            pair.table = at(pair).unwrap_or(pair.table);
        }
        pairs.sort_by_key(|pair| pair.table);
        let name = event.group(group).map_or("", |group| group.name.as_str());
        Ok(DeskFact::Drafted {
            round,
            pairs: Some(pairs),
            did: Words::new(format!("电脑编排 {name}"), format!("{name} paired by the computer")),
        })
    }

    /// Two change places in the draft.
    pub(super) fn swapped(&self, a: EntrantNo, b: EntrantNo, why: &str) -> Result<DeskFact, DeskRefusal> {
        let (round, mut pairs) = self.draft()?;
        for no in [a, b] {
            if !pairs.iter().any(|pair| pair.red == no || pair.black == Some(no)) {
                return Err(DeskRefusal::NoEntrant(no));
            }
        }
        let did = with(format!("{a}号、{b}号对调"), format!("{a} and {b} exchanged"), why);
        let turn = |no: EntrantNo| match no {
            no if no == a => b,
            no if no == b => a,
            no => no,
        };
        for pair in &mut pairs {
            let before = pair.clone();
            pair.red = turn(pair.red);
            pair.black = pair.black.map(turn);
            if *pair != before {
                pair.why = Words::new(format!("手工：{}", did.zh), format!("by hand: {}", did.en));
            }
        }
        Ok(DeskFact::Drafted { round, pairs: Some(pairs), did })
    }

    /// The two at a table of the draft change colours.
    pub(super) fn turned_in_draft(&self, table: TableNo, why: &str) -> Result<DeskFact, DeskRefusal> {
        let (round, mut pairs) = self.draft()?;
        let pair = pairs.iter_mut().find(|pair| pair.table == table);
        let Some((pair, black)) = pair.and_then(|pair| pair.black.map(|black| (pair, black))) else {
            return Err(DeskRefusal::NoTable(round, table));
        };
        let did = with(format!("{table}台换先后"), format!("table {table}: colours changed"), why);
        (pair.red, pair.black) = (black, Some(pair.red));
        pair.why = Words::new(format!("手工：{}", did.zh), format!("by hand: {}", did.en));
        Ok(DeskFact::Drafted { round, pairs: Some(pairs), did })
    }

    pub(super) fn discarded(&self) -> Result<DeskFact, DeskRefusal> {
        let (round, _) = self.draft()?;
        Ok(DeskFact::Drafted { round, pairs: None, did: Words::new("放弃草稿", "draft discarded") })
    }

    pub(super) fn unpublished(&self, why: &str) -> Result<DeskFact, DeskRefusal> {
        let last = self.rounds.last().ok_or(DeskRefusal::NoDraft)?;
        if last.started {
            return Err(DeskRefusal::Started(last.no()));
        }
        Ok(DeskFact::Unpublished { round: last.no(), why: reason(why)? })
    }

    pub(super) fn publish(
        &mut self,
        why: String,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let (round, pairs) = self.draft()?;
        if round != self.next_round()? {
            return Err(DeskRefusal::NoRound(round).into());
        }
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        let warnings = check_pairing(event, round, &as_pairings(&pairs))?;
        if warnings.iter().any(Warning::forbids_publishing) {
            let what = said(warnings.iter().filter(|warning| warning.forbids_publishing()));
            return Err(DeskRefusal::Unpublishable(what).into());
        }
        if why.trim().is_empty() && warnings.iter().any(Warning::needs_confirmation) {
            let what = said(warnings.iter().filter(|warning| warning.needs_confirmation()));
            return Err(DeskRefusal::NeedsReason(what).into());
        }
        if !why.trim().is_empty() {
            let did = with("公布", "published", &why);
            let fact = DeskFact::Drafted { round, pairs: Some(pairs.clone()), did };
            self.enter(Fact::Desk(fact), by.clone(), now, out)?;
        }
        self.enter(Fact::Paired { round, pairs }, by, now, out)
    }

    /// Refuses what only the Swiss system allows.
    pub(super) fn by_swiss(
        &self,
        group: GroupNo,
        zh: &'static str,
        en: &'static str,
    ) -> Result<(), DeskRefusal> {
        let settings = &self.desk.settings;
        match settings.group(group).map_or(settings.options.system, |group| group.field.system) {
            System::Swiss => Ok(()),
            System::RoundRobin { .. } | System::Knockout { .. } => Err(DeskRefusal::Fixed(zh, en)),
        }
    }

    pub(super) fn added(&self, red: EntrantNo, black: EntrantNo) -> Result<DeskFact, Refusal> {
        let group = self.numbered(red)?.group;
        self.by_swiss(group, "循环赛、淘汰赛不加台", "tables are added in a Swiss event only")?;
        if self.numbered(black)?.group != group {
            return Err(DeskRefusal::Fixed("两人不同组", "the two are in different groups").into());
        }
        let round = self.rounds.last().filter(|last| !last.over).ok_or(DeskRefusal::NoRound(RoundNo(0)))?;
        if self.desk.settings.team_rules().is_some() {
            return Err(DeskRefusal::TeamsOnly.into());
        }
        for no in [red, black] {
            self.numbered(no)?;
            let plays = |pair: &Pair| pair.black.is_some() && (pair.red == no || pair.black == Some(no));
            if round.pairs().iter().any(plays) || red == black {
                return Err(DeskRefusal::Paired(no).into());
            }
        }
        let last = round.tables().map(|table| table.0).max().unwrap_or(0);
        let why = Words::new("开赛后加台", "table added in the running round");
        let pair = Pair { table: TableNo(last + 1), red, black: Some(black), why };
        Ok(DeskFact::Added { round: round.no(), pair })
    }
}
