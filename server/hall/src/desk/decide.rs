//! What the desk may do when: each act is refused with its reason, or becomes facts.

use std::collections::BTreeSet;

use arbitration::{AlertCode, GameFact, Outcome, Words};
use firmware_proto::Epoch;
use tournament::{
    EntrantNo, Lineup, MemberNo, Pairing, RoundNo, TableNo, Warning, check_pairing, draw_halves, draw_numbers,
};

use super::roster::{File, Form, FormNo, Judged, Payment, Ruling};
use super::rules::{Standing, standing};
use super::settings::{Played, Settings};
use super::{Desk, DeskAct, DeskFact, DeskRefusal, DrawBy, Whom};
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::{Actor, Entrant, Fact, Hall, Pair, event};

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

fn reason(why: &str) -> Result<String, DeskRefusal> {
    let why = why.trim();
    if why.is_empty() { Err(DeskRefusal::NoReason) } else { Ok(why.to_owned()) }
}

fn with(what: &str, why: &str) -> String {
    if why.trim().is_empty() { what.to_owned() } else { format!("{what}（{}）", why.trim()) }
}

fn named_in_full(form: &Form) -> Result<(), DeskRefusal> {
    let nameless = form.players.iter().any(|player| player.name.trim().is_empty());
    let team = form.team.as_ref().is_some_and(|team| team.trim().is_empty());
    if form.players.is_empty() || nameless || team { Err(DeskRefusal::Nameless) } else { Ok(()) }
}

