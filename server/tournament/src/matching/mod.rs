//! The cheapest perfect matching of a graph, exactly: Edmonds' blossom method, one alternating tree at a time.
//!
//! Every vertex has a dual 对偶值 `y`, every blossom (an odd set of vertices, shrunk to one node) a dual `z >= 0`, such that
//! for every edge `cost - y(u) - y(v) + (z of the blossoms that hold both ends) >= 0`: its *slack*. Edges with no slack are
//! *tight*, and a perfect matching of tight edges is the cheapest there is. The search grows a tree of tight edges from a
//! free vertex, alternately unmatched and matched; its vertices at even depth are *outer*, at odd depth *inner*. When it
//! can grow no further the duals move by the least amount that makes something happen: an edge becomes tight, or an
//! inner blossom's dual becomes zero and it is opened. Reaching another free vertex lengthens the matching by one edge.
//!
//! Costs inside are doubled, so that halves stay whole: all outer vertices of one tree have duals of one parity.

mod blossom;
mod bonds;
mod cost;
mod tree;

pub(crate) use bonds::Bond;
pub(crate) use cost::Cost;

use bonds::Bonds;

/// One edge of the graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<const W: usize> {
    pub ends: [usize; 2],
    pub cost: Cost<W>,
}

/// A cheapest perfect matching, with the duals that prove it.
#[derive(Clone, Debug)]
pub(crate) struct Matching<const W: usize> {
    /// The partner of each vertex.
    pub mate: Vec<usize>,
    /// The duals of the vertices, in doubled costs.
    pub duals: Vec<Cost<W>>,
    bonds: Bonds<W>,
}

impl<const W: usize> Matching<W> {
    /// Which blossom binds a vertex: what an edge gains by its blossoms depends on the bonds of its ends alone.
    pub fn bond(&self, vertex: usize) -> Bond {
        self.bonds.of(vertex)
    }

    /// The slack, in doubled costs, that an edge would have that the graph need not contain. Negative: the matching may
    /// not be the cheapest any more once the edge is added. Not negative for all of them: it stays the cheapest.
    pub fn slack(&self, u: usize, v: usize, cost: Cost<W>) -> Cost<W> {
        cost.twice() - self.duals[u] - self.duals[v] + self.bonds.shared(self.bond(u), self.bond(v))
    }
}

/// There is no perfect matching: these vertices, and more, compete for too few partners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stuck(pub Vec<usize>);

