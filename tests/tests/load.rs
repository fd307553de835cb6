//! `chuhe-sim load` against a real server: a short event at many times life's pace, driven over MQTT, measured, and the
//! server as steady at its end as at its beginning.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use venue::{free_address, output, program};

/// Writes a rehearsal's configuration; the server's data lie beside it.
fn rehearsal(folder: &Path, more: &[&str]) {
    let (pages, mqtt) = (free_address().to_string(), free_address().to_string());
    let mut command = Command::new(program("chuhe-sim"));
    let written = output(command.args(["venue", "--listen", &pages, "--mqtt", &mqtt]).args(more));
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    std::fs::write(folder.join("chuhe.toml"), written.stdout).unwrap();
}

fn load(folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(program("chuhe-sim"));
    output(command.arg("load").arg("--config").arg(folder.join("chuhe.toml")).args(more))
}

#[test]
fn a_soak_in_short_every_record_is_acknowledged_and_memory_handles_and_lag_do_not_grow() {
    let folder = tempfile::tempdir().unwrap();
    // Rounds follow one another; the time ends before they do.
    rehearsal(folder.path(), &["--tables", "16", "--gateways", "4", "--speed", "40", "--rounds", "9"]);
    let server = program("chuhe");
    let soak = ["--serve", server.to_str().unwrap(), "--steady", "--watch", "4", "--think", "2"];
    let times = ["--warm-up", "6", "--minutes", "0.4", "--every", "1.5"];
    let measured = load(folder.path(), &[&soak[..], &times].concat());
    let said = String::from_utf8_lossy(&measured.stderr);
    assert!(measured.status.success(), "{said}");
    let figures: Value = serde_json::from_slice(&measured.stdout).unwrap();
    let number = |field: &str| figures.pointer(field).and_then(Value::as_u64).unwrap_or_default();
    assert!(number("/records/acknowledged") > 500, "{figures}");
    assert_eq!(number("/whole_run/stored"), number("/whole_run/sent"), "{figures}");
    assert!(number("/whole_run/plies") > 50, "games are played: {figures}");
    assert!(number("/ack_ms/count") > 500 && number("/published_ms/count") > 20, "{figures}");
    assert!(number("/server/handles") > 4 && number("/server/memory_mib") > 0, "{figures}");
    assert!(said.contains("records/s") && said.contains("% of a core"), "{said}");
}

#[test]
fn what_is_wrong_with_a_load_is_named() {
    let folder = tempfile::tempdir().unwrap();
    rehearsal(folder.path(), &["--tables", "2"]);
    let says = |more: &[&str], words: &[&str]| {
        let ended = load(folder.path(), more);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{more:?} does not say {words:?}: {said}");
    };
    says(&[], &["/api/v1/event", "--pages"]);
    says(&["--serve", "/nowhere/chuhe"], &["--serve /nowhere/chuhe"]);
    says(&["--minutes", "0"], &["--minutes 0"]);
    says(&["--noise", "N99"], &["--noise N99"]);
    says(&["--broker", "mqtts://x"], &["mqtt://"]);
    let text = std::fs::read_to_string(folder.path().join("chuhe.toml")).unwrap();
    std::fs::write(folder.path().join("chuhe.toml"), text.replace("c400000100000002", "0000000000000009"))
        .unwrap();
    says(&[], &["chuhe.toml", "table 2: board"]);
}
