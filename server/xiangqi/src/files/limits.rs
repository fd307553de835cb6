//! How much a file may ask for. A file beyond these is refused, with an error;
//! everything within them is read in time and memory proportional to its size.

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 32 << 20;

/// How deep variations may be nested in PGN, whose reader keeps a position for
/// each level.
pub const MAX_DEPTH: usize = 256;

/// How many moves a game may have, variations included.
pub const MAX_MOVES: usize = 1_000_000;
