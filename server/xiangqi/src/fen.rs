//! FEN: a position as one line of text.
//!
//! `rnbakabnr/9/… w - - 0 1`: the rows from Black's home rank down, the side to
//! move (`w`, also `r`; `b`), two fields that Xiangqi leaves empty, the plies
//! since the last capture, the number of the round. Fields after the side may
//! be missing.

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use crate::{Board, Defect, Defects, Piece, Point, Position, Setup, SetupError, Side};

/// Why a text is not the FEN of a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenError {
    /// There is nothing but spaces.
    #[error("the FEN is empty")]
    Empty,
    /// Not ten rows.
    #[error("the FEN has {0} rows instead of 10")]
    Rows(usize),
    /// A row is not nine points wide.
    #[error("row {row} of the FEN (rank {}) has {width} points instead of 9", 10 - row)]
    Width {
        /// 1 = Black's home rank … 10 = Red's.
        row: usize,
        /// How many points the row describes.
        width: usize,
    },
    /// A character that is neither a piece nor a number of empty points.
    #[error("row {row} of the FEN (rank {}): `{found}` is neither a piece nor a digit 1-9", 10 - row)]
    Piece {
        /// 1 = Black's home rank … 10 = Red's.
        row: usize,
        /// The character.
        found: char,
    },
    /// The side to move is not one.
    #[error("field 2 of the FEN, the side to move, is `{0}` instead of `w` or `b`")]
    Side(String),
    /// A field that Xiangqi does not use is not `-`.
    #[error("field {field} of the FEN is `{found}`: Xiangqi has nothing to say there but `-`")]
    Unused {
        /// 3 or 4.
        field: usize,
        /// Its text.
        found: String,
    },
    /// A counter is not a number.
    #[error("field {field} of the FEN, {what}, is `{found}` instead of a number")]
    Counter {
        /// 5 or 6.
        field: usize,
        /// What the field counts.
        what: &'static str,
        /// Its text.
        found: String,
    },
    /// There is something after the sixth field.
    #[error("the FEN goes on after its 6 fields: `{0}`")]
    Trailing(String),
    /// The text describes a board, but no game can come to it.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Setup {
    /// Reads any FEN whose form is right, whatever it describes.
    ///
    /// # Errors
    /// The first fault of the text, with its place.
    pub fn from_fen(fen: &str) -> Result<Setup, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let board = read_board(fields.next().ok_or(FenError::Empty)?)?;
        let side_to_move = match fields.next() {
            None | Some("w" | "W" | "r" | "R") => Side::Red,
            Some("b" | "B") => Side::Black,
            Some(other) => return Err(FenError::Side(other.to_owned())),
        };
        for field in [3, 4] {
            if let Some(found) = fields.next().filter(|&text| text != "-") {
                return Err(FenError::Unused { field, found: found.to_owned() });
            }
        }
        let plies_since_capture = read_counter(5, "the plies since the last capture", fields.next(), 0)?;
        let move_number = read_counter(6, "the number of the round", fields.next(), 1)?;
        match fields.next() {
            None => Ok(Setup { board, side_to_move, plies_since_capture, move_number }),
            Some(more) => Err(FenError::Trailing(more.to_owned())),
        }
    }

    /// Writes all six fields.
    #[must_use]
    pub fn fen(&self) -> String {
        self.to_string()
    }
}

impl FromStr for Setup {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Setup, FenError> {
        Setup::from_fen(text)
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_board(&self.board, f)?;
        let side = match self.side_to_move {
            Side::Red => 'w',
            Side::Black => 'b',
        };
        write!(f, " {side} - - {} {}", self.plies_since_capture, self.move_number)
    }
}

impl Position {
    /// Reads a FEN and checks that the rules can go on from it.
    ///
    /// # Errors
    /// The first fault of the text with its place, or the defects of the
    /// position that it describes.
    ///
    /// ```
    /// use xiangqi::{FenError, Position};
    /// let facing = Position::from_fen("4k4/9/9/9/9/9/9/9/9/4K4 w");
    /// assert!(matches!(facing, Err(FenError::Setup(_))));
    /// ```
    pub fn from_fen(fen: &str) -> Result<Position, FenError> {
        Ok(Position::from_setup(Setup::from_fen(fen)?)?)
    }

    /// Reads the FEN of a diagram that shows a few pieces to make a point. Such
    /// diagrams hold pieces on points where no game can bring them, and give the
    /// move to a side that could take the general; both are forgiven.
    ///
    /// # Errors
    /// As [`from_fen`](Position::from_fen), the two defects apart.
    pub fn from_diagram(fen: &str) -> Result<Position, FenError> {
        let waived = Defects::from_iter([Defect::ImpossiblePoint, Defect::WaitingSideInCheck]);
        let setup = Setup::from_fen(fen)?;
        Ok(Position::from_setup(setup).or_else(|error| error.forgive(waived))?)
    }
}

