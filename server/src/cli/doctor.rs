//! `chuhe doctor`: looks a venue over and says of each thing how it is and what to do. One object a line; status 1 if
//! something is wrong. It may run beside the server.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use firmware_proto::{DeviceUid, Epoch};
use serde::Serialize;
use store::{Database, StoreError};

use super::place::Place;
use super::{Ended, Failure, print, runtime};
use crate::config::Config;
use crate::gateways::admitted;
use crate::vault::Vault;
use crate::{disk, time};

/// Looks a venue over and says what to do.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    place: Place,
    /// A time server (NTP) to compare this machine's clock with, for instance pool.ntp.org.
    #[arg(long)]
    ntp: Option<String>,
}

/// What was looked at.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Finding {
    check: &'static str,
    ok: bool,
    found: String,
    /// What to do; empty if nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    advice: String,
}

impl Finding {
    fn good(check: &'static str, found: impl Into<String>) -> Finding {
        Finding { check, ok: true, found: found.into(), advice: String::new() }
    }

    fn bad(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { check, ok: false, found: found.into(), advice: advice.into() }
    }
}

/// A clock that is off by more is wrong, ms.
const CLOCK: i64 = 500;

/// Seconds from 1900, where NTP counts from, to 1970.
const NTP_EPOCH: u64 = 2_208_988_800;

pub(super) fn doctor(options: Options) -> Ended {
    let mut findings = Vec::new();
    match options.place.config().and_then(|config| Ok((config, options.place.database()?))) {
        Err(Failure::BadInput(error) | Failure::Failed(error)) => findings.push(Finding::bad(
            "configuration",
            error.to_string(),
            "correct the field that is named; server/README.md has all of them",
        )),
        Ok((config, database)) => {
            let found = format!(
                "{} tables, {} gateways, venue {}",
                config.tables.len(),
                config.gateways.len(),
                config.venue
            );
            findings.push(Finding::good("configuration", found));
            findings.push(room(&config.data));
            findings.push(clock(options.ntp.as_deref()));
            findings.extend(runtime()?.block_on(event(&config, &database)));
        }
    }
    let sound = findings.iter().all(|finding| finding.ok);
    findings.iter().for_each(print);
    if sound {
        Ok(())
    } else {
        Err(Failure::Failed(anyhow::Error::msg("something is wrong; each line says what to do")))
    }
}

fn room(folder: &Path) -> Finding {
    let probe = folder.join(".doctor");
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&probe, b"x"));
    // It is there only if it could be written.
    let _gone = std::fs::remove_file(&probe);
    let place = folder.display();
    if let Err(why) = written {
        let advice = "give this user the right to write there, or repair the disk (is it mounted read-only?)";
        return Finding::bad("disk", format!("cannot write to {place}: {why}"), advice);
    }
    match disk::free(folder) {
        Ok(free) => {
            let found = format!("{} MiB free at {place}", free >> 20);
            if free < disk::LITTLE {
                Finding::bad("disk", found, "make room: an event of 200 tables writes up to 1 GiB a day")
            } else {
                Finding::good("disk", found)
            }
        }
        Err(why) => Finding::bad("disk", format!("{place}: {why}"), "look at the disk"),
    }
}

fn clock(server: Option<&str>) -> Finding {
    const ADVICE: &str =
        "set the clock by NTP (systemd-timesyncd or chrony), then start server and gateways again";
    let Some(server) = server else {
        let synchronized = Path::new("/run/systemd/timesync/synchronized").exists();
        let found = if synchronized {
            "set by systemd-timesyncd"
        } else {
            "not compared: name a time server with --ntp"
        };
        return Finding::good("clock", found);
    };
    match offset(server) {
        Ok(off) if off.abs() <= CLOCK => Finding::good("clock", format!("{off} ms off {server}")),
        Ok(off) => Finding::bad("clock", format!("{off} ms off {server}"), ADVICE),
        Err(why) => Finding::bad(
            "clock",
            format!("{server}: {why}"),
            "name a time server that answers, in the hall's own net",
        ),
    }
}

