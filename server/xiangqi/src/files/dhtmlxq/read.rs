//! Reading DhtmlXQ.

use std::collections::BTreeMap;

use super::super::preorder::checked;
use super::super::{Game, GameResult, MAX_MOVES, NodeId, Place, Problem, ReadError, ReadResult, roster};
use super::names::{SILENT, date, numbers, tag};
use super::scan::{Found, Scan};
use super::{move_digits, parse_move, point};
use crate::{Board, Position, Setup, Side};

/// Reads all games of a text.
pub(in super::super) fn read(text: &str) -> ReadResult {
    let mut result = ReadResult::default();
    let mut fields = Fields::default();
    let mut number = 1;
    for (line, found) in Scan::new(text) {
        match found {
            Found::Begin => fields.read_into(&mut number, &mut result),
            Found::Field { name, text, unclosed } => {
                if unclosed {
                    let problem = Problem::Field { expected: "the [/DhtmlXQ_…] of this field" };
                    let place = Place::line(line, name);
                    result.errors.push(ReadError { game: number, place, problem, partial: None });
                }
                fields.add(line, name, text);
            }
        }
    }
    fields.read_into(&mut number, &mut result);
    result
}

/// A field and the line that it stands on.
#[derive(Clone, Copy)]
struct Field<'a> {
    line: usize,
    name: &'a str,
    text: &'a str,
}

impl Field<'_> {
    fn place(&self) -> Place {
        Place::line(self.line, self.name)
    }

    /// The place of a move in a list of them.
    fn place_of(&self, digits: &str) -> Place {
        Place::line(self.line, &format!("{} {digits}", self.name))
    }
}

/// The fields of one game, sorted by what they are.
#[derive(Default)]
struct Fields<'a> {
    fen: Option<Field<'a>>,
    binit: Option<Field<'a>>,
    movelist: Option<Field<'a>>,
    /// By the line that they vary: the move from which they do, their own
    /// number, and the field.
    variations: BTreeMap<usize, Vec<(usize, usize, Field<'a>)>>,
    /// Line, move, field.
    comments: Vec<(usize, usize, Field<'a>)>,
    tags: Vec<Field<'a>>,
}

impl<'a> Fields<'a> {
    fn add(&mut self, line: usize, name: &'a str, text: &'a str) {
        let field = Field { line, name, text };
        let slot = match name {
            "fen" => &mut self.fen,
            "binit" => &mut self.binit,
            "movelist" => &mut self.movelist,
            name => {
                if let Some([parent, ply, number]) = numbers(name, "move_") {
                    self.variations.entry(parent).or_default().push((ply, number, field));
                } else if let Some([branch, ply]) = numbers(name, "comment") {
                    self.comments.push((branch, ply, field));
                } else if let Some([ply]) = numbers(name, "comment") {
                    self.comments.push((0, ply, field));
                } else {
                    self.tags.push(field);
                }
                return;
            }
        };
        slot.get_or_insert(field);
    }

    fn is_empty(&self) -> bool {
        self.fen.is_none() && self.binit.is_none() && self.movelist.is_none() && self.tags.is_empty()
    }

    /// Reads the game of these fields, if there is one, and forgets them.
    fn read_into(&mut self, number: &mut usize, result: &mut ReadResult) {
        let fields = core::mem::take(self);
        if fields.is_empty() {
            return;
        }
        let error = |(place, problem)| ReadError { game: *number, place, problem, partial: None };
        match fields.start() {
            Err(failure) => result.errors.push(error(failure)),
            Ok(start) => {
                let mut reader = Reader { game: Game::new(start), numbers: vec![0], ..Reader::default() };
                let broken = reader.moves(&fields).err();
                reader.comments(&fields.comments);
                reader.tags(&fields.tags);
                let mut read = reader.finish(*number);
                if let Some(failure) = broken {
                    let partial = read.games.pop().map(Box::new);
                    read.errors.push(ReadError { partial, ..error(failure) });
                }
                result.games.append(&mut read.games);
                result.errors.append(&mut read.errors);
            }
        }
        *number += 1;
    }

    /// The start: the FEN, if there is one; else the board of `binit`, for the
    /// side whose piece moves first.
    fn start(&self) -> Result<Position, (Place, Problem)> {
        if let Some(fen) = self.fen.filter(|fen| !fen.text.trim().is_empty()) {
            return Position::from_fen(fen.text).map_err(|error| (fen.place(), error.into()));
        }
        let Some(binit) = self.binit.filter(|binit| !binit.text.trim().is_empty()) else {
            return Ok(Position::start());
        };
        let expected = "64 digits, two for each of 32 pieces";
        let board = board(binit.text.trim()).ok_or((binit.place(), Problem::Field { expected }))?;
        let first = self.movelist.and_then(|moves| parse_move(moves.text.trim().as_bytes().get(..4)?));
        let mover = first.and_then(|mv| board.piece_at(mv.from)).map(|piece| piece.side);
        let setup = |side_to_move| Setup { board: board.clone(), side_to_move, ..Setup::start() };
        Position::from_setup(setup(mover.unwrap_or(Side::Red)))
            .or_else(|error| match mover {
                Some(_) => Err(error),
                None => Position::from_setup(setup(Side::Black)).map_err(|_| error),
            })
            .map_err(|error| (binit.place(), error.into()))
    }
}

/// The result in words or, as some write it, by a letter.
fn result(text: &str) -> GameResult {
    match text {
        "W" => GameResult::RedWins,
        "L" => GameResult::BlackWins,
        "D" => GameResult::Draw,
        word => GameResult::from_word(word).unwrap_or_default(),
    }
}

fn board(binit: &str) -> Option<Board> {
    if binit.len() != 64 || !binit.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut points = [None; 32];
    for (at, digits) in points.iter_mut().zip(binit.as_bytes().chunks_exact(2)) {
        *at = point(digits);
    }
    Some(roster::board(points))
}

/// A line of moves already read.
struct Branch<'a> {
    field: Option<Field<'a>>,
    /// The number of its first move.
    first_ply: usize,
    nodes: Vec<NodeId>,
}

