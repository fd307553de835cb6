//! Sets of points, one bit each.

use core::fmt;
use core::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not, Sub};

use crate::point::{FILES, Point, RANKS};

/// A set of points of the board.
///
/// ```
/// use xiangqi::{Point, Points};
/// let palace: Points = Point::ALL.into_iter().filter(|p| p.in_palace(xiangqi::Side::Red)).collect();
/// assert_eq!(palace.len(), 9);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(u128);

impl Points {
    /// No point.
    pub const EMPTY: Points = Points(0);
    /// All ninety.
    pub const ALL: Points = Points((1 << Point::COUNT) - 1);

    /// Only `point`.
    #[must_use]
    pub const fn only(point: Point) -> Points {
        Points(1 << point.index())
    }

    /// The ten points of a file, 0 = a … 8 = i.
    ///
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub const fn file(file: u8) -> Points {
        assert!(file < FILES, "files are numbered 0 to 8");
        let mut points = 0;
        let mut rank = 0;
        while rank < RANKS {
            points |= 1 << (rank * FILES);
            rank += 1;
        }
        Points(points << file)
    }

    /// The set as bits: bit 0 = a0, bit 89 = i9.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The set of the bits that name a point; others are dropped.
    #[must_use]
    pub const fn from_bits(bits: u128) -> Points {
        Points(bits & Points::ALL.0)
    }

    /// Whether it has `point`.
    #[must_use]
    pub const fn contains(self, point: Point) -> bool {
        self.0 >> point.index() & 1 != 0
    }

    /// The set with `point`.
    #[must_use]
    pub const fn with(self, point: Point) -> Points {
        Points(self.0 | 1 << point.index())
    }

    /// The set without `point`.
    #[must_use]
    pub const fn without(self, point: Point) -> Points {
        Points(self.0 & !(1 << point.index()))
    }

    /// The points of either.
    #[must_use]
    pub const fn union(self, other: Points) -> Points {
        Points(self.0 | other.0)
    }

    /// The points of both.
    #[must_use]
    pub const fn intersection(self, other: Points) -> Points {
        Points(self.0 & other.0)
    }

    /// How many points it has.
    #[must_use]
    pub const fn len(self) -> usize {
        (self.0 as u64).count_ones() as usize + ((self.0 >> 64) as u64).count_ones() as usize
    }

    /// Whether it has none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its first point, in the order of [`Point::ALL`].
    #[must_use]
    pub const fn first(self) -> Option<Point> {
        Point::from_index(self.0.trailing_zeros() as usize)
    }
}

impl BitAnd for Points {
    type Output = Points;

    fn bitand(self, other: Points) -> Points {
        self.intersection(other)
    }
}

impl BitOr for Points {
    type Output = Points;

    fn bitor(self, other: Points) -> Points {
        self.union(other)
    }
}

impl BitOrAssign for Points {
    fn bitor_assign(&mut self, other: Points) {
        *self = self.union(other);
    }
}

impl BitXor for Points {
    type Output = Points;

    fn bitxor(self, other: Points) -> Points {
        Points(self.0 ^ other.0)
    }
}

impl Sub for Points {
    type Output = Points;

    /// The points of `self` that `other` does not have.
    fn sub(self, other: Points) -> Points {
        Points(self.0 & !other.0)
    }
}

impl Not for Points {
    type Output = Points;

    fn not(self) -> Points {
        Points(!self.0 & Points::ALL.0)
    }
}

impl From<Point> for Points {
    fn from(point: Point) -> Points {
        Points::only(point)
    }
}

impl FromIterator<Point> for Points {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Points {
        points.into_iter().fold(Points::EMPTY, Points::with)
    }
}

impl IntoIterator for Points {
    type Item = Point;
    type IntoIter = PointsIter;

    fn into_iter(self) -> PointsIter {
        PointsIter(self)
    }
}

/// The points of a set, in the order of [`Point::ALL`].
#[derive(Clone, Debug)]
pub struct PointsIter(Points);

impl Iterator for PointsIter {
    type Item = Point;

    fn next(&mut self) -> Option<Point> {
        let point = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(point)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for PointsIter {}

impl fmt::Debug for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
