//! 资格审核: what the rules of eligibility find in a form. A finding stops nobody by itself: the desk accepts,
//! sends back or waives.

use std::collections::BTreeMap;

use arbitration::Words;
use serde::{Deserialize, Serialize};
use tournament::BoardNo;

use super::roster::{Born, File, Form, FormNo, Judged, Player, Sex};
use super::settings::Settings;

/// A rule that a form can be at odds with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// 人数.
    TeamSize,
    /// 队名: no other team has the name.
    TeamName,
    /// 队名: no word that names may not hold.
    NameWords,
    /// One person in one form.
    OnePerson,
    /// 1—4台.
    Amateurs,
    /// 定人台.
    YoungOrWoman,
    /// 本省棋手.
    Locals,
    /// 外聘.
    Hired,
    /// The entry came after the deadline.
    Deadline,
    /// 组别: one of the event's, which is for such players.
    Group,
}

impl Rule {
    /// What it asks.
    #[must_use]
    pub fn words(self, settings: &Settings) -> Words {
        let rules = &settings.eligibility;
        let n = |value: Option<u16>| value.unwrap_or_default();
        let (zh, en) = match self {
            Rule::TeamSize => {
                (format!("每队{}人", n(rules.team_size)), format!("{} players a team", n(rules.team_size)))
            }
            Rule::TeamName => ("队名不重复".into(), "no two teams of one name".into()),
            Rule::NameWords => ("队名规范".into(), "a proper team name".into()),
            Rule::OnePerson => ("一人只报一处".into(), "nobody enters twice".into()),
            Rule::Amateurs => {
                ("自由台非现役大师、非象甲".into(), "free boards: no active master, no league player".into())
            }
            Rule::YoungOrWoman => (
                format!("定人台未满{}岁或成年女子(非大师)", n(rules.young_or_woman)),
                format!("fixed board: under {} or a woman, no master", n(rules.young_or_woman)),
            ),
            Rule::Locals => (
                format!("本省棋手不少于{}人", n(rules.locals)),
                format!("at least {} of the province", n(rules.locals)),
            ),
            Rule::Hired => {
                (format!("外聘不超过{}人", n(rules.hired)), format!("at most {} hired", n(rules.hired)))
            }
            Rule::Group => ("组别相符".into(), "a group that fits".into()),
            Rule::Deadline => ("在截止时间前报名".into(), "entered before the deadline".into()),
        };
        Words::new(zh, en)
    }
}

/// What a rule found in a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Whether the form is in order; otherwise somebody has to look.
    pub fine: bool,
    /// What was found.
    pub says: Words,
    /// What was decided.
    pub judged: Option<Judged>,
}

impl Finding {
    /// Whether somebody has still to decide.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.fine && self.judged.is_none()
    }
}

/// Looks a form through, among the others.
#[must_use]
pub fn findings(settings: &Settings, files: &BTreeMap<FormNo, File>, no: FormNo) -> Vec<Finding> {
    let Some(file) = files.get(&no) else { return Vec::new() };
    let form = &file.form;
    let rules = &settings.eligibility;
    let others = || files.iter().filter(|(other, file)| **other != no && file.struck.is_none());
    let mut all = Vec::new();
    let mut find = |rule: Rule, fine: bool, zh: String, en: String| {
        let judged = file.judged.get(&rule).cloned();
        all.push(Finding { rule, fine, says: Words::new(zh, en), judged });
    };
    if let (Some(size), Some(_)) = (rules.team_size, &form.team) {
        let found = form.players.len();
        find(Rule::TeamSize, found == usize::from(size), format!("{found}人"), format!("{found} players"));
    }
    if let Some(team) = &form.team {
        let twin = others().find(|(_, other)| other.form.team.as_ref() == Some(team)).map(|(no, _)| *no);
        let zh = twin.map_or("无重名".into(), |twin| format!("与第{twin}号报名表重名"));
        find(
            Rule::TeamName,
            twin.is_none(),
            zh,
            twin.map_or("unique".into(), |twin| format!("as form {twin}")),
        );
        let bad = rules.banned_words.iter().find(|word| !word.is_empty() && team.contains(word.as_str()));
        if let Some(bad) = bad {
            find(Rule::NameWords, false, format!("含“{bad}”"), format!("holds “{bad}”"));
        }
    }
    let mut twice: Vec<String> = Vec::new();
    for (at, player) in form.players.iter().enumerate() {
        let elsewhere =
            others().find(|(_, other)| other.form.players.iter().any(|it| same_person(it, player)));
        let here = form.players[..at].iter().any(|it| same_person(it, player));
        match elsewhere {
            Some((other, _)) => twice.push(format!("{}(第{other}号报名表)", player.name)),
            None if here => twice.push(player.name.clone()),
            None => {}
        }
    }
    let fine = twice.is_empty();
    find(Rule::OnePerson, fine, if fine { "无重复".into() } else { twice.join("、") }, twice.join(", "));
    if settings.team_rules().is_some() {
        let seats = || (1..).map(BoardNo).zip(&form.players);
        if rules.amateurs {
            let out = names(seats().filter(|(board, player)| {
                let excepted = player.sex == Some(Sex::Female) && player.local;
                !settings.is_fixed(*board) && player.professional && !excepted
            }));
            find(Rule::Amateurs, out.is_empty(), or_fine(&out), out.clone());
        }
        if let Some(age) = rules.young_or_woman {
            for (_, player) in seats().filter(|(board, _)| settings.is_fixed(*board)) {
                let (fine, zh, en) = fixed_seat(player, age, settings.first_day);
                find(Rule::YoungOrWoman, fine, zh, en);
            }
        }
    }
    if let Some(least) = rules.locals.filter(|_| form.team.is_some()) {
        let locals = form.players.iter().filter(|player| player.local);
        let proven = locals.clone().filter(|player| !player.evidence.is_empty()).count();
        let all = locals.count();
        let fine = proven >= usize::from(least);
        let zh = format!("{all}人, 有证明{proven}人");
        find(Rule::Locals, fine, zh, format!("{all}, {proven} with evidence"));
    }
    if let Some(most) = rules.hired.filter(|_| form.team.is_some()) {
        let hired = names((1..).map(BoardNo).zip(&form.players).filter(|(_, player)| !player.local));
        let count = form.players.iter().filter(|player| !player.local).count();
        find(Rule::Hired, count <= usize::from(most), or_fine(&hired), hired.clone());
    }
    if !settings.groups.is_empty() {
        let said = form.players.iter().filter_map(|player| group_of(settings, player));
        let (zh, en): (Vec<String>, Vec<String>) = said.unzip();
        let fine = zh.is_empty();
        find(
            Rule::Group,
            fine,
            if fine { "相符".into() } else { zh.join("、") },
            if fine { "fits".into() } else { en.join(", ") },
        );
    }
    if file.late {
        find(Rule::Deadline, false, "截止后报名".into(), "after the deadline".into());
    }
    all
}

