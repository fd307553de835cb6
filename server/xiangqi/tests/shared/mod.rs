//! The reference tables that live beside the checkout, not in it.
#![allow(clippy::disallowed_methods, reason = "a test reads its tables")]

use std::path::PathBuf;

/// The data rows of a table of the reference folder, split at tabs; `None`,
/// said aloud, when the folder is not there.
pub fn table(name: &str) -> Option<Vec<Vec<String>>> {
    let folder = std::env::var_os("CHUHE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let path = folder.join("rules").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            Some(text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
        }
        Err(error) => {
            eprintln!("SKIPPED: {} cannot be read ({error}); set CHUHE_SHARED", path.display());
            None
        }
    }
}