fn read_board(text: &str) -> Result<Board, FenError> {
    let rows = text.split('/').count();
    if rows != 10 {
        return Err(FenError::Rows(rows));
    }
    let mut board = Board::empty();
    for (row, pieces) in (1..).zip(text.split('/')) {
        let mut width = 0;
        for found in pieces.chars() {
            match (found.to_digit(10), Piece::from_fen_char(found)) {
                (Some(empty @ 1..), _) => width += empty as usize,
                (None, Some(piece)) => {
                    if let Some(point) = Point::new(width.min(9) as u8, 10 - row as u8) {
                        board.put(point, piece);
                    }
                    width += 1;
                }
                (Some(0), _) | (None, None) => return Err(FenError::Piece { row, found }),
            }
        }
        if width != 9 {
            return Err(FenError::Width { row, width });
        }
    }
    Ok(board)
}

fn read_counter(field: usize, what: &'static str, text: Option<&str>, missing: u32) -> Result<u32, FenError> {
    match text {
        None | Some("-") => Ok(missing),
        Some(digits) => {
            digits.parse().map_err(|_| FenError::Counter { field, what, found: digits.to_owned() })
        }
    }
}

pub(crate) fn write_board(board: &Board, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for rank in (0..10).rev() {
        let mut empty = 0;
        for file in 0..9 {
            match board.piece_at(Point::ALL[rank * 9 + file]) {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        write!(f, "{empty}")?;
                        empty = 0;
                    }
                    write!(f, "{}", piece.fen_char())?;
                }
            }
        }
        if empty > 0 {
            write!(f, "{empty}")?;
        }
        if rank > 0 {
            f.write_str("/")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_written_as_everybody_writes_it() {
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
        assert_eq!(Position::start().fen(), start);
        assert_eq!(Position::from_fen(start), Ok(Position::start()));
    }

    #[test]
    fn synonyms_and_missing_fields_are_read() {
        let start = "rhegkgehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAGAEHR r";
        assert!(Position::from_fen(start).is_err(), "two generals more");
        let start = start.replacen("rhegkgehr", "rheagaehr", 1);
        assert_eq!(Position::from_fen(&start), Ok(Position::start()));
    }

    #[test]
    fn a_diagram_may_leave_a_general_to_be_taken_but_must_have_both() {
        let diagram = "4k4/9/9/9/4C4/9/9/4C4/9/3K5 w - - 0 1";
        assert!(Position::from_fen(diagram).is_err());
        assert_eq!(Position::from_diagram(diagram).unwrap().fen(), diagram);
        assert!(Position::from_diagram("9/9/9/9/4C4/9/9/4C4/9/3K5 w").is_err());
        assert!(Position::from_diagram("4k4/9/9/9/9/9/9/9/9/4K4 w").is_err());
    }

    #[test]
    fn each_fault_is_named_with_its_place() {
        let nine = "9/9/9/9/9/9/9/9/9";
        let fault = |fen: &str| Setup::from_fen(fen).unwrap_err();
        assert_eq!(fault("  "), FenError::Empty);
        assert_eq!(fault(nine), FenError::Rows(9));
        assert_eq!(fault(&format!("{nine}/8 w")), FenError::Width { row: 10, width: 8 });
        assert_eq!(fault(&format!("K9/{nine} w")), FenError::Width { row: 1, width: 10 });
        assert_eq!(fault(&format!("9K/{nine} w")), FenError::Width { row: 1, width: 10 });
        assert_eq!(fault(&format!("4x4/{nine} w")), FenError::Piece { row: 1, found: 'x' });
        assert_eq!(fault(&format!("0/{nine} w")), FenError::Piece { row: 1, found: '0' });
        assert_eq!(fault(&format!("9/{nine} x")), FenError::Side("x".into()));
        let unused = FenError::Unused { field: 3, found: "KQkq".into() };
        assert_eq!(fault(&format!("9/{nine} w KQkq - 0 1")), unused);
        let counter = fault(&format!("9/{nine} w - - x 1"));
        assert!(matches!(counter, FenError::Counter { field: 5, .. }), "{counter}");
        let counter = fault(&format!("9/{nine} w - - 0 -1"));
        assert!(matches!(counter, FenError::Counter { field: 6, .. }), "{counter}");
        assert_eq!(fault(&format!("9/{nine} w - - 0 1 2")), FenError::Trailing("2".into()));
        assert_eq!(
            fault(&format!("4x4/{nine} w")).to_string(),
            "row 1 of the FEN (rank 9): `x` is neither a piece nor a digit 1-9"
        );
    }
}
