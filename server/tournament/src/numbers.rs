//! The numbers of a tournament, each with a type of its own: entrants, rounds, tables, points, and figures of a standing.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize, Serializer};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u16);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// 编号: the number an entrant (a player, or a team in a team event) drew, from 1. It never changes.
    EntrantNo
}
number! {
    /// 轮次: a round, from 1. Round 0 stands for "before the first round".
    RoundNo
}
number! {
    /// 台号: a table, from 1.
    TableNo
}
number! {
    /// 组别: a group of entrants, from 1 in the order of the event's list. Where there are no groups, all are in group 1.
    GroupNo
}

impl Default for GroupNo {
    fn default() -> GroupNo {
        GroupNo(1)
    }
}

impl RoundNo {
    /// The round before this one; none before round 1.
    #[must_use]
    pub fn previous(self) -> Option<RoundNo> {
        (self.0 > 1).then(|| RoundNo(self.0 - 1))
    }

    /// The round after this one.
    #[must_use]
    pub fn next(self) -> RoundNo {
        RoundNo(self.0.saturating_add(1))
    }

    /// Rounds 1 to this one, in order.
    pub fn up_to(self) -> impl DoubleEndedIterator<Item = RoundNo> {
        (1..=self.0).map(RoundNo)
    }
}

/// 积分: points of a game, a match or an event. They are whole numbers: a win is 2, so that a draw is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Points(pub u32);

impl Add for Points {
    type Output = Points;

    fn add(self, other: Points) -> Points {
        Points(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Points) {
        *self = *self + other;
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Points>>(points: I) -> Points {
        points.fold(Points(0), Add::add)
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One figure in a column of a standing. It is kept in halves, because 小分 halves an opponent's score for a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Figure {
    halves: i64,
}

impl Figure {
    /// A whole number.
    pub fn whole(n: impl Into<i64>) -> Figure {
        Figure { halves: n.into() * 2 }
    }

    /// So many halves.
    #[must_use]
    pub const fn halves(n: i64) -> Figure {
        Figure { halves: n }
    }

    /// The figure counted in halves.
    #[must_use]
    pub const fn in_halves(self) -> i64 {
        self.halves
    }
}

impl From<Points> for Figure {
    fn from(points: Points) -> Figure {
        Figure::whole(points.0)
    }
}

impl Add for Figure {
    type Output = Figure;

    fn add(self, other: Figure) -> Figure {
        Figure { halves: self.halves + other.halves }
    }
}

impl Sub for Figure {
    type Output = Figure;

    fn sub(self, other: Figure) -> Figure {
        Figure { halves: self.halves - other.halves }
    }
}

impl Sum for Figure {
    fn sum<I: Iterator<Item = Figure>>(figures: I) -> Figure {
        figures.fold(Figure::default(), Add::add)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.halves % 2 == 0 {
            (self.halves / 2).fmt(f)
        } else {
            let sign = if self.halves < 0 { "-" } else { "" };
            f.pad(&format!("{sign}{}.5", self.halves.abs() / 2))
        }
    }
}

/// A JSON number: whole where it is whole, else with `.5`.
impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.halves % 2 == 0 {
            serializer.serialize_i64(self.halves / 2)
        } else {
            // Exact: a half of an integer this small is a binary fraction.
            serializer.serialize_f64(self.halves as f64 / 2.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_print_halves() {
        assert_eq!(Figure::halves(25).to_string(), "12.5");
        assert_eq!(Figure::halves(-1).to_string(), "-0.5");
        assert_eq!(Figure::whole(7).to_string(), "7");
        assert_eq!(serde_json::to_string(&[Figure::whole(7), Figure::halves(25)]).unwrap(), "[7,12.5]");
    }

    #[test]
    fn rounds_count_from_one() {
        assert_eq!(RoundNo(1).previous(), None);
        assert_eq!(RoundNo(3).up_to().collect::<Vec<_>>(), [RoundNo(1), RoundNo(2), RoundNo(3)]);
    }
}
