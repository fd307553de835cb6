//! A venue over Debian's Mosquitto with users and rules, as `server/SECURITY.md` says them: the text of the document is
//! what is run.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::path::Path;
use std::process::Command;

use venue::{Broker, PATIENCE, Venue, output, program, wait_for};

/// The code blocks of the document that follow this line.
fn blocks_after(line: &str) -> Vec<String> {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/SECURITY.md");
    let text = std::fs::read_to_string(document).unwrap();
    let (_, after) = text.split_once(line).unwrap_or_else(|| panic!("SECURITY.md has no “{line}”"));
    after.split("```").skip(1).step_by(2).map(|block| block.trim_start_matches("erlang").to_owned()).collect()
}

#[test]
fn the_documented_rules_let_a_venue_work_and_keep_guests_out() {
    if !venue::has_mosquitto() {
        return;
    }
    let venue = Venue::new(Broker::Mosquitto, 1, 40.0);
    let login = format!("mqtt://chuhe:server-secret@{}", venue.mqtt);
    let config = std::fs::read_to_string(venue.path("chuhe.toml")).unwrap();
    venue.write("chuhe.toml", &config.replace(&format!("mqtt://{}", venue.mqtt), &login));

    let passwords = output(
        Command::new(program("chuhe"))
            .args(["gateway", "passwords", "--config"])
            .arg(venue.path("chuhe.toml")),
    );
    let passwords = String::from_utf8(passwords.stdout).unwrap();
    venue.write("passwd", &format!("{passwords}chuhe:server-secret\n"));
    let hashed = Command::new("mosquitto_passwd").arg("-U").arg(venue.path("passwd")).status().unwrap();
    assert!(hashed.success());

    let blocks = blocks_after("Mosquitto, one user a gateway");
    let [main, rules, ..] = &blocks[..] else { panic!("two blocks for Mosquitto: {blocks:?}") };
    venue.write("acl", &rules.replace("hangzhou", "test"));
    // The test's own place, without the certificate.
    let encrypted = ["listener", "cafile", "certfile", "keyfile"];
    let main: String = main
        .lines()
        .filter(|line| !encrypted.iter().any(|word| line.starts_with(word)))
        .map(|l| format!("{l}\n"))
        .collect();
    let main = main.replace("/etc/mosquitto", venue.folder.path().to_str().unwrap());
    let user = format!("listener {} 127.0.0.1\nuser root\n", venue.mqtt.port());
    venue.write("mosquitto.conf", &format!("{user}{main}"));

    let broker = venue.start_mosquitto();
    let server = venue.start_server();
    let tables = venue.start_tables("N0");
    let gateway = venue.start_gateway(1);
    wait_for("plies", PATIENCE, || venue.plies().filter(|read| *read >= 10));

    let listen = |user: &[&str], topic: &str| {
        let port = venue.mqtt.port().to_string();
        let mut command = Command::new("mosquitto_sub");
        command.args(["-h", "127.0.0.1", "-p", &port, "-t", topic, "-C", "1", "-W", "2"]).args(user);
        output(&mut command).status.success()
    };
    assert!(!listen(&[], "chuhe/1/test/table-1/state"), "nobody without a name");
    let (name, password) = passwords.trim().split_once(':').unwrap();
    let table = ["-u", name, "-P", password];
    assert!(
        !listen(&table, "chuhe/1/test/table-1/state"),
        "a gateway reads no gateway's words, its own neither"
    );
    assert!(listen(&["-u", "chuhe", "-P", "server-secret"], "chuhe/1/test/table-1/state"), "the server does");

    let made = venue.wait_for_truth(tables);
    gateway.end();
    server.end();
    drop(broker);
    venue.check_records(made);
}
