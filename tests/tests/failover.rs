//! Several servers share one PostgreSQL and one broker: one owns the event, the others stand by. When the owner is killed,
//! stands still or is cut off from the database, another goes on within seconds, and nothing is lost.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use venue::postgres::Postgres;
use venue::{Broker, PATIENCE, Process, Venue, free_address, get, wait_for};

/// A take-over is a matter of seconds; what a busy machine may need is more.
const BOUND: Duration = Duration::from_secs(30);

/// Two servers of one event, of which one owns it.
struct Pair {
    venue: Venue,
    pages: [SocketAddr; 2],
}

impl Pair {
    fn new(postgres: &Postgres) -> Pair {
        let venue = Venue::on(Some(postgres.url()), Broker::Mosquitto, 2, 40.0);
        let pages = [venue.pages, free_address()];
        venue.write("chuhe-0.toml", &venue.server_config(pages[0], "data-0"));
        venue.write("chuhe-1.toml", &venue.server_config(pages[1], "data-1"));
        Pair { venue, pages }
    }

    fn start(&self, which: usize) -> Process {
        self.venue.start_server_by(&format!("chuhe-{which}.toml"), &format!("server-{which}.log"))
    }

    fn owns(&self, which: usize) -> Option<()> {
        get(self.pages[which], "/healthz").map(drop)
    }

    /// Waits until this one owns the event; from then on it is the one that is asked.
    fn wait_for_owner(&mut self, which: usize) {
        let begin = Instant::now();
        wait_for("the other server to take over", BOUND, || self.owns(which));
        println!("server {which} owned the event after {:?}", begin.elapsed());
        self.venue.pages = self.pages[which];
    }
}

#[test]
fn another_server_takes_over_when_the_owner_is_killed_or_stands_still() {
    let (true, Some(postgres)) = (venue::has_mosquitto(), Postgres::start()) else { return };
    let mut pair = Pair::new(&postgres);
    let _broker = pair.venue.start_mosquitto();
    let first = pair.start(0);
    pair.wait_for_owner(0);
    let second = pair.start(1);
    let answer = wait_for("the other one to know the owner", BOUND, || {
        venue::answer(pair.pages[1], "/round/1").filter(|answer| answer.starts_with("HTTP/1.0 307"))
    });
    let owner = format!("location: http://{}/round/1", pair.pages[0]);
    assert!(answer.contains(&owner), "whoever asks the one that stands by is led to the owner: {answer}");

    let tables = pair.venue.start_tables("N0");
    let gateways: Vec<Process> = (1..=2).map(|table| pair.venue.start_gateway(table)).collect();
    let reach = |pair: &Pair, plies: u64| {
        wait_for(&format!("{plies} plies"), PATIENCE, || pair.venue.plies().filter(|read| *read >= plies))
    };
    reach(&pair, 15);
    first.kill();
    pair.wait_for_owner(1);

    reach(&pair, 35);
    let first = pair.start(0);
    second.pause();
    pair.wait_for_owner(0);
    // The former owner wakes and believes that it still owns the event; PostgreSQL knows better.
    second.resume();
    wait_for("the former owner to stand by", BOUND, || pair.owns(1).is_none().then_some(()));

    let made = pair.venue.wait_for_truth(tables);
    gateways.into_iter().for_each(|gateway| {
        gateway.end();
    });
    second.end();
    first.end();
    pair.venue.check_records(made);
}

/// A node shows a table's game as far as this, or farther.
fn shows(node: SocketAddr, plies: u64) -> Option<u64> {
    let event: serde_json::Value = serde_json::from_str(&get(node, "/api/v1/event")?).ok()?;
    event.pointer("/venue/plies")?.as_u64().filter(|shown| *shown >= plies)
}

#[test]
fn a_node_without_a_database_goes_on_showing_the_games_through_a_takeover() {
    let (true, Some(postgres)) = (venue::has_mosquitto(), Postgres::start()) else { return };
    let mut pair = Pair::new(&postgres);
    let _broker = pair.venue.start_mosquitto();
    let first = pair.start(0);
    pair.wait_for_owner(0);
    let node = free_address();
    pair.venue.write("node.toml", &pair.venue.server_config(node, "no-data"));
    let mut command = Command::new(venue::program("chuhe"));
    let running =
        pair.venue.start(command.arg("node").arg("--config").arg(pair.venue.path("node.toml")), "node.log");
    let second = pair.start(1);
    let tables = pair.venue.start_tables("N0");
    let gateways: Vec<Process> = (1..=2).map(|table| pair.venue.start_gateway(table)).collect();
    let before = wait_for("plies at the node", PATIENCE, || shows(node, 8));

    first.kill();
    assert!(shows(node, before).is_some(), "the last state stays while nobody owns the event");
    pair.wait_for_owner(1);
    wait_for("more plies at the node", PATIENCE, || shows(node, before + 8));

    pair.venue.wait_for_truth(tables);
    for table in 1..=2 {
        let game = format!("/api/v1/games/1/{table}");
        let told = wait_for("the whole game at the node", BOUND, || {
            get(node, &game).filter(|told| Some(told) == pair.venue.get(&game).as_ref())
        });
        assert!(told.contains("\"finished\""), "{told}");
    }
    running.end();
    assert!(!pair.venue.path("no-data").exists(), "a node keeps nothing");
    drop(gateways);
    second.end();
}

#[test]
fn a_server_whose_database_is_away_stands_by_and_goes_on_when_it_is_back() {
    let Some(postgres) = Postgres::start() else { return };
    let venue = Venue::on(Some(postgres.url()), Broker::Embedded, 1, 40.0);
    let server = venue.start_server();
    let tables = venue.start_tables("N1");
    let gateway = venue.start_gateway(1);
    wait_for("plies", PATIENCE, || venue.plies().filter(|read| *read >= 10));
    postgres.crash();
    wait_for("the server to notice", BOUND, || get(venue.pages, "/healthz").is_none().then_some(()));
    let page = wait_for("a page that says so", BOUND, || venue::answer(venue.pages, "/"));
    assert!(page.starts_with("HTTP/1.0 503") && page.contains("请稍候"), "{page}");
    // As long as an outage, in venue time.
    std::thread::sleep(Duration::from_secs(8));
    postgres.resume();
    wait_for("the server to own the event again", BOUND, || venue.get("/healthz"));
    let made = venue.wait_for_truth(tables);
    gateway.end();
    server.end();
    venue.check_records(made);
}
