//! Answers each FEN on standard input with one line: `check` or `quiet`, then
//! its legal moves in UCI text. `tests/pyffish_check.py` compares them with
//! another program's.

use std::io::{self, BufRead, Write};

use xiangqi::Position;

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        match Position::from_fen(&line?) {
            Ok(position) => {
                write!(out, "{}", if position.is_check() { "check" } else { "quiet" })?;
                for mv in position.legal_moves() {
                    write!(out, " {mv}")?;
                }
                writeln!(out)?;
            }
            Err(error) => writeln!(out, "error {error}")?,
        }
    }
    out.flush()
}
