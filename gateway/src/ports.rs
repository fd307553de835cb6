//! Serial ports: finding, opening, reading and writing them, for ever.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use firmware_proto::{Address, Fault, FromDevice, MAX_FRAME, ToDevice, encode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_serial::{SerialPortBuilderExt, SerialStream};

use crate::hub::PortId;
use crate::lines::serve_line;

/// The line's speed where the line has one (RS-232, RS-485); USB and pseudo-terminals go as fast as they can.
pub(crate) const BAUD: u32 = 115_200;

/// Ports are looked for so often.
const LOOK: Duration = Duration::from_secs(1);

/// A port that could not be opened is tried again after so long, and after twice as long each time …
const FIRST_RETRY: Duration = Duration::from_millis(100);

/// … up to this.
const LONGEST_RETRY: Duration = Duration::from_secs(3);

/// A device that takes nothing for so long is given up: the port is opened again.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Messages that may wait for a port; more are dropped (all of them are repeated when needed).
pub(crate) const WAITING: usize = 256;

/// What happens on ports.
#[derive(Debug)]
pub(crate) enum PortEvent {
    /// It was opened; what is sent into `sender` goes out on it.
    Opened { port: PortId, name: String, sender: mpsc::Sender<ToDevice> },
    /// A member of a shared line was found; it is a port of its own.
    Joined { port: PortId, name: String, sender: mpsc::Sender<ToDevice> },
    /// Bytes came.
    Bytes { port: PortId, bytes: Vec<u8> },
    /// A member of a shared line said something.
    Message { port: PortId, message: FromDevice },
    /// Something on a shared line made no sense.
    Garbled { name: String, fault: Fault },
    /// Everybody on a shared line was sought.
    Searched,
    /// It closed: its cable was pulled, or it failed.
    Closed { port: PortId, name: String, reason: String },
    /// It could not be opened.
    Refused { name: String, reason: String },
}

/// The paths that a pattern stands for at present. One without `*` stands for itself, whether it is there or not.
pub(crate) fn paths(pattern: &str) -> Vec<PathBuf> {
    let path = Path::new(pattern);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return vec![] };
    let name = name.to_string_lossy();
    if !name.contains('*') {
        return vec![path.to_owned()];
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| fits(&name, &entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        // A link into nothing is no port.
        .filter(|path| path.exists())
        .collect();
    found.sort();
    found
}

/// Whether a name fits a pattern in which `*` stands for any characters.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).any(|at| rest.is_char_boundary(at) && fits(tail, &rest[at..]))
        }),
    }
}

/// Opens a port, raw, at [`BAUD`].
pub(crate) fn open(path: &Path) -> tokio_serial::Result<SerialStream> {
    tokio_serial::new(path.to_string_lossy(), BAUD).open_native_async()
}

/// Who hangs on a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One device, which speaks when it likes.
    PointToPoint,
    /// Several, which speak when they are asked (RS-485).
    Shared,
}

/// Serves every port that fits the patterns until `events` is closed.
pub(crate) async fn serve(patterns: Vec<(Kind, String)>, events: mpsc::Sender<PortEvent>) {
    let mut tasks: JoinSet<PathBuf> = JoinSet::new();
    let mut served: BTreeMap<PathBuf, tokio::task::Id> = BTreeMap::new();
    let mut look = tokio::time::interval(LOOK);
    let numbers = Arc::new(AtomicU32::new(0));
    loop {
        tokio::select! {
            _ = look.tick() => {}
            Some(ended) = tasks.join_next() => match ended {
                Ok(path) => { served.remove(&path); }
                // A port's task panicked: it is started again.
                Err(error) => served.retain(|_, task| *task != error.id()),
            },
            () = events.closed() => return,
        }
        for (kind, pattern) in &patterns {
            let lasting = !pattern.contains('*');
            for path in paths(pattern) {
                if let Entry::Vacant(vacant) = served.entry(path.clone()) {
                    let task = tasks.spawn(serve_path(path, *kind, lasting, numbers.clone(), events.clone()));
                    vacant.insert(task.id());
                }
            }
        }
    }
}

/// Serves a path: for ever if it was named, as long as it exists if a pattern found it.
async fn serve_path(
    path: PathBuf,
    kind: Kind,
    lasting: bool,
    numbers: Arc<AtomicU32>,
    events: mpsc::Sender<PortEvent>,
) -> PathBuf {
    let name = path.display().to_string();
    let mut retry = FIRST_RETRY;
    while lasting || path.exists() {
        let event = match open(&path) {
            Ok(stream) => {
                let opened = Instant::now();
                let port = PortId(numbers.fetch_add(1, Ordering::Relaxed));
                let reason = match kind {
                    Kind::PointToPoint => serve_open(stream, port, &name, &events).await,
                    Kind::Shared => serve_line(stream, &name, numbers.clone(), &events).await,
                };
                // One that fails as soon as it is opened is no better than one that cannot be.
                if opened.elapsed() > LONGEST_RETRY {
                    retry = FIRST_RETRY;
                }
                PortEvent::Closed { port, name: name.clone(), reason }
            }
            Err(error) => PortEvent::Refused { name: name.clone(), reason: error.to_string() },
        };
        if events.send(event).await.is_err() {
            break;
        }
        tokio::time::sleep(retry).await;
        retry = (retry * 2).min(LONGEST_RETRY);
    }
    path
}

/// Moves bytes both ways until the port fails; tells why it did.
async fn serve_open(
    stream: SerialStream,
    port: PortId,
    name: &str,
    events: &mpsc::Sender<PortEvent>,
) -> String {
    let (sender, mut messages) = mpsc::channel(WAITING);
    let opened = PortEvent::Opened { port, name: name.to_owned(), sender };
    if events.send(opened).await.is_err() {
        return "the gateway is ending".to_owned();
    }
    let (mut input, mut output) = tokio::io::split(stream);
    let reading = async {
        let mut buffer = [0; 4096];
        loop {
            match input.read(&mut buffer).await {
                Ok(0) => return "closed by the other side (cable pulled?)".to_owned(),
                Ok(count) => {
                    let bytes = buffer[..count].to_vec();
                    if events.send(PortEvent::Bytes { port, bytes }).await.is_err() {
                        return "the gateway is ending".to_owned();
                    }
                }
                Err(error) => return error.to_string(),
            }
        }
    };
    let writing = async {
        while let Some(message) = messages.recv().await {
            let mut frame = [0; MAX_FRAME];
            let used =
                encode(Address::POINT_TO_POINT, &message, &mut frame).expect("commands fit into a frame");
            match tokio::time::timeout(WRITE_TIMEOUT, output.write_all(&frame[..used])).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return error.to_string(),
                Err(_) => return "takes no bytes (is anything behind it?)".to_owned(),
            }
        }
        "the gateway is ending".to_owned()
    };
    tokio::select! {
        reason = reading => reason,
        reason = writing => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters_in_a_file_name() {
        assert!(fits("ttyACM*", "ttyACM12"));
        assert!(fits("usb-*-if00", "usb-Chuhe_board_7-if00"));
        assert!(fits("*", "任何"));
        assert!(!fits("ttyACM*", "ttyUSB0"));
        assert!(!fits("ttyACM0", "ttyACM01"));
    }

    #[test]
    fn a_path_without_a_star_stands_for_itself_and_a_pattern_for_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["tty1", "tty0", "other"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let pattern = folder.path().join("tty*").display().to_string();
        assert_eq!(paths(&pattern), [folder.path().join("tty0"), folder.path().join("tty1")]);
        assert_eq!(paths("/not/there"), [PathBuf::from("/not/there")]);
    }
}
