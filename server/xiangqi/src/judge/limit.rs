//! The natural move limit (自然限着): so many rounds without a capture, some
//! plies not counted if the event says so.

use super::class::Class;
use crate::{BySide, Side};

/// From where plies are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum CountFrom {
    /// From the last capture.
    LastCapture,
    /// From the claim of a side, or from a capture after it.
    Claim,
}

/// Which plies do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Exclusion {
    /// All count.
    Nothing,
    /// The claimant's checks do not (提出方将军不计).
    ClaimantsChecks,
    /// Checks beyond so many do not: the claimant's, or, without a claimant, each side's.
    ChecksBeyond(u32),
    /// 将, 杀 and 捉 do not.
    ChecksKillsChases,
}

/// An event's natural limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NaturalLimitRule {
    /// Rounds (回合): so many counted plies of each side.
    pub rounds: u32,
    /// From where.
    pub from: CountFrom,
    /// Without which.
    pub exclusion: Exclusion,
}

impl Default for NaturalLimitRule {
    /// The book's: sixty rounds from the last capture. Whether checks count
    /// where an event says nothing is an open point; here they do.
    fn default() -> NaturalLimitRule {
        NaturalLimitRule { rounds: 60, from: CountFrom::LastCapture, exclusion: Exclusion::Nothing }
    }
}

/// What became of one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Counted {
    /// It counts.
    Yes,
    /// It captured: the count begins again after it.
    Capture,
    /// Nobody has claimed yet.
    NoClaim,
    /// The event excludes its class.
    Excluded,
}

/// The natural limit of one game, ply by ply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NaturalLimit {
    rule: NaturalLimitRule,
    claimant: Option<Side>,
    raw: BySide<u32>,
    net: BySide<u32>,
    checks: BySide<u32>,
    plies: Vec<Counted>,
}

impl NaturalLimit {
    /// Nothing counted yet.
    #[must_use]
    pub const fn new(rule: NaturalLimitRule) -> NaturalLimit {
        const ZERO: BySide<u32> = BySide { red: 0, black: 0 };
        NaturalLimit { rule, claimant: None, raw: ZERO, net: ZERO, checks: ZERO, plies: Vec::new() }
    }

    /// The rule.
    #[must_use]
    pub const fn rule(&self) -> &NaturalLimitRule {
        &self.rule
    }

    /// Who claimed, if somebody did.
    #[must_use]
    pub const fn claimant(&self) -> Option<Side> {
        self.claimant
    }

    /// `side` claims the limit. The first claim stands; where the event counts
    /// from the claim, counting begins here.
    pub fn claim(&mut self, side: Side) {
        if self.claimant.is_none() {
            self.claimant = Some(side);
            if self.rule.from == CountFrom::Claim {
                self.restart();
            }
        }
    }

    /// The claim is withdrawn or refused.
    pub fn withdraw_claim(&mut self) {
        self.claimant = None;
        if self.rule.from == CountFrom::Claim {
            self.restart();
        }
    }

    /// Counting begins anew with the next ply: an arbiter found that what came before does not count.
    pub fn recount(&mut self) {
        self.restart();
    }

    fn restart(&mut self) {
        self.raw = BySide::both(0);
        self.net = BySide::both(0);
        self.checks = BySide::both(0);
    }

    /// Counts a ply of `mover`. `class` is asked only if the rule needs it;
    /// for [`Exclusion::ChecksBeyond`] and [`Exclusion::ClaimantsChecks`] it
    /// need only tell checks from the rest.
    pub fn push(&mut self, mover: Side, captured: bool, class: impl FnOnce() -> Class) -> Counted {
        let counted = self.count(mover, captured, class);
        match counted {
            Counted::Capture => self.restart(),
            Counted::NoClaim => {}
            Counted::Excluded => self.raw[mover] += 1,
            Counted::Yes => {
                self.raw[mover] += 1;
                self.net[mover] += 1;
            }
        }
        self.plies.push(counted);
        counted
    }

    fn count(&mut self, mover: Side, captured: bool, class: impl FnOnce() -> Class) -> Counted {
        if captured {
            return Counted::Capture;
        }
        if self.rule.from == CountFrom::Claim && self.claimant.is_none() {
            return Counted::NoClaim;
        }
        let excluded = match self.rule.exclusion {
            Exclusion::Nothing => false,
            Exclusion::ClaimantsChecks => self.claimant == Some(mover) && class() == Class::Check,
            Exclusion::ChecksBeyond(most) => {
                let check = self.claimant.is_none_or(|side| side == mover) && class() == Class::Check;
                self.checks[mover] += u32::from(check);
                check && self.checks[mover] > most
            }
            Exclusion::ChecksKillsChases => class().attacks(),
        };
        if excluded { Counted::Excluded } else { Counted::Yes }
    }

