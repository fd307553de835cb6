//! Tables on real pseudo-terminals, a real gateway, and what goes wrong between them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod support;

use std::io::Write;
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use firmware_proto::{Sighting, StreamSeq};
use gateway::Config;
use support::table::Table;
use support::{assert_all_once, config_text, kept, wait_until, with_gateway};

#[tokio::test(flavor = "multi_thread")]
async fn a_spoilt_line_costs_nothing_but_time() {
    let dir = tempfile::tempdir().unwrap();
    let table = Table::new(dir.path(), "A", 1);
    table.set_noisy(true);
    table.play(400);
    with_gateway(&config_text(dir.path(), 1), async || {
        tokio::time::sleep(Duration::from_secs(3)).await;
        table.set_noisy(false);
        wait_until("everything is acknowledged", || table.is_done()).await;
    })
    .await;
    assert_all_once(&kept(dir.path()), table.last_record());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pulled_cable_and_a_swapped_port_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (Table::new(dir.path(), "A", 1), Table::new(dir.path(), "B", 2));
    with_gateway(&config_text(dir.path(), 1), async || {
        one.play(200);
        other.play(200);
        wait_until("the first part is acknowledged", || one.is_done() && other.is_done()).await;
        one.pull();
        one.play(200);
        tokio::time::sleep(Duration::from_millis(700)).await;
        one.plug();
        other.play(50);
        wait_until("the rest is acknowledged", || one.is_done() && other.is_done()).await;
    })
    .await;
    let kept = kept(dir.path());
    for (uid, table) in [(1, &one), (2, &other)] {
        let of_this: Vec<_> = kept.iter().filter(|seen| seen.device.0 == uid).copied().collect();
        assert_all_once(&of_this, table.last_record());
    }
    assert!(kept.iter().any(|seen| seen.device.0 == 1 && seen.sighting == Sighting::Detached));
    assert!(!kept.iter().any(|seen| seen.device.0 == 2 && seen.sighting == Sighting::Detached));
}

/// A gateway as a process of its own, so that it can be killed.
struct GatewayProcess(Child);

impl GatewayProcess {
    fn start(config: &std::path::Path) -> GatewayProcess {
        let child = Process::new(env!("CARGO_BIN_EXE_chuhe-gateway"))
            .arg("--config")
            .arg(config)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        GatewayProcess(child)
    }
}

impl Drop for GatewayProcess {
    /// SIGKILL.
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_killed_again_and_again_with_torn_writes_keeps_every_record_once() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("gateway.toml");
    std::fs::write(&config, config_text(dir.path(), 1)).unwrap();
    let table = Table::new(dir.path(), "A", 1);
    for round in 0..4 {
        let gateway = GatewayProcess::start(&config);
        table.play(300);
        let halfway = table.last_record() + 100;
        wait_until("some are recorded", || table.last_record() > halfway).await;
        tokio::time::sleep(Duration::from_millis(50 * round)).await;
        drop(gateway);
        // What a power cut in the middle of a write leaves behind.
        let mut logs: Vec<_> = std::fs::read_dir(dir.path().join("store"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
            .collect();
        logs.sort();
        if let Some(newest) = logs.last() {
            let mut file = std::fs::OpenOptions::new().append(true).open(newest).unwrap();
            file.write_all(&[40, 0, 0, 0, 1, 2, 3]).unwrap();
        }
    }
    let gateway = GatewayProcess::start(&config);
    wait_until("everything is acknowledged", || table.is_done()).await;
    drop(gateway);
    assert_all_once(&kept(dir.path()), table.last_record());
}

#[test]
fn a_bad_configuration_is_status_two_with_line_and_field() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("gateway.toml");
    std::fs::write(&config, config_text(dir.path(), 1).replace("venue = ", "venu = ")).unwrap();
    let output =
        Process::new(env!("CARGO_BIN_EXE_chuhe-gateway")).arg("--config").arg(&config).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("gateway.toml") && said.contains("line 2") && said.contains("venu"), "{said}");
}

#[test]
fn the_programme_says_its_own_name_and_version() {
    let output = Process::new(env!("CARGO_BIN_EXE_chuhe-gateway")).arg("--version").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, format!("chuhe-gateway {}\n", env!("CARGO_PKG_VERSION")));
}

#[tokio::test(flavor = "multi_thread")]
async fn listing_names_each_device_and_what_is_no_device() {
    let dir = tempfile::tempdir().unwrap();
    let _table = Table::new(dir.path(), "A", 0xab);
    std::fs::write(dir.path().join("ttyFile"), "no port").unwrap();
    let config = Config::parse(&config_text(dir.path(), 1)).unwrap();
    let reports = gateway::list(&config).await;
    assert_eq!(reports[0].device.as_ref().unwrap().uid.0, 0xab);
    assert_eq!([reports[0].light, reports[1].light], [gateway::Light::Green, gateway::Light::Red]);
    assert!(reports[1].device.is_err(), "{reports:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_in_one_process_have_a_store_each_and_never_share_one() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    with_gateway(&config_text(one.path(), 1), async || {
        with_gateway(&config_text(other.path(), 1), async || {
            wait_until("both stores are there", || {
                [&one, &other].iter().all(|dir| dir.path().join("store/lock").exists())
            })
            .await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            let config = Config::parse(&config_text(one.path(), 1)).unwrap();
            let refused = gateway::run(config, std::future::pending()).await.unwrap_err();
            assert!(refused.to_string().contains("another gateway"), "{refused}");
        })
        .await;
    })
    .await;
    assert_eq!(
        gateway::store::Store::open(&one.path().join("store"), firmware_proto::Session(0))
            .unwrap()
            .store
            .oldest(),
        StreamSeq(1)
    );
}
