//! A game as files hold it: tags, a start, a tree of moves, a result.

use core::fmt;
use core::time::Duration;

use super::Tags;
use crate::{Illegal, Move, Position, Undo};

/// A game: one type for all formats.
///
/// The moves form a tree. The first child of a node goes on with its line, the
/// others are variations (变着) of that first child. Readers only add legal
/// moves; a game of record may hold irregular ones, played and let stand.
///
/// Two games are equal if tags, start, result and trees are, in whatever order
/// the trees were built.
#[derive(Clone)]
pub struct Game {
    /// Who played where and when: see [`Tags`] for the names.
    pub tags: Tags,
    /// How it ended.
    pub result: GameResult,
    start: Position,
    nodes: Vec<Node>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameResult {
    /// Not finished, or nobody wrote it down: `*`.
    #[default]
    Unknown,
    /// 红胜: `1-0`.
    RedWins,
    /// 黑胜: `0-1`.
    BlackWins,
    /// 和棋: `1/2-1/2`.
    Draw,
}

impl GameResult {
    /// As PGN writes it.
    #[must_use]
    pub const fn pgn(self) -> &'static str {
        match self {
            GameResult::Unknown => "*",
            GameResult::RedWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }

    /// In Chinese, as DhtmlXQ writes it.
    #[must_use]
    pub const fn hanzi(self) -> &'static str {
        match self {
            GameResult::Unknown => "未知",
            GameResult::RedWins => "红胜",
            GameResult::BlackWins => "黑胜",
            GameResult::Draw => "和棋",
        }
    }

    /// The result that a word means, in any of the spellings in use; `None` if
    /// it means none.
    #[must_use]
    pub fn from_word(word: &str) -> Option<GameResult> {
        Some(match word.trim() {
            "*" | "未知" => GameResult::Unknown,
            "1-0" | "红胜" | "紅勝" | "红先胜" | "紅先勝" | "黑负" | "黑負" => {
                GameResult::RedWins
            }
            "0-1" | "黑胜" | "黑勝" | "红先负" | "紅先負" | "红负" | "紅負" => {
                GameResult::BlackWins
            }
            "1/2-1/2" | "1/2" | "½-½" | "和" | "和棋" | "和局" | "红先和" | "紅先和" => {
                GameResult::Draw
            }
            _ => return None,
        })
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.pgn())
    }
}

/// A node of the tree of a [`Game`], meaningful in that game only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The beginning of every game, before the first move.
    pub const ROOT: NodeId = NodeId(0);

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone)]
struct Node {
    mv: Option<Move>,
    parent: NodeId,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
    comment: String,
    clock: Option<Duration>,
}

impl Node {
    const fn new(mv: Option<Move>, parent: NodeId) -> Node {
        Node {
            mv,
            parent,
            first_child: None,
            last_child: None,
            next_sibling: None,
            comment: String::new(),
            clock: None,
        }
    }
}

impl Game {
    /// A game without moves from `start`.
    #[must_use]
    pub fn new(start: Position) -> Game {
        Game {
            tags: Tags::default(),
            result: GameResult::Unknown,
            start,
            nodes: vec![Node::new(None, NodeId::ROOT)],
        }
    }

    /// Where it starts.
    #[must_use]
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Adds `mv` below `parent`: as the move that goes on from there if it is
    /// the first, otherwise as a variation. Whether it is legal is not asked:
    /// see [`Game::irregular`].
    pub fn add(&mut self, parent: NodeId, mv: Move) -> NodeId {
        let id =
            NodeId(u32::try_from(self.nodes.len()).expect("no file and no player makes four billion moves"));
        self.nodes.push(Node::new(Some(mv), parent));
        match self.nodes[parent.index()].last_child.replace(id) {
            Some(sibling) => self.nodes[sibling.index()].next_sibling = Some(id),
            None => self.nodes[parent.index()].first_child = Some(id),
        }
        id
    }

    /// Adds a line of moves below `parent` and gives its last node.
    pub fn add_line(&mut self, parent: NodeId, moves: impl IntoIterator<Item = Move>) -> NodeId {
        moves.into_iter().fold(parent, |node, mv| self.add(node, mv))
    }

    /// The move that leads to `node`; `None` at the root.
    #[must_use]
    pub fn mv(&self, node: NodeId) -> Option<Move> {
        self.nodes[node.index()].mv
    }