/// By how many ms this machine's clock is behind a time server's (SNTP, RFC 4330).
fn offset(server: &str) -> std::io::Result<i64> {
    let at = if server.contains(':') { server.to_owned() } else { format!("{server}:123") };
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.set_read_timeout(Some(Duration::from_secs(2)))?;
    socket.connect(at)?;
    let mut packet = [0_u8; 48];
    packet[0] = 0x23; // version 4, client
    let (asked, since) = (time::wall(), Instant::now());
    socket.send(&packet)?;
    let length = socket.recv(&mut packet)?;
    let way = since.elapsed().as_millis() as i64;
    transmitted(&packet[..length])
        .map(|sent| sent - (asked.0 + way / 2))
        .ok_or_else(|| std::io::Error::other("its answer is no NTP packet"))
}

/// When a server sent its answer, ms since 1970.
fn transmitted(packet: &[u8]) -> Option<i64> {
    let seconds = u64::from(u32::from_be_bytes(packet.get(40..44)?.try_into().ok()?));
    let fraction = u64::from(u32::from_be_bytes(packet.get(44..48)?.try_into().ok()?));
    let millis = seconds.checked_sub(NTP_EPOCH)? * 1_000 + ((fraction * 1_000) >> 32);
    i64::try_from(millis).ok()
}

/// What the event's database says.
async fn event(config: &Config, database: &Database) -> Vec<Finding> {
    if let Database::File(file) = database
        && !file.exists()
    {
        return vec![Finding::good("journal", "there is no event yet")];
    }
    match look(config, database).await {
        Ok(findings) => findings,
        Err(error @ (StoreError::Away { .. } | StoreError::Refused { .. })) => vec![Finding::bad(
            "database",
            error.to_string(),
            "start the database's server, correct its address; what gateways bring meanwhile is kept by them",
        )],
        Err(error) => vec![Finding::bad(
            "journal",
            error.to_string(),
            "keep this database, then `chuhe restore` the latest copy; gateways hand in again what they still have",
        )],
    }
}

async fn look(config: &Config, database: &Database) -> Result<Vec<Finding>, StoreError> {
    let look = database.look().await?;
    let chain = look.chain().await?;
    let (ranges, devices) = (look.record_ranges().await?, look.devices().await?);
    let gateways = look.gateways().await?;
    look.close().await;
    let mut findings =
        vec![Finding::good("journal", format!("{} entries, each follows from the one before", chain.len()))];
    if let Some((last, _)) = chain.last()
        && config.clock.speed == 1.0
        && last.at > time::wall()
    {
        let found = format!("the last entry is {} s in the future", last.at.since(time::wall()) / 1_000);
        findings.push(Finding::bad(
            "clock",
            found,
            "this machine's clock went back: set it by NTP before you start",
        ));
    }
    findings.push(keys(config, &gateways));
    findings.push(records(&ranges));
    findings.push(tables(config, &devices));
    Ok(findings)
}

/// Whether the enrolled gateways' keys open with this server's secret.
fn keys(config: &Config, roll: &[store::Enrolled]) -> Finding {
    if !roll.iter().any(|one| matches!(one.standing, store::Standing::Enrolled { .. })) {
        return Finding::good(
            "gateways",
            format!("{} in the configuration, none enrolled", config.gateways.len()),
        );
    }
    let opened = Vault::of(&config.data).map(|vault| admitted(&config.keys(), roll, &vault));
    match opened {
        Ok((keys, shut)) if shut.is_empty() => {
            Finding::good("gateways", format!("{} are let in, each key opens", keys.len()))
        }
        Ok((_, shut)) => {
            Finding::bad("gateways", shut.join("; "), "do as it says, or these gateways are refused")
        }
        Err(why) => Finding::bad(
            "gateways",
            format!("{why:#}"),
            "put the file back from a copy, or revoke the gateways and enrol them anew",
        ),
    }
}

