//! The only place with SQL: observations, journal, cursors and accounts.