    /// The node before `node`; `None` at the root.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.mv(node).map(|_| self.nodes[node.index()].parent)
    }

    /// The node that goes on from `node`, if the line does.
    #[must_use]
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()].first_child
    }

    /// The next alternative to `node` among the children of its parent.
    pub(crate) fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()].next_sibling
    }

    /// All that goes on from `node`: the line first, then its variations.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        core::iter::successors(self.next(node), |&child| self.next_sibling(child))
    }

    /// The comment (注解) after `node`; at the root, before the first move.
    /// Empty if there is none.
    #[must_use]
    pub fn comment(&self, node: NodeId) -> &str {
        &self.nodes[node.index()].comment
    }

    /// Sets the comment after `node`.
    pub fn set_comment(&mut self, node: NodeId, comment: impl Into<String>) {
        self.nodes[node.index()].comment = comment.into();
    }

    /// Adds to the comment after `node`, on a line of its own.
    pub(crate) fn append_comment(&mut self, node: NodeId, text: &str) {
        let comment = &mut self.nodes[node.index()].comment;
        if !text.is_empty() {
            if !comment.is_empty() {
                comment.push('\n');
            }
            comment.push_str(text);
        }
    }

    /// The time that was left to the mover after the move.
    #[must_use]
    pub fn clock(&self, node: NodeId) -> Option<Duration> {
        self.nodes[node.index()].clock
    }

    /// Sets the time that was left to the mover.
    pub fn set_clock(&mut self, node: NodeId, left: Option<Duration>) {
        self.nodes[node.index()].clock = left;
    }

    /// The nodes of the main line (主变), the root not included.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        core::iter::successors(self.next(NodeId::ROOT), |&node| self.next(node))
    }

    /// The moves of the main line.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.main_line().filter_map(|node| self.mv(node))
    }

    /// How many moves the tree holds, variations included.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The position after `node`.
    #[must_use]
    pub fn position(&self, node: NodeId) -> Position {
        let mut path = Vec::new();
        let mut at = node;
        while let (Some(mv), Some(parent)) = (self.mv(at), self.parent(at)) {
            path.push(mv);
            at = parent;
        }
        path.into_iter().rev().fold(self.start.clone(), |position, mv| position.play_irregular(mv))
    }

    /// The first node of each line whose move is not legal, and why. What
    /// follows such a move is not looked at.
    #[must_use]
    pub fn irregular(&self) -> Vec<(NodeId, Illegal)> {
        let mut irregular = Vec::new();
        self.walk(|step| match step.before.legality(step.mv) {
            Ok(()) => true,
            Err(reason) => {
                irregular.push((step.node, reason));
                false
            }
        });
        irregular
    }

    /// Visits every move after its predecessor, a line before its variations.
    /// `visit` says whether to go on below the move.
    pub(crate) fn walk(&self, mut visit: impl FnMut(Step<'_>) -> bool) {
        let mut before = self.start.clone();
        let mut undos: Vec<Undo> = Vec::new();
        let mut at = self.next(NodeId::ROOT);
        while let Some(node) = at {
            let Some(mv) = self.mv(node) else { return };
            let deeper = visit(Step { node, mv, before: &before, ply: undos.len() + 1 });
            at = self.next(node).filter(|_| deeper);
            if at.is_some() {
                undos.push(before.play_unchecked(mv));
                continue;
            }
            let mut line = node;
            at = self.next_sibling(line);
            while at.is_none() {
                let Some(undo) = undos.pop() else { return };
                before.undo(undo);
                line = self.nodes[line.index()].parent;
                at = self.next_sibling(line);
            }
        }
    }

    /// Takes nodes, with all below them, out of the tree.
    pub(crate) fn cut(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        let mut gone = vec![false; self.nodes.len()];
        let mut parents = Vec::new();
        for node in nodes {
            gone[node.index()] = true;
            parents.extend(self.parent(node));
        }
        parents.sort_unstable();
        parents.dedup();
        for parent in parents {
            let kept: Vec<NodeId> = self.children(parent).filter(|child| !gone[child.index()]).collect();
            for (i, child) in kept.iter().enumerate() {
                self.nodes[child.index()].next_sibling = kept.get(i + 1).copied();
            }
            let node = &mut self.nodes[parent.index()];
            (node.first_child, node.last_child) = (kept.first().copied(), kept.last().copied());
        }
    }

    /// Whether two trees of moves, comments and clocks are the same.
    fn same_tree(&self, other: &Game) -> bool {
        let mut pairs = vec![(NodeId::ROOT, NodeId::ROOT)];
        while let Some((ours, theirs)) = pairs.pop() {
            let (a, b) = (&self.nodes[ours.index()], &other.nodes[theirs.index()]);
            if (a.mv, &a.comment, a.clock) != (b.mv, &b.comment, b.clock) {
                return false;
            }
            for next in [(a.first_child, b.first_child), (a.next_sibling, b.next_sibling)] {
                match next {
                    (Some(ours), Some(theirs)) => pairs.push((ours, theirs)),
                    (None, None) => {}
                    (Some(_), None) | (None, Some(_)) => return false,
                }
            }
        }
        true
    }
}

