//! Plies that stand on a guess: which rivals of a reading an arbiter is told of, and when.
//!
//! A ply that is complete and not confirmed has a rival, and that is said soon. Where a capture shows nothing of its target
//! and several could have been it, the plies that follow mostly tell: it is said only if they do not. What was confirmed
//! on a hint is said in the end, if nothing has spoken against what else is possible. And where the board did much in a
//! few plies that they do not explain, the line as a whole may be a wrong one, whatever its rivals. When a confirmed line
//! is given up and another one confirmed in its place, both are told: one of them is wrong, and spectators saw both.

use std::collections::VecDeque;

use firmware_proto::Epoch;
use xiangqi::Move;

use crate::inference::Inference;
use crate::line::{Line, Placement, Ply};
use crate::params::{Cost, Params};
use crate::reading::Hypothesis;
use crate::{Doubt, Finding, PlyNo};

/// A complete ply that is not confirmed by then has a rival, ms.
const AMBIGUOUS_AFTER: i64 = 1_000;
/// So many plies that stand on a guess should have told.
const SHOULD_TELL: u16 = 10;
/// What the line pays is looked at over so many plies.
const STRETCH: usize = 3;
/// So many lines are offered when readings are ambiguous.
const LINES_OFFERED: usize = 4;

/// The plies that are in doubt.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doubts {
    /// Plies of which rivals were named and still are near.
    named: Vec<PlyNo>,
    /// Plies of which rivals were named, and which were then read otherwise.
    flipped: Vec<PlyNo>,
    /// Plies from which on another line, hardly dearer, led to the same position, as far as they were named.
    past: Vec<PlyNo>,
    /// The ply from which on too much was left unexplained.
    strained: Option<PlyNo>,
    /// The ply after which others were played that nobody saw, and whether that was told since it is read.
    missed: Option<(PlyNo, bool)>,
    /// A line that had been confirmed from this ply on, and was given up.
    given_up: Option<(PlyNo, Vec<Move>)>,
    /// The last plies that were confirmed, and what their line had paid by then.
    spent: VecDeque<(PlyNo, Cost)>,
}

/// What a published line is judged by.
pub(crate) struct Judged<'a> {
    pub inference: &'a Inference,
    pub best: &'a Hypothesis,
    /// The plies that are not locked, with the nearest rival that parts from the line there.
    pub plies: &'a [&'a Ply],
    pub partings: &'a [Option<Cost>],
    /// The ply that is complete and not confirmed for its rivals, and since when.
    pub held_up: Option<(u16, Epoch)>,
    /// Whether a swap in the hand may show nothing.
    pub sees_no_swap: bool,
}

impl Doubts {
    /// Whether there is any.
    pub fn any(&self) -> bool {
        !self.named.is_empty() || !self.past.is_empty() || self.strained.is_some() || self.missed.is_some()
    }

    /// Whether a rival is near by which another position stands on the board.
    pub fn of_the_position(&self) -> bool {
        !self.named.is_empty()
    }

    /// Whether much was left unexplained: something may be otherwise than any reading has it.
    pub fn strained(&self) -> bool {
        self.strained.is_some()
    }

    /// No ply beyond this many is read any more.
    pub fn cut(&mut self, len: usize) {
        self.flipped.extend(self.named.extract_if(.., |no| usize::from(no.0) > len));
        let read = |no: &PlyNo| usize::from(no.0) <= len;
        self.past.retain(read);
        self.strained = self.strained.filter(read);
        self.missed = self.missed.map(|(after, told)| (after, told && read(&after)));
        self.spent.retain(|(no, _)| read(no));
    }

    /// These plies had been confirmed, from this one on, and are read no more.
    pub fn gives_up(&mut self, from: PlyNo, line: Vec<Move>) {
        if self.given_up.as_ref().is_none_or(|(known, _)| from <= *known) {
            self.given_up = Some((from, line));
        }
    }

