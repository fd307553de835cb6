//! What was played while a board was without power: whether the tracker found it from the image that followed.

use std::collections::BTreeMap;

use capture::Finding;
use serde::Serialize;

use super::Trial;
use super::outages::STILL_TOLD;
use crate::truth::{Due, Incident};

/// Stretches of plies that could not be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Missed {
    /// How many.
    pub stretches: u64,
    /// Read as they were played.
    pub read: u64,
    /// Not read so, but among the lines that were offered to an arbiter.
    pub offered: u64,
    /// Neither, and an arbiter was told that this stretch is in doubt.
    pub told: u64,
}

/// What became of a stretch.
enum Found {
    Read,
    Offered,
    Told,
    Not,
}

impl Missed {
    fn add(&mut self, found: &Found) {
        self.stretches += 1;
        match found {
            Found::Read => self.read += 1,
            Found::Offered => self.offered += 1,
            Found::Told => self.told += 1,
            Found::Not => {}
        }
    }
}

impl Trial {
    /// Adds each stretch under the number of its plies.
    pub(super) fn missed(&self, into: &mut BTreeMap<usize, Missed>) {
        for due in self.played.alerts_due.iter().filter(|due| due.what == Incident::BoardDark) {
            if let Some((first, plies)) = self.unseen(due) {
                into.entry(plies).or_default().add(&self.found(first, plies));
            }
        }
    }

    /// The plies that were placed in the dark: the index of the first, and how many.
    fn unseen(&self, due: &Due) -> Option<(usize, usize)> {
        let dark = due.at..due.until - STILL_TOLD;
        let placed = |placed: i64| dark.contains(&placed);
        let first = self.played.plies.iter().position(|ply| placed(ply.placed))?;
        Some((first, self.played.plies[first..].iter().take_while(|ply| placed(ply.placed)).count()))
    }

    fn found(&self, first: usize, plies: usize) -> Found {
        let Some(played) = self.played.moves.get(first..first + plies) else { return Found::Not };
        if self.read.get(first..first + plies) == Some(played) {
            return Found::Read;
        }
        let mut told = false;
        for (_, finding) in &self.said {
            let Finding::Ambiguous { from, lines, .. } = finding else { continue };
            let begins = usize::from(from.0) - 1;
            if !(first.saturating_sub(1)..first + plies).contains(&begins) {
                continue;
            }
            told = true;
            // A line that is offered from the middle of the stretch has what is left of it.
            let (skipped, ahead) = (begins.saturating_sub(first), first.saturating_sub(begins));
            let has = |line: &Vec<_>| line.get(ahead..ahead + plies - skipped) == Some(&played[skipped..]);
            if lines.iter().any(has) {
                return Found::Offered;
            }
        }
        if told { Found::Told } else { Found::Not }
    }
}
