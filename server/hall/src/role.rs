//! What a person is at the event: it comes with each act.

use serde::{Deserialize, Serialize};

/// A person's office.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// 裁判长: decides what an arbiter may not, and is called when nobody takes an alert up.
    ChiefArbiter,
    /// 裁判员.
    Arbiter,
    /// 编排员: pairs rounds, takes results in.
    PairingOfficer,
    /// 组织者: opens the event, enters players, binds devices.
    Organiser,
    /// 解说员: sees what spectators will see later.
    Commentator,
    /// 观众.
    Viewer,
}

impl Role {
    /// All offices, the weightiest first.
    pub const ALL: [Role; 6] = [
        Role::ChiefArbiter,
        Role::Arbiter,
        Role::PairingOfficer,
        Role::Organiser,
        Role::Commentator,
        Role::Viewer,
    ];

    /// The stable name, as in files and APIs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Role::ChiefArbiter => "chief_arbiter",
            Role::Arbiter => "arbiter",
            Role::PairingOfficer => "pairing_officer",
            Role::Organiser => "organiser",
            Role::Commentator => "commentator",
            Role::Viewer => "viewer",
        }
    }

    /// The word on pages.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Role::ChiefArbiter => "裁判长",
            Role::Arbiter => "裁判员",
            Role::PairingOfficer => "编排员",
            Role::Organiser => "组织者",
            Role::Commentator => "解说员",
            Role::Viewer => "观众",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Role::ChiefArbiter => "chief arbiter",
            Role::Arbiter => "arbiter",
            Role::PairingOfficer => "pairing officer",
            Role::Organiser => "organiser",
            Role::Commentator => "commentator",
            Role::Viewer => "viewer",
        }
    }
}
