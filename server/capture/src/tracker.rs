//! The tracker of one table: what its devices did goes in, what was played comes out.

use firmware_proto::Epoch;
use xiangqi::{Board, Move, Piece, Point, Position};

use crate::inference::Inference;
use crate::params::{Cost, Params};
use crate::publish::{Published, play};
use crate::reading::Hypothesis;
use crate::sense::Image;
use crate::setup::SetUpCheck;
use crate::watch::Watch;
use crate::{Doubt, Finding, Irregularity, PlyNo, PlyRead, PlyState, Seen, Waits, What};

/// What comes late by less than this is taken as it comes, ms: two devices share a table.
const LATE: i64 = 250;

/// Follows the game on one board. Pure: time comes in with what is seen and with [`Tracker::on_time`], and what
/// comes out depends on nothing but what went in.
///
/// Give it first the board as it stands (a [`What::Image`]), then everything that the devices do, in the order of
/// arrival. What arrives late (a link was down, the device had kept its records) is put where it belongs, and the
/// game is read again.
#[derive(Clone, Debug)]
pub struct Tracker {
    params: Params,
    /// The position that the game starts from.
    start: Position,
    /// Plies that are not in question: locked at a restart, or entered by an arbiter.
    given: Vec<PlyRead>,
    /// From when on plies are read; before it only the board's state is followed.
    given_at: Epoch,
    /// Whether play waits there for the board to be set up.
    awaits_set_up: bool,
    /// All that was seen, by time.
    log: Vec<Seen>,
    /// Something came late: the log is to be read again.
    late: bool,
    closed: bool,
    inference: Inference,
    published: Published,
    set_up: SetUpCheck,
    watch: Watch,
}

impl Tracker {
    /// A tracker for a game from `start`: play begins once the pieces stand and the clock is started.
    #[must_use]
    pub fn new(start: Position, params: Params, now: Epoch) -> Tracker {
        Tracker::with_given(start, Vec::new(), params, now, true)
    }

    /// A tracker for a game of which these plies are settled, as after a restart. Give it the image at the last of
    /// them, then what was seen since.
    #[must_use]
    pub fn resume(start: Position, settled: &[PlyRead], params: Params, now: Epoch) -> Tracker {
        let at = settled.last().map_or(now, |ply| ply.at);
        Tracker::with_given(start, settled.to_vec(), params, at, settled.is_empty())
    }

    fn with_given(
        start: Position,
        given: Vec<PlyRead>,
        params: Params,
        given_at: Epoch,
        awaits_set_up: bool,
    ) -> Tracker {
        let mut inference = Inference::new(root(&start, &given, given_at), given_at);
        inference.playing = !awaits_set_up;
        Tracker {
            inference,
            published: Published::given(given.clone()),
            params,
            start,
            given,
            given_at,
            awaits_set_up,
            log: Vec::new(),
            late: false,
            closed: false,
            set_up: SetUpCheck::default(),
            watch: Watch::default(),
        }
    }

