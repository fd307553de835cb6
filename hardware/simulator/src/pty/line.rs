//! A cable that is plugged in: a pseudo-terminal, its other end named as a port.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Came, Place};

/// A cable that is plugged in.
pub(super) struct Line {
    pub(super) fd: Arc<AsyncFd<fs::File>>,
    /// Keeps the other end alive while no gateway has it open.
    _other_end: OwnedFd,
    /// Ends its reader when it is pulled.
    reader: CancellationToken,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.reader.cancel();
    }
}

pub(super) fn open_line(link: &Path) -> anyhow::Result<Line> {
    // Closed in programs that are started from here: a pulled cable is pulled only if nobody else holds its end.
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
        .context("cannot open a pseudo-terminal")?;
    grantpt(&ours).context("cannot take a pseudo-terminal")?;
    unlockpt(&ours).context("cannot unlock a pseudo-terminal")?;
    let name = ptsname(&ours, Vec::new()).context("a pseudo-terminal has no name")?;
    let name = name.to_str().context("a pseudo-terminal's name is no text")?.to_owned();
    let theirs = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
        .with_context(|| format!("cannot open {name}"))?;
    let mut mode = tcgetattr(&theirs).with_context(|| format!("cannot read the mode of {name}"))?;
    mode.make_raw();
    tcsetattr(&theirs, OptionalActions::Now, &mode)
        .with_context(|| format!("cannot set the mode of {name}"))?;
    let flags = rustix::fs::fcntl_getfl(&ours)?;
    rustix::fs::fcntl_setfl(&ours, flags | OFlags::NONBLOCK)?;
    // Made aside and moved into place: a reader sees the old name or the new one, never none.
    let aside = link.with_extension("new");
    let _ = fs::remove_file(&aside);
    std::os::unix::fs::symlink(&name, &aside)
        .with_context(|| format!("cannot make the link {}", aside.display()))?;
    fs::rename(&aside, link).with_context(|| format!("cannot name the port {}", link.display()))?;
    // The newer constructor is unsafe because of types that may give up their descriptor; a `File` never does.
    #[expect(deprecated)]
    let fd = AsyncFd::new(fs::File::from(ours)).context("cannot watch a pseudo-terminal")?;
    let fd = Arc::new(fd);
    Ok(Line { fd, _other_end: theirs, reader: CancellationToken::new() })
}

impl Line {
    /// Reads what comes until the cable is pulled.
    pub(super) fn read_on(&self, place: Place, came: mpsc::Sender<Came>) {
        tokio::spawn(read(Arc::clone(&self.fd), place, came, self.reader.clone()));
    }
}

async fn read(
    fd: Arc<AsyncFd<fs::File>>,
    place: Place,
    came: mpsc::Sender<Came>,
    shutdown: CancellationToken,
) {
    let mut buffer = [0; 1024];
    loop {
        let ready = tokio::select! {
            () = shutdown.cancelled() => return,
            ready = fd.readable() => ready,
        };
        let Ok(mut ready) = ready else { return };
        match ready.try_io(|fd| {
            let mut file: &fs::File = fd.get_ref();
            file.read(&mut buffer)
        }) {
            Ok(Ok(0)) => tokio::time::sleep(Duration::from_millis(20)).await,
            Ok(Ok(length)) => {
                if came.send(Came::Heard(place, buffer[..length].to_vec())).await.is_err() {
                    return;
                }
            }
            Ok(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
            Ok(Err(_)) => tokio::time::sleep(Duration::from_millis(20)).await,
            Err(_would_block) => {}
        }
    }
}
