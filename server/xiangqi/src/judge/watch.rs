//! Watching a game for repetitions, ply by ply.

use core::ops::Range;

use super::asian;
use super::class::{Class, Classified, Reason};
use super::classify::{NODES, classify_with};
use super::judgement::{Conduct, Judgement, Kind, Verdict};
use super::reckon::Reckoning;
use super::rules::{BothCheck, BothProhibited, Rules};
use crate::{BySide, Illegal, Move, Position, Side};

/// 九回合: so many consecutive plies of one side, …
const NINE: usize = 9;
/// … to at least so many points.
const POINTS: usize = 3;

/// Where the game stands with regard to repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// The position is new.
    None,
    /// The position has occurred before, but not often enough yet.
    Nearing {
        /// How often, this time included.
        occurrences: u32,
    },
    /// 待判局面: ripe, with the proposed judgement.
    Complete(Judgement),
}

/// A game watched for repetitions. A ply costs a comparison; plies are only
/// classified when a judgement needs them, and each at most once.
#[derive(Clone, Debug)]
pub struct Watch {
    rules: Rules,
    /// Every position, the first before any ply.
    positions: Vec<Position>,
    moves: Vec<Move>,
    classes: Vec<Option<Classified>>,
    /// What an arbiter ruled that a move is, wherever it is played in the same position.
    ruled: Vec<(Position, Move, Class)>,
}

impl Watch {
    /// Begins at `start`.
    #[must_use]
    pub fn new(rules: Rules, start: &Position) -> Watch {
        Watch {
            rules,
            positions: vec![start.clone()],
            moves: Vec::new(),
            classes: Vec::new(),
            ruled: Vec::new(),
        }
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How many plies it has seen.
    #[must_use]
    pub const fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.positions[self.moves.len()]
    }

    /// Plays a ply and says where the game stands with it. After an illegal
    /// ply that an arbiter lets stand, begin a new watch: nothing repeats across it.
    ///
    /// # Errors
    /// Why the move is not legal.
    pub fn push(&mut self, mv: Move) -> Result<Repetition, Illegal> {
        self.play(mv)?;
        Ok(self.repetition())
    }

    /// Plays a ply without judging.
    ///
    /// # Errors
    /// Why the move is not legal.
    pub fn play(&mut self, mv: Move) -> Result<(), Illegal> {
        let next = self.position().play(mv)?;
        self.positions.push(next);
        self.moves.push(mv);
        self.classes.push(None);
        Ok(())
    }

    /// Takes plies back until `plies` are left.
    pub fn rewind(&mut self, plies: usize) {
        self.positions.truncate(plies + 1);
        self.moves.truncate(plies);
        self.classes.truncate(plies);
    }

    /// How often the position now has occurred since the last capture, this time included.
    #[must_use]
    pub fn occurrences(&self) -> u32 {
        self.same_positions().count() as u32
    }

    /// An arbiter rules what a ply is (裁判改判), counted from 0, and with it the same move in the same position; `None`:
    /// what the rules say.
    pub fn rule(&mut self, ply: usize, class: Option<Class>) {
        let (Some(&mv), Some(before)) = (self.moves.get(ply), self.positions.get(ply).cloned()) else {
            return;
        };
        let same = |position: &Position| position.key() == before.key() && position.board() == before.board();
        self.ruled.retain(|(position, ruled, _)| !(*ruled == mv && same(position)));
        for at in 0..self.moves.len() {
            if self.moves[at] == mv && same(&self.positions[at]) {
                self.classes[at] = None;
            }
        }
        self.ruled.extend(class.map(|class| (before, mv, class)));
    }

    fn ruled(&self, ply: usize) -> Option<Class> {
        let (before, mv) = (&self.positions[ply], self.moves[ply]);
        let same = |(position, ruled, _): &&(Position, Move, Class)| {
            *ruled == mv && position.key() == before.key() && position.board() == before.board()
        };
        self.ruled.iter().find(same).map(|(_, _, class)| *class)
    }

    /// The class of a ply, counted from 0.
    pub fn class(&mut self, ply: usize) -> Option<&Classified> {
        self.class_with(&mut Reckoning::new(NODES), ply)
    }

    fn class_with(&mut self, reckoning: &mut Reckoning, ply: usize) -> Option<&Classified> {
        if self.classes.get(ply)?.is_none() {
            let classified = match self.same_ply(ply) {
                Some(classified) => classified,
                None => {
                    let (before, mv) = (&self.positions[ply], self.moves[ply]);
                    let earlier = self.earlier(ply);
                    if self.rules.set.is_chinese() {
                        classify_with(reckoning, earlier, before, mv)
                    } else {
                        asian::classify(before, mv)
                    }
                }
            };
            self.classes[ply] = Some(match self.ruled(ply) {
                Some(class) => Classified { class, reason: Reason::Ruled, unresolved: false, ..classified },
                None => classified,
            });
        }
        self.classes[ply].as_ref()
    }

