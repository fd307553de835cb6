//! The game of record: regulation, clocks, fouls, alerts, remedies and endings.
