//! What is done with accounts: the hall keeps no accounts, but its journal says who changed which.

use serde::{Deserialize, Serialize};

use crate::Role;

/// Something that was done with an account, or that somebody tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountDeed {
    /// An account was made.
    Made {
        /// Whose.
        name: String,
        /// What he may do.
        role: Role,
    },
    /// Somebody has another role.
    RoleChanged {
        /// Who.
        name: String,
        /// Before.
        from: Role,
        /// Now.
        to: Role,
    },
    /// Somebody has a new password; his sessions have ended.
    PasswordSet {
        /// Who.
        name: String,
    },
    /// An account was taken away.
    Removed {
        /// Whose.
        name: String,
    },
    /// Somebody signed in.
    SignedIn {
        /// From which address, if it is known.
        from: Option<String>,
    },
    /// Somebody was not let in: name or password is wrong.
    Refused {
        /// The name that was given.
        name: String,
        /// From which address.
        from: Option<String>,
    },
    /// Somebody tried too often and is locked out for a while; told once until he may try again.
    Limited {
        /// The name that was given.
        name: String,
        /// From which address.
        from: Option<String>,
    },
    /// Somebody ended his sessions everywhere.
    SignedOutEverywhere,
}
