//! How many of the known repetition cases are judged as the rule books do.
//!
//! `cargo run --release -p xiangqi --example judge_report` reads `rules/repetition.tsv`
//! below `$CHUHE_SHARED`, or below `shared` beside the checkout.
#![allow(clippy::disallowed_methods, reason = "a report reads its cases")]

use std::path::PathBuf;

use xiangqi::judge::{RuleSet, Rules, Watch, case_position, judge};
use xiangqi::{Move, Position};

struct Case {
    id: String,
    set: RuleSet,
    start: Position,
    period: usize,
    moves: Vec<Move>,
    classes: Vec<char>,
    verdict: String,
    kind: String,
}

fn cases() -> Result<Vec<Case>, Box<dyn std::error::Error>> {
    let shared = std::env::var_os("CHUHE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let text = std::fs::read_to_string(shared.join("rules/repetition.tsv"))?;
    text.lines().skip(1).map(case).collect()
}

fn case(line: &str) -> Result<Case, Box<dyn std::error::Error>> {
    let field: Vec<&str> = line.split('\t').collect();
    let set = match field[1] {
        "CN2020" => RuleSet::Cn2020,
        "WXF2018" => RuleSet::Wxf2018,
        _ => RuleSet::Axf,
    };
    Ok(Case {
        id: field[0].to_owned(),
        set,
        start: case_position(field[4])?,
        period: field[8].parse()?,
        moves: field[7].split_whitespace().map(str::parse).collect::<Result<_, _>>()?,
        classes: field[9].chars().collect(),
        verdict: field[11].to_owned(),
        kind: field[12].to_owned(),
    })
}

/// 兑献拦跟 are all 闲 to the verdict.
fn folded(class: char) -> char {
    if "将杀捉".contains(class) { class } else { '闲' }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cases = cases()?;
    for set in RuleSet::ALL {
        let (mut plies, mut plies_right, mut verdicts, mut right, mut kinds) = (0, 0, 0, 0, 0);
        let mut wrong = Vec::new();
        for case in cases.iter().filter(|case| case.set == set) {
            let rules = Rules::from(set);
            let judgement = judge(rules, &case.start, &case.moves)?;
            verdicts += 1;
            right += usize::from(judgement.verdict.name() == case.verdict);
            kinds += usize::from(judgement.kind.name() == case.kind);
            let mut bad = judgement.verdict.name() != case.verdict || judgement.kind.name() != case.kind;
            let mut watch = Watch::new(rules, &case.start);
            case.moves.iter().try_for_each(|&mv| watch.play(mv))?;
            let mut said = String::new();
            if !case.classes.is_empty() {
                for ply in 0..case.moves.len() {
                    let expected = if ply < case.classes.len() { ply } else { ply - case.period };
                    let expected = case.classes[expected];
                    let Some(classified) = watch.class(ply) else { continue };
                    plies += 1;
                    let is = classified.class.zh().chars().next().unwrap_or('?');
                    if folded(is) == folded(expected) {
                        plies_right += 1;
                    } else {
                        bad = true;
                        said += &format!(
                            " [{} {} expected {expected}, {}]",
                            ply + 1,
                            classified.mv,
                            classified.why_en()
                        );
                    }
                }
            }
            if bad {
                wrong.push(format!(
                    "  {} expected {} {}: {} {} {}{said}",
                    case.id,
                    case.verdict,
                    case.kind,
                    judgement.verdict.name(),
                    judgement.kind.name(),
                    judgement.why_en()
                ));
            }
            if std::env::args().any(|a| a == "-v") {
                println!(
                    "{} {} | {}",
                    case.id,
                    judgement.why_zh(),
                    judgement.classes.iter().map(|c| c.why_zh()).collect::<Vec<_>>().join(" | ")
                );
            }
        }
        if verdicts > 0 {
            println!(
                "{set}: plies {plies_right}/{plies}, verdicts {right}/{verdicts}, kinds {kinds}/{verdicts}"
            );
            wrong.iter().for_each(|line| println!("{line}"));
        }
    }
    Ok(())
}
