//! From a press of a clock's lever to the event in a spectator's stream: a whole venue of 200 tables at the pace of
//! life (devices, pseudo-terminals, gateways, broker, database, pages, all in this process), every stage durable, one
//! stream a table.
//!
//! `cargo bench -p chuhe --bench latency [-- TABLES [SECONDS]]`

#![allow(clippy::unwrap_used)] // A bench may fall over.

use std::time::{Duration, Instant};

use chuhe::demo::{Settings, Venue, new_keys};
use chuhe::time;
use simulator::games::Source;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// Follows one table: venue milliseconds from each press to its frame.
async fn follow(address: std::net::SocketAddr, table: u16, tell: mpsc::UnboundedSender<i64>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let ask = format!("GET /events?topic=game:1:{table} HTTP/1.1\r\nHost: bench\r\n\r\n");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut running = None;
    while let Ok(Some(line)) = lines.next_line().await {
        let now = time::wall();
        let Some(frame) = line.strip_prefix("data: ").or_else(|| line.strip_prefix("data:")) else {
            continue;
        };
        let Ok(frame) = serde_json::from_str::<serde_json::Value>(frame) else { continue };
        let (Some(at), Some(runs)) =
            (frame.pointer("/k/at").and_then(|at| at.as_i64()), frame.pointer("/k/run"))
        else {
            continue;
        };
        // The side whose time runs has changed: a press. The first frame shows only what was.
        if running.as_ref().is_some_and(|before| before != runs) && !runs.is_null() {
            tell.send(now.0 - at).unwrap();
        }
        running = Some(runs.clone());
    }
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let tables = numbers.next().unwrap_or(200) as u16;
    let seconds = numbers.next().unwrap_or(60);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            tables,
            rounds: 1,
            speed: 1.0,
            origin: time::wall(),
            seed: 1,
            noise: "N1".into(),
            sensing: "colour".into(),
            regulation: "a".into(),
            keys: new_keys(tables).unwrap(),
        };
        let listen = "127.0.0.1:0".parse().unwrap();
        let venue = Venue::start(settings, Source::Player, listen, folder.path(), None).await.unwrap();
        let (tell, mut told) = mpsc::unbounded_channel();
        let playing = async {
            venue.play().await.unwrap();
        };
        let measuring = async {
            // Tables are set up and the first moves made.
            tokio::time::sleep(Duration::from_secs(20)).await;
            for table in 1..=tables {
                tokio::spawn(follow(venue.server.address, table, tell.clone()));
            }
            let before = venue.server.tally().observations;
            let begin = Instant::now();
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            let stored = venue.server.tally().observations - before;
            stored as f64 / begin.elapsed().as_secs_f64()
        };
        let stored = tokio::select! {
            measured = measuring => measured,
            () = playing => panic!("the round was over before the measurement"),
        };
        let mut samples: Vec<i64> = std::iter::from_fn(|| told.try_recv().ok()).collect();
        samples.sort_unstable();
        assert!(!samples.is_empty(), "no press was seen");
        let quantile = |of: f64| samples[((samples.len() - 1) as f64 * of) as usize];
        println!(
            "{}",
            serde_json::json!({
                "tables": tables, "presses": samples.len(), "records_per_second": stored.round(),
                "p50_ms": quantile(0.5), "p90_ms": quantile(0.9), "p99_ms": quantile(0.99), "max_ms": quantile(1.0),
            })
        );
        venue.stop().await.unwrap();
    });
}
