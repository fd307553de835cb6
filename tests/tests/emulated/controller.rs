//! One emulated controller on the bench: a test speaks to its line and touches its contacts. Its time passes while the
//! test waits for it, and no faster or slower for what else the machine does.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use firmware_proto::{Address, FrameReader, FromDevice, Hello, MAX_FRAME, Seq, ToDevice, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::faces::Faces;

/// What a controller may take for one thing, of its own time.
const PATIENCE: Duration = Duration::from_secs(60);

/// Its time passes in steps of so many ms while it is listened to.
const STEP: u64 = 50;

/// What is heard from a controller: messages, on a line of its own those of a device.
#[derive(Debug)]
pub enum Heard<M = FromDevice> {
    Says(M),
    PowerGone,
}

pub struct Controller<M = FromDevice> {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    reader: FrameReader<M>,
    heard: VecDeque<Heard<M>>,
    faces: Option<Faces>,
    /// How far its time has come, ms.
    now: u64,
}

impl<M: DeserializeOwned> Controller<M> {
    /// Powers one with this ELF file and its boot stage in its flash.
    pub fn start(emulator: &Path, elf: &Path, uid: &str) -> Controller<M> {
        let mut child = Command::new("node")
            .arg(emulator)
            .arg("--elf")
            .arg(elf.with_file_name("boot"))
            .arg("--elf")
            .arg(elf)
            .args(["--uid", uid])
            .args(elf.to_string_lossy().ends_with("matrix").then_some("--switches"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Controller {
            child,
            stdin,
            lines,
            reader: FrameReader::new(),
            heard: VecDeque::new(),
            faces: None,
            now: 0,
        }
    }

    /// A command to the bench, as in the emulator's `main.mjs`.
    pub fn bench(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// A message on its line, for this address.
    pub fn say_to(&mut self, to: Address, message: &impl Serialize) {
        let mut frame = [0; MAX_FRAME];
        let used = encode(to, message, &mut frame).unwrap();
        let hex: String = frame[..used].iter().map(|byte| format!("{byte:02x}")).collect();
        self.bench(&format!("line {hex}"));
    }

    /// How far its time has come.
    pub fn now(&self) -> Duration {
        Duration::from_millis(self.now)
    }

    /// Lets so many ms pass and hears what is said meanwhile.
    pub fn pass(&mut self, ms: u64) {
        self.now += ms;
        self.until(&self.now.to_string());
    }

    /// Lets time pass up to this instant, in ms and their decimal parts, and hears what is said meanwhile.
    pub fn until(&mut self, instant: &str) {
        let reached = format!("at {instant}");
        self.bench(&format!("until {instant}"));
        loop {
            let line = self.lines.next().expect("the emulator ended").unwrap();
            if line == reached {
                return;
            } else if let Some(hex) = line.strip_prefix("line ") {
                let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
                let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
                let heard = &mut self.heard;
                // What the power cut through is no frame.
                self.reader.push_all(&bytes, |outcome| {
                    heard.extend(outcome.ok().map(|(_, message)| Heard::Says(message)));
                });
            } else if let Some(faces) = line.strip_prefix("faces 0 ") {
                self.faces = Some(serde_json::from_str(faces).unwrap());
            } else if line == "off 0" {
                self.reader = FrameReader::new();
                self.heard.push_back(Heard::PowerGone);
            }
        }
    }

    /// What its clock's faces show now.
    pub const fn faces(&self) -> Option<&Faces> {
        self.faces.as_ref()
    }

    /// The next thing heard within this time.
    pub fn next(&mut self, within: Duration) -> Option<Heard<M>> {
        let until = self.now + within.as_millis() as u64;
        while self.heard.is_empty() && self.now < until {
            self.pass(STEP.min(until - self.now));
        }
        self.heard.pop_front()
    }

    /// Waits until `look` finds what it looks for in what is heard.
    pub fn wait_for<T>(&mut self, what: &str, mut look: impl FnMut(&Heard<M>) -> Option<T>) -> T {
        let until = self.now + PATIENCE.as_millis() as u64;
        loop {
            let left = Duration::from_millis(until.saturating_sub(self.now));
            let heard = self.next(left).unwrap_or_else(|| panic!("waited in vain for {what}"));
            if let Some(found) = look(&heard) {
                return found;
            }
        }
    }
}

impl Controller {
    /// A message on a line of its own.
    pub fn say(&mut self, message: ToDevice) {
        self.say_to(Address::POINT_TO_POINT, &message);
    }

    /// How it greets once an earlier start's records are taken: they are acknowledged unseen.
    pub fn hello(&mut self) -> Hello {
        loop {
            let greeting = self.wait_for("a greeting", |heard| match heard {
                Heard::Says(FromDevice::Hello(hello)) => Some(Ok(*hello)),
                Heard::Says(FromDevice::Left(_, left)) => Some(Err(*left)),
                Heard::Says(_) | Heard::PowerGone => None,
            });
            match greeting {
                Ok(hello) => return hello,
                Err(left) => {
                    self.say(ToDevice::Ack { boot: left.boot, upto: Seq(left.next.0 - 1) });
                }
            }
        }
    }
}

impl<M> Drop for Controller<M> {
    fn drop(&mut self) {
        // Ended already, or killed now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
