//! What device and host say to each other. Order of variants and fields is the wire: append, or raise
//! [`crate::WIRE_VERSION`].

use serde::{Deserialize, Serialize};

use crate::{
    BootId, ByHalf, Cell, CmdId, DeviceUid, Half, Image, Millis, Reading, SensingKind, Seq, UpdateState,
    UpdateStep,
};

/// Device to host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromDevice {
    /// Who I am: at the start, when asked, and after an unknown wire version.
    Hello(Hello),
    /// The next of the numbered records, one a frame.
    Record(BootId, Record),
    /// Still here; once a second. `next_seq` tells the host what it has yet to see.
    Beat {
        /// This start.
        boot: BootId,
        /// The number that the next record will get.
        next_seq: Seq,
        /// The device's time.
        at: Millis,
        /// What a clock shows, for display only; `None` from a board.
        face: Option<ClockFace>,
    },
    /// What became of a command.
    Done(Done),
    /// Answer to [`ToDevice::TimeSync`], for the host's estimate of the device's offset.
    TimeSync {
        /// The host's token, as it came.
        token: u32,
        /// The device's time when it came.
        at: Millis,
    },
    /// Answer to [`ToDevice::Update`].
    Update(UpdateState),
    /// Who I am, said instead of [`FromDevice::Hello`] for as long as records of an earlier start come first.
    Left(Hello, Left),
}

/// Host to device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToDevice {
    /// Asks for a [`Hello`].
    Identify,
    /// Every record of this start up to and including this number is durable with the host.
    Ack {
        /// The start that the number belongs to.
        boot: BootId,
        /// The highest number kept.
        upto: Seq,
    },
    /// Send again from this number on: one was missing or broken.
    Nak {
        /// The start that the number belongs to.
        boot: BootId,
        /// The first number wanted.
        from: Seq,
    },
    /// Do something; absolute and idempotent.
    Command(CmdId, Command),
    /// Asks for the device's time.
    TimeSync {
        /// Comes back in the answer.
        token: u32,
    },
    /// A step towards another firmware.
    Update(UpdateStep),
}

/// Who a device is and what it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Its number for life.
    pub uid: DeviceUid,
    /// This start.
    pub boot: BootId,
    /// Firmware version.
    pub firmware: u32,
    /// Hardware revision.
    pub hardware: u16,
    /// Why it started.
    pub reset: ResetCause,
    /// What it has.
    pub capabilities: Capabilities,
    /// The oldest record that it still keeps.
    pub oldest: Seq,
    /// The number that its next record will get.
    pub next: Seq,
    /// Records that it had to drop because nobody took them.
    pub overflowed: u32,
    /// Its time.
    pub at: Millis,
}

/// What a device kept of an earlier start over a reset or a power cut, and nobody has acknowledged. It hands these
/// records over under that start's number, oldest start first, before the first one of its own, and then says
/// [`FromDevice::Hello`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// That start.
    pub boot: BootId,
    /// The oldest of its records that is still kept.
    pub oldest: Seq,
    /// The number behind that of its last one.
    pub next: Seq,
    /// When that last one was made, by the time of that start.
    pub last: Millis,
    /// How long ago that is at the least: how long the power was off nobody knows.
    pub ago: Millis,
}

/// Why a device started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResetCause {
    /// Power came.
    PowerOn,
    /// The watchdog bit.
    Watchdog,
    /// The supply sagged.
    BrownOut,
    /// A command or an update asked for it.
    Asked,
}

/// What a device has: a board, a clock or both on one controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// The board's sensing, if it has one.
    pub board: Option<SensingKind>,
    /// Whether it has a clock.
    pub clock: bool,
}

/// What a sensor or a clock did: numbered and time-stamped at the source, kept until acknowledged.
///
/// Everything that happened to a device since it started is one stream of these, snapshots included. Each part of
/// a device first tells its whole state: a clock its [`Body::Clock`], a board its [`Body::Snapshot`] (as soon as
/// its first image stands, a debounce time after the start). Times never go back within a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its number since the start.
    pub seq: Seq,
    /// When it happened, by the device's time.
    pub at: Millis,
    /// What happened.
    pub body: Body,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    /// A cell's reading changed (after debouncing).
    Point(Cell, Reading),
    /// The whole image: a board's first record of every start, on command, and once a minute, if anything changed
    /// since the last one, as a check of the changes.
    Snapshot(Image),
    /// A player pressed his lever. The face is the one after the press, increment included.
    Press(Half, ClockFace),
    /// A side's time ran out. The face tells both times at that instant.
    Flag(Half, ClockFace),
    /// The clock was set, started, paused, or has just started up.
    Clock(ClockFace),
    /// A player signalled the end of the game on the clock's buttons.
    Signal(Half, PlayerSignal),
    /// A command took effect at this place of the record.
    Marker(CmdId),
    /// The device found something wrong with itself.
    Health(HealthFault),
}

/// What a player says with the clock's buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlayerSignal {
    /// Offers a draw, or accepts the one offered (提和).
    Draw,
    /// Gives the game up (认输): the button was held.
    Resign,
    /// Calls the arbiter.
    CallArbiter,
}

/// What a device finds wrong with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HealthFault {
    /// A cell that never changes though its neighbours do.
    DeadCell(Cell),
    /// A cell that shows a piece for ever.
    StuckCell(Cell),
    /// Records were dropped, this many since the last report.
    Overflow(u32),
    /// Supply below its limit, millivolts.
    Supply(u16),
    /// A cell that saw its piece in the walk test, but never stronger than this (microtesla): a weak sensor, or one too
    /// far below the surface.
    WeakCell(Cell, u16),
    /// A piece that stands so far from its point's middle, or has so weak a magnet, that its field is only this
    /// (microtesla), at a cell that has seen strong ones. Told once for as long as it stands there.
    OffCentre(Cell, u16),
    /// `true`: its records are not written to its flash at present, for the log there is full or the flash takes nothing:
    /// those that wait to be acknowledged would not outlive a power cut. `false`: all of them would again.
    Unkept(bool),
}

/// What a clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockFace {
    /// Time left.
    pub left: ByHalf<Millis>,
    /// Whose time runs; `None`: paused or not yet started.
    pub running: Option<Half>,
}

/// How a clock is to be set: absolute, so that setting twice is setting once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockSetting {
    /// Time left, as it shall stand.
    pub face: ClockFace,
    /// Added to the presser's time at each press (每步加秒).
    pub increment: Millis,
}

/// What a device is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Set the clock. With `running: None` it waits: the first press starts the opponent's time.
    SetClock(ClockSetting),
    /// Stop both times where they stand.
    Pause,
    /// Let this half's time run.
    Run(Half),
    /// Record a [`Body::Snapshot`] now.
    Snapshot,
    /// Light the cell, or no cell.
    Light(Option<Cell>),
    /// Start anew.
    Reboot,
    /// Begin (or end) a walk test: a piece is put on every point and lifted again. At its end each cell that saw
    /// none is a [`HealthFault::DeadCell`], each that was never empty a [`HealthFault::StuckCell`].
    Walk(bool),
    /// Take what the sensors give now for the empty board, and keep it. Refused while a piece is seen.
    Calibrate,
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// Which command.
    pub command: CmdId,
    /// How it went.
    pub code: DoneCode,
}

/// How a command went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DoneCode {
    /// Done; the record has its [`Body::Marker`].
    Ok,
    /// It was done before; nothing happened now.
    Repeated,
    /// This device has no such part.
    Unsupported,
    /// It makes no sense in the present state.
    Refused,
}
