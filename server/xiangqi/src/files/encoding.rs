//! The encodings of game files: which one is it, and how to write it.

use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;
use std::borrow::Cow;

use encoding_rs::{BIG5, GB18030, UTF_8, UTF_16BE, UTF_16LE};
use thiserror::Error;

/// How characters are put into bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// UTF-8; written without a byte-order mark, read with or without.
    #[default]
    Utf8,
    /// GBK (国标), what old Windows tools expect; the few characters that it
    /// lacks are written as its superset GB18030 does.
    Gbk,
    /// Big5 (大五码), of older files in traditional characters.
    Big5,
    /// UTF-16, either byte order, known by its byte-order mark.
    Utf16,
}

impl Encoding {
    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Gbk => "gbk",
            Encoding::Big5 => "big5",
            Encoding::Utf16 => "utf-16",
        }
    }

    /// `text` in this encoding.
    ///
    /// # Errors
    /// The first character that Big5 does not have.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, UnencodableError> {
        match self {
            Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
            Encoding::Gbk => Ok(GB18030.encode(text).0.into_owned()),
            Encoding::Big5 => encode_big5(text),
            Encoding::Utf16 => {
                Ok([0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect())
            }
        }
    }
}

fn encode_big5(text: &str) -> Result<Vec<u8>, UnencodableError> {
    match BIG5.encode(text) {
        (bytes, _, false) => Ok(bytes.into_owned()),
        (_, _, true) => {
            let lacking = |character: &char| BIG5.encode(character.encode_utf8(&mut [0; 4])).2;
            let character = text.chars().find(lacking).unwrap_or(char::REPLACEMENT_CHARACTER);
            Err(UnencodableError { character, encoding: Encoding::Big5 })
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A character does not exist in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("`{character}` cannot be written in {encoding}; write utf-8 or gbk")]
pub struct UnencodableError {
    /// The character.
    pub character: char,
    /// The encoding that lacks it.
    pub encoding: Encoding,
}

/// The text names no encoding.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not an encoding: utf-8, gbk, big5 or utf-16 was expected")]
pub struct ParseEncodingNameError(String);

impl FromStr for Encoding {
    type Err = ParseEncodingNameError;

    /// Reads the name, also `utf8`, `gb18030`, `gb2312`, `cp936` and `cp950`.
    fn from_str(text: &str) -> Result<Encoding, ParseEncodingNameError> {
        match text.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Ok(Encoding::Utf8),
            "gbk" | "gb18030" | "gb2312" | "cp936" => Ok(Encoding::Gbk),
            "big5" | "cp950" => Ok(Encoding::Big5),
            "utf-16" | "utf16" => Ok(Encoding::Utf16),
            _ => Err(ParseEncodingNameError(text.to_owned())),
        }
    }
}

/// A text that was bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The text, its lines ended by `\n` alone. Bytes that mean nothing in the
    /// encoding stand as U+FFFD.
    pub(crate) text: String,
    /// The encoding that it was.
    pub(crate) encoding: Encoding,
    /// The line (from 1) of the first bytes that mean nothing, if there are any.
    pub(crate) malformed_line: Option<usize>,
}

/// Decodes a file: by its byte-order mark; as UTF-8 if it is that without a
/// fault; otherwise as GBK or Big5, whichever makes the better Xiangqi.
pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    if let Some(rest) = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]) {
        return decoded(UTF_8.decode_without_bom_handling(rest), Encoding::Utf8);
    }
    match bytes {
        [0xFF, 0xFE, rest @ ..] => decoded(UTF_16LE.decode_without_bom_handling(rest), Encoding::Utf16),
        [0xFE, 0xFF, rest @ ..] => decoded(UTF_16BE.decode_without_bom_handling(rest), Encoding::Utf16),
        _ => match core::str::from_utf8(bytes) {
            Ok(text) => decoded((text.into(), false), Encoding::Utf8),
            Err(_) => decode_double_byte(bytes),
        },
    }
}

fn decode_double_byte(bytes: &[u8]) -> Decoded {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let gbk = plausibility(&GB18030.decode_without_bom_handling(sample).0)
        + frequent(sample, 0xB0..=0xD7, 0xA1..=0xFE);
    let big5 = plausibility(&BIG5.decode_without_bom_handling(sample).0)
        + frequent(sample, 0xA4..=0xC6, 0x40..=0xFE);
    if big5 > gbk {
        decoded(BIG5.decode_without_bom_handling(bytes), Encoding::Big5)
    } else {
        decoded(GB18030.decode_without_bom_handling(bytes), Encoding::Gbk)
    }
}

