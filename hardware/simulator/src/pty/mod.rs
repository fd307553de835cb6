//! Virtual tables behind real pseudo-terminals: what a gateway opens as serial ports.

mod accident;
mod line;
mod running;
mod shared_line;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use firmware_proto::{DeviceUid, Epoch, VenueClock};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use accident::{Accident, Accidents, Happens};
use running::{Port, Running};
use shared_line::SharedLine;

use crate::emulator::{Chips, Emulation, Told};
use crate::table::{PortKind, TableConfig, uid};
use crate::truth::PlayedGame;

/// A venue's virtual tables.
#[derive(Clone, Debug)]
pub struct PtyConfig {
    /// The tables. Their [`TableConfig::started`] is set when they start.
    pub tables: Vec<TableConfig>,
    /// Where the ports are named: `DIR/table-03-board`, a link to the pseudo-terminal.
    pub dir: PathBuf,
    /// The venue's time; the devices run as fast.
    pub clock: VenueClock,
}

/// A port of a virtual table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortName {
    /// Its table.
    pub table: u16,
    /// What hangs on it.
    pub kind: PortKind,
    /// The device's number.
    pub uid: DeviceUid,
    /// The path to open; the same at every start.
    pub path: PathBuf,
}

/// What the tables did until they were stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Records that all devices made.
    pub records: u64,
}

/// How long the devices, once they are to stop, may take to hand over what was not acknowledged yet.
const HAND_OVER: Duration = Duration::from_secs(1);

/// How long the hands, once they are to stop, may take to finish the ply that they are at.
const LAST_PLY: Duration = Duration::from_millis(500);

/// The cables stay in for so long after the last record, so that the server learns it before they are gone: what came
/// from one device is complete only while the other one is there.
const LINGER: Duration = Duration::from_millis(200);

/// Tables with open ports, ready to run.
pub struct Ports {
    tables: Vec<Running>,
    names: Vec<PortName>,
    clock: VenueClock,
    accidents: (mpsc::Sender<Accident>, mpsc::Receiver<Accident>),
    emulation: Option<Emulation>,
    /// What the tables are told and say on one line, if they share one.
    shared: Option<SharedLine>,
}

/// Which port: the table's place and the port's place at it.
type Place = (usize, usize);

/// What comes to a table.
enum Came {
    /// Bytes from the gateway.
    Heard(Place, Vec<u8>),
    /// Word of an emulated controller.
    Told(Place, Told),
}

/// Where the ports of these tables will be, whether they exist yet or not.
#[must_use]
pub fn port_names(tables: &[TableConfig], dir: &Path) -> Vec<PortName> {
    let mut names = Vec::new();
    for config in tables {
        let kinds: &[PortKind] =
            if config.combined { &[PortKind::Both] } else { &[PortKind::Board, PortKind::Clock] };
        for &kind in kinds {
            let path = dir.join(format!("table-{:02}-{}", config.table, kind.name()));
            names.push(PortName { table: config.table, kind, uid: uid(config.table, kind), path });
        }
    }
    names
}

/// Opens one pseudo-terminal a device and names them. Needs a Tokio runtime.
pub fn open(config: PtyConfig) -> anyhow::Result<Ports> {
    fs::create_dir_all(&config.dir)
        .with_context(|| format!("cannot make the directory {}", config.dir.display()))?;
    let names = port_names(&config.tables, &config.dir);
    let started = config.clock.at(wall());
    let mut tables = Vec::new();
    for mut table in config.tables {
        let number = table.table;
        table.started = started;
        let ports = names
            .iter()
            .filter(|name| name.table == number)
            .map(|name| Port::open(name.kind, name.path.clone()))
            .collect::<anyhow::Result<Vec<Port>>>()?;
        tables.push(Running::new(table, ports));
    }
    Ok(Ports {
        tables,
        names,
        clock: config.clock,
        accidents: mpsc::channel(16),
        emulation: None,
        shared: None,
    })
}

