//! The engine's process: started, asked one position after the other, ended with its owner.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::uci;

/// How long it may take to answer beyond its thinking time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no score.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It cannot be started.
    #[error("the engine {path} cannot be started: {why}")]
    Start {
        /// Which program.
        path: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// It ended, or closed its output.
    #[error("the engine ended")]
    Ended,
    /// It does not read.
    #[error("the engine does not listen: {0}")]
    Deaf(#[from] std::io::Error),
    /// It took too long.
    #[error("the engine did not answer “{0}” in time")]
    Late(String),
}

/// A running engine. Dropped, it is killed.
#[derive(Debug)]
pub struct Engine {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    name: String,
}

impl Engine {
    /// Starts it, and asks for xiangqi if it plays other games too.
    ///
    /// # Errors
    /// It cannot be started, or speaks no UCI.
    pub async fn start(path: &Path, args: &[String]) -> Result<Engine, EngineError> {
        let start = |why| EngineError::Start { path: path.display().to_string(), why };
        let mut child = Command::new(path)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(start)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(EngineError::Ended);
        };
        let output = BufReader::new(output).lines();
        let mut engine = Engine { _child: child, input, output, name: String::new() };
        let (mut name, mut variants) = (path.display().to_string(), false);
        engine
            .ask("uci", "uciok", Duration::ZERO, |line| {
                variants |= uci::offers_xiangqi(line);
                if let Some(given) = uci::name(line) {
                    name = given.to_owned();
                }
            })
            .await?;
        engine.name = name;
        if variants {
            engine.say("setoption name UCI_Variant value xiangqi").await?;
        }
        engine.ask("isready", "readyok", Duration::ZERO, |_| {}).await?;
        Ok(engine)
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The score of a position for the side to move; `None` if it gives none.
    ///
    /// # Errors
    /// It ended or is late.
    pub async fn score(&mut self, fen: &str, ms: u32) -> Result<Option<i16>, EngineError> {
        self.say(&format!("position fen {fen}")).await?;
        let mut last = None;
        let time = Duration::from_millis(u64::from(ms));
        self.ask(&format!("go movetime {ms}"), "bestmove", time, |line| last = uci::score(line).or(last))
            .await?;
        Ok(last)
    }

    async fn say(&mut self, line: &str) -> Result<(), EngineError> {
        self.input.write_all(format!("{line}\n").as_bytes()).await?;
        Ok(self.input.flush().await?)
    }

    /// Says something and hears what comes until a line that begins so.
    async fn ask(
        &mut self,
        line: &str,
        end: &str,
        thinking: Duration,
        mut hears: impl FnMut(&str),
    ) -> Result<(), EngineError> {
        self.say(line).await?;
        let answer = async {
            while let Some(line) = self.output.next_line().await? {
                if line.starts_with(end) {
                    return Ok(());
                }
                hears(&line);
            }
            Err(EngineError::Ended)
        };
        timeout(PATIENCE + thinking, answer).await.map_err(|_| EngineError::Late(line.to_owned()))?
    }
}
