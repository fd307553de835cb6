//! What follows from a fact that was taken in: endings that the rules leave no doubt about, alerts for the rest, and
//! alerts that have lost their cause.

use capture::{Finding, Irregularity};
use firmware_proto::Epoch;

use crate::{AlertCode, Ending, Game, GameFact, Notice, Occasion, Outcome};

/// What follows from a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The game has ended at that time.
    End(Outcome, Epoch),
    /// An alert is raised, or says more than before.
    Raise(Notice),
    /// The alerts of this code have passed by themselves.
    Clear(AlertCode),
    /// The alert of this code and cause has passed by itself.
    ClearCause(AlertCode, u32),
    /// The alerts of this code about plies from this number on have lost their cause: the record changed.
    ClearFrom(AlertCode, u32),
}

impl Game {
    /// What follows from a fact that was just applied.
    #[must_use]
    pub fn consequences(&self, fact: &GameFact) -> Vec<Consequence> {
        if self.outcome().is_some() {
            return self.after_the_end(fact);
        }
        let mut all = match fact {
            GameFact::Found(finding) => self.after_finding(finding),
            GameFact::Clocked(reading) => self.after_clock(*reading),
            GameFact::Signalled { side, signal, at } => self.after_signal(*side, *signal, *at),
            GameFact::Linked { board, clock, .. } => after_links(*board, *clock),
            GameFact::Fouled { side, at, .. } => self.after_foul(*side, *at),
            GameFact::Misbehaved { side, what, at } => vec![self.after_misconduct(*side, *what, *at)],
            GameFact::DrawOffered { side, at } => self.after_draw_talk(*side, *at),
            GameFact::DrawDeclined { .. } => vec![Consequence::Clear(AlertCode::DrawOffer)],
            GameFact::Ordered { at, .. } => self.after_repetition(*at),
            GameFact::LimitClaimed { at, .. } => self.after_limit(*at),
            GameFact::Classed { at, .. } => {
                let mut all = self.after_repetition(*at);
                all.extend(self.after_limit(*at));
                all
            }
            GameFact::Called { side, at } => vec![self.after_call(*side, *at)],
            GameFact::Reported { at, .. } => self.after_report(*at),
            GameFact::Present { .. }
            | GameFact::Warned { .. }
            | GameFact::Reopened { .. }
            | GameFact::Ended { .. } => Vec::new(),
        };
        all.extend(self.after_coming(fact));
        all
    }

    fn after_the_end(&self, fact: &GameFact) -> Vec<Consequence> {
        match fact {
            GameFact::Ended { outcome, at } => {
                let mut all: Vec<_> = MOOT_AT_THE_END.map(Consequence::Clear).into();
                if !could_be_contested(outcome.ending) {
                    all.extend([AlertCode::Illegal, AlertCode::SelfCheck].map(Consequence::Clear));
                }
                all.extend(self.after_report(*at));
                all
            }
            GameFact::Linked { board, clock, .. } => after_links(*board, *clock),
            GameFact::Reported { at, .. } => self.after_report(*at),
            GameFact::Found(finding) => self.after_record(finding),
            GameFact::Clocked(_)
            | GameFact::Signalled { .. }
            | GameFact::Fouled { .. }
            | GameFact::Misbehaved { .. }
            | GameFact::Warned { .. }
            | GameFact::DrawOffered { .. }
            | GameFact::DrawDeclined { .. }
            | GameFact::Ordered { .. }
            | GameFact::LimitClaimed { .. }
            | GameFact::Classed { .. }
            | GameFact::Called { .. }
            | GameFact::Present { .. }
            | GameFact::Reopened { .. } => Vec::new(),
        }
    }

    /// After the end only what was played still matters: the record is kept, printed and published.
    fn after_record(&self, finding: &Finding) -> Vec<Consequence> {
        match finding {
            Finding::Read(_) | Finding::Withdrawn(_) | Finding::Ambiguous { .. } => self.after_board(finding),
            Finding::Confirmed(..)
            | Finding::Locked(_)
            | Finding::Mismatch { .. }
            | Finding::Disturbed { .. }
            | Finding::Restored(_)
            | Finding::PressWithoutMove(..)
            | Finding::ClockTurned(..)
            | Finding::TouchMove { .. }
            | Finding::SetUp { .. }
            | Finding::SetUpRight
            | Finding::Suspects { .. }
            | Finding::BadPoint { .. } => Vec::new(),
        }
    }

