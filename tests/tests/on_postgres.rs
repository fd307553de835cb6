//! The commands that look an event over, on PostgreSQL: a demonstration is played there, its journal verified, and the
//! doctor sees it, with a time server of the hall to compare the clock with.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::net::UdpSocket;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use venue::postgres::Postgres;
use venue::{free_address, output, program};

/// Seconds from 1900, where NTP counts from, to 1970.
const NTP_EPOCH: u64 = 2_208_988_800;

/// A time server whose clock is ahead of ours by so many seconds; its address.
fn time_server(ahead: u64) -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let mut asked = [0; 48];
        while let Ok((_, from)) = socket.recv_from(&mut asked) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            let mut answer = [0_u8; 48];
            answer[0] = 0x24; // version 4, server
            answer[40..44].copy_from_slice(&((NTP_EPOCH + now.as_secs() + ahead) as u32).to_be_bytes());
            let fraction = (u64::from(now.subsec_nanos()) << 32) / 1_000_000_000;
            answer[44..48].copy_from_slice(&(fraction as u32).to_be_bytes());
            socket.send_to(&answer, from).unwrap();
        }
    });
    address
}

/// What the doctor says of a thing.
fn finding<'a>(findings: &'a [Value], check: &str) -> &'a Value {
    findings
        .iter()
        .find(|finding| finding["check"] == check)
        .unwrap_or_else(|| panic!("{check} in {findings:?}"))
}

#[test]
fn a_demonstration_is_played_on_postgresql_and_verified_and_looked_over_there() {
    let Some(postgres) = Postgres::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let url = postgres.url();
    let mut demo = Command::new(program("chuhe"));
    demo.args(["demo", "--tables", "2", "--speed", "100", "--noise", "N0", "--exit", "--database", &url]);
    demo.args(["--listen", &free_address().to_string()]).arg("--data").arg(folder.path().join("data"));
    let played = output(&mut demo);
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let summary: Value = serde_json::from_slice(&played.stdout).unwrap();
    assert_eq!((summary["games"].as_u64(), summary["exact"].as_u64()), (Some(2), Some(2)), "{summary}");

    let verified = output(Command::new(program("chuhe")).args(["verify", "--database", &url]));
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let verified: Value = serde_json::from_slice(&verified.stdout).unwrap();
    let entries = verified["entries"].as_u64().unwrap();
    assert!(entries > 50 && verified["head"].as_str().unwrap().len() == 64, "{verified}");

    let config = folder.path().join("chuhe.toml");
    let text = "venue = \"hall\"\n[broker]\nembedded = \"127.0.0.1:1883\"\n";
    std::fs::write(&config, format!("database = \"{url}\"\n{text}")).unwrap();
    let doctor = |ntp: &str| {
        let mut doctor = Command::new(program("chuhe"));
        let seen = output(doctor.arg("doctor").arg("--config").arg(&config).args(["--ntp", ntp]));
        let lines = String::from_utf8(seen.stdout).unwrap();
        (
            seen.status.success(),
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>(),
        )
    };
    let (_, findings) = doctor(&time_server(0));
    let journal = finding(&findings, "journal");
    assert!(
        journal["ok"] == true && journal["found"].as_str().unwrap().contains(&format!("{entries} entries")),
        "{journal}"
    );
    assert_eq!(finding(&findings, "records")["ok"], true, "{findings:?}");
    assert_eq!(finding(&findings, "clock")["ok"], true, "{findings:?}");
    let (sound, findings) = doctor(&time_server(90));
    let clock = finding(&findings, "clock");
    assert!(!sound && clock["ok"] == false && clock["advice"].as_str().unwrap().contains("NTP"), "{clock}");
}
