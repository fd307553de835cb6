//! A small disk of a test's own, which it may fill and make read-only. Needs the right to mount.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A disk in memory, mounted at a folder; it goes with the test.
pub struct Disk {
    at: PathBuf,
}

impl Disk {
    /// Mounts so many MiB. `None`, said loudly: that is not allowed here.
    pub fn mount(at: &Path, mib: u32) -> Option<Disk> {
        std::fs::create_dir_all(at).unwrap();
        let size = format!("size={mib}m");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(at).output().unwrap();
        if !mounted.status.success() {
            eprintln!("SKIPPED: a disk cannot be mounted here: {}", String::from_utf8_lossy(&mounted.stderr));
            return None;
        }
        Some(Disk { at: at.to_owned() })
    }

    /// Not a byte is free any more.
    pub fn fill(&self) {
        let mut file = std::fs::File::create(self.at.join("filler")).unwrap();
        let block = vec![0_u8; 1 << 16];
        for size in [block.len(), 1] {
            while std::io::Write::write_all(&mut file, &block[..size]).is_ok() {}
        }
    }

    /// There is room again.
    pub fn clear(&self) {
        std::fs::remove_file(self.at.join("filler")).unwrap();
    }

    /// Nothing can be written any more, or it can again. What is open for writing has to be closed.
    pub fn set_read_only(&self, read_only: bool) -> bool {
        let option = if read_only { "remount,ro" } else { "remount,rw" };
        Command::new("mount").args(["-o", option]).arg(&self.at).output().unwrap().status.success()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: what still runs on it ends with the test.
        let _gone = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}
