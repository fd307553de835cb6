//! Perft speed: `cargo bench -p xiangqi --bench perft [-- FEN DEPTH]`.
//!
//! Counts the start position to depth 6 and a crowded middle game to depth 5,
//! and says how many nodes a second that was. Moves of the last ply are counted,
//! not played, as in the figures that other programs publish. The seconds are
//! those that the process had a core, where the system tells (Linux), so that a
//! busy machine does not show.
#![allow(clippy::disallowed_methods, reason = "a bench needs the time")]

use std::time::Instant;

use xiangqi::{Position, perft};

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
const MIDDLE_GAME: &str = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1";

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match &given[..] {
        [] => {
            measure(START, 5, Some(133_312_995));
            measure(MIDDLE_GAME, 5, Some(53_112_976));
            measure(START, 6, Some(5_392_831_844));
        }
        [fen, depth] => measure(fen, depth.parse().expect("DEPTH is a number"), None),
        _ => eprintln!("usage: perft [FEN DEPTH]"),
    }
}

fn measure(fen: &str, depth: u32, expected: Option<u64>) {
    let position = Position::from_fen(fen).expect("the FEN is a position");
    let began = Instant::now();
    let core_before = core_seconds();
    let nodes = perft(&position, depth);
    let seconds = match (core_before, core_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => began.elapsed().as_secs_f64(),
    };
    let speed = nodes as f64 / seconds / 1e6;
    println!("{fen}\n  depth {depth}: {nodes} nodes, {seconds:.3} s, {speed:.1} M nodes/s");
    if let Some(expected) = expected {
        assert_eq!(nodes, expected, "the count is wrong");
    }
}

/// How long this process has had a core, in seconds.
fn core_seconds() -> Option<f64> {
    let statistics = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: f64 = statistics.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