/// One move on a [`Game::walk`].
pub(crate) struct Step<'a> {
    pub(crate) node: NodeId,
    pub(crate) mv: Move,
    /// The position in which it is played.
    pub(crate) before: &'a Position,
    /// Which move of its line it is, counted from the start: 1 …
    pub(crate) ply: usize,
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Position::start())
    }
}

impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        (self.result, &self.tags, &self.start) == (other.result, &other.tags, &other.start)
            && self.same_tree(other)
    }
}

impl Eq for Game {}

impl fmt::Debug for Game {
    /// Tags, start, and each move with its ply, in the order of `Game::walk`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut moves = vec![format!("0 {:?}", self.comment(NodeId::ROOT))];
        self.walk(|Step { node, mv, ply, .. }| {
            moves.push(format!("{ply}.{mv} {:?} {:?}", self.comment(node), self.clock(node)));
            true
        });
        f.debug_struct("Game")
            .field("tags", &self.tags)
            .field("result", &self.result)
            .field("start", &self.start)
            .field("moves", &moves)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mv(text: &str) -> Move {
        text.parse().unwrap()
    }

    #[test]
    fn the_order_of_building_does_not_matter() {
        let mut line_first = Game::default();
        let a = line_first.add(NodeId::ROOT, mv("h2e2"));
        line_first.add(a, mv("h9g7"));
        line_first.add(NodeId::ROOT, mv("c3c4"));
        let mut breadth_first = Game::default();
        let a = breadth_first.add(NodeId::ROOT, mv("h2e2"));
        breadth_first.add(NodeId::ROOT, mv("c3c4"));
        breadth_first.add(a, mv("h9g7"));
        assert_eq!(line_first, breadth_first);
        breadth_first.set_comment(a, "中炮");
        assert_ne!(line_first, breadth_first);
    }

    #[test]
    fn a_walk_sees_every_move_in_its_own_position() {
        let mut game = Game::default();
        let last = game.add_line(NodeId::ROOT, ["h2e2", "h9g7", "h0g2"].map(mv));
        let reply = game.parent(last).unwrap();
        let other = game.add(game.parent(reply).unwrap(), mv("b9c7"));
        game.add(other, mv("b0c2"));
        let mut seen = Vec::new();
        game.walk(|step| {
            assert!(step.before.is_legal(step.mv));
            assert_eq!(step.before, &game.position(game.parent(step.node).unwrap()));
            seen.push((step.ply, step.mv.to_string()));
            true
        });
        let expected = [(1, "h2e2"), (2, "h9g7"), (3, "h0g2"), (2, "b9c7"), (3, "b0c2")];
        assert_eq!(seen, expected.map(|(ply, text)| (ply, text.to_owned())));
    }

    #[test]
    fn irregular_moves_are_found_and_can_be_cut() {
        let mut game = Game::default();
        let first = game.add(NodeId::ROOT, mv("h2e2"));
        let leap = game.add(first, mv("h9f8"));
        game.add(first, mv("h9g7"));
        assert_eq!(game.irregular().iter().map(|bad| bad.0).collect::<Vec<_>>(), [leap]);
        game.cut([leap]);
        assert_eq!(game.moves().collect::<Vec<_>>(), ["h2e2", "h9g7"].map(mv));
        assert!(game.irregular().is_empty());
    }
}
