//! `chuhe convert`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use xiangqi::files::{ConvertError, Encoding, To, convert};

use super::{Ended, Failure};

/// Converts a game file; format and encoding of what is read are found out. Writes to stdout.
#[derive(Debug, Args)]
pub(super) struct Convert {
    /// The format to write.
    #[arg(long, value_enum)]
    to: Format,
    /// The encoding to write: utf-8 or gbk.
    #[arg(long, default_value = "utf-8")]
    encoding: Encoding,
    /// The file to read.
    file: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Pgn,
    Dhtmlxq,
    Xqf,
    Uci,
}

impl Convert {
    pub(super) fn run(self) -> Ended {
        let file = self.file.display().to_string();
        let bytes = std::fs::read(&self.file)
            .with_context(|| format!("cannot read {file}"))
            .map_err(Failure::BadInput)?;
        let to = match self.to {
            Format::Pgn => To::Pgn,
            Format::Dhtmlxq => To::DhtmlXq,
            Format::Xqf => To::Xqf,
            Format::Uci => To::Uci,
        };
        let (output, bad) = match convert(&bytes, to, self.encoding) {
            Ok(output) => (output, None),
            // What could be read is written all the same; the rest is named, and the status tells.
            Err(ConvertError::Read { errors, output }) => {
                let lines: Vec<String> = errors.iter().map(|error| format!("{file}: {error}")).collect();
                (output, Some(lines.join("\n")))
            }
            Err(error) => return Err(Failure::input(format!("{file}: {error}"))),
        };
        std::io::stdout().write_all(&output).context("stdout")?;
        bad.map_or(Ok(()), |bad| Err(Failure::input(bad)))
    }
}
