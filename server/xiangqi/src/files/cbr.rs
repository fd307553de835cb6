//! CBR (象棋桥, CCBridge): one game, binary, text in UTF-16.
//!
//! Version 2: fixed fields up to byte 2214, among them the board at 2120, rank
//! by rank from Black's side; then the tree, four bytes a move (flags, 0, from,
//! to), a comment and its length after those that have one. The first record
//! is no move: it carries the comment before the game.

use super::preorder::Preorder;
use super::{Format, Game, GameResult, NodeId, Place, Problem, ReadError, ReadResult, Tags};
use crate::{Board, Move, Piece, Point, Position, Role, Setup, Side};

/// What a CBR file begins with.
pub(super) const MAGIC: &[u8] = b"CCBridge Record\0";

const VERSION: usize = 19;
const RESULT: usize = 2076;
const SIDE: usize = 2112;
const ROUND: usize = 2116;
const BOARD: usize = 2120;
const TREE: usize = 2214;

/// The texts: name of the tag, offset, bytes.
const TEXTS: [(&str, usize, usize); 20] = [
    ("Title", 180, 128),
    ("Source", 564, 64),
    ("Class", 628, 64),
    ("Event", 692, 64),
    ("Round", 756, 64),
    ("Group", 820, 32),
    ("Table", 852, 32),
    ("Date", 884, 64),
    ("Site", 948, 64),
    ("TimeControl", 1012, 64),
    ("Red", 1076, 64),
    ("RedTeam", 1140, 64),
    ("RedTime", 1204, 64),
    ("RedElo", 1268, 32),
    ("Black", 1300, 64),
    ("BlackTeam", 1364, 64),
    ("BlackTime", 1428, 64),
    ("BlackElo", 1492, 32),
    ("Annotator", 1652, 64),
    ("Author", 1780, 64),
];

/// Flags of a record.
const ENDS: u8 = 1;
const HAS_ALTERNATIVE: u8 = 2;
const HAS_COMMENT: u8 = 4;

type Failure = (Place, Problem);

/// Reads the game of a CBR file.
pub(super) fn read(bytes: &[u8]) -> ReadResult {
    match read_game(bytes) {
        Ok(result) => result,
        Err((place, problem)) => {
            let error = ReadError { game: 1, place, problem, partial: None };
            ReadResult { errors: vec![error], ..ReadResult::default() }
        }
    }
}

fn read_game(bytes: &[u8]) -> Result<ReadResult, Failure> {
    let Some((head, _)) = bytes.split_first_chunk::<TREE>() else {
        return Err((Place::Byte(bytes.len()), Problem::Truncated { what: "the end of its header" }));
    };
    if head[VERSION] != 2 {
        let problem = Problem::Version { format: Format::Cbr, version: head[VERSION] };
        return Err((Place::Byte(VERSION), problem));
    }
    let mut records = Records { bytes, at: TREE };
    let root = records.next()?;
    let mut game = Game::new(start(head)?);
    game.tags = tags(head);
    game.result = match head[RESULT] {
        1 => GameResult::RedWins,
        2 => GameResult::BlackWins,
        3 => GameResult::Draw,
        _ => GameResult::Unknown,
    };
    game.set_comment(NodeId::ROOT, root.comment);

    // A file without moves may end after its first record, whatever that says.
    let mut tree = Preorder::new(game, root.flags & ENDS == 0 && records.at < bytes.len());
    let mut broken = None;
    while !tree.is_complete() && broken.is_none() {
        let added = records.next().and_then(|record| {
            let place = || Place::Byte(record.offset);
            let expected = "a move between two points of the board";
            let mv = record.mv().ok_or_else(|| (place(), Problem::Field { expected }))?;
            let (goes_on, alternative) = (record.flags & ENDS == 0, record.flags & HAS_ALTERNATIVE != 0);
            tree.push(mv, &record.comment, goes_on, alternative, record.offset)
                .map_err(|problem| (place(), problem))
        });
        broken = added.err();
    }
    Ok(tree.finish(broken))
}

fn tags(head: &[u8; TREE]) -> Tags {
    TEXTS.into_iter().map(|(name, at, size)| (name, utf16(&head[at..at + size]))).collect()
}

/// UTF-16 text that ends at its first 0.
fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let text = char::decode_utf16(units.take_while(|&unit| unit != 0));
    let text: String = text.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn start(head: &[u8; TREE]) -> Result<Position, Failure> {
    let mut board = Board::empty();
    for (at, &code) in head[BOARD..BOARD + Point::COUNT].iter().enumerate() {
        let failure = || (Place::Byte(BOARD + at), Problem::Field { expected: "a piece or an empty point" });
        if let Some(piece) = piece(code).ok_or_else(failure)? {
            board.set(point(at as u8).ok_or_else(failure)?, Some(piece));
        }
    }
    let side_to_move = if head[SIDE] == 2 { Side::Black } else { Side::Red };
    let move_number = u32::from(u16::from_le_bytes([head[ROUND], head[ROUND + 1]])).max(1);
    Position::from_setup(Setup { board, side_to_move, plies_since_capture: 0, move_number })
        .map_err(|error| (Place::Byte(BOARD), error.into()))
}

