//! Who hangs on which port: `chuhe-gateway --list`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_proto::{Address, FrameReader, FromDevice, Hello, MAX_FRAME, ToDevice, encode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::ports;

/// How long a device may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(2);

/// What one port gave.
#[derive(Debug)]
pub struct PortReport {
    /// The port.
    pub path: PathBuf,
    /// Who hangs on it, or why that cannot be told.
    pub device: Result<Hello, String>,
}

/// Asks every port that fits the patterns. A port that a gateway has open is reported as taken.
pub async fn list(patterns: &[String]) -> Vec<PortReport> {
    let mut asked = vec![];
    for pattern in patterns {
        for path in ports::paths(pattern) {
            asked.push(tokio::spawn(async move {
                let device = match tokio::time::timeout(PATIENCE, ask(&path)).await {
                    Ok(answer) => answer,
                    Err(_) => Err("nothing of ours answers there".to_owned()),
                };
                PortReport { path, device }
            }));
        }
    }
    let mut reports = vec![];
    for task in asked {
        reports.extend(task.await);
    }
    reports
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
            if let Some(Ok((_, FromDevice::Hello(hello)))) = reader.push(byte) {
                return Ok(hello);
            }
        }
    }
}
