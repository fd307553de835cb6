//! The cases that build up over many plies: repetition (循环) and the natural limit (自然限着).

use std::collections::BTreeMap;

use capture::PlyNo;
use xiangqi::judge::{
    Class, CountFrom, Counted, Exclusion, Judgement, Kind, NaturalLimit, Repetition, Watch,
};
use xiangqi::{Move, Position, Side};

use crate::Regulation;

/// What a game's plies add up to.
#[derive(Clone, Debug)]
pub(crate) struct Cases {
    regulation: Regulation,
    watch: Watch,
    /// Who claims the natural limit, and from which ply on it is counted.
    claim: Option<(Side, PlyNo)>,
    /// Plies before the watch began: nothing repeats across an irregular ply.
    unwatched: usize,
    limit: NaturalLimit,
    ripe: Option<Ripe>,
    /// What arbiters ruled that plies are.
    ruled: BTreeMap<PlyNo, Class>,
    /// The game has ended: what only a further ply would ask for is not kept, until it is counted anew.
    rests: bool,
}

/// A repetition that is before the arbiter (待判局面).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ripe {
    /// Plies played when it became so.
    pub since: usize,
    /// When so many plies were played and it still repeats, it is too late.
    pub deadline: usize,
    /// The judgement proposed.
    pub judgement: Judgement,
}

/// Where a repetition stands after a ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RepetitionState {
    /// No position recurs, or the side varied (变着).
    None,
    /// Once more and it is ripe.
    Nearing(u32),
    /// Ripe: somebody must vary, or it is a draw.
    Ripe(Ripe),
    /// It was persisted in beyond the deadline (应变不变).
    Persisted(Ripe),
}

impl Cases {
    pub fn new(regulation: &Regulation, start: &Position) -> Cases {
        Cases {
            watch: Watch::new(regulation.repetition.rules, start),
            unwatched: 0,
            limit: NaturalLimit::new(regulation.counted_from_capture()),
            claim: None,
            ripe: None,
            ruled: BTreeMap::new(),
            rests: false,
            regulation: regulation.clone(),
        }
    }

    /// The game has ended: an event's games of a day are many, and half of what one takes is the watch for positions that
    /// recur. Before another ply, and before the repetition is asked for again, the plies are to be counted anew.
    pub fn rest(&mut self) {
        self.unwatched = self.plies();
        self.watch = Watch::new(self.regulation.repetition.rules, &self.watch.position().clone());
        self.rests = true;
    }

    /// Whether the plies are to be counted anew before anything is asked.
    pub const fn rests(&self) -> bool {
        self.rests
    }

    fn plies(&self) -> usize {
        self.unwatched + self.watch.plies()
    }

    /// A ply more.
    pub fn push(&mut self, side: Side, mv: Move, after: &Position, captured: bool) {
        let watched = self.watch.play(mv).is_ok();
        if !watched {
            self.unwatched = self.plies() + 1;
            self.watch = Watch::new(self.regulation.repetition.rules, after);
        }
        if let Some((claimant, from)) = self.claim
            && self.limit.plies().len() + 1 == usize::from(from.0)
        {
            self.limit.claim(claimant);
            if self.limit.rule().from == CountFrom::LastCapture {
                self.limit.recount();
            }
        }
        let no = PlyNo(u16::try_from(self.plies()).unwrap_or(u16::MAX));
        if watched && let Some(class) = self.ruled.get(&no) {
            self.watch.rule(self.watch.plies() - 1, Some(*class));
        }
        let last = self.watch.plies().checked_sub(1);
        let exclusion = self.limit.rule().exclusion;
        let watch = &mut self.watch;
        self.limit.push(side, captured, || match exclusion {
            Exclusion::Nothing => Class::Idle,
            Exclusion::ClaimantsChecks | Exclusion::ChecksBeyond(_) => {
                if after.is_check() {
                    Class::Check
                } else {
                    Class::Idle
                }
            }
            Exclusion::ChecksKillsChases => {
                last.and_then(|last| watch.class(last)).map_or(Class::Idle, |classified| classified.class)
            }
        });
    }

