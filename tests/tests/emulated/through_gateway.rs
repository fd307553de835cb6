//! A real gateway gives the emulated clock another firmware. Whoever sits at the box asks it to: refused while a time runs,
//! then taken, tried and kept. Or the organiser uploads it at the server, and it comes over the broker.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use crate::firmware;
use crate::venue::{Broker, Process, Venue, answer_to, program, wait_for};

const UID: &str = "c400000200000065";

/// The emulated chip's time runs so many times as fast as the wall's.
const SPEED: &str = "4";

/// What one thing may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// An emulated clock whose line is on a pseudo-terminal.
struct Clock {
    child: Child,
    bench: Arc<Mutex<ChildStdin>>,
    /// The end that the gateway opens, held open here so that it outlives the gateway.
    _theirs: File,
}

impl Clock {
    /// Its port is named `port`.
    fn start(emulator: &Path, elf: &Path, port: &Path) -> Clock {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, vec![]).unwrap().into_string().unwrap();
        let theirs = File::options().read(true).write(true).open(&name).unwrap();
        let mut modes = tcgetattr(&theirs).unwrap();
        modes.make_raw();
        tcsetattr(&theirs, OptionalActions::Now, &modes).unwrap();
        std::os::unix::fs::symlink(&name, port).unwrap();
        let mut child = Command::new("node")
            .arg(emulator)
            .arg("--elf")
            .arg(elf.join("boot"))
            .arg("--elf")
            .arg(elf.join("clock"))
            .args(["--uid", UID, "--speed", SPEED])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let bench = Arc::new(Mutex::new(child.stdin.take().unwrap()));
        let said = BufReader::new(child.stdout.take().unwrap());
        carry(ours, said, bench.clone());
        Clock { child, bench, _theirs: theirs }
    }

    fn bench(&self, lines: &str) {
        self.bench.lock().unwrap().write_all(format!("{lines}\n").as_bytes()).unwrap();
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        // Ended already, or killed now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Carries bytes between the pseudo-terminal and the emulated line until either ends.
fn carry(wire: OwnedFd, said: impl BufRead + Send + 'static, bench: Arc<Mutex<ChildStdin>>) {
    let mut to_gateway = File::from(wire.try_clone().unwrap());
    let mut from_gateway = File::from(wire);
    std::thread::spawn(move || {
        for line in said.lines().map_while(Result::ok) {
            let Some(hex) = line.strip_prefix("line ") else { continue };
            let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
            if to_gateway.write_all(&bytes).is_err() {
                return;
            }
        }
    });
    std::thread::spawn(move || {
        let mut bytes = [0; 256];
        while let Ok(count @ 1..) = from_gateway.read(&mut bytes) {
            let hex: String = bytes[..count].iter().map(|byte| format!("{byte:02x}")).collect();
            if bench.lock().unwrap().write_all(format!("line {hex}\n").as_bytes()).is_err() {
                return;
            }
        }
    });
}

/// What `chuhe-gateway` of this folder says.
fn ask(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(program("chuhe-gateway"));
    let Output { status, stdout, stderr } =
        command.arg("--config").arg(folder.join("gateway.toml")).args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout) + &text(stderr))
}

