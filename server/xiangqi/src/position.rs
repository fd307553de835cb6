//! A position of a game: a board to which the rules apply.

use core::fmt;

use crate::attack::{attackers, attackers_among};
use crate::legality::breach;
use crate::reach::reach;
use crate::zobrist::{self, piece_key};
use crate::{
    Board, Defects, Exposure, Illegal, Move, MoveList, Piece, Point, Points, Setup, SetupError, Side,
};

/// A position of a game.
///
/// It comes from [`Position::start`], from a [`Setup`] without defects, or
/// from a position by a legal move; or, with defects that somebody named and
/// forgave, from [`SetupError::forgive`] and [`Position::play_irregular`]
/// ([`Position::defects`] tells). Everything here is defined for those too:
/// pieces move as they do wherever they stand, and a side without a general
/// is never in check. No side ever has more pieces than a set.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
    side_to_move: Side,
    plies_since_capture: u32,
    move_number: u32,
    key: u64,
}

/// What [`Position::undo`] needs to take a move back.
#[derive(Clone, Copy, Debug)]
#[must_use = "without it the move cannot be taken back"]
pub struct Undo {
    mv: Move,
    moved: Option<Piece>,
    captured: Option<Piece>,
    plies_since_capture: u32,
    move_number: u32,
    key: u64,
}

impl Undo {
    /// The piece that the move captured.
    #[must_use]
    pub const fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

/// Whether the side to move can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It has a legal move.
    Ongoing,
    /// 将死: it is in check and has no legal move. It has lost.
    Checkmate,
    /// 困毙: it is not in check and has no legal move. It has lost too.
    Stalemate,
}

impl Position {
    /// The beginning of a game.
    #[must_use]
    pub fn start() -> Position {
        Position::of(Setup::start())
    }

    /// The position of a setup.
    ///
    /// # Errors
    /// The setup with its defects, some of which can be forgiven.
    pub fn from_setup(setup: Setup) -> Result<Position, SetupError> {
        let defects = setup.defects();
        if defects.is_empty() {
            Ok(Position::of(setup))
        } else {
            Err(SetupError { setup: Box::new(setup), defects })
        }
    }

    /// The position of a setup whose defects, if any, are forgiven.
    pub(crate) fn of(setup: Setup) -> Position {
        let Setup { board, side_to_move, plies_since_capture, move_number } = setup;
        let key = zobrist::key(&board, side_to_move);
        Position { board, side_to_move, plies_since_capture, move_number, key }
    }

    /// The position as editable data.
    #[must_use]
    pub fn setup(&self) -> Setup {
        Setup {
            board: self.board.clone(),
            side_to_move: self.side_to_move,
            plies_since_capture: self.plies_since_capture,
            move_number: self.move_number,
        }
    }

    /// What is wrong with it; empty unless the game went on irregularly.
    #[must_use]
    pub fn defects(&self) -> Defects {
        self.setup().defects()
    }

    /// Its FEN, all six fields.
    #[must_use]
    pub fn fen(&self) -> String {
        self.setup().fen()
    }

    /// What stands where.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Whose turn it is.
    #[must_use]
    pub const fn side_to_move(&self) -> Side {
        self.side_to_move
    }

    /// What stands on `point`.
    #[must_use]
    pub const fn piece_at(&self, point: Point) -> Option<Piece> {
        self.board.piece_at(point)
    }

    /// Plies (half rounds) since the last capture.
    #[must_use]
    pub const fn plies_since_capture(&self) -> u32 {
        self.plies_since_capture
    }

    /// Full rounds (回合) since the last capture.
    #[must_use]
    pub const fn rounds_since_capture(&self) -> u32 {
        self.plies_since_capture / 2
    }

    /// The number of the round (回合) being played, from 1.
    #[must_use]
    pub const fn move_number(&self) -> u32 {
        self.move_number
    }

    /// The Zobrist key of the pieces and the side to move: equal for equal
    /// positions in the sense of the repetition rules.
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The pieces of `by` that attack `target`: that could capture an
    /// opponent's piece there, the safety of their own general aside. A
    /// general attacks the other general along an open file.
    #[must_use]
    pub fn attackers(&self, target: Point, by: Side) -> Points {
        attackers(&self.board, target, by)
    }

    /// Whether the general of `side` could be captured (将军), facing
    /// generals included.
    #[must_use]
    pub fn in_check(&self, side: Side) -> bool {
        self.board.king(side).is_some_and(|king| !self.attackers(king, side.opposite()).is_empty())
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.in_check(self.side_to_move)
    }

    /// Whether `mv` would capture something.
    #[must_use]
    pub const fn is_capture(&self, mv: Move) -> bool {
        self.board.piece_at(mv.to).is_some()
    }

    /// Whether the side to move may play `mv`, and if not, why.
    ///
    /// # Errors
    /// The movement rule that it breaks; if it breaks none, how it exposes
    /// the own general.
    pub fn legality(&self, mv: Move) -> Result<(), Illegal> {
        if let Some(breach) = breach(&self.board, self.side_to_move, mv) {
            return Err(breach.into());
        }
        match self.exposure(mv) {
            Some(exposure) => Err(exposure.into()),
            None => Ok(()),
        }
    }

