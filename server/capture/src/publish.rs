//! What is said of the readings: plies that are provisional, confirmed, locked; and when none of it is said yet.
//!
//! A ply is *provisional* when it is in the best reading and its piece has stood for a moment. It is *confirmed*
//! when it is complete (pressed, answered, or the game is over on the board) and no other reading comes near:
//! this is the gate for spectators. It is *locked* when two further plies are confirmed and every reading without
//! it is far behind; then only an arbiter changes it.

use firmware_proto::Epoch;
use xiangqi::{Move, Position};

use crate::beam::Beam;
use crate::inference::{Clock, Inference};
use crate::line::{Line, Ply};
use crate::params::{Cost, Params};
use crate::reading::Hypothesis;
use crate::sense::Difference;
use crate::touch::Touches;
use crate::{Finding, PlyNo, PlyRead, PlyState};

/// An answered ply is complete when the answer has stood this long, ms.
const ANSWERED_AFTER: i64 = 300;
/// A mating ply is complete when it has stood this long, ms: nobody presses after it.
const OVER_AFTER: i64 = 1_500;
/// A ply whose piece was not seen placed, or does not show where it should stand, is complete only when the board has
/// been quiet for so long, ms: the piece may still be in a hand.
const UNSEEN_AFTER: i64 = 1_500;
/// A complete ply that is not confirmed by then has a rival, ms.
const AMBIGUOUS_AFTER: i64 = 1_000;
/// So many lines are offered when readings are ambiguous.
const LINES_OFFERED: usize = 4;

/// The published plies.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    plies: Vec<PlyRead>,
    locked: Vec<Move>,
    confirmed: usize,
    /// The ply for which rivals were named.
    ambiguous: Option<PlyNo>,
    /// It was not confirmed when the game ended.
    closed_in_doubt: bool,
    /// The best reading has a past in doubt.
    past_in_doubt: bool,
}

impl Published {
    /// These plies are settled.
    pub fn given(plies: Vec<PlyRead>) -> Published {
        Published {
            locked: plies.iter().map(|ply| ply.mv).collect(),
            confirmed: plies.len(),
            plies,
            ambiguous: None,
            closed_in_doubt: false,
            past_in_doubt: false,
        }
    }

    pub fn plies(&self) -> &[PlyRead] {
        &self.plies
    }

    /// Whether rivals of a ply were named and it is not confirmed yet.
    pub fn in_doubt(&self) -> bool {
        self.closed_in_doubt || self.past_in_doubt || self.ambiguous_now()
    }

    fn ambiguous_now(&self) -> bool {
        self.ambiguous.is_some_and(|no| usize::from(no.0) > self.confirmed)
    }

    pub fn locked(&self) -> &[Move] {
        &self.locked
    }

