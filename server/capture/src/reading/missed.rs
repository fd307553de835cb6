//! What was played while the board could not be seen: every line of regular plies that leads to the image.
//!
//! Nothing is left of an outage but the image at its end, and the presses. So many plies were played as were pressed for, or
//! one more that is still to be. Without a clock the shortest lines are taken. If there is one line it is read; of several
//! that lead to one position the order stays in doubt, and of others an arbiter chooses. A piece that had been put down and
//! not pressed for may have gone on.

use std::cell::Cell;

use xiangqi::{Move, Point, Position, Side};

use super::price::Price;
use super::{Hypothesis, Scene};
use crate::dark::Dark;
use crate::params::Cost;

/// What more plies than this were is for an arbiter to enter.
const PLIES_AT_MOST: usize = 6;
/// Where presses do not tell, they were no more than this.
const UNCOUNTED_AT_MOST: usize = 4;
/// So many lines are looked at; among more nobody could choose.
const LINES_AT_MOST: usize = 32;
/// So many positions are looked at from each reading.
const LOOKS: u32 = 4_000;

/// So many plies, and whether their players have pressed for all of them, not only for all but the last.
type Count = (usize, bool);

/// Where lines are looked for.
struct Search<'a> {
    scene: Scene<'a>,
    /// The piece of this ply, instead of which another one is looked for, moves first.
    instead_of: Option<Move>,
    /// So many positions may still be looked at.
    looks: Cell<u32>,
}

impl Hypothesis {
    /// Whether it explains all that the board shows.
    pub fn fits(&self, scene: Scene) -> bool {
        differs(scene, &self.position) == 0
    }

    /// So many plies were pressed for in the dark that this reading does not have.
    pub fn unread(&self, dark: Dark) -> usize {
        // The first press was for the last ply, if that had been seen.
        dark.presses().unwrap_or(0).saturating_sub(usize::from(self.waited(dark)))
    }

    /// Whether its last ply was still to be pressed for when the dark began.
    fn waited(&self, dark: Dark) -> bool {
        dark.running() == Some(self.position.side_to_move().opposite()) && !self.line.is_empty()
    }

    /// The readings with the plies that were missed, if they lead to what the board shows; `running` is the side whose time
    /// runs.
    pub fn missed(&self, scene: Scene, dark: Dark, running: Option<Side>) -> Vec<Hypothesis> {
        let search = |instead_of| Search { scene, instead_of, looks: Cell::new(LOOKS) };
        let Some(presses) = dark.presses() else {
            let mover = self.position.side_to_move();
            let after = |plies: usize| if plies.is_multiple_of(2) { mover } else { mover.opposite() };
            let counts = (1..=UNCOUNTED_AT_MOST)
                .filter(|plies| running.is_none_or(|running| running == after(*plies)))
                .map(|plies| (plies, true));
            return self.caught_up(&search(None), counts, 0);
        };
        let counts = |pressed: usize| [(pressed, true), (pressed + 1, false)];
        let mut found = self.caught_up(&search(None), counts(self.unread(dark)), 0);
        if let Some(last) = self.line.last().filter(|last| last.irregular.is_none() && self.waited(dark))
            && let Some(earlier) = self.before_last()
        {
            let cost = scene.params.moved_on - self.disputes.paid(last.mv.to);
            found.extend(earlier.caught_up(&search(Some(last.mv)), counts(presses), cost));
        }
        found
    }

    /// With the lines that lead to the image, which cost so much more: of the first count of which there are any.
    fn caught_up(
        &self,
        search: &Search,
        counts: impl IntoIterator<Item = Count>,
        cost: Cost,
    ) -> Vec<Hypothesis> {
        for (plies, pressed) in counts {
            let mut lines = Vec::new();
            if (1..=PLIES_AT_MOST).contains(&plies) {
                search.lines(&self.position, plies, &mut Vec::new(), &mut lines);
            }
            if !lines.is_empty() {
                return lines
                    .iter()
                    .map(|line| self.with_missed(search.scene, line, pressed, cost))
                    .collect();
            }
        }
        Vec::new()
    }

    fn with_missed(&self, scene: Scene, line: &[Move], pressed: bool, cost: Cost) -> Hypothesis {
        let mut reading = self.clone();
        for &mv in line {
            reading = reading.with(scene, mv, Price::seen(scene.params.ply, scene.now), None);
        }
        reading.cost += cost;
        if scene.clock {
            reading.unpressed = u8::from(!pressed);
        }
        if !pressed {
            reading.cost += scene.params.press_to_come;
        }
        reading
    }
}

impl Search<'_> {
    /// Lines of exactly so many plies that lead to the image.
    fn lines(&self, position: &Position, plies: usize, line: &mut Vec<Move>, into: &mut Vec<Vec<Move>>) {
        if !self.may_lead(position, plies) {
            return;
        }
        if plies == 0 {
            into.push(line.clone());
            return;
        }
        for &mv in position.legal_moves().iter() {
            if into.len() == LINES_AT_MOST || self.looks.get() == 0 {
                return;
            }
            if let Some(wrong) = self.instead_of.filter(|_| line.is_empty())
                && (mv.from != wrong.from || mv.to == wrong.to)
            {
                continue;
            }
            self.looks.update(|looks| looks - 1);
            line.push(mv);
            self.lines(&position.play_irregular(mv), plies - 1, line, into);
            line.pop();
        }
    }

    /// Whether so many plies may lead from there to the image: each changes two points, and on each point that shows a
    /// piece which does not stand there one must come to stand, by a ply of its side.
    fn may_lead(&self, position: &Position, plies: usize) -> bool {
        let Scene { image, health, .. } = self.scene;
        let difference = image.difference(position.board());
        let arrivals = (difference.extra | difference.wrong) - health.bad();
        let of = |side: Side| {
            let shows = |point: &Point| !image.at(*point).may_be_of(side.opposite());
            arrivals.into_iter().filter(shows).count()
        };
        let mover = position.side_to_move();
        (difference.points() - health.bad()).len() <= 2 * plies
            && arrivals.len() <= plies
            && of(mover) <= plies.div_ceil(2)
            && of(mover.opposite()) <= plies / 2
    }
}

/// In how many points the board shows something else.
fn differs(scene: Scene, position: &Position) -> usize {
    (scene.image.difference(position.board()).points() - scene.health.bad()).len()
}
