//! Who plays: the draw of numbers, late entries, withdrawals, absences.

use std::collections::BTreeSet;

use arbitration::Words;
use firmware_proto::Epoch;
use std::collections::BTreeMap;

use tournament::{EntrantNo, GroupNo, MemberNo, RoundNo, draw_halves, draw_numbers};

use crate::desk::roster::{Form, FormNo};
use crate::desk::rules::{Standing, standing};
use crate::desk::settings::Played;
use crate::desk::{Desk, DeskFact, DeskRefusal, DrawBy, Whom};
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Actor, Entrant, Fact, Hall};

impl Desk {
    /// Who would be drawn: everybody who is here and whose form counts.
    pub(crate) fn present(&self) -> Vec<Whom> {
        let counts = |no: &FormNo| match standing(&self.settings, &self.files, *no) {
            Standing::Struck | Standing::Rejected | Standing::Unpaid => false,
            Standing::Pending(_) | Standing::Waived | Standing::Accepted => true,
        };
        let here = self.files.iter().filter(|(no, file)| file.here.is_some() && counts(no));
        here.flat_map(|(no, file)| self.whose(*no, &file.form)).collect()
    }

    /// The numbers that a form asks for: one for a team in a team event, else one a player.
    fn whose(&self, form: FormNo, of: &Form) -> Vec<Whom> {
        match self.settings.played {
            Played::InTeams(_) => vec![Whom { form, member: None }],
            Played::Individually => {
                let members = (1..=of.players.len() as u16).map(MemberNo);
                members.map(|member| Whom { form, member: Some(member) }).collect()
            }
        }
    }

    /// Those who would be drawn, group by group; where there are no groups, all together.
    fn drawn_together(&self) -> Result<BTreeMap<GroupNo, Vec<Whom>>, DeskRefusal> {
        let mut groups: BTreeMap<GroupNo, Vec<Whom>> = BTreeMap::new();
        let mut without = Vec::new();
        for whom in self.present() {
            match self.group_asked(whom) {
                Some(group) => groups.entry(group).or_default().push(whom),
                None => without.extend(self.named(whom).map(|(named, _)| named.name)),
            }
        }
        if without.is_empty() { Ok(groups) } else { Err(DeskRefusal::NoGroup(without)) }
    }

    /// Name and unit, and whether a house player.
    pub(crate) fn named(&self, whom: Whom) -> Option<(Entrant, bool)> {
        let form = &self.files.get(&whom.form)?.form;
        let (name, house) = match whom.member {
            Some(member) => form.player(member).map(|player| (player.name.clone(), player.house))?,
            None => (form.name().to_owned(), false),
        };
        let unit = if whom.member.is_some() { form.unit() } else { &form.unit };
        Some((Entrant { name, unit: unit.to_owned() }, house))
    }
}

impl Hall {
    pub(super) fn numbered(&self, no: EntrantNo) -> Result<&tournament::Entrant, DeskRefusal> {
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        event.entrant(no).ok_or(DeskRefusal::NoEntrant(no))
    }

    pub(super) fn draw(
        &mut self,
        how: DrawBy,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        if self.event.is_some() {
            return Err(DeskRefusal::DrawnAlready.into());
        }
        let groups = self.desk.drawn_together()?;
        if groups.is_empty() {
            return Err(DeskRefusal::Nobody.into());
        }
        // Each group draws from 1; the numbers of the hall run on from one group to the next.
        let mut numbers: Vec<(EntrantNo, Whom)> = Vec::new();
        for (group, present) in groups {
            let drawn = match &how {
                DrawBy::Computer { seed } => draw_numbers(present, *seed),
                DrawBy::Halves { seed } => draw_halves(present, *seed),
                DrawBy::Hand(all) => {
                    let ours = all
                        .iter()
                        .filter(|(_, whom)| self.desk.group_asked(*whom).unwrap_or_default() == group);
                    by_hand(&present, ours.copied().collect())?
                }
            };
            let before = numbers.len() as u16;
            numbers.extend(drawn.into_iter().map(|(no, whom)| (EntrantNo(no.0 + before), whom)));
        }
        let named = |(no, whom): &(EntrantNo, Whom)| Some((*no, self.desk.named(*whom)?.0));
        let drawn: Vec<(EntrantNo, Entrant)> = numbers.iter().filter_map(named).collect();
        self.enter(Fact::Desk(DeskFact::Numbered(numbers)), by.clone(), now, out)?;
        self.enter(Fact::Drawn(drawn), by, now, out)
    }

