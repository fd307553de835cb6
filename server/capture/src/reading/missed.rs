//! What was played while the board could not be seen: every line of a few regular plies that leads to the image.
//!
//! Nothing is left of an outage but the image at its end, and whose time runs then. The shortest lines are taken. If there
//! is one it is read; of several that lead to one position the order stays in doubt, and of others an arbiter chooses.

use xiangqi::{Move, Position, Side};

use super::price::Price;
use super::{Hypothesis, Scene};

/// What more plies than this were is for an arbiter to enter.
const PLIES_AT_MOST: usize = 4;
/// So many lines are looked at; among more nobody could choose.
const LINES_AT_MOST: usize = 32;

impl Hypothesis {
    /// The readings with the plies that were missed, if they lead to what the board shows; `to_move` is the side whose
    /// time runs.
    pub fn missed(&self, scene: Scene, to_move: Option<Side>) -> Vec<Hypothesis> {
        if self.differs_in(scene, &self.position) == 0 {
            return Vec::new();
        }
        let mut side = self.position.side_to_move();
        let mut lines = Vec::new();
        for plies in 1..=PLIES_AT_MOST {
            side = side.opposite();
            if to_move.is_none_or(|to_move| to_move == side) {
                self.search(scene, &self.position, plies, &mut Vec::new(), &mut lines);
            }
            if !lines.is_empty() {
                break;
            }
        }
        lines.iter().map(|line| self.caught_up(scene, line, to_move.is_some())).collect()
    }

    /// Lines of exactly so many plies; each changes at most two points.
    fn search(
        &self,
        scene: Scene,
        position: &Position,
        plies: usize,
        line: &mut Vec<Move>,
        into: &mut Vec<Vec<Move>>,
    ) {
        let differs = self.differs_in(scene, position);
        if plies == 0 && differs == 0 {
            into.push(line.clone());
        }
        if plies == 0 || differs > 2 * plies {
            return;
        }
        for &mv in position.legal_moves().iter() {
            if into.len() == LINES_AT_MOST {
                return;
            }
            line.push(mv);
            self.search(scene, &position.play_irregular(mv), plies - 1, line, into);
            line.pop();
        }
    }

    fn differs_in(&self, scene: Scene, position: &Position) -> usize {
        (scene.image.difference(position.board()).points() - scene.health.bad()).len()
    }

    fn caught_up(&self, scene: Scene, line: &[Move], pressed: bool) -> Hypothesis {
        let mut reading = self.clone();
        for &mv in line {
            reading = reading.with(scene, mv, Price::seen(scene.params.ply, scene.now), None);
        }
        if pressed {
            reading.unpressed = 0;
        }
        reading
    }
}