/// Opens one pseudo-terminal for all tables, `DIR/line`: emulated controllers share it (RS-485). Needs a Tokio runtime.
pub fn open_shared(config: PtyConfig, emulation: Emulation) -> anyhow::Result<Ports> {
    fs::create_dir_all(&config.dir)
        .with_context(|| format!("cannot make the directory {}", config.dir.display()))?;
    let started = config.clock.at(wall());
    let path = config.dir.join("line");
    let kind = PortKind::Both;
    let (mut tables, mut names) = (Vec::new(), Vec::new());
    for table in config.tables {
        let port = if tables.is_empty() { Port::open(kind, path.clone())? } else { Port::without_line(kind) };
        let uid = uid(table.table, kind);
        names.push(PortName { table: table.table, kind, uid, path: path.clone() });
        tables.push(Running::new(TableConfig { started, combined: true, ..table }, vec![port]));
    }
    let shared = Some(SharedLine::new(names.iter().map(|name| name.uid).collect()));
    let accidents = mpsc::channel(16);
    Ok(Ports { tables, names, clock: config.clock, accidents, emulation: Some(emulation), shared })
}

/// Opens the ports and runs the tables until `shutdown`; each game that has ended goes to `truth`.
pub async fn run(
    config: PtyConfig,
    shutdown: CancellationToken,
    truth: mpsc::UnboundedSender<PlayedGame>,
) -> anyhow::Result<Totals> {
    open(config)?.run(shutdown, truth).await
}

/// A line that is full is tried again after this.
const RETRY: Duration = Duration::from_millis(20);

impl Ports {
    /// The ports, by table.
    #[must_use]
    pub fn names(&self) -> &[PortName] {
        &self.names
    }

    /// A handle to do things to them with.
    #[must_use]
    pub fn accidents(&self) -> Accidents {
        Accidents(self.accidents.0.clone())
    }

    /// Lets real firmware speak on the ports, on emulated controllers.
    #[must_use]
    pub fn emulated(self, emulation: Emulation) -> Ports {
        Ports { emulation: Some(emulation), ..self }
    }

    /// Runs the tables until `shutdown`; each game that has ended goes to `truth`.
    pub async fn run(
        mut self,
        shutdown: CancellationToken,
        truth: mpsc::UnboundedSender<PlayedGame>,
    ) -> anyhow::Result<Totals> {
        let (came, mut coming) = mpsc::channel(256);
        self.start_emulators(&came)?;
        for (table, running) in self.tables.iter().enumerate() {
            for (number, port) in running.ports.iter().enumerate() {
                port.line().into_iter().for_each(|line| line.read_on((table, number), came.clone()));
            }
        }
        let (began, wall_began) = (Instant::now(), wall());
        let start = self.clock.at(wall_began);
        let clock = self.clock;
        let now = move || {
            let wall = wall_began.plus(i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX));
            clock.at(wall).since(start)
        };
        loop {
            self.plug_in(&came)?;
            let at = now().min(self.horizon());
            for running in &mut self.tables {
                running.poll(at);
                while let Some(played) = running.take_played() {
                    // Who does not want the truth any more has dropped the receiver.
                    let _ = truth.send(played);
                }
            }
            let next = self.tables.iter().map(|running| running.poll_timeout(at)).min().unwrap_or(at);
            let wait = Duration::from_millis(
                clock.wall_millis(next.saturating_sub(at).max(0).unsigned_abs()).max(1),
            );
            let blocked = self.tables.iter().flat_map(|running| &running.ports).any(Port::is_blocked);
            let wait = if blocked { wait.min(RETRY) } else { wait };
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(Accident { table, what }) = self.accidents.1.recv() => {
                    let meant = |running: &&mut Running| table.is_none_or(|table| running.number() == table);
                    self.tables.iter_mut().filter(meant).for_each(|running| running.happens(what, at));
                }
                () = tokio::time::sleep(wait) => {}
                came = coming.recv() => {
                    let Some(came) = came else { break };
                    let at = now().min(self.horizon());
                    self.take(came, at);
                }
            }
        }
        let last_ply = Instant::now() + LAST_PLY;
        self.tables.iter_mut().for_each(|running| running.table.finish_ply());
        while !self.tables.iter().all(|running| running.table.rests()) && Instant::now() < last_ply {
            let at = now().min(self.horizon());
            for running in &mut self.tables {
                running.poll(at);
            }
            tokio::time::sleep(RETRY).await;
        }
        // Time stands still now: nothing new happens, and what happened is handed over to whoever listens.
        let hand_over = Instant::now() + HAND_OVER;
        loop {
            for running in &mut self.tables {
                running.flush();
            }
            let owed: u64 = self.tables.iter().map(|running| running.table.backlog()).sum();
            let left = hand_over.saturating_duration_since(Instant::now());
            if owed == 0 || left.is_zero() {
                break;
            }
            if let Ok(Some(came)) = tokio::time::timeout(left.min(RETRY), coming.recv()).await {
                self.take(came, 0);
            }
        }
        tokio::time::sleep(LINGER).await;
        Ok(Totals { records: self.tables.iter().map(Running::records_made).sum() })
    }
}

