//! One game of record: the fold of its facts. What follows from them is in the `after_…` rooms and in `waits`.

use std::collections::BTreeMap;

use capture::{Finding, PlyNo, PlyRead, PlyState};
use firmware_proto::{Epoch, PlayerSignal};
use xiangqi::judge::{Class, NaturalLimit};
use xiangqi::notation::{self, Notation};
use xiangqi::{BySide, Position, Side};

use crate::cases::{Cases, RepetitionState};
use crate::{
    ClockReading, DrawTalk, GameFact, GameResult, Occasion, Offence, Outcome, Regulation, ResultSource,
    VaryOrder,
};

/// A ply as it stands in the record.
#[derive(Clone, Debug)]
pub struct RecordedPly {
    /// As read from the board.
    pub read: PlyRead,
    /// Who played it.
    pub side: Side,
    /// The position after it.
    pub after: Position,
    /// In Chinese notation.
    pub zh: String,
    /// In WXF notation.
    pub wxf: String,
    /// Whether it takes a piece.
    pub capture: bool,
    /// Time used, ms; known at the press.
    pub used_ms: Option<u32>,
}

/// A game of record.
#[derive(Clone, Debug)]
pub struct Game {
    regulation: Regulation,
    start: Position,
    plies: Vec<RecordedPly>,
    cases: Cases,
    repetition: RepetitionState,
    clock: Option<ClockReading>,
    turn_began: BySide<Option<u32>>,
    /// A press whose ply is not read yet: when, and the time used.
    pressed: BySide<Option<(Epoch, u32)>>,
    last_press: Option<(Side, Epoch)>,
    flagged: BySide<Option<Epoch>>,
    skew: Option<Skew>,
    draw: DrawTalk,
    fouls: BySide<u8>,
    offences: BTreeMap<(Side, Offence), u8>,
    warnings: BySide<u8>,
    order: Option<VaryOrder>,
    reported: BTreeMap<ResultSource, GameResult>,
    /// Since when the round's clocks wait for the players here.
    began: Epoch,
    /// Who has moved or pressed, or was seen at the table.
    present: BySide<bool>,
    /// The last ply or press.
    last_act: Epoch,
    /// So many points are not as recorded, since then.
    disorder: Option<(usize, Epoch)>,
    /// The ply before which the board ceased to be as recorded.
    differs_from: Option<u32>,
    running: bool,
    board_down: Option<Epoch>,
    clock_down: Option<Epoch>,
    outcome: Option<(Outcome, Epoch)>,
}

/// A clock told another time than it should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Skew {
    pub side: Side,
    pub told: u32,
    pub expected: u32,
}

impl Game {
    /// A game that has not begun; its round was started at `began`.
    #[must_use]
    pub fn new(regulation: Regulation, start: Position, began: Epoch) -> Game {
        Game {
            cases: Cases::new(&regulation, &start),
            repetition: RepetitionState::None,
            regulation,
            start,
            plies: Vec::new(),
            clock: None,
            turn_began: BySide { red: None, black: None },
            pressed: BySide { red: None, black: None },
            last_press: None,
            flagged: BySide { red: None, black: None },
            skew: None,
            draw: DrawTalk::Silent,
            fouls: BySide::both(0),
            offences: BTreeMap::new(),
            warnings: BySide::both(0),
            order: None,
            reported: BTreeMap::new(),
            began,
            present: BySide::both(false),
            last_act: began,
            disorder: None,
            differs_from: None,
            running: false,
            board_down: None,
            clock_down: None,
            outcome: None,
        }
    }

    /// The regulation that it is played under.
    #[must_use]
    pub fn regulation(&self) -> &Regulation {
        &self.regulation
    }

    /// The plies so far.
    #[must_use]
    pub fn plies(&self) -> &[RecordedPly] {
        &self.plies
    }

    /// The plies that the public is shown: the completed ones. A piece may still slide on from where it rests.
    #[must_use]
    pub fn published(&self) -> &[RecordedPly] {
        let completed = |ply: &&RecordedPly| ply.read.state != PlyState::Provisional;
        &self.plies[..self.plies.iter().take_while(completed).count()]
    }

