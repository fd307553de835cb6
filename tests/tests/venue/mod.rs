//! A venue of real processes: broker, `chuhe serve`, `chuhe-gateway`, `chuhe-sim tables`, each of which a test may
//! kill and start again.

#![allow(dead_code)] // Not every test uses every part.

pub mod disk;
pub mod network;
pub mod postgres;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use firmware_proto::{BootId, DeviceUid, Sighting};
use serde_json::Value;

/// A program of the workspace, as `tests/run` (or `cargo build --bins`) built it.
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(Path::parent).unwrap().join(name);
    assert!(path.exists(), "{} is missing: run `cargo build --workspace --bins` first", path.display());
    path
}

/// Ports below those that the kernel gives to outgoing connections: none is taken by chance while a test's server is down.
const PORTS: std::ops::Range<u16> = 10_000..32_000;

/// An address on this machine that nobody listens at. Tests that run at the same time look for it in different places, so
/// that none takes what another has chosen and does not listen at yet, or not any more.
pub fn free_address() -> SocketAddr {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    // A prime number of ports apart, so that the processes of a run are far from each other.
    let first = std::process::id().wrapping_mul(7_919);
    for _ in PORTS {
        let no =
            first.wrapping_add(TRIED.fetch_add(1, Ordering::Relaxed)) % u32::from(PORTS.end - PORTS.start);
        let address = SocketAddr::from(([127, 0, 0, 1], PORTS.start + no as u16));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
    panic!("somebody listens at every port of {PORTS:?}");
}

/// The body of a page that answers with 200.
pub fn get(pages: SocketAddr, path: &str) -> Option<String> {
    let answer = answer(pages, path)?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.split_whitespace().nth(1).is_some_and(|status| status == "200").then(|| body.to_owned())
}

/// The whole answer to a form, whatever its status.
pub fn post(pages: SocketAddr, path: &str, form: &str) -> Option<String> {
    post_as("", pages, path, form)
}

/// The same from somebody who is signed in: with the session that his browser keeps.
pub fn post_as(session: &str, pages: SocketAddr, path: &str, form: &str) -> Option<String> {
    let mut stream = TcpStream::connect(pages).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let length = form.len();
    write!(
        stream,
        "POST {path} HTTP/1.0\r\nHost: {pages}\r\nOrigin: http://{pages}\r\nCookie: session={session}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{form}"
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// The whole answer, whatever its status.
pub fn answer(pages: SocketAddr, path: &str) -> Option<String> {
    answer_to("", pages, path)
}

/// The same to somebody who is signed in.
pub fn answer_to(session: &str, pages: SocketAddr, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(pages).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: test\r\nCookie: session={session}\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Waits until `look` gives something.
pub fn wait_for<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < within, "waited {within:?} in vain for {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A process that ends with the test.
pub struct Process {
    child: Child,
    stdin: ChildStdin,
    log: PathBuf,
}

impl Process {
    pub fn start(command: &mut Command, log: &Path) -> Process {
        let file = std::fs::File::options().create(true).append(true).open(log).unwrap();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(file).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        Process { child, stdin, log: log.to_owned() }
    }

    /// `kill -9`: no word of farewell.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, and waits for the end; returns how long that took.
    pub fn end(self) -> Duration {
        self.end_by("-TERM")
    }

    /// Ctrl-C, and waits for the end.
    pub fn interrupt(self) {
        self.end_by("-INT");
    }

    fn end_by(mut self, signal: &str) -> Duration {
        let begin = Instant::now();
        Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {}", self.logged());
        begin.elapsed()
    }

    /// It stands still, as a machine does that is out of memory or suspended.
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// It goes on.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Tables: all cables are pulled and plugged in again.
    pub fn pull_cables(&self) {
        self.signal("-USR1");
    }

    /// A line on its standard input.
    pub fn tell(&self, line: &str) {
        (&self.stdin).write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub fn logged(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Ended already, or killed now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Which broker a venue has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Broker {
    Embedded,
    Mosquitto,
}

/// Where everything of a venue is.
pub struct Venue {
    pub folder: tempfile::TempDir,
    pub pages: SocketAddr,
    pub mqtt: SocketAddr,
    pub broker: Broker,
    pub tables: u16,
    /// The event's database, and its address if it is PostgreSQL's.
    pub database: store::Database,
    url: String,
    origin: i64,
    speed: f64,
}

const KEY: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";

impl Venue {
    /// One gateway a table, and its configuration files; the database is a file.
    pub fn new(broker: Broker, tables: u16, speed: f64) -> Venue {
        Venue::on(None, broker, tables, speed)
    }

    /// The same on this PostgreSQL database, if one is named.
    pub fn on(postgres: Option<String>, broker: Broker, tables: u16, speed: f64) -> Venue {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let url = postgres.unwrap_or_default();
        let database = match url.as_str() {
            "" => store::Database::File(folder.path().join("data/event.db")),
            url => url.parse().unwrap(),
        };
        let venue = Venue {
            folder,
            pages: free_address(),
            mqtt: free_address(),
            broker,
            tables,
            database,
            url,
            origin: since.as_millis() as i64,
            speed,
        };
        venue.write_configurations();
        venue
    }

    /// Writes the configuration of everything.
    pub fn write_configurations(&self) {
        self.write("chuhe.toml", &self.server_config(self.pages, "data"));
        for table in 1..=self.tables {
            self.write(&format!("gateway-{table}.toml"), &self.gateway_config(table, KEY));
        }
        self.write(
            "mosquitto.conf",
            &format!(
                "listener {} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n",
                self.mqtt.port()
            ),
        );
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The configuration of a server with these pages and this data folder.
    pub fn server_config(&self, pages: SocketAddr, data: &str) -> String {
        let (origin, speed, tables) = (self.origin, self.speed, self.tables);
        let broker = match self.broker {
            Broker::Embedded => format!("embedded = \"{}\"", self.mqtt),
            Broker::Mosquitto => format!("external = {{ url = \"mqtt://{}\" }}", self.mqtt),
        };
        let mut text = format!(
            "listen = \"{pages}\"\ndata = \"{data}\"\nvenue = \"test\"\n[broker]\n{broker}\n\
             [clock]\norigin = {origin}\nspeed = {speed:?}\n\
             [event]\ntitle = \"试\"\nrounds = 1\nseed = 7\nautomatic = true\nentrants = [\n"
        );
        for no in 1..=2 * tables {
            text += &format!("  {{ name = \"棋手{no}\", unit = \"县{no}\" }},\n");
        }
        text += "]\n";
        for table in 1..=tables {
            text += &format!("[gateways.table-{table}]\nkey = \"{KEY}\"\n");
        }
        for table in 1..=tables {
            let uid =
                |kind: u64| format!("{:016x}", 0xC400_0000_0000_0000_u64 | kind << 32 | u64::from(table));
            text += &format!("[[tables]]\ntable = {table}\nboard = \"{}\"\nclock = \"{}\"\n", uid(1), uid(2));
        }
        text
    }

    pub fn gateway_config(&self, table: u16, key: &str) -> String {
        self.gateway_config_of(table, key, &self.gateway_time())
    }

    /// A gateway whose wall clock is wrong by so much.
    pub fn gateway_config_at(&self, table: u16, wrong_by: i64) -> String {
        // Venue time is what a box makes of its wall clock.
        let wrong_venue = (wrong_by as f64 * self.speed) as i64;
        let origin = self.origin - (wrong_venue as f64 / (self.speed - 1.0)) as i64;
        let time = format!("[time]\norigin = {origin}\nspeed = {:?}\n", self.speed);
        self.gateway_config_of(table, KEY, &time)
    }

    fn gateway_config_of(&self, table: u16, key: &str, time: &str) -> String {
        format!(
            "name = \"table-{table}\"\nvenue = \"test\"\nstore = {:?}\nbroker = \"mqtt://{}\"\nkey = \"{key}\"\n\
             ports = [{:?}]\n{time}",
            self.path(&format!("gateway-{table}")),
            self.mqtt,
            self.path(&format!("ports/table-{table:02}-*")),
        )
    }

    /// How fast venue time runs, for a gateway.
    pub fn gateway_time(&self) -> String {
        format!("[time]\norigin = {}\nspeed = {:?}\n", self.origin, self.speed)
    }

    pub fn start_server(&self) -> Process {
        let server = self.start_server_by("chuhe.toml", "server.log");
        wait_for("the server's pages", Duration::from_secs(20), || self.get("/healthz"));
        server
    }

    /// Starts a server with this configuration, and does not wait for it.
    pub fn start_server_by(&self, config: &str, log: &str) -> Process {
        let mut command = Command::new(program("chuhe"));
        command.arg("serve").arg("--config").arg(self.path(config));
        if self.database.is_shared() {
            command.arg("--database").arg(&self.url);
        }
        Process::start(&mut command, &self.path(log))
    }

    pub fn start_gateway(&self, table: u16) -> Process {
        let mut command = Command::new(program("chuhe-gateway"));
        Process::start(
            command.arg("--config").arg(self.path(&format!("gateway-{table}.toml"))),
            &self.path(&format!("gateway-{table}.log")),
        )
    }

    pub fn start_tables(&self, noise: &str) -> Process {
        self.start(&mut self.tables_command(noise), "tables.log")
    }

    pub fn tables_command(&self, noise: &str) -> Command {
        self.command_of_tables(1, self.tables, noise)
    }

    /// Runs so many tables, from this one on.
    pub fn command_of_tables(&self, first: u16, tables: u16, noise: &str) -> Command {
        let mut command = Command::new(program("chuhe-sim"));
        command.arg("tables").args(["--first", &first.to_string(), "--tables", &tables.to_string()]);
        command.args(["--noise", noise, "--boot", "1"]);
        command.args([
            "--seed",
            "11",
            "--speed",
            &self.speed.to_string(),
            "--origin",
            &self.origin.to_string(),
        ]);
        command.arg("--dir").arg(self.path("ports")).arg("--truth").arg(self.path("truth.jsonl"));
        command
    }

    /// An arbiter's account; to be made while no server runs.
    pub fn add_account(&self, name: &str, password: &str) {
        let mut add = Command::new(program("chuhe"));
        add.args(["account", "add", name, "--config"]).arg(self.path("chuhe.toml"));
        let mut adding = add.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        writeln!(adding.stdin.take().unwrap(), "{password}").unwrap();
        assert!(adding.wait().unwrap().success());
    }

    /// The session in which he is signed in; both names as a form has them.
    pub fn sign_in(&self, name: &str, password: &str) -> String {
        let answer = post(self.pages, "/signin", &format!("name={name}&password={password}")).unwrap();
        let session = answer.split("session=").nth(1).and_then(|rest| rest.split(';').next());
        session.unwrap_or_else(|| panic!("he is signed in: {answer}")).to_owned()
    }

    /// An arbiter who is signed in does this at a table: he opens its page and confirms what he chose there. `None`: the
    /// server did not do it.
    pub fn decide(&self, session: &str, table: u16, what: &str) -> Option<()> {
        let path = format!("/arbiter/table/{table}");
        let page = answer_to(session, self.pages, &format!("{path}?{what}"))?;
        let form = page.split("id=\"confirm\"").nth(1)?;
        let hidden = |name: &str| form.split(&format!("name=\"{name}\" value=\"")).nth(1)?.split('"').next();
        let form = format!("{what}&form={}&drawn={}", hidden("form")?, hidden("drawn")?);
        post_as(session, self.pages, &path, &form)?.starts_with("HTTP/1.0 303").then_some(())
    }

    /// Starts a program with a log of this name.
    pub fn start(&self, command: &mut Command, log: &str) -> Process {
        Process::start(command, &self.path(log))
    }

    pub fn start_mosquitto(&self) -> Process {
        let mut command = Command::new("/usr/sbin/mosquitto");
        let broker =
            Process::start(command.arg("-c").arg(self.path("mosquitto.conf")), &self.path("mosquitto.log"));
        wait_for("mosquitto", Duration::from_secs(10), || TcpStream::connect(self.mqtt).ok());
        broker
    }

    /// The body of a page that answers with 200.
    pub fn get(&self, path: &str) -> Option<String> {
        get(self.pages, path)
    }

    /// A counter of `/metrics`, with its labels if it has any.
    pub fn counter(&self, name: &str) -> Option<u64> {
        let text = self.get("/metrics")?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        line.parse().ok()
    }

    pub fn json(&self, path: &str) -> Option<Value> {
        serde_json::from_str(&self.get(path)?).ok()
    }

    /// Plies read so far.
    pub fn plies(&self) -> Option<u64> {
        self.json("/api/v1/event")?.pointer("/venue/plies")?.as_u64()
    }

    pub fn finished(&self) -> Option<()> {
        self.json("/api/v1/event")?.get("finished")?.as_bool()?.then_some(())
    }

    /// Waits until the round is over and everything has come in, ends the tables, and compares each game with the one
    /// played. Returns how many records the devices made.
    pub fn wait_for_truth(&self, tables: Process) -> u64 {
        wait_for("the end of the round", PATIENCE, || self.finished());
        // Devices hand over what they still keep; then gateways do.
        let all = usize::from(self.tables);
        wait_for("every game's truth", PATIENCE, || (self.truth().len() >= all).then_some(()));
        tables.end();
        let made = records_made(&self.path("tables.log"));
        self.wait_for_last_records();
        for (table, moves) in self.truth() {
            assert_eq!(self.moves(1, table), moves, "table {table}");
        }
        made
    }

    /// None lost, none twice: each device's records are stored from the first to the last, once, and the journal's
    /// chain of hashes holds. To be asked once the server has ended.
    pub fn check_records(&self, made: u64) {
        let records = self.stored_records();
        for ((device, _), numbers) in &records {
            let whole: Vec<u32> = (1..=numbers.len() as u32).collect();
            assert_eq!(*numbers, whole, "records of {device}");
        }
        let stored: usize = records.values().map(Vec::len).sum();
        assert_eq!(stored as u64, made, "records stored, records made");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let entries = runtime.block_on(async { self.database.look().await.unwrap().chain().await.unwrap() });
        assert!(!entries.is_empty(), "there is a journal");
    }

    /// Waits until no more records come.
    pub fn wait_for_last_records(&self) {
        let mut last = None;
        wait_for("the last records", Duration::from_secs(180), || {
            std::thread::sleep(Duration::from_secs(2));
            let now = self.counter("chuhe_observations_total");
            let still = now.is_some() && now == last;
            last = now;
            still.then_some(())
        });
    }

    /// The moves that the server read at a table.
    pub fn moves(&self, round: u64, table: u64) -> Vec<String> {
        let game = self.json(&format!("/api/v1/games/{round}/{table}")).expect("the game's page");
        let plies = game["plies"].as_array().unwrap();
        plies.iter().map(|ply| ply["mv"].as_str().unwrap().to_owned()).collect()
    }

    /// Each device's record numbers that the server stored, sorted, by device and start. To be asked once it has
    /// ended.
    pub fn stored_records(&self) -> BTreeMap<(DeviceUid, BootId), Vec<u32>> {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let kept = runtime.block_on(async {
            let store = self.database.own().await.unwrap();
            store.observations(1).await.unwrap()
        });
        let mut records: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for kept in kept {
            if let Sighting::Record(boot, record) = kept.observation.sighting {
                records.entry((kept.observation.device, boot)).or_default().push(record.seq.0);
            }
        }
        records.values_mut().for_each(|numbers| numbers.sort_unstable());
        records
    }

    /// What was played, by table: the moves.
    pub fn truth(&self) -> Vec<(u64, Vec<String>)> {
        let text = std::fs::read_to_string(self.path("truth.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| {
                let game: Value = serde_json::from_str(line).unwrap();
                let moves = game["moves"].as_array().unwrap();
                (
                    game["table"].as_u64().unwrap(),
                    moves.iter().map(|mv| mv.as_str().unwrap().to_owned()).collect(),
                )
            })
            .collect()
    }
}

/// How long a round may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Whether there is a Mosquitto; if not, that is said loudly.
pub fn has_mosquitto() -> bool {
    let there = Path::new("/usr/sbin/mosquitto").exists();
    if !there {
        eprintln!("SKIPPED: mosquitto is not installed; tests/run installs it");
    }
    there
}

/// How many records the tables say in their log that their devices made.
pub fn records_made(log: &Path) -> u64 {
    let logged = std::fs::read_to_string(log).unwrap();
    let made = logged.lines().find_map(|line| line.strip_suffix(" records made"));
    made.and_then(|made| made.parse().ok()).unwrap()
}

/// Runs a program to its end.
pub fn output(command: &mut Command) -> Output {
    command.output().unwrap()
}
