//! The best complete pairing of a list, segment 积分段 by segment from the top.
//!
//! A segment is a run of scores that pairs within itself in every best pairing. Each is paired on its own, exactly; what is
//! below must be completable, which replaces pairing "from both ends to the middle" by hand.
//!
//! * Mostly a segment needs nothing but one floater from each score with an odd number, to the next score. No pairing
//!   has smaller score differences, so the differences need no figures of their own: [`Plain`].
//! * Where entrants of a score have met one another more must float, and the differences are compared score by score:
//!   [`Stepped`]. Whether the run of scores then is a segment is found by letting its entrants also float out of it, against
//!   anybody: if the best such pairing does not use that, even if ties are broken in favour of floating out, no better one
//!   with the rest of the field exists.

use std::ops::Range;

use super::complete::{Pairs, complete};
use super::field::{APART, Field, Quality, compares_distances};
use super::{guess, likely};
use crate::matching::{Cost, Stuck};

/// Whether a range of the list can be paired completely without a rematch.
pub(super) fn completable(field: &Field<'_>, range: Range<usize>) -> bool {
    let size = range.len();
    // Dirac 1952: if everybody can meet at least half of the field, a complete pairing exists.
    let dirac = field.most_barred(range.clone()).is_some_and(|barred| 2 * (barred + 1) <= size);
    size.is_multiple_of(2) && (size == 0 || dirac || complete(&Anyhow { field, range }).is_ok())
}

/// The best pairing of the whole list, which must be completable.
pub(super) fn best(field: &Field<'_>) -> Result<Vec<(usize, usize)>, Stuck> {
    let mut pairs = Vec::with_capacity(field.len() / 2);
    let mut start = 0;
    while start < field.len() {
        let first = field.layer(start);
        let mut found = None;
        for last in first..field.layers.len() {
            let range = start..field.layers[last].end;
            let rest = range.end..field.len();
            if range.len().is_multiple_of(2) && completable(field, rest.clone()) {
                let moved = |Stuck(places): Stuck| Stuck(places.iter().map(|place| start + place).collect());
                found = segment(field, range, rest.is_empty()).map_err(moved)?;
                if found.is_some() {
                    break;
                }
            }
        }
        // The last range is the whole rest of the list, which always has an answer.
        let (end, of_segment) = found.ok_or_else(|| Stuck((start..field.len()).collect()))?;
        pairs.extend(of_segment);
        start = end;
    }
    Ok(pairs)
}

/// A segment's end and its pairs.
type Segment = (usize, Vec<(usize, usize)>);

/// The best pairing of a run of whole scores, if that is a segment.
fn segment(field: &Field<'_>, range: Range<usize>, is_last: bool) -> Result<Option<Segment>, Stuck> {
    let done = |mates: &[usize]| Some((range.end, pairs_of(mates, range.start)));
    let plain = Plain::new(field, range.clone());
    if let Ok(mates) = complete(&plain)
        && plain.floats(&mates) == plain.odd_scores()
    {
        return Ok(done(&mates));
    }
    // A figure for each score, one for floating out, three for the quality.
    let figures = field.layer(range.end - 1) - field.layer(range.start) + 1 + 4;
    let mates = match figures {
        0..=12 => stepped::<12>(field, range.clone(), is_last),
        _ => stepped::<MOST_FIGURES>(field, range.clone(), is_last),
    }?;
    Ok(mates.and_then(|mates| done(&mates)))
}

/// The most figures in a cost. A segment in which entrants of more than fifty scores must float out of turn adds up the
/// differences of its lowest scores; no event of fewer than 26 rounds has so many.
pub(super) const MOST_FIGURES: usize = 64;

fn stepped<const W: usize>(
    field: &Field<'_>,
    range: Range<usize>,
    is_last: bool,
) -> Result<Option<Vec<usize>>, Stuck> {
    if !is_last {
        let open: Open<'_, W> = Open { within: Stepped { field, range: range.clone() } };
        let mates = complete(&open)?;
        if mates[..range.len()].iter().any(|&mate| mate >= range.len()) {
            return Ok(None);
        }
    }
    match complete::<W>(&Stepped { field, range }) {
        Ok(mates) => Ok(Some(mates)),
        Err(stuck) if is_last => Err(stuck),
        Err(_) => Ok(None),
    }
}

