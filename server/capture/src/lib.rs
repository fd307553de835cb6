//! Observations of one table to plies: the hypothesis tracker.
