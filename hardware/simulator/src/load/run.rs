//! The whole of it: rows, spectators, the server's process, and what is counted meanwhile.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use firmware_proto::Session;
use gateway::Identity;
use gateway::mqtt::Settings;
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::counts::Counts;
use super::drive::{Driver, Time};
use super::figures::{Figures, Interval};
use super::options::Load;
use super::process::{Usage, load_average, usage};
use super::row::Row;
use super::venue::Venue;
use super::watch::{self as spectators, Standing};
use crate::TableConfig;

/// A server that is started here answers within this.
const START: Duration = Duration::from_secs(60);

/// A round begins within this once all rows are connected.
const ROUND: Duration = Duration::from_secs(120);

/// How long the server may take, once the tables stopped, to acknowledge what is left.
const SETTLE: Duration = Duration::from_secs(20);

/// What came of it.
pub struct Measured {
    /// All figures, as one object.
    pub json: Value,
    /// Why it is not well; empty if it is.
    pub failed: Vec<String>,
}

/// Drives the server as long as it was asked for. `Err`: it could not be driven.
pub async fn run(load: &Load) -> anyhow::Result<Measured> {
    load.check()?;
    let venue = load.venue()?;
    let tables = load.tables(&venue)?;
    let mut server = match &load.serve {
        Some(program) => Some(start(program, load, &venue).await?),
        None => None,
    };
    let pid = load.pid.or(server.as_ref().and_then(Child::id));
    if let Some(pid) = pid {
        usage(pid)?;
    }
    spectators::standing(venue.pages)
        .await
        .context("the server's pages do not answer; name them by --pages")?;
    let measured = drive(load, &venue, tables, pid).await;
    if let Some(server) = &mut server {
        end(server).await?;
    }
    measured
}

/// Starts the server and waits until its pages answer.
async fn start(program: &PathBuf, load: &Load, venue: &Venue) -> anyhow::Result<Child> {
    let mut command = Command::new(program);
    command.arg("serve").arg("--config").arg(&load.config).stdout(Stdio::null()).kill_on_drop(true);
    let mut child =
        command.spawn().with_context(|| format!("--serve {}: cannot start it", program.display()))?;
    let begin = Instant::now();
    while spectators::standing(venue.pages).await.is_err() {
        if let Some(status) = child.try_wait()? {
            bail!("--serve {}: it ended at once, {status}", program.display());
        }
        if begin.elapsed() > START {
            bail!("--serve {}: http://{} does not answer", program.display(), venue.pages);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(child)
}

/// Ends the server as its owner would.
async fn end(server: &mut Child) -> anyhow::Result<()> {
    if let Some(pid) = server.id().and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed())) {
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).context("cannot end the server")?;
    }
    let status = server.wait().await?;
    if !status.success() {
        bail!("the server ended with {status}");
    }
    Ok(())
}

async fn drive(
    load: &Load,
    venue: &Venue,
    tables: Vec<TableConfig>,
    pid: Option<u32>,
) -> anyhow::Result<Measured> {
    let counts = Arc::new(Counts::default());
    let time = Time::new(venue.clock);
    let (play, stop) = (CancellationToken::new(), CancellationToken::new());
    let before = spectators::standing(venue.pages).await?;
    let stored_before = spectators::stored(venue.pages).await?;

    let mut drivers = JoinSet::new();
    let served = tables.len().div_ceil(venue.gateways.len());
    for ((name, key), tables) in venue.gateways.iter().zip(tables.chunks(served)) {
        let identity = Identity { venue: venue.name.clone(), gateway: name.clone(), key: key.clone() };
        let session = Session(time.now().venue.0.unsigned_abs());
        let settings = Settings {
            broker: venue.broker.clone(),
            trust: None,
            login: (name.to_string(), key.broker_password()),
            client_id: format!("chuhe-{}-{name}", venue.name),
        };
        let row = Row::new(identity, tables.to_vec(), session, time.now());
        let (counts, play, stop) = (counts.clone(), play.clone(), stop.clone());
        drivers.spawn(Driver { row, settings, time, counts, play, stop }.run());
    }
    let (tell, event) = watch::channel(before);
    let looking = tokio::spawn(spectators::look(venue.pages, tell, stop.clone()));
    let watched = usize::from(load.watch).min(venue.tables.len());
    for (table, _) in venue.tables.iter().step_by(venue.tables.len().div_ceil(watched.max(1))).take(watched) {
        let (event, counts, stop) = (event.clone(), counts.clone(), stop.clone());
        tokio::spawn(spectators::watch(venue.pages, *table, time, event, counts, stop));
    }

    let counted = measure(load, &counts, event.clone(), pid).await;
    play.cancel();
    let begin = Instant::now();
    while waiting(&counts) > 0 && begin.elapsed() < SETTLE {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let after = spectators::standing(venue.pages).await;
    let stored = spectators::stored(venue.pages).await;
    stop.cancel();
    let left: u64 = drivers.join_all().await.into_iter().sum();
    let _ended = looking.await;
    let (figures, ended_by) = counted?;
    let whole = Whole {
        sent: Counts::get(&counts.kept),
        stored: stored? - stored_before,
        left,
        plies: after?.plies - before.plies,
        ended_by,
    };
    Ok(verdict(load, venue, &figures, &whole))
}

/// Observations that are not acknowledged.
fn waiting(counts: &Counts) -> u64 {
    Counts::get(&counts.kept).saturating_sub(Counts::get(&counts.acknowledged))
}

/// Why the measurement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndedBy {
    Time,
    TheEvent,
    Signal,
}