    /// Forgets the plies after the first `plies`; `again` hands in those that must be counted anew.
    pub fn rebuild<'a>(
        &mut self,
        start: &Position,
        again: impl Iterator<Item = (Side, Move, &'a Position, bool)>,
    ) {
        let (ripe, claim, ruled) = (self.ripe.take(), self.claim, std::mem::take(&mut self.ruled));
        *self = Cases::new(&self.regulation.clone(), start);
        self.ruled = ruled;
        if claim.is_some() {
            self.claim = claim;
            self.limit = NaturalLimit::new(self.regulation.natural_limit);
        }
        for (side, mv, after, captured) in again {
            self.push(side, mv, after, captured);
        }
        let plies = self.plies();
        self.ripe = ripe.filter(|ripe| ripe.since <= plies);
        // What was ruled about a ply that is taken back goes with it.
        self.ruled.retain(|ply, _| usize::from(ply.0) <= plies);
    }

    /// An arbiter rules what a ply is; `None`: what the rules say. The plies are to be counted again.
    pub fn rule(&mut self, ply: PlyNo, class: Option<Class>) {
        match class {
            Some(class) => self.ruled.insert(ply, class),
            None => self.ruled.remove(&ply),
        };
    }

    /// What an arbiter ruled that a ply is.
    pub fn ruled(&self, ply: PlyNo) -> Option<Class> {
        self.ruled.get(&ply).copied()
    }

    /// The natural limit is claimed, or the claim is withdrawn; the plies are to be counted again.
    pub fn claim(&mut self, claim: Option<(Side, PlyNo)>) {
        self.claim = claim;
    }

    /// Who claims the natural limit, and from which ply on it is counted.
    pub fn claimed(&self) -> Option<(Side, PlyNo)> {
        self.claim
    }

    /// Where the repetition stands now; to be asked once after each completed ply. `ordered`: the ply by which an
    /// arbiter ordered to vary.
    pub fn repetition(&mut self, ordered: Option<PlyNo>) -> RepetitionState {
        let plies = self.plies();
        match self.watch.repetition() {
            Repetition::None => {
                self.ripe = None;
                RepetitionState::None
            }
            Repetition::Nearing { occurrences } => {
                self.ripe = None;
                if occurrences + 1 >= self.regulation.repetition.rules.occurrences {
                    RepetitionState::Nearing(occurrences)
                } else {
                    RepetitionState::None
                }
            }
            Repetition::Complete(judgement) => {
                let since = self.ripe.as_ref().map_or(plies, |ripe| ripe.since);
                // 长将 must vary with its very next move; everything else has so many rounds.
                let rounds = match judgement.kind {
                    Kind::ImmediateLoss => 1,
                    Kind::MustChangeElseLoss | Kind::NineRoundRule | Kind::Loss | Kind::Draw | Kind::None => {
                        usize::from(self.regulation.repetition.vary_within)
                    }
                };
                let deadline = ordered.map_or(since + 2 * rounds, |by| usize::from(by.0));
                let ripe = Ripe { since, deadline, judgement };
                self.ripe = Some(ripe.clone());
                if plies >= deadline { RepetitionState::Persisted(ripe) } else { RepetitionState::Ripe(ripe) }
            }
        }
    }

    /// The natural limit's count, and the plies since it began that the event does not count.
    pub fn limit(&self) -> (&NaturalLimit, Vec<PlyNo>) {
        let plies = self.limit.plies();
        let began = plies.iter().rposition(|one| matches!(one, Counted::Capture | Counted::NoClaim));
        let recounted = self.claim.map_or(0, |(_, from)| usize::from(from.0).saturating_sub(1));
        let began = began.map_or(0, |at| at + 1).max(recounted);
        let excluded = (began..plies.len()).filter(|at| plies[*at] == Counted::Excluded);
        (&self.limit, excluded.map(|at| PlyNo(u16::try_from(at + 1).unwrap_or(u16::MAX))).collect())
    }
}

impl Regulation {
    /// The natural limit as the system counts it by itself: from the last capture. Where the event counts from a
    /// claim, this is when a claim may be expected, and the arbiter is told so.
    fn counted_from_capture(&self) -> xiangqi::judge::NaturalLimitRule {
        xiangqi::judge::NaturalLimitRule { from: CountFrom::LastCapture, ..self.natural_limit }
    }
}