/// Whether the devices' records are there without a gap.
fn records(ranges: &[store::Range]) -> Finding {
    let mut runs: BTreeMap<_, Vec<&store::Range>> = BTreeMap::new();
    for range in ranges {
        runs.entry((range.device, range.boot)).or_default().push(range);
    }
    let broken: Vec<String> = runs
        .iter()
        .filter(|(_, runs)| runs.len() > 1 || runs.iter().any(|run| run.first.0 != 1))
        .map(|((device, boot), _)| format!("{device} (start {boot})"))
        .collect();
    let stored: u64 = ranges.iter().map(|run| u64::from(run.last.0 - run.first.0) + 1).sum();
    if broken.is_empty() {
        return Finding::good(
            "records",
            format!("{stored} of {} starts of devices, none missing", runs.len()),
        );
    }
    let advice = "compare the games of these tables with their boards; a device drops records only when nobody took them \
                  for hours, or when it is reset";
    Finding::bad("records", format!("missing between others: {}", broken.join(", ")), advice)
}

/// Whether the devices of all tables have ever been there.
fn tables(config: &Config, devices: &[(DeviceUid, firmware_proto::GatewayId, Epoch)]) -> Finding {
    let missing: Vec<String> = config
        .tables
        .iter()
        .flat_map(|table| {
            [Some(table.board), table.clock].into_iter().flatten().map(move |device| (table.table, device))
        })
        .filter(|(_, device)| devices.iter().all(|(known, _, _)| known != device))
        .map(|(table, device)| format!("{device} of table {table}"))
        .collect();
    if missing.is_empty() {
        return Finding::good("devices", format!("all of {} tables have been there", config.tables.len()));
    }
    let advice = "plug them in; `sudo chuhe-gateway list` on the box says who hangs on which port, the number is printed on \
                  the device";
    Finding::bad("devices", format!("never seen: {}", missing.join(", ")), advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::{BootId, Seq};

    #[test]
    fn a_time_servers_answer_is_read() {
        let mut packet = [0_u8; 48];
        packet[40..44].copy_from_slice(&((NTP_EPOCH + 1_800_000_000) as u32).to_be_bytes());
        packet[44..48].copy_from_slice(&0x8000_0000_u32.to_be_bytes());
        assert_eq!(transmitted(&packet), Some(1_800_000_000_500));
        assert_eq!(transmitted(&packet[..40]), None);
    }

    /// A time server of the hall whose clock is ahead of ours by so much.
    fn time_server(ahead: i64) -> String {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let mut asked = [0; 48];
            let (_, from) = socket.recv_from(&mut asked).unwrap();
            assert_eq!(asked[0] & 7, 3, "a client asks");
            let now = time::wall().0 + ahead;
            let mut answer = [0_u8; 48];
            answer[0] = 0x24; // version 4, server
            answer[40..44].copy_from_slice(&((NTP_EPOCH + (now / 1_000) as u64) as u32).to_be_bytes());
            let fraction = ((now % 1_000) << 32) / 1_000;
            answer[44..48].copy_from_slice(&(fraction as u32).to_be_bytes());
            socket.send_to(&answer, from).unwrap();
        });
        address
    }

    #[test]
    fn the_clock_is_compared_with_a_time_server() {
        let finding = clock(Some(&time_server(0)));
        assert!(finding.ok, "{finding:?}");
        let finding = clock(Some(&time_server(90_000)));
        let off = offset(&time_server(90_000)).unwrap();
        assert!((89_000..91_000).contains(&off), "{off}");
        assert!(!finding.ok && finding.advice.contains("NTP"), "{finding:?}");
        let nobody = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let finding = clock(Some(&nobody));
        assert!(!finding.ok && finding.advice.contains("answers"), "{finding:?}");
    }

    #[test]
    fn a_gap_in_a_devices_records_is_named_with_what_to_do() {
        let run = |first, last| store::Range {
            device: DeviceUid(0xb1),
            boot: BootId(2),
            first: Seq(first),
            last: Seq(last),
        };
        assert!(records(&[run(1, 9)]).ok);
        let finding = records(&[run(1, 3), run(5, 9)]);
        assert!(
            !finding.ok && finding.found.contains("b1") && finding.advice.contains("boards"),
            "{finding:?}"
        );
        assert!(!records(&[run(2, 9)]).ok);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told() {
        let finding = room(Path::new("/proc/nowhere"));
        assert!(!finding.ok && finding.found.contains("/proc/nowhere"), "{finding:?}");
    }
}
