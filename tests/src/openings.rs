//! Lines of moves that tests share.

/// Two rounds after which everything stands as before, and nobody attacked anything.
pub const QUIET: &str = "a0a1 a9a8 a1a0 a8a9";

/// Red's chariot comes to where it can check for ever …
pub const CHECK_FROM: &str = "a0a1 e9e8 a1d1 i9i8 d1d7 i8i9 d7c7 i9i8";
/// … as here, two rounds after which everything stands as before (长将).
pub const CHECKS: &str = "c7c8 e8e7 c8c7 e7e8";

/// Red's chariot comes to where it can chase a cannon for ever …
pub const CHASE_FROM: &str = "a0a1 h7h5 a1d1 i9i8 d1d4 i8i9";
/// … as here, two rounds (长捉).
pub const CHASES: &str = "d4d5 h5h4 d5d4 h4h5";
