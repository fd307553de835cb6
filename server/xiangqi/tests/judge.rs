//! The repetition cases of the rule books, judged.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so and stop")]

mod shared;

use xiangqi::Move;
use xiangqi::judge::{RuleSet, Rules, Watch, case_position};

/// 兑献拦跟 are all 闲 to a verdict.
fn folded(class: char) -> char {
    if "将杀捉".contains(class) { class } else { '闲' }
}

fn moves(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|mv| mv.parse().unwrap()).collect()
}

fn watched(rules: Rules, fen: &str, moves: &[Move]) -> Watch {
    let mut watch = Watch::new(rules, &case_position(fen).unwrap());
    moves.iter().for_each(|&mv| watch.play(mv).unwrap());
    watch
}

#[test]
fn every_case_of_the_rule_books_is_judged_as_there() {
    for row in shared::table("repetition.tsv").into_iter().flatten() {
        let set = match row[1].as_str() {
            "CN2020" => RuleSet::Cn2020,
            "WXF2018" => RuleSet::Wxf2018,
            "AXF" => RuleSet::Axf,
            other => panic!("rule set {other}"),
        };
        let line = xiangqi::judge::cli_line(set.into(), &row[4], &moves(&row[7])).unwrap();
        assert_eq!((line.verdict, line.kind), (row[11].as_str(), row[12].as_str()), "{}", row[0]);
    }
}

#[test]
fn all_but_one_ply_has_the_official_class() {
    let mut wrong = Vec::new();
    for row in shared::table("repetition.tsv").into_iter().flatten().filter(|row| row[1] == "CN2020") {
        let moves = moves(&row[7]);
        let mut watch = watched(RuleSet::Cn2020.into(), &row[4], &moves);
        for (ply, official) in row[9].chars().enumerate() {
            let class = watch.class(ply).unwrap().class.zh().chars().next().unwrap();
            if folded(class) != folded(official) {
                wrong.push(format!("{} ply {}", row[0], ply + 1));
            }
        }
    }
    if !wrong.is_empty() {
        assert_eq!(wrong, ["CN20-R28 ply 4"], "see the README");
    }
}
