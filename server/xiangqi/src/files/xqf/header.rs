//! The header of an XQF file.

use super::super::encoding::{decode_gbk, encode_gbk};
use super::super::{GameResult, Tags};
use super::TREE;

/// Where the squares of the 32 pieces stand.
pub(super) const PIECES: core::ops::Range<usize> = 16..48;
/// Where it stands who moves first: 0 = Red. Older files leave it 0.
pub(super) const SIDE: usize = 50;
/// Where the result stands.
pub(super) const RESULT: usize = 51;
/// Where the kind of game stands: 0 = whole, 1 = opening, 2 = middle, 3 = end.
pub(super) const KIND: usize = 64;

/// The texts: name of the tag, offset of the length byte, most bytes of text.
pub(super) const TEXTS: [(&str, usize, usize); 11] = [
    ("Title", 80, 63),
    ("Event", 208, 63),
    ("Date", 272, 15),
    ("Site", 288, 15),
    ("Red", 304, 15),
    ("Black", 320, 15),
    ("TimeControl", 336, 63),
    ("RedTime", 400, 15),
    ("BlackTime", 416, 15),
    ("Annotator", 464, 15),
    ("Author", 480, 15),
];

/// The results in the order of their codes; 4 is another draw.
const RESULTS: [GameResult; 5] =
    [GameResult::Unknown, GameResult::RedWins, GameResult::BlackWins, GameResult::Draw, GameResult::Draw];

pub(super) fn result(code: u8) -> GameResult {
    RESULTS.get(usize::from(code)).copied().unwrap_or_default()
}

pub(super) const fn result_code(result: GameResult) -> u8 {
    match result {
        GameResult::Unknown => 0,
        GameResult::RedWins => 1,
        GameResult::BlackWins => 2,
        GameResult::Draw => 3,
    }
}

pub(super) fn tags(header: &[u8; TREE]) -> Tags {
    let text = |(name, at, most): (&'static str, usize, usize)| {
        let length = usize::from(header[at]).min(most);
        let bytes = &header[at + 1..at + 1 + length];
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(length);
        (name, decode_gbk(&bytes[..end]))
    };
    TEXTS.into_iter().map(text).collect()
}

/// Writes the texts, each cut after the last whole character that fits.
pub(super) fn write_tags(header: &mut [u8; TREE], tags: &Tags) {
    for (name, at, most) in TEXTS {
        let mut field = Vec::new();
        for character in tags.get(name).unwrap_or_default().chars() {
            let bytes = encode_gbk(character.encode_utf8(&mut [0; 4]));
            if field.len() + bytes.len() > most {
                break;
            }
            field.extend(bytes);
        }
        header[at] = u8::try_from(field.len()).expect("no field has room for more than 63 bytes");
        header[at + 1..at + 1 + field.len()].copy_from_slice(&field);
    }
}