    /// How a move that keeps the movement rules exposes the own general.
    fn exposure(&self, mv: Move) -> Option<Exposure> {
        let enemy = self.side_to_move.opposite();
        let attackers = self.attackers_after(mv);
        if attackers.is_empty() {
            None
        } else if Some(attackers) == self.board.king(enemy).map(Points::only) {
            Some(Exposure::GeneralsFacing)
        } else if self.is_check() {
            Some(Exposure::CheckUnanswered)
        } else {
            Some(Exposure::IntoCheck)
        }
    }

    /// The pieces that attack the own general once `mv` is played.
    fn attackers_after(&self, mv: Move) -> Points {
        let mut after = self.board.clone();
        let moved = after.take(mv.from);
        after.set(mv.to, moved);
        match after.king(self.side_to_move) {
            None => Points::EMPTY,
            Some(king) => {
                let enemy = self.side_to_move.opposite();
                attackers_among(&after, after.of_side(enemy), after.occupied(), king, enemy)
            }
        }
    }

    /// Whether the side to move may play `mv`.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        self.legality(mv).is_ok()
    }

    /// Every legal move.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        let own = self.board.of_side(self.side_to_move);
        for from in own {
            let Some(piece) = self.board.piece_at(from) else { continue };
            for to in reach(piece, from, self.board.occupied()) - own {
                let mv = Move { from, to };
                if self.attackers_after(mv).is_empty() {
                    moves.push(mv);
                }
            }
        }
        moves
    }

    /// Every legal capture. The opposing general is never among them, not even
    /// where a passed turn left it to be taken.
    #[must_use]
    pub fn legal_captures(&self) -> MoveList {
        let own = self.board.of_side(self.side_to_move);
        self.captures_among(own, self.board.of_side(self.side_to_move.opposite()))
    }

    /// Every legal capture of what stands on `target`.
    #[must_use]
    pub fn legal_captures_on(&self, target: Point) -> MoveList {
        match self.board.piece_at(target) {
            Some(piece) if piece.side != self.side_to_move => {
                self.captures_among(self.attackers(target, self.side_to_move), Points::only(target))
            }
            Some(_) | None => MoveList::new(),
        }
    }

    fn captures_among(&self, pieces: Points, targets: Points) -> MoveList {
        let mut moves = MoveList::new();
        let targets = match self.board.king(self.side_to_move.opposite()) {
            Some(king) => targets.without(king),
            None => targets,
        };
        for from in pieces {
            let Some(piece) = self.board.piece_at(from) else { continue };
            for to in reach(piece, from, self.board.occupied()) & targets {
                let mv = Move { from, to };
                if self.attackers_after(mv).is_empty() {
                    moves.push(mv);
                }
            }
        }
        moves
    }

    /// Whether the side to move can go on.
    #[must_use]
    pub fn status(&self) -> Status {
        if !self.legal_moves().is_empty() {
            Status::Ongoing
        } else if self.is_check() {
            Status::Checkmate
        } else {
            Status::Stalemate
        }
    }

    /// The position after `mv`.
    ///
    /// # Errors
    /// Why it is not legal.
    pub fn play(&self, mv: Move) -> Result<Position, Illegal> {
        self.legality(mv)?;
        Ok(self.play_irregular(mv))
    }

    /// The position after `mv`, legal or not: whatever stands on `from`, if
    /// anything, goes to `to` and takes what stands there; the turn passes.
    /// A game that goes on after an illegal move goes on from here.
    #[must_use]
    pub fn play_irregular(&self, mv: Move) -> Position {
        let mut after = self.clone();
        let _ = after.play_unchecked(mv);
        after
    }

    /// The same position with the other side to move.
    #[must_use]
    pub fn pass(&self) -> Position {
        let mut after = self.clone();
        after.side_to_move = self.side_to_move.opposite();
        after.key ^= zobrist::BLACK_TO_MOVE;
        after
    }

    /// Plays `mv` in place without asking whether it is legal, for searches.
    pub fn play_unchecked(&mut self, mv: Move) -> Undo {
        let (plies_since_capture, move_number, key) = (self.plies_since_capture, self.move_number, self.key);
        let moved = self.board.take(mv.from);
        let mut captured = None;
        if let Some(piece) = moved {
            captured = self.board.take(mv.to);
            self.board.put(mv.to, piece);
            self.key ^= piece_key(piece, mv.from) ^ piece_key(piece, mv.to);
        }
        match captured {
            Some(piece) => {
                self.key ^= piece_key(piece, mv.to);
                self.plies_since_capture = 0;
            }
            None => self.plies_since_capture = self.plies_since_capture.saturating_add(1),
        }
        if self.side_to_move == Side::Black {
            self.move_number = self.move_number.saturating_add(1);
        }
        self.side_to_move = self.side_to_move.opposite();
        self.key ^= zobrist::BLACK_TO_MOVE;
        Undo { mv, moved, captured, plies_since_capture, move_number, key }
    }

    /// Takes back the last move played.
    pub fn undo(&mut self, undo: Undo) {
        let Undo { mv, moved, captured, plies_since_capture, move_number, key } = undo;
        if let Some(piece) = moved {
            self.board.set(mv.to, captured);
            self.board.put(mv.from, piece);
        }
        self.side_to_move = self.side_to_move.opposite();
        (self.plies_since_capture, self.move_number, self.key) = (plies_since_capture, move_number, key);
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::start()
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}
