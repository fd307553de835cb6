//! Entries, draw, pairing, line-ups, standings and prizes.
