//! The readings that are followed at once, cheapest first.

use std::collections::BTreeMap;

use firmware_proto::Epoch;
use xiangqi::{Move, Point, Points, Side};

use crate::dark::Dark;
use crate::doubt::nearness;
use crate::line::Line;
use crate::params::{Cost, Params};
use crate::reading::{Hypothesis, Scene, Which};
use crate::sense::Sense;

#[derive(Clone, Debug)]
pub(crate) struct Beam {
    readings: Vec<Hypothesis>,
    /// What the cheapest reading has paid so far; the readings' prices are counted from there.
    spent: Cost,
}

impl Beam {
    pub fn new(only: Hypothesis) -> Beam {
        Beam { readings: vec![only], spent: 0 }
    }

    /// All readings, cheapest first; never empty.
    pub fn readings(&self) -> &[Hypothesis] {
        &self.readings
    }

    pub fn best(&self) -> &Hypothesis {
        &self.readings[0]
    }

    /// The readings that are dearer than the best by less than `within`, cheapest first.
    pub fn near(&self, within: Cost) -> impl Iterator<Item = &Hypothesis> {
        self.readings.iter().take_while(move |reading| reading.cost < within)
    }

    /// `point` is found to be dead: readings that had another reason for what was not seen have to live with that, too.
    pub fn found_dead(&mut self, params: &Params, point: Point) {
        for reading in self.readings.iter_mut().filter(|reading| !reading.counts_on_dead(point)) {
            reading.cost += params.no_placement;
        }
        self.sort(params);
    }

    /// Play begins now.
    pub fn starts(&mut self, scene: Scene, at: Epoch) {
        for reading in &mut self.readings {
            reading.starts(scene, at);
        }
    }

    /// Lets every reading pay for its disagreement with the board.
    pub fn pay(&mut self, scene: Scene, millis: i64) {
        for reading in &mut self.readings {
            reading.pay(scene, millis);
        }
        self.sort(scene.params);
    }

    /// The game has ended: no hand will put back any more what is missing.
    pub fn ended(&mut self, scene: Scene) {
        for reading in &mut self.readings {
            reading.ended(scene);
        }
        self.sort(scene.params);
    }

    pub fn pressed(&mut self, scene: Scene, side: Side, at: Epoch, starts: bool) {
        for reading in &mut self.readings {
            reading.pressed(scene, side, at, starts);
        }
        self.sort(scene.params);
    }

    /// A player pressed, and the board tells nothing of what he played.
    pub fn pressed_unseen(&mut self, side: Side) {
        for reading in &mut self.readings {
            reading.pressed_unseen(side);
        }
    }

    /// A record was lost: what `point` shows now was not told when it happened.
    pub fn told_later(&mut self, scene: Scene, point: Point) {
        for reading in &mut self.readings {
            reading.told_later(scene, point);
        }
        self.sort(scene.params);
    }

    /// A piece that showed as `sense` for so long, if that is known, has left `point`.
    pub fn left(&mut self, scene: Scene, point: Point, sense: Sense, stayed: Option<i64>) {
        for reading in &mut self.readings {
            reading.left(scene, point, sense, stayed);
        }
        self.sort(scene.params);
    }

    /// A piece that shows as `sense` has come to `point`.
    pub fn arrived(&mut self, scene: Scene, point: Point, sense: Sense) {
        for reading in &mut self.readings {
            reading.arrived(scene, point, sense);
        }
        self.sort(scene.params);
    }

    /// Extends every reading by the plies that something speaks for. `locked` plies are not questioned.
    pub fn extend(&mut self, scene: Scene, locked: &[Move], irregular: bool) {
        let (mut found, mut turned_up) = (Vec::new(), Vec::new());
        for reading in &self.readings {
            let first = found.len();
            reading.extended(scene, Which::Last, false, &mut found);
            let mut by_first = Vec::new();
            reading.extended(scene, Which::First, false, &mut by_first);
            let mut second = Vec::new();
            for one in found[first..].iter().chain(&by_first) {
                one.extended(scene, Which::Last, true, &mut second);
            }
            found.append(&mut second);
            reading.moved_on(scene, &mut found);
            reading.left_behind(scene, &mut found);
            reading.moved_unsensed(scene, &mut found);
            reading.turned_up(scene, &mut turned_up);
        }
        if irregular {
            for reading in self.readings.iter().take(IRREGULAR_FROM) {
                reading.irregular(scene, &mut found);
            }
        }
        // What is new in them is at most their last three plies.
        found.retain(|reading| agrees(reading, locked, reading.plies().saturating_sub(2)));
        turned_up.retain(|reading| agrees(reading, locked, 1));
        self.readings.append(&mut found);
        self.readings.append(&mut turned_up);
        self.merge(scene);
        self.sort(scene.params);
    }

