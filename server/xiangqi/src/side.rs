//! The two sides, and total maps over them.

use core::fmt;
use core::ops::{Index, IndexMut, Not};

/// A side of the game. Red (红方) moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Side {
    /// 红方, the first to move; its home rank is rank 0.
    Red,
    /// 黑方; its home rank is rank 9.
    Black,
}

impl Side {
    /// Both sides, Red first.
    pub const ALL: [Side; 2] = [Side::Red, Side::Black];

    /// The other side.
    #[must_use]
    pub const fn opposite(self) -> Side {
        match self {
            Side::Red => Side::Black,
            Side::Black => Side::Red,
        }
    }

    /// 0 for Red, 1 for Black.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// The side's name as arbiters write it: 红 or 黑.
    #[must_use]
    pub const fn hanzi(self) -> char {
        match self {
            Side::Red => '红',
            Side::Black => '黑',
        }
    }
}

impl Not for Side {
    type Output = Side;

    fn not(self) -> Side {
        self.opposite()
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Side::Red => "red",
            Side::Black => "black",
        })
    }
}

/// One `T` for each side.
///
/// ```
/// use xiangqi::{BySide, Side};
/// let mut fouls = BySide { red: 0, black: 2 };
/// fouls[Side::Red] += 1;
/// assert_eq!(fouls.map(|n| n * 10), BySide { red: 10, black: 20 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BySide<T> {
    /// Red's.
    pub red: T,
    /// Black's.
    pub black: T,
}

impl<T> BySide<T> {
    /// What `f` says of each side.
    pub fn from_fn(mut f: impl FnMut(Side) -> T) -> Self {
        BySide { red: f(Side::Red), black: f(Side::Black) }
    }

    /// The same value for both.
    pub fn both(value: T) -> Self
    where
        T: Clone,
    {
        BySide { red: value.clone(), black: value }
    }

    /// `f` of each value.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> BySide<U> {
        BySide { red: f(self.red), black: f(self.black) }
    }

    /// The values by reference.
    pub const fn as_ref(&self) -> BySide<&T> {
        BySide { red: &self.red, black: &self.black }
    }

    /// Each side with its value, Red first.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &T)> {
        [(Side::Red, &self.red), (Side::Black, &self.black)].into_iter()
    }

    /// Red's value for Black and Black's for Red.
    #[must_use]
    pub fn swapped(self) -> Self {
        BySide { red: self.black, black: self.red }
    }
}

impl<T, F: FnMut(Side) -> T> From<F> for BySide<T> {
    fn from(f: F) -> Self {
        BySide::from_fn(f)
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Red => &self.red,
            Side::Black => &self.black,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Red => &mut self.red,
            Side::Black => &mut self.black,
        }
    }
}
