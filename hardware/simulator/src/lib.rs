//! Virtual tables: human hands in front of the device code, on pseudo-terminals.
