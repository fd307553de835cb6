//! The log of a game, made of the journal and the stored observations, and followed again offline.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[allow(dead_code, reason = "each test binary uses its part")]
mod venue;

use capture::log::{Entry as Line, Log};
use capture::{PlyNo, Tracker};
use firmware_proto::{Epoch, Observation, PlayerSignal, Sighting};
use hall::{Act, GameLog, NoLog};
use tournament::{RoundNo, TableNo};
use venue::Venue;
use xiangqi::Side;

/// The log of a table's game in round 1, written and read again.
fn log_of(venue: &Venue, table: usize) -> Log {
    let mut log = GameLog::of(&venue.journal, RoundNo(1), venue.tables[table].no).unwrap();
    for (no, observation) in (1..).zip(&venue.stored) {
        if (log.reads_from() + 1..=log.until().unwrap_or(u64::MAX)).contains(&no) {
            log.take(no, observation);
        }
    }
    Log::read(&log.finish("试").write()).unwrap()
}

/// The plies that a tracker reads from a log.
fn read(log: &Log) -> String {
    let mut tracker = Tracker::new(log.start.clone(), log.params.clone(), Epoch(log.entries[0].0));
    let wait = |tracker: &mut Tracker, until: i64| {
        while let Some((at, _)) = tracker.poll_timeout().filter(|(at, _)| at.0 <= until) {
            tracker.on_time(at);
        }
    };
    for (came, line) in &log.entries {
        wait(&mut tracker, *came);
        match line {
            Line::Seen(seen) => drop(tracker.on_seen(seen)),
            Line::Correct { from, line } => drop(tracker.correct(*from, line, Epoch(*came))),
            Line::Close { at } => drop(tracker.close(*at)),
            Line::Restart => {}
        }
    }
    let last = log.entries.last().unwrap().0;
    wait(&mut tracker, last + 6_000);
    tracker.plies().iter().map(|ply| ply.mv.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_game_that_was_corrected_taken_back_and_ended_reads_the_same_from_its_log() {
    let mut venue = Venue::started(2, 4, 2);
    let table = venue.tables[0].no;
    venue.play(0, "h2e2 h9g7 h0g2");
    venue.play(1, "c3c4");
    venue.act(Act::Correct { table, from: PlyNo(3), line: vec!["h0i2".parse().unwrap()] });
    // The board is put as the record says, and the game goes on.
    let settled = venue.tables[0].stands_as(&["h2e2", "h9g7", "h0i2"], venue.now);
    venue.observe(settled);
    venue.pass(2_000);
    venue.play(0, "i9h9 i0h0");
    let resign = venue.tables[0].signal(Side::Black, PlayerSignal::Resign, venue.now);
    venue.observe(vec![resign]);
    venue.pass(1_000);
    assert_eq!(venue.moves(0), "h2e2 h9g7 h0i2 i9h9 i0h0");

    let log = log_of(&venue, 0);
    assert_eq!(read(&log), venue.moves(0));
    let count = |is: fn(&Line) -> bool| log.entries.iter().filter(|(_, line)| is(line)).count();
    assert_eq!(count(|line| matches!(line, Line::Correct { from: PlyNo(3), .. })), 1);
    assert_eq!(count(|line| matches!(line, Line::Close { .. })), 1);
    assert_eq!(read(&log_of(&venue, 1)), "c3c4", "each table has its own, a game that goes on too");
    // What is played in the next round is not in it.
    venue.act(Act::Result {
        round: RoundNo(1),
        table: venue.tables[1].no,
        outcome: arbitration::Outcome::agreed(),
    });
    venue.next_round();
    venue.play(0, "b2b4");
    assert_eq!(log_of(&venue, 0).entries, log.entries);
}

#[test]
fn what_a_link_that_was_down_brought_late_stands_where_it_happened() {
    let mut venue = Venue::started(1, 2, 1);
    venue.play(0, "h2e2 h9g7");
    let board = venue.tables[0].board();
    venue.observe(vec![Observation { device: board, at: venue.now, sighting: Sighting::Detached }]);
    venue.pass(2_000);
    let played = venue.tables[0].play("h0g2".parse().unwrap(), venue.now);
    let (clock, kept): (Vec<_>, Vec<_>) = played.into_iter().partition(|one| one.device != board);
    venue.pass(1_500);
    venue.observe(clock);
    let hello = venue.tables[0].hello(true, venue.now);
    venue.observe(vec![hello]);
    venue.observe(kept);
    venue.pass(2_000);
    let log = log_of(&venue, 0);
    assert!(log.entries.is_sorted_by_key(|(came, _)| *came));
    assert_eq!((read(&log), venue.moves(0)), ("h2e2 h9g7 h0g2".into(), "h2e2 h9g7 h0g2".into()));
}

#[test]
fn of_a_game_of_which_nothing_was_recorded_that_is_said() {
    let venue = Venue::started(1, 2, 2);
    let why = |round, table| GameLog::of(&venue.journal, RoundNo(round), TableNo(table)).unwrap_err();
    assert_eq!(why(2, 1), NoLog::Round(RoundNo(2)));
    assert_eq!(why(1, 9), NoLog::Table { round: RoundNo(1), table: TableNo(9) });
}
