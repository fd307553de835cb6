//! Who hangs on which port, and how it is, when no gateway runs that could be asked: `chuhe-gateway list` opens the
//! ports itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use firmware_proto::{Address, FrameReader, FromDevice, Hello, MAX_FRAME, ResetCause, Seq, ToDevice, encode};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

use crate::config::Config;
use crate::lines::serve_line;
use crate::links::Light;
use crate::ports::{self, PortEvent, WAITING};

/// How long a device may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(2);

/// A device that has an address of a gateway which ended a moment ago is not found before it has forgotten it.
const FORGETS: Duration = Duration::from_secs(3);

/// A line on which everybody is not found within so long has something on it that is no device.
const LONGEST: Duration = Duration::from_secs(30);

/// What one port gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortReport {
    /// The port; a member of a shared line has the line's name and its own number.
    pub port: String,
    /// How that is.
    pub light: Light,
    /// Who hangs on it, or why that cannot be told.
    pub device: Result<Hello, String>,
}

impl PortReport {
    /// Of a device that is judged by what it says of itself: amber if it had to drop records, or did not start because
    /// somebody wanted it to.
    fn of_itself(port: String, device: Result<Hello, String>) -> PortReport {
        let light = match &device {
            Err(_) => Light::Red,
            Ok(hello) => match hello.reset {
                ResetCause::PowerOn | ResetCause::Asked if hello.overflowed == 0 => Light::Green,
                ResetCause::PowerOn | ResetCause::Asked | ResetCause::Watchdog | ResetCause::BrownOut => {
                    Light::Amber
                }
            },
        };
        PortReport { port, light, device }
    }

    /// Records that nobody has taken from it yet.
    #[must_use]
    pub fn backlog(&self) -> u32 {
        let Ok(Hello { oldest: Seq(oldest), next: Seq(next), .. }) = self.device else { return 0 };
        next.saturating_sub(oldest)
    }
}

/// Asks every port and every shared line of a configuration. One that a gateway has open is reported as taken.
pub async fn list(config: &Config) -> Vec<PortReport> {
    let single = config.ports.iter().flat_map(|pattern| ports::paths(pattern));
    let shared = config.lines.iter().flat_map(|pattern| ports::paths(pattern));
    let asked: Vec<_> = single
        .map(|path| tokio::spawn(single_port(path)))
        .chain(shared.map(|path| tokio::spawn(shared_line(path))))
        .collect();
    let mut reports = vec![];
    for task in asked {
        reports.extend(task.await.into_iter().flatten());
    }
    reports
}

async fn single_port(path: PathBuf) -> Vec<PortReport> {
    let device = match tokio::time::timeout(PATIENCE, ask(&path)).await {
        Ok(answer) => answer,
        Err(_) => Err("nothing of ours answers there".to_owned()),
    };
    vec![PortReport::of_itself(path.display().to_string(), device)]
}

async fn ask(path: &Path) -> Result<Hello, String> {
    let mut port = ports::open(path).map_err(|error| error.to_string())?;
    let mut frame = [0; MAX_FRAME];
    let used =
        encode(Address::POINT_TO_POINT, &ToDevice::Identify, &mut frame).expect("Identify is one byte");
    port.write_all(&frame[..used]).await.map_err(|error| error.to_string())?;
    let mut reader = FrameReader::<FromDevice>::new();
    let mut buffer = [0; 512];
    loop {
        let count = port.read(&mut buffer).await.map_err(|error| error.to_string())?;
        if count == 0 {
            return Err("closed by the other side".to_owned());
        }
        for &byte in &buffer[..count] {
            if let Some(Ok((_, FromDevice::Hello(hello) | FromDevice::Left(hello, _)))) = reader.push(byte) {
                return Ok(hello);
            }
        }
    }
}

/// Gives the floor on a line as a gateway does, until nobody new is found there.
async fn shared_line(path: PathBuf) -> Vec<PortReport> {
    let name = path.display().to_string();
    let alone = |reason: String| vec![PortReport::of_itself(name.clone(), Err(reason))];
    let stream = match ports::open(&path) {
        Ok(stream) => stream,
        Err(error) => return alone(error.to_string()),
    };
    let (events, mut heard) = mpsc::channel(WAITING);
    let mut members = BTreeMap::new();
    let reason = tokio::select! {
        reason = serve_line(stream, &name, Arc::default(), &events) => reason,
        () = find(&mut heard, &mut members) => "nothing of ours answers there".to_owned(),
    };
    if members.is_empty() {
        return alone(reason);
    }
    let silent = || Err("it is there, but does not say who it is".to_owned());
    members
        .into_values()
        .map(|(port, hello)| PortReport::of_itself(port, hello.map_or_else(silent, Ok)))
        .collect()
}

/// Listens until everybody on the line was sought and all who were found have said who they are, or had time to.
async fn find(
    heard: &mut mpsc::Receiver<PortEvent>,
    members: &mut BTreeMap<crate::hub::PortId, (String, Option<Hello>)>,
) {
    // Whoever was found is asked through a sender that lives as long as it is listened to.
    let mut senders = vec![];
    let began = Instant::now();
    let mut until = began + LONGEST;
    // The second of these began when every address was forgotten.
    let mut searches = 0;
    while !(searches >= 2 && members.values().all(|(_, hello)| hello.is_some())) {
        match tokio::time::timeout_at(until.into(), heard.recv()).await {
            Ok(Some(PortEvent::Joined { port, name, sender })) => {
                // The queue of a member that has just come is empty.
                let _queued = sender.try_send(ToDevice::Identify);
                senders.push(sender);
                members.insert(port, (name, None));
            }
            Ok(Some(PortEvent::Message {
                port,
                message: FromDevice::Hello(hello) | FromDevice::Left(hello, _),
            })) => {
                if let Some((_, known)) = members.get_mut(&port) {
                    *known = Some(hello);
                }
            }
            Ok(Some(PortEvent::Searched)) => {
                searches += u32::from(began.elapsed() >= FORGETS);
                if searches == 2 {
                    until = Instant::now() + PATIENCE;
                }
            }
            Ok(Some(PortEvent::Closed { port, .. })) => drop(members.remove(&port)),
            Ok(Some(
                PortEvent::Opened { .. }
                | PortEvent::Message { .. }
                | PortEvent::Bytes { .. }
                | PortEvent::Garbled { .. }
                | PortEvent::Refused { .. },
            )) => {}
            Ok(None) | Err(_) => return,
        }
    }
}
