//! What `chuhe pair` and `chuhe standings` print: JSON, one object a line.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::pairing::Reason;
use crate::standings::Decision;
use crate::{
    Event, EventError, GroupNo, PairingError, RoundNo, RoundPairing, Standing, pair_round, standings,
};

/// Why there is nothing to print.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinesError {
    /// The event file makes no sense.
    #[error("event file: {0}")]
    Event(#[from] EventError),
    /// The round cannot be paired.
    #[error(transparent)]
    Pairing(#[from] PairingError),
    /// A standing after a round that the event does not have.
    #[error("--after: round {after} is outside the event's {rounds} rounds")]
    After {
        /// The round asked for.
        after: RoundNo,
        /// The number of rounds.
        rounds: RoundNo,
    },
}

/// The next round of an event file, paired: one line for each table and the bye, in the order of the tables.
///
/// A line has `round`, `table`, `red`, `black` (null: a bye), `kind` (`game` or `bye`), names and points, `reasons` as
/// sentences in Chinese (`zh`) and English (`en`), and, where the pairing officer must confirm the round, `confirm` with what.
///
/// # Errors
/// With the place in the file, or why the round cannot be paired.
pub fn pair_json(text: &str) -> Result<String, LinesError> {
    let event = Event::from_json(text)?;
    let pairing = pair_round(&event, event.last_round().next())?;
    Ok(lines(pairing_lines(&event, &pairing)))
}

/// The standing of an event file after a round, the last one with results unless given: one line for each entrant.
///
/// A line has `rank`, `no`, `name`, `unit`, each key of the ladder with its figure (`previous_round`: the earlier round's
/// figures that decided, if they did), `shared` where nothing separates equals, and `why` this entrant stands below the one
/// before, in Chinese and English; where there are groups, `group` with its name, and one group after the other.
///
/// # Errors
/// With the place in the file, or a round that does not exist.
pub fn standings_json(text: &str, after: Option<RoundNo>) -> Result<String, LinesError> {
    let event = Event::from_json(text)?;
    let after = after.unwrap_or(event.last_round());
    if after > event.rounds() {
        return Err(LinesError::After { after, rounds: event.rounds() });
    }
    let of_group = |(no, part): (GroupNo, Cow<'_, Event>)| {
        let mut of_group = standing_lines(&part, &standings(&part, after.min(part.rounds())));
        for line in &mut of_group {
            if let Some(group) = event.group(no) {
                line["group"] = json!(group.name);
            }
        }
        of_group
    };
    Ok(lines(event.by_group().flat_map(of_group).collect()))
}

fn lines(objects: Vec<Value>) -> String {
    objects.into_iter().map(|object| object.to_string() + "\n").collect()
}

fn name(event: &Event, no: crate::EntrantNo) -> &str {
    event.entrant(no).map_or("", |entrant| &entrant.name)
}

fn pairing_lines(event: &Event, pairing: &RoundPairing) -> Vec<Value> {
    let to_confirm: Vec<_> = pairing.warnings.iter().filter(|warning| warning.needs_confirmation()).collect();
    let line = |pair: &crate::Pairing| {
        let words: Vec<_> = pair.reasons.iter().map(Reason::words).collect();
        let mut line = json!({
            "round": pairing.round,
            "table": pair.table,
            "red": pair.red,
            "black": pair.black,
            "kind": if pair.black.is_some() { "game" } else { "bye" },
            "red_name": name(event, pair.red),
            "black_name": pair.black.map(|no| name(event, no)),
            "reasons": {
                "zh": words.iter().map(|words| &words.zh).collect::<Vec<_>>(),
                "en": words.iter().map(|words| &words.en).collect::<Vec<_>>(),
            },
        });
        let of_this = |no| Some(no) == pair.black || no == pair.red;
        let confirm: Vec<_> = to_confirm
            .iter()
            .filter(|warning| warning.entrants().into_iter().any(of_this))
            .map(|warning| warning.words())
            .collect();
        if !confirm.is_empty() {
            line["confirm"] = json!(confirm);
        }
        line
    };
    pairing.pairings.iter().map(line).collect()
}

fn standing_lines(event: &Event, standing: &Standing) -> Vec<Value> {
    let line = |row: &crate::Row| {
        let entrant = event.entrant(row.no);
        let mut line = Map::new();
        line.insert("rank".into(), json!(row.rank));
        line.insert("no".into(), json!(row.no));
        line.insert("name".into(), json!(name(event, row.no)));
        line.insert("unit".into(), json!(entrant.map_or("", |entrant| &entrant.unit)));
        line.insert("after".into(), json!(standing.after));
        for (key, figure) in standing.ladder.0.iter().zip(&row.figures) {
            line.insert(key.name().into(), json!(figure));
        }
        if row.shared {
            line.insert("shared".into(), json!(true));
        }
        if entrant.is_some_and(|entrant| entrant.withdrawn_from.is_some_and(|from| from <= standing.after)) {
            line.insert("withdrawn".into(), json!(true));
        }
        if standing.open.contains(&row.no) {
            line.insert("open".into(), json!(true));
        }
        if let Some(decision) = &row.below {
            earlier_round(&mut line, decision);
            let words = decision.words();
            line.insert("decided_by".into(), json!(decision.column.rung().name()));
            line.insert("why".into(), json!(words));
        }
        Value::Object(line)
    };
    standing.rows.iter().map(line).collect()
}

/// Puts the figure of an earlier round under `previous_round`, if that is what decided.
fn earlier_round(line: &mut Map<String, Value>, decision: &Decision) {
    if let crate::Column::Earlier { key, after } = decision.column {
        line.insert("previous_round".into(), json!({ "after": after, "key": key, "figure": decision.worse }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"scoring":{"win":2,"draw":1,"loss":0},"rounds":3,
        "ladder":["points","opponents","wins","fouls","black_games","previous_round"],
        "entrants":[{"no":1,"name":"甲","unit":"绵阳"},{"no":2,"name":"乙","unit":""},{"no":3,"name":"丙","unit":""}],
        "results":[{"round":1,"table":1,"red":1,"black":2,"score":[2,0],"kind":"played","fouls":[0,1]},
        {"round":1,"table":2,"red":3,"black":null,"score":[2,0],"kind":"bye","fouls":[0,0]}]}"#;

    fn objects(lines: &str) -> Vec<Value> {
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn the_next_round_is_one_object_a_line() {
        let lines = objects(&pair_json(FILE).unwrap());
        assert_eq!(lines.len(), 2);
        assert_eq!((&lines[0]["red"], &lines[0]["black"]), (&json!(3), &json!(1)));
        assert_eq!((&lines[1]["red"], &lines[1]["black"]), (&json!(2), &Value::Null));
        assert_eq!(lines[0]["round"], json!(2));
        assert_eq!(lines[0]["reasons"]["zh"][0], json!("同积2分"));
        assert_eq!(
            lines[1]["reasons"]["en"][0],
            json!("bye: an odd field; the last of those with 0 points who can have it")
        );
        assert!(lines[0].get("confirm").is_none());
    }

    #[test]
    fn a_standing_has_every_figure_of_the_ladder() {
        let lines = objects(&standings_json(FILE, None).unwrap());
        // 3 had the bye: the lowest score among those with points, 2; 1's opponent has none.
        assert_eq!(lines[0]["no"], json!(3));
        assert_eq!(lines[0]["opponents"], json!(2));
        assert_eq!(lines[1]["decided_by"], json!("opponents"));
        assert_eq!(lines[1]["why"]["zh"], json!("对手分 2 > 0"));
        assert_eq!(lines[2]["fouls"], json!(1));
        assert_eq!(lines[2]["black_games"], json!(1));
        assert_eq!(lines[0]["previous_round"], Value::Null);
    }

    #[test]
    fn errors_say_where() {
        let said = |text: &str| pair_json(text).unwrap_err().to_string();
        assert!(said("{").starts_with("event file: line 1, column 1: EOF while parsing"));
        assert!(said(&FILE.replace("\"black\":2", "\"black\":7")).contains("results[0].black: entrant 7"));
        let error = standings_json(FILE, Some(RoundNo(4))).unwrap_err();
        assert_eq!(error.to_string(), "--after: round 4 is outside the event's 3 rounds");
    }
}
