//! Measures the streams: so many spectators of one board beside so many live tables, in one process with the server.
//! `cargo run --release -p web --example crowd -- [--spectators 1000] [--tables 200] [--rate 10] [--seconds 20]`:
//! `rate` frames a second go to every spectator. Prints one JSON object: latency from the publication of a view to its
//! arrival at a client, and the memory that a connection (both of its ends) takes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hall::view::GameView;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tournament::{RoundNo, TableNo};
use web::{AppState, Hub, Update, serve};

#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the other example uses the rest")]
mod fixture;

fn number(name: &str, default: u64) -> u64 {
    let args: Vec<String> = std::env::args().collect();
    let at = args.iter().position(|arg| arg == name);
    at.and_then(|at| args.get(at + 1)?.parse().ok()).unwrap_or(default)
}

/// Resident memory of this process, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap_or(0)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let (spectators, tables) = (number("--spectators", 1000), number("--tables", 200));
    let (rate, seconds) = (number("--rate", 10), number("--seconds", 20));
    let began = Instant::now();
    let hub = Hub::new(
        1,
        Arc::new(move || fixture::BEGAN.plus(2_300_000 + began.elapsed().as_millis() as i64)),
        1.0,
    );
    let tables = u16::try_from(tables).unwrap_or(200);
    fixture::publish(&hub, tables);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let at = listener.local_addr()?;
    let shutdown = CancellationToken::new();
    let (acts, _asked) = mpsc::channel(1);
    let state = AppState::new(hub.clone(), shutdown.clone(), acts);
    let open = Arc::clone(&state.streams);
    let server = tokio::spawn(serve(listener, state));

    let before = resident();
    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    let after = hub.public().mark();
    for _ in 0..spectators {
        let (mut socket, arrived) = (TcpStream::connect(at).await?, arrived.clone());
        tokio::spawn(async move {
            let ask = format!("GET /events?topic=game:3:3&after={after} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            socket.write_all(ask.as_bytes()).await?;
            let mut lines = BufReader::with_capacity(2048, socket).lines();
            while let Some(line) = lines.next_line().await? {
                let version =
                    line.strip_prefix("data: {\"v\":").and_then(|rest| rest.split(',').next()?.parse().ok());
                if let Some(version) = version {
                    let _gone: Result<(), _> = arrived.send((version, Instant::now()));
                }
            }
            std::io::Result::Ok(())
        });
    }
    drop(arrived);
    while (open.load(Ordering::Relaxed) as u64) < spectators {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let per_connection = (resident().saturating_sub(before)) as f64 / spectators as f64;

    // The other tables live too, each a move every ten seconds.
    let other = hub.clone();
    let moves = tokio::spawn(async move {
        for table in (1..=tables).filter(|table| *table != 3).cycle() {
            tokio::time::sleep(Duration::from_millis(10_000 / u64::from(tables.max(1)))).await;
            fixture::advance(&other, TableNo(table));
        }
    });
    let game = hub.shown().games[&(RoundNo(3), TableNo(3))].clone();
    let frames = rate * seconds;
    let mut sent = Vec::new();
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / rate.max(1)));
    for frame in 0..frames {
        pace.tick().await;
        let quiet_plies = u16::try_from(frame % 80).unwrap_or(0);
        sent.push(Instant::now());
        hub.publish(Update::Game(Arc::new(GameView {
            version: 1_000_000 + frame,
            quiet_plies,
            ..(*game).clone()
        })));
    }
    let mut latencies: Vec<u64> = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(10);
    while (latencies.len() as u64) < frames * spectators {
        let Ok(Some((version, at))) = tokio::time::timeout_at(deadline.into(), arrivals.recv()).await else {
            break;
        };
        let frame: u64 = version;
        latencies.push(at.duration_since(sent[(frame - 1_000_000) as usize]).as_micros() as u64);
    }
    moves.abort();
    shutdown.cancel();
    let _served = server.await;
    latencies.sort_unstable();
    let at = |q: f64| {
        latencies.get(((latencies.len() as f64 * q) as usize).min(latencies.len().saturating_sub(1)))
    };
    let ms = |q: f64| at(q).map_or(0.0, |us| *us as f64 / 1000.0);
    println!(
        "{}",
        serde_json::json!({
            "spectators": spectators, "tables": tables, "frames_per_second": rate, "seconds": seconds,
            "expected": frames * spectators, "delivered": latencies.len(),
            "ms": { "p50": ms(0.5), "p95": ms(0.95), "p99": ms(0.99), "max": ms(1.0) },
            "kib_per_connection": (per_connection * 10.0).round() / 10.0,
        })
    );
    Ok(())
}
