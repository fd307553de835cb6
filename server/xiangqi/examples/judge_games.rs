//! What the players of real games did when a position stood for the third time,
//! beside what the judge proposes: the side that must vary should be the one
//! that left the circle, and games that ended on the spot as draws should be
//! judged draws. Players and arbiters followed different books, and players
//! also vary by choice, so the figures show a tendency, no score.
//!
//! `cargo run --release -p xiangqi --example judge_games [cn2020]` reads
//! `rules/games.tsv` below `$CHUHE_SHARED`, or below `shared` beside the
//! checkout; `-v` lists the games that went another way.
#![allow(clippy::disallowed_methods, reason = "an example reads the tables itself")]

use std::path::PathBuf;

use xiangqi::judge::{Judgement, Kind, Repetition, RuleSet, Rules, Watch};
use xiangqi::{Move, Position, Side};

#[derive(Default)]
struct Tally {
    left_as_judged: usize,
    other_left: usize,
    nobody_left: usize,
    judged_draw: usize,
    nine_rounds: usize,
    drawn_on_the_spot: usize,
    of_these_judged_draw: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.iter().any(|argument| argument == "-v");
    let set: RuleSet = match arguments.iter().find(|argument| *argument != "-v") {
        Some(name) => name.parse()?,
        None => RuleSet::Cn2020,
    };
    let shared = std::env::var_os("CHUHE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let text = std::fs::read_to_string(shared.join("rules/games.tsv"))?;
    let mut tally = Tally::default();
    for line in text.lines().skip(1) {
        let field: Vec<&str> = line.split('\t').collect();
        let moves = field[11].split_whitespace().map(str::parse).collect::<Result<Vec<Move>, _>>()?;
        let Some((mut watch, judgement)) = first_repetition(set.into(), &moves)? else { continue };
        if judgement.kind == Kind::NineRoundRule {
            tally.nine_rounds += 1;
            continue;
        }
        let position = watch.position().fen();
        let leaver = leaver(&mut watch, &moves)?;
        let as_expected = count(&mut tally, &judgement, leaver, field[1]);
        if verbose && !as_expected {
            println!("{} {} {position}: {}", field[0], field[1], judgement.why_en());
            judgement.classes.iter().for_each(|class| println!("    {} {}", class.mv, class.why_en()));
        }
    }
    println!(
        "{set}: one side must vary: it left the circle {} times, the other {}, nobody {}",
        tally.left_as_judged, tally.other_left, tally.nobody_left
    );
    println!(
        "a draw {} times; of {} games drawn on the spot {} are judged so; nine rounds {} times",
        tally.judged_draw, tally.drawn_on_the_spot, tally.of_these_judged_draw, tally.nine_rounds
    );
    Ok(())
}

fn first_repetition(
    rules: Rules,
    moves: &[Move],
) -> Result<Option<(Watch, Judgement)>, Box<dyn std::error::Error>> {
    let mut watch = Watch::new(rules, &Position::start());
    for &mv in moves {
        if let Repetition::Complete(judgement) = watch.push(mv)? {
            return Ok(Some((watch, judgement)));
        }
    }
    Ok(None)
}

/// The side that first makes a move to a new position.
fn leaver(watch: &mut Watch, moves: &[Move]) -> Result<Option<Side>, Box<dyn std::error::Error>> {
    for &mv in &moves[watch.plies()..] {
        let mover = watch.position().side_to_move();
        watch.play(mv)?;
        if watch.occurrences() == 1 {
            return Ok(Some(mover));
        }
    }
    Ok(None)
}

/// Whether the game went as judged.
fn count(tally: &mut Tally, judgement: &Judgement, leaver: Option<Side>, result: &str) -> bool {
    let drawn_on_the_spot = leaver.is_none() && result == "1/2-1/2";
    tally.drawn_on_the_spot += usize::from(drawn_on_the_spot);
    let counter = match (judgement.must_vary, leaver) {
        (None, _) => {
            tally.of_these_judged_draw += usize::from(drawn_on_the_spot);
            &mut tally.judged_draw
        }
        (Some(side), Some(leaver)) if side == leaver => &mut tally.left_as_judged,
        (Some(_), Some(_)) => &mut tally.other_left,
        (Some(_), None) => &mut tally.nobody_left,
    };
    *counter += 1;
    judgement.must_vary.is_none() || judgement.must_vary == leaver
}
