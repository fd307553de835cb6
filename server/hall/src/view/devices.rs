//! The devices of a table and their self-test.

use firmware_proto::Epoch;
use tournament::TableNo;
use xiangqi::{Point, Side};

use crate::{PointState, TableBinding};

/// How the devices of a table are, and how far their self-test (自检) is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevicesView {
    /// The table.
    pub table: TableNo,
    /// Its devices.
    pub binding: TableBinding,
    /// Whether a game is being played there.
    pub plays: bool,
    /// Since when a self-test goes on.
    pub since: Option<Epoch>,
    /// When the last one ended, if none has begun since.
    pub tested: Option<Epoch>,
    /// What the sensors show, by point, in the board's own terms; `None` until they were seen.
    pub image: Option<Vec<u8>>,
    /// How each point did, by [`Point::index`]; `None`: it was not tested.
    pub points: Option<Vec<PointState>>,
    /// Whether the levers were pressed in the test, Red's and Black's.
    pub pressed: [bool; 2],
    /// What there is to say, gravest first.
    pub concerns: Vec<Concern>,
}

/// What stands between a table and a round that is recorded by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concern {
    /// The board was never heard of.
    BoardUnseen,
    /// The board is not connected.
    BoardAway,
    /// The clock was never heard of.
    ClockUnseen,
    /// The clock is not connected.
    ClockAway,
    /// A supply is low, mV.
    Supply(u16),
    /// Records of a device would not outlive a power cut: the log in its flash is full, or the flash takes nothing.
    Unkept,
    /// These points see no piece.
    Dead(Vec<Point>),
    /// These points see a piece for ever.
    Stuck(Vec<Point>),
    /// These points flicker.
    Unsure(Vec<Point>),
    /// These points had no piece in the test.
    Untried(Vec<Point>),
    /// This side's lever was not pressed in the test.
    Unpressed(Side),
    /// There was no test.
    Untested,
}

/// How a table's devices are, in one word: the worst of their concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Tested and found sound (正常).
    Sound,
    /// Something is not known, or wants to be looked at (待查).
    Open,
    /// Something does not work (故障).
    Faulty,
}

impl Concern {
    /// How grave it is.
    #[must_use]
    pub const fn condition(&self) -> Condition {
        match self {
            Concern::BoardUnseen
            | Concern::BoardAway
            | Concern::ClockUnseen
            | Concern::ClockAway
            | Concern::Dead(_)
            | Concern::Stuck(_) => Condition::Faulty,
            Concern::Supply(_)
            | Concern::Unkept
            | Concern::Unsure(_)
            | Concern::Untried(_)
            | Concern::Unpressed(_)
            | Concern::Untested => Condition::Open,
        }
    }
}

impl DevicesView {
    /// In one word.
    #[must_use]
    pub fn condition(&self) -> Condition {
        self.concerns.iter().map(Concern::condition).max().unwrap_or(Condition::Sound)
    }
}
