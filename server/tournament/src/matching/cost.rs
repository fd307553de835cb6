//! Costs that are compared like a ladder: the first figure decides, the next only among equals.

use core::ops::{Add, AddAssign, Sub, SubAssign};

/// A column of `W` figures, the weightiest first. An ordered group, so that it can serve as the weight of a matching: no
/// figure can be outweighed by any number of later ones, and nothing overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost<const W: usize>(pub [i64; W]);

impl<const W: usize> Cost<W> {
    pub const ZERO: Cost<W> = Cost([0; W]);

    pub fn twice(self) -> Cost<W> {
        self + self
    }

    /// Half of a cost whose figures are all even.
    pub fn half(mut self) -> Cost<W> {
        debug_assert!(self.0.iter().all(|figure| figure % 2 == 0), "{self:?} is not even");
        for figure in &mut self.0 {
            *figure /= 2;
        }
        self
    }
}

impl<const W: usize> Add for Cost<W> {
    type Output = Cost<W>;

    fn add(mut self, other: Cost<W>) -> Cost<W> {
        self += other;
        self
    }
}

impl<const W: usize> AddAssign for Cost<W> {
    fn add_assign(&mut self, other: Cost<W>) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

impl<const W: usize> Sub for Cost<W> {
    type Output = Cost<W>;

    fn sub(mut self, other: Cost<W>) -> Cost<W> {
        self -= other;
        self
    }
}

impl<const W: usize> SubAssign for Cost<W> {
    fn sub_assign(&mut self, other: Cost<W>) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine -= theirs;
        }
    }
}

impl<const W: usize> core::iter::Sum for Cost<W> {
    fn sum<I: Iterator<Item = Cost<W>>>(costs: I) -> Cost<W> {
        costs.fold(Cost::ZERO, Add::add)
    }
}
