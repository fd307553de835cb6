//! A running gateway is asked over its socket, as whoever sits at the box does it: `list` and `update`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Output, Stdio};

use firmware_proto::{Capabilities, Firmware, Target};
use support::table::Table;
use support::{config_text, wait_until};

/// A gateway as a process of its own, and what asks it.
struct Gateway {
    dir: tempfile::TempDir,
    process: Option<Child>,
}

impl Gateway {
    fn new() -> Gateway {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("gateway.toml"), config_text(dir.path(), 1)).unwrap();
        Gateway { dir, process: None }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn command(&self, words: &[&str]) -> Process {
        let mut command = Process::new(env!("CARGO_BIN_EXE_chuhe-gateway"));
        command.arg("--config").arg(self.path().join("gateway.toml")).args(words);
        command.stderr(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    async fn start(&mut self) {
        self.process = Some(self.command(&[]).stderr(Stdio::null()).spawn().unwrap());
        wait_until("it can be asked and knows its table", || {
            let list = self.ask(&["list"]);
            list.0 == Some(0) && self.path().join("store/socket").exists()
        })
        .await;
    }

    fn stop(&mut self) {
        let mut process = self.process.take().unwrap();
        signal("TERM", &process);
        process.wait().unwrap();
    }

    /// Status, standard output and standard error.
    fn ask(&self, words: &[&str]) -> (Option<i32>, String, String) {
        told(self.command(words).output().unwrap())
    }

    fn file(&self, name: &str, target: Target, version: u32, length: usize) -> String {
        let bytes: Vec<u8> = (0..length).map(|at| (at * 7) as u8).collect();
        let path: PathBuf = self.path().join(name);
        std::fs::write(&path, Firmware::of_bytes(target, version, &bytes).to_file(&bytes)).unwrap();
        path.display().to_string()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn signal(name: &str, process: &Child) {
    let sent = Process::new("kill").args([&format!("-{name}"), &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

const CLOCK: Target =
    Target { hardware: 1, capabilities: Capabilities { board: None, clock: true }, shared_line: false };

#[tokio::test(flavor = "multi_thread")]
async fn list_is_answered_by_the_running_gateway_and_by_the_ports_themselves_when_none_runs() {
    let mut gateway = Gateway::new();
    let table = Table::new(gateway.path(), "A", 0xab);
    table.play(3);
    gateway.start().await;
    let socket = gateway.path().join("store/socket");
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    wait_until("all is taken over", || table.is_done()).await;
    let (_, running, _) = gateway.ask(&["list"]);
    table.pull();
    wait_until("the port is told to be closed", || {
        let (status, said, _) = gateway.ask(&["list"]);
        status == Some(1) && said.contains("\"status\":\"red\"") && said.contains("\"error\"")
    })
    .await;
    table.plug();
    gateway.stop();
    assert!(!socket.exists());
    let (status, alone, _) = gateway.ask(&["list"]);
    assert_eq!(status, Some(0));
    for said in [running, alone] {
        assert_eq!(said.lines().count(), 1, "{said}");
        let line: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(
            (&line["uid"], &line["firmware"], &line["backlog"]),
            (&"00000000000000ab".into(), &1.into(), &0.into()),
            "{said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_shows_how_far_it_is_and_ends_with_a_status_that_tells() {
    let mut gateway = Gateway::new();
    let table = Table::new(gateway.path(), "A", 0xab);
    let file = gateway.file("clock-2.firmware", CLOCK, 2, 3_000);
    let (status, _, said) = gateway.ask(&["update", &file]);
    assert!(status == Some(1) && said.contains("no gateway runs on") && said.contains("store"), "{said}");

    gateway.start().await;
    wait_until("its records are taken over", || table.is_done()).await;
    let (status, shown, said) = gateway.ask(&["update", &file]);
    assert_eq!(status, Some(0), "{shown}{said}");
    assert!(shown.contains("00000000000000ab  done: it runs the new firmware"), "{shown}");
    assert!(shown.ends_with("1 of 1 run version 2\n"), "{shown}");
    let (_, listed, _) = gateway.ask(&["list"]);
    assert!(listed.contains("\"firmware\":2"), "{listed}");
    let (status, shown, _) = gateway.ask(&["update", &file, "ab"]);
    assert!(status == Some(0) && shown.contains("it ran this version before"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_firmware_or_fits_nobody_here_gets_an_error_that_says_so() {
    let mut gateway = Gateway::new();
    let _table = Table::new(gateway.path(), "A", 0xab);
    gateway.start().await;
    let file = gateway.file("clock.firmware", CLOCK, 2, 3_000);
    let revision_2 = gateway.file("clock-b.firmware", Target { hardware: 2, ..CLOCK }, 2, 3_000);
    let cut = gateway.path().join("cut.firmware").display().to_string();
    std::fs::write(&cut, &std::fs::read(&file).unwrap()[..2_000]).unwrap();
    let config = gateway.path().join("gateway.toml").display().to_string();
    for (words, why) in [
        (vec!["update", "not-there.firmware"], "No such file"),
        (vec!["update", &config], "does not begin with CHUHEFW1"),
        (vec!["update", &cut], "should hold 3000 bytes"),
        (vec!["update", &revision_2], "hardware revision 2"),
        (vec!["update", &revision_2, "ab"], "hardware revision 1"),
        (vec!["update", &file, "cd"], "device 00000000000000cd is not there"),
    ] {
        let (status, shown, said) = gateway.ask(&words);
        assert!(status == Some(1) && shown.is_empty() && said.contains(why), "{words:?}: {shown}{said}");
    }
    let (status, _, said) = gateway.ask(&["update", &file, "clock-2"]);
    assert!(status == Some(2) && said.contains("hexadecimal"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_an_update_and_the_device_forgets_what_came() {
    let mut gateway = Gateway::new();
    let table = Table::new(gateway.path(), "A", 0xab);
    gateway.start().await;
    // It would take minutes.
    let file = gateway.file("clock-2.firmware", CLOCK, 2, 2_000_000);
    let update = gateway.command(&["update", &file]).spawn().unwrap();
    wait_until("bytes come", || table.coming().is_some_and(|next| next > 1_000)).await;
    let (status, _, said) = gateway.ask(&["update", &file]);
    assert!(status == Some(1) && said.contains("another update is under way"), "{said}");
    signal("INT", &update);
    let (status, shown, _) = told(update.wait_with_output().unwrap());
    assert_eq!(status, Some(1));
    assert!(shown.contains("left as it was: the update was ended"), "{shown}");
    wait_until("it has forgotten it", || table.coming().is_none()).await;
    let (_, listed, _) = gateway.ask(&["list"]);
    assert!(listed.contains("\"firmware\":1") && listed.contains("\"boot\":1"), "{listed}");
}
