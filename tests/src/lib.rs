//! End-to-end tests across processes, and the checks of the house rules.
