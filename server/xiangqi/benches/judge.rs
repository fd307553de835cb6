//! What adjudication costs on real games: `cargo bench -p xiangqi --bench judge`.
//!
//! Reads `rules/games.tsv` below `$CHUHE_SHARED`, or below `shared` beside the
//! checkout. Each time is the least of three, so that a busy machine shows
//! less. A verdict is what a watch takes when a position stands for the third
//! time: it classifies the plies of the circle.
#![allow(clippy::disallowed_methods, reason = "a bench needs the time")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use xiangqi::judge::{Repetition, RuleSet, Rules, Watch, classify};
use xiangqi::{Move, Position};

/// Every so-manieth game gives its plies to the classifier.
const SAMPLE: usize = 8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shared = std::env::var_os("CHUHE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = shared.join("rules/games.tsv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("SKIPPED: {} cannot be read; set CHUHE_SHARED", path.display());
        return Ok(());
    };
    let (mut plies, mut verdicts, mut unresolved) = (Vec::new(), Vec::new(), 0);
    for (number, line) in text.lines().skip(1).enumerate() {
        let moves = line.split('\t').nth(11).unwrap_or_default().split_whitespace();
        let moves = moves.map(str::parse).collect::<Result<Vec<Move>, _>>()?;
        if number % SAMPLE == 0 {
            unresolved += classified(&moves, &mut plies)?;
        }
        if let Some(time) = first_verdict(RuleSet::Cn2020.into(), &moves)? {
            verdicts.push(time);
        }
    }
    report("classifying a ply", plies);
    report("the verdict on a repetition", verdicts);
    println!("plies not searched to the end: {unresolved}");
    Ok(())
}

fn classified(moves: &[Move], times: &mut Vec<Duration>) -> Result<usize, Box<dyn std::error::Error>> {
    let mut unresolved = 0;
    let mut earlier: Option<Position> = None;
    let mut position = Position::start();
    for &mv in moves {
        unresolved += usize::from(classify(earlier.as_ref(), &position, mv).unresolved);
        times.push(least(|| classify(earlier.as_ref(), &position, mv)));
        let next = position.play(mv)?;
        earlier = Some(core::mem::replace(&mut position, next));
    }
    Ok(unresolved)
}

fn first_verdict(rules: Rules, moves: &[Move]) -> Result<Option<Duration>, Box<dyn std::error::Error>> {
    let mut watch = Watch::new(rules, &Position::start());
    for &mv in moves {
        let before = watch.clone();
        if matches!(watch.push(mv)?, Repetition::Complete(_)) {
            return Ok(Some(least(|| before.clone().push(mv))));
        }
    }
    Ok(None)
}

fn least<T>(mut work: impl FnMut() -> T) -> Duration {
    let once = || {
        let began = Instant::now();
        core::hint::black_box(work());
        began.elapsed()
    };
    core::iter::repeat_with(once).take(3).min().unwrap_or_default()
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |quantile: f64| times[((times.len() - 1) as f64 * quantile) as usize];
    println!(
        "{what} ({}): median {:?}, p95 {:?}, p99 {:?}, most {:?}",
        times.len(),
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0)
    );
}
