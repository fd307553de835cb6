//! What the commands `list` and `update` show.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use firmware_proto::progress::{Progress, Stage};
use firmware_proto::{DeviceUid, Firmware};
use gateway::{AskError, Config, PortReport, Running};
use serde_json::json;

/// The gateway is asked so often how far an update is.
const LOOK: Duration = Duration::from_millis(500);

/// Who hangs on which port: one object a line. The running gateway says it, or else the ports are opened and asked. Done
/// if every port has a device of ours.
pub async fn list(config: &Config) -> anyhow::Result<ExitCode> {
    let reports = match Running::find(&config.store).await? {
        Some(running) => running.devices().await?,
        None => gateway::list(config).await,
    };
    let mut out = std::io::stdout().lock();
    for report in &reports {
        writeln!(out, "{}", line(report)).context("standard output")?;
    }
    let sound = !reports.is_empty() && reports.iter().all(|report| report.device.is_ok());
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn line(report: &PortReport) -> serde_json::Value {
    let PortReport { port, light, device } = report;
    let status = light.to_string();
    match device {
        Ok(hello) => json!({
            "port": port,
            "status": status,
            "uid": hello.uid.to_string(),
            "board": hello.capabilities.board.map(|kind| format!("{kind:?}").to_lowercase()),
            "clock": hello.capabilities.clock,
            "firmware": hello.firmware,
            "hardware": hello.hardware,
            "boot": hello.boot.0,
            "reset": format!("{:?}", hello.reset).to_lowercase(),
            "backlog": report.backlog(),
            "overflowed": hello.overflowed,
        }),
        Err(reason) => json!({ "port": port, "status": status, "error": reason }),
    }
}

/// Has the running gateway give devices another firmware, and shows how far each is. Done if all of them run it.
pub async fn update(config: &Config, file: &Path, named: &[DeviceUid]) -> anyhow::Result<ExitCode> {
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    let (firmware, _) = Firmware::from_file(&bytes).with_context(|| file.display().to_string())?;
    let Some(running) = Running::find(&config.store).await? else {
        bail!("no gateway runs on {}: start it, it is the one that sends", config.store.display());
    };
    running.begin_update(bytes, named).await?;
    println!("version {} for {}, {} bytes", firmware.version, firmware.target, firmware.length);
    let mut shown = BTreeMap::new();
    loop {
        let ended = tokio::select! {
            () = tokio::time::sleep(LOOK) => false,
            pressed = tokio::signal::ctrl_c() => { pressed.context("Ctrl-C")?; true }
        };
        if ended {
            running.stop_update().await?;
            println!("ended: who has not been told to try it stays as it was");
        }
        let devices = running.update().await.map_err(went_away)?.devices;
        show(&mut shown, &devices);
        let outcome = |progress: &Progress| match progress.stage {
            Stage::Over(outcome) => Some(outcome),
            Stage::Waits | Stage::Offered | Stage::Sending { .. } | Stage::Checking | Stage::Trial => None,
        };
        let outcomes: Vec<_> = devices.values().filter_map(outcome).collect();
        if outcomes.len() == devices.len() {
            let well = outcomes.iter().filter(|outcome| outcome.is_well()).count();
            println!("{well} of {} run version {}", devices.len(), firmware.version);
            let all = !devices.is_empty() && well == devices.len();
            return Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
}

/// The gateway fell silent in mid-update.
fn went_away(why: AskError) -> anyhow::Error {
    anyhow::Error::new(why)
        .context("the gateway went away; the devices are whole: ask again, and each goes on where it is")
}

/// A line for each device with which something is new: another stage, or a quarter more of the bytes.
fn show(shown: &mut BTreeMap<DeviceUid, String>, devices: &BTreeMap<DeviceUid, Progress>) {
    for (uid, progress) in devices {
        let news = match progress.stage {
            Stage::Sending { taken, of } => {
                format!("{} {:?}", u64::from(taken) * 4 / u64::from(of.max(1)), progress.held_up)
            }
            Stage::Waits | Stage::Offered | Stage::Checking | Stage::Trial | Stage::Over(_) => {
                progress.to_string()
            }
        };
        if shown.get(uid) != Some(&news) {
            println!("{uid}  {progress}");
            shown.insert(*uid, news);
        }
    }
}
