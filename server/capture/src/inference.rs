//! From changes and presses to readings of the game: what is rebuilt when the log is read again.

use firmware_proto::{Epoch, HealthFault, Reading};
use xiangqi::{BySide, Move, Point, Side};

use crate::beam::Beam;
use crate::ending::Ending;
use crate::evidence::{Evidence, Told};
use crate::foresight::Foresight;
use crate::line::Ply;
use crate::params::Params;
use crate::points::PointHealth;
use crate::reading::{Hypothesis, Scene};
use crate::sense::{Image, Sense};
use crate::touch::Touches;
use crate::{Readings, Seen, What};

/// The readings are judged anew after so many milliseconds of quiet.
const PAUSES: [i64; 18] = [
    90, 150, 200, 300, 450, 600, 800, 1_000, 1_500, 1_750, 2_000, 2_500, 3_000, 4_000, 6_000, 10_000, 20_000,
    40_000,
];
/// Plies are looked for in these pauses; in the others nothing new would be found, the board having been quiet since.
const LOOKS: [i64; 5] = [90, 150, 600, 2_000, 10_000];
/// Irregular plies are considered from this quiet on, ms.
const IRREGULAR_AFTER: i64 = 600;
/// Without a clock, play begins when the pieces have stood right for this long, ms.
const STANDS_AFTER: i64 = 300;

/// What is known of the table's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// There is one, and it reports.
    pub present: bool,
    /// It has been started in this game.
    pub started: bool,
    /// Whose time runs.
    pub running: Option<Side>,
    /// The last press.
    pub pressed: Option<(Side, Epoch)>,
    /// Each side's last press.
    pub presses: BySide<Option<Epoch>>,
}

/// The readings and everything that they are judged by.
#[derive(Clone, Debug)]
pub(crate) struct Inference {
    pub now: Epoch,
    pub image: Option<Image>,
    pub evidence: Evidence,
    pub health: PointHealth,
    pub foresight: Foresight,
    pub beam: Beam,
    pub touches: Touches,
    pub clock: Clock,
    pub ending: Ending,
    /// Whether plies are read: not while the board is being set up.
    pub playing: bool,
    /// The board's link was down or records were lost, and no image has come since.
    blind: bool,
    /// An image has come after that and shows something new: what was missed is to be explained.
    missed: bool,
    /// The last change or press: pauses are counted from here.
    active: Epoch,
    /// The last change of a point.
    changed: Epoch,
    /// Which of [`PAUSES`] comes next.
    pause: usize,
    /// Until when the readings have paid for their disagreement.
    paid: Epoch,
    /// When the last image came.
    imaged: Epoch,
    /// Images come in between, though the link was not down: what was lost they tell.
    checked: bool,
}

impl Inference {
    pub fn new(root: Hypothesis, at: Epoch) -> Inference {
        Inference {
            now: at,
            image: None,
            evidence: Evidence::new(),
            health: PointHealth::new(),
            foresight: Foresight::default(),
            beam: Beam::new(root),
            touches: Touches::new(),
            clock: Clock::default(),
            ending: Ending::default(),
            playing: false,
            blind: false,
            missed: false,
            active: at,
            changed: at,
            pause: 0,
            paid: at,
            imaged: at,
            checked: false,
        }
    }

    /// The game goes on from `root`, whatever was read before.
    pub fn rebase(&mut self, root: Hypothesis, playing: bool, at: Epoch) {
        self.beam = Beam::new(root);
        self.playing = playing;
        self.paid = self.paid.max(at);
        self.active = self.active.max(at);
        self.pause = 0;
    }

    /// Whether the board cannot be seen: its link is down or records were lost, and no image has come since.
    pub fn is_blind(&self) -> bool {
        self.blind
    }

    /// Whether nobody saw where the piece of a ply was put, and the next of the images that come in between may tell.
    pub fn may_turn_up(&self, ply: &Ply) -> bool {
        !ply.seen && self.checked && self.imaged < ply.at
    }

    /// A point that nobody knew of is found to sense nothing.
    pub fn found_dead(&mut self, point: Point, params: &Params) {
        self.health.declare_dead(point);
        self.beam.found_dead(params, point);
    }

    /// How long the board has been quiet, ms.
    pub fn quiet(&self) -> i64 {
        self.now.since(self.changed)
    }

    /// When the next pause is.
    pub fn next_pause(&self) -> Option<Epoch> {
        PAUSES.get(self.pause).map(|pause| self.active.plus(*pause))
    }

