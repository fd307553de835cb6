//! The search for one more edge of the matching: an alternating tree that grows from a free vertex.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::blossom::{Arc, Circle, NONE, Node, Nodes};
use super::bonds::Bonds;
use super::{Cost, Edge, Matching, Stuck};

/// Where an outermost node stands in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    /// Not in the tree.
    Outside,
    /// At even depth: its dual rises.
    Outer,
    /// At odd depth: its dual falls.
    Inner,
}

/// Something that will happen when the duals have moved far enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// An edge may have become tight.
    Tight(usize),
    /// An inner blossom's dual may have become zero.
    Open(Node),
}

/// A due event; the heap keeps the earliest on top. What is due is checked again when its time has come.
#[derive(PartialEq, Eq)]
struct Event<const W: usize> {
    time: Cost<W>,
    due: Due,
}

impl<const W: usize> Ord for Event<W> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time, self.due).cmp(&(other.time, other.due))
    }
}

impl<const W: usize> PartialOrd for Event<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The matching in the making. Time is how far the duals of the present tree have moved.
pub(super) struct Search<'a, const W: usize> {
    edges: &'a [Edge<W>],
    /// The edges at each vertex.
    around: Vec<Vec<Arc>>,
    nodes: Nodes,
    /// The edge that matches each vertex.
    mate: Vec<usize>,
    /// Duals of nodes, as they were when the outermost node got its label; those of vertices less the offset of their set.
    dual: Vec<Cost<W>>,
    offset: Vec<Cost<W>>,
    label: Vec<Label>,
    /// When the node got its label.
    since: Vec<Cost<W>>,
    /// How the tree came to the node.
    via: Vec<Arc>,
    now: Cost<W>,
    events: BinaryHeap<Reverse<Event<W>>>,
    /// Every node that got a label in this tree.
    labelled: Vec<Node>,
    /// In which walk for a common ancestor the node was last passed.
    walked: Vec<u64>,
    walk: u64,
}