    pub(super) fn enter_late(
        &self,
        no: FormNo,
        member: Option<MemberNo>,
        from: RoundNo,
    ) -> Result<DeskFact, Refusal> {
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        let whom = Whom { form: no, member };
        let file = self.desk.file(no)?;
        if !self.desk.whose(no, &file.form).contains(&whom) {
            return Err(DeskRefusal::NoMember.into());
        }
        if let Some((number, _)) = self.desk.whose.iter().find(|(_, known)| **known == whom) {
            return Err(DeskRefusal::HasNumber(*number).into());
        }
        let running = self.rounds.len() as u16;
        if from.0 < running.max(1) {
            return Err(DeskRefusal::Started(from).into());
        }
        let Some(group) = self.desk.group_asked(whom) else {
            return Err(DeskRefusal::NoGroup(self.desk.ungrouped(&file.form)).into());
        };
        if running > 0 {
            self.by_swiss(
                group,
                "循环赛、淘汰赛第1轮公布后不能补报",
                "only a Swiss event takes entries after round 1 is published",
            )?;
        }
        let (named, house) = self.desk.named(whom).ok_or(DeskRefusal::NoMember)?;
        let number = event.next_free_number();
        let entrant = tournament::Entrant {
            first_round: (from.0 > 1).then_some(from),
            house,
            group,
            ..tournament::Entrant::new(number, named.name.clone(), named.unit)
        };
        let did = Words::new(
            format!("补报 {}，第{from}轮起", named.name),
            format!("entered late: {}, from round {from}", named.name),
        );
        Ok(DeskFact::Entrant { no: number, entrant: Some(entrant), whom: Some(whom), did })
    }

    pub(super) fn entrant(
        &self,
        no: EntrantNo,
        change: impl FnOnce(&mut tournament::Entrant),
        did: Words,
    ) -> Result<DeskFact, Refusal> {
        let mut entrant = self.numbered(no)?.clone();
        change(&mut entrant);
        Ok(DeskFact::Entrant { no, entrant: Some(entrant), whom: self.desk.whose.get(&no).copied(), did })
    }

    pub(super) fn readmit(
        &mut self,
        no: EntrantNo,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        let Some(from) = self.numbered(no)?.withdrawn_from else {
            return Err(DeskRefusal::Fixed("该号并未退赛", "this number has not withdrawn").into());
        };
        let paired = (from.0..=self.rounds.len() as u16).map(RoundNo);
        let missed: Vec<RoundNo> = paired.filter(|round| event.result_of(*round, no).is_none()).collect();
        let fact = self.entrant(
            no,
            |entrant| entrant.withdrawn_from = None,
            Words::new("恢复参赛", "back in the event"),
        )?;
        self.enter(Fact::Desk(fact), by.clone(), now, out)?;
        if missed.is_empty() {
            return Ok(());
        }
        self.enter(Fact::Desk(DeskFact::Absent { no, rounds: missed, absent: true }), by, now, out)
    }

    pub(super) fn absent(
        &self,
        no: EntrantNo,
        round: RoundNo,
        absent: bool,
    ) -> Result<DeskFact, DeskRefusal> {
        self.numbered(no)?;
        let paired = self.rounds.iter().find(|one| one.no() == round);
        let plays = |pair: &crate::Pair| pair.red == no || pair.black == Some(no);
        if paired.is_some_and(|one| one.pairs().iter().any(plays)) {
            return Err(DeskRefusal::Paired(no));
        }
        Ok(DeskFact::Absent { no, rounds: vec![round], absent })
    }
}

/// Numbers drawn by hand: 1 to N without a gap, each once, for everybody who is here.
fn by_hand(
    present: &[Whom],
    mut numbers: Vec<(EntrantNo, Whom)>,
) -> Result<Vec<(EntrantNo, Whom)>, DeskRefusal> {
    let wrong = |zh: String, en: String| Err(DeskRefusal::Numbers(Words::new(zh, en)));
    numbers.sort();
    for ((no, _), expected) in numbers.iter().zip(1..) {
        if no.0 < expected {
            return wrong(format!("{no}号重复或为0"), format!("number {no} is there twice, or is 0"));
        }
        if no.0 > expected {
            return wrong(format!("缺{expected}号"), format!("number {expected} is missing"));
        }
    }
    let given: BTreeSet<Whom> = numbers.iter().map(|(_, whom)| *whom).collect();
    let here: BTreeSet<Whom> = present.iter().copied().collect();
    let missing = here.difference(&given).count();
    let strangers = given.difference(&here).count();
    if missing > 0 || strangers > 0 || given.len() != numbers.len() {
        return wrong(
            format!("{missing}人没有号，{strangers}个号不属于已报到者"),
            format!("{missing} have no number, {strangers} numbers are of nobody who has checked in"),
        );
    }
    Ok(numbers)
}