    /// Ply `no` is confirmed: once more, or in the place of the one that was given up.
    fn confirmed_anew(&mut self, no: PlyNo, best: &Hypothesis, findings: &mut Vec<Finding>) {
        let Some((_, given_up)) = self.given_up.take_if(|(from, _)| *from == no) else { return };
        let line = moves(&best.line, no.0);
        if line.first() != given_up.first() {
            findings.push(Finding::Ambiguous {
                from: no,
                lines: vec![line, given_up],
                dearer: vec![0],
                doubt: Doubt::Revised,
            });
        } else if given_up.len() > 1 {
            self.given_up = Some((PlyNo(no.0 + 1), given_up[1..].to_vec()));
        }
    }

    /// A ply is confirmed, and its line has paid so much since the game began.
    pub fn confirmed(
        &mut self,
        no: PlyNo,
        spent: Cost,
        best: &Hypothesis,
        params: &Params,
        findings: &mut Vec<Finding>,
    ) {
        self.confirmed_anew(no, best, findings);
        self.spent.push_back((no, spent));
        if self.spent.len() <= STRETCH {
            return;
        }
        let before = self.spent.pop_front();
        if let Some((last, _)) = before.filter(|(_, paid)| spent - paid > params.strained) {
            // What was hardly seen just before may have been another ply.
            let first = last.0 + 1;
            let before = best.line.since(first.saturating_sub(STRETCH as u16));
            let hardly_seen =
                before.into_iter().find(|ply| ply.no < first && ply.placement != Placement::Seen);
            let from = PlyNo(hardly_seen.map_or(first, |ply| ply.no));
            self.unexplained(from, best, findings);
            self.spent.clear();
            self.spent.push_back((no, spent));
        }
    }

    /// From this ply on much is left unexplained.
    pub fn unexplained(&mut self, from: PlyNo, best: &Hypothesis, findings: &mut Vec<Finding>) {
        self.strained = Some(self.strained.map_or(from, |known| known.min(from)));
        findings.push(Finding::Ambiguous {
            from,
            lines: vec![moves(&best.line, from.0)],
            dearer: vec![0],
            doubt: Doubt::Unexplained,
        });
    }

    /// After this ply others were played that nobody saw, and nothing tells which.
    pub fn missed(&mut self, after: PlyNo) {
        self.missed = Some((after, false));
    }

    /// Names the rivals that have come to be due; forgets those that have come to nothing.
    pub fn look(&mut self, judged: &Judged, params: &Params, findings: &mut Vec<Finding>) {
        self.look_at(judged, false, params, findings);
    }

    /// The game is over: nothing will tell any more, and what is read is the record.
    pub fn close(&mut self, judged: &Judged, params: &Params, findings: &mut Vec<Finding>) {
        self.look_at(judged, true, params, findings);
        while let Some((from, _)) = self.given_up {
            self.confirmed_anew(from, judged.best, findings);
        }
    }

    fn look_at(&mut self, judged: &Judged, closing: bool, params: &Params, findings: &mut Vec<Finding>) {
        let near = |ply: &Ply| {
            let index = judged.plies.first().map_or(0, |first| usize::from(ply.no - first.no));
            judged.partings.get(index).copied().flatten().filter(|rival| *rival < nearness(ply, params))
        };
        self.named.retain(|no| judged.plies.iter().any(|ply| ply.no == no.0 && near(ply).is_some()));
        // What is not read again yet may still have its rivals.
        let settled = |no: &PlyNo| judged.plies.iter().any(|ply| ply.no == no.0 && near(ply).is_none());
        self.flipped.retain(|no| !settled(no));
        for &ply in judged.plies {
            if self.named.contains(&PlyNo(ply.no)) {
                continue;
            }
            let due = match near(ply) {
                Some(rival) => {
                    closing || self.flipped.contains(&PlyNo(ply.no)) || is_due(judged, ply, rival, params)
                }
                None => closing && judged.inference.may_turn_up(ply),
            };
            if due {
                self.named.push(PlyNo(ply.no));
                self.flipped.retain(|no| no.0 != ply.no);
                let (lines, dearer) = lines(judged, ply.no, params).into_iter().unzip();
                let doubt = if is_guessed(judged, ply) { Doubt::Untouched } else { Doubt::Rival };
                findings.push(Finding::Ambiguous { from: PlyNo(ply.no), lines, dearer, doubt });
            }
        }
        if let Some((from, told)) = &mut self.missed
            && !*told
            && (closing || judged.best.plies() >= from.0)
        {
            *told = true;
            let doubt = Doubt::Missed;
            findings.push(Finding::Ambiguous { from: *from, lines: Vec::new(), dearer: Vec::new(), doubt });
        }
        let doubts = &judged.best.doubts;
        self.past.retain(|no| doubts.iter().any(|(from, _)| *from == no.0));
        for (from, other) in doubts {
            let from = PlyNo(*from);
            if self.past.contains(&from) {
                continue;
            }
            self.past.push(from);
            let lines = vec![moves(&judged.best.line, from.0), moves(other, from.0)];
            let doubt = Doubt::SamePosition;
            findings.push(Finding::Ambiguous { from, lines, dearer: vec![0], doubt });
        }
    }
}