    /// The position before the ply before `ply`. Where the record begins in the
    /// middle of a circle, the first ply has none of its own, but it has one
    /// when it comes round again.
    fn earlier(&self, ply: usize) -> Option<&Position> {
        let before = match ply.checked_sub(1) {
            Some(before) => before,
            None => {
                (1..self.moves.len()).find(|&later| {
                    self.moves[later] == self.moves[ply]
                        && self.positions[later].key() == self.positions[ply].key()
                })? - 1
            }
        };
        self.positions.get(before)
    }

    /// The class of an earlier ply that was the same, with the same ply before
    /// it: what goes round in a circle is classified once, unless it is ruled otherwise.
    fn same_ply(&self, ply: usize) -> Option<Classified> {
        let around = |ply: usize| {
            Some((self.positions[ply.checked_sub(1)?].key(), self.positions[ply].key(), self.moves[ply]))
        };
        let this = around(ply)?;
        let same = (0..ply).rev().filter(|&then| around(then) == Some(this));
        same.filter_map(|then| self.classes[then].clone()).find(|then| then.reason != Reason::Ruled)
    }

    /// Where the game stands.
    pub fn repetition(&mut self) -> Repetition {
        let times: Vec<usize> = self.same_positions().collect();
        let needed = self.rules.occurrences.max(2) as usize;
        if times.len() >= needed {
            // From the last occurrence back, so the earliest that is needed.
            return Repetition::Complete(self.judge_circle(times[needed - 1]));
        }
        if let Some(judgement) = self.nine_rounds() {
            return Repetition::Complete(judgement);
        }
        match times.len() {
            0 | 1 => Repetition::None,
            occurrences => Repetition::Nearing { occurrences: occurrences as u32 },
        }
    }

    /// The index of the first position after the last capture.
    fn since_capture(&self) -> usize {
        let now = self.position().plies_since_capture() as usize;
        self.moves.len().saturating_sub(now)
    }

    /// The indices of the positions equal to the one now, the latest first.
    fn same_positions(&self) -> impl Iterator<Item = usize> {
        let (now, last) = (self.position(), self.moves.len());
        (self.since_capture()..=last).rev().step_by(2).filter(move |&i| {
            let then = &self.positions[i];
            then.key() == now.key() && then.board() == now.board()
        })
    }

    fn classified(&mut self, plies: Range<usize>) -> Vec<Classified> {
        let mut reckoning = Reckoning::new(NODES);
        plies.filter_map(|ply| self.class_with(&mut reckoning, ply).cloned()).collect()
    }

    fn judge_circle(&mut self, begin: usize) -> Judgement {
        let plies = begin..self.moves.len();
        let classes = self.classified(plies.clone());
        let conduct = if self.rules.set.is_chinese() {
            BySide::from_fn(|side| chinese_conduct(&classes, side))
        } else {
            asian::conduct(&self.positions[begin..], &self.moves[begin..])
        };
        let ruled = ruling(&self.rules, conduct);
        let other = BothProhibited::HeavierVaries;
        let other_reading = ruling(&Rules { both_prohibited: other, ..self.rules }, conduct);
        let kind = match ruled {
            Verdict::None => Kind::None,
            Verdict::Draw => Kind::Draw,
            Verdict::RedLoses | Verdict::BlackLoses if !self.rules.set.is_chinese() => Kind::Loss,
            Verdict::RedLoses | Verdict::BlackLoses => {
                let loser = ruled.loser().map(|side| conduct[side]);
                if loser == Some(Conduct::PerpetualCheck) {
                    Kind::ImmediateLoss
                } else {
                    Kind::MustChangeElseLoss
                }
            }
        };
        Judgement {
            rules: self.rules,
            verdict: ruled,
            kind,
            must_vary: ruled.loser(),
            plies,
            classes,
            conduct,
            other_reading: (other_reading != ruled).then_some(other_reading),
        }
    }

