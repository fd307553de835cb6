//! What officials' pages ask the hall when they are opened: too large, and looked at too rarely, to be published.

use hall::view::progress::Progress;
use hall::view::{
    AlertView, Capabilities, ClosedAlertView, DecisionView, DeviceUid, DevicesView, Epoch, Firmware,
    JournalQuery, JournalView, PlyNo, TableView, TimelineView,
};
use tokio::sync::{mpsc, oneshot};
use tournament::TableNo;
use xiangqi::judge::Class;

/// A question to the hall, with the way back.
#[derive(Debug)]
pub enum Question {
    /// A table of the current round; `None`: no game there.
    Table(TableNo, oneshot::Sender<Option<TableView>>),
    /// What people decided, newest first; at one table or everywhere.
    Decisions(Option<TableNo>, oneshot::Sender<Vec<DecisionView>>),
    /// Closed alerts, newest first, at most so many.
    Closed(usize, oneshot::Sender<Vec<ClosedAlertView>>),
    /// What happened at a table from one instant to another; `None`: no game there.
    Timeline(TableNo, Epoch, Epoch, oneshot::Sender<Option<TimelineView>>),
    /// A page of who did what.
    Journal(JournalQuery, oneshot::Sender<JournalView>),
    /// How the devices are: of one table, or of all.
    Devices(Option<TableNo>, oneshot::Sender<Vec<DevicesView>>),
    /// The firmware that is offered; `None`: none is.
    Firmware(oneshot::Sender<Option<FirmwareView>>),
    /// What went wrong on each gateway's links.
    Links(oneshot::Sender<Vec<LinkView>>),
    /// What the alert about a table's repetition would say if plies were of these classes; `None`: there would be none.
    IfClassed(TableNo, Vec<(PlyNo, Option<Class>)>, oneshot::Sender<Option<AlertView>>),
}

/// A link between a gateway and a device, with its counters since the gateway's start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkView {
    /// The gateway.
    pub gateway: String,
    /// The port's name there.
    pub port: String,
    /// The number of the device that hangs on it.
    pub device: Option<String>,
    /// The table that this device stands on.
    pub table: Option<TableNo>,
    /// What it is and runs, as it said last.
    pub runs: Option<Runs>,
    /// Frames with a wrong check sum.
    pub bad_crc: u64,
    /// Records that came twice, or had to be asked for again.
    pub resends: u64,
    /// Times that its device started anew.
    pub resets: u64,
    /// Times that the port closed by itself or could not be opened.
    pub lost: u64,
    /// The longest time between two messages of its device, ms.
    pub worst_gap_ms: u32,
}

/// What a device is, and the version of its firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// The version.
    pub firmware: u32,
    /// Hardware revision.
    pub hardware: u16,
    /// Its parts.
    pub capabilities: Capabilities,
}

impl Runs {
    /// Whether another device of its kind runs a newer version.
    #[must_use]
    pub fn is_behind(self, all: &[LinkView]) -> bool {
        let kind = |runs: Runs| (runs.hardware, runs.capabilities);
        let newer = |other: Runs| kind(other) == kind(self) && other.firmware > self.firmware;
        all.iter().filter_map(|link| link.runs).any(newer)
    }
}

/// A firmware that is offered, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirmwareView {
    /// Which.
    pub firmware: Firmware,
    /// Why not every device may be given it; `None`: every one may.
    pub held_back: Option<HeldBack>,
    /// The gateways that are known.
    pub gateways: Vec<AtGateway>,
    /// The devices that it is made for.
    pub devices: Vec<AtDevice>,
}

/// Why a firmware that is offered is not given to every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBack {
    /// A round is being played.
    Round,
    /// The devices of one gateway try it first.
    FirstTries,
    /// This device gave it back, or did not come back with it.
    Failed(DeviceUid),
    /// This server does not have its bytes.
    NotHere,
}

/// How far a gateway is with a firmware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtGateway {
    /// The gateway.
    pub gateway: String,
    /// Whether it is there.
    pub online: bool,
    /// Bytes that it has.
    pub fetched: u32,
}

/// How far a device is with a firmware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtDevice {
    /// Its number.
    pub device: String,
    /// The table that it stands on.
    pub table: Option<TableNo>,
    /// The gateway that it hangs on.
    pub gateway: String,
    /// How far it is.
    pub progress: Progress,
}

/// Where questions go. Without a hall there is no answer, and pages show less.
#[derive(Clone, Debug)]
pub struct Questions(mpsc::Sender<Question>);

impl Questions {
    /// To whoever answers.
    #[must_use]
    pub fn to(hall: mpsc::Sender<Question>) -> Questions {
        Questions(hall)
    }

    /// To nobody.
    #[must_use]
    pub fn to_nobody() -> Questions {
        Questions(mpsc::channel(1).0)
    }

    async fn ask<T>(&self, question: impl FnOnce(oneshot::Sender<T>) -> Question) -> Option<T> {
        let (back, answer) = oneshot::channel();
        self.0.send(question(back)).await.ok()?;
        answer.await.ok()
    }

    pub(crate) async fn table(&self, no: TableNo) -> Option<TableView> {
        self.ask(|back| Question::Table(no, back)).await?
    }

    pub(crate) async fn decisions(&self, table: Option<TableNo>) -> Vec<DecisionView> {
        self.ask(|back| Question::Decisions(table, back)).await.unwrap_or_default()
    }

    pub(crate) async fn closed(&self, at_most: usize) -> Vec<ClosedAlertView> {
        self.ask(|back| Question::Closed(at_most, back)).await.unwrap_or_default()
    }

    pub(crate) async fn timeline(&self, no: TableNo, from: Epoch, to: Epoch) -> Option<TimelineView> {
        self.ask(|back| Question::Timeline(no, from, to, back)).await?
    }

    pub(crate) async fn journal(&self, query: JournalQuery) -> JournalView {
        self.ask(|back| Question::Journal(query, back)).await.unwrap_or_default()
    }

    pub(crate) async fn devices(&self, table: Option<TableNo>) -> Vec<DevicesView> {
        self.ask(|back| Question::Devices(table, back)).await.unwrap_or_default()
    }

    pub(crate) async fn links(&self) -> Vec<LinkView> {
        self.ask(Question::Links).await.unwrap_or_default()
    }

    pub(crate) async fn firmware(&self) -> Option<FirmwareView> {
        self.ask(Question::Firmware).await?
    }

    pub(crate) async fn if_classed(
        &self,
        no: TableNo,
        classes: Vec<(PlyNo, Option<Class>)>,
    ) -> Option<AlertView> {
        self.ask(|back| Question::IfClassed(no, classes, back)).await?
    }
}
