//! What the blossoms of a finished matching add to the slack of an edge. A search leaves thousands of them, nested petal by
//! petal; all but a few have no dual and bind nothing, so they are left out here.

use super::Cost;
use super::blossom::{Node, Nodes};

/// The innermost blossom with a dual around a vertex, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bond(usize);

/// No blossom with a dual.
const FREE: Bond = Bond(0);

/// The blossoms that have a dual.
#[derive(Clone, Debug)]
pub(super) struct Bonds<const W: usize> {
    of_vertex: Vec<Bond>,
    blossoms: Vec<Blossom<W>>,
}

#[derive(Clone, Debug)]
struct Blossom<const W: usize> {
    /// The next one around it.
    around: Bond,
    depth: usize,
    /// Its dual and those of all around it.
    sum: Cost<W>,
}

impl<const W: usize> Bonds<W> {
    /// Of a forest of nodes whose blossoms have these duals.
    pub fn new(nodes: &Nodes, duals: &[Cost<W>]) -> Bonds<W> {
        let mut bonds = Bonds {
            of_vertex: vec![FREE; nodes.vertices],
            blossoms: vec![Blossom { around: FREE, depth: 0, sum: Cost::ZERO }],
        };
        let outermost = (0..nodes.parent.len()).filter(|&node| nodes.is_outermost(node));
        let mut inspected: Vec<(Node, Bond)> = outermost.map(|node| (node, FREE)).collect();
        while let Some((node, around)) = inspected.pop() {
            if nodes.is_blossom(node) {
                let bond = bonds.bind(around, duals[node]);
                inspected.extend(nodes.circle(node).children.iter().map(|&child| (child, bond)));
            } else {
                bonds.of_vertex[node] = around;
            }
        }
        bonds
    }

    fn bind(&mut self, around: Bond, dual: Cost<W>) -> Bond {
        if dual == Cost::ZERO {
            return around;
        }
        let outer = &self.blossoms[around.0];
        let blossom = Blossom { around, depth: outer.depth + 1, sum: outer.sum + dual };
        self.blossoms.push(blossom);
        Bond(self.blossoms.len() - 1)
    }

    pub fn of(&self, vertex: usize) -> Bond {
        self.of_vertex[vertex]
    }

    /// The duals of the blossoms that hold both ends of an edge, by the bonds of the ends.
    pub fn shared(&self, mut a: Bond, mut b: Bond) -> Cost<W> {
        while a != b {
            if self.blossoms[a.0].depth < self.blossoms[b.0].depth {
                b = self.blossoms[b.0].around;
            } else {
                a = self.blossoms[a.0].around;
            }
        }
        self.blossoms[a.0].sum
    }

    /// The dual of each blossom, and how many vertices it holds.
    #[cfg(test)]
    pub fn duals(&self) -> Vec<(Cost<W>, usize)> {
        let around = |bond: &Bond| (*bond != FREE).then(|| self.blossoms[bond.0].around);
        let mut held = vec![0; self.blossoms.len()];
        for &bond in &self.of_vertex {
            for blossom in core::iter::successors(Some(bond), around) {
                held[blossom.0] += 1;
            }
        }
        let own = |blossom: &Blossom<W>| blossom.sum - self.blossoms[blossom.around.0].sum;
        self.blossoms.iter().skip(1).map(own).zip(held.into_iter().skip(1)).collect()
    }
}