/// A reading that has something else in the place of a ply is a rival when it is no dearer than this.
pub(crate) fn nearness(ply: &Ply, params: &Params) -> Cost {
    match (ply.placement, ply.before.is_capture(ply.mv)) {
        (Placement::Seen, _) => params.doubtful,
        (Placement::Fleeting, _) | (Placement::Unseen, true) => params.doubtful_unseen,
        (Placement::Unseen, false) => params.doubtful_silent,
    }
}

/// Whether the arbiter should be told of a ply's rival now. That nothing was played yet is no other line: there is nothing to
/// choose, and what comes mostly tells.
fn is_due(judged: &Judged, ply: &Ply, rival: Cost, params: &Params) -> bool {
    if judged.best.plies() - ply.no >= SHOULD_TELL {
        return true;
    }
    let held_up = judged.held_up.filter(|(no, _)| *no == ply.no);
    !is_guessed(judged, ply)
        && rival < params.ambiguous
        && held_up.is_some_and(|(_, since)| judged.inference.known.now.since(since) >= AMBIGUOUS_AFTER)
        && lines(judged, ply.no, params).len() > 1
}

/// Whether what a ply captured is a guess: a swap in the hand showed nothing.
fn is_guessed(judged: &Judged, ply: &Ply) -> bool {
    judged.sees_no_swap && !ply.is_seen() && ply.before.is_capture(ply.mv)
}

/// The best line from a ply on and the best of each rival that parts from it there, ranked, with what each is dearer. That
/// nothing was played there is no line that could be chosen.
fn lines(judged: &Judged, from: u16, params: &Params) -> Vec<(Vec<Move>, Cost)> {
    let Judged { inference, best, .. } = judged;
    let within = best.line.ply(from).map_or(params.doubtful, |ply| nearness(ply, params));
    let rivals = inference.beam.readings().iter().filter(|reading| {
        reading.cost - best.cost < within && best.line.parts_from(&reading.line) == Some(from)
    });
    let mut lines: Vec<(Vec<Move>, Cost)> = Vec::new();
    for reading in std::iter::once(*best).chain(rivals) {
        let line = moves(&reading.line, from);
        let is_new = !line.is_empty() && lines.iter().all(|(known, _)| known.first() != line.first());
        if is_new && lines.len() < LINES_OFFERED {
            lines.push((line, reading.cost - best.cost));
        }
    }
    lines
}

fn moves(line: &Line, from: u16) -> Vec<Move> {
    line.since(from).iter().map(|ply| ply.mv).collect()
}

#[cfg(test)]
mod tests {
    use xiangqi::Position;

    use super::*;

    /// An earlier doubt that nothing has settled does not hide a later one.
    #[test]
    fn every_stretch_of_which_two_lines_lead_to_one_position_is_told_once() {
        let mut best = Hypothesis::new(Position::start(), Epoch(0));
        best.doubts = vec![(1, Line::default()), (5, Line::default())];
        let inference = Inference::new(best.clone(), Epoch(0));
        let judged = Judged {
            inference: &inference,
            best: &best,
            plies: &[],
            partings: &[],
            held_up: None,
            sees_no_swap: false,
        };
        let (mut doubts, mut findings) = (Doubts::default(), Vec::new());
        for _ in 0..2 {
            doubts.look(&judged, &Params::default(), &mut findings);
        }
        let told = |finding: &Finding| {
            let Finding::Ambiguous { from, doubt: Doubt::SamePosition, .. } = finding else { return None };
            Some(from.0)
        };
        assert_eq!(findings.iter().filter_map(told).collect::<Vec<_>>(), [1, 5]);
    }

