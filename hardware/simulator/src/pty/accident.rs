//! What somebody does to running tables.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::sync::mpsc;

/// How long a cable stays out.
const OUTAGE: Duration = Duration::from_millis(700);

/// What somebody does to one table, or to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accident {
    /// To which; `None`: to all.
    pub table: Option<u16>,
    /// What.
    pub what: Happens,
}

/// What happens to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happens {
    /// Its cables are pulled now and plugged in again after this time: the ports close and come back under the same
    /// names, as other pseudo-terminals.
    Pull(Duration),
    /// Its emulated controllers are reset as soon as a piece is lifted.
    Reset,
    /// Their power goes then, and comes back a second later. The hands stand still until [`Happens::GoOn`].
    PowerCut,
    /// The same, each once it has written so many more bytes to its flash.
    PowerCutInWrite(u32),
    /// The hands go on after a power cut.
    GoOn,
}

impl FromStr for Accident {
    type Err = anyhow::Error;

    /// `pull`, `reset`, `cut`, `go-on`, each of all tables or of the one that is named; `cut TABLE BYTES`.
    fn from_str(text: &str) -> anyhow::Result<Accident> {
        let mut words = text.split_whitespace();
        let what = words.next().unwrap_or_default();
        let mut number = || {
            let word = words.next().map(str::parse::<u32>).transpose();
            word.with_context(|| format!("“{text}”: a number was expected"))
        };
        let table = number()?.map(u16::try_from).transpose().context("there is no such table")?;
        let what = match (what, number()?) {
            ("pull", None) => Happens::Pull(OUTAGE),
            ("reset", None) => Happens::Reset,
            ("cut", None) => Happens::PowerCut,
            ("cut", Some(bytes)) => Happens::PowerCutInWrite(bytes),
            ("go-on", None) => Happens::GoOn,
            _ => bail!("“{text}”: known are pull, reset, cut and go-on, with a table's number or without"),
        };
        Ok(Accident { table, what })
    }
}

/// Does things to running tables.
#[derive(Clone, Debug)]
pub struct Accidents(pub(super) mpsc::Sender<Accident>);

impl Accidents {
    /// Lets this happen.
    pub fn happen(&self, accident: Accident) {
        // Tables that have ended need no further word.
        let _ = self.0.try_send(accident);
    }

    /// All cables are pulled.
    pub fn pull_cables(&self) {
        self.happen(Accident { table: None, what: Happens::Pull(OUTAGE) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accidents_are_read_from_words() {
        let read = |text: &str| text.parse::<Accident>().ok();
        let of = |table, what| Some(Accident { table, what });
        assert_eq!(read("pull"), of(None, Happens::Pull(OUTAGE)));
        assert_eq!(read("reset 3"), of(Some(3), Happens::Reset));
        assert_eq!(read("cut 2"), of(Some(2), Happens::PowerCut));
        assert_eq!(read("cut 2 17"), of(Some(2), Happens::PowerCutInWrite(17)));
        assert_eq!(read("go-on 2"), of(Some(2), Happens::GoOn));
        for wrong in ["", "push", "pull a", "pull 1 2", "reset 70000"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
