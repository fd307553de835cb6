//! Tables on pseudo-terminals, and a server behind a broker that can be made to fail.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod server;
pub mod table;

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use firmware_proto::{Observation, Session, Sighting, StreamSeq};
use gateway::Config;
use gateway::store::Store;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio_util::sync::CancellationToken;

/// A key for tests.
pub const KEY: &str = "0f0e0d0c0b0a09080706050403020100f0e0d0c0b0a090807060504030201000";

/// A configuration with its store and its ports in `dir`.
pub fn config_text(dir: &Path, broker_port: u16) -> String {
    format!(
        "name = \"row-1\"\nvenue = \"hall\"\nstore = \"{0}/store\"\nbroker = \"mqtt://127.0.0.1:{broker_port}\"\n\
         key = \"{KEY}\"\nports = [\"{0}/tty*\"]\n",
        dir.display()
    )
}

/// Does `work` while a gateway of this configuration runs in this process.
pub async fn with_gateway(config: &str, work: impl AsyncFnOnce()) {
    let config = Config::parse(config).unwrap();
    let end = CancellationToken::new();
    let running = tokio::spawn(gateway::run(config, end.clone().cancelled_owned()));
    work().await;
    end.cancel();
    running.await.unwrap().unwrap();
}

/// A cable whose far end a gateway finds under this name, another pseudo-terminal each time: the near end, which is never
/// waited for.
pub fn plug(port: &Path) -> OwnedFd {
    let cable = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&cable).unwrap();
    unlockpt(&cable).unwrap();
    let mut modes = tcgetattr(&cable).unwrap();
    modes.make_raw();
    tcsetattr(&cable, OptionalActions::Now, &modes).unwrap();
    rustix::io::ioctl_fionbio(&cable, true).unwrap();
    let far_end = ptsname(&cable, vec![]).unwrap().into_string().unwrap();
    let _none_before = std::fs::remove_file(port);
    std::os::unix::fs::symlink(far_end, port).unwrap();
    cable
}

/// Everything that the gateway's store in `dir` keeps.
pub fn kept(dir: &Path) -> Vec<Observation> {
    let store = Store::open(&dir.join("store"), Session(0)).unwrap().store;
    let mut kept = vec![];
    let mut from = store.oldest();
    loop {
        let more = store.read(from, 1_000).unwrap();
        if more.is_empty() {
            return kept;
        }
        from = StreamSeq(from.0 + more.len() as u64);
        kept.extend(more);
    }
}

/// Asserts that the records in these observations are the device's 1, 2, 3 … up to and including `last`.
pub fn assert_all_once(observations: &[Observation], last: u32) {
    let numbers: Vec<u32> = observations
        .iter()
        .filter_map(|observation| match observation.sighting {
            Sighting::Record(_, record) => Some(record.seq.0),
            Sighting::Attached(_) | Sighting::Detached | Sighting::Done(_) | Sighting::Gap { .. } => None,
        })
        .collect();
    assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
}

/// Waits until `holds`, for at most a minute (the machine may be busy).
pub async fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
