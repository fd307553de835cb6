//! From MQTT into the hall and the store, and out again.
//!
//! ```text
//! broker ─► Gate (authentic?) ─► Streams (the next number?) ─► Ledger (new?) ─► Hall ─► store ─► Release
//!                                                                                       acks, commands, views
//! ```
//!
//! [`Intake`] decides all of this without I/O. One task ([`Keeper`]) owns it; it never waits for the disk. What it decided goes to the
//! store as a batch and, once that is on the disk, out ([`release`]). Nothing leaves before it is kept.

mod complaint;
mod device_times;
mod errands;
mod forms;
mod gate;
mod gateway_clock;
mod intake;
mod keeper;
mod ledger;
mod offers;
mod release;
mod streams;

pub use complaint::{Complaint, Complaints};
pub(crate) use forms::entry;
pub use gate::{Arrival, Gate};
pub use intake::{Intake, Outcome, Present, Step, Tally};
pub use keeper::{Incoming, Keeper, KeeperError, Outgoing, Request};
pub use ledger::Ledger;
pub use offers::Load;
pub use release::Sealer;
pub use streams::Streams;