    /// A player who acts is there: the alert about his absence tells so, or passes.
    fn after_coming(&self, fact: &GameFact) -> Vec<Consequence> {
        let at = match fact {
            GameFact::Found(Finding::Read(read)) if read.no.0 <= 2 => read.at,
            GameFact::Clocked(reading) if self.plies().len() <= 2 => match reading.occasion {
                Occasion::Pressed(_) => reading.at,
                Occasion::Flagged(_) | Occasion::Set => return Vec::new(),
            },
            GameFact::Present { at, .. } => *at,
            GameFact::Found(_)
            | GameFact::Clocked(_)
            | GameFact::Signalled { .. }
            | GameFact::Linked { .. }
            | GameFact::Fouled { .. }
            | GameFact::Misbehaved { .. }
            | GameFact::Warned { .. }
            | GameFact::DrawOffered { .. }
            | GameFact::DrawDeclined { .. }
            | GameFact::Ordered { .. }
            | GameFact::LimitClaimed { .. }
            | GameFact::Classed { .. }
            | GameFact::Called { .. }
            | GameFact::Reported { .. }
            | GameFact::Reopened { .. }
            | GameFact::Ended { .. } => return Vec::new(),
        };
        match self.absence(at) {
            Some(notice) => vec![Consequence::Raise(notice)],
            None => vec![Consequence::Clear(AlertCode::Absent)],
        }
    }

    fn after_finding(&self, finding: &Finding) -> Vec<Consequence> {
        match finding {
            Finding::Confirmed(no, ..) => {
                let Some(ply) = self.ply(*no) else { return Vec::new() };
                let mut all = self.irregular_ply(ply).into_iter().collect::<Vec<_>>();
                all.extend(self.unpressed_before(ply));
                if usize::from(no.0) == self.plies().len() {
                    if self.draw_talk() == crate::DrawTalk::Silent {
                        all.push(Consequence::Clear(AlertCode::DrawOffer));
                    }
                    match self.final_position() {
                        Some(outcome) => all.push(Consequence::End(outcome, ply.read.at)),
                        None => {
                            all.extend(self.after_repetition(ply.read.at));
                            all.extend(self.after_limit(ply.read.at));
                        }
                    }
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
            | Finding::ClockTurned(..)
            | Finding::TouchMove { .. }
            | Finding::Ambiguous { .. }
            | Finding::SetUp { .. }
            | Finding::SetUpRight
            | Finding::Suspects { .. }
            | Finding::BadPoint { .. } => self.after_board(finding),
        }
    }

    /// The outcome that the position on the board means by itself: mate (将死) or stalemate (困毙). The tracker
    /// confirms such a ply when it has stood for a while: nobody presses any more.
    fn final_position(&self) -> Option<Outcome> {
        let last = self.plies().last()?;
        if last.read.irregular.is_some_and(|irregular| irregular != Irregularity::Entered) {
            return None;
        }
        Outcome::of_position(self.position())
    }
}

/// Alerts that mean nothing any more once the game has ended. A doubt about what was played is none of them: it stays until
/// an arbiter has decided, or the next game begins at the table.
const MOOT_AT_THE_END: [AlertCode; 22] = [
    AlertCode::Flag,
    AlertCode::FlagBoth,
    AlertCode::RepNear,
    AlertCode::RepDone,
    AlertCode::RepDeadline,
    AlertCode::FoulLimit,
    AlertCode::FoulEdge,
    AlertCode::LimitNear,
    AlertCode::LimitDone,
    AlertCode::PressNoMove,
    AlertCode::MoveNoPress,
    AlertCode::TouchOppTime,
    AlertCode::TouchMove,
    AlertCode::PosMismatch,
    AlertCode::ClockSkew,
    AlertCode::Absent,
    AlertCode::DrawOffer,
    AlertCode::FixWindow,
    AlertCode::NoResult,
    AlertCode::WrongSeat,
    AlertCode::LowTime,
    AlertCode::Setup,
];

/// Whether an error in the game may still matter after an end of this kind: nobody ruled on it, the board or the clock
/// ended the game. What is open about it stays open then.
const fn could_be_contested(ending: Ending) -> bool {
    match ending {
        Ending::Checkmate | Ending::Stalemate | Ending::Flag | Ending::BothFlags => true,
        Ending::Resignation
        | Ending::Agreement
        | Ending::Foul
        | Ending::Repetition
        | Ending::NaturalLimit
        | Ending::Misconduct
        | Ending::Forfeit
        | Ending::Ruling => false,
    }
}

/// A link that is back has no alert any more; one that is down gets its alert when it stays down.
fn after_links(board: bool, clock: bool) -> Vec<Consequence> {
    [(board, AlertCode::BoardDown), (clock, AlertCode::ClockDown)]
        .into_iter()
        .filter_map(|(up, code)| up.then_some(Consequence::Clear(code)))
        .collect()
}
