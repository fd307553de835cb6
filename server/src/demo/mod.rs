//! A whole venue in one process: the server, one gateway for every eight tables, and virtual tables on real
//! pseudo-terminals. The same programs as in a hall; only hands and sensors are simulated.

mod past;
mod people;
mod report;
mod settings;
mod venue;

pub use report::Summary;
pub use settings::{Settings, new_keys};
pub use venue::{Venue, sensing};
