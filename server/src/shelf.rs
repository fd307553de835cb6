//! The firmware file that was uploaded last: in the data folder, so that it is there after a restart.

use std::path::PathBuf;
use std::sync::Arc;

use firmware_proto::Firmware;
use tokio::sync::watch;

use crate::ingest::Load;

/// The file in the data folder.
const FILE: &str = "offered.firmware";

/// Where the last firmware file lies.
#[derive(Debug)]
pub struct Shelf {
    folder: PathBuf,
    load: watch::Sender<Option<Arc<Load>>>,
}

impl Shelf {
    /// Of this data folder, with what an earlier start left there. A file that is none is told and left alone.
    #[must_use]
    pub fn of(folder: PathBuf) -> Shelf {
        let path = folder.join(FILE);
        let left = match std::fs::read(&path) {
            Ok(file) => match Firmware::from_file(&file) {
                Ok((firmware, bytes)) => Some(Arc::new(Load { firmware, bytes: bytes.to_vec() })),
                Err(why) => {
                    tracing::warn!(path = %path.display(), %why, "no firmware is offered from here");
                    None
                }
            },
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => None,
            Err(why) => {
                tracing::warn!(path = %path.display(), %why, "cannot be read");
                None
            }
        };
        Shelf { folder, load: watch::Sender::new(left) }
    }

    /// Puts this one there in place of the one before; from now on it can be offered.
    pub fn keep(&self, firmware: Firmware, bytes: Vec<u8>) -> std::io::Result<()> {
        // Whole or not at all: a power cut leaves the one before.
        let (path, coming) = (self.folder.join(FILE), self.folder.join("offered.firmware.new"));
        std::fs::write(&coming, firmware.to_file(&bytes))?;
        std::fs::File::open(&coming)?.sync_all()?;
        std::fs::rename(&coming, &path)?;
        self.load.send_replace(Some(Arc::new(Load { firmware, bytes })));
        Ok(())
    }

    /// What lies there, now and whenever that changes.
    #[must_use]
    pub fn load(&self) -> watch::Receiver<Option<Arc<Load>>> {
        self.load.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Capabilities, Target};

    use super::*;

    #[test]
    fn the_last_file_is_there_after_a_restart_and_a_damaged_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = || Shelf::of(folder.path().to_owned());
        assert_eq!(*shelf().load().borrow(), None);
        let capabilities = Capabilities { board: None, clock: true };
        let target = Target { hardware: 1, capabilities, shared_line: false };
        for bytes in [b"first".as_slice(), b"second"] {
            let firmware = Firmware::of_bytes(target, 2, bytes);
            shelf().keep(firmware, bytes.to_vec()).unwrap();
            let load = shelf().load().borrow().clone().unwrap();
            assert_eq!(*load, Load { firmware, bytes: bytes.to_vec() });
        }
        std::fs::write(folder.path().join(FILE), "CHUHEFW1").unwrap();
        assert_eq!(*shelf().load().borrow(), None);
    }
}
