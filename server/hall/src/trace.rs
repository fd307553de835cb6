//! What a table's devices told and what was read from it, moment by moment: what the timeline (时间轴) shows.
//!
//! Bounded, and no part of the decisions: a restart fills it again from the journal and the stored observations.

use std::collections::BTreeMap;

use arbitration::GameFact;
use capture::{Finding, Seen, What};
use firmware_proto::{Epoch, PlayerSignal, Reading};
use xiangqi::{Point, Side};

/// Moments that are kept of a table. A game of 200 plies makes about 1,500: lift, placing, press, reading and
/// confirmation of each, and what hands do besides.
const KEPT: usize = 4_096;

/// One thing that was told.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    /// A point senses nothing any more.
    Lifted(Point),
    /// A point senses a piece, or another one.
    Placed(Point),
    /// A player pressed; both times then, Red's and Black's, ms.
    Pressed(Side, [u32; 2]),
    /// A side's time ran out.
    Flagged(Side, [u32; 2]),
    /// The clock was set, started or paused; whose time runs.
    Clock([u32; 2], Option<Side>),
    /// A player signalled.
    Signalled(Side, PlayerSignal),
    /// A device reported a fault, of a point or of itself.
    Fault(Option<Point>),
    /// Records were lost.
    Lost,
    /// Whether board and clock are connected.
    Linked(bool, bool),
    /// The tracker concluded something.
    Found(Finding),
}

impl Told {
    /// At the same instant, what was done comes before what was read from it.
    const fn rank(&self) -> u8 {
        match self {
            Told::Found(_) => 1,
            Told::Lifted(_)
            | Told::Placed(_)
            | Told::Pressed(..)
            | Told::Flagged(..)
            | Told::Clock(..)
            | Told::Signalled(..)
            | Told::Fault(..)
            | Told::Lost
            | Told::Linked(..) => 0,
        }
    }
}

/// The latest moments of a table, in the order of their happening.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    moments: BTreeMap<(Epoch, u8, u64), Told>,
    count: u64,
}

impl Trace {
    fn push(&mut self, at: Epoch, told: Told) {
        self.count += 1;
        self.moments.insert((at, told.rank(), self.count), told);
        if self.moments.len() > KEPT {
            self.moments.pop_first();
        }
    }

    /// A game begins: what was told before belongs to one that is over.
    pub fn begin(&mut self, at: Epoch) {
        self.moments = self.moments.split_off(&(at, 0, 0));
    }

    /// A device told something.
    pub fn see(&mut self, seen: &Seen) {
        let told = match &seen.what {
            What::Changed(point, Reading::EMPTY) => Told::Lifted(*point),
            What::Changed(point, _) => Told::Placed(*point),
            What::Pressed(side, times) => Told::Pressed(*side, [times.red.0, times.black.0]),
            What::Flagged(side, times) => Told::Flagged(*side, [times.red.0, times.black.0]),
            What::ClockSet(times, running) => Told::Clock([times.red.0, times.black.0], *running),
            What::Signalled(side, signal) => Told::Signalled(*side, *signal),
            What::Health(_, point) => Told::Fault(*point),
            What::Lost => Told::Lost,
            // Links are told by the journal; an image tells nothing of when.
            What::BoardUp(_) | What::BoardDown | What::ClockUp | What::ClockDown | What::Image(_) => return,
        };
        self.push(seen.at, told);
    }

