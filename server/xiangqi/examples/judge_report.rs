//! How many of the known repetition cases are judged as the rule books do.
//!
//! `cargo run --release -p xiangqi --example judge_report` reads `rules/repetition.tsv`
//! below `$CHUHE_SHARED`, or below `shared` beside the checkout; `-v` says every
//! judgement in full. Beside the score it shows how far the judgements depend on
//! what should not matter: each case is turned, mirrored, begun at another ply
//! of its circle, and played with one idle soldier less or more.
#![allow(clippy::disallowed_methods, reason = "a report reads its cases")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use xiangqi::judge::{RuleSet, Rules, Verdict, Watch, judge};
use xiangqi::{Defect, Defects, Move, Piece, Point, Position, Role, Setup, Side};

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
        start: Position::from_fen(field[4])?,
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
    let verbose = std::env::args().any(|argument| argument == "-v");
    for set in RuleSet::ALL {
        let of_set: Vec<&Case> = cases.iter().filter(|case| case.set == set).collect();
        if !of_set.is_empty() {
            score(set, &of_set, verbose)?;
            variants(set, &of_set)?;
        }
    }
    Ok(())
}

fn score(set: RuleSet, cases: &[&Case], verbose: bool) -> Result<(), Box<dyn std::error::Error>> {
    let (mut plies, mut plies_right, mut verdicts_right) = (0, 0, 0);
    let mut wrong = Vec::new();
    for case in cases {
        let judgement = judge(Rules::from(set), &case.start, &case.moves)?;
        let right = judgement.verdict.name() == case.verdict && judgement.kind.name() == case.kind;
        verdicts_right += usize::from(right);
        let mut watch = Watch::new(Rules::from(set), &case.start);
        case.moves.iter().try_for_each(|&mv| watch.play(mv))?;
        let mut misclassified = String::new();
        for (ply, &official) in case.classes.iter().enumerate() {
            let Some(classified) = watch.class(ply) else { continue };
            plies += 1;
            if classified.class.zh().chars().next().map(folded) == Some(folded(official)) {
                plies_right += 1;
            } else {
                misclassified += &format!(
                    "\n      ply {} {}: {official}, but {}",
                    ply + 1,
                    classified.mv,
                    classified.why_en()
                );
            }
        }
        if !right || !misclassified.is_empty() {
            wrong.push(format!(
                "    {}: {} {}, judged {} {}{misclassified}",
                case.id,
                case.verdict,
                case.kind,
                judgement.verdict.name(),
                judgement.kind.name()
            ));
        }
        if verbose {
            println!("{}: {}", case.id, judgement.why_zh());
            judgement.classes.iter().for_each(|class| println!("    {} {}", class.mv, class.why_zh()));
        }
    }
    println!("{set}: {plies_right} of {plies} plies, {verdicts_right} of {} verdicts", cases.len());
    wrong.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// A case told otherwise: its name, the position and the moves, and the verdict
/// that it should have.
type Variant = (&'static str, Position, Vec<Move>, Verdict);

fn variants(set: RuleSet, cases: &[&Case]) -> Result<(), Box<dyn std::error::Error>> {
    let mut tally: BTreeMap<&str, (usize, usize, Vec<&str>)> = BTreeMap::new();
    for case in cases {
        let verdict = judge(Rules::from(set), &case.start, &case.moves)?.verdict;
        for (name, start, moves, expected) in told_otherwise(case, verdict) {
            // An added or missing soldier may make a move impossible.
            let Ok(judgement) = judge(Rules::from(set), &start, &moves) else { continue };
            let (same, all, changed) = tally.entry(name).or_default();
            *all += 1;
            if judgement.verdict == expected {
                *same += 1;
            } else if changed.last() != Some(&case.id.as_str()) {
                changed.push(&case.id);
            }
        }
    }
    for (name, (same, all, changed)) in tally {
        println!("  {name}: {same} of {all} verdicts unchanged {}", changed.join(" "));
    }
    Ok(())
}

fn told_otherwise(case: &Case, verdict: Verdict) -> Vec<Variant> {
    let swapped = match verdict {
        Verdict::RedLoses => Verdict::BlackLoses,
        Verdict::BlackLoses => Verdict::RedLoses,
        Verdict::Draw | Verdict::None => verdict,
    };
    let mut told = Vec::new();
    let mut tell = |name, setup: Setup, moves: Vec<Move>, verdict| {
        let impossible = [Defect::ImpossiblePoint].into_iter().collect::<Defects>();
        let position = Position::from_setup(setup).or_else(|error| error.forgive(impossible));
        if let Ok(position) = position {
            told.push((name, position, moves, verdict));
        }
    };
    let setup = case.start.setup();
    let mirrored = Setup { board: setup.board.mirrored(), ..setup.clone() };
    tell("mirrored", mirrored, case.moves.iter().map(|mv| mv.mirrored()).collect(), verdict);
    let turned =
        Setup { board: setup.board.swapped(), side_to_move: setup.side_to_move.opposite(), ..setup.clone() };
    tell("colours exchanged", turned, case.moves.iter().map(|mv| mv.rotated()).collect(), swapped);
    if case.period > 0 {
        let leadin = case.moves.len() - 2 * case.period;
        let circle = &case.moves[leadin..leadin + case.period];
        let mut position =
            case.moves[..leadin].iter().fold(case.start.clone(), |p, &mv| p.play_irregular(mv));
        for begin in 0..case.period {
            let moves = (0..2 * case.period).map(|i| circle[(begin + i) % case.period]).collect();
            tell("begun at another ply, without the lead-in", position.setup(), moves, verdict);
            position = position.play_irregular(circle[begin]);
        }
    }
    for side in Side::ALL {
        for file in (0..9).step_by(2) {
            let Some(home) = Point::new(file, if side == Side::Red { 3 } else { 6 }) else { continue };
            let soldier = Piece { side, role: Role::Soldier };
            let mut board = setup.board.clone();
            let there = board.piece_at(home);
            if there == Some(soldier) {
                board.set(home, None);
                tell(
                    "one soldier at home less",
                    Setup { board, ..setup.clone() },
                    case.moves.clone(),
                    verdict,
                );
            } else if there.is_none() && board.of(side, Role::Soldier).len() < 5 {
                board.set(home, Some(soldier));
                tell(
                    "one soldier at home more",
                    Setup { board, ..setup.clone() },
                    case.moves.clone(),
                    verdict,
                );
            }
        }
    }
    told
}
