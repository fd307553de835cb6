//! The ninety points and what stands on them: data, with no rule attached.

use core::fmt;

use crate::{Piece, Point, Points, Role, Side};

/// What stands on each point. Any arrangement can be put on it; whether the
/// rules know the arrangement is [`Position`](crate::Position)'s business.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Board {
    at: [Option<Piece>; Point::COUNT],
    sides: [Points; 2],
    roles: [Points; 7],
}

impl Board {
    /// The initial arrangement (开局).
    pub const START: Board = Board::start();

    /// No piece.
    #[must_use]
    pub const fn empty() -> Board {
        Board { at: [None; Point::COUNT], sides: [Points::EMPTY; 2], roles: [Points::EMPTY; 7] }
    }

    const fn start() -> Board {
        const HOME: [Role; 9] = [
            Role::Chariot,
            Role::Horse,
            Role::Elephant,
            Role::Advisor,
            Role::King,
            Role::Advisor,
            Role::Elephant,
            Role::Horse,
            Role::Chariot,
        ];
        let mut board = Board::empty();
        let mut file = 0;
        while file < 9 {
            board.put_both(file, 0, HOME[file]);
            if file % 2 == 0 {
                board.put_both(file, 3, Role::Soldier);
            }
            file += 1;
        }
        board.put_both(1, 2, Role::Cannon);
        board.put_both(7, 2, Role::Cannon);
        board
    }

    /// Puts a red piece on an empty point and its black twin on the point opposite.
    const fn put_both(&mut self, file: usize, rank: usize, role: Role) {
        let point = Point::ALL[rank * 9 + file];
        self.put(point, Piece { side: Side::Red, role });
        self.put(point.rotated(), Piece { side: Side::Black, role });
    }

    /// Puts a piece on an empty point.
    pub(crate) const fn put(&mut self, point: Point, piece: Piece) {
        self.at[point.index()] = Some(piece);
        let (side, role) = (piece.side.index(), piece.role.index());
        self.sides[side] = self.sides[side].with(point);
        self.roles[role] = self.roles[role].with(point);
    }

    /// Takes away what stands on a point.
    pub(crate) const fn take(&mut self, point: Point) -> Option<Piece> {
        let taken = self.at[point.index()];
        if let Some(piece) = taken {
            self.at[point.index()] = None;
            let (side, role) = (piece.side.index(), piece.role.index());
            self.sides[side] = self.sides[side].without(point);
            self.roles[role] = self.roles[role].without(point);
        }
        taken
    }

    /// What stands on `point`.
    #[must_use]
    pub const fn piece_at(&self, point: Point) -> Option<Piece> {
        self.at[point.index()]
    }

    /// Puts `piece` (or nothing) on `point`, whatever stood there.
    pub const fn set(&mut self, point: Point, piece: Option<Piece>) {
        self.take(point);
        if let Some(piece) = piece {
            self.put(point, piece);
        }
    }

    /// The pieces and where they stand, rank 0 first.
    pub fn pieces(&self) -> impl Iterator<Item = (Point, Piece)> + '_ {
        self.occupied().into_iter().filter_map(|point| Some((point, self.piece_at(point)?)))
    }

    /// The points with a piece.
    #[must_use]
    pub fn occupied(&self) -> Points {
        self.sides[0] | self.sides[1]
    }

    /// The points with a piece of `side`.
    #[must_use]
    pub const fn of_side(&self, side: Side) -> Points {
        self.sides[side.index()]
    }

    /// The points with a piece of this role, of either side.
    #[must_use]
    pub const fn of_role(&self, role: Role) -> Points {
        self.roles[role.index()]
    }

    /// The points with this piece.
    #[must_use]
    pub fn of(&self, side: Side, role: Role) -> Points {
        self.sides[side.index()] & self.roles[role.index()]
    }

    /// Where the general of `side` stands; `None` if it is not on the board.
    #[must_use]
    pub fn king(&self, side: Side) -> Option<Point> {
        self.of(side, Role::King).first()
    }

    /// The board turned by 180° with the colours exchanged: what the other
    /// player sees as his own.
    #[must_use]
    pub fn swapped(&self) -> Board {
        self.rearranged(Point::rotated, Side::opposite)
    }

    /// The board reflected left to right.
    #[must_use]
    pub fn mirrored(&self) -> Board {
        self.rearranged(Point::mirrored, |side| side)
    }

    fn rearranged(&self, point: impl Fn(Point) -> Point, side: impl Fn(Side) -> Side) -> Board {
        let mut board = Board::empty();
        for (at, piece) in self.pieces() {
            board.put(point(at), Piece { side: side(piece.side), ..piece });
        }
        board
    }
}

impl fmt::Debug for Board {
    /// The placement field of FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::fen::write_board(self, f)
    }
}

impl fmt::Display for Board {
    /// A drawing with Black above, for people and test failures.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..10).rev() {
            write!(f, "{rank}")?;
            for file in 0..9 {
                let piece = self.piece_at(Point::ALL[rank * 9 + file]);
                write!(f, " {}", piece.map_or('.', Piece::fen_char))?;
            }
            writeln!(f)?;
        }
        f.write_str("  a b c d e f g h i")
    }
}
