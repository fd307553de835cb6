//! The log of a game, written by a real server and drawn by the simulator's programme.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod venue;

use std::process::Command;

use venue::{Broker, PATIENCE, Venue, output, program, wait_for};

/// What `chuhe log` prints of the game at table 1.
fn log(venue: &Venue, database: Option<&str>) -> String {
    let mut command = Command::new(program("chuhe"));
    command.arg("log").arg("--config").arg(venue.path("chuhe.toml")).args(["--round", "1", "--table", "1"]);
    if let Some(copy) = database {
        command.arg("--database").arg(venue.path(copy));
    }
    let printed = output(&mut command);
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    String::from_utf8(printed.stdout).unwrap()
}

/// The moves that a replay of a log reads, and its page.
fn replay(venue: &Venue, log: &str) -> (Vec<String>, String) {
    venue.write("game.log", log);
    let mut command = Command::new(program("chuhe-sim"));
    command.arg("replay").arg(venue.path("game.log")).arg("--html").arg(venue.path("game.html"));
    let told = output(&mut command);
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told = String::from_utf8(told.stdout).unwrap();
    let plies = told.lines().nth(1).and_then(|line| line.split_once(" plies: ")).unwrap().1;
    let page = std::fs::read_to_string(venue.path("game.html")).unwrap();
    (plies.split_whitespace().map(str::to_owned).collect(), page)
}

#[test]
fn a_game_is_exported_while_it_is_played_and_after_and_its_replay_reads_the_same_plies() {
    let venue = Venue::new(Broker::Embedded, 1, 40.0);
    let server = venue.start_server();
    let tables = venue.start_tables("N1");
    let gateway = venue.start_gateway(1);
    wait_for("some plies", PATIENCE, || venue.plies().filter(|plies| *plies >= 6));
    let known = venue.moves(1, 1);
    let (meanwhile, _) = replay(&venue, &log(&venue, None));
    assert!(meanwhile.starts_with(&known[..known.len() - 1]), "{meanwhile:?} {known:?}");

    venue.wait_for_truth(tables);
    let whole = log(&venue, None);
    let (moves, page) = replay(&venue, &whole);
    assert_eq!(moves, venue.moves(1, 1));
    assert!(page.contains("棋手1") && page.contains("棋手2"), "who played stands in the title");
    let copied = output(
        Command::new(program("chuhe"))
            .arg("backup")
            .arg("--config")
            .arg(venue.path("chuhe.toml"))
            .arg(venue.path("copy.db")),
    );
    assert!(copied.status.success());
    gateway.end();
    server.end();
    assert_eq!(log(&venue, Some("copy.db")), whole, "of a copy too");
}
