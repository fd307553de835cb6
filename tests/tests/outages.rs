//! What breaks around a venue: disks that are full or read-only, a cable between a box and the server, torn writes, clocks
//! that are wrong, a server that is killed again and again in mid-transaction, in a hall of eight tables with clumsy
//! hands. Afterwards everything recovers by itself and no record is lost or doubled.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use venue::disk::Disk;
use venue::network::Network;
use venue::{Broker, PATIENCE, Process, Venue, get, program, wait_for};

/// How long anything may take to be noticed on a busy machine.
const BOUND: Duration = Duration::from_secs(40);

fn reach(venue: &Venue, plies: u64) {
    wait_for(&format!("{plies} plies"), PATIENCE, || venue.plies().filter(|read| *read >= plies));
}

#[test]
fn a_full_and_a_read_only_disk_are_told_and_survived() {
    let venue = Venue::new(Broker::Embedded, 1, 40.0);
    let (Some(server_disk), Some(gateway_disk)) =
        (Disk::mount(&venue.path("data"), 16), Disk::mount(&venue.path("gateway-1"), 16))
    else {
        return;
    };
    let server = venue.start_server();
    let tables = venue.start_tables("N0");
    let gateway = venue.start_gateway(1);
    reach(&venue, 8);
    let alerts = || venue.counter("chuhe_alerts_total{code=\"disk_db\"}").filter(|count| *count >= 1);
    wait_for("an alert that the disk is nearly full", BOUND, alerts);

    server_disk.fill();
    wait_for("the server to step down", BOUND, || get(venue.pages, "/healthz").is_none().then_some(()));
    let page = wait_for("a page that asks for patience", BOUND, || venue::answer(venue.pages, "/"));
    assert!(page.contains("请稍候"), "{page}");
    std::thread::sleep(Duration::from_secs(2));
    server_disk.clear();
    wait_for("the server to go on by itself", BOUND, || venue.get("/healthz"));
    reach(&venue, 20);

    gateway_disk.fill();
    wait_for("the gateway to say so", BOUND, || gateway.logged().contains("No space left").then_some(()));
    std::thread::sleep(Duration::from_secs(2));
    gateway_disk.clear();
    reach(&venue, 30);

    // A file system that turns read-only does so under open files; a mount does it only once they are closed.
    server.kill();
    assert!(server_disk.set_read_only(true));
    let ended = venue::output(
        std::process::Command::new(program("chuhe"))
            .args(["serve", "--config"])
            .arg(venue.path("chuhe.toml")),
    );
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(2) && said.contains("event.db"), "it names the database: {said}");
    assert!(server_disk.set_read_only(false));
    let server = venue.start_server();

    let made = venue.wait_for_truth(tables);
    gateway.end();
    server.end();
    venue.check_records(made);
}

#[test]
fn a_box_that_is_cut_off_hands_everything_in_when_the_cable_is_back() {
    let Some(network) = Network::lay() else { return };
    let mut venue = Venue::new(Broker::Embedded, 1, 40.0);
    venue.mqtt = SocketAddr::new(Network::HERE, venue.mqtt.port());
    venue.write_configurations();
    let server = venue.start_server();
    let tables = venue.start_tables("N0");
    let mut command = network.command(&program("chuhe-gateway"));
    let gateway = venue.start(command.arg("--config").arg(venue.path("gateway-1.toml")), "gateway-1.log");
    reach(&venue, 10);
    network.cut();
    wait_for("the gateway to notice", BOUND, || gateway.logged().contains("no connection").then_some(()));
    std::thread::sleep(Duration::from_secs(3));
    network.mend();
    let made = venue.wait_for_truth(tables);
    gateway.kill();
    server.end();
    venue.check_records(made);
}

#[test]
fn of_eight_tables_with_clumsy_hands_every_game_survives_kills_torn_writes_and_wrong_clocks() {
    let venue = Venue::new(Broker::Embedded, 8, 20.0);
    let mut server = venue.start_server();
    // An hour and a half of venue time ahead, and behind.
    venue.write("gateway-3.toml", &venue.gateway_config_at(3, -300_000));
    venue.write("gateway-4.toml", &venue.gateway_config_at(4, 300_000));
    let tables = venue.start_tables("N1");
    let mut gateways: Vec<Process> = (1..=8).map(|table| venue.start_gateway(table)).collect();

    for plies in [40, 60, 80, 100] {
        reach(&venue, plies);
        // While things come in, so in the midst of some transaction.
        server.kill();
        server = venue.start_server();
    }
    wait_for("the wrong clocks to be told", BOUND, || {
        venue.counter("chuhe_ignored_total{reason=\"WrongClock\"}").filter(|count| *count >= 1)
    });

    // Power fails at a box while its disk writes: what had not been acknowledged is there in part.
    gateways.remove(0).kill();
    let mut segments: Vec<_> =
        std::fs::read_dir(venue.path("gateway-1")).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.retain(|path| path.extension().is_some_and(|kind| kind == "log"));
    segments.sort();
    let newest = segments.last().expect("a store has segments");
    let mut segment = std::fs::File::options().append(true).open(newest).unwrap();
    segment.write_all(&[0x2a, 0, 0, 0, 0x5a, 0x5a, 0x5a]).unwrap();
    drop(segment);
    gateways.insert(0, venue.start_gateway(1));
    tables.pull_cables();

    // Hands of this kind knock pieces over, slide, bounce and forget presses; what needs an arbiter they do not do.
    let made = venue.wait_for_truth(tables);
    assert!(gateways[0].logged().contains("torn"), "the torn end is told");
    for gateway in gateways {
        gateway.end();
    }
    server.end();
    venue.check_records(made);
}