fn pairs_of(mates: &[usize], start: usize) -> Vec<(usize, usize)> {
    let upper = mates.iter().enumerate().filter(|&(place, &mate)| place < mate);
    upper.map(|(place, &mate)| (start + place, start + mate)).collect()
}

/// Any complete pairing.
struct Anyhow<'a> {
    field: &'a Field<'a>,
    range: Range<usize>,
}

impl Pairs<1> for Anyhow<'_> {
    fn size(&self) -> usize {
        self.range.len()
    }

    fn cost(&self, _: usize, _: usize) -> Cost<1> {
        Cost::ZERO
    }

    fn allowed(&self, a: usize, b: usize) -> bool {
        self.field.can_meet(self.range.start + a, self.range.start + b)
    }

    fn kinds(&self) -> Vec<Vec<usize>> {
        vec![(0..self.size()).collect()]
    }

    fn likely(&self) -> Vec<(usize, usize)> {
        neighbours(self.size())
    }
}

/// Everybody with the next few of the list.
fn neighbours(size: usize) -> Vec<(usize, usize)> {
    (0..size).flat_map(|a| (a + 1..size.min(a + 12)).map(move |b| (a, b))).collect()
}

/// Pairs inside one score, and of a score with the next where the number so far is odd.
struct Plain<'a> {
    field: &'a Field<'a>,
    range: Range<usize>,
}

impl<'a> Plain<'a> {
    fn new(field: &'a Field<'a>, range: Range<usize>) -> Plain<'a> {
        Plain { field, range }
    }

    fn layers(&self) -> &'a [Range<usize>] {
        &self.field.layers[self.field.layer(self.range.start)..=self.field.layer(self.range.end - 1)]
    }

    /// Whether somebody of this layer must float to the next.
    fn is_odd(&self, layer: usize) -> bool {
        !(self.field.layers[layer].end - self.range.start).is_multiple_of(2)
    }

    /// Whether two places of the list are in one score, or in two of which the upper is odd.
    fn may_float(&self, a: usize, b: usize) -> bool {
        let (upper, lower) = (self.field.layer(a.min(b)), self.field.layer(a.max(b)));
        upper == lower || (lower == upper + 1 && self.is_odd(upper))
    }

    fn cost_of(&self, a: usize, b: usize, [met, colours, distance]: Quality) -> Cost<3> {
        let floats = i64::from(self.field.layer(a) != self.field.layer(b));
        let distance = if compares_distances(self.range.len()) { distance } else { 0 };
        Cost([floats * APART * APART + met, colours, distance])
    }

    fn odd_scores(&self) -> usize {
        let (first, last) = (self.field.layer(self.range.start), self.field.layer(self.range.end - 1));
        (first..=last).filter(|&layer| self.is_odd(layer)).count()
    }

    fn floats(&self, mates: &[usize]) -> usize {
        let layer = |place: usize| self.field.layer(self.range.start + place);
        let upper = mates.iter().enumerate().filter(|&(place, &mate)| place < mate);
        upper.filter(|&(place, &mate)| layer(place) != layer(mate)).count()
    }
}

impl Pairs<3> for Plain<'_> {
    fn size(&self) -> usize {
        self.range.len()
    }

    fn cost(&self, a: usize, b: usize) -> Cost<3> {
        let (a, b) = (self.range.start + a, self.range.start + b);
        self.cost_of(a, b, self.field.quality(a, b))
    }

    fn allowed(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.range.start + a, self.range.start + b);
        self.may_float(a, b) && self.field.can_meet(a, b)
    }

    fn kinds(&self) -> Vec<Vec<usize>> {
        self.field.kinds(self.range.clone())
    }

    fn at_least(&self, a: usize, b: usize) -> Option<Cost<3>> {
        let (a, b) = (self.range.start + a, self.range.start + b);
        self.may_float(a, b).then(|| self.cost_of(a, b, self.field.quality_at_least(a, b)))
    }

    fn likely(&self) -> Vec<(usize, usize)> {
        likely_in(self.field, self.layers(), self.range.start)
    }

    fn likely_duals(&self) -> Option<Vec<Cost<3>>> {
        let of_layer = |layer: &Range<usize>| guess::colour_duals(self.field, layer.clone());
        let colours = self.layers().iter().flat_map(of_layer);
        (!compares_distances(self.range.len())).then(|| colours.map(|dual| Cost([0, dual, 0])).collect())
    }
}