    /// The journal took in a fact of the game here, at that time.
    pub fn learn(&mut self, fact: &GameFact, at: Epoch) {
        match fact {
            GameFact::Found(Finding::Locked(_)) => {}
            GameFact::Found(finding) => {
                self.push(happened(finding).unwrap_or(at), Told::Found(finding.clone()))
            }
            GameFact::Linked { board, clock, at } => self.push(*at, Told::Linked(*board, *clock)),
            // What the clock told is there as the clock told it; what people decided stands in the journal.
            GameFact::Clocked(_)
            | GameFact::Signalled { .. }
            | GameFact::Fouled { .. }
            | GameFact::Misbehaved { .. }
            | GameFact::Warned { .. }
            | GameFact::DrawOffered { .. }
            | GameFact::DrawDeclined { .. }
            | GameFact::Ordered { .. }
            | GameFact::LimitClaimed { .. }
            | GameFact::Classed { .. }
            | GameFact::Called { .. }
            | GameFact::Present { .. }
            | GameFact::Reported { .. }
            | GameFact::Reopened { .. }
            | GameFact::Ended { .. } => {}
        }
    }

    /// The players sit the other way round: what the devices told is read so, and the game anew.
    pub fn turn(&mut self) {
        let turned = |point: Point| Point::from_index(Point::COUNT - 1 - point.index()).unwrap_or(point);
        self.moments.retain(|_, told| !matches!(told, Told::Found(_)));
        for told in self.moments.values_mut() {
            match told {
                Told::Lifted(point) | Told::Placed(point) | Told::Fault(Some(point)) => {
                    *point = turned(*point)
                }
                Told::Pressed(side, times) | Told::Flagged(side, times) => {
                    *side = side.opposite();
                    times.reverse();
                }
                Told::Clock(times, running) => {
                    *running = running.map(Side::opposite);
                    times.reverse();
                }
                Told::Signalled(side, _) => *side = side.opposite(),
                Told::Fault(None) | Told::Lost | Told::Linked(..) | Told::Found(_) => {}
            }
        }
    }

    /// All of it, in order.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (Epoch, &Told)> {
        self.moments.iter().map(|((at, ..), told)| (*at, told))
    }
}

/// When what was found happened, where that is known.
fn happened(finding: &Finding) -> Option<Epoch> {
    match finding {
        Finding::Read(read) => Some(read.at),
        Finding::Confirmed(_, at, _)
        | Finding::PressWithoutMove(_, at)
        | Finding::ClockTurned(_, at)
        | Finding::Restored(at) => Some(*at),
        Finding::Mismatch { since, .. } | Finding::Disturbed { since, .. } => Some(*since),
        Finding::Locked(_)
        | Finding::Withdrawn(_)
        | Finding::TouchMove { .. }
        | Finding::Ambiguous { .. }
        | Finding::SetUp { .. }
        | Finding::SetUpRight
        | Finding::Suspects { .. }
        | Finding::BadPoint { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_flickers_all_day_takes_no_more_memory_than_a_game() {
        let mut trace = Trace::default();
        let point = Point::from_index(0).expect("on the board");
        for at in 0..10_000 {
            trace.see(&Seen { at: Epoch(at), what: What::Changed(point, Reading::EMPTY) });
        }
        assert_eq!(trace.all().count(), KEPT);
        assert_eq!(trace.all().next_back().map(|(at, _)| at), Some(Epoch(9_999)));
    }

    #[test]
    fn a_new_game_begins_without_what_was_told_of_the_one_before() {
        let mut trace = Trace::default();
        let point = Point::from_index(44).expect("on the board");
        for at in [5, 6, 7] {
            trace.see(&Seen { at: Epoch(at), what: What::Changed(point, Reading::EMPTY) });
        }
        trace.begin(Epoch(6));
        assert_eq!(trace.all().map(|(at, _)| at.0).collect::<Vec<_>>(), [6, 7]);
    }

    #[test]
    fn what_comes_late_stands_where_it_happened() {
        let mut trace = Trace::default();
        let point = Point::from_index(44).expect("on the board");
        for at in [5, 3, 4] {
            trace.see(&Seen { at: Epoch(at), what: What::Changed(point, Reading::EMPTY) });
        }
        assert_eq!(trace.all().map(|(at, _)| at.0).collect::<Vec<_>>(), [3, 4, 5]);
    }
}
