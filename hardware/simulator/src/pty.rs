//! Virtual tables behind real pseudo-terminals: what a gateway opens as serial ports.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use firmware_proto::{DeviceUid, Epoch, SensingKind, VenueClock};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::emulator::{Emulation, Emulator};
use crate::table::{PlayedGame, PortKind, TableConfig, VirtualTable, uid};

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
}

/// What somebody does to running tables.
#[derive(Clone, Copy, Debug)]
enum Accident {
    /// All cables come out for so long.
    Pull(Duration),
    /// All emulated controllers are reset.
    Reset,
}

/// Which port: the table's place and the port's place at it.
type Place = (usize, usize);

/// Bytes on their way.
enum Came {
    /// From the gateway.
    Heard(Place, Vec<u8>),
    /// From an emulated controller.
    Sent(Place, Vec<u8>),
}

struct Running {
    table: VirtualTable,
    sensing: SensingKind,
    ports: Vec<Port>,
}

struct Port {
    /// `None` while the cable is pulled.
    line: Option<Line>,
    /// What did not fit into the line yet.
    pending: Vec<u8>,
    link: PathBuf,
    /// What speaks here in the place of the table's own device.
    emulator: Option<Emulator>,
}

/// A cable that is plugged in.
struct Line {
    fd: Arc<AsyncFd<fs::File>>,
    /// Keeps the other end alive while no gateway has it open.
    _other_end: OwnedFd,
    /// Ends its reader when it is pulled.
    reader: CancellationToken,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.reader.cancel();
    }
}

/// Does things to running tables.
#[derive(Clone, Debug)]
pub struct Cables(mpsc::Sender<Accident>);

impl Cables {
    /// All cables are pulled now and plugged in again after this time: the ports close and come back under the same
    /// names, as other pseudo-terminals.
    pub fn pull(&self, outage: Duration) {
        // Tables that have ended, or whose cables are being pulled, need no further word.
        let _ = self.0.try_send(Accident::Pull(outage));
    }

    /// All emulated controllers are reset: boards as soon as a piece is lifted, clocks now.
    pub fn reset(&self) {
        let _ = self.0.try_send(Accident::Reset);
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        // The link is of no use without the process; that it may be gone already is fine.
        let _ = fs::remove_file(&self.link);
    }
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
            .map(|name| {
                let line = Some(open_line(&name.path)?);
                Ok(Port { line, pending: Vec::new(), link: name.path.clone(), emulator: None })
            })
            .collect::<anyhow::Result<Vec<Port>>>()?;
        tables.push(Running { sensing: table.sensing, table: VirtualTable::new(table), ports });
    }
    Ok(Ports { tables, names, clock: config.clock, accidents: mpsc::channel(1), emulation: None })
}

fn open_line(link: &Path) -> anyhow::Result<Line> {
    // Closed in programs that are started from here: a pulled cable is pulled only if nobody else holds its end.
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
        .context("cannot open a pseudo-terminal")?;
    grantpt(&ours).context("cannot take a pseudo-terminal")?;
    unlockpt(&ours).context("cannot unlock a pseudo-terminal")?;
    let name = ptsname(&ours, Vec::new()).context("a pseudo-terminal has no name")?;
    let name = name.to_str().context("a pseudo-terminal's name is no text")?.to_owned();
    let theirs = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
        .with_context(|| format!("cannot open {name}"))?;
    let mut mode = tcgetattr(&theirs).with_context(|| format!("cannot read the mode of {name}"))?;
    mode.make_raw();
    tcsetattr(&theirs, OptionalActions::Now, &mode)
        .with_context(|| format!("cannot set the mode of {name}"))?;
    let flags = rustix::fs::fcntl_getfl(&ours)?;
    rustix::fs::fcntl_setfl(&ours, flags | OFlags::NONBLOCK)?;
    // Made aside and moved into place: a reader sees the old name or the new one, never none.
    let aside = link.with_extension("new");
    let _ = fs::remove_file(&aside);
    std::os::unix::fs::symlink(&name, &aside)
        .with_context(|| format!("cannot make the link {}", aside.display()))?;
    fs::rename(&aside, link).with_context(|| format!("cannot name the port {}", link.display()))?;
    // The newer constructor is unsafe because of types that may give up their descriptor; a `File` never does.
    #[expect(deprecated)]
    let fd = AsyncFd::new(fs::File::from(ours)).context("cannot watch a pseudo-terminal")?;
    let fd = Arc::new(fd);
    Ok(Line { fd, _other_end: theirs, reader: CancellationToken::new() })
}

