//! One table: its devices, the order of what they did, and the tracker of the game that is being played there.

use arbitration::{ClockReading, Game, GameFact, Occasion};
use capture::{Finding, Params, PlyNo, Readings, Seating, Seen, Tracker, What};
use firmware_proto::{Beat, DeviceUid, Epoch, HealthFault, Observation, Sighting};
use xiangqi::{Move, Piece, Point, Position};

use crate::TableBinding;
use crate::feed::{Feed, Part};
use crate::health::DeviceHealth;
use crate::self_test::SelfTest;
use crate::tables::Due;
use crate::trace::Trace;

/// A table with its devices.
#[derive(Debug)]
pub struct Table {
    binding: TableBinding,
    seating: Seating,
    feed: Feed,
    tracker: Option<Tracker>,
    image: Option<Readings>,
    shown: Option<ClockReading>,
    linked: (bool, bool),
    reads_from: u64,
    /// When the tracker began.
    tracked_from: Epoch,
    /// How far time has brought what it brings here.
    waited: Epoch,
    /// When it was last asked what is complete.
    asked: Epoch,
    /// Up to when the journal has what the clock told.
    journalled: Option<Epoch>,
    /// When the last of what the devices told, or was read from it, was entered in the journal.
    entered: Epoch,
    /// What the clock told after that, as a restart finds it.
    unjournalled: Vec<GameFact>,
    trace: Trace,
    test: SelfTest,
    health: DeviceHealth,
}

impl Table {
    /// A table whose devices were just put there.
    pub fn new(binding: TableBinding, skew: i64) -> Table {
        Table {
            binding,
            seating: Seating { red: binding.red },
            feed: Feed::new(skew),
            tracker: None,
            image: None,
            shown: None,
            linked: (true, true),
            reads_from: 0,
            tracked_from: Epoch(0),
            waited: Epoch(0),
            asked: Epoch(0),
            journalled: None,
            entered: Epoch(0),
            unjournalled: Vec::new(),
            trace: Trace::default(),
            test: SelfTest::default(),
            health: DeviceHealth::default(),
        }
    }

    /// A table whose devices take the place of others: what those told is still known.
    pub fn after(binding: TableBinding, skew: i64, former: Option<Table>) -> Table {
        let Some(former) = former else { return Table::new(binding, skew) };
        let stay = (former.binding.board, former.binding.clock) == (binding.board, binding.clock);
        let (test, health) = if stay { (former.test, former.health) } else { Default::default() };
        Table { trace: former.trace, test, health, ..Table::new(binding, skew) }
    }

    /// The self-test of its devices.
    pub fn test(&self) -> &SelfTest {
        &self.test
    }

    /// What its devices told of themselves.
    pub fn health(&self) -> &DeviceHealth {
        &self.health
    }

    /// Its self-test, to begin or to end it.
    pub fn test_mut(&mut self) -> &mut SelfTest {
        &mut self.test
    }

    /// What the devices told, and what was read from it.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// How far time has brought what it brings here.
    pub fn waited(&self) -> Epoch {
        self.waited
    }

    /// Time has brought what it brings up to `now`.
    pub fn has_waited(&mut self, now: Epoch) {
        self.waited = self.waited.max(now);
    }

    /// The players sit the other way round: what the devices said is read so, and the game anew.
    pub fn swap(&mut self, start: Position, at: Epoch, after: u64) {
        self.binding.red = self.binding.red.other();
        self.seating = Seating { red: self.binding.red };
        if let Some(image) = &mut self.image {
            image.points.reverse();
        }
        self.trace.turn();
        self.read_from(start, at, after);
    }

    /// What the board shows, in its own terms; `None` until it was seen.
    pub fn image(&self) -> Option<&Readings> {
        self.image.as_ref()
    }

    /// Where the board is not as recorded: what should stand there.
    pub fn differing(&self) -> Vec<(Point, Option<Piece>)> {
        self.tracker.as_ref().map(Tracker::differing).unwrap_or_default()
    }

    /// The devices and how they lie.
    pub fn binding(&self) -> TableBinding {
        self.binding
    }

