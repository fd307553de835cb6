//! `chuhe-gateway --config gateway.toml`: a gateway on a real box.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use gateway::{Config, PortReport};
use serde_json::json;

/// Serial ports to a durable store to the server's broker, and commands back.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Its configuration.
    #[arg(long, env = "CHUHE_GATEWAY_CONFIG", default_value = "/etc/chuhe/gateway.toml")]
    config: PathBuf,
    /// Ask who hangs on which port, print one JSON object a line, and end.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let config = match Config::load(&arguments.config) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("chuhe-gateway: {error}");
            return ExitCode::from(2);
        }
    };
    match work(config, arguments.list) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("chuhe-gateway: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn work(config: Config, list: bool) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new().context("no runtime")?;
    if list {
        let reports = runtime.block_on(gateway::list(&config.ports));
        return print(&reports);
    }
    let terminate = {
        let _inside = runtime.enter();
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    };
    let mut terminate = terminate.context("cannot listen for SIGTERM")?;
    let shutdown = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    };
    runtime.block_on(gateway::run(config, shutdown))?;
    Ok(ExitCode::SUCCESS)
}

/// One object a line; done if every port has a device of ours.
fn print(reports: &[PortReport]) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    for PortReport { path, device } in reports {
        let line = match device {
            Ok(hello) => json!({
                "port": path,
                "uid": hello.uid.to_string(),
                "board": hello.capabilities.board.map(|kind| format!("{kind:?}").to_lowercase()),
                "clock": hello.capabilities.clock,
                "firmware": hello.firmware,
                "hardware": hello.hardware,
                "boot": hello.boot.0,
                "backlog": hello.next.0 - hello.oldest.0.min(hello.next.0),
                "overflowed": hello.overflowed,
            }),
            Err(reason) => json!({ "port": path, "error": reason }),
        };
        writeln!(out, "{line}").context("standard output")?;
    }
    let sound = !reports.is_empty() && reports.iter().all(|report| report.device.is_ok());
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
