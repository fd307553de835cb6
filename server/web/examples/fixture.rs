//! Serves the pages with a made-up event, so that they can be looked at without a venue:
//! `cargo run -p web --example fixture -- [--listen 127.0.0.1:8090] [--tables 30] [--every 1500] [--speed 1] [--boot 1]`.
//! Every `every` milliseconds a move is made at a table, in turn; 0: nothing moves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hall::view::Epoch;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tournament::{RoundNo, TableNo};
use web::{Accounts, ActRequest, AppState, Evaluation, Hub, Questions, serve};

#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod fixture;

fn option(name: &str, default: &str) -> String {
    let args: Vec<String> = std::env::args().collect();
    let at = args.iter().position(|arg| arg == name);
    at.and_then(|at| args.get(at + 1)).cloned().unwrap_or_else(|| default.to_owned())
}

fn number(name: &str, default: u64) -> u64 {
    option(name, &default.to_string()).parse().unwrap_or(default)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let started = Instant::now();
    let speed = number("--speed", 1);
    // The fixture's venue woke up as its newest alert was raised.
    let now = move || {
        let ran = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
        Epoch(fixture::BEGAN.0 + 2_300_000 + ran * i64::try_from(speed).unwrap_or(1))
    };
    let hub = Hub::new(number("--boot", 1), Arc::new(now), speed as f64);
    let tables = u16::try_from(number("--tables", 30)).unwrap_or(30);
    fixture::publish(&hub, tables);
    fixture::wake(&hub, tables);
    // An engine's graph to look at: of round 1's game at table 3, which is over.
    let scores = (0..107).map(|ply| Some(((f64::from(ply) / 9.0).sin() * f64::from(ply) * 9.0) as i16));
    hub.public().evaluate(
        RoundNo(1),
        TableNo(3),
        Evaluation { by: "made up".into(), ms_a_ply: 200, plies: scores.collect() },
    );

    let shutdown = CancellationToken::new();
    let (acts, mut asked) = mpsc::channel::<ActRequest>(16);
    let alerts = hub.clone();
    tokio::spawn(async move {
        while let Some(request) = asked.recv().await {
            println!("{:?} by {:?}", request.acts, request.by);
            for act in &request.acts {
                fixture::obey(&alerts, act);
            }
            // The asker may have gone away.
            let _ = request.answer.send(Ok(()));
        }
    });
    let every = number("--every", 1500);
    let moving = hub.clone();
    tokio::spawn(async move {
        for table in (1..=tables).cycle() {
            if every == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(every)).await;
            // Table 3 is the one that people look at.
            fixture::advance(&moving, TableNo(if table % 3 == 0 { 3 } else { table }));
        }
    });
    let stop = shutdown.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
    let listener = tokio::net::TcpListener::bind(option("--listen", "127.0.0.1:8090")).await?;
    println!("http://{}", listener.local_addr()?);
    let mut state = AppState::new(hub, shutdown, acts);
    state.accounts = Accounts::unkept(Vec::new(), true);
    let (ask, mut asked_for) = mpsc::channel(16);
    state.questions = Questions::to(ask);
    let answers = state.hub.clone();
    tokio::spawn(async move {
        while let Some(question) = asked_for.recv().await {
            fixture::tell(&answers, question);
        }
    });
    serve(listener, state).await
}
