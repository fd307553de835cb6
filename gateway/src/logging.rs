//! What programs log: to stderr, for people or for machines.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

/// Logs from now on. `RUST_LOG` chooses what, `usual` without it; with `CHUHE_LOG=json` each line is one JSON object. Colours
/// are for terminals.
pub fn log_to_stderr(usual: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal());
    // A second call, as in tests, changes nothing.
    let _once = match std::env::var("CHUHE_LOG").as_deref() {
        Ok("json") => lines.json().try_init(),
        Ok(_) | Err(_) => lines.try_init(),
    };
}