/// Opens the ports and runs the tables until `shutdown`; each game that has ended goes to `truth`.
pub async fn run(
    config: PtyConfig,
    shutdown: CancellationToken,
    truth: mpsc::UnboundedSender<PlayedGame>,
) -> anyhow::Result<Totals> {
    open(config)?.run(shutdown, truth).await
}

/// A line that nobody reads is given up on after so many bytes; what was lost is sent again.
const PENDING: usize = 16 * 1024;

/// A line that is full is tried again after this.
const RETRY: Duration = Duration::from_millis(20);

impl Ports {
    /// The ports, by table.
    #[must_use]
    pub fn names(&self) -> &[PortName] {
        &self.names
    }

    /// A handle to pull their cables with.
    #[must_use]
    pub fn cables(&self) -> Cables {
        Cables(self.accidents.0.clone())
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
            for (port, Port { line, .. }) in running.ports.iter().enumerate() {
                line.iter().for_each(|line| line.read_on((table, port), came.clone()));
            }
        }
        let mut plug_in = None;
        let (began, wall_began) = (Instant::now(), wall());
        let start = self.clock.at(wall_began);
        let clock = self.clock;
        let now = move || {
            let wall = wall_began.plus(i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX));
            clock.at(wall).since(start)
        };
        loop {
            if plug_in.is_some_and(|at| at <= Instant::now()) {
                plug_in = None;
                self.plug_in(&came)?;
            }
            let at = now();
            for running in &mut self.tables {
                running.poll(at);
                while let Some(played) = running.table.take_played() {
                    // Who does not want the truth any more has dropped the receiver.
                    let _ = truth.send(played);
                }
            }
            let next = self.tables.iter().map(Running::poll_timeout).min().unwrap_or(at + 1_000);
            let blocked =
                self.tables.iter().any(|running| running.ports.iter().any(|port| !port.pending.is_empty()));
            let wait = Duration::from_millis(
                clock.wall_millis(next.saturating_sub(at).max(0).unsigned_abs()).max(1),
            );
            let wait = if blocked || plug_in.is_some() { wait.min(RETRY) } else { wait };
            tokio::select! {
                () = shutdown.cancelled() => break,
                Some(accident) = self.accidents.1.recv() => {
                    let ports = self.tables.iter_mut().flat_map(|running| &mut running.ports);
                    match accident {
                        Accident::Pull(outage) => {
                            ports.for_each(Port::pull);
                            plug_in = Some(Instant::now() + outage);
                        }
                        Accident::Reset => {
                            ports.filter_map(|port| port.emulator.as_mut()).for_each(Emulator::reset);
                        }
                    }
                }
                () = tokio::time::sleep(wait) => {}
                came = coming.recv() => {
                    let Some(came) = came else { break };
                    let at = now();
                    self.take(came, |running| running.poll(at));
                }
            }
        }
        let last_ply = Instant::now() + LAST_PLY;
        self.tables.iter_mut().for_each(|running| running.table.finish_ply());
        while !self.tables.iter().all(|running| running.table.rests()) && Instant::now() < last_ply {
            let at = now();
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
                self.take(came, |_| {});
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
        let mut names = self.names.iter();
        for (table, running) in self.tables.iter_mut().enumerate() {
            for (number, (port, name)) in running.ports.iter_mut().zip(&mut names).enumerate() {
                let came = came.clone();
                // A table whose loop has ended needs no bytes any more; one that lags loses some, as a line does.
                let sent = move |bytes| drop(came.try_send(Came::Sent((table, number), bytes)));
                port.emulator = Some(Emulator::start(emulation, name.uid, name.kind, running.sensing, sent)?);
            }
        }
        Ok(())
    }

    /// Takes bytes that came; `before`: what the table does first.
    fn take(&mut self, came: Came, before: impl FnOnce(&mut Running)) {
        let ((table, port), Came::Heard(_, bytes) | Came::Sent(_, bytes)) = (came.place(), &came);
        let Some(running) = self.tables.get_mut(table) else { return };
        before(running);
        match &came {
            Came::Heard(..) => running.on_heard(port, bytes),
            Came::Sent(..) => running.on_sent(port, bytes),
        }
    }

    /// Plugs the cables in again.
    fn plug_in(&mut self, came: &mpsc::Sender<Came>) -> anyhow::Result<()> {
        for (table, running) in self.tables.iter_mut().enumerate() {
            for (number, port) in running.ports.iter_mut().enumerate() {
                let line = open_line(&port.link)?;
                line.read_on((table, number), came.clone());
                port.line = Some(line);
            }
        }
        Ok(())
    }
}