    /// Nine consecutive prohibited plies of one side, the opponent not
    /// likewise; the last of them just played, or just answered.
    fn nine_rounds(&mut self) -> Option<Judgement> {
        if !self.rules.nine_rounds {
            return None;
        }
        let last = self.moves.len();
        let side = self.position().side_to_move().opposite();
        let runs = [(side, self.run(last)), (side.opposite(), self.run(last.saturating_sub(1)))];
        match runs {
            [(side, Some(plies)), (_, None)] | [(_, None), (side, Some(plies))] => {
                let conduct = if_side(side, Conduct::Heavy, Conduct::Allowed);
                Some(Judgement {
                    rules: self.rules,
                    verdict: Verdict::against(side),
                    kind: Kind::NineRoundRule,
                    must_vary: Some(side),
                    classes: self.classified(plies.clone()),
                    plies,
                    conduct,
                    other_reading: None,
                })
            }
            [(_, None), (_, None)] | [(_, Some(_)), (_, Some(_))] => None,
        }
    }

    /// The nine rounds that end with the ply before `end`, if all the plies of
    /// its side are prohibited: to three or more points, without a capture. Some
    /// position of the stretch must have occurred before: an attack that makes
    /// way is no repetition.
    fn run(&mut self, end: usize) -> Option<Range<usize>> {
        let begin = end.checked_sub(2 * NINE - 1)?;
        let since_capture = self.since_capture();
        if begin < since_capture {
            return None;
        }
        let own = || (begin..end).step_by(2);
        let mut points: Vec<_> = own().map(|ply| self.moves[ply].to).collect();
        points.sort_unstable();
        points.dedup();
        let repeats = (begin..=end)
            .any(|i| (since_capture..i).any(|j| self.positions[j].key() == self.positions[i].key()));
        let all = points.len() >= POINTS && repeats && own().rev().all(|ply| self.attacks(ply));
        all.then_some(begin..end)
    }

    fn attacks(&mut self, ply: usize) -> bool {
        self.class(ply).is_some_and(|classified| classified.class.attacks())
    }
}

fn if_side<T>(side: Side, its: T, other: T) -> BySide<T> {
    match side {
        Side::Red => BySide { red: its, black: other },
        Side::Black => BySide { red: other, black: its },
    }
}

/// What a side did, ply for ply (24.13, 24.14, 26.9).
fn chinese_conduct(classes: &[Classified], side: Side) -> Conduct {
    let own = || classes.iter().filter(|ply| ply.man.piece.side == side).map(|ply| ply.class);
    if own().all(|class| class == Class::Check) {
        Conduct::PerpetualCheck
    } else if !own().all(Class::attacks) {
        Conduct::Allowed
    } else if own().any(|class| matches!(class, Class::Chase(prey) if prey.is_light())) {
        Conduct::Light
    } else {
        Conduct::Heavy
    }
}