fn likely_in(field: &Field<'_>, layers: &[Range<usize>], start: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (at, layer) in layers.iter().enumerate() {
        pairs.extend(likely::within(field, layer.clone()));
        if let Some(below) = layers.get(at + 1) {
            pairs.extend(likely::across(field, layer.clone(), below.clone()));
        }
    }
    pairs.into_iter().map(|(a, b)| (a - start, b - start)).collect()
}

/// All pairs of a run of scores; the differences of each score are a figure of their own.
struct Stepped<'a, const W: usize> {
    field: &'a Field<'a>,
    range: Range<usize>,
}

impl<const W: usize> Stepped<'_, W> {
    /// The figures of a pair's score difference: criterion 2.
    fn difference(&self, upper: usize, to_score: i64) -> Cost<W> {
        let mut cost = Cost::ZERO;
        let step = self.field.layer(upper) - self.field.layer(self.range.start);
        cost.0[step.min(W - 5)] = self.field.score(upper) - to_score;
        cost
    }

    fn cost_of(&self, upper: usize, lower: usize, quality: Quality) -> Cost<W> {
        let mut cost = self.difference(upper, self.field.score(lower));
        cost.0[W - 3..].copy_from_slice(&quality);
        cost
    }

    /// The places of two in the list, the upper first.
    fn in_list(&self, a: usize, b: usize) -> (usize, usize) {
        (self.range.start + a.min(b), self.range.start + a.max(b))
    }
}

impl<const W: usize> Pairs<W> for Stepped<'_, W> {
    fn size(&self) -> usize {
        self.range.len()
    }

    fn cost(&self, a: usize, b: usize) -> Cost<W> {
        let (upper, lower) = self.in_list(a, b);
        self.cost_of(upper, lower, self.field.quality(upper, lower))
    }

    fn allowed(&self, a: usize, b: usize) -> bool {
        self.field.can_meet(self.range.start + a, self.range.start + b)
    }

    fn kinds(&self) -> Vec<Vec<usize>> {
        self.field.kinds(self.range.clone())
    }

    fn at_least(&self, a: usize, b: usize) -> Option<Cost<W>> {
        let (upper, lower) = self.in_list(a, b);
        Some(self.cost_of(upper, lower, self.field.quality_at_least(upper, lower)))
    }

    fn likely(&self) -> Vec<(usize, usize)> {
        let (first, last) = (self.field.layer(self.range.start), self.field.layer(self.range.end - 1));
        let mut pairs = likely_in(self.field, &self.field.layers[first..=last], self.range.start);
        pairs.extend(neighbours(self.size()));
        pairs
    }
}

/// The run of scores with an open lower end: everybody may also float out of it, to the score below, whoever is there.
/// Each entrant has a double, with whom it is paired when it floats out; the doubles of the others pair among themselves.
struct Open<'a, const W: usize> {
    within: Stepped<'a, W>,
}

impl<const W: usize> Pairs<W> for Open<'_, W> {
    fn size(&self) -> usize {
        2 * self.within.size()
    }

    fn cost(&self, a: usize, b: usize) -> Cost<W> {
        let size = self.within.size();
        match (a < size, b < size) {
            (true, true) => {
                let mut cost = self.within.cost(a, b);
                // Only differences and floating out count here.
                cost.0[W - 3..].fill(0);
                cost
            }
            (false, false) => Cost::ZERO,
            (true, false) | (false, true) => {
                let below = self.within.field.score(self.within.range.end);
                let mut cost = self.within.difference(self.within.range.start + a.min(b), below);
                cost.0[W - 4] = -1;
                cost
            }
        }
    }

    fn allowed(&self, a: usize, b: usize) -> bool {
        let size = self.within.size();
        match (a < size, b < size) {
            (true, true) => self.within.allowed(a, b),
            (false, false) => a != b,
            (true, false) | (false, true) => a.abs_diff(b) == size,
        }
    }

    fn likely(&self) -> Vec<(usize, usize)> {
        let size = self.within.size();
        let inside = self.within.likely();
        let doubles: Vec<_> = inside.iter().map(|&(a, b)| (a + size, b + size)).collect();
        inside.into_iter().chain(doubles).chain((0..size).map(|a| (a, a + size))).collect()
    }
}
