//! The program; see the library beside it.
fn main() {}