    /// Adds to the likeliest readings what was played while the board could not be seen.
    pub fn catch_up(&mut self, scene: Scene, locked: &[Move], dark: Dark, running: Option<Side>) -> CaughtUp {
        let likely = self.readings.iter().filter(|reading| reading.cost < scene.params.confirm_margin);
        let likely = likely.take(CATCHES_UP_FROM);
        if let Some(fits) = likely.clone().find(|reading| reading.fits(scene)) {
            return if fits.unread(dark) == 0 { CaughtUp::Done } else { CaughtUp::Untold };
        }
        let mut found: Vec<Hypothesis> =
            likely.flat_map(|reading| reading.missed(scene, dark, running)).collect();
        found.retain(|reading| agrees(reading, locked, 1));
        if found.is_empty() {
            return if dark.presses().is_some() { CaughtUp::NotYet } else { CaughtUp::Done };
        }
        self.readings.append(&mut found);
        self.merge(scene);
        self.sort(scene.params);
        CaughtUp::Done
    }

    /// Drops the readings that do not have the locked plies, of which those from number `from` on are newly so.
    pub fn keep(&mut self, locked: &[Move], from: u16) {
        let keeps = |reading: &Hypothesis| {
            usize::from(reading.plies()) >= locked.len() && agrees(reading, locked, from)
        };
        if self.readings.iter().any(keeps) {
            self.readings.retain(keeps);
        }
    }

    /// Of two readings with the same position after as many plies, the cheaper one stays. If the other one is hardly
    /// dearer, where they differ stays in doubt. Which point showed nothing may still come out: readings that blame
    /// different ones both stay.
    fn merge(&mut self, scene: Scene) {
        let Scene { params, health, .. } = scene;
        self.readings.sort_by_key(|reading| reading.cost);
        let mut kept: BTreeMap<(u64, u16, Points), usize> = BTreeMap::new();
        let mut stay: Vec<Hypothesis> = Vec::with_capacity(self.readings.len());
        for dearer in self.readings.drain(..) {
            let key = (dearer.position.key(), dearer.plies(), dearer.blames(health));
            let Some(&cheaper) = kept.get(&key) else {
                kept.insert(key, stay.len());
                stay.push(dearer);
                continue;
            };
            let cheaper = &mut stay[cheaper];
            if let Some(parted) = cheaper.line.parts_from(&dearer.line)
                && let Some(ply) = cheaper.line.ply(parted)
                && dearer.cost - cheaper.cost < nearness(ply, params)
            {
                let shows = |(from, line): &(u16, Line)| {
                    *from <= parted && line.last().is_some_and(|last| last.no >= parted)
                };
                if !cheaper.doubts.iter().any(shows) {
                    cheaper.doubts.push((parted, dearer.line));
                }
            }
        }
        self.readings = stay;
    }

    fn sort(&mut self, params: &Params) {
        self.readings.sort_by_key(|reading| (reading.cost, reading.plies()));
        let best = self.readings[0].cost;
        self.readings.truncate(params.beam);
        self.readings.retain(|reading| reading.cost - best <= params.drop_behind);
        for reading in &mut self.readings {
            reading.cost -= best;
        }
        self.spent += best;
    }

    /// What a reading has paid since the beginning.
    pub fn spent(&self, reading: &Hypothesis) -> Cost {
        self.spent + reading.cost
    }

    /// For each ply of `chosen` from number `from` on: how much dearer the best reading is that parts from it there,
    /// or `None` if there is none.
    pub fn partings(&self, chosen: &Hypothesis, from: u16) -> Vec<Option<Cost>> {
        parted(&self.readings, chosen, from)
    }

    /// The same among the readings that came to another position: what is to come depends on them.
    pub fn partings_to_elsewhere(&self, chosen: &Hypothesis, from: u16) -> Vec<Option<Cost>> {
        let here = (chosen.position.key(), chosen.plies());
        let elsewhere = self.readings.iter().filter(|other| (other.position.key(), other.plies()) != here);
        parted(elsewhere, chosen, from)
    }
}

fn parted<'a>(
    readings: impl IntoIterator<Item = &'a Hypothesis>,
    chosen: &Hypothesis,
    from: u16,
) -> Vec<Option<Cost>> {
    let count = usize::from((chosen.plies() + 1).saturating_sub(from));
    let mut partings: Vec<Option<Cost>> = vec![None; count];
    for other in readings {
        let Some(parted) = chosen.line.parts_from(&other.line) else { continue };
        let behind = other.cost - chosen.cost;
        if let Some(nearest) = partings.get_mut(usize::from(parted.saturating_sub(from))) {
            *nearest = Some(nearest.map_or(behind, |known| known.min(behind)));
        }
    }
    partings
}

/// What came of looking for what was played in the dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaughtUp {
    /// It is explained, as far as it can be.
    Done,
    /// Not yet: a piece may be in a hand, and be put down.
    NotYet,
    /// The board shows nothing of the plies that were pressed for.
    Untold,
}

/// Missed plies are looked for from so many of the cheapest readings only.
const CATCHES_UP_FROM: usize = 3;

/// Irregular plies are tried on so many of the cheapest readings only.
const IRREGULAR_FROM: usize = 6;

/// Whether the plies of a reading from number `from` on agree with the locked ones, as far as both go.
fn agrees(reading: &Hypothesis, locked: &[Move], from: u16) -> bool {
    reading
        .line
        .backward()
        .take_while(|ply| ply.no >= from)
        .all(|ply| locked.get(usize::from(ply.no) - 1).is_none_or(|&mv| mv == ply.mv))
}
