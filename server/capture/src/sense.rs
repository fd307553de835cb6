//! What a board shows, whatever its kind: one [`Sense`] a point, and sets of points to compare it with a position.

use firmware_proto::{Reading, SensingKind};
use xiangqi::{Board, BySide, Piece, Point, Points, Role, Side};

use crate::Readings;

/// What a point shows. The four sensing kinds become one: each says as much as it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sense {
    /// No piece.
    Empty,
    /// A piece, whosever it is (occupancy).
    Some,
    /// A piece of this side (colour).
    Of(Side),
    /// This piece (type, identity).
    Is(Piece),
}

impl Sense {
    /// What a reading says on a board of this kind.
    #[must_use]
    pub fn read(kind: SensingKind, reading: Reading) -> Sense {
        if reading.is_empty() {
            return Sense::Empty;
        }
        match kind {
            SensingKind::Occupancy => Sense::Some,
            SensingKind::Colour => Sense::Of(if reading.0 == 1 { Side::Red } else { Side::Black }),
            SensingKind::Type => match reading.0 {
                n @ 1..=7 => Sense::Is(Piece { side: Side::Red, role: Role::ALL[usize::from(n) - 1] }),
                n @ 8..=14 => Sense::Is(Piece { side: Side::Black, role: Role::ALL[usize::from(n) - 8] }),
                _ => Sense::Some,
            },
            SensingKind::Identity => match reading.0 {
                n @ 1..=16 => {
                    Sense::Is(Piece { side: Side::Red, role: ROLE_OF_IDENTITY[usize::from(n) - 1] })
                }
                n @ 17..=32 => {
                    Sense::Is(Piece { side: Side::Black, role: ROLE_OF_IDENTITY[usize::from(n) - 17] })
                }
                _ => Sense::Some,
            },
        }
    }

    /// Whether a point with this piece, or without one, may show this.
    #[must_use]
    pub fn may_be(self, piece: Option<Piece>) -> bool {
        match (self, piece) {
            (Sense::Empty, None) => true,
            (Sense::Empty, Some(_)) | (_, None) => false,
            (Sense::Some, Some(_)) => true,
            (Sense::Of(side), Some(piece)) => side == piece.side,
            (Sense::Is(shown), Some(piece)) => shown == piece,
        }
    }

    /// Whether this may be a piece of `side`.
    #[must_use]
    pub fn may_be_of(self, side: Side) -> bool {
        match self {
            Sense::Empty => false,
            Sense::Some => true,
            Sense::Of(shown) | Sense::Is(Piece { side: shown, .. }) => shown == side,
        }
    }
}

/// The sixteen pieces of a set in the order of their identity numbers: as [`Role::ALL`], pairs and soldiers in a row.
const ROLE_OF_IDENTITY: [Role; 16] = [
    Role::King,
    Role::Advisor,
    Role::Advisor,
    Role::Elephant,
    Role::Elephant,
    Role::Horse,
    Role::Horse,
    Role::Chariot,
    Role::Chariot,
    Role::Cannon,
    Role::Cannon,
    Role::Soldier,
    Role::Soldier,
    Role::Soldier,
    Role::Soldier,
    Role::Soldier,
];

/// What the whole board shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    kind: SensingKind,
    at: [Sense; Point::COUNT],
    occupied: Points,
    may: BySide<Points>,
}

/// Where an image and a board differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// A piece should stand there and none shows.
    pub missing: Points,
    /// A piece shows where none should stand.
    pub extra: Points,
    /// Another piece shows than the one that should stand there.
    pub wrong: Points,
}

impl Difference {
    /// All points that differ.
    #[must_use]
    pub fn points(self) -> Points {
        self.missing | self.extra | self.wrong
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.points().is_empty()
    }
}

impl Image {
    /// The image of these readings.
    #[must_use]
    pub fn new(readings: &Readings) -> Image {
        let mut image = Image::empty(readings.kind);
        for point in Point::ALL {
            image.set(point, Sense::read(readings.kind, readings.points[point.index()]));
        }
        image
    }

    /// A board without pieces.
    #[must_use]
    pub fn empty(kind: SensingKind) -> Image {
        Image {
            kind,
            at: [Sense::Empty; Point::COUNT],
            occupied: Points::EMPTY,
            may: BySide::both(Points::EMPTY),
        }
    }

    /// In whose terms.
    #[must_use]
    pub fn kind(&self) -> SensingKind {
        self.kind
    }

    /// What a point shows.
    #[must_use]
    pub fn at(&self, point: Point) -> Sense {
        self.at[point.index()]
    }

    /// Points that show a piece.
    #[must_use]
    pub fn occupied(&self) -> Points {
        self.occupied
    }

    pub(crate) fn set(&mut self, point: Point, sense: Sense) {
        self.at[point.index()] = sense;
        let put = |set: Points, on: bool| if on { set.with(point) } else { set.without(point) };
        self.occupied = put(self.occupied, sense != Sense::Empty);
        for side in Side::ALL {
            self.may[side] = put(self.may[side], sense.may_be_of(side));
        }
    }

    /// Where this image and `board` differ.
    #[must_use]
    pub fn difference(&self, board: &Board) -> Difference {
        let expected = board.occupied();
        let shown = expected & self.occupied;
        let not_of = |side: Side| (shown & board.of_side(side)) - self.may[side];
        let mut wrong = not_of(Side::Red) | not_of(Side::Black);
        match self.kind {
            SensingKind::Occupancy | SensingKind::Colour => {}
            SensingKind::Type | SensingKind::Identity => {
                for point in shown - wrong {
                    if !self.at(point).may_be(board.piece_at(point)) {
                        wrong = wrong.with(point);
                    }
                }
            }
        }
        Difference { missing: expected - self.occupied, extra: self.occupied - expected, wrong }
    }
}
