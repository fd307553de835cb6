//! From changes and presses to readings of the game: what is rebuilt when the log is read again.

use firmware_proto::{Epoch, HealthFault, Reading};
use xiangqi::{Move, Point, Side};

use crate::beam::{Beam, CaughtUp};
use crate::dark::Dark;
use crate::ending::Ending;
use crate::evidence::{Evidence, Told};
use crate::known::Known;
use crate::line::{Placement, Ply};
use crate::params::Params;
use crate::reading::Hypothesis;
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

/// The readings and everything that they are judged by.
#[derive(Clone, Debug)]
pub(crate) struct Inference {
    pub known: Known,
    pub beam: Beam,
    pub touches: Touches,
    pub ending: Ending,
    /// Whether plies are read: not while the board is being set up.
    pub playing: bool,
    /// The board cannot be seen.
    dark: Option<Dark>,
    /// An image has come after that: what was missed is to be explained.
    missed: Option<Dark>,
    /// After so many plies others were played that nobody saw, and nothing tells which.
    untold: Option<u16>,
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
            known: Known::new(at),
            beam: Beam::new(root),
            touches: Touches::new(),
            ending: Ending::default(),
            playing: false,
            dark: None,
            missed: None,
            untold: None,
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
        // Whatever was played unseen by then is in it.
        (self.missed, self.untold) = (None, None);
        if let Some(dark) = &mut self.dark {
            dark.anew(at, self.known.clock);
        }
    }

    /// Whether the board cannot be seen: its link is down or records were lost, and no image has come since.
    pub fn is_blind(&self) -> bool {
        self.dark.is_some()
    }

    /// Whether the board tells nothing: what it showed last is nothing to judge by.
    pub fn tells_nothing(&self) -> bool {
        self.dark.is_some_and(Dark::is_down)
    }

    /// Whether plies are read now.
    fn reads(&self) -> bool {
        self.playing && !self.ending.is_over() && !self.tells_nothing()
    }

    /// Whether nobody knows what its player did with the piece of a ply before he pressed: the board's link was down by then.
    pub fn lost_sight_of(&self, ply: &Ply) -> bool {
        let dark = self.dark.filter(|dark| dark.is_down() && dark.since() >= ply.at);
        dark.is_some_and(|dark| dark.running() == Some(ply.before.side_to_move()))
    }

    /// Whether the next of the images that come in between may tell yet what a ply was.
    pub fn awaits_image(&self, ply: &Ply) -> bool {
        let gone = ply.placement == Placement::Fleeting;
        let left = self.known.evidence.last_change(ply.mv.to).filter(|_| gone);
        let since = left.map_or(ply.at, |left| left.max(ply.at));
        self.checked && self.imaged < since && self.known.now.since(since) < Evidence::KEPT
    }

    /// Whether that is to be expected: nobody saw where its piece was put.
    pub fn may_turn_up(&self, ply: &Ply) -> bool {
        !ply.is_seen() && self.awaits_image(ply)
    }

    /// A point that nobody knew of is found to sense nothing.
    pub fn found_dead(&mut self, point: Point, params: &Params) {
        self.known.health.declare_dead(point);
        self.beam.found_dead(params, point);
    }

    /// How long the board has been quiet, ms.
    pub fn quiet(&self) -> i64 {
        self.known.now.since(self.changed)
    }

    /// When the next pause is.
    pub fn next_pause(&self) -> Option<Epoch> {
        PAUSES.get(self.pause).map(|pause| self.active.plus(*pause))
    }

    /// Time passes up to `to`, which is no later than the next pause.
    pub fn pass(&mut self, to: Epoch, params: &Params) {
        self.known.now = self.known.now.max(to);
        let until = to.min(self.changed.plus(params.quiet_counts));
        let millis = until.since(self.paid);
        if millis > 0
            && self.reads()
            && let Some(scene) = self.known.scene(params)
        {
            self.beam.pay(scene, millis);
        }
        self.paid = self.paid.max(to);
    }

    /// The next pause has come.
    pub fn pause(&mut self, params: &Params, locked: &[Move]) {
        let Some(due) = self.next_pause() else { return };
        let looks = LOOKS.contains(&PAUSES[self.pause]);
        self.pause += 1;
        self.pass(due, params);
        if !self.playing {
            let may_begin = !self.known.clock.present || self.known.clock.started;
            let stands = self.known.image.as_ref().is_some_and(|image| {
                (image.difference(self.beam.best().board()).points() - self.known.health.bad()).is_empty()
            });
            self.playing = may_begin && stands && self.quiet() >= STANDS_AFTER;
        }
        if looks {
            self.evaluate(params, locked, self.quiet() >= IRREGULAR_AFTER);
        }
    }

    /// Reads the game anew with what is known now.
    pub fn evaluate(&mut self, params: &Params, locked: &[Move], irregular: bool) {
        if !self.reads() {
            return;
        }
        if let Some((scene, dark)) = self.known.scene(params).zip(self.missed) {
            match self.beam.catch_up(scene, locked, dark, self.known.clock.running) {
                CaughtUp::Done => self.missed = None,
                CaughtUp::NotYet => {}
                CaughtUp::Untold => self.cannot_be_found(dark),
            }
        }
        if let Some(scene) = self.known.scene(params) {
            self.beam.extend(scene, locked, irregular);
        }
    }

    /// What was played in the dark cannot be found.
    fn cannot_be_found(&mut self, dark: Dark) {
        self.missed = None;
        let best = self.beam.best();
        self.untold = (best.unread(dark) > 0).then_some(best.plies()).or(self.untold);
    }

    /// After how many plies others were played that nobody saw, if that is to be told.
    pub fn take_untold(&mut self) -> Option<u16> {
        self.untold.take()
    }

    /// The game has ended: reads it once more, and weighs what is still missing.
    pub fn end(&mut self, params: &Params, locked: &[Move]) {
        self.evaluate(params, locked, false);
        if let Some(dark) = self.missed {
            self.cannot_be_found(dark);
        }
        if self.playing
            && self.dark.is_none()
            && let Some(scene) = self.known.scene(params)
        {
            self.beam.ended(scene);
        }
    }

    /// Takes in what was seen, at its time. Returns whether it began the game.
    pub fn take(&mut self, seen: &Seen, params: &Params, locked: &[Move]) -> bool {
        let before = self.playing;
        match &seen.what {
            What::Changed(point, reading) => {
                self.dark.iter_mut().for_each(Dark::tells_again);
                self.lost_before(seen.at, *point, *reading, params);
                self.change(seen.at, Told::ByRecord, *point, *reading, params);
            }
            What::Image(readings) => self.see_image(seen.at, readings, params),
            What::BoardUp(kind) => {
                if self.known.image.as_ref().is_some_and(|image| image.kind() != *kind) {
                    self.known.image = None;
                }
            }
            What::ClockUp => self.known.clock.present = true,
            What::Pressed(side, _) => self.press(*side, seen.at, params, locked),
            What::ClockSet(_, running) => {
                self.known.clock.present = true;
                self.known.clock.running = *running;
                if running.is_some() {
                    self.ending.resumed();
                    self.begin(seen.at, params);
                }
            }
            What::Health(HealthFault::DeadCell(_), Some(point)) => self.known.health.declare_dead(*point),
            What::Health(HealthFault::StuckCell(_), Some(point)) => self.known.health.declare_stuck(*point),
            What::Health(
                HealthFault::DeadCell(_)
                | HealthFault::StuckCell(_)
                | HealthFault::WeakCell(..)
                | HealthFault::OffCentre(..)
                | HealthFault::Unkept(_)
                | HealthFault::Overflow(_)
                | HealthFault::Supply(_),
                _,
            ) => {}
            What::ClockDown => self.dark.iter_mut().for_each(Dark::clock_down),
            What::BoardDown => {
                self.dark = Some(self.dark.unwrap_or(Dark::link_down(seen.at, self.known.clock)))
            }
            What::Lost => self.dark = Some(self.dark.unwrap_or(Dark::records_lost(seen.at))),
            What::Flagged(..) => self.ending.decided(seen.at),
            What::Signalled(side, signal) => self.ending.signalled(*side, *signal, seen.at),
        }
        !before && self.playing
    }

    /// A record that says what the image already shows: the one before it was lost. The point showed a piece, or the
    /// piece was away, for a moment unknown; that moment is put just before.
    fn lost_before(&mut self, at: Epoch, point: Point, reading: Reading, params: &Params) {
        let Some(image) = &self.known.image else { return };
        let new = Sense::read(image.kind(), reading);
        if image.at(point) != new {
            return;
        }
        let lost = if new == Sense::Empty { Sense::Some } else { Sense::Empty };
        self.shown(at, Told::Later, point, lost, params);
    }

    fn change(&mut self, at: Epoch, told: Told, point: Point, reading: Reading, params: &Params) {
        let Some(image) = &self.known.image else { return };
        let new = Sense::read(image.kind(), reading);
        self.shown(at, told, point, new, params);
    }

    fn shown(&mut self, at: Epoch, told: Told, point: Point, new: Sense, params: &Params) {
        let Some(image) = &mut self.known.image else { return };
        let old = image.at(point);
        if old == new {
            return;
        }
        let stayed = match told {
            Told::ByRecord => {
                Some(self.known.evidence.last_change(point).map_or(Evidence::KEPT, |since| at.since(since)))
            }
            Told::Later => None,
        };
        image.set(point, new);
        self.known.evidence.record(at, told, point, old, new);
        if self.reads()
            && let Some(scene) = self.known.scene(params)
        {
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
            self.known.health.emptied(point);
        } else {
            self.known.health.sensed(point);
        }
        self.active = self.active.max(at);
        self.changed = self.changed.max(at);
        self.pause = 0;
    }

    /// The whole image: the first one is where the board starts from, a later one a check of the changes.
    fn see_image(&mut self, at: Epoch, readings: &Readings, params: &Params) {
        let dark = self.dark.take();
        self.imaged = at;
        self.checked |= self.playing && dark.is_none();
        match &self.known.image {
            Some(image) if image.kind() == readings.kind => {
                let before = image.clone();
                for point in Point::ALL {
                    self.change(at, Told::Later, point, readings.points[point.index()], params);
                }
                let shows_nothing_new = self.known.image.as_ref() == Some(&before);
                self.missed =
                    dark.filter(|dark| dark.presses().is_some() || !shows_nothing_new).or(self.missed);
            }
            Some(_) | None => {
                self.known.image = Some(Image::new(readings));
                self.active = self.active.max(at);
                self.changed = self.changed.max(at);
                self.pause = 0;
            }
        }
    }

    fn press(&mut self, side: Side, at: Epoch, params: &Params, locked: &[Move]) {
        self.known.clock.present = true;
        let starts = !self.known.clock.started;
        if !starts && self.known.clock.running.is_none() {
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
        self.dark.iter_mut().for_each(Dark::pressed);
        if self.tells_nothing() {
            self.beam.pressed_unseen(side);
        } else if let Some(scene) = self.known.scene(params) {
            self.beam.pressed(scene, side, at, starts);
        }
        self.known.clock.pressed = Some((side, at));
        self.known.clock.presses[side] = Some(at);
        if !starts {
            // What the press speaks for: irregular plies, too.
            let missed = self.missed;
            self.evaluate(params, locked, true);
            // Who presses has no piece in his hand any more.
            if let Some(dark) = missed.filter(|_| self.missed.is_some()) {
                self.cannot_be_found(dark);
            }
        }
        self.known.clock.running = Some(side.opposite());
        self.active = self.active.max(at);
        self.pause = 0;
    }

    /// The clock starts, or is made to run after plies were taken back: from here on plies are played, whether the set-up
    /// is right or not.
    fn begin(&mut self, at: Epoch, params: &Params) {
        let first = !std::mem::replace(&mut self.known.clock.started, true);
        if self.playing {
            return;
        }
        self.playing = true;
        self.paid = at;
        if let Some(scene) = self.known.scene(params) {
            self.beam.starts(scene, at);
            if first {
                let missing = scene.image.difference(self.beam.best().board()).missing;
                let occupied = scene.image.occupied();
                self.known.health.starts(occupied, missing);
            }
        }
    }
}
