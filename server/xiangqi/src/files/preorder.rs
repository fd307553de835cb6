//! Trees that a file stores move by move, each with two flags: does its line
//! go on, and does an alternative to it follow once its line is done.

use std::collections::BTreeSet;

use super::game::Step;
use super::{Game, MAX_MOVES, NodeId, Place, Problem, ReadError, ReadResult};
use crate::Move;

/// Builds the tree of a game from such a sequence.
pub(super) struct Preorder {
    game: Game,
    /// Where the next move belongs; `None` when the tree is complete.
    parent: Option<NodeId>,
    /// The parents of the alternatives that are still to come.
    waiting: Vec<NodeId>,
    /// By node: where it stands in the file.
    places: Vec<usize>,
}

impl Preorder {
    /// A tree below the root of `game`, if there is one.
    pub(super) fn new(game: Game, goes_on: bool) -> Preorder {
        let parent = goes_on.then_some(NodeId::ROOT);
        Preorder { game, parent, waiting: Vec::new(), places: vec![0] }
    }

    /// Whether no move is missing.
    pub(super) const fn is_complete(&self) -> bool {
        self.parent.is_none()
    }

    /// Adds the next move of the file, which stands at `offset`.
    ///
    /// # Errors
    /// The game is complete already, or too large.
    pub(super) fn push(
        &mut self,
        mv: Move,
        comment: &str,
        goes_on: bool,
        has_alternative: bool,
        offset: usize,
    ) -> Result<(), Problem> {
        let Some(parent) = self.parent else { return Ok(()) };
        if self.game.move_count() == MAX_MOVES {
            return Err(Problem::TooManyMoves(MAX_MOVES));
        }
        let node = self.game.add(parent, mv);
        self.game.set_comment(node, comment);
        self.places.push(offset);
        if has_alternative {
            self.waiting.push(parent);
        }
        self.parent = if goes_on { Some(node) } else { self.waiting.pop() };
        Ok(())
    }

    /// The game, its illegal moves among the errors, and what broke off its
    /// reading, if anything did.
    pub(super) fn finish(self, broken: Option<(Place, Problem)>) -> ReadResult {
        let places = self.places;
        let mut result = checked(self.game, 1, |node, _| Place::Byte(places[node.index()]));
        if let Some((place, problem)) = broken {
            // In a file of one game, what was read of it is all there is.
            let partial = result.games.pop().map(Box::new);
            result.errors.push(ReadError { game: 1, place, problem, partial });
        }
        result
    }
}

/// A game as a result: its illegal variations are cut off and reported; an
/// illegal move in its main line leaves only the part before.
pub(super) fn checked(mut game: Game, number: usize, place: impl Fn(NodeId, Move) -> Place) -> ReadResult {
    let mut irregular = Vec::new();
    game.walk(|Step { node, mv, ply, before }| match before.legality(mv) {
        Ok(()) => true,
        Err(reason) => {
            irregular.push((node, place(node, mv), Problem::Illegal { ply, reason }));
            false
        }
    });
    if irregular.is_empty() {
        return ReadResult { games: vec![game], ..ReadResult::default() };
    }
    let main_line: BTreeSet<NodeId> = game.main_line().collect();
    game.cut(irregular.iter().map(|&(node, ..)| node));
    let mut result = ReadResult::default();
    let mut broken_off = None;
    for (node, place, problem) in irregular {
        let error = ReadError { game: number, place, problem, partial: None };
        if main_line.contains(&node) { broken_off = Some(error) } else { result.errors.push(error) }
    }
    match broken_off {
        None => result.games.push(game),
        Some(error) => result.errors.push(ReadError { partial: Some(Box::new(game)), ..error }),
    }
    result
}
