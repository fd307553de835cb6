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

/// The forest of nodes.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    pub vertices: usize,
    pub parent: Vec<Node>,
    /// The one vertex of a node that is matched outside it, or free.
    pub base: Vec<usize>,
    /// The outermost node of each vertex.
    pub top: Vec<Node>,
    circles: Vec<Circle>,
    unused: Vec<Node>,
}

impl Nodes {
    pub fn new(vertices: usize) -> Nodes {
        Nodes {
            vertices,
            parent: vec![NONE; vertices],
            base: (0..vertices).collect(),
            top: (0..vertices).collect(),
            circles: Vec::new(),
            unused: Vec::new(),
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

    /// Shrinks a circle of outermost nodes to one.
    pub fn shrink(&mut self, circle: Circle) -> Node {
        let base = self.base[circle.children[0]];
        let node = self.unused.pop().unwrap_or(self.parent.len());
        if node == self.parent.len() {
            self.parent.push(NONE);
            self.base.push(base);
            self.circles.push(Circle::default());
        }
        self.base[node] = base;
        for &child in &circle.children {
            self.parent[child] = node;
            for vertex in self.vertices_of(child) {
                self.top[vertex] = node;
            }
        }
        *self.circle_mut(node) = circle;
        node
    }

    /// Opens an outermost blossom; its children are outermost again.
    pub fn open(&mut self, blossom: Node) -> Circle {
        let circle = core::mem::take(self.circle_mut(blossom));
        for &child in &circle.children {
            self.parent[child] = NONE;
            for vertex in self.vertices_of(child) {
                self.top[vertex] = child;
            }
        }
        self.unused.push(blossom);
        circle
    }

    /// Every blossom there is.
    #[cfg(test)]
    pub fn in_use(&self) -> impl Iterator<Item = Node> {
        (self.vertices..self.parent.len()).filter(|blossom| !self.unused.contains(blossom))
    }

    /// All vertices inside a node.
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

    /// The blossoms that hold both vertices.
    pub fn holding(&self, u: usize, v: usize) -> impl Iterator<Item = Node> {
        let around = |vertex: usize| {
            let up = move |&node: &Node| (self.parent[node] != NONE).then(|| self.parent[node]);
            core::iter::successors(up(&vertex), up)
        };
        let of_u: Vec<Node> = around(u).collect();
        around(v).filter(move |node| of_u.contains(node))
    }
}
