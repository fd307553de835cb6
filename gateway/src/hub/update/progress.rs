//! How far a device is with another firmware, and what came of it.

use firmware_proto::UpdateRefusal;
use serde::{Deserialize, Serialize};

/// How far a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// How far.
    pub stage: Stage,
    /// Why it does not go on at present.
    pub held_up: Option<Hindrance>,
}

/// The stages of a device's update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Others go first.
    Waits,
    /// It was told what is to come.
    Offered,
    /// Bytes go over.
    Sending {
        /// So many it has.
        taken: u32,
        /// So many there are.
        of: u32,
    },
    /// It has all bytes and was told to check and try them.
    Checking,
    /// It restarts with the new firmware, which is on trial.
    Trial,
    /// It is over.
    Over(Outcome),
}

/// Why an update does not go on at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hindrance {
    /// The device is not there.
    Away,
    /// Somebody plays at it, or moved pieces a moment ago.
    GameOn,
    /// Records wait that are not yet on the gateway's disk.
    RecordsWait,
    /// What it runs is itself on trial.
    OnTrial,
}

/// What came of a device's update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It runs the new firmware, which has proven itself.
    Kept,
    /// It ran this version before.
    HadIt,
    /// The new firmware was tried and did not prove itself: the former one runs.
    GivenBack,
    /// The device did not take it; its firmware is what it was.
    Refused(UpdateRefusal),
    /// The device was reset several times and never tried it: its boot stage is missing.
    NotTried,
    /// The device went away and did not come back while bytes went over: its firmware is what it was.
    Lost,
    /// The device did not come back from the trial.
    NotBack,
    /// Left as it was, for the firmware failed on another device.
    Spared,
    /// Left as it was, for a time began to run on a clock.
    RoundBegan,
    /// Left as it was, for somebody ended the update.
    Stopped,
}

impl Outcome {
    /// Whether the device runs the firmware that was to come.
    #[must_use]
    pub const fn is_well(self) -> bool {
        match self {
            Outcome::Kept | Outcome::HadIt => true,
            Outcome::GivenBack
            | Outcome::Refused(_)
            | Outcome::NotTried
            | Outcome::Lost
            | Outcome::NotBack
            | Outcome::Spared
            | Outcome::RoundBegan
            | Outcome::Stopped => false,
        }
    }

    /// Whether it speaks against giving the firmware to any other device.
    pub(super) const fn condemns(self) -> bool {
        match self {
            Outcome::GivenBack | Outcome::NotBack => true,
            Outcome::Kept
            | Outcome::HadIt
            | Outcome::Refused(_)
            | Outcome::NotTried
            | Outcome::Lost
            | Outcome::Spared
            | Outcome::RoundBegan
            | Outcome::Stopped => false,
        }
    }
}
