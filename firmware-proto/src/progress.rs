//! How far a device is with another firmware, and what came of it.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::UpdateRefusal;

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
    /// Left as it was, for the server holds the firmware back.
    Held,
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
            | Outcome::Stopped
            | Outcome::Held => false,
        }
    }

    /// Whether it speaks against giving the firmware to any other device.
    #[must_use]
    pub const fn condemns(self) -> bool {
        match self {
            Outcome::GivenBack | Outcome::NotBack => true,
            Outcome::Kept
            | Outcome::HadIt
            | Outcome::Refused(_)
            | Outcome::NotTried
            | Outcome::Lost
            | Outcome::Spared
            | Outcome::RoundBegan
            | Outcome::Stopped
            | Outcome::Held => false,
        }
    }

    /// Whether it may be otherwise another time: nothing is wrong with the device and the firmware.
    #[must_use]
    pub const fn may_pass(self) -> bool {
        match self {
            Outcome::Refused(
                UpdateRefusal::GameOn
                | UpdateRefusal::RecordsWait
                | UpdateRefusal::OnTrial
                | UpdateRefusal::NotOffered
                | UpdateRefusal::Incomplete,
            )
            | Outcome::Lost
            | Outcome::RoundBegan
            | Outcome::Held => true,
            Outcome::Refused(
                UpdateRefusal::OtherTarget
                | UpdateRefusal::Length
                | UpdateRefusal::Damaged
                | UpdateRefusal::FlashFailed,
            )
            | Outcome::Kept
            | Outcome::HadIt
            | Outcome::GivenBack
            | Outcome::NotTried
            | Outcome::NotBack
            | Outcome::Spared
            | Outcome::Stopped => false,
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stage {
            Stage::Waits => f.write_str("waits for its turn")?,
            Stage::Offered => f.write_str("is offered the firmware")?,
            Stage::Sending { taken, of } => {
                write!(f, "takes it: {} %", u64::from(taken) * 100 / u64::from(of.max(1)))?;
            }
            Stage::Checking => f.write_str("has all of it and checks it")?,
            Stage::Trial => f.write_str("restarts with it, on trial")?,
            Stage::Over(outcome) => outcome.fmt(f)?,
        }
        let held_up = self.held_up.filter(|_| !matches!(self.stage, Stage::Over(_) | Stage::Waits));
        match held_up {
            None => Ok(()),
            Some(Hindrance::Away) => f.write_str(" (it is not there: is its cable in?)"),
            Some(Hindrance::GameOn) => f.write_str(" (waits: pieces were moved or a lever was pressed)"),
            Some(Hindrance::RecordsWait) => {
                f.write_str(" (waits until its records are on the gateway's disk)")
            }
            Some(Hindrance::OnTrial) => f.write_str(" (waits: what it runs is itself on trial)"),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Kept => f.write_str("done: it runs the new firmware, which has proven itself"),
            Outcome::HadIt => f.write_str("done: it ran this version before"),
            Outcome::GivenBack => {
                f.write_str("given back: the new firmware did not prove itself, the one before runs again")
            }
            Outcome::Refused(refusal) => write!(f, "refused: {refusal}. Its firmware is what it was"),
            Outcome::NotTried => {
                f.write_str("it restarts without trying it: is its boot stage the project's own?")
            }
            Outcome::Lost => {
                f.write_str("lost: it went away and did not come back. Its firmware is what it was")
            }
            Outcome::NotBack => f.write_str("lost: it did not come back from its trial. Look at it"),
            Outcome::Spared => f.write_str("left as it was: the firmware failed on another device"),
            Outcome::RoundBegan => f.write_str("left as it was: a time began to run on a clock"),
            Outcome::Stopped => f.write_str("left as it was: the update was ended"),
            Outcome::Held => f.write_str("left as it was: the server holds the firmware back"),
        }
    }
}
