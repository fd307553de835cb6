//! What is said of the readings: plies that are provisional, confirmed, locked; and when none of it is said yet.
//!
//! A ply is *provisional* when it is in the best reading and its piece has stood for a moment. It is *confirmed*
//! when it is complete (pressed, answered, or the game is over on the board) and no other reading comes near:
//! this is the gate for spectators. It is *locked* when two further plies are confirmed and every reading without
//! it is far behind; then only an arbiter changes it.

use firmware_proto::{Epoch, SensingKind};
use xiangqi::{Move, Position};

use crate::beam::Beam;
use crate::complete::{completed, is_ahead};
use crate::doubt::{Doubts, Judged};
use crate::inference::Inference;
use crate::line::Ply;
use crate::params::{Cost, Params};
use crate::reading::Hypothesis;
use crate::touch::Touches;
use crate::{Completed, Finding, PlyNo, PlyRead, PlyState, Waits, Why};

/// So many further plies are confirmed before one is locked.
const FURTHER: usize = 2;

/// The published plies.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    plies: Vec<PlyRead>,
    locked: Vec<Move>,
    confirmed: usize,
    doubts: Doubts,
    /// What the next ply to be confirmed waits for.
    waits: Option<(PlyNo, Waits)>,
}

impl Published {
    /// These plies are settled.
    pub fn given(plies: Vec<PlyRead>) -> Published {
        Published {
            locked: plies.iter().map(|ply| ply.mv).collect(),
            confirmed: plies.len(),
            plies,
            doubts: Doubts::default(),
            waits: None,
        }
    }

    pub fn plies(&self) -> &[PlyRead] {
        &self.plies
    }

    /// Whether rivals of a ply were named and still are near.
    pub fn in_doubt(&self) -> bool {
        self.doubts.any()
    }

    /// Whether it is in doubt what stands on the board now, and not only how that came.
    pub fn position_in_doubt(&self) -> bool {
        self.doubts.of_the_position()
    }

    /// Whether much was left unexplained by what was published.
    pub fn strained(&self) -> bool {
        self.doubts.strained()
    }

    /// Plies of which nothing tells what they were are doubted.
    pub fn missed(&mut self, inference: &mut Inference) {
        if let Some(after) = inference.take_untold() {
            self.doubts.missed(PlyNo(after));
        }
    }

    /// From this ply on much is left unexplained by `best`.
    pub fn unexplained(&mut self, from: PlyNo, best: &Hypothesis, findings: &mut Vec<Finding>) {
        self.doubts.unexplained(from, best, findings);
    }

    pub fn locked(&self) -> &[Move] {
        &self.locked
    }

    /// What the next ply to be confirmed waits for.
    pub fn waits(&self) -> Option<(PlyNo, Waits)> {
        self.waits
    }