    /// The position after the last ply.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.plies.last().map_or(&self.start, |ply| &ply.after)
    }

    /// The position that it began with.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// What the clock device told last.
    #[must_use]
    pub fn clock(&self) -> Option<ClockReading> {
        self.clock
    }

    /// Whether both devices are connected: (board, clock).
    #[must_use]
    pub fn connected(&self) -> (bool, bool) {
        (self.board_down.is_none(), self.clock_down.is_none())
    }

    /// Fouls of each side.
    #[must_use]
    pub fn fouls(&self) -> BySide<u8> {
        self.fouls
    }

    /// How often a side committed this offence.
    #[must_use]
    pub fn offences(&self, side: Side, offence: Offence) -> u8 {
        self.offences.get(&(side, offence)).copied().unwrap_or_default()
    }

    /// Each side's warnings (警告).
    #[must_use]
    pub fn warnings(&self) -> BySide<u8> {
        self.warnings
    }

    /// The order to vary that stands (令其变着).
    #[must_use]
    pub fn order(&self) -> Option<VaryOrder> {
        self.order
    }

    /// When each side's time ran out, if it did.
    #[must_use]
    pub fn flagged(&self) -> BySide<Option<Epoch>> {
        self.flagged
    }

    /// The last press: who and when.
    #[must_use]
    pub fn last_press(&self) -> Option<(Side, Epoch)> {
        self.last_press
    }

    /// The results that were reported.
    #[must_use]
    pub fn reported(&self) -> &BTreeMap<ResultSource, GameResult> {
        &self.reported
    }

    /// How far the players' talk of a draw has come.
    #[must_use]
    pub fn draw_talk(&self) -> DrawTalk {
        self.draw
    }

    /// The natural limit's count, and the plies since it began that the event does not count.
    #[must_use]
    pub fn natural_limit(&self) -> (&NaturalLimit, Vec<PlyNo>) {
        self.cases.limit()
    }

    /// Who claims the natural limit, and from which ply on it is counted.
    #[must_use]
    pub fn limit_claim(&self) -> Option<(Side, PlyNo)> {
        self.cases.claimed()
    }

    /// What an arbiter ruled that a ply is, if one did.
    #[must_use]
    pub fn ruled(&self, ply: PlyNo) -> Option<Class> {
        self.cases.ruled(ply)
    }

    /// When the round's clocks began to wait for the players here.
    #[must_use]
    pub fn began(&self) -> Epoch {
        self.began
    }

    /// Whether the clocks were ever started.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.running || !self.plies.is_empty()
    }

    /// How and when it ended.
    #[must_use]
    pub fn outcome(&self) -> Option<(Outcome, Epoch)> {
        self.outcome
    }

    /// Plies since the last capture.
    #[must_use]
    pub fn quiet_plies(&self) -> u16 {
        let quiet = self.plies.iter().rev().take_while(|ply| !ply.capture).count();
        u16::try_from(quiet).unwrap_or(u16::MAX)
    }

    /// Where the repetition stands.
    pub(crate) fn repetition(&self) -> &RepetitionState {
        &self.repetition
    }

    /// Who has shown that he is there.
    pub(crate) fn present(&self) -> BySide<bool> {
        self.present
    }

    /// The last ply or press.
    pub(crate) fn last_act(&self) -> Epoch {
        self.last_act
    }

    /// How many points are not as recorded, and since when.
    pub(crate) fn disorder(&self) -> Option<(usize, Epoch)> {
        self.disorder
    }

    /// The ply before which the board ceased to be as recorded: however the points change, one cause.
    pub(crate) fn differs_from(&self) -> u32 {
        self.differs_from.unwrap_or(self.plies.len() as u32 + 1)
    }

    /// Since when board and clock are not connected.
    pub(crate) fn down_since(&self) -> (Option<Epoch>, Option<Epoch>) {
        (self.board_down, self.clock_down)
    }

    /// What the clock last told otherwise than expected.
    pub(crate) fn skew(&self) -> Option<Skew> {
        self.skew
    }

    /// The position before a ply.
    pub(crate) fn before(&self, ply: &RecordedPly) -> &Position {
        let index = usize::from(ply.read.no.0).saturating_sub(1);
        index.checked_sub(1).and_then(|at| self.plies.get(at)).map_or(&self.start, |ply| &ply.after)
    }

    /// The ply with this number.
    #[must_use]
    pub fn ply(&self, no: PlyNo) -> Option<&RecordedPly> {
        self.plies.get(usize::from(no.0).checked_sub(1)?)
    }

    /// Takes a fact into the state. Never fails: what was concluded stands.
    pub fn apply(&mut self, fact: &GameFact) {
        match fact {
            GameFact::Found(finding) => self.found(finding),
            GameFact::Clocked(reading) => self.clocked(*reading),
            GameFact::Signalled { side, signal, .. } => match signal {
                PlayerSignal::Draw => self.draw = self.draw.spoken(*side, self.plies.len()),
                PlayerSignal::Resign | PlayerSignal::CallArbiter => {}
            },
            GameFact::Linked { board, clock, at } => {
                self.board_down = if *board { None } else { self.board_down.or(Some(*at)) };
                self.clock_down = if *clock { None } else { self.clock_down.or(Some(*at)) };
            }
            GameFact::Fouled { side, given, offence, .. } => {
                count(&mut self.fouls[*side], *given);
                count(self.offences.entry((*side, *offence)).or_default(), *given);
            }
            GameFact::Misbehaved { .. } | GameFact::Called { .. } => {}
            GameFact::Warned { side, given, .. } => count(&mut self.warnings[*side], *given),
            GameFact::DrawOffered { side, .. } => self.draw = self.draw.spoken(*side, self.plies.len()),
            GameFact::DrawDeclined { .. } => self.draw = DrawTalk::Silent,
            GameFact::Ordered { order, .. } => {
                self.order = *order;
                self.look_for_repetition();
            }
            GameFact::LimitClaimed { claim, .. } => {
                self.cases.claim(*claim);
                self.recount();
            }
            GameFact::Classed { classes, .. } => {
                for (ply, class) in classes {
                    self.cases.rule(*ply, *class);
                }
                self.recount();
                self.look_for_repetition();
            }
            GameFact::Present { side, present, .. } => self.present[*side] = *present,
            GameFact::Reported { source, result, .. } => {
                match result {
                    Some(result) => self.reported.insert(*source, *result),
                    None => self.reported.remove(source),
                };
            }
            GameFact::Reopened { .. } => self.outcome = None,
            GameFact::Ended { outcome, at } => {
                self.outcome = Some((*outcome, *at));
                self.plies.shrink_to_fit();
                self.cases.rest();
            }
        }
    }

    fn found(&mut self, finding: &Finding) {
        match finding {
            Finding::Read(read) => {
                // Read otherwise than before, it still took its time.
                let used = self.ply_mut(read.no).and_then(|ply| ply.used_ms);
                self.cut(read.no);
                self.push(read.clone(), used);
            }
            Finding::Confirmed(no, at, _) => {
                if let Some(ply) = self.ply_mut(*no) {
                    ply.read.state = ply.read.state.max(PlyState::Confirmed);
                    ply.read.at = ply.read.at.min(*at);
                }
                if usize::from(no.0) == self.plies.len() {
                    self.look_for_repetition();
                    if self.repetition == RepetitionState::None {
                        self.order = None;
                    }
                    self.draw = self.draw.answered_by(self.plies.last().map(|ply| ply.side), *no);
                }
            }
            Finding::Locked(no) => {
                if let Some(ply) = self.ply_mut(*no) {
                    ply.read.state = PlyState::Locked;
                }
            }
            Finding::Withdrawn(from) => self.cut(*from),
            Finding::Mismatch { points, since } | Finding::Disturbed { points, since, .. } => {
                self.disorder = Some((points.len(), *since));
                self.differs_from.get_or_insert(self.plies.len() as u32 + 1);
            }
            Finding::Restored(_) => (self.disorder, self.differs_from) = (None, None),
            Finding::PressWithoutMove(..)
            | Finding::ClockTurned(..)
            | Finding::TouchMove { .. }
            | Finding::Ambiguous { .. }
            | Finding::SetUp { .. }
            | Finding::SetUpRight
            | Finding::Suspects { .. }
            | Finding::BadPoint { .. } => {}
        }
    }

    /// Forgets the ply of this number and all later ones.
    fn cut(&mut self, from: PlyNo) {
        let kept = usize::from(from.0).saturating_sub(1);
        if kept < self.plies.len() {
            self.plies.truncate(kept);
            self.recount();
        }
    }

    /// After a completed ply, or when what an arbiter ruled changes what the plies add up to.
    fn look_for_repetition(&mut self) {
        self.go_on();
        self.repetition = self.cases.repetition(self.order.map(|order| order.by));
    }

    /// The game may have ended before: what was left away then is needed again.
    fn go_on(&mut self) {
        if self.cases.rests() {
            self.recount();
        }
    }

    /// Counts the plies anew.
    fn recount(&mut self) {
        let again = self.plies.iter().map(|ply| (ply.side, ply.read.mv, &ply.after, ply.capture));
        self.cases.rebuild(&self.start, again);
    }

    fn push(&mut self, read: PlyRead, used: Option<u32>) {
        self.go_on();
        let before = self.position();
        let mover = before.piece_at(read.mv.from).map_or(before.side_to_move(), |piece| piece.side);
        let capture = before.piece_at(read.mv.to).is_some();
        let zh = notation::write(Notation::Chinese, before, read.mv);
        let wxf = notation::write(Notation::Wxf, before, read.mv);
        let after = before.play(read.mv).unwrap_or_else(|_| before.play_irregular(read.mv));
        self.cases.push(mover, read.mv, &after, capture);
        self.present[mover] = true;
        self.last_act = self.last_act.max(read.at);
        let pressed = self.pressed[mover].take_if(|(at, _)| *at >= read.at);
        let used_ms = used.or(pressed.map(|(_, used)| used));
        self.plies.push(RecordedPly { read, side: mover, after, zh, wxf, capture, used_ms });
    }

    fn ply_mut(&mut self, no: PlyNo) -> Option<&mut RecordedPly> {
        self.plies.get_mut(usize::from(no.0).checked_sub(1)?)
    }

    fn clocked(&mut self, reading: ClockReading) {
        self.skew = self.clock.and_then(|before| self.skew_since(before, reading));
        match reading.occasion {
            Occasion::Pressed(side) => {
                self.present[side] = true;
                self.last_press = Some((side, reading.at));
                self.last_act = self.last_act.max(reading.at);
                let left = reading.left();
                if let Some(began) = self.turn_began[side] {
                    let used = (began + self.regulation.time.increment.0).saturating_sub(left[side].0);
                    match self.plies.last_mut().filter(|ply| ply.side == side && ply.used_ms.is_none()) {
                        Some(ply) => ply.used_ms = Some(used),
                        None => self.pressed[side] = Some((reading.at, used)),
                    }
                }
                self.turn_began[side.opposite()] = Some(left[side.opposite()].0);
            }
            Occasion::Flagged(side) => self.flagged[side] = self.flagged[side].or(Some(reading.at)),
            Occasion::Set => {
                self.turn_began = reading.left().map(|left| Some(left.0));
                for (side, left) in reading.left().iter() {
                    if left.0 > 0 {
                        self.flagged[side] = None;
                    }
                }
            }
        }
        self.running |= reading.running.is_some();
        self.clock = Some(reading);
    }

    /// By how much the clock tells another time than its last reading and the time that passed make it: such
    /// a clock, or its link's idea of time, is at fault.
    fn skew_since(&self, before: ClockReading, reading: ClockReading) -> Option<Skew> {
        let (side, gained) = match reading.occasion {
            Occasion::Pressed(side) => (side, self.regulation.time.increment.0),
            Occasion::Flagged(side) => (side, 0),
            Occasion::Set => return None,
        };
        if before.running != Some(side) {
            return None;
        }
        let passed = u32::try_from(reading.at.since(before.at)).unwrap_or_default();
        let left = before.left()[side].0.saturating_sub(passed);
        // A side whose time ran out gains nothing any more.
        let expected = if left == 0 { 0 } else { left + gained };
        let told = reading.left()[side].0;
        (told.abs_diff(expected) > SKEWED).then_some(Skew { side, told, expected })
    }
}

/// A clock that differs by more than this from what it should tell is brought before the arbiter, ms.
const SKEWED: u32 = 2_000;

fn count(counter: &mut u8, up: bool) {
    *counter = if up { counter.saturating_add(1) } else { counter.saturating_sub(1) };
}
