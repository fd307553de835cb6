//! How much room the disk has for what is kept.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hall::{Input, ServerFault};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Free bytes below this are too little for a day: an event of 200 tables writes less than 1 GiB.
pub const LITTLE: u64 = 1 << 30;

/// How often a running server looks.
const LOOK: Duration = Duration::from_secs(10);

/// Free bytes on the disk that holds this folder.
pub fn free(folder: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(folder)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Tells whether the disk of this folder is nearly full: at first, since an earlier run may have left it so, and whenever
/// that changes.
pub(crate) async fn watch(folder: PathBuf, tell: mpsc::Sender<Input>, stop: CancellationToken) {
    let mut told = None;
    let mut looks = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = looks.tick() => {}
        }
        // A disk that does not answer is found out by the store, which writes to it.
        let Ok(free) = free(&folder) else { continue };
        let full = free < LITTLE;
        if told.replace(full) == Some(full) {
            continue;
        }
        if full {
            tracing::warn!(folder = %folder.display(), free_mib = free >> 20, "the disk is nearly full");
        }
        if tell.send(Input::Server { fault: ServerFault::Disk, on: full }).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_room_and_one_that_is_not_there_is_an_error() {
        assert!(free(Path::new("/")).is_ok());
        assert!(free(Path::new("/there/is/no/such/folder")).is_err());
    }
}