impl Ports {
    /// Starts the emulated controllers, if the ports are to have some.
    fn start_emulators(&mut self, came: &mpsc::Sender<Came>) -> anyhow::Result<()> {
        let Some(emulation) = &self.emulation else { return Ok(()) };
        if self.shared.is_some() {
            let Some(sensing) = self.tables.first().map(Running::sensing) else { return Ok(()) };
            let uids: Vec<DeviceUid> = self.names.iter().map(|name| name.uid).collect();
            let program = emulation.shared_binary(sensing)?;
            let told = |told| Came::Told((0, 0), told);
            let chips = Arc::new(Chips::start(emulation, &program, &uids, sensing, came.clone(), told)?);
            self.tables.iter_mut().enumerate().for_each(|(place, running)| running.share(place, &chips));
            return Ok(());
        }
        let mut uids = self.names.iter().map(|name| name.uid);
        for (place, running) in self.tables.iter_mut().enumerate() {
            running.emulate(place, emulation, &mut uids, came)?;
        }
        Ok(())
    }

    /// So far the tables may go: emulated controllers are there soon.
    fn horizon(&self) -> i64 {
        self.tables.iter().map(Running::horizon).min().unwrap_or(i64::MAX)
    }

    fn take(&mut self, came: Came, at: i64) {
        let (Came::Heard((table, port), _) | Came::Told((table, port), _)) = came;
        let (tables, shared) = (&mut self.tables, self.shared.as_mut());
        match (came, shared) {
            (Came::Heard(_, bytes), None) => {
                tables.get_mut(table).into_iter().for_each(|running| running.on_heard(port, &bytes, at));
            }
            (Came::Heard(_, bytes), Some(shared)) => {
                for (table, bytes) in shared.heard(&bytes) {
                    tables.get_mut(table).into_iter().for_each(|running| running.on_seen(0, &bytes, at));
                }
                tables.first().into_iter().for_each(|running| running.hand_on(0, &bytes));
            }
            (Came::Told(_, Told::Sent(bytes)), Some(shared)) => {
                for (table, message) in shared.said(&bytes) {
                    tables.get_mut(table).into_iter().for_each(|running| running.on_said(&message));
                }
                let first = tables.first_mut().and_then(|running| running.ports.first_mut());
                first.into_iter().for_each(|port| port.carry(&bytes));
            }
            (Came::Told(_, Told::Off(place)), Some(_)) => {
                let told = Told::Off(place);
                tables.get_mut(place).into_iter().for_each(|running| running.on_told(0, told.clone(), at));
            }
            (Came::Told(_, told), _) => {
                tables.get_mut(table).into_iter().for_each(|running| running.on_told(port, told.clone(), at));
            }
        }
    }

    /// Plugs cables in again whose time it is.
    fn plug_in(&mut self, came: &mpsc::Sender<Came>) -> anyhow::Result<()> {
        let now = Instant::now();
        for (table, running) in self.tables.iter_mut().enumerate() {
            for (number, port) in running.ports.iter_mut().enumerate() {
                if let Some(line) = port.plug_in(now)? {
                    line.read_on((table, number), came.clone());
                }
            }
        }
        Ok(())
    }
}

/// Wall time now.
fn wall() -> Epoch {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Epoch(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
