//! The nested nodes: vertices, and blossoms made of an odd circle of nodes.

/// A node: a vertex below the number of vertices, a blossom from there on.
pub(super) type Node = usize;

/// "No node", "no edge".
pub(super) const NONE: usize = usize::MAX;

/// An edge walked in one direction, by its place in the list of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arc {
    pub edge: usize,
    /// Which of the edge's ends it leads to.
    pub head: usize,
}

impl Arc {
    pub const NOWHERE: Arc = Arc { edge: NONE, head: 0 };

    pub fn reversed(self) -> Arc {
        Arc { edge: self.edge, head: 1 - self.head }
    }
}

/// A blossom's circle: `links[i]` leads from `children[i]` to `children[i + 1]`, the last back to the first. The first
/// child holds the base, from which the others are matched in pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Circle {
    pub children: Vec<Node>,
    pub links: Vec<Arc>,
}

/// The vertices of one outermost node. Sets are merged small into large, so that a blossom that grows by one petal at a
/// time costs no more than its petals.
#[derive(Clone, Debug)]
struct Set {
    node: Node,
    members: Vec<usize>,
}

/// The forest of nodes.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    pub vertices: usize,
    pub parent: Vec<Node>,
    /// The one vertex of a node that is matched outside it, or free.
    pub base: Vec<usize>,
    circles: Vec<Circle>,
    unused: Vec<Node>,
    /// The set of each vertex, and of each outermost node.
    set_of_vertex: Vec<usize>,
    set_of_node: Vec<usize>,
    sets: Vec<Set>,
    unused_sets: Vec<usize>,
}

impl Nodes {
    pub fn new(vertices: usize) -> Nodes {
        Nodes {
            vertices,
            parent: vec![NONE; vertices],
            base: (0..vertices).collect(),
            circles: Vec::new(),
            unused: Vec::new(),
            set_of_vertex: (0..vertices).collect(),
            set_of_node: (0..vertices).collect(),
            sets: (0..vertices).map(|vertex| Set { node: vertex, members: vec![vertex] }).collect(),
            unused_sets: Vec::new(),
        }
    }

    pub fn is_blossom(&self, node: Node) -> bool {
        node >= self.vertices
    }

    pub fn circle(&self, blossom: Node) -> &Circle {
        &self.circles[blossom - self.vertices]
    }

    pub fn circle_mut(&mut self, blossom: Node) -> &mut Circle {
        &mut self.circles[blossom - self.vertices]
    }

    /// Whether a node is in use and in no other.
    pub fn is_outermost(&self, node: Node) -> bool {
        self.parent[node] == NONE && !(self.is_blossom(node) && self.circle(node).children.is_empty())
    }

    /// The outermost node of a vertex.
    pub fn top(&self, vertex: usize) -> Node {
        self.sets[self.set_of_vertex[vertex]].node
    }

    /// The set of a vertex.
    pub fn set(&self, vertex: usize) -> usize {
        self.set_of_vertex[vertex]
    }

    /// The set of an outermost node.
    pub fn set_of_top(&self, node: Node) -> usize {
        self.set_of_node[node]
    }

    /// The vertices of an outermost node.
    pub fn members(&self, node: Node) -> &[usize] {
        &self.sets[self.set_of_node[node]].members
    }

    /// Shrinks a circle of outermost nodes to one. `moves` is told of every vertex that changes its set: from, to.
    pub fn shrink(&mut self, circle: Circle, mut moves: impl FnMut(usize, usize, usize)) -> Node {
        let base = self.base[circle.children[0]];
        let node = self.unused.pop().unwrap_or(self.parent.len());
        if node == self.parent.len() {
            self.parent.push(NONE);
            self.base.push(base);
            self.set_of_node.push(NONE);
            self.circles.push(Circle::default());
        }
        self.base[node] = base;
        self.parent[node] = NONE;
        let sets = circle.children.iter().map(|&child| self.set_of_node[child]);
        let largest = sets.max_by_key(|&set| self.sets[set].members.len()).expect("a circle has children");
        for &child in &circle.children {
            self.parent[child] = node;
            let set = self.set_of_node[child];
            if set == largest {
                continue;
            }
            for vertex in core::mem::take(&mut self.sets[set].members) {
                moves(vertex, set, largest);
                self.set_of_vertex[vertex] = largest;
                self.sets[largest].members.push(vertex);
            }
            self.unused_sets.push(set);
        }
        self.sets[largest].node = node;
        self.set_of_node[node] = largest;
        *self.circle_mut(node) = circle;
        node
    }

    /// Opens an outermost blossom; its children are outermost again. `splits` is told of every new set: from, to.
    pub fn open(&mut self, blossom: Node, splits: impl FnMut(usize, usize)) -> Circle {
        let circle = core::mem::take(self.circle_mut(blossom));
        self.unused.push(blossom);
        self.separate(self.set_of_node[blossom], &circle.children, splits);
        circle
    }

    /// Opens an outermost blossom and every one inside it that becomes outermost, as far as `opens` says.
    pub fn dissolve(
        &mut self,
        blossom: Node,
        opens: impl Fn(Node) -> bool,
        splits: impl FnMut(usize, usize),
    ) {
        let set = self.set_of_node[blossom];
        let mut pieces = Vec::new();
        let mut inspected = vec![blossom];
        while let Some(node) = inspected.pop() {
            if self.is_blossom(node) && opens(node) {
                inspected.extend(core::mem::take(self.circle_mut(node)).children);
                self.unused.push(node);
            } else {
                pieces.push(node);
            }
        }
        self.separate(set, &pieces, splits);
    }

    /// Divides a set among nodes that are outermost from now on.
    fn separate(&mut self, set: usize, nodes: &[Node], mut splits: impl FnMut(usize, usize)) {
        self.sets[set].members.clear();
        for (at, &node) in nodes.iter().enumerate() {
            let members = self.vertices_of(node);
            let own = if at == 0 { set } else { self.unused_sets.pop().unwrap_or(self.sets.len()) };
            for &vertex in &members {
                self.set_of_vertex[vertex] = own;
            }
            self.parent[node] = NONE;
            self.set_of_node[node] = own;
            if own == self.sets.len() {
                self.sets.push(Set { node, members });
            } else {
                self.sets[own] = Set { node, members };
            }
            if own != set {
                splits(set, own);
            }
        }
    }

    /// All vertices inside a node, outermost or not.
    pub fn vertices_of(&self, node: Node) -> Vec<usize> {
        let mut inside = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.is_blossom(node) {
                open.extend(self.circle(node).children.iter().rev());
            } else {
                inside.push(node);
            }
        }
        inside
    }

    /// The child of a blossom that holds a vertex.
    pub fn child_with(&self, blossom: Node, vertex: usize) -> Node {
        let mut node = vertex;
        while self.parent[node] != blossom {
            node = self.parent[node];
        }
        node
    }
}
