//! `chuhe perft`, `chuhe judge`, `chuhe notation`.

use std::io::BufRead;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use xiangqi::judge::{RuleSet, Rules, cli_line};
use xiangqi::{Move, Notation, Position, notation};

use super::{Ended, Failure, print};

/// Counts the positions after so many plies.
#[derive(Debug, Args)]
pub(super) struct Perft {
    /// The position.
    fen: String,
    /// How many plies.
    depth: u32,
}

impl Perft {
    pub(super) fn run(self) -> Ended {
        let position = Position::from_fen(&self.fen).context("FEN").map_err(Failure::BadInput)?;
        let begin = Instant::now();
        let nodes = xiangqi::perft(&position, self.depth);
        print(&json!({"nodes": nodes, "seconds": begin.elapsed().as_secs_f64()}));
        Ok(())
    }
}

/// Judges a repetition: one case by arguments, or lines `id<TAB>rules<TAB>fen<TAB>moves` on stdin with `-`.
#[derive(Debug, Args)]
pub(super) struct Judge {
    /// The rule book: cn2011, cn2020, wxf2018 or axf.
    #[arg(long, default_value = "cn2020")]
    rules: RuleSet,
    /// The position before the first move.
    #[arg(long, required_unless_present = "moves")]
    fen: Option<String>,
    /// The moves (UCI), or `-`.
    moves: Vec<String>,
}

impl Judge {
    pub(super) fn run(self) -> Ended {
        if self.moves.as_slice() == ["-"] {
            return each_line(|line| {
                let [id, rules, fen, moves] = columns(line, "id, rules, fen and moves")?;
                let rules: RuleSet = rules.parse()?;
                judged(id, rules, fen, moves.split_whitespace())
            });
        }
        let fen =
            self.fen.ok_or_else(|| Failure::input("--fen: the position before the first move is missing"))?;
        let moves = self.moves.iter().flat_map(|argument| argument.split_whitespace());
        print(&judged("", self.rules, &fen, moves).map_err(Failure::BadInput)?);
        Ok(())
    }
}

fn judged<'a>(
    id: &str,
    rules: RuleSet,
    fen: &str,
    moves: impl Iterator<Item = &'a str>,
) -> anyhow::Result<serde_json::Value> {
    let mut position = Position::from_fen(fen)?;
    let mut line: Vec<Move> = Vec::new();
    for (ply, text) in (1..).zip(moves) {
        let mv = match notation::detect(text) {
            Some(known) => notation::parse(known, &position, text),
            None => notation::parse(Notation::Uci, &position, text),
        }
        .with_context(|| format!("move {ply}"))?;
        position = position.play_irregular(mv);
        line.push(mv);
    }
    let judged = cli_line(Rules::from(rules), fen, &line)?;
    Ok(json!({
        "id": id,
        "verdict": judged.verdict,
        "kind": judged.kind,
        "classes": judged.classes,
        "why": judged.why,
        "why_en": judged.why_en,
    }))
}

/// Writes moves in another notation: by arguments, or lines `fen<TAB>moves` on stdin with `-`.
#[derive(Debug, Args)]
pub(super) struct Transcribe {
    /// The notation to write: chinese, wxf, iccs or uci.
    #[arg(long)]
    to: Notation,
    /// The notation to read; without it each move's own form tells.
    #[arg(long)]
    from: Option<Notation>,
    /// The position before the first move.
    #[arg(long, required_unless_present = "moves")]
    fen: Option<String>,
    /// The moves, or `-`.
    moves: Vec<String>,
}

impl Transcribe {
    pub(super) fn run(self) -> Ended {
        if self.moves.as_slice() == ["-"] {
            return each_line(|line| {
                let [fen, moves] = columns(line, "fen and moves")?;
                self.transcribed(fen, moves.split_whitespace())
            });
        }
        let fen = self
            .fen
            .as_ref()
            .ok_or_else(|| Failure::input("--fen: the position before the first move is missing"))?;
        let moves = self.moves.iter().flat_map(|argument| argument.split_whitespace());
        print(&self.transcribed(fen, moves).map_err(Failure::BadInput)?);
        Ok(())
    }

    fn transcribed<'a>(
        &self,
        fen: &str,
        moves: impl Iterator<Item = &'a str>,
    ) -> anyhow::Result<serde_json::Value> {
        let start = Position::from_diagram(fen)?;
        let transcript = notation::transcribe(&start, moves, self.from, self.to)?;
        Ok(json!({"moves": transcript.moves, "final_fen": transcript.end.fen()}))
    }
}

/// Takes a line apart at its tabs.
fn columns<'a, const N: usize>(line: &'a str, names: &str) -> anyhow::Result<[&'a str; N]> {
    let parts: Vec<&str> = line.split('\t').collect();
    let found = parts.len();
    parts.try_into().map_err(|_| anyhow::anyhow!("{found} columns, not {N}: {names}, with tabs between them"))
}

/// Answers each line of stdin with one on stdout. A bad line gets an object with `line` and `error` and makes the
/// status 2; the others are answered all the same.
fn each_line(answer: impl Fn(&str) -> anyhow::Result<serde_json::Value>) -> Ended {
    let mut bad = 0_u64;
    for (number, line) in (1..).zip(std::io::stdin().lock().lines()) {
        let line = line.context("stdin").map_err(Failure::BadInput)?;
        if line.is_empty() {
            continue;
        }
        match answer(&line) {
            Ok(value) => print(&value),
            Err(error) => {
                bad += 1;
                eprintln!("chuhe: line {number}: {error:#}");
                print(&json!({"line": number, "error": format!("{error:#}")}));
            }
        }
    }
    if bad == 0 { Ok(()) } else { Err(Failure::input(format!("{bad} lines could not be answered"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

    #[test]
    fn a_bad_case_says_which_move() {
        let error = judged("7", RuleSet::Cn2020, START, ["h2e2", "h9f8"].into_iter()).unwrap_err();
        assert!(format!("{error:#}").contains("move 2"), "{error:#}");
    }

    #[test]
    fn a_case_without_repetition_is_no_case() {
        let value = judged("7", RuleSet::Cn2020, START, ["h2e2", "h9g7"].into_iter()).unwrap();
        assert_eq!(value["id"], "7");
        assert_eq!(value["verdict"], "none");
        assert_eq!(value["classes"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn columns_are_counted() {
        assert_eq!(columns::<2>("a\tb", "x").unwrap(), ["a", "b"]);
        assert!(columns::<2>("a", "fen and moves").unwrap_err().to_string().contains("fen and moves"));
    }
}