    /// What a device did.
    pub fn on_seen(&mut self, seen: &Seen) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.closed {
            return findings;
        }
        let place = self.log.partition_point(|earlier| earlier.at <= seen.at);
        let late = self.inference.known.now.since(seen.at) > LATE;
        self.log.insert(place, seen.clone());
        if late {
            self.late = true;
            return findings;
        }
        self.advance(seen.at, &mut findings);
        self.inference.pass(seen.at, &self.params);
        self.take(seen, &mut findings);
        findings
    }

    /// When [`Tracker::on_time`] wants to be called next, and why.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<(Epoch, &'static str)> {
        if self.closed {
            None
        } else if self.late {
            Some((self.inference.known.now, "late records are to be put in their place"))
        } else {
            self.inference.next_pause().map(|at| (at, "a pause on the board"))
        }
    }

    /// Time has passed.
    pub fn on_time(&mut self, now: Epoch) -> Vec<Finding> {
        let mut findings = Vec::new();
        if !self.closed {
            self.advance(now, &mut findings);
        }
        findings
    }

    /// Puts what came late in its place now, without waiting for more of it.
    pub fn catch_up(&mut self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.late && !self.closed {
            self.read_again();
            self.publish(&mut findings);
        }
        findings
    }

    /// The published plies, each with its state.
    #[must_use]
    pub fn plies(&self) -> &[PlyRead] {
        self.published.plies()
    }

    /// The position after the published plies.
    #[must_use]
    pub fn position(&self) -> Position {
        self.plies().iter().fold(self.start.clone(), |position, ply| play(&position, ply))
    }

    /// What the board shows; `None` until it was seen.
    #[must_use]
    pub fn image(&self) -> Option<&Image> {
        self.inference.known.image.as_ref()
    }

    /// What the board should show by the best reading.
    #[must_use]
    pub fn expected(&self) -> &Board {
        self.best().board()
    }

    /// Where board and best reading differ: what should stand there.
    #[must_use]
    pub fn differing(&self) -> Vec<(Point, Option<Piece>)> {
        let board = self.expected();
        let points = self.image().map(|image| image.difference(board).points()).unwrap_or_default();
        points.into_iter().map(|point| (point, board.piece_at(point))).collect()
    }

    /// What the tracker believes: the cheapest readings with what they cost more than the best, and the plies in
    /// which they go beyond the locked ones.
    #[must_use]
    pub fn beliefs(&self, at_most: usize) -> Vec<(Cost, Vec<Move>)> {
        let first = u16::try_from(self.published.locked().len() + 1).unwrap_or(u16::MAX);
        let readings = self.inference.beam.readings().iter().take(at_most);
        readings.map(|one| (one.cost, one.line.since(first).iter().map(|ply| ply.mv).collect())).collect()
    }

    /// What the next ply to be confirmed waits for; `None`: all that are read are confirmed.
    #[must_use]
    pub fn waits(&self) -> Option<(PlyNo, Waits)> {
        self.published.waits()
    }

    /// Whether the board is said not to fit the record, or a ply to be ambiguous, and that is not settled.
    #[must_use]
    pub fn in_doubt(&self) -> bool {
        self.watch.open() || self.published.in_doubt()
    }

    /// The game has ended at `at`: what was placed by then is complete, the rest never happened, and nothing more
    /// is recorded.
    pub fn close(&mut self, at: Epoch) -> Vec<Finding> {
        let mut findings = Vec::new();
        if !self.closed {
            self.advance(at, &mut findings);
            let seen_again = self.first_image_after(at);
            self.forget_after(at);
            self.inference.pass(at, &self.params);
            self.inference.end(&self.params, self.published.locked());
            self.published.missed(&mut self.inference);
            let best = self.best().clone();
            self.watch.close(&self.inference, &best, &self.params, &mut findings);
            self.published.close(&self.inference, &best, at, &self.params, &mut findings);
            let fits = |image: &Image| {
                (image.difference(best.board()).points() - self.inference.known.health.bad()).is_empty()
            };
            if self.inference.is_blind() && !best.is_over() && !seen_again.as_ref().is_some_and(fits) {
                let from = PlyNo(u16::try_from(self.plies().len() + 1).unwrap_or(u16::MAX));
                let doubt = Doubt::Unseen;
                findings.push(Finding::Ambiguous { from, lines: Vec::new(), dearer: Vec::new(), doubt });
            }
            self.closed = true;
        }
        findings
    }

    /// The first image that came after `at`, if one did.
    fn first_image_after(&self, at: Epoch) -> Option<Image> {
        self.log.iter().filter(|seen| seen.at > at).find_map(|seen| {
            if let What::Image(readings) = &seen.what { Some(Image::new(readings)) } else { None }
        })
    }

    /// An arbiter says what was played: `line` from ply `from` on, instead of what was read. What the devices saw
    /// after it is read again. An empty line takes the plies from `from` on back: the board is to be set up again,
    /// and the game goes on from there.
    pub fn correct(&mut self, from: PlyNo, line: &[Move], now: Epoch) -> Vec<Finding> {
        let mut findings = Vec::new();
        let read = self.plies().to_vec();
        let kept = usize::from(from.0.max(1) - 1).min(read.len());
        let mut given: Vec<PlyRead> =
            read[..kept].iter().map(|ply| PlyRead { state: PlyState::Locked, ..ply.clone() }).collect();
        for &mv in line {
            let index = given.len();
            given.push(PlyRead {
                no: PlyNo(u16::try_from(index + 1).unwrap_or(u16::MAX)),
                mv,
                // A ply entered in the place of another happened when that one did.
                at: read.get(index).map_or(now, |ply| ply.at),
                state: PlyState::Locked,
                irregular: Some(Irregularity::Entered),
                why: None,
            });
        }
        if kept < read.len() {
            findings.push(Finding::Withdrawn(PlyNo(given[..kept].len() as u16 + 1)));
        }
        findings.extend(given[kept..].iter().cloned().map(Finding::Read));
        self.given_at = given.last().filter(|_| !line.is_empty()).map_or(now, |ply| ply.at);
        self.awaits_set_up = line.is_empty();
        self.set_up = SetUpCheck::default();
        self.published = Published::given(given.clone());
        self.given = given;
        self.inference.known.now = self.inference.known.now.max(now);
        self.read_again();
        if self.closed {
            let best = self.best().clone();
            let at = self.inference.known.now;
            self.published.close(&self.inference, &best, at, &self.params, &mut findings);
        } else {
            self.publish(&mut findings);
        }
        findings
    }

    /// The end is told late: what hands have done since is no part of the game, and none of it is believed. Only the
    /// lift of the last piece that was placed by then belongs to it: sensors may tell it after the placement.
    fn forget_after(&mut self, at: Epoch) {
        let last_from = self.plies().iter().rev().find(|ply| ply.at <= at).map(|ply| ply.mv.from);
        let lift_until = at.plus(self.params.order_doubtful);
        let is_last_lift = |seen: &Seen| {
            let What::Changed(point, reading) = &seen.what else { return false };
            reading.is_empty() && Some(*point) == last_from
        };
        let known = self.log.len();
        self.log.retain(|seen| seen.at <= at || seen.at <= lift_until && is_last_lift(seen));
        if self.log.len() < known {
            self.published.reopen(&self.given);
            self.inference.known.now = at;
            self.read_again();
        }
    }

    fn best(&self) -> &Hypothesis {
        self.published.choose(&self.inference.beam, &self.params)
    }

    /// Lets time pass, pause by pause, and says what is new at each. How often it is called changes nothing.
    fn advance(&mut self, to: Epoch, findings: &mut Vec<Finding>) {
        findings.extend(self.catch_up());
        while self.inference.next_pause().is_some_and(|due| due <= to) {
            let waited = !self.inference.playing;
            self.inference.pause(&self.params, self.published.locked());
            if waited
                && self.inference.playing
                && let Some(image) = &self.inference.known.image
            {
                self.set_up.begin(image, self.inference.beam.best().board(), findings);
            }
            self.publish(findings);
        }
    }

    fn take(&mut self, seen: &Seen, findings: &mut Vec<Finding>) {
        if let What::Pressed(side, _) = seen.what {
            let best = self.published.choose(&self.inference.beam, &self.params);
            self.watch.lever(side, best);
        }
        let began = self.inference.take(seen, &self.params, self.published.locked());
        if began && let Some(image) = &self.inference.known.image {
            self.set_up.begin(image, self.inference.beam.best().board(), findings);
        }
        if let What::Pressed(side, _) = seen.what
            && !began
        {
            let best = self.published.choose(&self.inference.beam, &self.params);
            self.watch.pressed(side, seen.at, best);
            self.publish(findings);
        }
    }

    fn publish(&mut self, findings: &mut Vec<Finding>) {
        if self.inference.playing {
            self.published.follow(&mut self.inference, &self.params, findings);
            let best = self.published.choose(&self.inference.beam, &self.params);
            self.watch.look(&self.inference, best, &self.params, findings);
            if self.inference.tells_nothing() {
                return;
            }
            if let Some(image) = &self.inference.known.image {
                self.set_up.look_again(image, best.board(), findings);
            }
            let best = best.clone();
            self.watch.silent_points(&mut self.inference, &self.params, findings);
            if !self.published.position_in_doubt() {
                let strained = self.published.strained();
                let doubtful =
                    self.watch.bad_points(&mut self.inference, &best, strained, &self.params, findings);
                if let Some(from) = doubtful {
                    self.published.unexplained(from, &best, findings);
                }
            }
        } else if let Some(image) = &self.inference.known.image {
            self.set_up.look(image, self.inference.beam.best().board(), self.inference.quiet(), findings);
        }
    }

    /// Reads the whole log again: after a correction, or because something came late.
    fn read_again(&mut self) {
        self.late = false;
        let now = self.inference.known.now;
        let first = self.log.first().map_or(self.given_at, |seen| seen.at.min(self.given_at));
        let locked = self.published.locked();
        let begins = self.log.partition_point(|seen| seen.at <= self.given_at);
        let (before, after) = self.log.split_at(begins);
        let mut inference = Inference::new(Hypothesis::new(self.start.clone(), first), first);
        // What was seen ahead holds, whenever it was asked.
        inference.known.foresight = std::mem::take(&mut self.inference.known.foresight);
        for seen in before {
            inference.pass(seen.at, &self.params);
            inference.take(seen, &self.params, &[]);
        }
        inference.pass(self.given_at, &self.params);
        inference.rebase(root(&self.start, &self.given, self.given_at), !self.awaits_set_up, self.given_at);
        for seen in after {
            while inference.next_pause().is_some_and(|due| due <= seen.at) {
                inference.pause(&self.params, locked);
            }
            inference.pass(seen.at, &self.params);
            inference.take(seen, &self.params, locked);
        }
        while inference.next_pause().is_some_and(|due| due <= now) {
            inference.pause(&self.params, locked);
        }
        inference.pass(now, &self.params);
        inference.beam.keep(locked, 1);
        self.inference = inference;
    }
}

/// The reading that has the given plies and no other.
fn root(start: &Position, given: &[PlyRead], at: Epoch) -> Hypothesis {
    let mut root = Hypothesis::new(start.clone(), at);
    for ply in given {
        let after = play(&root.position, ply);
        root = root.entered(ply.mv, after, ply.at, ply.irregular);
    }
    root
}