impl Branch<'_> {
    /// The node after move `ply` of this line.
    fn node(&self, ply: usize) -> Option<NodeId> {
        self.nodes.get(ply.checked_sub(self.first_ply)?).copied()
    }
}

#[derive(Default)]
struct Reader<'a> {
    game: Game,
    branches: BTreeMap<usize, Branch<'a>>,
    /// By node: the number of its line.
    numbers: Vec<usize>,
    errors: Vec<(Place, Problem)>,
}

impl<'a> Reader<'a> {
    /// Reads the main line, then every line whose parent is read.
    fn moves(&mut self, fields: &Fields<'a>) -> Result<(), (Place, Problem)> {
        let mut variations = fields.variations.clone();
        self.branch(0, 1, NodeId::ROOT, fields.movelist)?;
        let mut read = vec![0];
        while let Some(parent) = read.pop() {
            for (ply, number, field) in variations.remove(&parent).unwrap_or_default() {
                let place = field.place();
                if self.branches.contains_key(&number) {
                    let expected = "a number that no other line of the game has";
                    self.errors.push((place, Problem::Field { expected }));
                } else if let Some(node) = self.before(parent, ply) {
                    if let Err(failure) = self.branch(number, ply, node, Some(field)) {
                        self.errors.push(failure);
                    }
                    read.push(number);
                } else {
                    self.errors.push((place, Problem::NoSuchPlace { branch: parent, ply }));
                }
            }
        }
        for (branch, orphans) in variations {
            for (ply, _, field) in orphans {
                self.errors.push((field.place(), Problem::NoSuchPlace { branch, ply }));
            }
        }
        Ok(())
    }

    /// The node before move `ply` of a line.
    fn before(&self, branch: usize, ply: usize) -> Option<NodeId> {
        let line = self.branches.get(&branch)?;
        match ply.checked_sub(1)? {
            0 => Some(NodeId::ROOT),
            last => line.node(last).or_else(|| self.game.parent(line.node(ply)?)),
        }
    }

    /// Reads the moves of a line below `node`; without a field it has none.
    fn branch(
        &mut self,
        number: usize,
        first_ply: usize,
        node: NodeId,
        field: Option<Field<'a>>,
    ) -> Result<(), (Place, Problem)> {
        let branch = self.branches.entry(number).or_insert(Branch { field, first_ply, nodes: Vec::new() });
        let Some(field) = field else { return Ok(()) };
        let text: Vec<u8> = field.text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let mut node = node;
        for digits in text.chunks(4) {
            let place = || field.place_of(&String::from_utf8_lossy(digits));
            let expected = "a move of four digits: file 0-8 and row 0-9, from and to";
            let mv = parse_move(digits).ok_or_else(|| (place(), Problem::Field { expected }))?;
            if self.game.move_count() == MAX_MOVES {
                return Err((place(), Problem::TooManyMoves(MAX_MOVES)));
            }
            node = self.game.add(node, mv);
            self.numbers.push(number);
            branch.nodes.push(node);
        }
        Ok(())
    }

    fn comments(&mut self, comments: &[(usize, usize, Field<'_>)]) {
        for &(branch, ply, field) in comments {
            let text = field.text.replace("||", "\n");
            if text.trim().is_empty() {
                continue;
            }
            let node = match ply {
                0 => Some(NodeId::ROOT),
                ply => self.branches.get(&branch).and_then(|line| line.node(ply)),
            };
            match node {
                Some(node) => self.game.append_comment(node, text.trim()),
                None => self.errors.push((field.place(), Problem::NoSuchPlace { branch, ply })),
            }
        }
    }

    fn tags(&mut self, tags: &[Field<'_>]) {
        for &Field { name, text, .. } in tags {
            match name {
                "result" => self.game.result = result(text.trim()),
                "date" => self.game.tags.set("Date", &date(text.trim(), '-', '.')),
                name if SILENT.contains(&name) => {}
                name => self.game.tags.set(tag(name), &text.replace("||", "\n")),
            }
        }
    }

    fn finish(self, number: usize) -> ReadResult {
        let Reader { game, numbers, errors, branches } = self;
        let place = |node: NodeId, mv| {
            let field = branches.get(&numbers[node.index()]).and_then(|branch| branch.field);
            field.map_or(Place::line(1, ""), |field| field.place_of(&String::from_iter(move_digits(mv))))
        };
        let mut result = checked(game, number, place);
        let errors = errors.into_iter();
        result.errors.extend(errors.map(|(place, problem)| ReadError {
            game: number,
            place,
            problem,
            partial: None,
        }));
        result
    }
}