/// A pairing as the tournament looks at it.
pub(super) fn as_pairings(pairs: &[Pair]) -> Vec<Pairing> {
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
        let fact = match act {
            DeskAct::Set { settings, why } => self.set(*settings, why)?,
            DeskAct::Regulate { regulation, why } => {
                regulation.check()?;
                let why = if self.rounds.is_empty() { why } else { reason(&why)? };
                DeskFact::Regulated { regulation, why }
            }
            DeskAct::Register { form, late } => {
                named_in_full(&form)?;
                let closed = self.desk.settings.closes.is_some_and(|closes| closes < now);
                if closed && !late {
                    return Err(DeskRefusal::Closed.into());
                }
                let did = format!("报名 {}", form.name());
                let file = Some(Box::new(File::new(*form, now, closed)));
                DeskFact::Filed { no: self.desk.next_form(), file, did }
            }
            DeskAct::Amend { no, form } => {
                named_in_full(&form)?;
                let file = self.file(no)?;
                let drawn = self.desk.whose.values().any(|whom| whom.form == no);
                let reshaped = form.players.len() != file.form.players.len();
                if drawn && (reshaped || form.team.is_some() != file.form.team.is_some()) {
                    return Err(DeskRefusal::Drawn(no).into());
                }
                filed(no, File { form: *form, ..file.clone() }, "改资料".into())
            }
            DeskAct::Strike { no, why } => {
                let why = reason(&why)?;
                if self.desk.whose.values().any(|whom| whom.form == no) {
                    return Err(DeskRefusal::Drawn(no).into());
                }
                let did = with("撤销报名", &why);
                filed(no, File { struck: Some(why), ..self.file(no)?.clone() }, did)
            }
            DeskAct::Restore(no) => {
                filed(no, File { struck: None, ..self.file(no)?.clone() }, "恢复报名".into())
            }
            DeskAct::Judge { no, rule, ruling, why } => {
                let mut file = self.file(no)?.clone();
                let said = rule.words(&self.desk.settings).zh;
                let did = match ruling {
                    Some(ruling) => {
                        let why =
                            if ruling == Ruling::Waived { reason(&why)? } else { why.trim().to_owned() };
                        let did = with(&format!("{said} {}", ruling.zh()), &why);
                        file.judged.insert(rule, Judged { ruling, why, by: by.name().to_owned(), at: now });
                        did
                    }
                    None => {
                        file.judged.remove(&rule);
                        format!("{said} 重新待审")
                    }
                };
                filed(no, file, did)
            }
            DeskAct::Pay { no, amount, receipt, payer } => {
                let mut file = self.file(no)?.clone();
                let did = format!("缴费{amount}元 收据{receipt}");
                file.payments.push(Payment { amount, receipt, payer, at: now });
                filed(no, file, did)
            }
            DeskAct::CheckIn { no, here } => {
                let file = File { here: here.then_some(now), ..self.file(no)?.clone() };
                filed(no, file, if here { "报到".into() } else { "取消报到".into() })
            }
            DeskAct::Check { no, item, done } => {
                let mut file = self.file(no)?.clone();
                let did = format!("{item} {}", if done { "已办" } else { "未办" });
                if done {
                    file.checks.insert(item);
                } else {
                    file.checks.remove(&item);
                }
                filed(no, file, did)
            }
            DeskAct::Draw(how) => return self.draw(how, by, now, out),
            DeskAct::EnterLate { no, member, from } => self.enter_late(no, member, from)?,
            DeskAct::Withdraw { no, from, why } => {
                let why = reason(&why)?;
                let did = with(&format!("退赛，第{from}轮起"), &why);
                self.entrant(no, |entrant| entrant.withdrawn_from = Some(from), did)?
            }
            DeskAct::Readmit(no) => return self.readmit(no, by, now, out),
            DeskAct::Absent { no, round, absent } => {
                self.numbered(no)?;
                let paired = self.rounds.iter().find(|one| one.no() == round);
                if paired.is_some_and(|one| {
                    one.pairs().iter().any(|pair| pair.red == no || pair.black == Some(no))
                }) {
                    return Err(DeskRefusal::Paired(no).into());
                }
                DeskFact::Absent { no, rounds: vec![round], absent }
            }
            DeskAct::Draft => {
                let round = self.next_round()?;
                let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
                let Fact::Paired { round, pairs } = event::pair(event, round)? else {
                    return Err(DeskRefusal::NoDraft.into());
                };
                DeskFact::Drafted { round, pairs: Some(pairs), did: "电脑编排".into() }
            }
            DeskAct::Swap { a, b, why } => {
                let (round, mut pairs) = self.draft()?;
                for no in [a, b] {
                    if !pairs.iter().any(|pair| pair.red == no || pair.black == Some(no)) {
                        return Err(DeskRefusal::NoEntrant(no).into());
                    }
                }
                let did = with(&format!("{a}号、{b}号对调"), &why);
                let turn = |no: EntrantNo| {
                    if no == a {
                        b
                    } else if no == b {
                        a
                    } else {
                        no
                    }
                };
                for pair in &mut pairs {
                    let before = pair.clone();
                    pair.red = turn(pair.red);
                    pair.black = pair.black.map(turn);
                    if *pair != before {
                        pair.why =
                            Words::new(format!("手工：{did}"), format!("by hand: {a} and {b} exchanged"));
                    }
                }
                DeskFact::Drafted { round, pairs: Some(pairs), did }
            }
            DeskAct::TurnDraft { table, why } => {
                let (round, mut pairs) = self.draft()?;
                let pair = pairs.iter_mut().find(|pair| pair.table == table);
                let Some((pair, black)) = pair.and_then(|pair| pair.black.map(|black| (pair, black))) else {
                    return Err(DeskRefusal::NoTable(round, table).into());
                };
                let did = with(&format!("{table}台换先后"), &why);
                (pair.red, pair.black) = (black, Some(pair.red));
                pair.why = Words::new(format!("手工：{did}"), "by hand: colours changed".to_owned());
                DeskFact::Drafted { round, pairs: Some(pairs), did }
            }
            DeskAct::Discard => {
                let (round, _) = self.draft()?;
                DeskFact::Drafted { round, pairs: None, did: "放弃草稿".into() }
            }
            DeskAct::Publish { why } => return self.publish(why, by, now, out),
            DeskAct::Unpublish { why } => {
                let last = self.rounds.last().ok_or(DeskRefusal::NoDraft)?;
                if last.started {
                    return Err(DeskRefusal::Started(last.no()).into());
                }
                DeskFact::Unpublished { round: last.no(), why: reason(&why)? }
            }
            DeskAct::AddTable { red, black } => self.added(red, black)?,
            DeskAct::Turned { round, table, why } => {
                if self.desk.settings.team_rules().is_some() {
                    return Err(DeskRefusal::TeamsOnly.into());
                }
                let of_round =
                    self.rounds.iter().find(|one| one.no() == round).ok_or(DeskRefusal::NoRound(round))?;
                of_round.pairing(table).ok_or(DeskRefusal::NoTable(round, table))?;
                DeskFact::Turned { round, table, why: reason(&why)? }
            }
            DeskAct::Result { round, table, outcome, fouls, why } => {
                return self.slip((round, table), outcome, fouls, &why, by, now, out);
            }
            DeskAct::LineUp { round, team, lineup, late } => self.line_up(round, team, lineup, late, now)?,
            DeskAct::Undo => {
                let (_, inverse) = self.desk.undo.last().ok_or(DeskRefusal::NothingToUndo)?;
                DeskFact::Undone(Box::new(inverse.clone()))
            }
        };
        self.enter(Fact::Desk(fact), by, now, out)
    }

    fn file(&self, no: FormNo) -> Result<&File, DeskRefusal> {
        self.desk.files.get(&no).ok_or(DeskRefusal::NoForm(no))
    }

    fn numbered(&self, no: EntrantNo) -> Result<&tournament::Entrant, DeskRefusal> {
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        event.entrant(no).ok_or(DeskRefusal::NoEntrant(no))
    }

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

    fn set(&self, settings: Settings, why: String) -> Result<DeskFact, Refusal> {
        let now = &self.desk.settings;
        if self.event.is_some() && settings.played != now.played {
            return Err(DeskRefusal::Fixed(
                "抽签后不能再改个人赛或团体赛",
                "individual or team cannot change after the draw",
            )
            .into());
        }
        if usize::from(settings.rounds) < self.rounds.len() {
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
            if !settings.options.forbidden.is_empty() {
                return Err(DeskRefusal::Fixed(
                    "回避对子在抽签后按号填写",
                    "forbidden pairs are set by number, after the draw",
                )
                .into());
            }
        }
        let weighty = (&settings.scoring, &settings.ladder, &settings.options, settings.rounds)
            != (&now.scoring, &now.ladder, &now.options, now.rounds);
        let why = if weighty && !self.rounds.is_empty() { reason(&why)? } else { why };
        Ok(DeskFact::Set { settings: Box::new(settings), why })
    }

    fn draw(&mut self, how: DrawBy, by: Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
        if self.event.is_some() {
            return Err(DeskRefusal::DrawnAlready.into());
        }
        let present = self.desk.present();
        if present.is_empty() {
            return Err(DeskRefusal::Nobody.into());
        }
        let numbers = match how {
            DrawBy::Computer { seed } => draw_numbers(present, seed),
            DrawBy::Halves { seed } => draw_halves(present, seed),
            DrawBy::Hand(numbers) => by_hand(&present, numbers)?,
        };
        let named = |(no, whom): &(EntrantNo, Whom)| Some((*no, self.desk.named(*whom)?.0));
        let drawn: Vec<(EntrantNo, Entrant)> = numbers.iter().filter_map(named).collect();
        self.enter(Fact::Desk(DeskFact::Numbered(numbers)), by.clone(), now, out)?;
        self.enter(Fact::Drawn(drawn), by, now, out)
    }

    fn enter_late(&self, no: FormNo, member: Option<MemberNo>, from: RoundNo) -> Result<DeskFact, Refusal> {
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        let whom = Whom { form: no, member };
        let file = self.file(no)?;
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
        let (named, house) = self.desk.named(whom).ok_or(DeskRefusal::NoMember)?;
        let number = event.next_free_number();
        let entrant = tournament::Entrant {
            first_round: (from.0 > 1).then_some(from),
            house,
            ..tournament::Entrant::new(number, named.name.clone(), named.unit)
        };
        let did = format!("补报 {}，第{from}轮起", named.name);
        Ok(DeskFact::Entrant { no: number, entrant: Some(entrant), whom: Some(whom), did })
    }

    fn entrant(
        &self,
        no: EntrantNo,
        change: impl FnOnce(&mut tournament::Entrant),
        did: String,
    ) -> Result<DeskFact, Refusal> {
        let mut entrant = self.numbered(no)?.clone();
        change(&mut entrant);
        Ok(DeskFact::Entrant { no, entrant: Some(entrant), whom: self.desk.whose.get(&no).copied(), did })
    }

    fn readmit(&mut self, no: EntrantNo, by: Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
        let event = self.event.as_ref().ok_or(DeskRefusal::NotDrawn)?;
        let Some(from) = self.numbered(no)?.withdrawn_from else {
            return Err(DeskRefusal::Fixed("该号并未退赛", "this number has not withdrawn").into());
        };
        let paired = (from.0..=self.rounds.len() as u16).map(RoundNo);
        let missed: Vec<RoundNo> = paired.filter(|round| event.result_of(*round, no).is_none()).collect();
        let fact = self.entrant(no, |entrant| entrant.withdrawn_from = None, "恢复参赛".into())?;
        self.enter(Fact::Desk(fact), by.clone(), now, out)?;
        if missed.is_empty() {
            return Ok(());
        }
        self.enter(Fact::Desk(DeskFact::Absent { no, rounds: missed, absent: true }), by, now, out)
    }

    fn publish(&mut self, why: String, by: Actor, now: Epoch, out: &mut Outputs) -> Result<(), Refusal> {
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
            let did = with("公布", &why);
            let fact = DeskFact::Drafted { round, pairs: Some(pairs.clone()), did };
            self.enter(Fact::Desk(fact), by.clone(), now, out)?;
        }
        self.enter(Fact::Paired { round, pairs }, by, now, out)
    }

    fn added(&self, red: EntrantNo, black: EntrantNo) -> Result<DeskFact, Refusal> {
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

    #[allow(clippy::too_many_arguments)] // A slip has these parts.
    fn slip(
        &mut self,
        (no, table): (RoundNo, TableNo),
        outcome: Outcome,
        fouls: Option<[u16; 2]>,
        why: &str,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let round = self.rounds.iter().find(|round| round.no() == no).ok_or(DeskRefusal::NoRound(no))?;
        let game = round.games.get(&table).ok_or(DeskRefusal::NoTable(no, table))?;
        let old = game.outcome().map(|(old, _)| old);
        let words = |outcome: Outcome| format!("{}·{}", outcome.result.zh(), outcome.ending.zh());
        let did = match old {
            Some(old) if old != outcome => {
                with(&format!("改判 {} → {}", words(old), words(outcome)), &reason(why)?)
            }
            Some(_) if fouls.is_some_and(|fouls| fouls != round.fouls(table)) => with(
                &format!("改犯规 {:?} → {:?}", round.fouls(table), fouls.unwrap_or_default()),
                &reason(why)?,
            ),
            Some(_) => return Ok(()),
            None => with(&format!("录入 {}", words(outcome)), why),
        };
        self.enter(Fact::Desk(DeskFact::Noted { round: no, table, fouls, did }), by.clone(), now, out)?;
        if self.rounds.last().is_some_and(|last| last.no() == no) {
            self.settle(table, now, now, out);
            let fact = GameFact::Ended { outcome, at: now };
            self.enter(Fact::Game { table, fact }, by, now, out)
        } else {
            self.enter(Fact::Corrected { round: no, table, outcome }, by, now, out)
        }
    }

    fn line_up(
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

fn filed(no: FormNo, file: File, did: String) -> DeskFact {
    DeskFact::Filed { no, file: Some(Box::new(file)), did }
}

/// Numbers drawn by hand: 1 to N without a gap, each once, for everybody who is here.
fn by_hand(
    present: &[Whom],
    mut numbers: Vec<(EntrantNo, Whom)>,
) -> Result<Vec<(EntrantNo, Whom)>, DeskRefusal> {
    let wrong = |what: String| Err(DeskRefusal::Numbers(what));
    numbers.sort();
    for ((no, _), expected) in numbers.iter().zip(1..) {
        if no.0 < expected {
            return wrong(format!("{no}号重复或为0"));
        }
        if no.0 > expected {
            return wrong(format!("缺{expected}号"));
        }
    }
    let given: BTreeSet<Whom> = numbers.iter().map(|(_, whom)| *whom).collect();
    let here: BTreeSet<Whom> = present.iter().copied().collect();
    let missing = here.difference(&given).count();
    let strangers = given.difference(&here).count();
    if missing > 0 || strangers > 0 || given.len() != numbers.len() {
        return wrong(format!("{missing}人没有号，{strangers}个号不属于已报到者"));
    }
    Ok(numbers)
}
