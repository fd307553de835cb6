//! Which points may sense nothing: a piece was put on one of them, and none showed it.
//!
//! Each reading that had to put a piece where nothing showed blames a point that has not shown a piece yet in this game.
//! As long as several readings are near that blame different ones, each of those is a suspect. An arbiter finds out which
//! it is with one piece in his hand: few suspects told soon help him more than one told late.

use std::collections::BTreeMap;

use xiangqi::{Point, Points};

use crate::Finding;
use crate::inference::Inference;
use crate::params::{Cost, Params};
use crate::reading::Hypothesis;

/// So many suspects are told at most.
const TOLD_AT_MOST: usize = 3;
/// Few suspects are told when so many plies have followed …
const TELLS_SOON: u16 = 3;
/// … and the likeliest of many, or of some that may be none, after so many: what is played meanwhile mostly tells more.
const TELLS_LATE: u16 = 7;

/// The suspects that were told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suspects {
    told: Points,
}

impl Suspects {
    /// Looks at what the near readings blame; a single suspect is one no more.
    pub fn look(&mut self, inference: &mut Inference, params: &Params, findings: &mut Vec<Finding>) {
        let followed =
            inference.beam.near(params.suspected).find_map(|reading| followed_silence(reading, inference));
        let Some(followed) = followed.filter(|plies| *plies >= TELLS_SOON) else { return };
        let mut suspicion = suspected(inference, params.suspected);
        let few = suspicion.certain && suspicion.suspects.len() <= TOLD_AT_MOST;
        if suspicion.suspects.is_empty() || !few && followed < TELLS_LATE {
            return;
        }
        // Before one is named alone, readings that are farther have their say.
        if suspicion.is_one() {
            suspicion = suspected(inference, params.named_alone);
        }
        let Suspicion { suspects, certain } = suspicion;
        let told: Vec<Point> = suspects.into_iter().take(TOLD_AT_MOST).collect();
        let points: Points = told.iter().copied().collect();
        match told[..] {
            [point] if certain => {
                inference.found_dead(point, params);
                findings.push(Finding::BadPoint { point, stuck: false });
            }
            [..] if !(points - self.told).is_empty() => findings.push(Finding::Suspects { points: told }),
            [..] => return,
        }
        self.told = points;
    }
}

/// How many plies stand on the last one whose piece showed nothing on a point that this reading blames for that.
fn followed_silence(reading: &Hypothesis, inference: &Inference) -> Option<u16> {
    let blamed = reading.blames(&inference.known.health);
    let unseen = reading.line.backward().find(|ply| !ply.is_seen() && blamed.contains(ply.mv.to))?;
    Some(reading.plies() - unseen.no)
}

/// What the near readings blame.
struct Suspicion {
    /// The points, the likeliest first.
    suspects: Vec<Point>,
    /// Whether all of them blame one.
    certain: bool,
}

impl Suspicion {
    /// Whether all of them blame the same point.
    fn is_one(&self) -> bool {
        self.certain && self.suspects.len() == 1
    }
}

fn suspected(inference: &Inference, within: Cost) -> Suspicion {
    let mut nearest: BTreeMap<Point, Cost> = BTreeMap::new();
    let mut certain = true;
    for reading in inference.beam.near(within) {
        let blamed = reading.blames(&inference.known.health);
        certain &= !blamed.is_empty();
        for point in blamed {
            nearest.entry(point).or_insert(reading.cost);
        }
    }
    let mut suspects: Vec<(Cost, Point)> = nearest.into_iter().map(|(point, cost)| (cost, point)).collect();
    suspects.sort();
    Suspicion { suspects: suspects.into_iter().map(|(_, point)| point).collect(), certain }
}