/// What is against a player's group.
fn group_of(settings: &Settings, player: &Player) -> Option<(String, String)> {
    let name = &player.name;
    let Some(group) = settings.group_asked(player).and_then(|no| settings.group(no)) else {
        let asked = player.group.trim();
        return Some(if asked.is_empty() {
            (format!("{name} 组别未填"), format!("{name}: no group"))
        } else {
            (format!("{name} 没有“{asked}”"), format!("{name}: there is no “{asked}”"))
        });
    };
    let (zh, en) = group.bars(player)?;
    let group = &group.field.name;
    Some((format!("{name} {group}{zh}"), format!("{name}, {group}: {en}")))
}

/// The same ID number, or without one the same name and birth.
fn same_person(a: &Player, b: &Player) -> bool {
    if !a.id.is_empty() && !b.id.is_empty() {
        return a.id == b.id;
    }
    a.name == b.name && (a.born == b.born || a.born.is_none() || b.born.is_none())
}

fn fixed_seat(player: &Player, age: u16, first_day: Option<Born>) -> (bool, String, String) {
    let name = &player.name;
    if player.professional {
        return (false, format!("{name}为大师或象甲棋手"), format!("{name} is a master or league player"));
    }
    if player.sex == Some(Sex::Female) {
        return (true, format!("{name} 女"), format!("{name}, a woman"));
    }
    match player.born.zip(first_day).and_then(|(born, day)| born.age_on(day)) {
        Some(years) => {
            let fine = years < age;
            (fine, format!("{name} 首日{years}岁"), format!("{name} is {years} on the first day"))
        }
        None => {
            (false, format!("{name} 出生日期或首日未填"), format!("{name}: birth date or first day missing"))
        }
    }
}

fn names<'a>(players: impl Iterator<Item = (BoardNo, &'a Player)>) -> String {
    players.map(|(_, player)| player.name.as_str()).collect::<Vec<_>>().join("、")
}

fn or_fine(names: &str) -> String {
    if names.is_empty() { "无".into() } else { names.to_owned() }
}

/// How a form stands, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// 已撤.
    Struck,
    /// 退回.
    Rejected,
    /// 待审: so many findings.
    Pending(u16),
    /// 未缴费, where the event wants it first.
    Unpaid,
    /// 豁免: in order, with a waiver.
    Waived,
    /// 已接受.
    Accepted,
}

/// How a form stands.
#[must_use]
pub fn standing(settings: &Settings, files: &BTreeMap<FormNo, File>, no: FormNo) -> Standing {
    let Some(file) = files.get(&no) else { return Standing::Struck };
    let open = findings(settings, files, no).iter().filter(|finding| finding.is_open()).count();
    let waived = file.judged.values().any(|judged| judged.ruling == super::roster::Ruling::Waived);
    if file.struck.is_some() {
        Standing::Struck
    } else if file.is_rejected() {
        Standing::Rejected
    } else if open > 0 {
        Standing::Pending(open as u16)
    } else if settings.fees.first && file.paid() < due(settings, &file.form) {
        Standing::Unpaid
    } else if waived {
        Standing::Waived
    } else {
        Standing::Accepted
    }
}

/// What a form owes in all.
#[must_use]
pub fn due(settings: &Settings, form: &Form) -> tournament::Money {
    let fees = settings.fees;
    let fee = if form.team.is_some() {
        fees.team
    } else {
        let member = form.players.first().is_some_and(|player| player.member);
        fees.member.filter(|_| member).or(fees.individual)
    };
    fee.unwrap_or_default()
}
