//! The program; see the library beside it.

mod measure;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use capture::log::Log;
use clap::{Parser, Subcommand};
use firmware_proto::{BootId, Epoch, SensingKind, VenueClock};
use measure::{Measure, measure};
use simulator::emulator::Emulation;
use simulator::games::Source;
use simulator::load::{self, Load, Measured, Rehearsal};
use simulator::pty::{self, Accident, Accidents, PtyConfig};
use simulator::replay::{self, Replay, Scene};
use simulator::{Noise, PlayedGame, Venue};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Virtual tables of a Chuhe venue.
#[derive(Parser)]
#[command(name = "chuhe-sim", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures the tracker on noisy games: hands, device code and tracker in virtual time.
    Capture(Measure),
    /// Follows a recorded log again and tells what was seen, what the tracker believed and why it decided.
    Replay {
        /// The log.
        file: PathBuf,
        /// Draws the whole of it as a page, too.
        #[arg(long)]
        html: Option<PathBuf>,
        /// Tells every scene; without it those with more in them than a ply that was played, read and completed.
        #[arg(long)]
        all: bool,
        /// From the scene of this ply on.
        #[arg(long, default_value_t = 0)]
        from: u16,
        /// Up to the scene of this ply.
        #[arg(long, default_value_t = u16::MAX)]
        to: u16,
    },
    /// Writes the configuration of a rehearsal (chuhe.toml) to stdout: virtual tables, gateways with new keys, an event that
    /// runs by itself.
    Venue(Rehearsal),
    /// Drives a running server over MQTT with virtual tables, as many gateways and at the pace that its configuration says,
    /// and measures it: figures as one JSON object on stdout, a line now and then on stderr. Exit status 1: records are
    /// missing, or --steady is not kept.
    Load(Load),
    /// Runs virtual tables behind pseudo-terminals until it is told to stop (SIGINT, SIGTERM). SIGUSR1 pulls all
    /// cables and plugs them in again; so do lines on stdin: `pull`, or `pull 3` for one table. With --emulator also
    /// `reset` (as soon as a piece is lifted), `cut` (the power goes then, and comes back a second later), `cut 3 40` (once 40 more bytes are in the flash), `go-on` (hands go on after a power cut).
    Tables {
        /// How many.
        #[arg(long, default_value_t = 8)]
        tables: u16,
        /// The number of the first.
        #[arg(long, default_value_t = 1)]
        first: u16,
        /// Where the ports are named: DIR/table-01-board, DIR/table-01-clock, ...
        #[arg(long)]
        dir: PathBuf,
        /// The seed of hands and games.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The noise profile.
        #[arg(long, default_value = "N1")]
        noise: String,
        /// What the boards sense.
        #[arg(long, default_value = "colour")]
        sensing: String,
        /// Games to play: a table or a file of any known format; without it the small player makes them up.
        #[arg(long)]
        games: Option<PathBuf>,
        /// Venue milliseconds per wall millisecond.
        #[arg(long, default_value_t = 1.0)]
        speed: f64,
        /// Where venue and wall time agree, ms since 1970; the same for every process of a venue.
        #[arg(long, default_value_t = 0)]
        origin: i64,
        /// The devices' start count; by default the wall time in seconds, so that it grows from run to run.
        #[arg(long)]
        boot: Option<u32>,
        /// Board and clock of a table on one controller.
        #[arg(long)]
        combined: bool,
        /// Median of the think time, s, if it is not to be the profile's.
        #[arg(long)]
        think: Option<f64>,
        /// The emulator's main.mjs: real firmware speaks on the ports, on emulated controllers.
        #[arg(long, requires = "firmware")]
        emulator: Option<PathBuf>,
        /// Emulated controllers with board and clock share one line (RS-485): DIR/line.
        #[arg(long, requires = "emulator")]
        shared: bool,
        /// The folder with the firmware's ELF files, for --emulator.
        #[arg(long)]
        firmware: Option<PathBuf>,
        /// Where each game that has ended is appended as a line of JSON.
        #[arg(long)]
        truth: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("chuhe-sim: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Capture(asked) => measure(&asked).map(|()| ExitCode::SUCCESS),
        Command::Venue(rehearsal) => say(&rehearsal.write(wall())?).map(|()| ExitCode::SUCCESS),
        Command::Load(load) => drive(&load),
        Command::Replay { file, html, all, from, to } => {
            let text =
                std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let log = Log::read(&text).with_context(|| format!("in {}", file.display()))?;
            let followed = Replay::of(&log);
            let shown = |scene: &Scene| {
                (from..=to).contains(&scene.plies) && (all || scene.is_notable() || from > 0 || to < u16::MAX)
            };
            say(&replay::draw(&followed, shown))?;
            if let Some(html) = html {
                std::fs::write(&html, replay::page(&followed))
                    .with_context(|| format!("cannot write {}", html.display()))?;
                eprintln!("drawn in {}", html.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Tables {
            tables,
            first,
            dir,
            seed,
            noise,
            sensing,
            games,
            speed,
            origin,
            boot,
            combined,
            think,
            emulator,
            shared,
            firmware,
            truth,
        } => {
            let clock = VenueClock { origin: Epoch(origin), speed };
            if !clock.is_sane() {
                bail!("--speed {speed}: must be a number above 0");
            }
            if tables == 0 {
                bail!("--tables 0: at least one");
            }
            let boot = boot.unwrap_or_else(|| {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
            });
            let noise = noise_named(&noise)?;
            let venue = Venue {
                tables,
                first,
                seed,
                noise: Noise { think: think.unwrap_or(noise.think), ..noise },
                sensing: sensing_named(&sensing)?,
                combined,
                boot: BootId(boot),
                speed,
                games: Arc::new(Source::open(games.as_deref())?),
            };
            let emulation = emulator.zip(firmware).map(|(program, firmware)| Emulation {
                program,
                firmware,
                flash: dir.clone(),
            });
            let config = PtyConfig { tables: venue.tables(), dir, clock };
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().context("no runtime")?;
            runtime.block_on(serve_tables(config, emulation, shared, truth)).map(|()| ExitCode::SUCCESS)
        }
    }
}

/// Drives a server and tells what came of it.
fn drive(load: &Load) -> anyhow::Result<ExitCode> {
    gateway::log_to_stderr("warn");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no runtime")?;
    let Measured { json, failed } = runtime.block_on(load::run(load))?;
    say(&format!("{json}\n"))?;
    for why in &failed {
        eprintln!("chuhe-sim: {why}");
    }
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Wall time now.
fn wall() -> Epoch {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Epoch(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Writes to stdout; who has read enough has closed it.
fn say(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context("cannot write"),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The tables as a process of their own.
async fn serve_tables(
    config: PtyConfig,
    emulation: Option<Emulation>,
    shared: bool,
    truth: Option<PathBuf>,
) -> anyhow::Result<()> {
    let mut file = match &truth {
        None => None,
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path);
            Some(file.with_context(|| format!("cannot open {}", path.display()))?)
        }
    };
    let shutdown = CancellationToken::new();
    let (sender, mut played) = mpsc::unbounded_channel::<PlayedGame>();
    let ports = match emulation {
        Some(emulation) if shared => pty::open_shared(config, emulation)?,
        Some(emulation) => pty::open(config)?.emulated(emulation),
        None => pty::open(config)?,
    };
    eprintln!(
        "{} ports in {}",
        ports.names().len(),
        ports.names()[0].path.parent().unwrap_or(Path::new(".")).display()
    );
    let accidents = ports.accidents();
    let told = accidents.clone();
    std::thread::spawn(move || listen(&told));
    let running = tokio::spawn(ports.run(shutdown.clone(), sender));
    let mut pull = signal(SignalKind::user_defined1()).context("cannot listen for SIGUSR1")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    loop {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => shutdown.cancel(),
            _ = terminate.recv() => shutdown.cancel(),
            _ = pull.recv() => accidents.pull_cables(),
            game = played.recv() => {
                let Some(game) = game else { break };
                let line = serde_json::to_string(&game).context("a game as JSON")?;
                match &mut file {
                    // One write a line: a reader never sees half a game.
                    Some(file) => file.write_all(format!("{line}\n").as_bytes()).context("cannot write the truth")?,
                    None => println!("{line}"),
                }
            }
        }
    }
    let totals = running.await.context("the tables failed")??;
    eprintln!("{} records made", totals.records);
    Ok(())
}

/// Lets happen what is said on stdin, a line each.
fn listen(accidents: &Accidents) {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        match line.parse::<Accident>() {
            Ok(accident) => accidents.happen(accident),
            Err(error) => eprintln!("chuhe-sim: {error:#}"),
        }
    }
}

fn noise_named(name: &str) -> anyhow::Result<Noise> {
    Noise::named(name).with_context(|| unknown_noise(name))
}

fn unknown_noise(name: &str) -> String {
    format!("--noise {name}: known profiles are {}", Noise::NAMES.join(", "))
}

fn sensing_named(name: &str) -> anyhow::Result<SensingKind> {
    Ok(match name {
        "occupancy" => SensingKind::Occupancy,
        "colour" => SensingKind::Colour,
        "type" => SensingKind::Type,
        "identity" => SensingKind::Identity,
        _ => bail!("--sensing {name}: known kinds are occupancy, colour, type, identity"),
    })
}
