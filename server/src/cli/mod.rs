//! The command line. Output for machines is JSON, one object a line, on stdout; logs go to stderr. Exit status: 0
//! done, 1 the check failed, 2 bad input, with a message that names the field, line or argument.

mod account;
mod demo;
mod doctor;
mod files;
mod game_log;
mod gateway;
mod keeping;
mod node;
mod place;
mod rules;
mod serve;
mod tournament;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tokio_util::sync::CancellationToken;

/// Chuhe 楚河: records, arbitrates and broadcasts over-the-board Xiangqi events.
#[derive(Debug, Parser)]
#[command(name = "chuhe", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Without a command the demo runs.
    #[command(flatten)]
    demo: demo::Options,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// A whole venue in one process: broker, store, server, gateways and virtual tables.
    Demo(demo::Options),
    /// The server of a real venue.
    Serve(place::Place),
    /// Serves spectators from the broker alone, without the database, beside a server that owns the event.
    Node(node::Options),
    /// Who may sign in.
    Account(account::Options),
    /// Who may bring observations; also while the server runs.
    Gateway(gateway::Options),
    /// Copies the event's database, also while the server runs.
    Backup(keeping::Backup),
    /// Brings a copy back; what was there is kept beside it.
    Restore(keeping::Restore),
    /// Prints the signed head of the journal for each round that is over.
    Release(keeping::Publish),
    /// Checks the journal's chain of hashes, and releases against it.
    Verify(keeping::Verify),
    /// Prints what was recorded of one game, to be followed again offline.
    Log(game_log::Options),
    /// Looks a venue over and says what to do.
    Doctor(doctor::Options),
    /// Counts the positions after so many plies.
    Perft(rules::Perft),
    /// Judges a repetition.
    Judge(rules::Judge),
    /// Writes moves in another notation.
    Notation(rules::Transcribe),
    /// Converts a game file.
    Convert(files::Convert),
    /// Pairs the next round of an event.
    Pair(tournament::Pair),
    /// Ranks an event.
    Standings(tournament::Standings),
}

/// How a command ends, if not well.
#[derive(Debug)]
pub enum Failure {
    /// The check failed, or the work could not be done: status 1.
    Failed(anyhow::Error),
    /// Bad input: status 2.
    BadInput(anyhow::Error),
}

impl Failure {
    /// Bad input, in words.
    fn input(why: impl std::fmt::Display + std::fmt::Debug + Send + Sync + 'static) -> Failure {
        Failure::BadInput(anyhow::Error::msg(why))
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::Failed(error)
    }
}

/// What a command ends with.
type Ended = Result<(), Failure>;

/// Reads the arguments and does what they say.
#[must_use]
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let ended = match cli.command.unwrap_or(Command::Demo(cli.demo)) {
        Command::Demo(options) => demo::demo(options),
        Command::Serve(place) => serve::serve(&place),
        Command::Node(options) => node::node(&options),
        Command::Account(options) => account::account(options),
        Command::Gateway(options) => gateway::gateway(options),
        Command::Backup(backup) => backup.run(),
        Command::Restore(restore) => restore.run(),
        Command::Release(publish) => publish.run(),
        Command::Verify(verify) => verify.run(),
        Command::Log(options) => options.run(),
        Command::Doctor(options) => doctor::doctor(options),
        Command::Perft(perft) => perft.run(),
        Command::Judge(judge) => judge.run(),
        Command::Notation(transcribe) => transcribe.run(),
        Command::Convert(convert) => convert.run(),
        Command::Pair(pair) => pair.run(),
        Command::Standings(standings) => standings.run(),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Failed(error)) => {
            eprintln!("chuhe: {error:#}");
            ExitCode::from(1)
        }
        Err(Failure::BadInput(error)) => {
            eprintln!("chuhe: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Prints one object as a line on stdout.
fn print(value: &impl serde::Serialize) {
    say(&serde_json::to_string(value).expect("our results have text keys and finite numbers"));
}

/// Prints a line on stdout. A reader that has gone (`| head`) ends the program quietly.
fn say(line: &str) {
    use std::io::Write;
    if writeln!(std::io::stdout(), "{line}").is_err() {
        std::process::exit(0);
    }
}

/// The threads for what has to wait for networks.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Failed(anyhow::Error::new(error).context("cannot start threads")))
}

/// A token that is cancelled when the program is asked to stop. It is heard once for all, so that a signal between two waits
/// is not missed.
fn stop_when_asked() -> CancellationToken {
    let stop = CancellationToken::new();
    let asked = stop.clone();
    tokio::spawn(async move {
        asked_to_stop().await;
        tracing::info!("ending");
        asked.cancel();
    });
    stop
}

/// Waits for Ctrl-C or a service manager's SIGTERM.
async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(error) => {
            tracing::warn!(%error, "SIGTERM will not end this program cleanly");
            // Without a handler for it either, the program runs until it is killed.
            let _caught = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_arguments_and_bare_options_mean_the_demo() {
        assert!(Cli::parse_from(["chuhe"]).command.is_none());
        assert!(Cli::parse_from(["chuhe", "--exit"]).command.is_none());
        assert!(matches!(Cli::parse_from(["chuhe", "demo"]).command, Some(Command::Demo(_))));
    }
}
