//! What was entered into the form, or written as TOML, as a regulation.

use toml::{Table, Value};

use super::{FIELDS, Field, find};
use crate::{Regulation, RegulationError, Words};

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
            let missing = || {
                let Words { zh, en } = field.wanted();
                let why = Words::new(format!("缺此项；{zh}"), format!("is missing; {en}"));
                RegulationError::Field { field: field.key.to_owned(), why }
            };
            field.check(find(&table, field.key).ok_or_else(missing)?)?;
        }
        let regulation: Regulation = table.try_into()?;
        if regulation.flag.automatic && regulation.flag.both_draw {
            return Err(RegulationError::Field {
                field: "flag.automatic".to_owned(),
                why: Words::new(
                    "既设“双方均 00:00 判和”（flag.both_draw），先超时者由裁判处理，不能由系统直接判负：两项只能取其一",
                    "with flag.both_draw the first flag is left to the arbiter: set one of them to false",
                ),
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
    let near = near.join(", ");
    let why =
        Words::new(format!("没有此项；可用 {near}"), format!("there is no such field; there are {near}"));
    RegulationError::Field { field: key.to_owned(), why }
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
    fn errors_name_the_field_and_what_is_wanted() {
        let a = Regulation::a();
        assert!(refused(a.with("time.base", "soon")).starts_with("time.base: 10 s to 300 min"));
        assert!(refused(a.with("time.increment", "soon")).starts_with("time.increment: 0 s to 300 s"));
        assert!(refused(a.with("natural_limit.rounds", "0")).starts_with("natural_limit.rounds: rounds"));
        assert!(refused(a.with("natural_limit.from", "noon")).contains("last_capture"));
        assert!(refused(a.with("time.bass", "1")).contains("time.base"));
        assert!(refused(a.with("flag.both_draw", "yes")).starts_with("flag.automatic"));
    }
}