impl Port {
    fn pull(&mut self) {
        self.line = None;
        self.pending.clear();
    }
}

impl Line {
    /// Reads what comes until the cable is pulled.
    fn read_on(&self, place: Place, came: mpsc::Sender<Came>) {
        tokio::spawn(read(Arc::clone(&self.fd), place, came, self.reader.clone()));
    }
}

impl Came {
    fn place(&self) -> Place {
        match self {
            Came::Heard(place, _) | Came::Sent(place, _) => *place,
        }
    }
}

impl Running {
    /// Lets time pass: what the hands do goes to emulated controllers in its order.
    fn poll(&mut self, at: i64) {
        if self.emulators().next().is_some() {
            while self.table.poll_timeout() < at {
                self.table.poll(self.table.poll_timeout());
                self.handle(at);
            }
        }
        self.table.poll(at);
        self.handle(at);
        self.flush();
    }

    /// Does to emulated controllers what the hands did.
    fn handle(&mut self, at: i64) {
        let Running { table, ports, .. } = self;
        for emulator in ports.iter_mut().filter_map(|port| port.emulator.as_mut()) {
            emulator.show(table.sensed());
            emulator.poll(at);
        }
        while let Some(contact) = table.take_touched() {
            for emulator in ports.iter_mut().filter_map(|port| port.emulator.as_mut()) {
                emulator.touch(contact, at);
            }
        }
    }

    fn poll_timeout(&self) -> i64 {
        let releases = self.emulators().filter_map(Emulator::poll_timeout);
        releases.fold(self.table.poll_timeout(), i64::min)
    }

    fn emulators(&self) -> impl Iterator<Item = &Emulator> {
        self.ports.iter().filter_map(|port| port.emulator.as_ref())
    }

    /// Bytes came from the gateway.
    fn on_heard(&mut self, port: usize, bytes: &[u8]) {
        self.table.on_bytes(port, bytes);
        if let Some(emulator) = self.ports.get(port).and_then(|port| port.emulator.as_ref()) {
            emulator.on_bytes(bytes);
        }
    }

    /// An emulated controller sent bytes: on a cable that is not plugged in they are lost.
    fn on_sent(&mut self, port: usize, bytes: &[u8]) {
        let Some(port) = self.ports.get_mut(port) else { return };
        if let Some(emulator) = &mut port.emulator {
            emulator.on_sent(bytes);
        }
        if port.line.is_some() {
            port.pending.extend_from_slice(bytes);
        }
    }

    /// Records that its devices have made.
    fn records_made(&self) -> u64 {
        let emulated: u64 = self.emulators().map(Emulator::records_made).sum();
        if self.emulators().next().is_some() { emulated } else { self.table.records_made() }
    }

    /// Writes what the devices have to say, as far as the lines take it.
    fn flush(&mut self) {
        for (index, port) in self.ports.iter_mut().enumerate() {
            if port.emulator.is_some() {
                // What the table's own device says is not for the gateway.
                self.table.take_output(index, &mut Vec::new());
            }
            let Some(line) = &port.line else { continue };
            loop {
                if port.pending.is_empty() && port.emulator.is_none() {
                    self.table.take_output(index, &mut port.pending);
                }
                if port.pending.is_empty() {
                    break;
                }
                let mut file: &fs::File = line.fd.get_ref();
                match file.write(&port.pending) {
                    Ok(written) => drop(port.pending.drain(..written)),
                    // Full, or nobody there: the rest waits, or is sent again later.
                    Err(_) => {
                        if port.pending.len() > PENDING {
                            port.pending.clear();
                        }
                        break;
                    }
                }
            }
        }
    }
}

async fn read(
    fd: Arc<AsyncFd<fs::File>>,
    place: Place,
    came: mpsc::Sender<Came>,
    shutdown: CancellationToken,
) {
    let mut buffer = [0; 1024];
    loop {
        let ready = tokio::select! {
            () = shutdown.cancelled() => return,
            ready = fd.readable() => ready,
        };
        let Ok(mut ready) = ready else { return };
        match ready.try_io(|fd| {
            let mut file: &fs::File = fd.get_ref();
            file.read(&mut buffer)
        }) {
            Ok(Ok(0)) => tokio::time::sleep(Duration::from_millis(20)).await,
            Ok(Ok(length)) => {
                if came.send(Came::Heard(place, buffer[..length].to_vec())).await.is_err() {
                    return;
                }
            }
            Ok(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
            Ok(Err(_)) => tokio::time::sleep(Duration::from_millis(20)).await,
            Err(_would_block) => {}
        }
    }
}

/// Wall time now.
fn wall() -> Epoch {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Epoch(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
