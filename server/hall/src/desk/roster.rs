//! 报名: who entered, as the entry form (报名表) says it, and what the desk did with the form since.
//!
//! Phones, ID numbers and full birth dates are personal data: they are in these values and in the journal, and leave them
//! only for signed-in staff.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use tournament::{MemberNo, Money};

use super::rules::Rule;

/// The number of an entry form, from 1 in the order of registration. It is not the number drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FormNo(pub u16);

impl fmt::Display for FormNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// 报名表: one form, of a team or of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Form {
    /// The team's name (队名); `None`: one player enters alone (个人报名).
    pub team: Option<String>,
    /// 单位: club or town.
    pub unit: String,
    /// 领队.
    pub leader: String,
    /// 教练.
    pub coach: String,
    /// The contact's phone; the same number serves as WeChat. Personal.
    pub phone: String,
    /// 运动员, in the order of registration; in a team event the order of the boards.
    pub players: Vec<Player>,
    /// Anything else.
    pub note: String,
}

impl Form {
    /// The name that lists show: the team's, or the player's.
    #[must_use]
    pub fn name(&self) -> &str {
        match (&self.team, self.players.first()) {
            (Some(team), _) => team,
            (None, Some(player)) => &player.name,
            (None, None) => "",
        }
    }

    /// What pairings print as 单位: the team, else the unit.
    #[must_use]
    pub fn unit(&self) -> &str {
        self.team.as_deref().unwrap_or(&self.unit)
    }

    /// A member by number.
    #[must_use]
    pub fn player(&self, member: MemberNo) -> Option<&Player> {
        self.players.get(usize::from(member.0).checked_sub(1)?)
    }
}

/// 运动员.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Player {
    /// 姓名.
    pub name: String,
    /// 性别.
    pub sex: Option<Sex>,
    /// 出生. The year is public; month and day are personal.
    pub born: Option<Born>,
    /// 证件号. Personal.
    pub id: String,
    /// 电话. Personal.
    pub phone: String,
    /// 称号, such as 象棋大师; empty: none.
    pub title: String,
    /// Whether an active master, or in the 象甲 league this season.
    pub professional: bool,
    /// Whether of the organiser's own province (本省).
    pub local: bool,
    /// 证明: what shows that, such as 身份证 or 社保三个月.
    pub evidence: String,
    /// 会员 of the association.
    pub member: bool,
    /// 补位: a house player, paired only where the others are odd in number.
    pub house: bool,
    /// 组别, by its name, where the event has groups.
    pub group: String,
}

/// 性别.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sex {
    /// 男.
    Male,
    /// 女.
    Female,
}

impl Sex {
    /// 男 or 女.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Sex::Male => "男",
            Sex::Female => "女",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Sex::Male => "M",
            Sex::Female => "F",
        }
    }

    /// Reads 男, 女 and their English first letters.
    #[must_use]
    pub fn parse(text: &str) -> Option<Sex> {
        match text.trim() {
            "男" | "M" | "m" => Some(Sex::Male),
            "女" | "F" | "f" => Some(Sex::Female),
            _ => None,
        }
    }
}

/// A day, of birth or of play; month and day may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Born {
    /// The year.
    pub year: u16,
    /// The month, 1 to 12; 0: unknown.
    pub month: u8,
    /// The day of the month; 0: unknown.
    pub day: u8,
}

impl Born {
    /// The day, UTC plus so many minutes, at that instant.
    #[must_use]
    pub fn of(at: Epoch, utc_offset: i16) -> Born {
        let days = (at.0 + i64::from(utc_offset) * 60_000).div_euclid(86_400_000);
        // Days since 1970 to a date: Howard Hinnant's civil_from_days.
        let z = days + 719_468;
        let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Born {
            year: u16::try_from(year).unwrap_or_default(),
            month: month as u8,
            day: (of_year - (153 * shifted + 2) / 5 + 1) as u8,
        }
    }

    /// Midnight at the start of that day, in a place so many minutes ahead of UTC.
    #[must_use]
    pub fn midnight(self, utc_offset: i16) -> Epoch {
        // The inverse: days_from_civil.
        let (month, day) = (i64::from(self.month.max(1)), i64::from(self.day.max(1)));
        let year = i64::from(self.year) - i64::from(month <= 2);
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
        Epoch(days * 86_400_000 - i64::from(utc_offset) * 60_000)
    }

    /// The age on a day; `None` if month and day are missing and would decide it.
    #[must_use]
    pub fn age_on(self, day: Born) -> Option<u16> {
        let years = day.year.checked_sub(self.year)?;
        if self.month == 0 || self.day == 0 {
            // In any case not older than the years between, and at most one year younger.
            return None;
        }
        Some(if (day.month, day.day) < (self.month, self.day) { years.saturating_sub(1) } else { years })
    }
}