/// How many bytes decide between GBK and Big5.
const SAMPLE: usize = 1 << 16;

/// How much a text looks like a Xiangqi file. Text in the wrong one of the two
/// encodings is full of rare characters, unassigned codes and private ones.
fn plausibility(text: &str) -> i64 {
    text.chars()
        .map(|character| match character {
            char::REPLACEMENT_CHARACTER => -20,
            '\u{E000}'..='\u{F8FF}' => -5,
            '０'..='９' => 3,
            _ if TERMS.contains(character) => 5,
            _ => 0,
        })
        .sum()
}

/// The characters of moves, results and headings, in both scripts.
const TERMS: &str = "车車马馬炮砲兵卒士仕相象将將帅帥进進退平前中后後一二三四五六七八九红紅黑胜勝负負和";

/// How many pairs of bytes are in the first level of an encoding, where the
/// most frequent characters of Chinese are.
fn frequent(bytes: &[u8], first: RangeInclusive<u8>, second: RangeInclusive<u8>) -> i64 {
    let mut rest = bytes;
    let mut count = 0;
    loop {
        rest = match rest {
            [] | [_] => return count,
            [0..0x80, rest @ ..] => rest,
            [a, b, rest @ ..] => {
                count += i64::from(first.contains(a) && second.contains(b));
                rest
            }
        };
    }
}

fn decoded((text, malformed): (Cow<'_, str>, bool), encoding: Encoding) -> Decoded {
    let text = unix_lines(&text);
    let at = text.find(char::REPLACEMENT_CHARACTER).filter(|_| malformed);
    let malformed_line = at.map(|at| 1 + text[..at].matches('\n').count());
    Decoded { text, encoding, malformed_line }
}

/// Lines ended by `\n`, whatever ended them.
fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The text of a GBK field of a binary file.
pub(crate) fn decode_gbk(bytes: &[u8]) -> String {
    unix_lines(&GB18030.decode_without_bom_handling(bytes).0)
}

/// `text` as the GBK bytes of a binary file.
pub(crate) fn encode_gbk(text: &str) -> Vec<u8> {
    GB18030.encode(text).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIMPLIFIED: &str = "[Red \"许银川\"]\n  1. 炮二平五 马８进７\n";
    const TRADITIONAL: &str = "[Red \"許銀川\"]\n  1. 炮二平五 馬８進７\n";

    #[test]
    fn each_encoding_is_recognised() {
        for (text, encoding) in [
            (SIMPLIFIED, Encoding::Utf8),
            (SIMPLIFIED, Encoding::Gbk),
            (TRADITIONAL, Encoding::Gbk),
            (TRADITIONAL, Encoding::Big5),
            (TRADITIONAL, Encoding::Utf16),
        ] {
            let decoded = decode(&encoding.encode(text).unwrap());
            assert_eq!((decoded.text.as_str(), decoded.encoding), (text, encoding));
            assert_eq!(decoded.malformed_line, None);
        }
    }

    #[test]
    fn names_alone_tell_gbk_from_big5() {
        let simplified = "[Event \"全国象棋个人锦标赛\"]\n[Red \"胡荣华\"]\n1. H2-E2\n";
        let traditional = "[Event \"亞洲象棋錦標賽\"]\n[Red \"吳貴臨\"]\n1. H2-E2\n";
        assert_eq!(decode(&Encoding::Gbk.encode(simplified).unwrap()).encoding, Encoding::Gbk);
        assert_eq!(decode(&Encoding::Big5.encode(traditional).unwrap()).encoding, Encoding::Big5);
    }

    #[test]
    fn a_byte_order_mark_and_windows_line_ends_vanish() {
        let decoded = decode(b"\xEF\xBB\xBF1. H2-E2\r\n2. H0-G2\r\n");
        assert_eq!(decoded.text, "1. H2-E2\n2. H0-G2\n");
    }

    #[test]
    fn bytes_that_mean_nothing_are_placed() {
        let mut bytes = Encoding::Gbk.encode(SIMPLIFIED).unwrap();
        bytes.extend(b"\n\xFF\xFF");
        assert_eq!(decode(&bytes).malformed_line, Some(4));
    }

    #[test]
    fn characters_without_a_code_in_big5_are_named() {
        let error = Encoding::Big5.encode("车").unwrap_err();
        assert_eq!(error.character, '车');
    }
}
