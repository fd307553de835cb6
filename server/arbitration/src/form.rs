//! The regulation as a form: every field with its words, article, unit, range and presets. Forms are made of it, TOML is
//! checked against it, and every error names its field.

mod entered;
mod fields;

use toml::{Table, Value};

use crate::say::{minutes_en, minutes_zh};
use crate::{Regulation, RegulationError, Words};

pub use fields::FIELDS;

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

    /// What is wanted in it.
    fn wanted(&self) -> Words {
        let zh = |choices: &[Choice]| {
            let named = choices.iter().map(|one| format!("{}（{}）", one.word, one.zh));
            named.collect::<Vec<_>>().join("、")
        };
        let en = |choices: &[Choice]| choices.iter().map(|one| one.word).collect::<Vec<_>>().join(", ");
        match self.kind {
            Kind::Text => Words::new("须填文字", "words are wanted"),
            Kind::YesNo => Words::new("须为是或否（true 或 false）", "true or false is wanted"),
            Kind::Time { unit, least, most } => {
                // As the form asks for it; what a form asks for in minutes may begin with less than one.
                let said = |ms: u32| match unit {
                    TimeUnit::Minutes => [minutes_zh(ms), minutes_en(ms)],
                    TimeUnit::Seconds => [format!("{}秒", ms / 1_000), format!("{} s", ms / 1_000)],
                };
                let ([least_zh, least], [most_zh, most]) = (said(least), said(most));
                Words::new(
                    format!("须为{least_zh}至{most_zh}（TOML 中写毫秒）"),
                    format!("{least} to {most} are wanted (milliseconds in TOML)"),
                )
            }
            Kind::Count { unit: [zh, en], least, most } => Words::new(
                format!("须为{least}至{most}{zh}"),
                format!("{en} from {least} to {most} are wanted"),
            ),
            Kind::Choice(choices) => Words::new(
                format!("须为下列之一：{}", zh(choices)),
                format!("one of {} is wanted", en(choices)),
            ),
            Kind::Exclusion(choices) => Words::new(
                format!("须为下列之一：{}；checks_beyond 后写次数", zh(choices)),
                format!("one of {} is wanted; checks_beyond with its number", en(choices)),
            ),
            Kind::List => Words::new(
                "须列出各项，如 [\"points\", \"opponents\"]",
                "a list of keys is wanted, such as [\"points\", \"opponents\"]",
            ),
        }
    }
}

/// What stands under a key such as `time.base`.
fn find<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    match key.split_once('.') {
        None => table.get(key),
        Some((section, rest)) => find(table.get(section)?.as_table()?, rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn checks_beyond_so_many_can_be_entered() {
        let some = Regulation::b().with("natural_limit.exclusion", "checks_beyond 10").unwrap();
        assert_eq!(some.natural_limit.exclusion, xiangqi::judge::Exclusion::ChecksBeyond(10));
        assert_eq!(Field::named("natural_limit.exclusion").unwrap().shown(&some), "checks_beyond 10");
    }
}