    /// Much is left unexplained after a ply whose piece was gone before its player pressed: that ply may have been another.
    #[test]
    fn what_was_hardly_seen_before_much_was_left_unexplained_is_doubtful_too() {
        let (start, params) = (Position::start(), Params::default());
        let mut best = Hypothesis::new(start.clone(), Epoch(0));
        let mut doubts = Doubts::default();
        let mut told = Vec::new();
        for (ply, mv) in (1..).zip(["h2e2", "h9g7", "h0g2", "i9h9", "i0h0", "b9c7"]) {
            let mv: Move = mv.parse().expect("a move");
            best = best.entered(mv, best.position.play_irregular(mv), Epoch(1_000 * i64::from(ply)), None);
            if ply == 2 {
                best.line = best.line.with_last_placed(Placement::Fleeting);
            }
            let spent = if ply == 6 { params.strained + 1 } else { 0 };
            doubts.confirmed(PlyNo(ply), spent, &best, &params, &mut told);
        }
        let Some(Finding::Ambiguous { from, doubt, .. }) = told.first() else { panic!("it is told") };
        assert_eq!((from.0, *doubt), (2, Doubt::Unexplained));
    }

    /// One ply was played, at 1 s.
    fn after_a_ply() -> Hypothesis {
        let mv: Move = "h2e2".parse().expect("a move");
        let start = Position::start();
        let root = Hypothesis::new(start.clone(), Epoch(0));
        root.entered(mv, start.play_irregular(mv), Epoch(1_000), None)
    }

    /// A ply is held up, and nothing else could have been played: who waits learns more. At the end nothing more comes.
    #[test]
    fn a_ply_whose_only_rival_is_that_nothing_was_played_yet_is_told_at_the_end_only() {
        let best = after_a_ply();
        let inference = Inference::new(best.clone(), Epoch(1_000 + AMBIGUOUS_AFTER));
        let judged = Judged {
            inference: &inference,
            best: &best,
            plies: &best.line.since(1),
            partings: &[Some(100)],
            held_up: Some((1, Epoch(1_000))),
            sees_no_swap: false,
        };
        let (mut doubts, mut findings) = (Doubts::default(), Vec::new());
        doubts.look(&judged, &Params::default(), &mut findings);
        assert_eq!(findings, []);
        doubts.close(&judged, &Params::default(), &mut findings);
        assert!(matches!(findings[..], [Finding::Ambiguous { doubt: Doubt::Rival, .. }]), "{findings:?}");
    }

    /// The arbiter's page closes a doubt whose plies are read anew; if the rival is near all the same, it is told again.
    #[test]
    fn a_doubt_of_a_ply_that_was_read_otherwise_meanwhile_is_told_again() {
        let best = after_a_ply();
        let inference = Inference::new(best.clone(), Epoch(1_000));
        let plies = best.line.since(1);
        let mut doubts = Doubts { named: vec![PlyNo(1)], ..Doubts::default() };
        let look = |doubts: &mut Doubts, rival: Cost| {
            let judged = Judged {
                inference: &inference,
                best: &best,
                plies: &plies,
                partings: &[Some(rival)],
                held_up: None,
                sees_no_swap: false,
            };
            let mut findings = Vec::new();
            doubts.look(&judged, &Params::default(), &mut findings);
            findings.len()
        };
        let (near, far) = (100, 100_000);
        assert_eq!(look(&mut doubts, near), 0, "it was told");
        doubts.cut(0);
        assert_eq!(look(&mut doubts, near), 1, "told again");
        assert_eq!(look(&mut doubts, near), 0, "once");
        doubts.cut(0);
        assert_eq!(look(&mut doubts, far), 0, "settled");
        assert_eq!(look(&mut doubts, near), 0, "and not due by itself");
    }
}