    /// The best reading; confirmed plies are given up only for one that is clearly better, and provisional ones not for one
    /// that is hardly so.
    pub fn choose<'a>(&self, beam: &'a Beam, params: &Params) -> &'a Hypothesis {
        let given_up = |reading: &Hypothesis| {
            if !self.keeps(reading, self.confirmed) {
                params.keep_confirmed
            } else if !self.keeps(reading, self.plies.len()) {
                params.keep_provisional
            } else {
                0
            }
        };
        let readings = beam.readings().iter();
        readings.min_by_key(|reading| reading.cost + given_up(reading)).unwrap_or_else(|| beam.best())
    }

    /// Whether a reading has the first so many published plies.
    fn keeps(&self, reading: &Hypothesis, count: usize) -> bool {
        let published = self.plies.iter().take(count).skip(self.locked.len());
        usize::from(reading.plies()) >= count
            && published
                .zip(reading.line.since(self.locked.len() as u16 + 1))
                .all(|(ply, own)| ply.mv == own.mv)
    }

    /// Follows the best reading.
    pub fn follow(&mut self, inference: &mut Inference, params: &Params, findings: &mut Vec<Finding>) {
        let beam = &inference.beam;
        let best = self.choose(beam, params).clone();
        let settled = self.locked.len();
        let first = settled as u16 + 1;
        let plies = best.line.since(first);
        let partings = beam.partings(&best, first);
        let margins_to_lock = margins(&partings);
        let margins = margins(&beam.partings_to_elsewhere(&best, first));
        let mut held_up = None;
        self.waits = None;
        self.read(&best, &plies, inference, params, findings);
        for index in self.confirmed..self.plies.len() {
            let open = index - settled;
            let (Some(&ply), Some(margin)) = (plies.get(open), margins.get(open)) else { break };
            let next = plies.get(open + 1).copied();
            // An image may tell yet that it is not over.
            if next.is_none() && best.is_over() && plies.iter().any(|ply| inference.may_turn_up(ply)) {
                self.waits = Some((PlyNo(ply.no), Waits::Stand));
                break;
            }
            let (completed, by) = match completed(&best, ply, next, inference, params) {
                Ok(completed) => completed,
                Err(waits) => {
                    self.waits = Some((PlyNo(ply.no), waits));
                    break;
                }
            };
            if let Err(waits) = is_ahead(&best, ply, *margin, inference, params) {
                self.waits = Some((PlyNo(ply.no), waits));
                held_up = Some((ply.no, completed));
                break;
            }
            self.confirm(index, (completed, by), ply, &inference.touches, params, findings);
            self.doubts.confirmed(PlyNo(ply.no), beam.spent(&best), &best, params, findings);
        }
        self.missed(inference);
        self.doubts.look(&judged(inference, &best, &plies, &partings, held_up), params, findings);
        if self.confirmed > 0 && self.confirmed == usize::from(best.plies()) && best.is_over() {
            inference.ending.decided(inference.known.now);
        }
        let sure = |(ply, margin): &(&&Ply, &Option<Cost>)| {
            margin.is_none_or(|margin| margin >= params.lock_margin) && !inference.awaits_image(ply)
        };
        let sure = plies.iter().zip(&margins_to_lock).take_while(sure).count();
        if self.lock(settled + sure, findings) {
            inference.beam.keep(&self.locked, first);
        }
    }

    /// Locks the plies before the last two that are confirmed, at most the first so many; whether there are any.
    fn lock(&mut self, at_most: usize, findings: &mut Vec<Finding>) -> bool {
        let settled = self.locked.len();
        let upto = self.confirmed.saturating_sub(FURTHER).min(at_most);
        for ply in self.plies.iter_mut().take(upto).skip(settled) {
            ply.state = PlyState::Locked;
            findings.push(Finding::Locked(ply.no));
            self.locked.push(ply.mv);
        }
        self.locked.len() > settled
    }

    /// Provisional plies: what the best reading has, once it stands.
    fn read(
        &mut self,
        best: &Hypothesis,
        plies: &[&Ply],
        inference: &Inference,
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
            if inference.known.now.since(ply.at) < params.stable {
                self.withdraw(index, findings);
                break;
            }
            self.put(ply, Why::of(ply, best, inference, params), findings);
        }
        self.withdraw(usize::from(best.plies()), findings);
    }

    fn cut(&mut self, len: usize) {
        if len < self.confirmed {
            let given_up = self.plies[len..self.confirmed].iter().map(|ply| ply.mv).collect();
            self.doubts.gives_up(PlyNo(len as u16 + 1), given_up);
        }
        self.plies.truncate(len);
        self.confirmed = self.confirmed.min(len);
        self.doubts.cut(len);
    }

    /// A ply is read, in the place of what was read under its number and after it.
    fn put(&mut self, ply: &Ply, why: Why, findings: &mut Vec<Finding>) {
        self.cut(usize::from(ply.no) - 1);
        let read = PlyRead {
            no: PlyNo(ply.no),
            mv: ply.mv,
            at: ply.at,
            state: PlyState::Provisional,
            irregular: ply.irregular,
            why: Some(Box::new(why)),
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
        (at, by): (Epoch, Completed),
        ply: &Ply,
        touches: &Touches,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) {
        let read = &mut self.plies[index];
        read.state = PlyState::Confirmed;
        self.confirmed = index + 1;
        findings.push(Finding::Confirmed(read.no, at, Some(by)));
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

    /// Nothing but these plies is settled any more: the game is read again up to its end.
    pub fn reopen(&mut self, given: &[PlyRead]) {
        self.locked = given.iter().map(|ply| ply.mv).collect();
    }

    /// The game has ended at `at`: what was placed by then is complete, the rest never happened.
    pub fn close(
        &mut self,
        inference: &Inference,
        best: &Hypothesis,
        at: Epoch,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) {
        let first = self.locked.len() as u16 + 1;
        let played: Vec<&Ply> = best.line.since(first).into_iter().take_while(|ply| ply.at <= at).collect();
        let partings = inference.beam.partings(best, first);
        let count = self.locked.len() + played.len();
        for ply in &played {
            let index = usize::from(ply.no) - 1;
            if self.plies.get(index).is_none_or(|known| known.mv != ply.mv) {
                self.put(ply, Why::of(ply, best, inference, params), findings);
            }
        }
        self.withdraw(count, findings);
        self.doubts.close(&judged(inference, best, &played, &partings, None), params, findings);
        for ply in &mut self.plies[self.confirmed..] {
            ply.state = PlyState::Confirmed;
            findings.push(Finding::Confirmed(ply.no, at, Some(Completed::Ended)));
        }
        self.confirmed = self.plies.len();
    }
}

/// For each ply: how much dearer the nearest reading without it is.
fn margins(partings: &[Option<Cost>]) -> Vec<Option<Cost>> {
    let nearest = partings.iter().scan(None, |nearest: &mut Option<Cost>, parting| {
        *nearest = nearest.map_or(*parting, |known| Some(parting.map_or(known, |rival| rival.min(known))));
        Some(*nearest)
    });
    nearest.collect()
}

fn judged<'a>(
    inference: &'a Inference,
    best: &'a Hypothesis,
    plies: &'a [&'a Ply],
    partings: &'a [Option<Cost>],
    held_up: Option<(u16, Epoch)>,
) -> Judged<'a> {
    let sees_no_swap =
        inference.known.image.as_ref().is_some_and(|image| image.kind() == SensingKind::Occupancy);
    Judged { inference, best, plies, partings, held_up, sees_no_swap }
}

/// The position after a ply of any kind.
pub(crate) fn play(position: &Position, ply: &PlyRead) -> Position {
    let mover_is_to_move =
        position.piece_at(ply.mv.from).is_none_or(|piece| piece.side == position.side_to_move());
    if mover_is_to_move { position.play_irregular(ply.mv) } else { position.pass().play_irregular(ply.mv) }
}
