//! The server: configuration, broker, ingest, tasks and the command line.
