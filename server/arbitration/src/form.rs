//! The regulation as a form: every field with its words, article, unit, range and presets, in one place. Forms are
//! made of it, TOML is checked against it, and every error names its field.

use toml::{Table, Value};

use crate::{Regulation, RegulationError};

/// One field of a regulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Where it stands in TOML, such as `time.base`.
    pub key: &'static str,
    /// Its label in Chinese.
    pub zh: &'static str,
    /// Its label in English.
    pub en: &'static str,
    /// The articles that it comes from: of regulation a, of regulation b.
    pub articles: [&'static str; 2],
    /// What can stand in it.
    pub kind: Kind,
}

/// What can stand in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Some words, not empty.
    Text,
    /// Yes or no.
    YesNo,
    /// A span of time in milliseconds, from … to; a form shows it in `unit`s.
    Time {
        /// In what a form shows it.
        unit: TimeUnit,
        /// At least, ms.
        least: u32,
        /// At most, ms.
        most: u32,
    },
    /// A whole number, from … to.
    Count {
        /// What is counted: Chinese, English.
        unit: [&'static str; 2],
        /// At least.
        least: u32,
        /// At most.
        most: u32,
    },
    /// One of these words.
    Choice(&'static [Choice]),
    /// Which plies the natural limit does not count: one of these words, or `checks_beyond = n`.
    Exclusion(&'static [Choice]),
    /// A list of words, not empty; which ones exist the tournament knows.
    List,
}

/// In what a form shows a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// 分钟.
    Minutes,
    /// 秒.
    Seconds,
}

impl TimeUnit {
    /// Milliseconds of one.
    #[must_use]
    pub const fn millis(self) -> u32 {
        match self {
            TimeUnit::Minutes => 60_000,
            TimeUnit::Seconds => 1_000,
        }
    }

    /// Its name in Chinese.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            TimeUnit::Minutes => "分钟",
            TimeUnit::Seconds => "秒",
        }
    }

    /// Its name in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            TimeUnit::Minutes => "minutes",
            TimeUnit::Seconds => "seconds",
        }
    }
}

/// A word that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// As in TOML.
    pub word: &'static str,
    /// In Chinese.
    pub zh: &'static str,
    /// In English.
    pub en: &'static str,
}

const fn choice(word: &'static str, zh: &'static str, en: &'static str) -> Choice {
    Choice { word, zh, en }
}