    /// Time passes up to `to`, which is no later than the next pause.
    pub fn pass(&mut self, to: Epoch, params: &Params) {
        if self.playing
            && !self.ending.is_over()
            && let Some(image) = &self.image
        {
            let until = to.min(self.changed.plus(params.quiet_counts));
            let millis = until.since(self.paid);
            if millis > 0 {
                let scene =
                    scene(params, image, &self.evidence, &self.health, &self.foresight, self.clock, to);
                self.beam.pay(scene, millis);
            }
        }
        self.paid = self.paid.max(to);
        self.now = self.now.max(to);
    }

    /// The next pause has come.
    pub fn pause(&mut self, params: &Params, locked: &[Move]) {
        let Some(due) = self.next_pause() else { return };
        let looks = LOOKS.contains(&PAUSES[self.pause]);
        self.pause += 1;
        self.pass(due, params);
        if !self.playing {
            let may_begin = !self.clock.present || self.clock.started;
            let stands = self.image.as_ref().is_some_and(|image| {
                (image.difference(self.beam.best().board()).points() - self.health.bad()).is_empty()
            });
            self.playing = may_begin && stands && self.quiet() >= STANDS_AFTER;
        }
        if looks {
            self.evaluate(params, locked, self.quiet() >= IRREGULAR_AFTER);
        }
    }

    /// Reads the game anew with what is known now.
    pub fn evaluate(&mut self, params: &Params, locked: &[Move], irregular: bool) {
        if self.playing
            && !self.ending.is_over()
            && let Some(image) = &self.image
        {
            let scene =
                scene(params, image, &self.evidence, &self.health, &self.foresight, self.clock, self.now);
            if std::mem::take(&mut self.missed) {
                self.beam.catch_up(scene, locked, self.clock.running);
            }
            self.beam.extend(scene, locked, irregular);
        }
    }

    /// The game has ended: reads it once more, and weighs what is still missing.
    pub fn end(&mut self, params: &Params, locked: &[Move]) {
        self.evaluate(params, locked, false);
        if self.playing
            && let Some(image) = &self.image
        {
            let scene =
                scene(params, image, &self.evidence, &self.health, &self.foresight, self.clock, self.now);
            self.beam.ended(scene);
        }
    }

    /// What the readings are judged by now; `None` until the board was seen.
    pub fn scene<'a>(&'a self, params: &'a Params) -> Option<Scene<'a>> {
        let image = self.image.as_ref()?;
        Some(scene(params, image, &self.evidence, &self.health, &self.foresight, self.clock, self.now))
    }

    /// Takes in what was seen, at its time. Returns whether it began the game.
    pub fn take(&mut self, seen: &Seen, params: &Params, locked: &[Move]) -> bool {
        let before = self.playing;
        match &seen.what {
            What::Changed(point, reading) => {
                self.lost_before(seen.at, *point, *reading, params);
                self.change(seen.at, Told::ByRecord, *point, *reading, params);
            }
            What::Image(readings) => self.see_image(seen.at, readings, params),
            What::BoardUp(kind) => {
                if self.image.as_ref().is_some_and(|image| image.kind() != *kind) {
                    self.image = None;
                }
            }
            What::ClockUp => self.clock.present = true,
            What::Pressed(side, _) => self.press(*side, seen.at, params, locked),
            What::ClockSet(_, running) => {
                self.clock.present = true;
                self.clock.running = *running;
                if running.is_some() {
                    self.ending.resumed();
                    self.begin(seen.at, params);
                }
            }
            What::Health(HealthFault::DeadCell(_), Some(point)) => self.health.declare_dead(*point),
            What::Health(HealthFault::StuckCell(_), Some(point)) => self.health.declare_stuck(*point),
            What::Health(
                HealthFault::DeadCell(_)
                | HealthFault::StuckCell(_)
                | HealthFault::WeakCell(..)
                | HealthFault::OffCentre(..)
                | HealthFault::Unkept(_)
                | HealthFault::Overflow(_)
                | HealthFault::Supply(_),
                _,
            )
            | What::ClockDown => {}
            What::BoardDown | What::Lost => self.blind = true,
            What::Flagged(..) => self.ending.decided(seen.at),
            What::Signalled(side, signal) => self.ending.signalled(*side, *signal, seen.at),
        }
        !before && self.playing
    }

    /// A record that says what the image already shows: the one before it was lost. The point showed a piece, or the
    /// piece was away, for a moment unknown; that moment is put just before.
    fn lost_before(&mut self, at: Epoch, point: Point, reading: Reading, params: &Params) {
        let Some(image) = &self.image else { return };
        let new = Sense::read(image.kind(), reading);
        if image.at(point) != new {
            return;
        }
        let lost = if new == Sense::Empty { Sense::Some } else { Sense::Empty };
        self.shown(at, Told::Later, point, lost, params);
    }