/// Points are counted from Black's left rank by rank: 0 = a9 … 89 = i0.
const fn point(code: u8) -> Option<Point> {
    if code < 90 { Point::new(code % 9, 9 - code / 9) } else { None }
}

/// The piece of a code, `Some(None)` for no piece; `None` if it is no code.
fn piece(code: u8) -> Option<Option<Piece>> {
    let side = match code >> 4 {
        0 if code == 0 => return Some(None),
        1 => Side::Red,
        2 => Side::Black,
        _ => return None,
    };
    let role = match code & 0xF {
        1 => Role::Chariot,
        2 => Role::Horse,
        3 => Role::Elephant,
        4 => Role::Advisor,
        5 => Role::King,
        6 => Role::Cannon,
        7 => Role::Soldier,
        _ => return None,
    };
    Some(Some(Piece { side, role }))
}

struct Record {
    flags: u8,
    from: u8,
    to: u8,
    comment: String,
    offset: usize,
}

impl Record {
    fn mv(&self) -> Option<Move> {
        Some(Move::new(point(self.from)?, point(self.to)?))
    }
}

struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Records<'a> {
    fn next(&mut self) -> Result<Record, Failure> {
        let offset = self.at;
        let &[flags, _, from, to] = self.take(4, "a move")?.first_chunk().expect("four bytes were taken");
        let mut comment = String::new();
        if flags & HAS_COMMENT != 0 {
            let length =
                self.take(4, "the length of a comment")?.first_chunk().expect("four bytes were taken");
            let length = u32::from_le_bytes(*length) as usize;
            comment = utf16(self.take(length, "the end of a comment")?).trim().to_owned();
        }
        Ok(Record { flags, from, to, comment, offset })
    }

    fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], Failure> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..length));
        let taken = taken.ok_or((Place::Byte(self.at), Problem::Truncated { what }))?;
        self.at += length;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 炮二平五 {中炮}, then 马８进７ or 炮８平５.
    fn file() -> Vec<u8> {
        let mut file = vec![0; TREE];
        file[..MAGIC.len()].copy_from_slice(MAGIC);
        file[VERSION] = 2;
        (file[SIDE], file[ROUND], file[RESULT]) = (1, 1, 3);
        file[1076..1080].copy_from_slice(&[0xA2, 0x7E, 0xB9, 0x65]);
        for (at, piece) in Board::START.pieces() {
            let code = match piece.role {
                Role::Chariot => 1,
                Role::Horse => 2,
                Role::Elephant => 3,
                Role::Advisor => 4,
                Role::King => 5,
                Role::Cannon => 6,
                Role::Soldier => 7,
            };
            let side = match piece.side {
                Side::Red => 0x10,
                Side::Black => 0x20,
            };
            file[BOARD + usize::from(9 - at.rank()) * 9 + usize::from(at.file())] = side | code;
        }
        file.extend([0, 0, 0, 0]);
        file.extend([4, 0, 70, 67, 4, 0, 0, 0, 0x2D, 0x4E, 0xAE, 0x70]);
        file.extend([3, 0, 7, 24, 1, 0, 25, 22]);
        file
    }

    #[test]
    fn board_tags_tree_and_comments_are_read() {
        let result = read(&file());
        assert_eq!(result.errors, []);
        let mut game = Game::default();
        game.result = GameResult::Draw;
        game.tags.set("Red", "红方");
        let mv = |text: &str| text.parse::<Move>().unwrap();
        let first = game.add(NodeId::ROOT, mv("h2e2"));
        game.set_comment(first, "中炮");
        game.add(first, mv("h9g7"));
        game.add(first, mv("h7e7"));
        assert_eq!(result.games, [game]);
    }

    #[test]
    fn other_versions_are_refused_and_short_files_too() {
        let mut old = file();
        old[VERSION] = 1;
        let error = &read(&old).errors[0];
        assert_eq!(error.to_string(), "game 1, byte 19 (0x13): CBR files of version 1 are not known");
        let cut = file().len() - 2;
        let result = read(&file()[..cut]);
        assert!(matches!(result.errors[0].problem, Problem::Truncated { .. }));
        assert_eq!(result.errors[0].partial.as_ref().unwrap().move_count(), 2);
    }
}
