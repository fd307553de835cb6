//! From any format to the ones that are written.

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
