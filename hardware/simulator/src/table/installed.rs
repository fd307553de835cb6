//! A device installed at a table: the real device code with a time of its own, and a flash that outlives its restarts.
//! Which kinds there are, and their numbers.

use device::model_flash::ModelFlash;
use device::{Config, Device, Spill};
use firmware_proto::{Address, BootId, Capabilities, DeviceUid, Millis, ResetCause};
use serde::Serialize;

use super::TableConfig;

/// What a device of a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PortKind {
    /// A board.
    Board,
    /// A clock.
    Clock,
    /// Both on one controller.
    Both,
}

impl PortKind {
    /// Its name in port names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PortKind::Board => "board",
            PortKind::Clock => "clock",
            PortKind::Both => "both",
        }
    }
}

/// The number for life of a virtual device: `0xC4 00 00 <kind> 00 00 <table>`, kind 1 board, 2 clock, 3 both.
#[must_use]
pub const fn uid(table: u16, kind: PortKind) -> DeviceUid {
    let kind: u64 = match kind {
        PortKind::Board => 1,
        PortKind::Clock => 2,
        PortKind::Both => 3,
    };
    DeviceUid(0xC400_0000_0000_0000 | kind << 32 | table as u64)
}

/// A unit of erasure of a device's flash …
const UNIT: usize = 4_096;
/// … and how many of them its log of records has: more than a game takes.
const UNITS: usize = 16;

/// A device at its table, with a flash or without.
pub(super) struct Installed {
    pub(super) kind: PortKind,
    config: Config,
    pub(super) device: Device,
    spill: Option<Spill<ModelFlash<UNIT>>>,
    /// The table's ms at its start.
    started: i64,
    ppm: i64,
    /// Records that it made in earlier starts.
    pub(super) made_before: u64,
}

impl Installed {
    /// The device of this kind at this table.
    pub(super) fn at(config: &TableConfig, kind: PortKind) -> Installed {
        let (board, clock) = match kind {
            PortKind::Board => (Some(config.sensing), false),
            PortKind::Clock => (None, true),
            PortKind::Both => (Some(config.sensing), true),
        };
        let ppm = match kind {
            PortKind::Board | PortKind::Both => config.ppm[0],
            PortKind::Clock => config.ppm[1],
        };
        let device = Config {
            uid: uid(config.table, kind),
            boot: config.boot,
            firmware: 1,
            hardware: 1,
            reset: ResetCause::PowerOn,
            capabilities: Capabilities { board, clock },
            address: Address::POINT_TO_POINT,
            pace: config.pace,
        };
        let mut installed = Installed {
            kind,
            config: device,
            device: Device::new(device, Millis::ZERO),
            spill: None,
            started: 0,
            ppm: i64::from(ppm),
            made_before: 0,
        };
        if config.flash {
            installed.start_with(ModelFlash::of_pages(UNITS));
        }
        installed
    }

    /// Its own time at this ms of the table: it counts from its start and wraps as the real one does.
    pub(super) fn time(&self, at: i64) -> Millis {
        let passed = at - self.started;
        Millis((passed + passed * self.ppm / 1_000_000) as u32)
    }

    pub(super) fn made(&self) -> u64 {
        u64::from(self.device.next_seq().0 - 1)
    }

    /// Writes what is new to its flash, as the firmware does after whatever happens.
    pub(super) fn write(&mut self) {
        let Some(spill) = &mut self.spill else { return };
        // A log that is full keeps what it has; this flash does not fail.
        let _written = spill.write(&mut self.device);
    }

    /// Makes room for records while nobody plays.
    pub(super) fn make_room(&mut self, at: i64) {
        let now = self.time(at);
        if let Some(spill) = &mut self.spill
            && self.device.is_at_peace()
        {
            let _erased = spill.make_room(now);
        }
    }

    /// What this flash holds of earlier starts comes first.
    fn start_with(&mut self, flash: ModelFlash<UNIT>) {
        let mut spill = Spill::new(flash, 0..(UNIT * UNITS) as u32);
        let _read = spill.hand_over(&mut self.device);
        self.spill = Some(spill);
        self.make_room(self.started);
    }

    /// It restarts: its numbers begin anew, what it had not handed over is in its flash or gone, its clock goes on as it
    /// stood.
    pub(super) fn restart(&mut self, at: i64) {
        let kept = self.device.kept_clock();
        self.made_before += self.made();
        self.config =
            Config { boot: BootId(self.config.boot.0 + 1), reset: ResetCause::Watchdog, ..self.config };
        self.started = at;
        self.device = Device::restarted(self.config, kept, Millis::ZERO);
        if let Some(spill) = self.spill.take() {
            self.start_with(spill.into_flash());
        }
    }
}
