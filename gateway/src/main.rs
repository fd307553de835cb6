//! `chuhe-gateway --config gateway.toml`: a gateway on a real box.

mod terminal;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand};
use firmware_proto::DeviceUid;
use gateway::enrol::enrol;
use gateway::{Config, ConfigError, Token};

/// Serial ports to a durable store to the server's broker, and commands back.
#[derive(Parser)]
#[command(name = "chuhe-gateway", version)]
struct Arguments {
    /// Without one it is the gateway, until SIGTERM or Ctrl-C.
    #[command(subcommand)]
    command: Option<Command>,
    /// Its configuration; `enrol` writes it.
    #[arg(long, global = true, env = "CHUHE_GATEWAY_CONFIG", default_value = "/etc/chuhe/gateway.toml")]
    config: PathBuf,
}

#[derive(Subcommand)]
enum Command {
    /// Shows who hangs on which port, and how it is: one JSON object a line. The running gateway is asked, or the ports
    /// themselves if none runs.
    List,
    /// Has the running gateway give devices another firmware, and shows how far each is. Ctrl-C ends it and leaves every
    /// device whole.
    Update {
        /// A firmware file, as it comes with a release.
        file: PathBuf,
        /// The numbers of the devices; without any: all that the firmware is made for.
        devices: Vec<DeviceUid>,
    },
    /// Enrols this box with a one-time token from `chuhe gateway add`, and writes its configuration.
    Enrol {
        /// The server's address and port for https, for example 192.168.1.2:8443.
        #[arg(long)]
        server: String,
        /// The token.
        #[arg(long)]
        token: Token,
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
    gateway::log_to_stderr("info");
    match work(arguments) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("chuhe-gateway: {error:#}");
            let of_config = error.downcast_ref::<ConfigError>().is_some();
            if of_config { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

fn work(Arguments { command, config: path }: Arguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new().context("no runtime")?;
    match command {
        Some(Command::Enrol { server, token, store, ports }) => {
            runtime.block_on(enrol(&server, &token, &path, &store, &ports))?;
            eprintln!("chuhe-gateway: enrolled as {}; {} is written", token.gateway, path.display());
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::List) => runtime.block_on(terminal::list(&Config::load(&path)?)),
        Some(Command::Update { file, devices }) => {
            runtime.block_on(terminal::update(&Config::load(&path)?, &file, &devices))
        }
        None => serve(&runtime, Config::load(&path)?),
    }
}

/// The gateway itself.
fn serve(runtime: &tokio::runtime::Runtime, config: Config) -> anyhow::Result<ExitCode> {
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