const fn field(
    key: &'static str,
    zh: &'static str,
    en: &'static str,
    articles: [&'static str; 2],
    kind: Kind,
) -> Field {
    Field { key, zh, en, articles, kind }
}

const fn minutes(least: u32, most: u32) -> Kind {
    Kind::Time { unit: TimeUnit::Minutes, least: least * 60_000, most: most * 60_000 }
}

const ROUNDS: [&str; 2] = ["回合", "rounds"];
const TIMES: [&str; 2] = ["次", "times"];

/// All fields of a regulation, in the order of the form.
pub const FIELDS: [Field; 24] = [
    field("name", "规程名称", "Name", ["", ""], Kind::Text),
    field(
        "time.base",
        "基本用时",
        "Base time",
        ["3", "二(二)"],
        Kind::Time { unit: TimeUnit::Minutes, least: 10_000, most: 5 * 3_600_000 },
    ),
    field(
        "time.increment",
        "每步加秒",
        "Increment a move",
        ["3", "二(二)"],
        Kind::Time { unit: TimeUnit::Seconds, least: 0, most: 300_000 },
    ),
    field(
        "flag.automatic",
        "超时由系统直接判负",
        "The system ends the game at the first flag",
        ["3", ""],
        Kind::YesNo,
    ),
    field(
        "flag.both_draw",
        "双方均 00:00 判和",
        "A draw when both clocks show 00:00",
        ["", "二(六)"],
        Kind::YesNo,
    ),
    field(
        "fouls.exposing_loses",
        "送将、不应将一次判负",
        "Exposing the general loses at once",
        ["6", ""],
        Kind::YesNo,
    ),
    field(
        "fouls.illegal_moves_lose",
        "违规着法判负次数",
        "Illegal moves that lose",
        ["6", ""],
        Kind::Count { unit: TIMES, least: 1, most: 9 },
    ),
    field(
        "fouls.fouls_lose",
        "犯规判负次数",
        "Fouls that lose",
        ["11(3)", ""],
        Kind::Count { unit: TIMES, least: 1, most: 9 },
    ),
    field(
        "disturbed.opponent_gains",
        "碰乱棋子对方加时",
        "Time gained when disturbed",
        ["8", "二(五)"],
        minutes(0, 60),
    ),
    field("disturbed.foul", "碰乱棋子记犯规", "Disturbing is a foul", ["8", ""], Kind::YesNo),
    field(
        "disturbed.loses_below",
        "对方时间少于此数则碰乱者判负",
        "Disturbing loses when the opponent has less",
        ["", "二(五)"],
        minutes(0, 60),
    ),
    field(
        "natural_limit.rounds",
        "自然限着",
        "Natural limit",
        ["7", "二(四)"],
        Kind::Count { unit: ROUNDS, least: 1, most: 200 },
    ),
    field(
        "natural_limit.from",
        "限着起算",
        "Counted from",
        ["7", "二(四)"],
        Kind::Choice(&[
            choice("last_capture", "最近一次吃子", "the last capture"),
            choice("claim", "一方提出", "a side's claim"),
        ]),
    ),
    field(
        "natural_limit.exclusion",
        "不计入限着",
        "Not counted",
        ["7", "二(四)"],
        Kind::Exclusion(&[
            choice("nothing", "全部计入", "all count"),
            choice("claimants_checks", "提出方将军不计", "the claimant's checks"),
            choice("checks_kills_chases", "将、杀、捉不计", "checks, kills and chases"),
            choice("checks_beyond", "将军超过此数不计", "checks beyond so many"),
        ]),
    ),
    field(
        "repetition.rules.set",
        "棋例",
        "Book of adjudication",
        ["11", ""],
        Kind::Choice(&[
            choice("cn2011", "中国 2011", "China 2011"),
            choice("cn2020", "中国 2020", "China 2020"),
            choice("wxf2018", "世界 2018", "World 2018"),
            choice("axf", "亚洲", "Asia"),
        ]),
    ),
    field(
        "repetition.rules.occurrences",
        "循环成立所需出现次数",
        "Occurrences that make a repetition",
        ["11(2)", ""],
        Kind::Count { unit: TIMES, least: 2, most: 5 },
    ),
    field(
        "repetition.rules.both_prohibited",
        "双方均为禁止着法",
        "Both sides prohibited",
        ["11(2)", ""],
        Kind::Choice(&[
            choice("draw", "不变作和", "draw"),
            choice("heavier_varies", "情节重者变着", "the heavier varies"),
        ]),
    ),
    field(
        "repetition.rules.both_check",
        "双方均长将",
        "Both only check",
        ["11(2)", ""],
        Kind::Choice(&[choice("draw", "作和", "draw"), choice("arbiter", "裁判裁定", "the arbiter decides")]),
    ),
    field(
        "repetition.rules.nine_rounds",
        "连续九回合禁止着法",
        "Nine rounds of prohibited moves",
        ["", ""],
        Kind::YesNo,
    ),
    field(
        "repetition.vary_within",
        "变着期限",
        "Rounds to vary within",
        ["11(2)", ""],
        Kind::Count { unit: ROUNDS, least: 1, most: 9 },
    ),
    field(
        "correction_rounds",
        "纠错时限",
        "Rounds to correct within",
        ["9", ""],
        Kind::Count { unit: ROUNDS, least: 0, most: 99 },
    ),
    field("draw_claim_above", "提和须余时间", "Time left to claim a draw", ["10", ""], minutes(0, 60)),
    field("late_limit", "迟到判负", "Late forfeits after", ["", "二(三)"], minutes(0, 120)),
    field("ladder", "名次依据", "Ranking keys", ["", ""], Kind::List),
];

impl Field {
    /// The field with this key.
    #[must_use]
    pub fn named(key: &str) -> Option<&'static Field> {
        FIELDS.iter().find(|field| field.key == key)
    }

    /// What stands in it, as a form's input shows it: a time in its unit, a list with commas, yes or no.
    #[must_use]
    pub fn shown(&self, regulation: &Regulation) -> String {
        let Ok(Value::Table(table)) = Value::try_from(regulation) else { return String::new() };
        let Some(value) = find(&table, self.key) else { return String::new() };
        match (self.kind, value) {
            (Kind::Time { unit, .. }, Value::Integer(ms)) => {
                let (whole, part) = (ms / i64::from(unit.millis()), ms % i64::from(unit.millis()));
                if part == 0 {
                    whole.to_string()
                } else {
                    (*ms as f64 / f64::from(unit.millis())).to_string()
                }
            }
            (_, Value::Boolean(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
            (_, Value::String(word)) => word.clone(),
            (_, Value::Table(one)) => {
                one.iter().map(|(word, number)| format!("{word} {number}")).collect::<Vec<_>>().join(" ")
            }
            (_, Value::Array(words)) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
            (_, other) => other.to_string(),
        }
    }

    /// Reads what was put into a form's input.
    fn read(&self, text: &str) -> Result<Value, RegulationError> {
        let text = text.trim();
        let whole = |text: &str| text.parse::<i64>().map(Value::Integer).map_err(|_| self.wrong());
        match self.kind {
            Kind::Text => Ok(Value::String(text.to_owned())),
            Kind::YesNo => match text {
                "yes" | "true" | "on" | "是" => Ok(Value::Boolean(true)),
                "no" | "false" | "off" | "否" | "" => Ok(Value::Boolean(false)),
                _ => Err(self.wrong()),
            },
            Kind::Time { unit, .. } => {
                let span: f64 = text.parse().map_err(|_| self.wrong())?;
                let ms = span * f64::from(unit.millis());
                if ms.is_finite() { Ok(Value::Integer(ms.round() as i64)) } else { Err(self.wrong()) }
            }
            Kind::Count { .. } => whole(text),
            Kind::Choice(_) => Ok(Value::String(text.to_owned())),
            Kind::Exclusion(_) => match text.split_once(' ') {
                Some((word, number)) => {
                    Ok(Value::Table(Table::from_iter([(word.to_owned(), whole(number.trim())?)])))
                }
                None => Ok(Value::String(text.to_owned())),
            },
            Kind::List => {
                let words = text.split([',', '，', '、', ' ']).filter(|word| !word.is_empty());
                Ok(Value::Array(words.map(|word| Value::String(word.to_owned())).collect()))
            }
        }
    }

    /// Whether this can stand in it.
    fn check(&self, value: &Value) -> Result<(), RegulationError> {
        let is_one_of = |choices: &[Choice], word: &str| choices.iter().any(|choice| choice.word == word);
        let fits = match (self.kind, value) {
            (Kind::Text, Value::String(text)) => !text.trim().is_empty(),
            (Kind::YesNo, Value::Boolean(_)) => true,
            (Kind::Time { least, most, .. } | Kind::Count { least, most, .. }, Value::Integer(number)) => {
                (i64::from(least)..=i64::from(most)).contains(number)
            }
            (Kind::Choice(choices), Value::String(word)) => is_one_of(choices, word),
            (Kind::Exclusion(choices), Value::String(word)) => {
                word != "checks_beyond" && is_one_of(choices, word)
            }
            (Kind::Exclusion(_), Value::Table(one)) => {
                one.len() == 1
                    && one
                        .get("checks_beyond")
                        .and_then(Value::as_integer)
                        .is_some_and(|most| (0..=1_000).contains(&most))
            }
            (Kind::List, Value::Array(words)) => !words.is_empty() && words.iter().all(Value::is_str),
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.wrong()) }
    }

    fn wrong(&self) -> RegulationError {
        RegulationError::Field { field: self.key.to_owned(), why: self.wanted() }
    }

    /// What is wanted in it, in words.
    #[must_use]
    pub fn wanted(&self) -> String {
        let words = |choices: &[Choice]| choices.iter().map(|one| one.word).collect::<Vec<_>>().join(", ");
        match self.kind {
            Kind::Text => "words are wanted".to_owned(),
            Kind::YesNo => "true or false is wanted".to_owned(),
            Kind::Time { least, most, .. } => format!("milliseconds from {least} to {most} are wanted"),
            Kind::Count { unit, least, most } => format!("{} from {least} to {most} are wanted", unit[1]),
            Kind::Choice(choices) => format!("one of {} is wanted", words(choices)),
            Kind::Exclusion(choices) => {
                format!("one of {} is wanted; checks_beyond with its number", words(choices))
            }
            Kind::List => "a list of keys is wanted, such as [\"points\", \"opponents\"]".to_owned(),
        }
    }
}

impl Regulation {
    /// The regulation with another entry in one field, as a form's input gives it.
    pub fn with(&self, key: &str, text: &str) -> Result<Regulation, RegulationError> {
        self.with_all([(key, text)])
    }

    /// The regulation with other entries in several fields, which need to fit each other only together.
    pub fn with_all<'a>(
        &self,
        entries: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Regulation, RegulationError> {
        let mut table = Table::try_from(self).map_err(RegulationError::Written)?;
        for (key, text) in entries {
            let field = Field::named(key).ok_or_else(|| unknown(key))?;
            let value = field.read(text)?;
            field.check(&value)?;
            put(&mut table, key, value);
        }
        Regulation::from_table(table)
    }

    /// The regulation of a table that was read from TOML, checked field by field.
    pub(crate) fn from_table(table: Table) -> Result<Regulation, RegulationError> {
        known(&table, "")?;
        for field in &FIELDS {
            let missing = || RegulationError::Field {
                field: field.key.to_owned(),
                why: format!("is missing; {}", field.wanted()),
            };
            field.check(find(&table, field.key).ok_or_else(missing)?)?;
        }
        let regulation: Regulation = table.try_into()?;
        if regulation.flag.automatic && regulation.flag.both_draw {
            return Err(RegulationError::Field {
                field: "flag.automatic".to_owned(),
                why: "with flag.both_draw the first flag is left to the arbiter: set one of them to false"
                    .into(),
            });
        }
        Ok(regulation)
    }
}

/// Refuses keys that no field has, by name.
fn known(table: &Table, within: &str) -> Result<(), RegulationError> {
    for (name, value) in table {
        let key = if within.is_empty() { name.clone() } else { format!("{within}.{name}") };
        let section = format!("{key}.");
        if Field::named(&key).is_some() {
            continue;
        }
        match value.as_table() {
            Some(inner) if FIELDS.iter().any(|field| field.key.starts_with(&section)) => known(inner, &key)?,
            Some(_) | None => return Err(unknown(&key)),
        }
    }
    Ok(())
}

fn unknown(key: &str) -> RegulationError {
    let section = key.rsplit_once('.').map_or("", |(section, _)| section);
    let near: Vec<_> = FIELDS
        .iter()
        .map(|field| field.key)
        .filter(|known| known.rsplit_once('.').map_or("", |(section, _)| section) == section)
        .collect();
    let near = if near.is_empty() { FIELDS.map(|field| field.key).to_vec() } else { near };
    RegulationError::Field {
        field: key.to_owned(),
        why: format!("there is no such field; there are {}", near.join(", ")),
    }
}

fn find<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        None => table.get(key),
        Some((section, rest)) => find(table.get(section)?.as_table()?, rest),
    }
}

