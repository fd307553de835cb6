//! One emulated controller on the bench: a test speaks to its line and touches its contacts.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use firmware_proto::{Address, FrameReader, FromDevice, Hello, MAX_FRAME, Seq, ToDevice, encode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::faces::Faces;

/// What a controller may take for one thing, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is heard from a controller: messages, on a line of its own those of a device.
#[derive(Debug)]
pub enum Heard<M = FromDevice> {
    Says(M),
    PowerGone,
}

pub struct Controller<M = FromDevice> {
    child: Child,
    stdin: ChildStdin,
    heard: Receiver<Heard<M>>,
    faces: Arc<Mutex<Option<Faces>>>,
}

impl<M: DeserializeOwned + Send + 'static> Controller<M> {
    /// Runs an ELF file, this many times as fast as the wall's time.
    pub fn start(emulator: &Path, elf: &Path, uid: &str, speed: u32) -> Controller<M> {
        let mut child = Command::new("node")
            .arg(emulator)
            .arg("--elf")
            .arg(elf.with_file_name("boot"))
            .arg("--elf")
            .arg(elf)
            .args(["--uid", uid, "--speed", &speed.to_string()])
            .args(elf.to_string_lossy().ends_with("matrix").then_some("--switches"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, heard) = channel();
        let faces = Arc::new(Mutex::new(None));
        let shown = Arc::clone(&faces);
        std::thread::spawn(move || {
            let mut reader = FrameReader::new();
            for line in lines.map_while(Result::ok) {
                let mut frames = Vec::new();
                if let Some(hex) = line.strip_prefix("line ") {
                    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
                    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
                    // What the power cut through is no frame.
                    reader.push_all(&bytes, |outcome| frames.extend(outcome.ok()));
                } else if let Some(faces) = line.strip_prefix("faces ") {
                    *shown.lock().unwrap() = Some(serde_json::from_str(faces).unwrap());
                } else if line == "off" {
                    reader = FrameReader::new();
                    let _ = sender.send(Heard::PowerGone);
                }
                for (_, message) in frames {
                    let _ = sender.send(Heard::Says(message));
                }
            }
        });
        Controller { child, stdin, heard, faces }
    }

    /// A command to the bench, or several, a line each: in one write, so that they are carried out at once.
    pub fn bench(&mut self, line: &str) {
        self.write(line);
    }

    fn write(&self, line: &str) {
        (&self.stdin).write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// A message on its line, for this address.
    pub fn say_to(&mut self, to: Address, message: &impl Serialize) {
        self.write(&line_of(to, message));
    }

    /// What its clock's faces show now.
    pub fn faces(&self) -> Arc<Mutex<Option<Faces>>> {
        Arc::clone(&self.faces)
    }

    /// The next thing heard within this time.
    pub fn next(&self, within: Duration) -> Option<Heard<M>> {
        match self.heard.recv_timeout(within) {
            Ok(heard) => Some(heard),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the emulator ended"),
        }
    }

    /// Waits until `look` finds what it looks for in what is heard.
    pub fn wait_for<T>(&self, what: &str, mut look: impl FnMut(&Heard<M>) -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
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
    pub fn hello(&self) -> Hello {
        loop {
            let greeting = self.wait_for("a greeting", |heard| match heard {
                Heard::Says(FromDevice::Hello(hello)) => Some(Ok(*hello)),
                Heard::Says(FromDevice::Left(_, left)) => Some(Err(*left)),
                Heard::Says(_) | Heard::PowerGone => None,
            });
            match greeting {
                Ok(hello) => return hello,
                Err(left) => {
                    let ack = ToDevice::Ack { boot: left.boot, upto: Seq(left.next.0 - 1) };
                    self.write(&line_of(Address::POINT_TO_POINT, &ack));
                }
            }
        }
    }
}

/// The bench's command that puts a message on the line.
fn line_of(to: Address, message: &impl Serialize) -> String {
    let mut frame = [0; MAX_FRAME];
    let used = encode(to, message, &mut frame).unwrap();
    let hex: String = frame[..used].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("line {hex}")
}

impl<M> Drop for Controller<M> {
    fn drop(&mut self) {
        // Ended already, or killed now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
