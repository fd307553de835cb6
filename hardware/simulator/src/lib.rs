//! Virtual tables: human hands in front of the device code, on pseudo-terminals.

mod dice;
pub mod emulator;
pub mod games;
pub mod hands;
pub mod incidents;
pub mod load;
mod man;
mod noise;
pub mod player;
pub mod pty;
pub mod replay;
pub mod table;
pub mod trial;
pub mod truth;

pub use dice::Dice;
pub use incidents::{Incidents, Row};
pub use man::{Man, Stand, stand};
pub use noise::{Dead, Noise};
pub use table::{PortKind, Resume, TableConfig, Venue, VirtualTable, uid};
pub use truth::{GameEnd, PlayedGame};