/// Waits for the round, warms up, and counts interval by interval.
async fn measure(
    load: &Load,
    counts: &Counts,
    mut event: watch::Receiver<Standing>,
    pid: Option<u32>,
) -> anyhow::Result<(Figures, EndedBy)> {
    let playing = tokio::time::timeout(ROUND, event.wait_for(|event| event.playing || event.finished));
    let began =
        *playing.await.context("no round begins: start one at the desk, or let the event be automatic")??;
    if began.finished {
        bail!("the event is over: begin with a fresh data folder");
    }
    tokio::time::sleep(Duration::from_secs_f64(load.warm_up)).await;
    let _warm = counts.take_delays();
    let measure = || pid.map(usage).transpose();
    let mut figures = Figures::default();
    let begin = Instant::now();
    let whole = Duration::from_secs_f64(load.minutes * 60.0);
    let mut since = (Instant::now(), measure()?, usage(std::process::id())?, numbers(counts));
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        let left = whole.saturating_sub(begin.elapsed());
        let ended = tokio::select! {
            () = tokio::time::sleep(left.min(Duration::from_secs_f64(load.every))) => None,
            _ = event.wait_for(|event| event.finished) => Some(EndedBy::TheEvent),
            _ = &mut interrupted => Some(EndedBy::Signal),
        };
        let now = (Instant::now(), measure()?, usage(std::process::id())?, numbers(counts));
        let more = |at: usize| now.3[at] - since.3[at];
        let interval = Interval {
            long: now.0 - since.0,
            kept: more(0),
            acknowledged: more(1),
            resent: more(2),
            broken: more(3),
            games: more(4),
            backlog: waiting(counts),
            delays: counts.take_delays(),
            server: now.1.zip(since.1).map(|(now, before)| Usage { cpu: now.cpu - before.cpu, ..now }),
            own: now.2.cpu - since.2.cpu,
        };
        eprintln!("{:>5.0} s: {interval}", begin.elapsed().as_secs_f64());
        figures.push(interval);
        since = now;
        let ended = ended.or((begin.elapsed() >= whole).then_some(EndedBy::Time));
        if let Some(ended) = ended {
            return Ok((figures, ended));
        }
    }
}

fn numbers(counts: &Counts) -> [u64; 5] {
    [&counts.kept, &counts.acknowledged, &counts.resent, &counts.broken, &counts.games].map(Counts::get)
}

/// What became of the whole run, its warm-up included.
struct Whole {
    sent: u64,
    stored: u64,
    /// Not acknowledged in the end.
    left: u64,
    plies: u64,
    ended_by: EndedBy,
}

fn verdict(load: &Load, venue: &Venue, figures: &Figures, whole: &Whole) -> Measured {
    let Whole { sent, stored, left, plies, ended_by } = *whole;
    let mut json = figures.json();
    let ended_by = match ended_by {
        EndedBy::Time => "time",
        EndedBy::TheEvent => "the event",
        EndedBy::Signal => "signal",
    };
    json["tables"] = json!(venue.tables.len());
    json["gateways"] = json!(venue.gateways.len());
    json["speed"] = json!(venue.clock.speed);
    json["load_average"] = json!(load_average());
    json["whole_run"] = json!({
        "sent": sent, "stored": stored, "not_acknowledged": left, "plies": plies, "ended_by": ended_by,
    });
    let mut failed = Vec::new();
    if left > 0 {
        failed
            .push(format!("{left} of {sent} records were not acknowledged within {SETTLE:?} after the end"));
    } else if stored != sent {
        failed.push(format!("{sent} records were sent, {stored} are stored"));
    }
    if load.steady {
        failed.extend(figures.unsteady().iter().map(ToString::to_string));
    }
    Measured { json, failed }
}