impl<'a, const W: usize> Search<'a, W> {
    pub fn new(vertices: usize, edges: &'a [Edge<W>], start: Option<&[Cost<W>]>) -> Search<'a, W> {
        let mut around = vec![Vec::new(); vertices];
        for (edge, &Edge { ends: [u, v], .. }) in edges.iter().enumerate() {
            around[u].push(Arc { edge, head: 1 });
            around[v].push(Arc { edge, head: 0 });
        }
        let mut search = Search {
            edges,
            around,
            nodes: Nodes::new(vertices),
            mate: vec![NONE; vertices],
            dual: vec![Cost::ZERO; vertices],
            offset: vec![Cost::ZERO; vertices],
            label: vec![Label::Outside; vertices],
            since: vec![Cost::ZERO; vertices],
            via: vec![Arc::NOWHERE; vertices],
            now: Cost::ZERO,
            events: BinaryHeap::new(),
            labelled: Vec::new(),
            walked: vec![0; vertices],
            walk: 0,
        };
        search.feasible_duals(start);
        search
    }

    /// Duals under which no edge has negative slack: half of each vertex's cheapest edge, or the given ones, lowered
    /// where they are too high.
    fn feasible_duals(&mut self, start: Option<&[Cost<W>]>) {
        match start {
            Some(start) => {
                self.dual.copy_from_slice(start);
                for edge in self.edges {
                    let [u, v] = edge.ends;
                    let slack = edge.cost.twice() - self.dual[u] - self.dual[v];
                    if slack < Cost::ZERO {
                        self.dual[u] += slack;
                    }
                }
            }
            None => {
                for (vertex, around) in self.around.iter().enumerate() {
                    let cheapest = around.iter().map(|arc| self.edges[arc.edge].cost).min();
                    self.dual[vertex] = cheapest.unwrap_or(Cost::ZERO);
                }
            }
        }
    }

    /// Raises each vertex's dual until one of its edges is tight, and matches what can be matched at once.
    pub fn match_tight_edges(&mut self) {
        for vertex in 0..self.nodes.vertices {
            if !self.is_free(vertex) {
                continue;
            }
            let slacks = self.around[vertex].iter().map(|arc| (self.slack(arc.edge), *arc));
            let Some(least) = slacks.map(|(slack, _)| slack).min() else { continue };
            self.dual[vertex] += least;
            let free = self.around[vertex]
                .iter()
                .filter(|arc| self.is_free(self.head(**arc)) && self.slack(arc.edge) == Cost::ZERO)
                .min_by_key(|arc| self.edges[arc.edge].cost);
            if let Some(&arc) = free {
                self.mate[vertex] = arc.edge;
                let other = self.head(arc);
                self.mate[other] = arc.edge;
            }
        }
    }

    pub fn is_free(&self, vertex: usize) -> bool {
        self.mate[vertex] == NONE
    }

    pub fn into_matching(self) -> Matching<W> {
        let partner = |vertex: usize| {
            let [u, v] = self.edges[self.mate[vertex]].ends;
            if u == vertex { v } else { u }
        };
        let vertices = self.nodes.vertices;
        Matching {
            mate: (0..vertices).map(partner).collect(),
            duals: (0..vertices)
                .map(|vertex| self.dual[vertex] + self.offset[self.nodes.set(vertex)])
                .collect(),
            bonds: Bonds::new(&self.nodes, &self.dual),
        }
    }

    /// Grows a tree from a free vertex until it reaches another, and matches along the way between them.
    pub fn augment_from(&mut self, root: usize) -> Result<(), Stuck> {
        self.now = Cost::ZERO;
        self.events.clear();
        self.make_outer(root, Arc::NOWHERE);
        while let Some(Reverse(Event { time, due })) = self.events.pop() {
            self.now = time;
            match due {
                Due::Tight(edge) => {
                    if self.edge_is_due(edge) {
                        self.clear_tree();
                        return Ok(());
                    }
                }
                Due::Open(blossom) => self.opening_is_due(blossom),
            }
        }
        let outer = |&&node: &&Node| self.nodes.parent[node] == NONE && self.label[node] == Label::Outer;
        let mut stuck: Vec<usize> =
            self.labelled.iter().filter(outer).flat_map(|&node| self.nodes.members(node)).copied().collect();
        stuck.sort_unstable();
        stuck.dedup();
        Err(Stuck(stuck))
    }

    /// An edge's time may have come. Returns whether the matching grew.
    fn edge_is_due(&mut self, edge: usize) -> bool {
        let [u, v] = self.edges[edge].ends;
        let (a, b) = (self.nodes.top(u), self.nodes.top(v));
        if a == b {
            return false;
        }
        let outward = match (self.label[a], self.label[b]) {
            (Label::Outer, Label::Outside) => Arc { edge, head: 1 },
            (Label::Outside, Label::Outer) => Arc { edge, head: 0 },
            (Label::Outer, Label::Outer) => {
                if self.is_tight_now(edge) {
                    self.shrink(edge);
                }
                return false;
            }
            (Label::Inner, _) | (_, Label::Inner) | (Label::Outside, Label::Outside) => return false,
        };
        if !self.is_tight_now(edge) {
            return false;
        }
        let reached = self.nodes.top(self.head(outward));
        if self.is_free(self.nodes.base[reached]) {
            self.augment(outward);
            return true;
        }
        self.make_inner(reached, outward);
        self.make_mate_outer(reached);
        false
    }

    /// Whether the edge is tight; if not, it becomes due again later.
    fn is_tight_now(&mut self, edge: usize) -> bool {
        let tight = self.slack(edge) == Cost::ZERO;
        if !tight {
            self.expect(edge);
        }
        tight
    }

    fn opening_is_due(&mut self, blossom: Node) {
        if self.label[blossom] == Label::Inner && self.nodes.parent[blossom] == NONE {
            if self.dual_now(blossom) == Cost::ZERO {
                self.open(blossom);
            } else {
                self.expect_opening(blossom);
            }
        }
    }

    // --- duals ---

    /// How far the duals of an outermost node have moved since it got its label.
    fn moved(&self, node: Node) -> Cost<W> {
        match self.label[node] {
            Label::Outside => Cost::ZERO,
            Label::Outer => self.now - self.since[node],
            Label::Inner => self.since[node] - self.now,
        }
    }

    /// An outermost blossom's dual moves twice as fast as its vertices', so that its inner edges stay tight.
    fn dual_now(&self, blossom: Node) -> Cost<W> {
        self.dual[blossom] + self.moved(blossom).twice()
    }

    fn slack(&self, edge: usize) -> Cost<W> {
        let Edge { ends: [u, v], cost } = self.edges[edge];
        let dual_of = |vertex: usize| {
            self.dual[vertex] + self.offset[self.nodes.set(vertex)] + self.moved(self.nodes.top(vertex))
        };
        cost.twice() - dual_of(u) - dual_of(v)
    }

    /// Writes down how far an outermost node's duals have moved, and takes it out of the tree.
    fn settle(&mut self, node: Node) {
        let moved = self.moved(node);
        if self.label[node] != Label::Outside {
            self.offset[self.nodes.set_of_top(node)] += moved;
            if self.nodes.is_blossom(node) {
                self.dual[node] += moved.twice();
            }
        }
        self.label[node] = Label::Outside;
    }

    // --- growing ---

    fn head(&self, arc: Arc) -> usize {
        self.edges[arc.edge].ends[arc.head]
    }

    fn tail(&self, arc: Arc) -> usize {
        self.head(arc.reversed())
    }

    fn set_label(&mut self, node: Node, label: Label, via: Arc) {
        self.label[node] = label;
        self.since[node] = self.now;
        self.via[node] = via;
        self.labelled.push(node);
    }

    fn make_outer(&mut self, node: Node, via: Arc) {
        self.set_label(node, Label::Outer, via);
        for at in 0..self.nodes.members(node).len() {
            self.look_around(self.nodes.members(node)[at]);
        }
    }

    fn make_inner(&mut self, node: Node, via: Arc) {
        self.set_label(node, Label::Inner, via);
        if self.nodes.is_blossom(node) {
            self.expect_opening(node);
        }
    }

    /// The matched partner of an inner node is outer.
    fn make_mate_outer(&mut self, inner: Node) {
        let base = self.nodes.base[inner];
        let edge = self.mate[base];
        let head = usize::from(self.edges[edge].ends[0] == base);
        let arc = Arc { edge, head };
        let mate = self.nodes.top(self.head(arc));
        self.make_outer(mate, arc);
    }

    /// Notes when the edges of an outer vertex become tight.
    fn look_around(&mut self, vertex: usize) {
        for place in 0..self.around[vertex].len() {
            let edge = self.around[vertex][place].edge;
            self.expect(edge);
        }
    }

    /// Notes when an edge with an outer end becomes tight: at once its full slack if the other end does not move, half
    /// of it if that is outer too, never if it is inner.
    fn expect(&mut self, edge: usize) {
        let [u, v] = self.edges[edge].ends;
        let (a, b) = (self.nodes.top(u), self.nodes.top(v));
        if a == b {
            return;
        }
        let wait = match (self.label[a], self.label[b]) {
            (Label::Outer, Label::Outer) => self.slack(edge).half(),
            (Label::Outer, Label::Outside) | (Label::Outside, Label::Outer) => self.slack(edge),
            (Label::Inner, _) | (_, Label::Inner) | (Label::Outside, Label::Outside) => return,
        };
        self.events.push(Reverse(Event { time: self.now + wait, due: Due::Tight(edge) }));
    }

    fn expect_opening(&mut self, blossom: Node) {
        let time = self.now + self.dual_now(blossom).half();
        self.events.push(Reverse(Event { time, due: Due::Open(blossom) }));
    }

    // --- shrinking and opening ---

    /// Two outer nodes are joined by a tight edge: with the ways to their nearest common outer ancestor they make an odd
    /// circle, which is shrunk.
    fn shrink(&mut self, edge: usize) {
        let joined = Arc { edge, head: 1 };
        let [u, v] = self.edges[edge].ends;
        let ancestor = self.common_ancestor(self.nodes.top(u), self.nodes.top(v));
        // From the ancestor down to u, over the edge, and from v up again.
        let (mut children, mut links) = self.way_up(self.nodes.top(u), ancestor);
        children.reverse();
        links.reverse();
        children.insert(0, ancestor);
        links.push(joined);
        let (up, up_links) = self.way_up(self.nodes.top(v), ancestor);
        children.extend(up);
        links.extend(up_links.into_iter().map(Arc::reversed));

        let mut turned_outer = Vec::new();
        for &child in &children {
            if self.label[child] == Label::Inner {
                turned_outer.extend_from_slice(self.nodes.members(child));
            }
            self.settle(child);
        }
        let via = self.via[ancestor];
        let (dual, offset) = (&mut self.dual, &self.offset);
        let blossom = self.nodes.shrink(Circle { children, links }, |vertex, from, to| {
            dual[vertex] += offset[from] - offset[to];
        });
        if blossom == self.label.len() {
            self.label.push(Label::Outside);
            self.since.push(Cost::ZERO);
            self.via.push(Arc::NOWHERE);
            self.dual.push(Cost::ZERO);
            self.walked.push(0);
        }
        self.dual[blossom] = Cost::ZERO;
        self.set_label(blossom, Label::Outer, via);
        for vertex in turned_outer {
            self.look_around(vertex);
        }
    }

    /// The nodes from `from` up to, but without, `ancestor`, each with the arc by which the tree came to it.
    fn way_up(&self, from: Node, ancestor: Node) -> (Vec<Node>, Vec<Arc>) {
        let (mut nodes, mut arcs) = (Vec::new(), Vec::new());
        let mut node = from;
        while node != ancestor {
            nodes.push(node);
            arcs.push(self.via[node]);
            node = self.above(node);
        }
        (nodes, arcs)
    }

    fn above(&self, node: Node) -> Node {
        self.nodes.top(self.tail(self.via[node]))
    }

    /// The nearest common ancestor of two outer nodes: both ways are walked in turn, until one comes where the other was.
    fn common_ancestor(&mut self, a: Node, b: Node) -> Node {
        self.walk += 1;
        let mut walking = [Some(a), Some(b)];
        loop {
            for way in &mut walking {
                let Some(node) = *way else { continue };
                if self.walked[node] == self.walk {
                    return node;
                }
                self.walked[node] = self.walk;
                *way = if self.via[node] == Arc::NOWHERE {
                    None
                } else {
                    Some(self.nodes.top(self.tail(self.via[self.above(node)])))
                };
            }
        }
    }

    /// An inner blossom whose dual is zero is opened. The children on the even way from where the tree enters to the base
    /// stay in the tree, inner and outer by turns; the others leave it.
    fn open(&mut self, blossom: Node) {
        let entered = self.via[blossom];
        let entry = self.nodes.child_with(blossom, self.head(entered));
        self.settle(blossom);
        let offset = &mut self.offset;
        let Circle { children, links } = self.nodes.open(blossom, |from, to| divide(offset, from, to));
        let size = children.len();
        let start =
            children.iter().position(|&child| child == entry).expect("the entry is one of the children");
        // Walk on from the entry to the base, child 0, whichever way has an even number of steps.
        let forward = start % 2 == 1;
        let step = |at: usize| if forward { (at + 1) % size } else { (at + size - 1) % size };
        let arc_to = |at: usize| if forward { links[at] } else { links[(at + size - 1) % size].reversed() };

        let mut on_the_way = vec![false; size];
        let (mut at, mut via) = (start, entered);
        loop {
            on_the_way[at] = true;
            self.make_inner(children[at], via);
            if at == 0 {
                break;
            }
            let matched = arc_to(at);
            at = step(at);
            on_the_way[at] = true;
            self.make_outer(children[at], matched);
            via = arc_to(at);
            at = step(at);
        }
        for (at, &child) in children.iter().enumerate() {
            if !on_the_way[at] {
                for at in 0..self.nodes.members(child).len() {
                    self.look_around(self.nodes.members(child)[at]);
                }
            }
        }
    }

    // --- augmenting ---

    /// A tight edge leads out of the tree to a free vertex: along the way from the root, matched and unmatched edges
    /// change.
    fn augment(&mut self, outward: Arc) {
        let reached = self.head(outward);
        self.rebase(self.nodes.top(reached), reached);
        self.mate[reached] = outward.edge;
        let mut arc = outward;
        loop {
            let vertex = self.tail(arc);
            let outer = self.nodes.top(vertex);
            self.rebase(outer, vertex);
            self.mate[vertex] = arc.edge;
            if self.via[outer] == Arc::NOWHERE {
                return;
            }
            let inner = self.above(outer);
            arc = self.via[inner];
            let entry = self.head(arc);
            self.rebase(inner, entry);
            self.mate[entry] = arc.edge;
        }
    }

    /// Makes a vertex the base of its node: inside, the others are matched anew in pairs around the circle.
    fn rebase(&mut self, node: Node, vertex: usize) {
        if !self.nodes.is_blossom(node) {
            return;
        }
        let child = self.nodes.child_with(node, vertex);
        self.rebase(child, vertex);
        let Circle { mut children, mut links } = core::mem::take(self.nodes.circle_mut(node));
        let start = children.iter().position(|&other| other == child).expect("it is one of the children");
        children.rotate_left(start);
        links.rotate_left(start);
        // Counted from the new base, children 1 and 2, 3 and 4, and so on are matched. Those behind the old base, or
        // before it, already are.
        let size = children.len();
        let old_base = (size - start) % size;
        let (from, to) = if old_base % 2 == 0 { (1, old_base) } else { (old_base, size - 1) };
        for at in (from..to).step_by(2) {
            let link = links[at];
            let (u, v) = (self.tail(link), self.head(link));
            self.rebase(children[at], u);
            self.rebase(children[at + 1], v);
            self.mate[u] = link.edge;
            self.mate[v] = link.edge;
        }
        *self.nodes.circle_mut(node) = Circle { children, links };
        self.nodes.base[node] = vertex;
    }

    /// Ends the search. Blossoms with no dual are opened: they bind nothing.
    fn clear_tree(&mut self) {
        let labelled = core::mem::take(&mut self.labelled);
        for &node in &labelled {
            self.settle(node);
        }
        for node in labelled {
            // A number of an opened blossom may have been given to a new one; only outermost ones are looked at.
            let is_outermost = self.nodes.is_blossom(node) && self.nodes.is_outermost(node);
            if is_outermost && self.dual[node] == Cost::ZERO {
                let (dual, offset) = (&self.dual, &mut self.offset);
                let opens = |node: Node| dual[node] == Cost::ZERO;
                self.nodes.dissolve(node, opens, |from, to| divide(offset, from, to));
            }
        }
    }
}

/// A set's offset goes with each part of it.
fn divide<const W: usize>(offset: &mut Vec<Cost<W>>, from: usize, to: usize) {
    let same = offset[from];
    match offset.get_mut(to) {
        Some(part) => *part = same,
        None => offset.push(same),
    }
}