    /// The best reading; confirmed plies are given up only for one that is clearly better.
    pub fn choose<'a>(&self, beam: &'a Beam, params: &Params) -> &'a Hypothesis {
        beam.readings()
            .iter()
            .min_by_key(|reading| {
                reading.cost + if self.contradicts(reading) { params.keep_confirmed } else { 0 }
            })
            .unwrap_or_else(|| beam.best())
    }

    fn contradicts(&self, reading: &Hypothesis) -> bool {
        usize::from(reading.plies()) < self.confirmed
            || reading.line.backward().take_while(|ply| usize::from(ply.no) > self.locked.len()).any(|ply| {
                usize::from(ply.no) <= self.confirmed && self.plies[usize::from(ply.no) - 1].mv != ply.mv
            })
    }

    /// Follows the best reading.
    pub fn follow(&mut self, inference: &mut Inference, params: &Params, findings: &mut Vec<Finding>) {
        let beam = &inference.beam;
        let best = self.choose(beam, params).clone();
        self.past_in_doubt = best.doubt.is_some();
        let first = self.locked.len() as u16 + 1;
        let plies = best.line.since(first);
        let margins = beam.margins(&best, first);
        self.read(&best, &plies, inference.now, params, findings);
        let amiss = params.confirm_margin_amiss * amiss(&best, inference) as Cost;
        for index in self.confirmed..self.plies.len() {
            let (Some(ply), Some(margin)) =
                (plies.get(index + 1 - usize::from(first)), margins.get(index + 1 - usize::from(first)))
            else {
                break;
            };
            let Some(completed) =
                completed(&best, ply, plies.get(index + 2 - usize::from(first)).copied(), inference, params)
            else {
                break;
            };
            let needed = if best.plies() - ply.no >= params.confirm_later_after {
                params.confirm_margin_later
            } else {
                params.confirm_margin
            };
            if margin.is_some_and(|margin| margin < needed + amiss) {
                if inference.now.since(completed) >= AMBIGUOUS_AFTER
                    && margin.is_some_and(|margin| margin < params.ambiguous)
                {
                    self.name_rivals(beam, &best, PlyNo(ply.no), params, findings);
                }
                break;
            }
            self.confirm(index, completed, ply, &inference.touches, params, findings);
        }
        if self.confirmed > 0 && self.confirmed == usize::from(best.plies()) && best.is_over() {
            inference.ending.decided(inference.now);
        }
        let newly = self.locked.len();
        while self.locked.len() + 2 < self.confirmed
            && margins
                .get(self.locked.len() + 1 - usize::from(first))
                .is_some_and(|margin| margin.is_none_or(|margin| margin >= params.lock_margin))
        {
            let ply = &mut self.plies[self.locked.len()];
            ply.state = PlyState::Locked;
            findings.push(Finding::Locked(ply.no));
            self.locked.push(ply.mv);
        }
        if self.locked.len() > newly {
            inference.beam.keep(&self.locked, newly as u16 + 1);
        }
    }

    /// Provisional plies: what the best reading has, once it stands.
    fn read(
        &mut self,
        best: &Hypothesis,
        plies: &[&Ply],
        now: Epoch,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) {
        for ply in plies {
            let index = usize::from(ply.no) - 1;
            if let Some(known) = self.plies.get(index)
                && known.mv == ply.mv
                && known.irregular == ply.irregular
            {
                continue;
            }
            if now.since(ply.at) < params.stable {
                self.withdraw(index, findings);
                break;
            }
            self.put(ply, findings);
        }
        self.withdraw(usize::from(best.plies()), findings);
    }

    fn cut(&mut self, len: usize) {
        self.plies.truncate(len);
        self.confirmed = self.confirmed.min(len);
        if self.ambiguous.is_some_and(|no| usize::from(no.0) > len) {
            self.ambiguous = None;
        }
    }

    /// A ply is read, in the place of what was read under its number and after it.
    fn put(&mut self, ply: &Ply, findings: &mut Vec<Finding>) {
        self.cut(usize::from(ply.no) - 1);
        let read = PlyRead {
            no: PlyNo(ply.no),
            mv: ply.mv,
            at: ply.at,
            state: PlyState::Provisional,
            irregular: ply.irregular,
        };
        findings.push(Finding::Read(read.clone()));
        self.plies.push(read);
    }

    fn withdraw(&mut self, len: usize, findings: &mut Vec<Finding>) {
        if self.plies.len() > len {
            findings.push(Finding::Withdrawn(PlyNo(len as u16 + 1)));
            self.cut(len);
        }
    }

    fn confirm(
        &mut self,
        index: usize,
        at: Epoch,
        ply: &Ply,
        touches: &Touches,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) {
        let read = &mut self.plies[index];
        read.state = PlyState::Confirmed;
        self.confirmed = index + 1;
        findings.push(Finding::Confirmed(read.no, at));
        let mover = ply.before.side_to_move();
        for touch in touches.between(ply.previous, ply.at) {
            let held = touch.returned.since(touch.lifted);
            let own = ply.before.piece_at(touch.point).is_some_and(|piece| piece.side == mover);
            if own && touch.point != ply.mv.from && held >= params.touched {
                findings.push(Finding::TouchMove {
                    side: mover,
                    touched: touch.point,
                    played: read.no,
                    held: u32::try_from(held).unwrap_or(u32::MAX),
                });
            }
        }
    }

    fn name_rivals(
        &mut self,
        beam: &Beam,
        best: &Hypothesis,
        no: PlyNo,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) {
        if self.ambiguous == Some(no) {
            return;
        }
        self.ambiguous = Some(no);
        let mut lines: Vec<Vec<Move>> = Vec::new();
        let near = |reading: &&Hypothesis| reading.cost - best.cost < params.confirm_margin;
        for reading in std::iter::once(best).chain(beam.readings().iter().filter(near)) {
            let line: Vec<Move> = reading.line.since(no.0).iter().map(|ply| ply.mv).collect();
            if !lines.contains(&line) && lines.len() < LINES_OFFERED {
                lines.push(line);
            }
        }
        findings.push(Finding::Ambiguous { from: no, lines });
    }

    /// Nothing but these plies is settled any more: the game is read again up to its end.
    pub fn reopen(&mut self, given: &[PlyRead]) {
        self.locked = given.iter().map(|ply| ply.mv).collect();
    }

    /// The game has ended at `at`: what was placed by then is complete, the rest never happened.
    pub fn close(&mut self, best: &Line, at: Epoch, findings: &mut Vec<Finding>) {
        self.closed_in_doubt = self.ambiguous_now();
        let played: Vec<&Ply> =
            best.since(self.locked.len() as u16 + 1).into_iter().take_while(|ply| ply.at <= at).collect();
        let count = self.locked.len() + played.len();
        for ply in played {
            let index = usize::from(ply.no) - 1;
            if self.plies.get(index).is_none_or(|known| known.mv != ply.mv) {
                self.put(ply, findings);
            }
        }
        self.withdraw(count, findings);
        for ply in &mut self.plies[self.confirmed..] {
            ply.state = PlyState::Confirmed;
            findings.push(Finding::Confirmed(ply.no, at));
        }
        self.confirmed = self.plies.len();
    }
}

