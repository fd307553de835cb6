//! From any format to the ones that are written.

use core::str::FromStr;

use thiserror::Error;

use super::{Encoding, Game, ReadError, UnencodableError, pgn, read, write_dhtmlxq, write_uci, write_xqf};

/// A format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum To {
    /// PGN, moves in Chinese.
    Pgn,
    /// DhtmlXQ.
    DhtmlXq,
    /// XQF 1.0.
    Xqf,
    /// The moves of the main line in UCI, one game a line.
    Uci,
}

impl To {
    /// All four.
    pub const ALL: [To; 4] = [To::Pgn, To::DhtmlXq, To::Xqf, To::Uci];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            To::Pgn => "pgn",
            To::DhtmlXq => "dhtmlxq",
            To::Xqf => "xqf",
            To::Uci => "uci",
        }
    }
}

/// The text names no format that is written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a format to write: pgn, dhtmlxq, xqf or uci was expected")]
pub struct ParseToError(String);

impl FromStr for To {
    type Err = ParseToError;

    fn from_str(text: &str) -> Result<To, ParseToError> {
        let found = To::ALL.into_iter().find(|to| text.eq_ignore_ascii_case(to.name()));
        found.ok_or_else(|| ParseToError(text.to_owned()))
    }
}

/// Why a file was not converted, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConvertError {
    /// Something could not be read. The games that could are in `output`.
    #[error("{}", lines(.errors))]
    Read {
        /// What could not be read: at least one error.
        errors: Vec<ReadError>,
        /// The games that could be read, converted; empty if there are none.
        output: Vec<u8>,
    },
    /// The file holds no game.
    #[error("the file holds no game")]
    NoGame,
    /// XQF holds one game only.
    #[error("XQF holds one game and the file has {0}: split it first")]
    SeveralGames(usize),
    /// A character does not exist in the encoding asked for.
    #[error(transparent)]
    Unencodable(#[from] UnencodableError),
}

fn lines(errors: &[ReadError]) -> String {
    let lines: Vec<String> = errors.iter().map(ReadError::to_string).collect();
    lines.join("\n")
}

/// Reads a file of any known format and encoding and writes its games in
/// another. XQF has an encoding of its own, GBK; `encoding` is for the texts.
///
/// # Errors
/// What could not be read, with the games that could be; or why there is
/// nothing to write.
pub fn convert(bytes: &[u8], to: To, encoding: Encoding) -> Result<Vec<u8>, ConvertError> {
    let read = read(bytes);
    let output = match &read.games[..] {
        [] if read.errors.is_empty() => return Err(ConvertError::NoGame),
        [] => Vec::new(),
        games => write(games, to, encoding)?,
    };
    if read.errors.is_empty() { Ok(output) } else { Err(ConvertError::Read { errors: read.errors, output }) }
}

fn write(games: &[Game], to: To, encoding: Encoding) -> Result<Vec<u8>, ConvertError> {
    let text = match to {
        To::Pgn => pgn::write(games, pgn::Options::default()),
        To::DhtmlXq => write_dhtmlxq(games),
        To::Uci => write_uci(games),
        To::Xqf => {
            return match games {
                [game] => Ok(write_xqf(game)),
                games => Err(ConvertError::SeveralGames(games.len())),
            };
        }
    };
    Ok(encoding.encode(&text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PGN: &[u8] = "[Red \"红\"]\n1. 炮二平五 马８进７\n2. 马二进三 (2. 兵七进一) *\n".as_bytes();

    #[test]
    fn one_game_becomes_any_format() {
        let convert = |to| convert(PGN, to, Encoding::Utf8).unwrap();
        assert_eq!(convert(To::Uci), b"h2e2 h9g7 h0g2\n");
        assert!(convert(To::Pgn).starts_with(b"[Game \"Chinese Chess\"]\n"));
        assert!(convert(To::DhtmlXq).starts_with(b"[DhtmlXQ]\n"));
        assert!(convert(To::Xqf).starts_with(b"XQ\x0A"));
    }

    #[test]
    fn what_could_be_read_comes_with_what_could_not() {
        let file = [PGN, "[Red \"b\"]\n1. 炮二平五 车９平８\n".as_bytes()].concat();
        let Err(ConvertError::Read { errors, output }) = convert(&file, To::Uci, Encoding::Utf8) else {
            panic!("the second game cannot be read");
        };
        assert_eq!(output, b"h2e2 h9g7 h0g2\n");
        assert_eq!(errors[0].game, 2);
        let said = ConvertError::Read { errors, output }.to_string();
        assert!(said.starts_with("game 2, line 5, `车９平８`: "), "{said}");
    }

    #[test]
    fn what_a_format_cannot_hold_is_refused() {
        let two = [PGN, PGN].concat();
        assert_eq!(convert(&two, To::Xqf, Encoding::Utf8), Err(ConvertError::SeveralGames(2)));
        assert!(matches!(convert(PGN, To::Pgn, Encoding::Big5), Err(ConvertError::Unencodable(_))));
        assert_eq!(
            convert(b"", To::Pgn, Encoding::Utf8).unwrap_err().to_string().split(':').next(),
            Some("game 1, line 1")
        );
    }
}