fn put(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            table.insert(key.to_owned(), value);
        }
        Some((section, rest)) => {
            let inner = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(result: Result<Regulation, RegulationError>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn fields_that_fit_each_other_only_together_are_entered_together() {
        let a = Regulation::a();
        let flags = [("flag.automatic", "no"), ("flag.both_draw", "yes")];
        let b = a.with_all(flags).unwrap();
        assert!(b.flag.both_draw && !b.flag.automatic);
        let back = [("flag.automatic", "yes"), ("flag.both_draw", "no")];
        assert_eq!(b.with_all(back).unwrap().flag, a.flag);
        assert!(a.with("flag.both_draw", "yes").is_err());
    }

    #[test]
    fn every_field_of_a_regulation_is_described_and_every_description_is_a_field() {
        let Ok(Value::Table(table)) = Value::try_from(Regulation::a()) else { panic!("a table") };
        known(&table, "").unwrap();
        for field in FIELDS {
            assert!(find(&table, field.key).is_some(), "{} is no field", field.key);
        }
    }

    #[test]
    fn what_a_form_shows_reads_back_the_same() {
        for preset in [Regulation::a(), Regulation::b()] {
            for field in FIELDS {
                assert_eq!(preset.with(field.key, &field.shown(&preset)).unwrap(), preset, "{}", field.key);
            }
        }
    }

    #[test]
    fn a_form_speaks_in_minutes_and_the_regulation_in_milliseconds() {
        let base = Field::named("time.base").unwrap();
        assert_eq!(base.shown(&Regulation::a()), "25");
        assert_eq!(Regulation::a().with("time.base", "12.5").unwrap().time.base.0, 750_000);
    }

    #[test]
    fn errors_name_the_field_and_what_is_wanted() {
        let a = Regulation::a();
        assert!(refused(a.with("time.base", "soon")).starts_with("time.base: milliseconds"));
        assert!(refused(a.with("natural_limit.rounds", "0")).starts_with("natural_limit.rounds: rounds"));
        assert!(refused(a.with("natural_limit.from", "noon")).contains("last_capture"));
        assert!(refused(a.with("time.bass", "1")).contains("time.base"));
        assert!(refused(a.with("flag.both_draw", "yes")).starts_with("flag.automatic"));
    }

    #[test]
    fn checks_beyond_so_many_can_be_entered() {
        let some = Regulation::b().with("natural_limit.exclusion", "checks_beyond 10").unwrap();
        assert_eq!(some.natural_limit.exclusion, xiangqi::judge::Exclusion::ChecksBeyond(10));
        assert_eq!(Field::named("natural_limit.exclusion").unwrap().shown(&some), "checks_beyond 10");
    }
}
