//! Whatever fails in mid-round (a killed gateway, a killed server, a restarted broker, pulled cables), in the end no
//! record is lost, none is there twice, and the games are the ones played. Real processes, real files, real
//! pseudo-terminals.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::time::Duration;

use venue::postgres::Postgres;
use venue::{Broker, PATIENCE, Venue, wait_for};

#[test]
fn nothing_is_lost_with_the_embedded_broker() {
    survives(&Venue::new(Broker::Embedded, 2, 40.0));
}

#[test]
fn nothing_is_lost_with_mosquitto() {
    if venue::has_mosquitto() {
        survives(&Venue::new(Broker::Mosquitto, 2, 40.0));
    }
}

#[test]
fn nothing_is_lost_with_postgresql() {
    if let Some(postgres) = Postgres::start() {
        survives(&Venue::on(Some(postgres.url()), Broker::Embedded, 2, 40.0));
    }
}

fn survives(venue: &Venue) {
    let mut mosquitto = (venue.broker == Broker::Mosquitto).then(|| venue.start_mosquitto());
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

    let made = venue.wait_for_truth(tables);
    first.end();
    second.end();
    let took = server.end();
    assert!(took < Duration::from_secs(5), "the server took {took:?} to end");
    drop(mosquitto);
    venue.check_records(made);
}
