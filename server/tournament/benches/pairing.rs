//! How long a round takes to pair, and a standing to compute: `cargo bench -p tournament [-- PLAYERS ROUNDS SEED]`.
//! Results are drawn by lot, better for the smaller number, with 40 % draws and some absences.

#![allow(missing_docs, reason = "a program")]
#![allow(clippy::unwrap_used, reason = "a bench stops where it fails")]

use std::time::Instant;

use tournament::{
    Entrant, EntrantNo, Event, EventData, Points, ResultEntry, RoundNo, TableNo, pair_round, standings,
};
use xiangqi::BySide;

fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    match numbers.as_slice() {
        &[players, rounds, seed] => run(players as u16, rounds as u16, seed),
        _ => {
            run(60, 11, 1);
            run(400, 11, 1);
            run(10_000, 11, 1);
        }
    }
}

fn run(players: u16, rounds: u16, seed: u64) {
    let field = (1..=players).map(|no| Entrant::new(EntrantNo(no), format!("P{no}"), ""));
    let mut event =
        Event::new(EventData { rounds, entrants: field.collect(), ..EventData::default() }).unwrap();
    let mut dice = Dice(seed);
    let mut slowest = 0.0f64;
    for round in event.rounds().up_to() {
        for no in (1..=players).map(EntrantNo) {
            if dice.below(100) < 1 {
                event.record(ResultEntry::absent(round, no)).unwrap();
            }
        }
        let start = Clock::start();
        let pairing = pair_round(&event, round).unwrap();
        let milliseconds = start.milliseconds();
        slowest = slowest.max(milliseconds);
        println!(r#"{{"players":{players},"round":{round},"pair_ms":{milliseconds:.1}}}"#);
        for (table, pair) in (1..).zip(pairing.pairings) {
            let result = match pair.black {
                None => ResultEntry::bye(round, pair.red, Points(2)),
                Some(black) => {
                    let better = if pair.red < black { [2, 0] } else { [0, 2] };
                    let [red_points, black_points] = match dice.below(10) {
                        0..4 => [1, 1],
                        4..8 => better,
                        _ => [better[1], better[0]],
                    };
                    let score = BySide { red: Points(red_points), black: Points(black_points) };
                    ResultEntry::played(round, TableNo(table), pair.red, black, score)
                }
            };
            event.record(result).unwrap();
        }
    }
    let start = Clock::start();
    let standing = standings(&event, RoundNo(rounds));
    let milliseconds = start.milliseconds();
    println!(
        r#"{{"players":{players},"rounds":{rounds},"slowest_pair_ms":{:.1},"standing_ms":{milliseconds:.1},"rows":{}}}"#,
        slowest,
        standing.rows.len()
    );
}

/// Time on the processor where the system tells it (Linux), so that a busy machine does not count; else on the wall.
struct Clock {
    wall: Instant,
    processor: Option<u64>,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), processor: processor_nanoseconds() }
    }

    fn milliseconds(&self) -> f64 {
        match (self.processor, processor_nanoseconds()) {
            (Some(start), Some(end)) => (end - start) as f64 / 1e6,
            (None, _) | (_, None) => self.wall.elapsed().as_secs_f64() * 1e3,
        }
    }
}

fn processor_nanoseconds() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}
