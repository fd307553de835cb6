//! Bad input: a clear message that says where and what, a counter where it can repeat, and nothing else disturbed.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::process::Command;
use std::time::Duration;

use venue::{Broker, Venue, output, program, wait_for};

fn fails(arguments: &[&str], status: i32, words: &[&str]) {
    let ended = output(Command::new(program("chuhe")).args(arguments));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(status), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?} does not say “{word}”: {said}");
    }
}

#[test]
fn the_command_line_names_what_is_wrong() {
    fails(&["serve", "--config", "/nowhere/chuhe.toml"], 2, &["/nowhere/chuhe.toml"]);
    fails(&["perft", "not a fen", "1"], 2, &["FEN"]);
    fails(&["convert", "--to", "pgn", "/nowhere/game.xqf"], 2, &["/nowhere/game.xqf"]);
    fails(&["standings", "/nowhere/event.json"], 2, &["/nowhere/event.json"]);
    fails(&["demo", "--noise", "N99"], 2, &["--noise N99"]);
    fails(&["demo", "--speed", "0"], 2, &["--speed 0"]);
}

#[test]
fn a_malformed_game_file_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.pgn");
    std::fs::write(&file, "[Game \"Chinese Chess\"]\n1. 炮二平五 將5進5 *\n").unwrap();
    let file = file.to_str().unwrap();
    fails(&["convert", "--to", "uci", file], 2, &[file]);
}

#[test]
fn a_port_already_taken_is_named() {
    let venue = Venue::new(Broker::Embedded, 1, 1.0);
    let taken = std::net::TcpListener::bind(venue.pages).unwrap();
    let config = venue.path("chuhe.toml");
    fails(&["serve", "--config", config.to_str().unwrap()], 2, &[&venue.pages.to_string(), "Choose another"]);
    drop(taken);
    let _broker = std::net::TcpListener::bind(venue.mqtt).unwrap();
    fails(&["serve", "--config", config.to_str().unwrap()], 2, &[&venue.mqtt.to_string(), "MQTT"]);
}

#[test]
fn a_gateway_with_a_wrong_key_is_counted_and_kept_out() {
    let venue = Venue::new(Broker::Embedded, 2, 20.0);
    venue.write("gateway-2.toml", &venue.gateway_config(2, &"00".repeat(32)));
    let server = venue.start_server();
    let _tables = venue.start_tables("N0");
    let _right = venue.start_gateway(1);
    let _wrong = venue.start_gateway(2);
    let within = Duration::from_secs(30);
    // Its key is its password at the broker, so it does not come further.
    wait_for("the wrong key to be counted", within, || {
        venue.counter("chuhe_broker_refused_total").filter(|count| *count >= 2)
    });
    wait_for("records of the other gateway", within, || {
        venue.counter("chuhe_observations_total").filter(|count| *count >= 2)
    });
    let logged = server.logged();
    assert!(logged.contains("table-2") && logged.contains("wrong name or password"), "{logged}");
}

#[test]
fn a_device_that_stands_on_no_table_is_counted_named_and_kept() {
    let venue = Venue::new(Broker::Embedded, 1, 20.0);
    let config = std::fs::read_to_string(venue.path("chuhe.toml")).unwrap();
    let other = config.replace("c400000200000001", "c4000002000000ff");
    assert_ne!(config, other, "the table's clock is bound by its number");
    venue.write("chuhe.toml", &other);
    let server = venue.start_server();
    let _tables = venue.start_tables("N0");
    let _gateway = venue.start_gateway(1);
    let within = Duration::from_secs(30);
    wait_for("the unknown clock to be counted", within, || {
        venue.counter("chuhe_ignored_total{reason=\"UnknownDevice\"}").filter(|count| *count >= 1)
    });
    wait_for("what both devices said", within, || {
        venue.counter("chuhe_observations_total").filter(|count| *count >= 3)
    });
    let logged = server.logged();
    assert!(logged.contains("c400000200000001") && logged.contains("[[tables]]"), "{logged}");
}
