//! The search: both sides play what gets them most, the better moves looked at first and further.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use xiangqi::{Move, Point, Position};

use super::standing::{promise, standing};
use crate::worth::{Worth, worth_at};

/// The general is lost: more than all material, and the sooner the worse.
const LOST: Worth = 10_000;
/// So many captures in a row are counted where the search ends.
const CAPTURES: u8 = 8;
/// Checks are answered before anything is counted, but no further from the beginning than this, in plies.
const CHECKED_UNTIL: u8 = 20;
/// A capture may gain so much more by where its piece comes to stand.
const GAINS_BESIDE: Worth = 10;
/// So many moves are looked at as far as the first; the quiet ones after them less far.
const LOOKED_AT_IN_FULL: usize = 4;
/// And those after so many still less.
const LOOKED_AT_BRIEFLY: usize = 12;

/// Whether an outcome is that a general is lost.
pub(super) fn is_mate(outcome: Worth) -> bool {
    outcome.abs() > LOST / 2
}

/// A search of one position and what it has found out.
pub(super) struct Search {
    /// So many positions may still be looked at.
    left: u32,
    known: BTreeMap<u64, Known>,
    /// By its points, how often a quiet move was the answer that refuted another, the deeper the more.
    refuted: Vec<u32>,
}

/// What is known of a position.
#[derive(Clone, Copy)]
struct Known {
    plies: u8,
    outcome: Worth,
    bound: Bound,
    best: Option<Move>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// The outcomes that matter: the side to move has `sure` elsewhere, and the opponent allows no more than `allowed`.
#[derive(Clone, Copy)]
struct Window {
    sure: Worth,
    allowed: Worth,
}

impl Window {
    const ALL: Window = Window { sure: -2 * LOST, allowed: 2 * LOST };

    fn for_opponent(self) -> Window {
        Window { sure: -self.allowed, allowed: -self.sure }
    }

    /// Asks only whether the outcome is better than what is sure.
    fn narrow(self) -> Window {
        Window { allowed: self.sure + 1, ..self }
    }

    fn is_shut(self) -> bool {
        self.sure >= self.allowed
    }
}

impl Search {
    pub fn within(positions: u32) -> Search {
        Search { left: positions, known: BTreeMap::new(), refuted: vec![0; Point::COUNT * Point::COUNT] }
    }

    /// The outcome for the side to move, so many plies ahead; `None`: no more positions may be looked at.
    pub fn outcome(&mut self, position: &mut Position, plies: u8) -> Option<Worth> {
        self.look(position, plies, 0, Window::ALL)
    }

    /// `far` is how far the position is from where the search began. What is outside the window is only known to be so.
    fn look(&mut self, position: &mut Position, plies: u8, far: u8, mut window: Window) -> Option<Worth> {
        let checked = position.is_check();
        let plies = if checked && far < CHECKED_UNTIL { plies + 1 } else { plies };
        if plies == 0 {
            return self.captures(position, CAPTURES, window);
        }
        self.left = self.left.checked_sub(1)?;
        let known = self.known.get(&position.key()).copied();
        if let Some(outcome) = known.and_then(|known| known.answers(plies, window)) {
            return Some(outcome);
        }
        let Window { sure, .. } = window;
        let (mut best, mut chosen) = (Worth::from(far) - LOST, None);
        for (place, mv) in self.in_order(position, known.and_then(|known| known.best)).into_iter().enumerate()
        {
            let quiet = !position.is_capture(mv);
            let less = match place {
                _ if !quiet || checked || plies < 3 => 0,
                0..LOOKED_AT_IN_FULL => 0,
                LOOKED_AT_IN_FULL..LOOKED_AT_BRIEFLY => 1,
                _ => 2,
            };
            let undo = position.play_unchecked(mv);
            let outcome = self.answered(position, plies - 1, far + 1, window, place == 0, less);
            position.undo(undo);
            let outcome = outcome?;
            if outcome > best || chosen.is_none() {
                (best, chosen) = (outcome, Some(mv));
            }
            window.sure = window.sure.max(outcome);
            if window.is_shut() {
                if quiet {
                    self.refuted[index(mv)] += u32::from(plies) * u32::from(plies);
                }
                break;
            }
        }
        let bound = match best {
            _ if best >= window.allowed => Bound::AtLeast,
            _ if best > sure => Bound::Exact,
            _ => Bound::AtMost,
        };
        self.known.insert(position.key(), Known { plies, outcome: best, bound, best: chosen });
        Some(best)
    }

    /// What a move gets that was just played: a move that is not the first is only asked whether it is better, less far
    /// first, and looked at in full if it seems so.
    fn answered(
        &mut self,
        position: &mut Position,
        plies: u8,
        far: u8,
        window: Window,
        first: bool,
        less: u8,
    ) -> Option<Worth> {
        let mut look =
            |plies, window: Window| Some(-self.look(position, plies, far, window.for_opponent())?);
        if !first {
            let less_far = (less > 0).then(|| plies - less);
            for plies in less_far.into_iter().chain([plies]) {
                let outcome = look(plies, window.narrow())?;
                if outcome <= window.sure {
                    return Some(outcome);
                }
            }
        }
        look(plies, window)
    }

    /// The outcome for the side to move when both only capture while it pays.
    fn captures(&mut self, position: &mut Position, captures: u8, mut window: Window) -> Option<Worth> {
        self.left = self.left.checked_sub(1)?;
        let stands = standing(position);
        window.sure = window.sure.max(stands);
        if window.is_shut() || captures == 0 {
            return Some(window.sure);
        }
        let mut moves = position.legal_captures().to_vec();
        moves.sort_by_cached_key(|mv| Reverse(promise(position, *mv)));
        for mv in moves {
            if stands + worth_at(position, mv.to) + GAINS_BESIDE <= window.sure {
                continue;
            }
            let undo = position.play_unchecked(mv);
            let outcome = self.captures(position, captures - 1, window.for_opponent());
            position.undo(undo);
            window.sure = window.sure.max(-outcome?);
            if window.is_shut() {
                break;
            }
        }
        Some(window.sure)
    }

    /// The legal moves: the best one known first, then captures of dear pieces by cheap ones, then what refuted others.
    fn in_order(&self, position: &Position, best: Option<Move>) -> Vec<Move> {
        let mut moves = position.legal_moves().to_vec();
        moves.sort_by_cached_key(|mv| {
            let promise = position.is_capture(*mv).then(|| promise(position, *mv));
            Reverse((Some(*mv) == best, promise, self.refuted[index(*mv)]))
        });
        moves
    }
}

fn index(mv: Move) -> usize {
    mv.from.index() * Point::COUNT + mv.to.index()
}

impl Known {
    /// The outcome, if it is known so many plies ahead and as well as the window asks.
    fn answers(self, plies: u8, window: Window) -> Option<Worth> {
        let enough = match self.bound {
            Bound::Exact => true,
            Bound::AtLeast => self.outcome >= window.allowed,
            Bound::AtMost => self.outcome <= window.sure,
        };
        (self.plies >= plies && enough).then_some(self.outcome)
    }
}