    /// What a device is here.
    pub fn part(&self, device: DeviceUid) -> Option<Part> {
        Part::of(self.binding, device)
    }

    /// A game begins: the tracker starts from the board as it is. Observations up to number `after` are older.
    pub fn begin(&mut self, start: Position, at: Epoch, after: u64) {
        self.trace.begin(at);
        self.read_from(start, at, after);
    }

    fn read_from(&mut self, start: Position, at: Epoch, after: u64) {
        self.feed.clear();
        self.shown = None;
        self.journalled = None;
        self.entered = Epoch(0);
        self.reads_from = after;
        self.track(Tracker::new(start, Params::default(), at), at);
    }

    /// The record was corrected, or the game goes on after its end: the tracker starts anew from the record.
    pub fn rebase(&mut self, game: &Game, at: Epoch, after: u64) {
        self.reads_from = after;
        let settled: Vec<_> = game.plies().iter().map(|ply| ply.read.clone()).collect();
        self.track(Tracker::resume(game.start().clone(), &settled, Params::default(), at), at);
    }

    fn track(&mut self, mut tracker: Tracker, at: Epoch) {
        // Where the self-test found that nothing is sensed, nothing is expected.
        for cell in self.test.senseless() {
            let what = What::Health(HealthFault::DeadCell(cell), Some(self.seating.point(cell)));
            let _ = tracker.on_seen(&Seen { at, what });
        }
        self.tracker = Some(tracker);
        self.tracked_from = at;
        self.show_image(at);
    }

    /// Tells a new tracker how the board stands. Where that is not as recorded, the pieces are to be put right
    /// first: what lies there is no move.
    fn show_image(&mut self, at: Epoch) {
        let (Some(tracker), Some(image)) = (&mut self.tracker, &self.image) else { return };
        // What it finds now it finds again with the next change: the board's own report follows.
        let _ = tracker.on_seen(&Seen { at, what: What::Image(Box::new(image.clone())) });
        if !self.feed.is_up(Part::Board) {
            let _ = tracker.on_seen(&Seen { at, what: What::BoardDown });
        }
        // One piece that is missing may be in a hand.
        if tracker.differing().len() > 1 {
            let next = u16::try_from(tracker.plies().len() + 1).unwrap_or(u16::MAX);
            let _ = tracker.correct(PlyNo(next), &[], at);
        }
    }

    /// What is settled by the game's end at that time. What one device told while the other one is away is a part of it: its
    /// presses complete plies, and that the board is gone is told. The times that it showed come too late for the record.
    pub fn settle(&mut self, at: Epoch) -> Vec<Finding> {
        let Some(tracker) = &mut self.tracker else { return Vec::new() };
        let held = self.feed.give_up(at);
        let mut findings: Vec<Finding> = held.iter().flat_map(|seen| tracker.on_seen(seen)).collect();
        findings.extend(tracker.close(at));
        findings
    }

    /// What follows from an arbiter's correction, the plies after it read again.
    pub fn correct(&mut self, from: PlyNo, line: &[Move], at: Epoch) -> Vec<Finding> {
        self.tracker.as_mut().map(|tracker| tracker.correct(from, line, at)).unwrap_or_default()
    }

    /// The game is over: nothing more is recorded.
    pub fn end(&mut self) {
        self.tracker = None;
        self.feed.clear();
    }

    /// Takes in what a gateway saw of one of the table's devices.
    pub fn take(&mut self, part: Part, observation: &Observation) {
        match observation.sighting {
            Sighting::Attached(hello) => self.feed.attached(part, &hello, observation.at),
            Sighting::Detached => {
                if self.feed.detached(part, observation.at) && part.has_board() {
                    // The tracker learns it in its place: after what the board had sensed by then.
                    self.feed.push(Seen { at: observation.at, what: What::BoardDown });
                }
            }
            Sighting::Record(boot, record) => self.feed.recorded(part, boot, record.seq, observation.at),
            Sighting::Done(_) | Sighting::Gap { .. } => {}
        }
        self.health.see(part, observation);
        self.test.see(observation);
        for seen in self.seating.see(observation) {
            self.look(&seen);
            self.trace.see(&seen);
            if is_for_the_game(&seen.what) {
                self.feed.push(seen);
            }
        }
    }

