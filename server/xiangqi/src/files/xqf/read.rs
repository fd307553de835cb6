//! Reading XQF, all versions.

use super::super::encoding::decode_gbk;
use super::super::preorder::Preorder;
use super::super::{Game, NodeId, Place, Problem, ReadError, ReadResult, roster};
use super::header::{self, PIECES, RESULT, SIDE};
use super::scramble::Keys;
use super::{PLAIN, SHIFT, TREE, point};
use crate::{Board, Move, Point, Position, Setup, Side};

/// Reads the game of an XQF file.
pub(in super::super) fn read(bytes: &[u8]) -> ReadResult {
    match read_game(bytes) {
        Ok(result) => result,
        Err((place, problem)) => {
            let error = ReadError { game: 1, place, problem, partial: None };
            ReadResult { errors: vec![error], ..ReadResult::default() }
        }
    }
}

type Failure = (Place, Problem);

fn read_game(bytes: &[u8]) -> Result<ReadResult, Failure> {
    let Some((head, tree)) = bytes.split_first_chunk::<TREE>() else {
        return Err((Place::Byte(bytes.len()), Problem::Truncated { what: "the end of its header" }));
    };
    let first: &[u8; 16] = head.first_chunk().expect("the header is longer than 16 bytes");
    let version = first[2];
    let keys = Keys::new(first);
    let mut records = Records { scrambled: version > PLAIN, tree: keys.unscramble(tree), keys, at: 0 };
    let board = board(head, &records.keys);
    let root = records.next()?;
    let mut first_move = None;
    let mut broken = None;
    if root.goes_on {
        match records.next() {
            Ok(record) => first_move = Some(record),
            Err(failure) => broken = Some(failure),
        }
    }
    let side = match &first_move {
        Some(record) => board.piece_at(record.mv()?.from).map(|piece| piece.side),
        None => None,
    };
    let start = start(board, side, head[SIDE])?;
    let mut game = Game::new(start);
    game.tags = header::tags(head);
    game.result = header::result(head[RESULT]);
    game.set_comment(NodeId::ROOT, root.comment);

    let mut tree = Preorder::new(game, first_move.is_some());
    let mut next = first_move;
    while let Some(record) = next.take() {
        let added = record.mv().and_then(|mv| {
            tree.push(mv, &record.comment, record.goes_on, record.has_alternative, record.offset)
                .map_err(|problem| (Place::Byte(record.offset), problem))
        });
        if let Err(failure) = added {
            broken = Some(failure);
        } else if !tree.is_complete() {
            match records.next() {
                Ok(record) => next = Some(record),
                Err(failure) => broken = Some(failure),
            }
        }
    }
    Ok(tree.finish(broken))
}

fn board(head: &[u8; TREE], keys: &Keys) -> Board {
    let mut points = [None; 32];
    for (i, square) in head[PIECES].iter().enumerate() {
        points[keys.place(i)] = point(square.wrapping_sub(keys.pieces));
    }
    roster::board(points)
}

/// The start: it is for the side whose piece moves first; without moves, for
/// the side that the header names, if a game can stand like that.
fn start(board: Board, first: Option<Side>, code: u8) -> Result<Position, Failure> {
    let named = if code.is_multiple_of(2) { Side::Red } else { Side::Black };
    let side_to_move = first.unwrap_or(named);
    let setup = |side_to_move| Setup { board: board.clone(), side_to_move, ..Setup::start() };
    Position::from_setup(setup(side_to_move))
        .or_else(|error| match first {
            Some(_) => Err(error),
            None => Position::from_setup(setup(!side_to_move)).map_err(|_| error),
        })
        .map_err(|error| (Place::Byte(PIECES.start), error.into()))
}

/// A record of the tree: a move, or the empty one before the first.
struct Record {
    squares: [u8; 2],
    comment: String,
    goes_on: bool,
    has_alternative: bool,
    offset: usize,
}

impl Record {
    fn mv(&self) -> Result<Move, Failure> {
        let at = |i: usize| -> Option<Point> { point(self.squares[i].wrapping_sub(SHIFT[i])) };
        match (at(0), at(1)) {
            (Some(from), Some(to)) => Ok(Move::new(from, to)),
            _ => Err((
                Place::Byte(self.offset),
                Problem::Field { expected: "a move between two points of the board" },
            )),
        }
    }
}

/// The records of a tree, one after the other.
struct Records {
    scrambled: bool,
    tree: Vec<u8>,
    keys: Keys,
    at: usize,
}

impl Records {
    fn next(&mut self) -> Result<Record, Failure> {
        let offset = TREE + self.at;
        let [from, to, flags, _] = self.take::<4>("a move")?;
        // Old files mark with half bytes and always say how long the comment
        // is, newer ones with bits and only if there is a comment.
        let (goes_on, has_alternative, has_comment) = if self.scrambled {
            (flags & 0x80 != 0, flags & 0x40 != 0, flags & 0x20 != 0)
        } else {
            (flags & 0xF0 != 0, flags & 0x0F != 0, true)
        };
        let comment = if has_comment { self.comment()? } else { String::new() };
        let squares = [from.wrapping_sub(self.keys.squares[0]), to.wrapping_sub(self.keys.squares[1])];
        Ok(Record { squares, comment, goes_on, has_alternative, offset })
    }

    fn comment(&mut self) -> Result<String, Failure> {
        let length = u32::from_le_bytes(self.take::<4>("the length of a comment")?);
        let length = length.wrapping_sub(self.keys.length) as usize;
        match self.tree.get(self.at..).and_then(|rest| rest.get(..length)) {
            Some(bytes) => {
                self.at += length;
                Ok(decode_gbk(bytes).trim_matches(['\0', ' ', '\n', '\t']).to_owned())
            }
            None => Err(self.truncated("the end of a comment")),
        }
    }

    fn take<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Failure> {
        match self.tree.get(self.at..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.truncated(what)),
        }
    }

    fn truncated(&self, what: &'static str) -> Failure {
        (Place::Byte(TREE + self.at), Problem::Truncated { what })
    }
}
