//! Load: a real server, driven over MQTT by gateways that are real but for their serial lines and disks, with virtual tables
//! behind them, and watched as spectators watch it.
//!
//! ```text
//!  Row: VirtualTable ─bytes─► gateway::Hub ─observations─► gateway::Upstream   (sans I/O)
//!  drive: a Row and its connection to the broker              watch: streams of some tables, until a press is shown
//!                         └────────── Counts ◄────────────────────┘
//!  Figures: what was counted in each interval, as lines, as one JSON object, and whether it stayed the same (soak)
//! ```

mod counts;
mod drive;
mod figures;
mod options;
mod process;
mod row;
mod run;
mod venue;
mod watch;

pub use figures::{Figures, Interval, Unsteady};
pub use options::Load;
pub use process::{Usage, usage};
pub use run::{Measured, run};
pub use venue::{Rehearsal, Venue};
