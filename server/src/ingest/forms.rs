//! The journal's lines in the form that today's hall reads: what older programs wrote is brought up to it as it is read.
//!
//! A journal is never rewritten, since its chain of hashes covers every letter of it.
//!
//! | form | what came with the next |
//! |---|---|
//! | 1 | persons act in an office; fouls have an offence; alerts have severity, stage, data and remedies, and say how they were closed |
//! | 2 | today's |

use hall::Entry;
use serde_json::{Value, json};
use store::{JOURNAL_VERSION, Line};

/// An entry as the store keeps it.
pub(super) fn line(entry: &Entry) -> Line {
    let json =
        |value: serde_json::Result<String>| value.expect("our facts have text keys and finite numbers");
    Line {
        no: entry.no,
        at: entry.at,
        by: json(serde_json::to_string(&entry.by)),
        version: JOURNAL_VERSION,
        fact: json(serde_json::to_string(&entry.fact)),
    }
}

/// An entry as the hall reads it.
pub(crate) fn entry(line: Line) -> Result<Entry, String> {
    let wrong = |error: serde_json::Error| format!("entry {}: {error}", line.no);
    let (by, fact) = match line.version {
        1 => {
            let by = serde_json::from_str(&line.by).map_err(wrong)?;
            let fact = serde_json::from_str(&line.fact).map_err(wrong)?;
            let (by, fact) = from_form_1(by, fact);
            (serde_json::from_value(by).map_err(wrong)?, serde_json::from_value(fact).map_err(wrong)?)
        }
        JOURNAL_VERSION => {
            (serde_json::from_str(&line.by).map_err(wrong)?, serde_json::from_str(&line.fact).map_err(wrong)?)
        }
        newer => {
            return Err(format!(
                "entry {} has form {newer}, this chuhe reads forms 1 to {JOURNAL_VERSION}: a newer chuhe wrote it",
                line.no
            ));
        }
    };
    Ok(Entry { no: line.no, at: line.at, by, fact })
}

/// In form 1 there were no offices: whoever acted could do everything, as the chief arbiter can today.
fn from_form_1(mut by: Value, mut fact: Value) -> (Value, Value) {
    if let Some(name) = by.get("person").and_then(Value::as_str).map(str::to_owned) {
        by = json!({ "person": { "name": name, "role": "chief_arbiter" } });
    }
    if let Some(Value::Object(notice)) = fact.pointer_mut("/raised/notice") {
        let code = notice.get("code").cloned().unwrap_or_default();
        // A code that is none is refused when the whole is read.
        if let Ok(code) = serde_json::from_value::<arbitration::AlertCode>(code) {
            notice.insert("severity".into(), json!(code.severity()));
        }
        notice.insert("stage".into(), json!(0));
        notice.insert("data".into(), json!(arbitration::Evidence::Words));
        notice.insert("remedies".into(), json!([]));
    }
    if let Some(Value::Object(settled)) = fact.get_mut("settled") {
        // The one reason that the hall itself gave.
        let passed = settled.get("why").is_some_and(|why| why == "已自行解除");
        let how = if passed { hall::Settlement::Passed } else { hall::Settlement::Resolved };
        settled.insert("how".into(), json!(how));
    }
    if let Some(Value::Object(fouled)) = fact.pointer_mut("/game/fact/fouled") {
        fouled.insert("offence".into(), json!(arbitration::Offence::Other));
    }
    (by, fact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::Epoch;
    use hall::{Actor, Fact, Role};

    fn read(version: u16, by: &str, fact: &str) -> Result<Entry, String> {
        entry(Line { no: 1, at: Epoch(1), by: by.into(), version, fact: fact.into() })
    }

    #[test]
    fn what_a_program_of_form_1_wrote_is_read() {
        for text in include_str!("journals/form_1.tsv").lines() {
            let (by, fact) = text.split_once('\t').unwrap();
            let read = read(1, by, fact).unwrap_or_else(|why| panic!("{fact}: {why}"));
            assert_eq!(entry(line(&read)), Ok(read), "what is read can be written anew");
        }
    }

    #[test]
    fn persons_of_form_1_are_chief_arbiters_and_their_fouls_are_as_they_said() {
        let read = read(
            1,
            r#"{"person":"pilot"}"#,
            r#"{"game":{"table":2,"fact":{"fouled":{"side":"red","given":true,"why":"碰乱","at":5}}}}"#,
        )
        .unwrap();
        assert_eq!(read.by, Actor::person("pilot", Role::ChiefArbiter));
        let Fact::Game { fact: arbitration::GameFact::Fouled { offence, why, .. }, .. } = read.fact else {
            panic!("{:?}", read.fact)
        };
        assert_eq!((offence, why.as_str()), (arbitration::Offence::Other, "碰乱"));
    }

    #[test]
    fn a_form_of_the_future_is_refused_with_what_to_do() {
        let why = read(JOURNAL_VERSION + 1, "\"hall\"", r#"{"round_over":1}"#).unwrap_err();
        assert!(why.contains("a newer chuhe wrote it"), "{why}");
    }
}
