//! Eight tables on one pseudo-terminal that they share, a real gateway on its other end, noise, and a plug pulled.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod support;

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use device::{Device, SharedLink};
use firmware_proto::{DeviceUid, Half, MAX_FRAME, Millis, PlayerSignal, ResetCause};
use support::table::{Chance, device};
use support::{assert_all_once, config_text, kept, plug, wait_until, with_gateway};

const TABLES: u64 = 8;

struct Table {
    device: Box<Device>,
    link: SharedLink,
    /// Presses that are still wanted, one every few milliseconds.
    presses: u32,
    plugged: bool,
}

/// The line and all that hangs on it, alive in a thread until it is dropped.
struct Line {
    tables: Arc<Vec<Mutex<Table>>>,
    noise: Arc<AtomicU32>,
    ended: Arc<AtomicBool>,
}

impl Line {
    /// A line whose near end is `dir/line`.
    fn new(dir: &Path) -> Line {
        let table = |n: u64| {
            let device = device(n, 1, ResetCause::PowerOn, 1);
            Mutex::new(Table { device, link: SharedLink::new(DeviceUid(n)), presses: 0, plugged: true })
        };
        let wire = plug(&dir.join("line"));
        let tables = Arc::new((1..=TABLES).map(table).collect::<Vec<_>>());
        let line = Line { tables, noise: Arc::default(), ended: Arc::default() };
        let (tables, noise, ended) = (line.tables.clone(), line.noise.clone(), line.ended.clone());
        std::thread::spawn(move || live(&wire, &tables, &noise, &ended));
        line
    }

    fn play(&self, presses: u32) {
        self.tables.iter().for_each(|table| table.lock().unwrap().presses += presses);
    }

    fn is_done(&self, table: usize) -> bool {
        let table = self.tables[table].lock().unwrap();
        table.presses == 0 && table.device.next_seq().0 > 1 && table.device.backlog() == 0
    }

    fn all_done(&self) -> bool {
        (0..self.tables.len()).all(|table| self.is_done(table))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// Everybody hears what the gateway says; what several say at once is mixed.
fn live(wire: &OwnedFd, tables: &[Mutex<Table>], noise: &AtomicU32, ended: &AtomicBool) {
    let start = Instant::now();
    let mut chance = Chance(5);
    let mut spoil = |bytes: &mut [u8]| {
        let one_in = noise.load(Ordering::Relaxed) as usize;
        bytes.iter_mut().filter(|_| one_in > 0 && chance.below(one_in) == 0).for_each(|byte| *byte ^= 0x10);
    };
    while !ended.load(Ordering::Relaxed) {
        let now = Millis(start.elapsed().as_millis() as u32);
        let mut buffer = [0; 4096];
        // An error: there is nothing to read, or nobody has the near end open.
        let count = rustix::io::read(wire, &mut buffer).unwrap_or(0);
        let mut mixed: Vec<u8> = vec![];
        for table in tables {
            let Table { device, link, presses, plugged } = &mut *table.lock().unwrap();
            device.poll(now);
            if *presses > 0 {
                let signal = if *presses % 2 == 0 { PlayerSignal::Draw } else { PlayerSignal::CallArbiter };
                device.on_button(Half::A, signal, now);
                *presses -= 1;
            }
            if !*plugged {
                continue;
            }
            let mut heard = buffer[..count].to_vec();
            spoil(&mut heard);
            link.on_bytes(device, &heard, now);
            let (mut voice, mut out) = (vec![], [0; 2 * MAX_FRAME]);
            while let used @ 1.. = link.take_output(device, &mut out, now) {
                voice.extend_from_slice(&out[..used]);
            }
            mixed.resize(mixed.len().max(voice.len()), 0xff);
            mixed.iter_mut().zip(&voice).for_each(|(byte, own)| *byte &= own);
        }
        spoil(&mut mixed);
        // What does not fit into the line is lost, as on a real one.
        let _written = rustix::io::write(wire, &mixed);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A configuration whose only port is the shared line.
fn config(dir: &Path) -> String {
    let text = config_text(dir, 1);
    let ports = text.lines().find(|line| line.starts_with("ports")).unwrap();
    let lines = format!("lines = [\"{}/line\"]", dir.display());
    text.replace(ports, &lines)
}

#[tokio::test(flavor = "multi_thread")]
async fn listing_names_every_table_on_a_shared_line() {
    let dir = tempfile::tempdir().unwrap();
    let line = Line::new(dir.path());
    line.tables[3].lock().unwrap().plugged = false;
    let config = gateway::Config::parse(&config(dir.path())).unwrap();
    let mut reports = gateway::list(&config).await;
    // On a busy machine tables may answer too late to be heard; then one asks again.
    for _again in 0..8 {
        if reports.iter().filter(|report| report.device.is_ok()).count() == 7 {
            break;
        }
        reports = gateway::list(&config).await;
    }
    reports.sort_by(|one, other| one.port.cmp(&other.port));
    let uids: Vec<u64> = reports.iter().map(|report| report.device.as_ref().unwrap().uid.0).collect();
    assert_eq!(uids, [1, 2, 3, 5, 6, 7, 8]);
    assert!(reports[0].port.ends_with("/line 0000000000000001"), "{reports:?}");
    assert!(reports.iter().all(|report| report.light == gateway::Light::Green), "{reports:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_that_share_a_line_lose_nothing_to_noise_nor_to_a_pulled_plug() {
    let dir = tempfile::tempdir().unwrap();
    let line = Line::new(dir.path());
    with_gateway(&config(dir.path()), async || {
        line.noise.store(400, Ordering::Relaxed);
        line.play(100);
        tokio::time::sleep(Duration::from_secs(4)).await;
        line.noise.store(0, Ordering::Relaxed);
        wait_until("everything is acknowledged", || line.all_done()).await;
        line.tables[3].lock().unwrap().plugged = false;
        line.play(30);
        wait_until("the others are acknowledged", || {
            (0..8).filter(|table| *table != 3).all(|t| line.is_done(t))
        })
        .await;
        assert!(!line.is_done(3));
        tokio::time::sleep(Duration::from_secs(4)).await;
        line.tables[3].lock().unwrap().plugged = true;
        wait_until("so is the one that was unplugged", || line.all_done()).await;
    })
    .await;
    let kept = kept(dir.path());
    for (uid, table) in (1..).zip(line.tables.iter()) {
        let of_this: Vec<_> = kept.iter().filter(|seen| seen.device.0 == uid).copied().collect();
        assert_all_once(&of_this, table.lock().unwrap().device.next_seq().0 - 1);
    }
}