impl fmt::Display for Born {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.month, self.day) {
            (0, _) => write!(f, "{}", self.year),
            (month, 0) => write!(f, "{}-{month:02}", self.year),
            (month, day) => write!(f, "{}-{month:02}-{day:02}", self.year),
        }
    }
}

/// The text is no date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is no date: write 1988, 1988-04 or 1988-04-12")]
pub struct BornError(String);

impl FromStr for Born {
    type Err = BornError;

    fn from_str(text: &str) -> Result<Born, BornError> {
        let wrong = || BornError(text.trim().to_owned());
        let plain = text.trim().trim_end_matches(['年', '月', '日']);
        let digits = plain.len() == 8 && plain.bytes().all(|b| b.is_ascii_digit());
        let parts: Vec<&str> = if digits {
            vec![&plain[..4], &plain[4..6], &plain[6..]]
        } else {
            plain.split(['-', '.', '/', '年', '月']).collect()
        };
        let number =
            |at: usize| parts.get(at).map_or(Ok(0), |part| part.trim().parse::<u16>().map_err(|_| wrong()));
        let (year, month, day) = (number(0)?, number(1)?, number(2)?);
        let fits = (1900..=2100).contains(&year) && month <= 12 && day <= 31 && (month > 0 || day == 0);
        if parts.len() > 3 || !fits {
            return Err(wrong());
        }
        Ok(Born { year, month: month as u8, day: day as u8 })
    }
}

/// 审核: what the desk decided on a finding of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// 接受: looked into, in order.
    Accepted,
    /// 退回: not in order; the form is not drawn.
    Rejected,
    /// 豁免: against the rule, let in for the reason given.
    Waived,
}

impl Ruling {
    /// The word on the page.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Ruling::Accepted => "已接受",
            Ruling::Rejected => "退回",
            Ruling::Waived => "豁免",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Ruling::Accepted => "accepted",
            Ruling::Rejected => "rejected",
            Ruling::Waived => "waived",
        }
    }
}

/// A ruling with who, when and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// What.
    pub ruling: Ruling,
    /// Why; a waiver has to say it.
    pub why: String,
    /// By whom.
    pub by: String,
    /// When.
    pub at: Epoch,
}

/// 缴费: one payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// How much.
    pub amount: Money,
    /// 收据号.
    pub receipt: String,
    /// Who paid.
    pub payer: String,
    /// When it was entered.
    pub at: Epoch,
}

/// A form with everything that the desk noted on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// The form.
    pub form: Form,
    /// When it came in.
    pub at: Epoch,
    /// Whether it came after the deadline and was let in by the organiser.
    #[serde(default)]
    pub late: bool,
    /// What was decided on the rules' findings.
    #[serde(default)]
    pub judged: BTreeMap<Rule, Judged>,
    /// What was paid.
    #[serde(default)]
    pub payments: Vec<Payment>,
    /// 报到: when they came.
    #[serde(default)]
    pub here: Option<Epoch>,
    /// Taken back before the draw, with the reason.
    #[serde(default)]
    pub struck: Option<String>,
    /// Items of the event's checklist that are done (免责书, 保险 …).
    #[serde(default)]
    pub checks: BTreeSet<String>,
}

impl File {
    /// A form as it came in.
    #[must_use]
    pub fn new(form: Form, at: Epoch, late: bool) -> File {
        File {
            form,
            at,
            late,
            judged: BTreeMap::new(),
            payments: Vec::new(),
            here: None,
            struck: None,
            checks: BTreeSet::new(),
        }
    }

    /// What was paid in all.
    #[must_use]
    pub fn paid(&self) -> Money {
        self.payments.iter().map(|payment| payment.amount).sum()
    }

    /// Whether a rule's finding was turned down.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.judged.values().any(|judged| judged.ruling == Ruling::Rejected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_write_them() {
        for (text, said) in [
            ("1988", "1988"),
            ("1988-4", "1988-04"),
            ("1988.04.12", "1988-04-12"),
            ("19880412", "1988-04-12"),
            ("1988年4月12日", "1988-04-12"),
        ] {
            assert_eq!(text.parse::<Born>().unwrap().to_string(), said);
        }
        for wrong in ["", "88", "1988-13", "1988-0-3", "去年", "1988-1-1-1"] {
            assert!(wrong.parse::<Born>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_day_is_found_from_an_instant_and_back() {
        for text in ["1970-01-01", "2000-02-29", "2019-09-20", "2020-12-31"] {
            let day: Born = text.parse().unwrap();
            assert_eq!(Born::of(day.midnight(480), 480), day);
        }
        assert_eq!(Born { year: 1970, month: 1, day: 2 }.midnight(0), Epoch(86_400_000));
    }

    #[test]
    fn age_counts_birthdays() {
        let first_day = Born { year: 2020, month: 10, day: 23 };
        let age = |text: &str| text.parse::<Born>().unwrap().age_on(first_day);
        assert_eq!(age("2002-10-23"), Some(18));
        assert_eq!(age("2002-10-24"), Some(17));
        assert_eq!(age("2002"), None);
    }
}
