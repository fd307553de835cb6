//! Whatever fails in mid-round (a killed gateway, a killed server, a restarted broker, pulled cables), in the end no
//! record is lost, none is there twice, and the games are the ones played. Real processes, real files, real
//! pseudo-terminals.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::time::Duration;

use venue::{Broker, Venue, wait_for};

const PATIENCE: Duration = Duration::from_secs(180);

#[test]
fn nothing_is_lost_with_the_embedded_broker() {
    survives(Broker::Embedded);
}

#[test]
fn nothing_is_lost_with_mosquitto() {
    if !std::path::Path::new("/usr/sbin/mosquitto").exists() {
        eprintln!("SKIPPED: mosquitto is not installed; tests/run installs it");
        return;
    }
    survives(Broker::Mosquitto);
}

fn survives(broker: Broker) {
    let venue = Venue::new(broker, 2, 40.0);
    let mut mosquitto = (broker == Broker::Mosquitto).then(|| venue.start_mosquitto());
    let mut server = venue.start_server();
    let tables = venue.start_tables("N0");
    let mut first = venue.start_gateway(1);
    let second = venue.start_gateway(2);
    let reach = |plies: u64| {
        wait_for(&format!("{plies} plies"), PATIENCE, || venue.plies().filter(|read| *read >= plies));
    };
    let pause = || std::thread::sleep(Duration::from_millis(700));

    reach(12);
    first.kill();
    pause();
    first = venue.start_gateway(1);

    reach(30);
    // The embedded broker dies with it.
    server.kill();
    pause();
    server = venue.start_server();

    reach(45);
    tables.pull_cables();

    reach(60);
    if let Some(broker) = mosquitto.take() {
        broker.kill();
        pause();
        mosquitto = Some(venue.start_mosquitto());
    } else {
        server.kill();
        server = venue.start_server();
    }

    wait_for("the end of the round", PATIENCE, || venue.finished());
    // Devices hand over what they still keep; then gateways do.
    wait_for("both games' truth", PATIENCE, || (venue.truth().len() >= 2).then_some(()));
    let log = venue.path("tables.log");
    tables.end();
    let made = venue::records_made(&log);
    venue.wait_for_last_records();

    for (table, moves) in venue.truth() {
        assert_eq!(venue.moves(1, table), moves, "table {table}");
    }
    first.end();
    second.end();
    let took = server.end();
    assert!(took < Duration::from_secs(2), "the server took {took:?} to end");
    drop(mosquitto);

    // None lost, none twice: each device's records are there from the first to the last, once.
    let records = venue.stored_records();
    for ((device, _), numbers) in &records {
        let whole: Vec<u32> = (1..=numbers.len() as u32).collect();
        assert_eq!(*numbers, whole, "records of {device}");
    }
    let stored: usize = records.values().map(Vec::len).sum();
    assert_eq!(stored as u64, made, "records stored, records made");
}
