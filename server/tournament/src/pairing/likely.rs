//! Guesses which pairs a good pairing uses, so that a large field need not look at every pair. A bad guess costs time,
//! never quality.

use std::ops::Range;

use xiangqi::Side;

use super::field::Field;

/// How many of the nearest on either side an entrant gets from those due another colour.
const NEAR: usize = 5;
/// ... and from those due the same.
const NEAR_SAME: usize = 4;
/// How far around the aligned one.
const AROUND: usize = 2;
/// How many of each kind at the edge of a score may float.
const FLOATERS: usize = 4;

/// Pairs of one score.
pub(super) fn within(field: &Field<'_>, layer: Range<usize>) -> Vec<(usize, usize)> {
    let due = |side: Option<Side>| -> Vec<usize> {
        layer.clone().filter(|&place| field.due_side(place) == side).collect()
    };
    let kinds = [due(Some(Side::Red)), due(Some(Side::Black)), due(None)];
    let mut pairs = Vec::new();
    for place in layer.clone() {
        for kind in &kinds {
            let same = kind.first().is_some_and(|&other| {
                field.due_side(other).is_some() && field.due_side(other) == field.due_side(place)
            });
            let near = if same { NEAR_SAME } else { NEAR };
            let reach = field.reach(place);
            for target in [place.saturating_sub(reach), place + reach] {
                let at = kind.partition_point(|&other| other < target);
                let around = &kind[at.saturating_sub(near)..(at + near + 1).min(kind.len())];
                pairs.extend(around.iter().map(|&other| (place, other)));
            }
        }
    }
    aligned(&kinds[0], &kinds[1], &mut pairs);
    pairs
}

/// The first due Red with the first due Black, the second with the second, and so on: as the sum of the squares would have
/// it. Where one kind is more numerous, the others may be aligned with its beginning, its end, or stretched over it.
fn aligned(reds: &[usize], blacks: &[usize], pairs: &mut Vec<(usize, usize)>) {
    let (few, many) = if reds.len() < blacks.len() { (reds, blacks) } else { (blacks, reds) };
    let more = many.len() - few.len();
    for (at, &place) in few.iter().enumerate() {
        for target in [at, at + more, at * many.len() / few.len()] {
            let around = &many[target.saturating_sub(AROUND)..(target + AROUND + 1).min(many.len())];
            pairs.extend(around.iter().map(|&other| (place, other)));
        }
    }
}

/// Pairs of two neighbouring scores: the last of the upper with the first of the lower, of each kind.
pub(super) fn across(field: &Field<'_>, upper: Range<usize>, lower: Range<usize>) -> Vec<(usize, usize)> {
    let floaters = |places: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
        let mut taken = [0; 3];
        let kind = |place: usize| match field.due_side(place) {
            Some(Side::Red) => 0,
            Some(Side::Black) => 1,
            None => 2,
        };
        places
            .filter(|&place| {
                taken[kind(place)] += 1;
                taken[kind(place)] <= FLOATERS
            })
            .collect()
    };
    let down = floaters(&mut upper.rev());
    let up = floaters(&mut lower.into_iter());
    down.iter().flat_map(|&a| up.iter().map(move |&b| (a, b))).collect()
}