/// The side whose conduct is worse loses; equal conduct is a draw.
fn ruling(rules: &Rules, conduct: BySide<Conduct>) -> Verdict {
    let draw_if_both = |conduct| match (conduct, rules.both_prohibited) {
        (Conduct::Light, BothProhibited::Draw) => Conduct::Heavy,
        (conduct, BothProhibited::Draw | BothProhibited::HeavierVaries) => conduct,
    };
    let BySide { red, black } = conduct.map(draw_if_both);
    if red == Conduct::PerpetualCheck && black == red && rules.both_check == BothCheck::Arbiter {
        return Verdict::None;
    }
    match red.cmp(&black) {
        core::cmp::Ordering::Greater => Verdict::RedLoses,
        core::cmp::Ordering::Less => Verdict::BlackLoses,
        core::cmp::Ordering::Equal => Verdict::Draw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::RuleSet;

    fn watch(rules: Rules, fen: &str, circle: &str, times: usize) -> (Watch, Vec<Repetition>) {
        let mut watch = Watch::new(rules, &Position::from_fen(fen).unwrap());
        let circle: Vec<Move> = circle.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        let moves = circle.iter().cycle().take(circle.len() * times);
        let found = moves.map(|&mv| watch.push(mv).unwrap()).collect();
        (watch, found)
    }

    const CHECKS: (&str, &str) = ("4k4/9/9/9/9/9/9/9/3R5/5K3 w", "d1e1 e9d9 e1d1 d9e9");
    const BOTH_CHECK: (&str, &str) = ("9/4c4/3k5/3r5/9/9/4C4/9/4K4/3R5 w", "e3d3 d6e6 d3e3 e6d6");
    /// Red chases a chariot, Black jointly with a cannon another.
    const HEAVY_AND_LIGHT: (&str, &str) =
        ("2c1kab2/4a4/2n1b4/p3P3p/6p2/9/P7P/1CN1C4/4A3N/2BAKR1rc w", "i1g2 h0g0 g2i1 g0h0");

    #[test]
    fn a_position_nears_at_its_second_and_completes_at_its_third_occurrence() {
        let (_, found) = watch(RuleSet::Cn2020.into(), CHECKS.0, CHECKS.1, 2);
        assert!(found[..3].iter().all(|repetition| *repetition == Repetition::None));
        assert!(found[3..7].iter().all(|repetition| *repetition == Repetition::Nearing { occurrences: 2 }));
        let Repetition::Complete(judgement) = &found[7] else { panic!("{:?}", found[7]) };
        assert_eq!((judgement.kind, judgement.must_vary), (Kind::ImmediateLoss, Some(Side::Red)));
        assert_eq!((judgement.plies.clone(), judgement.classes.len()), (0..8, 8));
    }

    #[test]
    fn three_full_circles_is_another_reading_of_three_times() {
        let rules = Rules { occurrences: 4, ..RuleSet::Cn2020.into() };
        let (_, found) = watch(rules, CHECKS.0, CHECKS.1, 3);
        assert_eq!(found[7], Repetition::Nearing { occurrences: 3 });
        assert!(matches!(found[11], Repetition::Complete(_)));
    }

    #[test]
    fn who_decides_when_both_only_check_is_a_parameter() {
        let (_, found) = watch(RuleSet::Cn2011.into(), BOTH_CHECK.0, BOTH_CHECK.1, 2);
        assert!(matches!(&found[7], Repetition::Complete(j) if j.verdict == Verdict::Draw));
        let rules = Rules { both_check: BothCheck::Arbiter, ..RuleSet::Cn2011.into() };
        let (_, found) = watch(rules, BOTH_CHECK.0, BOTH_CHECK.1, 2);
        let Repetition::Complete(judgement) = &found[7] else { panic!("{:?}", found[7]) };
        assert_eq!((judgement.verdict, judgement.kind), (Verdict::None, Kind::None));
        assert!(judgement.why_zh().contains("裁判"));
    }

    #[test]
    fn in_2011_heavy_against_light_is_drawn_and_the_other_reading_told() {
        let (_, found) = watch(RuleSet::Cn2011.into(), HEAVY_AND_LIGHT.0, HEAVY_AND_LIGHT.1, 2);
        let Repetition::Complete(judgement) = &found[7] else { panic!("{:?}", found[7]) };
        assert_eq!(judgement.verdict, Verdict::Draw);
        assert_eq!(judgement.other_reading, Some(Verdict::RedLoses));
        let (_, found) = watch(RuleSet::Cn2020.into(), HEAVY_AND_LIGHT.0, HEAVY_AND_LIGHT.1, 2);
        assert!(matches!(&found[7], Repetition::Complete(j) if j.verdict == Verdict::RedLoses));
    }

    #[test]
    fn a_capture_forgets_what_stood_before() {
        let fen = "4k4/9/9/9/8p/9/9/9/R8/3K5 w";
        let (mut watch, _) = watch(RuleSet::Cn2020.into(), fen, "a1e1 e9f9 e1a1 f9e9", 1);
        assert_eq!(watch.occurrences(), 2);
        for mv in ["a1a5", "e9f9", "a5i5", "f9e9", "i5i1", "e9f9", "i1a1", "f9e9"] {
            watch.play(mv.parse().unwrap()).unwrap();
        }
        assert_eq!(watch.repetition(), Repetition::None);
    }

    #[test]
    fn a_class_that_an_arbiter_rules_counts_in_every_circle_until_it_is_lifted() {
        let (mut watch, found) = watch(RuleSet::Cn2020.into(), CHECKS.0, CHECKS.1, 2);
        watch.rule(4, Some(Class::Idle));
        let Repetition::Complete(judgement) = watch.repetition() else { panic!("still ripe") };
        assert_eq!(judgement.verdict, Verdict::Draw, "数将一闲");
        let ruled: Vec<usize> =
            (0..8).filter(|ply| judgement.classes[*ply].reason == Reason::Ruled).collect();
        assert_eq!(ruled, [0, 4]);
        watch.rule(0, None);
        assert_eq!(watch.repetition(), found[7]);
    }

    #[test]
    fn plies_taken_back_leave_no_trace() {
        let (mut watch, found) = watch(RuleSet::Cn2020.into(), CHECKS.0, CHECKS.1, 2);
        watch.rewind(7);
        assert_eq!((watch.plies(), watch.occurrences()), (7, 2));
        assert_eq!(watch.push("d9e9".parse().unwrap()).unwrap(), found[7]);
    }

    #[test]
    fn an_illegal_ply_is_refused_and_changes_nothing() {
        let mut watch = Watch::new(RuleSet::Axf.into(), &Position::start());
        assert!(watch.push("a0a9".parse().unwrap()).is_err());
        assert_eq!((watch.plies(), watch.position()), (0, &Position::start()));
    }
}
