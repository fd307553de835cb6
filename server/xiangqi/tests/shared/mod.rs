//! The reference material that lives beside the checkout, not in it.
#![allow(clippy::disallowed_methods, reason = "a test reads its tables")]
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::path::PathBuf;

/// A file of the reference folder; `None`, said aloud, when it is not there.
pub fn file(path: &str) -> Option<Vec<u8>> {
    let folder = std::env::var_os("CHUHE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let path = folder.join(path);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            eprintln!("SKIPPED: {} cannot be read ({error}); set CHUHE_SHARED", path.display());
            None
        }
    }
}

/// The data rows of a table of the reference folder, split at tabs; `None`,
/// said aloud, when the folder is not there.
pub fn table(name: &str) -> Option<Vec<Vec<String>>> {
    let text = String::from_utf8(file(&format!("rules/{name}"))?).expect("the tables are UTF-8");
    Some(text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}