/// The cheapest perfect matching of `vertices` vertices. `start` are duals to start from, such as those of an earlier
/// matching of a part of the edges; they need not fit.
pub(crate) fn cheapest<const W: usize>(
    vertices: usize,
    edges: &[Edge<W>],
    start: Option<&[Cost<W>]>,
) -> Result<Matching<W>, Stuck> {
    let mut search = tree::Search::new(vertices, edges, start);
    search.match_tight_edges();
    for root in 0..vertices {
        if search.is_free(root) {
            search.augment_from(root)?;
        }
    }
    Ok(search.into_matching())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Dice;

    /// The cost of the cheapest perfect matching, by trying all.
    fn by_trying<const W: usize>(table: &[Vec<Option<Cost<W>>>], free: &mut Vec<usize>) -> Option<Cost<W>> {
        let Some(first) = free.pop() else { return Some(Cost::ZERO) };
        let mut best = None;
        for place in 0..free.len() {
            let other = free.remove(place);
            if let Some(cost) = table[first][other]
                && let Some(rest) = by_trying(table, free)
            {
                let total = cost + rest;
                best = Some(best.map_or(total, |best: Cost<W>| best.min(total)));
            }
            free.insert(place, other);
        }
        free.push(first);
        best
    }

    fn compare<const W: usize>(seed: u64, most: u64, figures: u64) {
        let mut dice = Dice::new(seed);
        let n = 2 * (1 + dice.below(most / 2) as usize);
        let density = 1 + dice.below(10);
        let mut table = vec![vec![None; n]; n];
        let mut edges: Vec<Edge<W>> = Vec::new();
        for (u, v) in (0..n).flat_map(|u| (0..u).map(move |v| (u, v))) {
            if dice.below(10) < density {
                let cost = Cost(core::array::from_fn(|_| dice.below(figures) as i64));
                table[u][v] = Some(cost);
                table[v][u] = Some(cost);
                edges.push(Edge { ends: [u, v], cost });
            }
        }
        let best = by_trying(&table, &mut (0..n).collect());
        let found = cheapest(n, &edges, None);
        let total = found.as_ref().ok().map(|matching| {
            for (v, &mate) in matching.mate.iter().enumerate() {
                assert_eq!(matching.mate[mate], v, "seed {seed}: not a matching");
            }
            for edge in &edges {
                let [u, v] = edge.ends;
                let slack = matching.slack(u, v, edge.cost);
                assert!(slack >= Cost::ZERO, "seed {seed}: negative slack");
            }
            let pairs = matching.mate.iter().enumerate().filter(|&(v, &mate)| v < mate);
            pairs.map(|(v, &mate)| table[v][mate].expect("a matched pair is an edge")).sum()
        });
        assert_eq!(total, best, "seed {seed}");
        if let Ok(matching) = found {
            let again = cheapest(n, &edges, Some(&matching.duals)).expect("matched before");
            let pairs = again.mate.iter().enumerate().filter(|&(v, &mate)| v < mate);
            let total: Cost<W> =
                pairs.map(|(v, &mate)| table[v][mate].expect("a matched pair is an edge")).sum();
            assert_eq!(Some(total), best, "seed {seed}: started from duals");
        }
    }

    #[test]
    fn no_matching_is_cheaper_among_all_that_exist() {
        for seed in 0..6000 {
            compare::<1>(seed, 10, 4);
            compare::<1>(seed + 1_000_000, 10, 100);
            compare::<3>(seed + 2_000_000, 8, 3);
        }
    }

    #[test]
    fn nested_blossoms_open_again() {
        // Larger graphs, where blossoms nest; the duals prove the optimum.
        let mut proved = 0;
        for seed in 0..300 {
            let mut dice = Dice::new(seed);
            let n = 60;
            let mut edges = Vec::new();
            for u in 0..n {
                for v in 0..u {
                    if dice.below(100) < 25 {
                        edges.push(Edge {
                            ends: [u, v],
                            cost: Cost([dice.below(30) as i64, dice.below(9) as i64]),
                        });
                    }
                }
            }
            let Ok(matching) = cheapest(n, &edges, None) else { continue };
            for edge in &edges {
                let [u, v] = edge.ends;
                let slack = matching.slack(u, v, edge.cost);
                assert!(slack >= Cost::ZERO, "seed {seed}");
            }
            assert_eq!(bound(&matching), total(&matching, &edges), "seed {seed}");
            proved += 1;
        }
        assert!(proved > 250, "{proved} of 300 graphs have a perfect matching");
    }

    /// What no perfect matching can cost less than, by the duals, doubled.
    fn bound<const W: usize>(matching: &Matching<W>) -> Cost<W> {
        let mut bound: Cost<W> = matching.duals.iter().copied().sum();
        for (z, vertices) in matching.bonds.duals() {
            assert!(z >= Cost::ZERO);
            for _ in 0..vertices / 2 {
                bound -= z;
            }
        }
        bound
    }

    /// What the matching costs, doubled.
    fn total<const W: usize>(matching: &Matching<W>, edges: &[Edge<W>]) -> Cost<W> {
        let matched = edges.iter().filter(|edge| matching.mate[edge.ends[0]] == edge.ends[1]);
        matched.map(|edge| edge.cost.twice()).sum()
    }

    #[test]
    fn an_odd_component_is_stuck() {
        let edge = |u, v| Edge { ends: [u, v], cost: Cost([1]) };
        let edges = [edge(0, 1), edge(1, 2), edge(2, 0), edge(3, 4), edge(4, 5), edge(5, 3)];
        let Stuck(outer) = cheapest(6, &edges, None).unwrap_err();
        assert_eq!(outer, [0, 1, 2]);
    }
}
