//! Virtual tables: human hands in front of the device code, on pseudo-terminals.

mod dice;
pub mod games;
pub mod hands;
mod man;
mod noise;
pub mod player;
pub mod pty;
pub mod table;
pub mod timeline;
pub mod trial;

pub use dice::Dice;
pub use man::{Man, Stand};
pub use noise::{Dead, Noise};
pub use table::{GameEnd, PlayedGame, PortKind, Resume, TableConfig, Venue, VirtualTable, uid};