    /// Takes in a stored observation again, after a restart. What came before the tracker's beginning only tells
    /// how the board stood then.
    pub fn take_again(&mut self, no: u64, part: Part, observation: &Observation) {
        if no <= self.reads_from {
            self.take(part, observation);
            self.linked = self.links();
            self.feed.clear();
            return;
        }
        self.show_first_image();
        // Time passed until it came: what was complete by then was concluded, even if this is that a link broke off.
        self.advance_again(observation.at);
        self.take(part, observation);
        // That it came or went is in the journal.
        self.linked = self.links();
        self.advance_again(observation.at);
    }

    /// A tracker that has seen nothing yet learns how the board stood when it began.
    fn show_first_image(&mut self) {
        if self.tracker.as_ref().is_some_and(|tracker| tracker.image().is_none()) {
            self.show_image(self.tracked_from);
        }
    }

    /// Lets time pass again, after a restart. When it passed first, the feed may have waited for a device's word, and
    /// beats are not stored: of what the clock told now, the journal may lack the end.
    pub fn advance_again(&mut self, now: Epoch) {
        self.feed.reads_again(self.entered);
        for fact in self.advance(now) {
            if fact.told_by_the_clock().is_some_and(|at| Some(at) > self.journalled) {
                self.unjournalled.push(fact);
            }
        }
    }

    /// The journal has a fact of the game here.
    pub fn has_journalled(&mut self, fact: &GameFact, at: Epoch) {
        self.trace.learn(fact, at);
        self.journalled = self.journalled.max(fact.told_by_the_clock());
        if matches!(fact, GameFact::Found(_)) || fact.told_by_the_clock().is_some() {
            self.entered = self.entered.max(at);
        }
    }

    /// What the clock told and the journal does not have.
    pub fn unjournalled(&mut self) -> Vec<GameFact> {
        std::mem::take(&mut self.unjournalled)
    }

    /// Keeps what is shown at once, whatever the order: the image and the clock's face.
    fn look(&mut self, seen: &Seen) {
        match &seen.what {
            What::Image(image) => self.image = Some((**image).clone()),
            What::Changed(point, reading) => {
                if let Some(image) = &mut self.image {
                    image.points[point.index()] = *reading;
                }
            }
            What::Pressed(..) | What::Flagged(..) | What::ClockSet(..) => {
                if let Some(reading) = clock_reading(seen) {
                    self.show(reading);
                }
            }
            What::BoardUp(_)
            | What::BoardDown
            | What::ClockUp
            | What::ClockDown
            | What::Signalled(..)
            | What::Health(..)
            | What::Lost => {}
        }
    }

    fn show(&mut self, reading: ClockReading) {
        if self.shown.is_none_or(|shown| shown.at <= reading.at) {
            self.shown = Some(reading);
        }
    }

    /// A beat: everything before it has come; and what the clock shows, for display.
    pub fn beat(&mut self, part: Part, beat: &Beat) {
        self.feed.beaten(part, beat.at);
        if let Some(face) = beat.face {
            let running = face.running.map(|half| self.seating.side(half));
            self.show(ClockReading::new(self.seating.times(face), running, beat.at, Occasion::Set));
        }
    }

    /// The latest the clock told, pressed or not.
    pub fn shown(&self) -> Option<ClockReading> {
        self.shown
    }

    /// Whether (board, clock) changed since it was asked last.
    pub fn relinked(&mut self) -> Option<(bool, bool)> {
        let now = self.links();
        (now != self.linked).then(|| {
            self.linked = now;
            now
        })
    }

    /// Whether board and clock are connected.
    pub fn links(&self) -> (bool, bool) {
        (self.feed.is_up(Part::Board), self.feed.is_up(Part::Clock))
    }

