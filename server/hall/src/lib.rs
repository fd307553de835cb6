//! A whole event as one deterministic machine.