    /// All plies of each side since the count began.
    #[must_use]
    pub const fn raw(&self) -> BySide<u32> {
        self.raw
    }

    /// Those that count.
    #[must_use]
    pub const fn net(&self) -> BySide<u32> {
        self.net
    }

    /// What became of each ply, from the first.
    #[must_use]
    pub fn plies(&self) -> &[Counted] {
        &self.plies
    }

    /// Rounds still to go: until both sides have made enough counted plies.
    #[must_use]
    pub fn rounds_left(&self) -> u32 {
        self.rule.rounds.saturating_sub(self.net.red.min(self.net.black))
    }

    /// Whether the limit is reached.
    #[must_use]
    pub fn reached(&self) -> bool {
        self.rounds_left() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(rounds: u32, from: CountFrom, exclusion: Exclusion) -> NaturalLimit {
        NaturalLimit::new(NaturalLimitRule { rounds, from, exclusion })
    }

    fn rounds(limit: &mut NaturalLimit, rounds: u32, red: Class, black: Class) {
        for _ in 0..rounds {
            limit.push(Side::Red, false, || red);
            limit.push(Side::Black, false, || black);
        }
    }

    #[test]
    fn sixty_rounds_without_a_capture_and_a_capture_begins_again() {
        let mut limit = NaturalLimit::new(NaturalLimitRule::default());
        rounds(&mut limit, 59, Class::Check, Class::Idle);
        assert_eq!(limit.push(Side::Red, false, || Class::Idle), Counted::Yes);
        assert!(!limit.reached(), "Black has made only 59 plies");
        assert_eq!(limit.push(Side::Black, true, || Class::Idle), Counted::Capture);
        assert_eq!((limit.raw(), limit.rounds_left()), (BySide::both(0), 60));
        rounds(&mut limit, 60, Class::Idle, Class::Idle);
        assert!(limit.reached());
    }

    #[test]
    fn the_claimants_checks_do_not_count_and_nothing_counts_before_the_claim() {
        let mut limit = limit(40, CountFrom::Claim, Exclusion::ClaimantsChecks);
        assert_eq!(limit.push(Side::Red, false, || Class::Idle), Counted::NoClaim);
        limit.claim(Side::Black);
        limit.claim(Side::Red);
        assert_eq!(limit.claimant(), Some(Side::Black), "the first claim stands");
        rounds(&mut limit, 40, Class::Check, Class::Check);
        assert_eq!(limit.net(), BySide { red: 40, black: 0 });
        rounds(&mut limit, 40, Class::Idle, Class::Idle);
        assert!(limit.reached());
        assert_eq!(limit.raw(), BySide::both(80));
    }

    #[test]
    fn only_ten_checks_count() {
        let mut limit = limit(50, CountFrom::LastCapture, Exclusion::ChecksBeyond(10));
        rounds(&mut limit, 15, Class::Check, Class::Idle);
        assert_eq!(limit.net(), BySide { red: 10, black: 15 });
        assert_eq!(limit.plies()[18..22], [Counted::Yes, Counted::Yes, Counted::Excluded, Counted::Yes]);
    }

    #[test]
    fn checks_mate_threats_and_chases_do_not_count() {
        let mut limit = limit(35, CountFrom::LastCapture, Exclusion::ChecksKillsChases);
        rounds(&mut limit, 20, Class::MateThreat, Class::Exchange);
        rounds(&mut limit, 34, Class::Idle, Class::Follow);
        assert_eq!((limit.net(), limit.rounds_left()), (BySide { red: 34, black: 54 }, 1));
    }

    #[test]
    fn a_class_that_does_not_matter_is_not_asked_for() {
        let mut limit = limit(60, CountFrom::LastCapture, Exclusion::Nothing);
        limit.push(Side::Red, false, || panic!("nobody needs the class"));
        let mut claimed = super::NaturalLimit::new(NaturalLimitRule {
            rounds: 40,
            from: CountFrom::LastCapture,
            exclusion: Exclusion::ClaimantsChecks,
        });
        claimed.push(Side::Red, false, || panic!("nobody has claimed"));
    }
}