    /// What the game learns up to now, in the order in which it happened.
    pub fn advance(&mut self, now: Epoch) -> Vec<GameFact> {
        let mut facts = Vec::new();
        for seen in self.feed.release(now) {
            self.wait_until(seen.at, &mut facts);
            if let What::Signalled(..) | What::Flagged(..) = seen.what {
                self.catch_up(&mut facts);
            }
            self.learn(&seen, &mut facts);
        }
        if let Some(until) = self.feed.complete_until(now) {
            self.wait_until(until, &mut facts);
        }
        self.asked = now;
        facts
    }

    fn wait_until(&mut self, until: Epoch, facts: &mut Vec<GameFact>) {
        let Some(tracker) = &mut self.tracker else { return };
        while let Some((due, _)) = tracker.poll_timeout().filter(|(due, _)| *due <= until) {
            facts.extend(tracker.on_time(due).into_iter().map(GameFact::Found));
        }
    }

    /// Before what may end the game, all that was played is told, even what came late.
    fn catch_up(&mut self, facts: &mut Vec<GameFact>) {
        let findings = self.tracker.as_mut().map(Tracker::catch_up).unwrap_or_default();
        facts.extend(findings.into_iter().map(GameFact::Found));
    }

    fn learn(&mut self, seen: &Seen, facts: &mut Vec<GameFact>) {
        // The clock first: a ply that this press completes is timed by it.
        let findings = self.tracker.as_mut().map(|tracker| tracker.on_seen(seen)).unwrap_or_default();
        facts.extend(findings.into_iter().map(GameFact::Found));
        if let Some(reading) = clock_reading(seen) {
            facts.push(GameFact::Clocked(reading));
        }
        if let What::Signalled(side, signal) = seen.what {
            facts.push(GameFact::Signalled { side, signal, at: seen.at });
        }
    }

    /// After a restart: what happened since then is still to come.
    pub fn restarted(&mut self) {
        self.show_first_image();
        self.feed.restarted();
    }

    /// How its devices lie.
    pub fn seating(&self) -> Seating {
        self.seating
    }

    /// When this table wants to be asked again, and why.
    pub fn poll_timeout(&self) -> Option<Due> {
        let told = self.feed.first().map(|at| (at, "what came may be told in order"));
        let read = self.tracker.as_ref().and_then(Tracker::poll_timeout);
        let complete = |(at, why)| Some((self.feed.complete_from(at, self.asked)?, why));
        told.into_iter().chain(read).filter_map(complete).min_by_key(|(at, _)| *at)
    }

    /// Plies that the tracker believes in, for comparison after a restart.
    pub fn findings_since(&self, known: &[capture::PlyRead]) -> Vec<Finding> {
        let Some(tracker) = &self.tracker else { return Vec::new() };
        let read = tracker.plies();
        let same = known.iter().zip(read).take_while(|(old, new)| old.mv == new.mv).count();
        let mut findings: Vec<_> = read[same..].iter().cloned().map(Finding::Read).collect();
        if findings.is_empty()
            && let Some(first) = known.get(same)
        {
            findings.push(Finding::Withdrawn(first.no));
        }
        findings
    }
}

/// Whether a tracker is given it.
pub fn is_for_the_game(what: &What) -> bool {
    match what {
        What::ClockUp | What::ClockDown => false,
        What::BoardUp(_)
        | What::BoardDown
        | What::Changed(..)
        | What::Image(_)
        | What::Pressed(..)
        | What::Flagged(..)
        | What::ClockSet(..)
        | What::Signalled(..)
        | What::Health(..)
        | What::Lost => true,
    }
}

fn clock_reading(seen: &Seen) -> Option<ClockReading> {
    let (times, running, occasion) = match seen.what {
        What::Pressed(side, times) => (times, Some(side.opposite()), Occasion::Pressed(side)),
        What::Flagged(side, times) => (times, Some(side), Occasion::Flagged(side)),
        What::ClockSet(times, running) => (times, running, Occasion::Set),
        What::BoardUp(_)
        | What::BoardDown
        | What::ClockUp
        | What::ClockDown
        | What::Changed(..)
        | What::Image(_)
        | What::Signalled(..)
        | What::Health(..)
        | What::Lost => return None,
    };
    Some(ClockReading::new(times, running, seen.at, occasion))
}
