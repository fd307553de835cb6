//! The set-up (摆棋), right or wrong, and how a wrong one is put right before the clock starts.

use xiangqi::Point;

use super::{Act, Hands, Order};
use crate::incidents::Row;
use crate::man::Stand;
use crate::truth::{Incident, SensedBy};

/// What is wrong with a set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    Swapped(Point, Point),
    Missing(Point),
    Turned,
    Colours,
}

impl Hands<'_> {
    /// Sets the pieces up; returns what is wrong.
    pub(super) fn set_up(&mut self) -> Option<Wrong> {
        if !self.happens(Row::WrongSetUp) {
            return None;
        }
        let occupied = self.occupied();
        let of_one_side = |a: Point, b: Point| a.rank() == b.rank() && self.differ(a, b) == SensedBy::Type;
        let pairs = self.pairs(of_one_side);
        let wrong = match self.trouble.between(0, 3) {
            0 => self.trouble.pick(&pairs).map(|(a, b)| Wrong::Swapped(a, b))?,
            1 => Wrong::Missing(self.trouble.pick(&occupied)?),
            2 => Wrong::Turned,
            _ => Wrong::Colours,
        };
        match wrong {
            Wrong::Swapped(a, b) => self.stand.swap(a.index(), b.index()),
            Wrong::Missing(point) => self.stand[point.index()] = None,
            Wrong::Turned => {}
            Wrong::Colours => {
                let stood = self.stand;
                for point in Point::ALL {
                    self.stand[point.index()] = stood[point.rotated().index()];
                }
            }
        }
        Some(wrong)
    }

    /// The players, or whoever walks along the tables, see what is wrong and put it right.
    pub(super) fn put_right(&mut self, wrong: Option<Wrong>, right: &Stand) {
        let Some(wrong) = wrong else { return };
        let at = self.trouble.between(6_000, 20_000);
        let everywhere: Vec<Point> =
            Point::ALL.into_iter().filter(|point| right[point.index()].is_some()).collect();
        let (what, points, sensed_by) = match wrong {
            Wrong::Swapped(a, b) => (Incident::SetUpSwapped, vec![a, b], SensedBy::Type),
            Wrong::Missing(point) => (Incident::SetUpMissing, vec![point], SensedBy::Occupancy),
            Wrong::Turned => (Incident::SetUpTurned, everywhere, SensedBy::Colour),
            Wrong::Colours => (Incident::SetUpColours, everywhere, SensedBy::Colour),
        };
        self.now = match wrong {
            Wrong::Swapped(a, b) => self.exchange(a, b, at),
            Wrong::Missing(_) | Wrong::Colours => self.lay(right, at),
            Wrong::Turned => {
                self.signals.push((at, Act::Arbiter(Order::TurnBoard)));
                at
            }
        };
        self.note(what, 0, self.now, points, sensed_by);
    }
}
