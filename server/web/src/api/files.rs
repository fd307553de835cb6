//! Games as files for the programs in use: PGN, DhtmlXQ (东萍), XQF, UCI and plain text.

use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use xiangqi::Notation;
use xiangqi::files::{self, Encoding, Game, pgn};

use super::{Answer, ApiError, answer};
use crate::export;
use crate::lang::query;

/// How a file is to be written: `?format=chinese|wxf|iccs|uci` and `&clocks=1` of a PGN; `&charset=gbk` for programs that
/// know nothing else.
pub struct Options {
    pgn: pgn::Options,
    charset: (&'static str, Encoding),
}

impl Options {
    /// By the query. Each is looked at whether or not what is asked for heeds it.
    ///
    /// # Errors
    /// An option is none.
    pub fn asked(parts: &Parts) -> Result<Options, ApiError> {
        let notation = query(parts, "format").map_or(Ok(Notation::Chinese), str::parse);
        let notation = notation.map_err(|error| ApiError::bad(error.to_string()))?;
        let charset = match query(parts, "charset") {
            None | Some("utf-8") => ("utf-8", Encoding::Utf8),
            Some("gbk") => ("gbk", Encoding::Gbk),
            Some(other) => return Err(ApiError::bad(format!("charset={other}: utf-8 or gbk was expected"))),
        };
        Ok(Options { pgn: pgn::Options { notation, clocks: query(parts, "clocks") == Some("1") }, charset })
    }
}

/// A file of games: `.pgn`, `.dhtmlxq`, `.uci`, `.txt`, and `.xqf` for one game.
pub struct File {
    kind: Kind,
    charset: (&'static str, Encoding),
}

#[derive(Clone, Copy)]
enum Kind {
    Pgn(pgn::Options),
    DhtmlXq,
    Uci,
    Text,
    Xqf,
}

impl File {
    /// By the ending of the path.
    ///
    /// # Errors
    /// The ending is none.
    pub fn asked(ending: &str, options: Options) -> Result<File, ApiError> {
        let kind = match ending {
            "pgn" => Kind::Pgn(options.pgn),
            "dhtmlxq" => Kind::DhtmlXq,
            "uci" => Kind::Uci,
            "txt" => Kind::Text,
            "xqf" => Kind::Xqf,
            other => {
                return Err(ApiError::missing(format!(
                    ".{other} is not offered: .pgn, .dhtmlxq, .uci, .txt, .xqf and .svg are"
                )));
            }
        };
        Ok(File { kind, charset: options.charset })
    }

    /// The file, for download under this name.
    ///
    /// # Errors
    /// The charset or the kind cannot hold these games.
    pub fn answer(&self, parts: &Parts, name: &str, games: &[Game]) -> Answer {
        let (kind, ending, text) = match self.kind {
            Kind::Pgn(options) => ("application/x-chess-pgn", "pgn", pgn::write(games, options)),
            Kind::DhtmlXq => ("text/plain", "txt", files::write_dhtmlxq(games)),
            Kind::Uci => ("text/plain", "txt", files::write_uci(games)),
            Kind::Text => ("text/plain", "txt", export::text(games)),
            Kind::Xqf => {
                let [game] = games else {
                    return Err(ApiError::missing(
                        "an .xqf holds one game: ask for it at /games/{r}/{t}.xqf",
                    ));
                };
                return Ok(download(
                    parts,
                    "application/octet-stream".to_owned(),
                    name,
                    "xqf",
                    files::write_xqf(game),
                ));
            }
        };
        let (charset, encoding) = self.charset;
        let bytes = encoding.encode(&text);
        let bytes = bytes.map_err(|error| ApiError(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
        Ok(download(parts, format!("{kind}; charset={charset}"), name, ending, bytes))
    }
}

fn download(parts: &Parts, kind: String, name: &str, ending: &str, bytes: Vec<u8>) -> Response {
    let mut response = answer(parts, &kind, bytes);
    let name = format!("attachment; filename=\"{name}.{ending}\"");
    let name = HeaderValue::from_str(&name).expect("names are made of words and numbers");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    response
}