/// Asks until the answer has this in it.
fn ask_until(folder: &Path, words: &[&str], what: &str) -> (Option<i32>, String) {
    let began = Instant::now();
    loop {
        let (status, said) = ask(folder, words);
        if said.contains(what) {
            return (status, said);
        }
        assert!(began.elapsed() < PATIENCE, "{words:?}: waited in vain for {what}, the last answer: {said}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_clock_is_given_another_firmware_by_its_gateway_but_not_while_a_time_runs() {
    let Some((emulator, elf)) = firmware() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let clock = Clock::start(&emulator, &elf, &folder.join("clock"));
    let config = format!(
        "name = \"row-1\"\nvenue = \"hall\"\nstore = \"{0}/store\"\nbroker = \"mqtt://127.0.0.1:1\"\n\
         key = \"{1}\"\nports = [\"{0}/clock\"]\n",
        folder.display(),
        "0f".repeat(32)
    );
    std::fs::write(folder.join("gateway.toml"), config).unwrap();
    let gateway = Process::start(
        Command::new(program("chuhe-gateway")).arg("--config").arg(folder.join("gateway.toml")),
        &folder.join("gateway.log"),
    );
    let file = elf.join("clock-next.firmware").display().to_string();
    let update = ["update", &file, UID];
    // Before that `list` would open the port itself.
    wait_for("the clock to greet", PATIENCE, || gateway.logged().contains("device attached").then_some(()));
    let (_, listed) = ask(folder, &["list"]);
    assert!(listed.contains("\"firmware\":1"), "{listed}");

    // A lever starts the opponent's time. The gateway knows it from the next beat on, before or after it has begun to
    // offer the firmware; until then the device says no.
    clock.bench("contacts 0 1");
    let (status, said) = ask(folder, &update);
    assert_eq!(status, Some(1), "{said}");
    let refusals =
        ["a time runs on the clock of device", "a time began to run on a clock", "refused: a game goes on"];
    assert!(refusals.iter().any(|refusal| said.contains(refusal)), "{said}");
    let (status, said) = ask_until(folder, &update, "a time runs on the clock of device");
    assert_eq!(status, Some(1), "{said}");

    // Over a power cut a time stands still.
    clock.bench("contacts 0 0\npower 0 off\npower 0 on");
    ask_until(folder, &["list"], "\"boot\":2");
    let (status, said) = ask_until(folder, &update, "version");
    assert_eq!(status, Some(0), "{said}\n{}", std::fs::read_to_string(folder.join("gateway.log")).unwrap());
    assert!(said.contains("done: it runs the new firmware, which has proven itself"), "{said}");
    let (_, listed) = ask(folder, &["list"]);
    assert!(listed.contains("\"firmware\":2") && listed.contains("\"boot\":3"), "{listed}");
    gateway.end();
}

/// Somebody who is signed in, at his browser.
struct Organiser<'a> {
    venue: &'a Venue,
    session: String,
}

impl Organiser<'_> {
    fn devices(&self) -> Option<String> {
        answer_to(&self.session, self.venue.pages, "/devices")
    }

    /// Waits until the page of devices has this in it.
    fn sees(&self, what: &str) -> String {
        wait_for(&format!("“{what}” on the page of devices"), PATIENCE, || {
            self.devices().filter(|page| page.contains(what))
        })
    }

    /// Sends a form of that page; the whole answer.
    fn sends(&self, path: &str, file: Option<&[u8]>) -> String {
        let page = self.devices().unwrap();
        let word = page.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let mut body = format!("form={word}").into_bytes();
        let mut kind = "application/x-www-form-urlencoded";
        if let Some(file) = file {
            kind = "multipart/form-data; boundary=x";
            body = format!(
                "--x\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n{word}\r\n--x\r\n\
                 Content-Disposition: form-data; name=\"file\"; filename=\"clock-2.firmware\"\r\n\r\n"
            )
            .into_bytes();
            body.extend(file);
            body.extend(b"\r\n--x--\r\n");
        }
        let (pages, session, length) = (self.venue.pages, &self.session, body.len());
        let mut stream = TcpStream::connect(pages).unwrap();
        write!(
            stream,
            "POST {path} HTTP/1.0\r\nHost: {pages}\r\nOrigin: http://{pages}\r\nCookie: session={session}\r\n\
             Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        )
        .unwrap();
        stream.write_all(&body).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

#[test]
fn a_firmware_that_the_organiser_uploads_reaches_the_clock_of_a_gateway_that_was_away_and_is_stopped() {
    let Some((emulator, elf)) = firmware() else { return };
    let venue = Venue::new(Broker::Embedded, 1, 1.0);
    // Nobody plays.
    let config = venue.server_config(venue.pages, "data");
    let config = config.replace("automatic = true", "automatic = false");
    venue.write("chuhe.toml", &config.replace("c400000200000001", UID));
    venue.add_account("chief", "long-enough");
    std::fs::create_dir(venue.path("ports")).unwrap();
    let _clock = Clock::start(&emulator, &elf, &venue.path("ports/table-01-clock"));
    let server = venue.start_server();
    let gateway = venue.start_gateway(1);
    let organiser = Organiser { venue: &venue, session: venue.sign_in("chief", "long-enough") };
    organiser.sees(&format!("<code>{UID}</code></td><td>1</td>"));

    let file = std::fs::read(elf.join("clock-next.firmware")).unwrap();
    let cut = organiser.sends("/devices/firmware", Some(&file[..file.len() - 1]));
    assert!(cut.starts_with("HTTP/1.0 422") && cut.contains("固件文件损坏"), "{cut}");
    gateway.kill();
    let taken = organiser.sends("/devices/firmware", Some(&file));
    assert!(taken.starts_with("HTTP/1.0 303"), "{taken}");
    organiser.sees("固件第2版：棋钟");
    let gateway = venue.start_gateway(1);
    let page = organiser.sees("1 台设备都已是这一版");
    assert!(page.contains("已更新"), "{page}");
    // The table of links knows it from the device's own greeting.
    organiser.sees(&format!("<code>{UID}</code></td><td>2</td>"));

    let stopped = organiser.sends("/devices/firmware/stop", None);
    assert!(stopped.starts_with("HTTP/1.0 303"), "{stopped}");
    assert!(!organiser.devices().unwrap().contains("固件第2版"));
    let told = || gateway.logged().contains("no firmware is at hand").then_some(());
    wait_for("the gateway to hear of it", PATIENCE, told);
    gateway.end();
    server.end();
}
