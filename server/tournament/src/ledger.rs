//! The results turned round: for each entrant the line of what happened to it, round by round.

use std::collections::{BTreeMap, BTreeSet};

use xiangqi::Side;

use crate::scoring::Verdict;
use crate::{EntrantNo, Event, Points, ResultKind, RoundNo, System, round_robin};

/// What one round brought to one entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub round: RoundNo,
    pub kind: ResultKind,
    /// The scheduled opponent with its place in the ledger; a bye and an absence have none.
    pub opponent: Option<usize>,
    /// The scheduled side.
    pub side: Side,
    pub score: Points,
    pub verdict: Verdict,
    pub fouls: u16,
    /// Board points and boards won, in a team match.
    pub boards: Option<(Points, u16)>,
}

impl Line {
    /// Whether a game took place: only then there is a colour, and the two have met.
    pub fn was_played(&self) -> bool {
        self.kind == ResultKind::Played
    }

    /// The colour played, if a game took place.
    pub fn colour(&self) -> Option<Side> {
        self.was_played().then_some(self.side)
    }
}

/// Every entrant's lines, entrants by number, rounds ascending.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    pub numbers: Vec<EntrantNo>,
    pub lines: Vec<Vec<Line>>,
}

impl Ledger {
    /// The results of rounds 1 to `after`.
    pub fn of(event: &Event, after: RoundNo) -> Ledger {
        let numbers: Vec<EntrantNo> = event.places.keys().copied().collect();
        let place_of: BTreeMap<EntrantNo, usize> = numbers.iter().copied().zip(0..).collect();
        let mut lines = vec![Vec::new(); numbers.len()];
        let scoring = &event.data().scoring;
        let annulled = match event.data().options.system {
            System::RoundRobin { double } => round_robin::annulled(event, double),
            System::Swiss | System::Knockout { .. } => BTreeSet::new(),
        };
        for result in event.data().results.iter().filter(|result| result.round <= after) {
            for (side, no) in result.entrants().filter(|(_, no)| !annulled.contains(&(result.round, *no))) {
                let opponent = match side {
                    Side::Red => result.black,
                    Side::Black => Some(result.red),
                };
                lines[place_of[&no]].push(Line {
                    round: result.round,
                    kind: result.kind,
                    opponent: opponent.map(|no| place_of[&no]),
                    side,
                    score: result.score[side],
                    verdict: scoring.verdict(result.score[side]),
                    fouls: result.fouls[side],
                    boards: result.boards.map(|boards| (boards.points[side], boards.wins[side])),
                });
            }
        }
        for of_one in &mut lines {
            of_one.sort_by_key(|line| line.round);
        }
        Ledger { numbers, lines }
    }

    /// The lines of one entrant in rounds 1 to `after`.
    pub fn until(&self, place: usize, after: RoundNo) -> &[Line] {
        let lines = &self.lines[place];
        &lines[..lines.partition_point(|line| line.round <= after)]
    }

    /// The points of one entrant after a round.
    pub fn points(&self, place: usize, after: RoundNo) -> Points {
        self.until(place, after).iter().map(|line| line.score).sum()
    }

    /// The points of every entrant after a round.
    pub fn all_points(&self, after: RoundNo) -> Vec<Points> {
        (0..self.numbers.len()).map(|place| self.points(place, after)).collect()
    }
}