    fn change(&mut self, at: Epoch, told: Told, point: Point, reading: Reading, params: &Params) {
        let Some(image) = &self.image else { return };
        let new = Sense::read(image.kind(), reading);
        self.shown(at, told, point, new, params);
    }

    fn shown(&mut self, at: Epoch, told: Told, point: Point, new: Sense, params: &Params) {
        let Some(image) = &mut self.image else { return };
        let old = image.at(point);
        if old == new {
            return;
        }
        let stayed = match told {
            Told::ByRecord => {
                Some(self.evidence.last_change(point).map_or(Evidence::KEPT, |since| at.since(since)))
            }
            Told::Later => None,
        };
        image.set(point, new);
        self.evidence.record(at, told, point, old, new);
        if self.playing && !self.ending.is_over() {
            let scene =
                scene(params, image, &self.evidence, &self.health, &self.foresight, self.clock, self.now);
            if told == Told::Later {
                self.beam.told_later(scene, point);
            }
            if old != Sense::Empty {
                self.beam.left(scene, point, old, stayed);
            }
            if new != Sense::Empty {
                self.beam.arrived(scene, point, new);
            }
        }
        self.touches.record(at, point, old, new);
        if new == Sense::Empty {
            self.health.emptied(point);
        } else {
            self.health.sensed(point);
        }
        self.active = self.active.max(at);
        self.changed = self.changed.max(at);
        self.pause = 0;
    }

    /// The whole image: the first one is where the board starts from, a later one a check of the changes.
    fn see_image(&mut self, at: Epoch, readings: &Readings, params: &Params) {
        let was_blind = std::mem::take(&mut self.blind);
        self.imaged = at;
        self.checked |= self.playing && !was_blind;
        match &self.image {
            Some(image) if image.kind() == readings.kind => {
                let before = image.clone();
                for point in Point::ALL {
                    self.change(at, Told::Later, point, readings.points[point.index()], params);
                }
                self.missed = was_blind && self.image.as_ref() != Some(&before);
            }
            Some(_) | None => {
                self.image = Some(Image::new(readings));
                self.active = self.active.max(at);
                self.changed = self.changed.max(at);
                self.pause = 0;
            }
        }
    }

    fn press(&mut self, side: Side, at: Epoch, params: &Params, locked: &[Move]) {
        self.clock.present = true;
        let starts = !self.clock.started;
        if !starts && self.clock.running.is_none() {
            // The clock is stopped: a lever says nothing.
            return;
        }
        if starts {
            self.begin(at, params);
        } else if !self.playing {
            // Plies were taken back and play goes on, whether the pieces were put up rightly or not.
            self.playing = true;
            self.paid = at;
        }
        self.ending.pressed(at);
        if !starts {
            self.evaluate(params, locked, false);
        }
        if let Some(image) = &self.image {
            let scene =
                scene(params, image, &self.evidence, &self.health, &self.foresight, self.clock, self.now);
            self.beam.pressed(scene, side, at, starts);
        }
        self.clock.pressed = Some((side, at));
        self.clock.presses[side] = Some(at);
        if !starts {
            // What the press speaks for: irregular plies, too.
            self.evaluate(params, locked, true);
        }
        self.clock.running = Some(side.opposite());
        self.active = self.active.max(at);
        self.pause = 0;
    }

    /// The clock starts, or is made to run after plies were taken back: from here on plies are played, whether the set-up
    /// is right or not.
    fn begin(&mut self, at: Epoch, params: &Params) {
        let first = !std::mem::replace(&mut self.clock.started, true);
        if self.playing {
            return;
        }
        self.playing = true;
        self.paid = at;
        if let Some(image) = &self.image {
            let scene =
                scene(params, image, &self.evidence, &self.health, &self.foresight, self.clock, self.now);
            self.beam.starts(scene, at);
            if first {
                let missing = image.difference(self.beam.best().board()).missing;
                self.health.starts(image.occupied(), missing);
            }
        }
    }
}

fn scene<'a>(
    params: &'a Params,
    image: &'a Image,
    evidence: &'a Evidence,
    health: &'a PointHealth,
    foresight: &'a Foresight,
    clock: Clock,
    now: Epoch,
) -> Scene<'a> {
    Scene { params, image, evidence, health, foresight, clock: clock.present, presses: clock.presses, now }
}
