//! A position of a game: a board to which the rules apply.

use core::fmt;

use crate::attack::attackers;
use crate::zobrist::{self, piece_key};
use crate::{Board, Defects, Illegal, Move, Piece, Point, Points, Setup, SetupError, Side};

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

#[cfg(test)]
mod tests {
    use crate::{Breach, Defect, Illegal, Position, Role, Side, Status};

    fn played(moves: &str) -> Position {
        moves.split(' ').fold(Position::start(), |position, mv| position.play(mv.parse().unwrap()).unwrap())
    }

    #[test]
    fn counters_count_plies_since_the_last_capture_and_rounds() {
        let position = played("h2e2 h9g7 h0g2 i9h9");
        assert_eq!((position.plies_since_capture(), position.rounds_since_capture()), (4, 2));
        assert_eq!(position.move_number(), 3);
        let position = played("h2e2 h9g7 e2e6");
        assert_eq!((position.plies_since_capture(), position.move_number()), (0, 2));
    }

    #[test]
    fn an_illegal_move_is_refused_and_the_position_is_untouched() {
        let start = Position::start();
        let leap = "b0d1".parse().unwrap();
        assert_eq!(start.play(leap), Err(Illegal::Breaks(Breach::HorseLegBlocked)));
        assert_eq!(start, Position::start());
    }

    #[test]
    fn a_game_goes_on_after_an_illegal_move() {
        let irregular = Position::start().play_irregular("b0d1".parse().unwrap());
        assert_eq!(irregular.piece_at("d1".parse().unwrap()).map(|piece| piece.role), Some(Role::Horse));
        assert_eq!(irregular.side_to_move(), Side::Black);
        assert!(irregular.defects().is_empty());
        assert_eq!(irregular.status(), Status::Ongoing);
    }

    #[test]
    fn even_the_capture_of_a_general_is_followed() {
        let taken = Position::start().play_irregular("e0e9".parse().unwrap());
        assert!(taken.defects().contains(Defect::NoGeneral));
        assert!(taken.defects().contains(Defect::ImpossiblePoint));
        assert_eq!(taken.status(), Status::Ongoing);
        assert!(!taken.in_check(Side::Black), "a side without a general is never in check");
        assert_eq!(taken.plies_since_capture(), 0);
    }

    #[test]
    fn a_displacement_from_an_empty_point_only_passes_the_turn() {
        let passed = Position::start().play_irregular("e5e6".parse().unwrap());
        assert_eq!(passed.board(), Position::start().board());
        assert_eq!(passed.key(), Position::start().pass().key());
    }
}
