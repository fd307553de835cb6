//! `chuhe demo --data DIR`, ended in mid-round and started again: each game goes on where it stood.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use venue::{Process, free_address, get, output, program, wait_for};

const PATIENCE: Duration = Duration::from_secs(180);

fn demo(pages: SocketAddr, folder: &Path) -> Command {
    let mut command = Command::new(program("chuhe"));
    command.args([
        "demo",
        "--tables",
        "2",
        "--speed",
        "100",
        "--noise",
        "N0",
        "--listen",
        &pages.to_string(),
    ]);
    command.arg("--data").arg(folder.join("data"));
    command
}

/// Completed plies of the game at a table.
fn plies(pages: SocketAddr, table: u16) -> Option<usize> {
    let game: Value = serde_json::from_str(&get(pages, &format!("/api/v1/games/1/{table}"))?).ok()?;
    Some(game["plies"].as_array()?.len())
}

#[test]
fn a_demo_that_was_interrupted_goes_on_with_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let pages = free_address();
    for read in [8, 20] {
        let demo = Process::start(&mut demo(pages, folder.path()), &folder.path().join("demo.log"));
        wait_for(&format!("{read} plies"), PATIENCE, || plies(pages, 1).filter(|plies| *plies >= read));
        demo.interrupt();
    }

    let ended = output(demo(pages, folder.path()).arg("--exit"));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    let summary: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!((summary["games"].as_u64(), summary["exact"].as_u64()), (Some(2), Some(2)), "{summary}");
    assert_eq!(open_doubts(&folder.path().join("data/event.db")), Vec::<String>::new());
}

/// Codes of the alerts that say that board and record differ, and that nothing settled.
fn open_doubts(database: &Path) -> Vec<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let journal = runtime.block_on(async {
        let store = store::Store::open(database).await.unwrap();
        store.journal(1).await.unwrap()
    });
    let mut open = BTreeMap::new();
    for line in journal {
        let fact: Value = serde_json::from_str(&line.fact).unwrap();
        if let Some(raised) = fact.get("raised") {
            let code = raised.pointer("/notice/code").and_then(Value::as_str).unwrap();
            open.insert(raised["alert"].as_u64(), code.to_owned());
        }
        if let Some(settled) = fact.get("settled") {
            open.remove(&settled["alert"].as_u64());
        }
    }
    let of_record = ["pos_mismatch", "illegal", "lost_move"];
    open.into_values().filter(|code| of_record.contains(&code.as_str())).collect()
}
