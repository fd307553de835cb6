//! Complete pairings of a range of the list at the least cost, whatever the cost is. Small ranges look at every pair.
//! Large ones look at likely pairs first, and then let the duals of the matching name the pairs that were wrongly left out,
//! until none is: the answer is the best of all pairs either way.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::matching::{Bond, Cost, Edge, Matching, Stuck, cheapest};

/// Up to this many entrants every pair is looked at.
const SMALL: usize = 80;
/// How many further partners an entrant gets who found none among the likely.
const MORE: usize = 40;
/// How many wrongly left out pairs of one entrant are added at a time.
const AT_A_TIME: usize = 16;

/// The pairs that can be made.
pub(super) trait Pairs<const W: usize> {
    /// How many there are to be paired.
    fn size(&self) -> usize;

    /// What a pair costs, were it allowed.
    fn cost(&self, a: usize, b: usize) -> Cost<W>;

    /// Whether a pair is allowed.
    fn allowed(&self, a: usize, b: usize) -> bool;

    /// Everybody, sorted into kinds: what a pair costs at least depends on the kinds of its two alone.
    fn kinds(&self) -> Vec<Vec<usize>> {
        (0..self.size()).map(|place| vec![place]).collect()
    }

    /// What a pair of one of the kind of `a` with one of the kind of `b` costs at least; `None` if none is allowed.
    fn at_least(&self, a: usize, b: usize) -> Option<Cost<W>> {
        Some(self.cost(a, b))
    }

    /// Pairs that a good pairing is likely to use; any, in any order, allowed or not, more than once.
    fn likely(&self) -> Vec<(usize, usize)>;

    /// Duals that are likely to prove the best pairing, if there is a way to guess them.
    fn likely_duals(&self) -> Option<Vec<Cost<W>>> {
        None
    }
}

/// The complete pairing of least cost, as the partner of each.
pub(super) fn complete<const W: usize>(pairs: &impl Pairs<W>) -> Result<Vec<usize>, Stuck> {
    let size = pairs.size();
    let edge = |(a, b)| Edge { ends: [a, b], cost: pairs.cost(a, b) };
    if size <= SMALL {
        let every = (0..size).flat_map(|a| (a + 1..size).map(move |b| (a, b)));
        let edges: Vec<Edge<W>> = every.filter(|&(a, b)| pairs.allowed(a, b)).map(edge).collect();
        return cheapest(size, &edges, None).map(|matching| matching.mate);
    }
    let mut known: Vec<(usize, usize)> = pairs.likely();
    known.retain_mut(|pair| {
        *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
        pairs.allowed(pair.0, pair.1)
    });
    let mut duals = pairs.likely_duals();
    loop {
        known.sort_unstable();
        known.dedup();
        let edges: Vec<Edge<W>> = known.iter().copied().map(edge).collect();
        match cheapest(size, &edges, duals.as_deref()) {
            Ok(matching) => {
                let left_out = wrongly_left_out(pairs, &matching);
                if left_out.is_empty() {
                    return Ok(matching.mate);
                }
                known.extend(left_out);
                duals = Some(matching.duals);
            }
            Err(Stuck(stuck)) => {
                let more: Vec<(usize, usize)> =
                    stuck.iter().flat_map(|&place| further_partners(pairs, &known, place)).collect();
                if more.is_empty() {
                    return Err(Stuck(stuck));
                }
                known.extend(more);
            }
        }
    }
}

/// The pairs that could make the matching cheaper. Those it knows already cannot. Of each kind those with the highest
/// duals are looked at first: once one of them cannot, by what such a pair costs at least, the rest of its kind cannot.
fn wrongly_left_out<const W: usize>(pairs: &impl Pairs<W>, matching: &Matching<W>) -> Vec<(usize, usize)> {
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    for kind in pairs.kinds() {
        let mut by_bond: BTreeMap<Bond, Vec<usize>> = BTreeMap::new();
        for place in kind {
            by_bond.entry(matching.bond(place)).or_default().push(place);
        }
        kinds.extend(by_bond.into_values());
    }
    for kind in &mut kinds {
        kind.sort_unstable_by_key(|&place| Reverse(matching.duals[place]));
    }
    let mut left_out = Vec::new();
    let mut of_one: Vec<(Cost<W>, usize)> = Vec::new();
    for a in 0..pairs.size() {
        for kind in &kinds {
            let Some(at_least) = kind.first().and_then(|&first| pairs.at_least(a, first)) else { continue };
            let may = |b: &usize| matching.slack(a, *b, at_least) < Cost::ZERO;
            let those = kind.iter().copied().take_while(may).filter(|&b| a < b && pairs.allowed(a, b));
            let slacks = those.map(|b| (matching.slack(a, b, pairs.cost(a, b)), b));
            of_one.extend(slacks.filter(|(slack, _)| *slack < Cost::ZERO));
        }
        of_one.sort_unstable();
        left_out.extend(of_one.drain(..).take(AT_A_TIME).map(|(_, b)| (a, b)));
    }
    left_out
}

/// The nearest allowed partners in the list that are not known yet.
fn further_partners<const W: usize>(
    pairs: &impl Pairs<W>,
    known: &[(usize, usize)],
    place: usize,
) -> Vec<(usize, usize)> {
    let outward =
        (1..pairs.size()).flat_map(|distance| [place.checked_sub(distance), Some(place + distance)]);
    outward
        .flatten()
        .filter(|&other| other < pairs.size() && pairs.allowed(place, other))
        .map(|other| (place.min(other), place.max(other)))
        .filter(|pair| known.binary_search(pair).is_err())
        .take(MORE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Dice;

    /// A field too large to look at every pair, whose guesses are mostly useless.
    struct Random {
        costs: Vec<Vec<i64>>,
    }

    impl Pairs<1> for Random {
        fn size(&self) -> usize {
            self.costs.len()
        }

        fn cost(&self, a: usize, b: usize) -> Cost<1> {
            Cost([self.costs[a.max(b)][a.min(b)]])
        }

        fn allowed(&self, a: usize, b: usize) -> bool {
            a != b && self.costs[a.max(b)][a.min(b)] % 7 != 3
        }

        fn likely(&self) -> Vec<(usize, usize)> {
            (1..self.size()).map(|place| (place, 0)).collect()
        }
    }

    #[test]
    fn looking_at_likely_pairs_first_finds_what_looking_at_all_finds() {
        for seed in 0..20 {
            let mut dice = Dice::new(seed);
            let size = SMALL + 2 + 2 * dice.below(20) as usize;
            let most = 10 + dice.below(300);
            let costs = (0..size).map(|a| (0..=a).map(|_| dice.below(most) as i64).collect()).collect();
            let pairs = Random { costs };
            let total = |mates: &[usize]| -> i64 {
                mates.iter().enumerate().filter(|&(a, &b)| a < b).map(|(a, &b)| pairs.cost(a, b).0[0]).sum()
            };
            let every = (0..size).flat_map(|a| (0..a).map(move |b| (a, b)));
            let edges: Vec<Edge<1>> = every
                .filter(|&(a, b)| pairs.allowed(a, b))
                .map(|(a, b)| Edge { ends: [a, b], cost: pairs.cost(a, b) })
                .collect();
            let all = cheapest(size, &edges, None).expect("a dense field can be paired").mate;
            let likely_first = complete(&pairs).expect("a dense field can be paired");
            assert_eq!(total(&likely_first), total(&all), "seed {seed}");
        }
    }
}
