//! What the tracker costs: the load of 200 tables as a share of one core, and reading a game of 300 plies again.
//! `cargo bench -p simulator`; one line of JSON for each figure.
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use capture::log::{Entry, Log};
use capture::{Params, PlyNo, Tracker};
use firmware_proto::{Epoch, SensingKind};
use simulator::games::{Ending, Game, Source};
use simulator::trial::Trials;
use simulator::{Dice, Noise};
use xiangqi::{Move, Position};

/// So many games are followed for a figure.
const GAMES: u64 = 12;
const TABLES: f64 = 200.0;
const LONG: usize = 300;

fn main() {
    for (noise, sensing) in [
        ("N1", SensingKind::Colour),
        ("N1", SensingKind::Occupancy),
        ("N2", SensingKind::Colour),
        ("N2", SensingKind::Occupancy),
        ("N6", SensingKind::Colour),
    ] {
        load(noise, sensing);
    }
    for sensing in [SensingKind::Colour, SensingKind::Occupancy] {
        again(sensing);
    }
}

fn trials(games: Source, noise: &str, sensing: SensingKind) -> Trials {
    let noise = Noise::whole(noise).unwrap();
    Trials { games: Arc::new(games), noise, sensing, seed: 5, params: Params::default() }
}

/// Follows recorded games as fast as possible; what one second of play costs.
fn load(noise: &str, sensing: SensingKind) {
    let trials = trials(Source::Player, noise, sensing);
    let (mut spent, mut played, mut events) = (Duration::ZERO, 0, 0);
    for number in 0..GAMES {
        let log = trials.run(number).log;
        played += span(&log);
        events += log.entries.len();
        let mut tracker = Tracker::new(Position::start(), Params::default(), Epoch(0));
        let before = busy();
        for (came, entry) in &log.entries {
            tracker.on_time(Epoch(*came));
            match entry {
                Entry::Seen(seen) => drop(tracker.on_seen(seen)),
                Entry::Correct { from, line } => drop(tracker.correct(*from, line, Epoch(*came))),
                Entry::Close { at } => drop(tracker.close(*at)),
                Entry::Restart => {}
            }
        }
        spent += busy() - before;
    }
    let share = spent.as_secs_f64() * 1_000.0 / played as f64;
    println!(
        "{{\"bench\":\"load\",\"noise\":\"{noise}\",\"sensing\":\"{sensing:?}\",\"core_of_200_tables\":{:.4},\"us_per_event\":{:.1}}}",
        share * TABLES,
        spent.as_secs_f64() * 1e6 / events as f64
    );
}

/// How long this thread has been on a core: on a busy machine the clock on the wall says nothing of what a thing costs.
fn busy() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split_whitespace().next().unwrap().parse().unwrap())
}

fn span(log: &Log) -> i64 {
    match (log.entries.first(), log.entries.last()) {
        (Some((first, _)), Some((last, _))) => last - first,
        (None, _) | (_, None) => 0,
    }
}

/// An arbiter corrects the first ply of a long game: everything after it is read again.
fn again(sensing: SensingKind) {
    let game = long_game();
    let first = game.moves[0];
    let log = trials(Source::Record(vec![game]), "N1", sensing).run(0).log;
    let mut tracker = Tracker::new(Position::start(), Params::default(), Epoch(0));
    let mut now = Epoch(0);
    for (came, seen) in log.seen() {
        now = Epoch(came);
        tracker.on_time(now);
        tracker.on_seen(seen);
    }
    let plies = tracker.plies().len();
    let before = busy();
    tracker.correct(PlyNo(1), &[first], now);
    let took = busy() - before;
    println!(
        "{{\"bench\":\"again\",\"sensing\":\"{sensing:?}\",\"plies\":{plies},\"plies_after\":{},\"seconds\":{:.3}}}",
        tracker.plies().len(),
        took.as_secs_f64()
    );
}

/// A game of random moves that lasts long enough.
fn long_game() -> Game {
    let mut seed = 0;
    loop {
        let mut dice = Dice::new(seed);
        let mut position = Position::start();
        let mut moves = Vec::new();
        while moves.len() < LONG {
            let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
            let Some(mv) = dice.pick(&legal) else { break };
            position = position.play_irregular(mv);
            moves.push(mv);
        }
        if moves.len() == LONG {
            return Game { id: "long".to_owned(), moves, ending: Ending::Draw };
        }
        seed += 1;
    }
}
