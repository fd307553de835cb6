//! One game of record: the fold of its facts, and what follows from each of them under the regulation.

use capture::{Finding, Irregularity, PlyNo, PlyRead, PlyState};
use firmware_proto::{Epoch, PlayerSignal};
use xiangqi::notation::{self, Notation};
use xiangqi::{BySide, Position, Side};

use crate::cases::{Cases, RepetitionState};
use crate::{ClockReading, Consequence, GameFact, Occasion, Outcome, Regulation};

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
    flagged: BySide<Option<Epoch>>,
    draw: DrawTalk,
    fouls: BySide<u8>,
    running: bool,
    board_up: bool,
    clock_up: bool,
    outcome: Option<(Outcome, Epoch)>,
}

impl Game {
    /// A game that has not begun.
    #[must_use]
    pub fn new(regulation: Regulation, start: Position) -> Game {
        Game {
            cases: Cases::new(&regulation, &start),
            repetition: RepetitionState::None,
            regulation,
            start,
            plies: Vec::new(),
            clock: None,
            turn_began: BySide { red: None, black: None },
            pressed: BySide { red: None, black: None },
            flagged: BySide { red: None, black: None },
            draw: DrawTalk::Silent,
            fouls: BySide { red: 0, black: 0 },
            running: false,
            board_up: true,
            clock_up: true,
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
        (self.board_up, self.clock_up)
    }

    /// Fouls of each side.
    #[must_use]
    pub fn fouls(&self) -> BySide<u8> {
        self.fouls
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

    /// What the plies add up to.
    pub(crate) fn cases(&self) -> &Cases {
        &self.cases
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
            GameFact::Linked { board, clock, .. } => {
                self.board_up = *board;
                self.clock_up = *clock;
            }
            GameFact::Fouled { side, given, .. } => {
                let fouls = &mut self.fouls[*side];
                *fouls = if *given { fouls.saturating_add(1) } else { fouls.saturating_sub(1) };
            }
            GameFact::Reopened { .. } => self.outcome = None,
            GameFact::Ended { outcome, at } => self.outcome = Some((*outcome, *at)),
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
            Finding::Confirmed(no, at) => {
                if let Some(ply) = self.ply_mut(*no) {
                    ply.read.state = ply.read.state.max(PlyState::Confirmed);
                    ply.read.at = ply.read.at.min(*at);
                }
                if usize::from(no.0) == self.plies.len() {
                    self.repetition = self.cases.repetition();
                }
            }
            Finding::Locked(no) => {
                if let Some(ply) = self.ply_mut(*no) {
                    ply.read.state = PlyState::Locked;
                }
            }
            Finding::Withdrawn(from) => self.cut(*from),
            Finding::Mismatch { .. }
            | Finding::Disturbed { .. }
            | Finding::Restored(_)
            | Finding::PressWithoutMove(..)
            | Finding::TouchMove { .. }
            | Finding::Ambiguous { .. }
            | Finding::SetUp { .. }
            | Finding::SetUpRight
            | Finding::BadPoint { .. } => {}
        }
    }

    /// Forgets the ply of this number and all later ones.
    fn cut(&mut self, from: PlyNo) {
        let kept = usize::from(from.0).saturating_sub(1);
        if kept < self.plies.len() {
            self.plies.truncate(kept);
            let again = self.plies.iter().map(|ply| (ply.side, ply.read.mv, &ply.after, ply.capture));
            self.cases.rebuild(&self.start, again);
        }
    }

    fn push(&mut self, read: PlyRead, used: Option<u32>) {
        let before = self.position();
        let mover = before.piece_at(read.mv.from).map_or(before.side_to_move(), |piece| piece.side);
        let capture = before.piece_at(read.mv.to).is_some();
        let zh = notation::write(Notation::Chinese, before, read.mv);
        let wxf = notation::write(Notation::Wxf, before, read.mv);
        let after = before.play(read.mv).unwrap_or_else(|_| before.play_irregular(read.mv));
        self.cases.push(mover, read.mv, &after, capture);
        let pressed = self.pressed[mover].take_if(|(at, _)| *at >= read.at);
        let used_ms = used.or(pressed.map(|(_, used)| used));
        self.plies.push(RecordedPly { read, side: mover, after, zh, wxf, capture, used_ms });
    }

    fn ply_mut(&mut self, no: PlyNo) -> Option<&mut RecordedPly> {
        self.plies.get_mut(usize::from(no.0).checked_sub(1)?)
    }

    fn clocked(&mut self, reading: ClockReading) {
        match reading.occasion {
            Occasion::Pressed(side) => {
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
            }
        }
        self.running |= reading.running.is_some();
        self.clock = Some(reading);
    }

    /// The outcome that the position on the board means by itself: mate (将死) or stalemate (困毙). The tracker
    /// confirms such a ply when it has stood for a while: nobody presses any more.
    fn final_position(&self) -> Option<Outcome> {
        let last = self.plies.last()?;
        if last.read.irregular.is_some_and(|irregular| irregular != Irregularity::Entered) {
            return None;
        }
        Outcome::of_position(self.position())
    }

    /// What follows from a fact that was just applied.
    #[must_use]
    pub fn consequences(&self, fact: &GameFact) -> Vec<Consequence> {
        if self.outcome.is_some() {
            return match fact {
                GameFact::Ended { .. } => Consequence::of_the_end(),
                GameFact::Linked { board, clock, at } => Consequence::of_links(*board, *clock, *at),
                GameFact::Found(_)
                | GameFact::Clocked(_)
                | GameFact::Signalled { .. }
                | GameFact::Fouled { .. }
                | GameFact::Reopened { .. } => Vec::new(),
            };
        }
        match fact {
            GameFact::Found(finding) => self.after_finding(finding),
            GameFact::Clocked(reading) => match reading.occasion {
                Occasion::Flagged(side) => vec![self.after_flag(side, *reading)],
                Occasion::Pressed(_) | Occasion::Set => Vec::new(),
            },
            GameFact::Signalled { side, signal, at } => self.after_signal(*side, *signal, *at),
            GameFact::Linked { board, clock, at } => Consequence::of_links(*board, *clock, *at),
            GameFact::Fouled { side, at, .. } => Consequence::of_fouls(self, *side, *at),
            GameFact::Reopened { .. } | GameFact::Ended { .. } => Vec::new(),
        }
    }

    fn after_finding(&self, finding: &Finding) -> Vec<Consequence> {
        match finding {
            Finding::Confirmed(no, _) => {
                let Some(ply) = self.plies.get(usize::from(no.0).saturating_sub(1)) else {
                    return Vec::new();
                };
                let mut all = self.irregular_ply(ply).into_iter().collect::<Vec<_>>();
                if usize::from(no.0) == self.plies.len()
                    && let Some(outcome) = self.final_position()
                {
                    all.push(Consequence::End(outcome, ply.read.at));
                } else if usize::from(no.0) == self.plies.len() {
                    all.extend(Consequence::of_cases(self, &self.repetition, ply.read.at));
                }
                all
            }
            Finding::Read(_)
            | Finding::Locked(_)
            | Finding::Withdrawn(_)
            | Finding::Mismatch { .. }
            | Finding::Disturbed { .. }
            | Finding::Restored(_)
            | Finding::PressWithoutMove(..)
            | Finding::TouchMove { .. }
            | Finding::Ambiguous { .. }
            | Finding::SetUp { .. }
            | Finding::SetUpRight
            | Finding::BadPoint { .. } => Consequence::of_finding(self, finding),
        }
    }

    fn irregular_ply(&self, ply: &RecordedPly) -> Option<Consequence> {
        let irregular = ply.read.irregular.filter(|irregular| *irregular != Irregularity::Entered)?;
        let index = usize::from(ply.read.no.0).saturating_sub(1);
        let before = index.checked_sub(1).map_or(&self.start, |at| &self.plies[at].after);
        Some(Consequence::of_irregular(self, before, ply, irregular))
    }

    /// The first flag loses, unless the other side's had fallen before and the regulation draws then.
    fn after_flag(&self, side: Side, reading: ClockReading) -> Consequence {
        if self.regulation.flag.both_draw && self.flagged[side.opposite()].is_some() {
            return Consequence::both_flags(reading);
        }
        if self.regulation.flag.automatic {
            Consequence::End(Outcome::flag(side), reading.at)
        } else {
            Consequence::flag(side, reading)
        }
    }

    fn after_signal(&self, side: Side, signal: PlayerSignal, at: Epoch) -> Vec<Consequence> {
        match signal {
            PlayerSignal::Resign => vec![Consequence::End(Outcome::resigned(side), at)],
            PlayerSignal::CallArbiter => vec![Consequence::call(side, at)],
            PlayerSignal::Draw => match self.draw {
                DrawTalk::Agreed => vec![Consequence::End(Outcome::agreed(), at)],
                DrawTalk::Offered { .. } | DrawTalk::Silent => {
                    vec![Consequence::draw_offer(side, self.plies.len(), at)]
                }
            },
        }
    }
}

/// How far the players' talk of a draw (提和) has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrawTalk {
    /// Nobody offers.
    Silent,
    /// A side offered when so many plies were played.
    Offered { by: Side, plies: usize },
    /// The other side said the same before two more plies were played.
    Agreed,
}

impl DrawTalk {
    fn spoken(self, side: Side, plies: usize) -> DrawTalk {
        match self {
            DrawTalk::Agreed => DrawTalk::Agreed,
            DrawTalk::Offered { by, plies: then } if by != side && plies <= then + 1 => DrawTalk::Agreed,
            DrawTalk::Offered { .. } | DrawTalk::Silent => DrawTalk::Offered { by: side, plies },
        }
    }
}
