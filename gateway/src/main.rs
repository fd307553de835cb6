//! `chuhe-gateway --config gateway.toml`: a gateway on a real box.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand};
use gateway::enrol::enrol;
use gateway::{Config, PortReport, Token};
use serde_json::json;

/// Serial ports to a durable store to the server's broker, and commands back.
#[derive(Parser)]
#[command(name = "chuhe-gateway", version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Its configuration.
    #[arg(long, env = "CHUHE_GATEWAY_CONFIG", default_value = "/etc/chuhe/gateway.toml")]
    config: PathBuf,
    /// Ask who hangs on which port, print one JSON object a line, and end.
    #[arg(long)]
    list: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Enrols this box with a one-time token from `chuhe gateway add`, and writes its configuration.
    Enrol {
        /// The server's address and port for https, for example 192.168.1.2:8443.
        #[arg(long)]
        server: String,
        /// The token.
        #[arg(long)]
        token: Token,
        /// The configuration to write; it must not be there yet.
        #[arg(long, env = "CHUHE_GATEWAY_CONFIG", default_value = "/etc/chuhe/gateway.toml")]
        config: PathBuf,
        /// Where what is not yet with the server is kept.
        #[arg(long, default_value = "/var/lib/chuhe-gateway")]
        store: PathBuf,
        /// Serial ports; * in the file name only.
        #[arg(long, default_values = ["/dev/ttyACM*"])]
        ports: Vec<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    if let Some(Command::Enrol { server, token, config, store, ports }) = arguments.command {
        let enrolled = tokio::runtime::Runtime::new()
            .context("no runtime")
            .and_then(|runtime| Ok(runtime.block_on(enrol(&server, &token, &config, &store, &ports))?));
        return match enrolled {
            Ok(()) => {
                eprintln!("chuhe-gateway: enrolled as {}; {} is written", token.gateway, config.display());
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("chuhe-gateway: {error:#}");
                ExitCode::FAILURE
            }
        };
    }
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
        let reports = runtime.block_on(gateway::list(&config));
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
    for report in reports {
        let PortReport { port, device } = report;
        let status = report.light().to_string();
        let line = match device {
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
        };
        writeln!(out, "{line}").context("standard output")?;
    }
    let sound = !reports.is_empty() && reports.iter().all(|report| report.device.is_ok());
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
