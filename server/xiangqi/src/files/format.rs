//! Which format is it?

use core::fmt;

use super::encoding::{Decoded, decode};
use super::{MAX_BYTES, Place, Problem, ReadError, ReadResult};
use super::{cbf, cbr, coordinates, dhtmlxq, pgn, wxf, xqf};
use crate::Notation;
use crate::notation;

/// A format of game files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// PGN for Xiangqi.
    Pgn,
    /// DhtmlXQ (东萍), alone or in a web page or a forum post.
    DhtmlXq,
    /// WXF text.
    Wxf,
    /// Moves in coordinates, UCI or ICCS, one game a line or one move a line.
    Coordinates,
    /// XQF (象棋演播室).
    Xqf,
    /// CBF (象棋桥, XML).
    Cbf,
    /// CBR (象棋桥, binary).
    Cbr,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Pgn => "PGN",
            Format::DhtmlXq => "DhtmlXQ",
            Format::Wxf => "WXF",
            Format::Coordinates => "UCI/ICCS",
            Format::Xqf => "XQF",
            Format::Cbf => "CBF",
            Format::Cbr => "CBR",
        })
    }
}

/// Reads a game file of any known format and encoding.
///
/// It never fails as a whole: what cannot be read is among
/// [`ReadResult::errors`], the games before and after it among
/// [`ReadResult::games`].
#[must_use]
pub fn read(bytes: &[u8]) -> ReadResult {
    if bytes.len() > MAX_BYTES {
        let problem = Problem::TooLarge { size: bytes.len(), limit: MAX_BYTES };
        return refused(Place::Byte(MAX_BYTES), problem);
    }
    if bytes.starts_with(xqf::MAGIC) {
        return ReadResult { format: Some(Format::Xqf), ..xqf::read(bytes) };
    }
    if bytes.starts_with(cbr::MAGIC) {
        return ReadResult { format: Some(Format::Cbr), ..cbr::read(bytes) };
    }
    let Decoded { text, encoding, malformed_line } = decode(bytes);
    let Some((format, read)) = detect(&text) else {
        return refused(Place::line(1, text.lines().next().unwrap_or_default()), Problem::UnknownFormat);
    };
    let mut result = read(&text);
    if let Some(line) = malformed_line {
        let problem = Problem::Malformed(encoding);
        result.errors.push(ReadError { game: 1, place: Place::line(line, ""), problem, partial: None });
    }
    ReadResult { format: Some(format), encoding: Some(encoding), ..result }
}

fn refused(place: Place, problem: Problem) -> ReadResult {
    let error = ReadError { game: 1, place, problem, partial: None };
    ReadResult { errors: vec![error], ..ReadResult::default() }
}

type Reader = fn(&str) -> ReadResult;

const PGN: (Format, Reader) = (Format::Pgn, pgn::read);
const DHTMLXQ: (Format, Reader) = (Format::DhtmlXq, dhtmlxq::read);
const WXF: (Format, Reader) = (Format::Wxf, wxf::read);
const COORDINATES: (Format, Reader) = (Format::Coordinates, coordinates::read);
const CBF: (Format, Reader) = (Format::Cbf, cbf::read);

/// The text format that a text has the marks of, and what reads it.
fn detect(text: &str) -> Option<(Format, Reader)> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines().next()?;
    if pgn::is_tag_line(first) {
        return Some(PGN);
    }
    if text.contains("[DhtmlXQ") {
        return Some(DHTMLXQ);
    }
    if text.contains("<ChineseChessRecord") {
        return Some(CBF);
    }
    if text.contains("START{") {
        return Some(WXF);
    }
    if lines().any(pgn::is_tag_line) {
        return Some(PGN);
    }
    if coordinates::is_start(first) {
        return Some(COORDINATES);
    }
    let words = text.split_whitespace().take(MARKS);
    match words.filter_map(|word| notation::detect(pgn::without_number(word))).next()? {
        Notation::Uci | Notation::Iccs => Some(COORDINATES),
        Notation::Chinese | Notation::Wxf => Some(PGN),
    }
}

/// How many words are looked at for a move.
const MARKS: usize = 1000;
