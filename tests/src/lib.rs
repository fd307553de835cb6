//! End-to-end tests across processes, and the checks of the house rules. Here: the virtual table that the scenario
//! tests play on.

pub mod devices;
pub mod openings;
pub mod table;

pub use table::Table;
