//! No bytes make the reader of PGN panic, and what it reads is written and
//! read again as the same moves.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fuzz::check_magic(b"[Game \"Chinese Chess\"]\n", bytes));
