//! `chuhe pair` and `chuhe standings`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};
use tournament::{EntrantNo, Event, RoundNo, pair_round, standings};

use super::{Ended, Failure, print};

/// Pairs the next round of an event.
#[derive(Debug, Args)]
pub(super) struct Pair {
    /// The event file (JSON).
    event: PathBuf,
}

/// Ranks an event.
#[derive(Debug, Args)]
pub(super) struct Standings {
    /// The event file (JSON).
    event: PathBuf,
    /// After this round; without it after the last one with results.
    #[arg(long)]
    after: Option<u16>,
}

fn read(path: &PathBuf) -> Result<Event, Failure> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {}", path.display()))
        .map_err(Failure::BadInput)?;
    Event::from_json(&text).with_context(|| path.display().to_string()).map_err(Failure::BadInput)
}

fn name(event: &Event, no: EntrantNo) -> &str {
    event.entrant(no).map_or("", |entrant| entrant.name.as_str())
}

impl Pair {
    pub(super) fn run(self) -> Ended {
        let event = read(&self.event)?;
        let round = RoundNo(event.last_round().0 + 1);
        let paired = pair_round(&event, round)
            .with_context(|| self.event.display().to_string())
            .map_err(Failure::BadInput)?;
        let pairs: Vec<Value> = paired
            .pairings
            .iter()
            .map(|pair| {
                let words = pair.reasons.iter().map(|reason| reason.words());
                let (zh, en): (Vec<String>, Vec<String>) = words.map(|words| (words.zh, words.en)).unzip();
                json!({
                    "table": pair.table,
                    "red": pair.red,
                    "red_name": name(&event, pair.red),
                    "black": pair.black,
                    "black_name": pair.black.map(|no| name(&event, no)),
                    "why": zh,
                    "why_en": en,
                })
            })
            .collect();
        let warnings: Vec<Value> = paired
            .warnings
            .iter()
            .map(|warning| {
                let words = warning.words();
                json!({"why": words.zh, "why_en": words.en, "needs_confirmation": warning.needs_confirmation()})
            })
            .collect();
        print(&json!({"round": round, "pairs": pairs, "warnings": warnings}));
        Ok(())
    }
}

impl Standings {
    pub(super) fn run(self) -> Ended {
        let event = read(&self.event)?;
        let after = self.after.map_or(event.last_round(), RoundNo);
        if after > event.rounds() {
            let rounds = event.rounds();
            return Err(Failure::input(format!("--after {after}: the event has {rounds} rounds")));
        }
        for (no, part) in event.by_group() {
            let group = event.group(no).map(|group| group.name.as_str());
            print(&of_field(&part, after.min(part.rounds()), group));
        }
        Ok(())
    }
}

/// The standing of one group, or of an event without groups.
fn of_field(event: &Event, after: RoundNo, group: Option<&str>) -> Value {
    let standing = standings(event, after);
    let rows: Vec<Value> = standing
        .rows
        .iter()
        .map(|row| {
            let figures: serde_json::Map<String, Value> = standing
                .ladder
                .0
                .iter()
                .zip(&row.figures)
                .map(|(key, figure)| (key.name().to_owned(), json!(figure.map(|figure| figure.to_string()))))
                .collect();
            let decided = row.below.as_ref().map(|decision| decision.words());
            json!({
                "rank": row.rank,
                "shared": row.shared,
                "no": row.no,
                "name": name(event, row.no),
                "values": figures,
                "why": decided.as_ref().map(|words| words.zh.clone()),
                "why_en": decided.map(|words| words.en),
            })
        })
        .collect();
    let mut answer = json!({"after": after, "provisional": !standing.open.is_empty(), "rows": rows});
    if let Some(group) = group {
        answer["group"] = json!(group);
    }
    answer
}
