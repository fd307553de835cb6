//! Pieces that were knocked over: three or more left their points at once. Hands put them up again one by one; where one
//! of them comes to stand beside its point, nobody played it there, unless its player presses for it.

use xiangqi::{Piece, Point, Points};

use super::untouched::beside;
use super::{Hypothesis, Scene};
use crate::evidence::Evidence;
use crate::sense::Difference;

/// Pieces that fall leave their points within this time, ms.
const FALL_WITHIN: i64 = 500;
/// So many at once are no gesture.
const FALLEN_FROM: usize = 3;

impl Hypothesis {
    /// Whether the piece on `point` was knocked over when it last left it: others left theirs with it.
    pub(super) fn fell(&self, scene: Scene, point: Point) -> bool {
        let lifted = |point: Point| {
            let piece = self.position.piece_at(point)?;
            scene.evidence.last_lift(piece, point, scene.now.plus(-Evidence::KEPT), scene.now)
        };
        let Some(fell) = lifted(point) else { return false };
        let changed = scene.evidence.changed_since(fell.plus(-FALL_WITHIN)) & self.board().occupied();
        let at_once = |other: &Point| lifted(*other).is_some_and(|at| at.since(fell).abs() <= FALL_WITHIN);
        changed.into_iter().filter(at_once).count() >= FALLEN_FROM
    }

    /// The points that differ because a piece that was knocked over stands beside its own: its own and that one.
    pub(super) fn put_beside(&self, scene: Scene, difference: Difference) -> Points {
        if difference.missing.is_empty() || difference.extra.is_empty() {
            return Points::EMPTY;
        }
        let stands_beside = |piece: Piece, point: Point| {
            let shows = |beside: &Point| scene.image.at(*beside).may_be(Some(piece));
            beside(point).filter(|beside| difference.extra.contains(*beside)).find(shows)
        };
        let pairs = difference.missing.into_iter().filter_map(|point| {
            let stands = stands_beside(self.position.piece_at(point)?, point)?;
            self.fell(scene, point).then_some([point, stands])
        });
        pairs.flatten().collect()
    }
}