/// At how many points the board differs from a reading, beyond one piece that may be in a hand.
fn amiss(best: &Hypothesis, inference: &Inference) -> usize {
    let Some(image) = &inference.image else { return 0 };
    let Difference { missing, extra, wrong } = image.difference(best.board());
    let dead = inference.health.dead();
    (missing - dead).len().saturating_sub(1) + ((extra | wrong) - dead).len()
}

/// When the ply was completed, if it is.
fn completed(
    best: &Hypothesis,
    ply: &Ply,
    next: Option<&Ply>,
    inference: &Inference,
    params: &Params,
) -> Option<Epoch> {
    let Clock { present, pressed, .. } = inference.clock;
    let now = inference.now;
    let shows = inference.image.as_ref().is_some_and(|image| {
        image.at(ply.mv.to).may_be(best.position.piece_at(ply.mv.to))
            || inference.health.dead().contains(ply.mv.to)
    });
    if next.is_none() && !(ply.seen && shows) && inference.quiet() < UNSEEN_AFTER {
        return None;
    }
    if present && ply.no + u16::from(best.unpressed) <= best.plies() {
        return Some(pressed.map_or(ply.at, |(_, at)| at.max(ply.at)));
    }
    if let Some(next) = next {
        return (now.since(next.at) >= ANSWERED_AFTER).then_some(next.at);
    }
    if !present && now.since(ply.at) >= params.settles_without_clock {
        return Some(ply.at.plus(params.settles_without_clock));
    }
    (now.since(ply.at) >= OVER_AFTER && best.is_over()).then_some(ply.at.plus(OVER_AFTER))
}

/// The position after a ply of any kind.
pub(crate) fn play(position: &Position, ply: &PlyRead) -> Position {
    let mover_is_to_move =
        position.piece_at(ply.mv.from).is_none_or(|piece| piece.side == position.side_to_move());
    if mover_is_to_move { position.play_irregular(ply.mv) } else { position.pass().play_irregular(ply.mv) }
}
