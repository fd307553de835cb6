//! Who entered: a player, or a team in a team event.

use serde::{Deserialize, Serialize};

use crate::{EntrantNo, GroupNo, RoundNo};

/// A player, or a team in a team event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// The number drawn.
    pub no: EntrantNo,
    /// The name.
    pub name: String,
    /// 单位: club, town or team; may be empty.
    #[serde(default)]
    pub unit: String,
    /// The first round of a late entry; round 1 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_round: Option<RoundNo>,
    /// 退赛: the first round this entrant does not play any more. Earlier results stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn_from: Option<RoundNo>,
    /// 补位: a house player, paired only where the others are odd in number.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub house: bool,
    /// The group; group 1 unless given.
    #[serde(default, skip_serializing_if = "is_first")]
    pub group: GroupNo,
}

fn is_first(group: &GroupNo) -> bool {
    *group == GroupNo::default()
}

impl Entrant {
    /// An entrant for the whole event.
    pub fn new(no: EntrantNo, name: impl Into<String>, unit: impl Into<String>) -> Entrant {
        Entrant {
            no,
            name: name.into(),
            unit: unit.into(),
            first_round: None,
            withdrawn_from: None,
            house: false,
            group: GroupNo::default(),
        }
    }

    /// Whether the entrant has entered and not withdrawn by this round.
    #[must_use]
    pub fn takes_part_in(&self, round: RoundNo) -> bool {
        self.first_round.is_none_or(|first| first <= round)
            && self.withdrawn_from.is_none_or(|from| round < from)
    }
}
