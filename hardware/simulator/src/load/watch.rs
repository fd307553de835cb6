//! Spectators: a stream of server-sent events a table, and how long after a press the clock there shows it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::counts::Counts;
use super::drive::Time;

/// The event is asked so often how it stands.
const LOOK: Duration = Duration::from_secs(1);

/// An answer is waited for so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the event stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// The round, and whether it is being played.
    pub(super) round: u16,
    pub(super) playing: bool,
    pub(super) finished: bool,
    /// Plies that were read.
    pub(super) plies: u64,
}

/// The body of a page that answers with 200.
pub(super) async fn get(pages: SocketAddr, path: &str) -> anyhow::Result<String> {
    let asking = async {
        let mut stream = TcpStream::connect(pages).await?;
        stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {pages}\r\n\r\n").as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        std::io::Result::Ok(answer)
    };
    let what = || format!("http://{pages}{path}");
    let answer = tokio::time::timeout(PATIENCE, asking).await.with_context(what)?.with_context(what)?;
    let (head, body) = answer.split_once("\r\n\r\n").with_context(what)?;
    match head.split_whitespace().nth(1) {
        Some("200") => Ok(body.to_owned()),
        status => bail!("{} answers {}", what(), status.unwrap_or("nothing")),
    }
}

/// How the event stands.
pub(super) async fn standing(pages: SocketAddr) -> anyhow::Result<Standing> {
    let event: Value = serde_json::from_str(&get(pages, "/api/v1/event").await?)?;
    let number = |field: &str| event.pointer(field).and_then(Value::as_u64).unwrap_or_default();
    let is = |field: &str| event.pointer(field).and_then(Value::as_bool).unwrap_or_default();
    Ok(Standing {
        round: u16::try_from(number("/round")).unwrap_or_default(),
        playing: is("/playing"),
        finished: is("/finished"),
        plies: number("/venue/plies"),
    })
}

/// How many observations the server has stored, ever.
pub(super) async fn stored(pages: SocketAddr) -> anyhow::Result<u64> {
    let counters = get(pages, "/metrics").await?;
    let stored = counters.lines().find_map(|line| line.strip_prefix("chuhe_observations_total "));
    stored.and_then(|count| count.parse().ok()).context("/metrics tells no chuhe_observations_total")
}

/// Asks again and again how the event stands, until `stop`.
pub(super) async fn look(pages: SocketAddr, tell: watch::Sender<Standing>, stop: CancellationToken) {
    loop {
        match standing(pages).await {
            Ok(standing) => drop(tell.send_replace(standing)),
            Err(error) => tracing::warn!("{error:#}"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Watches a table in every round, until `stop`.
pub(super) async fn watch(
    pages: SocketAddr,
    table: u16,
    time: Time,
    mut event: watch::Receiver<Standing>,
    counts: Arc<Counts>,
    stop: CancellationToken,
) {
    let mut round = 0;
    loop {
        let next = event.wait_for(|event| event.round > round && event.playing);
        tokio::select! {
            () = stop.cancelled() => return,
            now = next => match now {
                Ok(now) => round = now.round,
                Err(_) => return,
            },
        }
        let mut over = event.clone();
        tokio::select! {
            () = stop.cancelled() => return,
            Err(error) = follow(pages, round, table, time, &counts) => tracing::warn!(round, table, "{error:#}"),
            // It is over when the next one is there.
            _ = over.wait_for(|event| event.round > round) => {}
        }
    }
}

/// Counts the delay of each press that a table's stream shows.
async fn follow(
    pages: SocketAddr,
    round: u16,
    table: u16,
    time: Time,
    counts: &Counts,
) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(pages).await?;
    let ask = format!("GET /events?topic=game:{round}:{table} HTTP/1.1\r\nHost: {pages}\r\n\r\n");
    stream.write_all(ask.as_bytes()).await?;
    let mut lines = BufReader::new(stream).lines();
    let mut before: Option<Value> = None;
    while let Some(line) = lines.next_line().await? {
        let Some(data) = line.strip_prefix("data:") else { continue };
        let Ok(frame) = serde_json::from_str::<Value>(data) else { continue };
        let (Some(at), Some(runs)) =
            (frame.pointer("/k/at").and_then(Value::as_i64), frame.pointer("/k/run"))
        else {
            continue;
        };
        // The side whose time runs has changed: a press. The first frame shows only what was.
        if before.as_ref().is_some_and(|before| before != runs) && !runs.is_null() {
            let venue = time.now().venue.0 - at;
            counts.published(Duration::from_secs_f64(venue.max(0) as f64 / 1_000.0 / time.clock.speed));
        }
        before = Some(runs.clone());
    }
    bail!("the stream ended")
}
