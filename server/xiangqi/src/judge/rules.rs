//! The rule sets, and the points in which events or readings of a book differ.

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

/// A book of adjudication rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum RuleSet {
    /// 象棋竞赛规则 2011, by which most Chinese events are still run.
    Cn2011,
    /// 象棋竞赛规则 2020.
    Cn2020,
    /// World Xiangqi Federation, 2018.
    Wxf2018,
    /// Asian Xiangqi Federation.
    Axf,
}

impl RuleSet {
    /// All four.
    pub const ALL: [RuleSet; 4] = [RuleSet::Cn2011, RuleSet::Cn2020, RuleSet::Wxf2018, RuleSet::Axf];

    /// Whether it judges single plies as the Chinese books do (将杀捉闲), not
    /// the pursuit of a single man as the Asian and the world federation do.
    #[must_use]
    pub const fn is_chinese(self) -> bool {
        match self {
            RuleSet::Cn2011 | RuleSet::Cn2020 => true,
            RuleSet::Wxf2018 | RuleSet::Axf => false,
        }
    }

    /// Its name on the command line: `cn2011`, `cn2020`, `wxf2018`, `axf`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RuleSet::Cn2011 => "cn2011",
            RuleSet::Cn2020 => "cn2020",
            RuleSet::Wxf2018 => "wxf2018",
            RuleSet::Axf => "axf",
        }
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no rule set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no rule set: cn2011, cn2020, wxf2018 and axf are")]
pub struct UnknownRuleSet(String);

impl FromStr for RuleSet {
    type Err = UnknownRuleSet;

    fn from_str(text: &str) -> Result<RuleSet, UnknownRuleSet> {
        let named = |set: &RuleSet| set.name().eq_ignore_ascii_case(text.trim());
        RuleSet::ALL.into_iter().find(named).ok_or_else(|| UnknownRuleSet(text.to_owned()))
    }
}

/// A rule set with its open points decided. `Rules::from(set)` decides each as
/// its field's documentation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rules {
    /// The book.
    pub set: RuleSet,
    /// How often a position must have occurred, without a capture in between,
    /// for the case to be ripe. The Chinese book says 循环达三次: read as three
    /// occurrences, 3 (the default, as other books say outright); read as three
    /// full circles, 4. At least 2.
    pub occurrences: u32,
    /// Both sides' play is prohibited, and neither only checks (26.9).
    pub both_prohibited: BothProhibited,
    /// Both sides only check. No book seen decides it for the Chinese rules; the
    /// Asian book and the reading of 1999 say draw, the default.
    pub both_check: BothCheck,
    /// The rule against nine consecutive rounds of prohibited moves over three
    /// or more points without a threefold position, known from a figure of
    /// 2020. On by default in both Chinese books (it makes a proposal, no more),
    /// off in the others.
    pub nine_rounds: bool,
}

/// What happens when both sides' play is prohibited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum BothProhibited {
    /// The heavier must vary (only 联合捉子 or 少根子 on some ply is light);
    /// equal: draw. The book of 2020 and the world's; default of all but `Cn2011`.
    HeavierVaries,
    /// Draw. The last words seen before 2020 (1999, 26.3); default of `Cn2011`,
    /// whose own words have not been seen: the judgement then tells the other
    /// reading too.
    Draw,
}

/// What happens when both sides only check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum BothCheck {
    /// Draw.
    Draw,
    /// No verdict: the arbiter decides.
    Arbiter,
}

impl From<RuleSet> for Rules {
    fn from(set: RuleSet) -> Rules {
        let both_prohibited = match set {
            RuleSet::Cn2011 => BothProhibited::Draw,
            RuleSet::Cn2020 | RuleSet::Wxf2018 | RuleSet::Axf => BothProhibited::HeavierVaries,
        };
        Rules {
            set,
            occurrences: 3,
            both_prohibited,
            both_check: BothCheck::Draw,
            nine_rounds: set.is_chinese(),
        }
    }
}
