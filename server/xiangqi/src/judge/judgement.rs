//! What a repetition means for the two sides (棋例总则).

use core::ops::Range;

use thiserror::Error;

use super::class::Classified;
use super::rules::Rules;
use super::watch::{Repetition, Watch};
use crate::{BySide, Illegal, Move, Position, Side};

/// Who loses by a repetition if nobody varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Verdict {
    /// Red.
    RedLoses,
    /// Black.
    BlackLoses,
    /// Nobody: a draw.
    Draw,
    /// There is nothing to judge, or the rules leave it to the arbiter.
    None,
}

impl Verdict {
    pub(super) const fn against(side: Side) -> Verdict {
        match side {
            Side::Red => Verdict::RedLoses,
            Side::Black => Verdict::BlackLoses,
        }
    }

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::RedLoses => "red_loses",
            Verdict::BlackLoses => "black_loses",
            Verdict::Draw => "draw",
            Verdict::None => "none",
        }
    }

    /// The side that loses, if one does.
    #[must_use]
    pub const fn loser(self) -> Option<Side> {
        match self {
            Verdict::RedLoses => Some(Side::Red),
            Verdict::BlackLoses => Some(Side::Black),
            Verdict::Draw | Verdict::None => None,
        }
    }
}

/// How the verdict takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Kind {
    /// 长将: the checking side loses, at the latest by its next such move (25.1).
    ImmediateLoss,
    /// 不变作负: the side must vary, else it loses.
    MustChangeElseLoss,
    /// Nine consecutive rounds of prohibited moves: it must vary, else it loses.
    NineRoundRule,
    /// The Asian and the world federation's loss.
    Loss,
    /// 不变作和.
    Draw,
    /// Nothing to judge.
    None,
}

impl Kind {
    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::ImmediateLoss => "immediate_loss",
            Kind::MustChangeElseLoss => "must_change_else_loss",
            Kind::NineRoundRule => "nine_round_rule",
            Kind::Loss => "loss",
            Kind::Draw => "draw",
            Kind::None => "none",
        }
    }
}

/// What one side did over the whole circle, the lightest first: the side whose
/// conduct is worse must vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Conduct {
    /// 允许着法: at least one ply is neither 将 nor 杀 nor 捉 (24.14); in the
    /// Asian rules, no man is pursued all the time.
    Allowed,
    /// 禁止着法, light: every ply attacks, but some only by 联合捉子 or 少根子.
    Light,
    /// 禁止着法, heavy: every ply is 将, 杀, 捉车 or 捉无根子.
    Heavy,
    /// 长捉 (Asian): one man is attacked anew on every ply.
    Chase,
    /// 长捉 (Asian) of a chariot that shields its general from a horse.
    ChasePinnedChariot,
    /// 长将: every ply is a check.
    PerpetualCheck,
}

/// The judgement of a repetition. A proposal: the arbiter rules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Judgement {
    /// By which rules.
    pub rules: Rules,
    /// Who loses if nobody varies.
    pub verdict: Verdict,
    /// How.
    pub kind: Kind,
    /// Who must vary, if somebody must.
    pub must_vary: Option<Side>,
    /// The plies judged, counted from the start of what was given.
    pub plies: Range<usize>,
    /// Their classes, in order.
    pub classes: Vec<Classified>,
    /// What each side did.
    pub conduct: BySide<Conduct>,
    /// Another reading of an open point that would change the verdict: who
    /// would lose by it.
    pub other_reading: Option<Verdict>,
}

impl Judgement {
    /// Nothing to judge.
    #[must_use]
    pub fn none(rules: Rules) -> Judgement {
        Judgement {
            rules,
            verdict: Verdict::None,
            kind: Kind::None,
            must_vary: None,
            plies: 0..0,
            classes: Vec::new(),
            conduct: BySide::both(Conduct::Allowed),
            other_reading: None,
        }
    }

    /// Whether some ply could not be searched to the end.
    #[must_use]
    pub fn unresolved(&self) -> bool {
        self.classes.iter().any(|class| class.unresolved)
    }
}

/// A ply is not legal, so there is nothing to judge.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("ply {}, {mv}, is not legal: {why}", ply + 1)]
pub struct IllegalPly {
    /// Which, from 0.
    pub ply: usize,
    /// The move.
    pub mv: Move,
    /// Why not.
    pub why: Illegal,
}

/// Judges the position that `moves` lead to from `start`: whether it is a
/// repetition ripe for judgement, and what it means.
///
/// # Errors
/// The first ply that is not legal.
pub fn judge(rules: Rules, start: &Position, moves: &[Move]) -> Result<Judgement, IllegalPly> {
    let mut watch = Watch::new(rules, start);
    for (ply, &mv) in moves.iter().enumerate() {
        watch.play(mv).map_err(|why| IllegalPly { ply, mv, why })?;
    }
    Ok(match watch.repetition() {
        Repetition::Complete(judgement) => judgement,
        Repetition::None | Repetition::Nearing { .. } => Judgement::none(rules),
    })
}
