//! Real firmware in the place of a table's device code: emulated controllers on one line, as a process of its own.
//!
//! The table's own device goes on behind the scenes as the hands' eyes (it tells them when the clock was set and whose
//! time runs); what the gateway hears is what the emulated chips send. Their process is described in
//! `hardware/emulator/main.mjs`.
//!
//! A chip's time is the hands' time: the process runs a chip as far as it was told to and no further, and the hands go on
//! only when it has come so far. On a machine that is too slow for the wall's pace, hands, boards and clocks fall behind it
//! together, and a finger that stays on a lever for 150 ms is there for 150 ms of the chip's.

mod controller;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, bail};
use firmware_proto::{DeviceUid, SensingKind};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;

pub(crate) use controller::{Controller, Mishap};

use crate::table::PortKind;

/// Chips are told of time in steps of so many ms.
const STEP: i64 = 10;

/// So far the hands may be before the slowest chip, ms.
const AHEAD: i64 = 120;

/// Where emulator and firmware are.
#[derive(Clone, Debug)]
pub struct Emulation {
    /// The emulator's `main.mjs`.
    pub program: PathBuf,
    /// The folder with the firmware's ELF files.
    pub firmware: PathBuf,
    /// Where each controller's flash is kept.
    pub flash: PathBuf,
}

impl Emulation {
    /// The firmware of a controller.
    pub(crate) fn binary(&self, kind: PortKind, sensing: SensingKind) -> anyhow::Result<PathBuf> {
        let sensors = match sensing {
            SensingKind::Colour => "hall",
            SensingKind::Occupancy => "matrix",
            SensingKind::Type | SensingKind::Identity => {
                bail!("there is firmware for colour and for occupancy, for no other sensing")
            }
        };
        let name = match kind {
            PortKind::Board => format!("board-{sensors}"),
            PortKind::Clock => "clock".to_owned(),
            PortKind::Both => format!("table-{sensors}"),
        };
        Ok(self.firmware.join(name))
    }

    /// The firmware of tables that share a line.
    pub(crate) fn shared_binary(&self, sensing: SensingKind) -> anyhow::Result<PathBuf> {
        match sensing {
            SensingKind::Colour => Ok(self.firmware.join("table-hall-rs485")),
            SensingKind::Occupancy | SensingKind::Type | SensingKind::Identity => {
                bail!("there is firmware for colour on a shared line, for no other sensing")
            }
        }
    }
}

/// What is told of the chips on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// These bytes are on the line.
    Sent(Vec<u8>),
    /// The power of the controller at this place has gone.
    Off(usize),
    /// Their time has come to this ms.
    Reached(i64),
}

impl Told {
    fn parse(line: &str) -> Option<Told> {
        let (what, value) = line.split_once(' ')?;
        match what {
            "line" => bytes(value).map(Told::Sent),
            "off" => value.parse().ok().map(Told::Off),
            "at" => value.parse().ok().map(Told::Reached),
            _ => None,
        }
    }
}

/// The emulated chips on one line. Dropping this ends their process.
pub(crate) struct Chips {
    commands: mpsc::UnboundedSender<String>,
    /// How far their time may pass, ms.
    allowed: AtomicI64,
    /// How far it has.
    reached: AtomicI64,
}

impl Chips {
    /// Starts them with this program; what is told of them goes to `told`, in order.
    pub(crate) fn start<T, F>(
        emulation: &Emulation,
        program: &Path,
        uids: &[DeviceUid],
        sensing: SensingKind,
        told: mpsc::Sender<T>,
        as_told: F,
    ) -> anyhow::Result<Chips>
    where
        T: Send + 'static,
        F: Fn(Told) -> T + Send + 'static,
    {
        let mut command = Command::new("node");
        command.arg(&emulation.program).arg("--elf").arg(emulation.firmware.join("boot"));
        command.arg("--elf").arg(program);
        for uid in uids {
            command.args(["--uid", &uid.to_string()]);
            command.arg("--flash").arg(emulation.flash.join(format!("flash-{uid}")));
        }
        let mut child = command
            .args((sensing == SensingKind::Occupancy).then_some("--switches"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start node with the emulator")?;
        let stdin = child.stdin.take().context("the emulator has no input")?;
        let stdout = child.stdout.take().context("the emulator has no output")?;
        let (commands, waiting) = mpsc::unbounded_channel();
        tokio::spawn(write(stdin, waiting));
        tokio::spawn(read(child, BufReader::new(stdout), told, as_told));
        Ok(Chips { commands, allowed: AtomicI64::new(0), reached: AtomicI64::new(0) })
    }

    /// Time may pass up to this ms of the table.
    pub(crate) fn allow(&self, at: i64) {
        if at > self.allowed.fetch_max(at, Relaxed) {
            self.command(format!("until {at}"));
        }
    }

    /// The same, if it is worth a word.
    pub(crate) fn follow(&self, at: i64) {
        if at >= self.next_step() {
            self.allow(at);
        }
    }

    /// When they want to be told of time next.
    pub(crate) fn next_step(&self) -> i64 {
        self.allowed.load(Relaxed) + STEP
    }

    /// So far the hands may go.
    pub(crate) fn horizon(&self) -> i64 {
        self.reached.load(Relaxed) + AHEAD
    }

    pub(crate) fn on_reached(&self, at: i64) {
        self.reached.store(at, Relaxed);
    }

    /// Bytes came from the gateway.
    pub(crate) fn on_bytes(&self, bytes: &[u8]) {
        self.command(format!("line {}", hex(bytes)));
    }

    fn command(&self, line: String) {
        // A process that has ended is told of by its reader.
        let _ = self.commands.send(line);
    }
}

async fn write(mut stdin: ChildStdin, mut waiting: mpsc::UnboundedReceiver<String>) {
    while let Some(line) = waiting.recv().await {
        if stdin.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read<R, T>(
    mut child: Child,
    output: BufReader<R>,
    told: mpsc::Sender<T>,
    as_told: impl Fn(Told) -> T + Send,
) where
    R: AsyncRead + Unpin + Send,
    T: Send,
{
    let mut lines = output.lines();
    while let Ok(Some(line)) = lines.next_line().await {
        // A table whose loop has ended needs no word any more.
        if let Some(heard) = Told::parse(&line)
            && told.send(as_told(heard)).await.is_err()
        {
            return;
        }
    }
    match child.wait().await {
        Ok(status) if status.success() => {}
        ended => tracing::error!(?ended, "an emulated controller ended"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_their_way_through_hexadecimal_digits() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(bytes(&hex(&all)), Some(all));
        assert_eq!(bytes("0g"), None);
    }

    #[test]
    fn what_is_told_of_chips_is_read() {
        assert_eq!(Told::parse("line 00ff"), Some(Told::Sent(vec![0, 255])));
        assert_eq!(Told::parse("off 1"), Some(Told::Off(1)));
        assert_eq!(Told::parse("at 4120"), Some(Told::Reached(4_120)));
        assert_eq!(Told::parse("at noon"), None);
    }
}
