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
