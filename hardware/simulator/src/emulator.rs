//! Real firmware in the place of a table's device code: an emulated controller as a process of its own.
//!
//! The table's own device goes on behind the scenes as the hands' eyes (it tells them when the clock was set and whose
//! time runs); what the gateway hears is what the emulated chip sends. Its commands are described in
//! `hardware/emulator/main.mjs`.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, bail};
use device::Contact;
use firmware_proto::{Cell, DeviceUid, FrameReader, FromDevice, PlayerSignal, Reading, SensingKind};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;

use crate::table::PortKind;

/// How long a finger stays on a lever or a button, venue ms …
const TOUCH: i64 = 150;

/// … and on the one for resigning, which has to be held.
const HELD: i64 = 2_500;

/// Where emulator and firmware are.
#[derive(Clone, Debug)]
pub struct Emulation {
    /// The emulator's `main.mjs`.
    pub program: PathBuf,
    /// The folder with the firmware's ELF files.
    pub firmware: PathBuf,
    /// Where each controller's flash is kept.
    pub flash: PathBuf,
    /// Venue milliseconds per wall millisecond.
    pub speed: f64,
}

impl Emulation {
    /// The firmware of a controller.
    fn binary(&self, kind: PortKind, sensing: SensingKind) -> anyhow::Result<PathBuf> {
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
}

/// A running controller.
pub(crate) struct Emulator {
    kind: PortKind,
    commands: mpsc::UnboundedSender<String>,
    /// What its cells show now.
    cells: [Reading; Cell::COUNT],
    contacts: u8,
    /// When fingers leave contacts.
    releases: VecDeque<(i64, u8)>,
    reader: FrameReader<FromDevice>,
    /// The highest record number heard of each start.
    made: BTreeMap<u32, u32>,
    /// It is to be reset as soon as a piece is lifted.
    reset_asked: bool,
}

impl Emulator {
    /// Starts one; what it sends goes to `came`, in order. Dropping it ends the process.
    pub(crate) fn start(
        emulation: &Emulation,
        uid: DeviceUid,
        kind: PortKind,
        sensing: SensingKind,
        came: impl FnMut(Vec<u8>) + Send + 'static,
    ) -> anyhow::Result<Emulator> {
        let mut child = Command::new("node")
            .arg(&emulation.program)
            .arg("--elf")
            .arg(emulation.firmware.join("boot"))
            .arg("--elf")
            .arg(emulation.binary(kind, sensing)?)
            .args(["--uid", &uid.to_string(), "--speed", &emulation.speed.to_string()])
            .arg("--flash")
            .arg(emulation.flash.join(format!("flash-{uid}")))
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
        tokio::spawn(read(child, BufReader::new(stdout), came));
        Ok(Emulator {
            kind,
            commands,
            cells: [Reading::EMPTY; Cell::COUNT],
            contacts: 0,
            releases: VecDeque::new(),
            reader: FrameReader::new(),
            made: BTreeMap::new(),
            reset_asked: false,
        })
    }

    /// Bytes came from the gateway.
    pub(crate) fn on_bytes(&self, bytes: &[u8]) {
        self.command(format!("line {}", hex(bytes)));
    }

    /// What its cells show.
    pub(crate) fn show(&mut self, cells: &[Reading; Cell::COUNT]) {
        if self.kind == PortKind::Clock || *cells == self.cells {
            return;
        }
        let lifted = cells.iter().zip(&self.cells).any(|(now, before)| now.is_empty() && !before.is_empty());
        self.cells = *cells;
        self.command(cells.iter().fold("cells ".to_owned(), |line, reading| line + &reading.0.to_string()));
        if lifted && std::mem::take(&mut self.reset_asked) {
            self.command("reset".to_owned());
        }
    }

    /// A player touches a contact at this ms of the table.
    pub(crate) fn touch(&mut self, contact: Contact, at: i64) {
        let Some(bit) = Contact::ALL.iter().position(|known| *known == contact) else { return };
        if self.kind == PortKind::Board {
            return;
        }
        let held = match contact {
            Contact::Button(_, PlayerSignal::Resign) => HELD,
            Contact::Lever(_) | Contact::Button(_, PlayerSignal::Draw | PlayerSignal::CallArbiter) => TOUCH,
        };
        self.releases.push_back((at + held, 1 << bit));
        self.close(self.contacts | 1 << bit);
    }

    /// Lets time pass: fingers leave contacts.
    pub(crate) fn poll(&mut self, at: i64) {
        let mut closed = self.contacts;
        self.releases.retain(|&(release, bit)| {
            let due = release <= at;
            closed &= if due { !bit } else { u8::MAX };
            !due
        });
        if closed != self.contacts {
            self.close(closed);
        }
    }

    /// When a finger leaves a contact next.
    pub(crate) fn poll_timeout(&self) -> Option<i64> {
        self.releases.iter().map(|(at, _)| *at).min()
    }

    /// Resets it: a board while the next piece is in the air, a clock now.
    pub(crate) fn reset(&mut self) {
        match self.kind {
            PortKind::Board | PortKind::Both => self.reset_asked = true,
            PortKind::Clock => self.command("reset".to_owned()),
        }
    }

    /// It sent these bytes, whether anybody hears them or not.
    pub(crate) fn on_sent(&mut self, bytes: &[u8]) {
        let made = &mut self.made;
        self.reader.push_all(bytes, |heard| {
            if let Ok((_, FromDevice::Record(boot, record))) = heard {
                let highest = made.entry(boot.0).or_default();
                *highest = record.seq.0.max(*highest);
            }
        });
    }

    /// Records that it sent, over all its starts.
    pub(crate) fn records_made(&self) -> u64 {
        self.made.values().map(|highest| u64::from(*highest)).sum()
    }

    fn close(&mut self, contacts: u8) {
        self.contacts = contacts;
        self.command(format!("contacts {contacts}"));
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

async fn read<R>(mut child: Child, output: BufReader<R>, mut came: impl FnMut(Vec<u8>) + Send)
where
    R: tokio::io::AsyncRead + Unpin + Send,
{
    let mut lines = output.lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(bytes) = line.strip_prefix("line ").and_then(bytes) {
            came(bytes);
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
}
