//! What an arbiter is told: an alert's code, evidence, proposal and remedies.

use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};

use crate::{AlertCode, Evidence, Remedy, Severity};

/// The same words in Chinese and in English.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Chinese.
    pub zh: String,
    /// English.
    pub en: String,
}

impl Words {
    /// Both texts.
    pub fn new(zh: impl Into<String>, en: impl Into<String>) -> Words {
        Words { zh: zh.into(), en: en.into() }
    }
}

/// What an arbiter should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What it is about.
    pub code: AlertCode,
    /// How much it presses now.
    pub severity: Severity,
    /// The cause within the game, such as a ply's number: one alert a cause.
    pub cause: u32,
    /// How far the cause has grown: a later stage takes the place of an earlier one.
    pub stage: u8,
    /// When it happened.
    pub at: Epoch,
    /// What was seen, in words.
    pub evidence: Words,
    /// What was seen, as data.
    pub data: Evidence,
    /// What is proposed; may be empty.
    pub proposal: Words,
    /// What is offered, the proposed one first. To let it stand is always possible.
    pub remedies: Vec<Remedy>,
}

impl Notice {
    /// A notice with its code's severity, nothing proposed yet.
    #[must_use]
    pub fn new(code: AlertCode, cause: u32, at: Epoch, evidence: Words, data: Evidence) -> Notice {
        Notice {
            code,
            severity: code.severity(),
            cause,
            stage: 0,
            at,
            evidence,
            data,
            proposal: Words::default(),
            remedies: Vec::new(),
        }
    }

    /// With a proposal.
    #[must_use]
    pub fn proposing(self, zh: impl Into<String>, en: impl Into<String>) -> Notice {
        Notice { proposal: Words::new(zh, en), ..self }
    }

    /// With remedies, the proposed one first.
    #[must_use]
    pub fn offering(self, remedies: impl IntoIterator<Item = Remedy>) -> Notice {
        Notice { remedies: remedies.into_iter().collect(), ..self }
    }

    /// At a later stage, pressing so much.
    #[must_use]
    pub fn at_stage(self, stage: u8, severity: Severity) -> Notice {
        Notice { stage, severity, ..self }
    }

    /// Whether it says the same as another, whenever that was.
    #[must_use]
    pub fn says_the_same_as(&self, other: &Notice) -> bool {
        Notice { at: other.at, ..self.clone() } == *other
    }
}
