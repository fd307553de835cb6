//! What two events settle differently in pairing and ranking. Every default is the rule book's word where it has one, else
//! the most usual practice.

use serde::{Deserialize, Serialize};

use crate::{EntrantNo, System, TableNo};

/// The choices of an event beyond its scoring and ladder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// 赛制.
    #[serde(skip_serializing_if = "is_default")]
    pub system: System,
    /// What orders the list inside one score.
    #[serde(skip_serializing_if = "is_default")]
    pub order: OrderKey,
    /// The seed of `order: random`.
    #[serde(skip_serializing_if = "is_default")]
    pub seed: u64,
    /// Who of one score meets whom.
    #[serde(skip_serializing_if = "is_default")]
    pub pattern: Pattern,
    /// 回避: keep entrants of one unit apart in round 1.
    #[serde(skip_serializing_if = "is_default")]
    pub avoid_same_unit: bool,
    /// Pairs that the organiser forbids in every round.
    #[serde(skip_serializing_if = "is_default")]
    pub forbidden: Vec<[EntrantNo; 2]>,
    /// 固定台: who always sits at one table, such as a player who cannot climb stairs.
    #[serde(skip_serializing_if = "is_default")]
    pub tables: Vec<(EntrantNo, TableNo)>,
    /// What a third game in a row with one colour weighs.
    #[serde(skip_serializing_if = "is_default")]
    pub third_colour: ThirdColour,
    /// Whether a win by the opponent's forfeit bars from a bye like a bye does.
    #[serde(skip_serializing_if = "is_default")]
    pub forfeit_win_bars_bye: bool,
    /// Whether a bye, although scored as a win, is left out of 胜局.
    #[serde(skip_serializing_if = "is_default")]
    pub bye_is_no_win: bool,
    /// What a forfeited game adds to 对手分.
    #[serde(skip_serializing_if = "is_default")]
    pub forfeit_opponent: ForfeitOpponent,
    /// What an absence adds to 对手分.
    #[serde(skip_serializing_if = "is_default")]
    pub absence_opponent: AbsenceOpponent,
    /// What "比较前一轮成绩" compares.
    #[serde(skip_serializing_if = "is_default")]
    pub previous_round: PreviousRound,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The order inside one score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderKey {
    /// The number drawn.
    #[default]
    Number,
    /// 对手分, more first, then the number.
    Opponents,
    /// By lot, from the event's seed and the round.
    Random,
}

/// The shape of the pairs inside one score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// 1-2, 3-4, 5-6: neighbours in the list.
    #[default]
    Adjacent,
    /// 1-5, 2-6, 3-7, 4-8: the upper half against the lower half.
    Half,
}

/// The weight of a third game in a row with one colour, or a surplus of three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThirdColour {
    /// Only where no pairing of the same scores avoids it.
    #[default]
    Avoid,
    /// Never.
    Forbid,
    /// As `Avoid`, but ignored in the last round.
    FreeInLastRound,
}

/// What a forfeited game adds to the 对手分 of its two entrants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForfeitOpponent {
    /// The scheduled opponent's final points.
    #[default]
    Include,
    /// Nothing: 对手分 counts opponents played.
    Exclude,
    /// As a bye: the lowest score among those with points.
    AsBye,
}

/// What an absence adds to 对手分.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbsenceOpponent {
    /// Nothing.
    #[default]
    Nothing,
    /// The lowest score among those with points, as a bye.
    Lowest,
}

/// The meaning of "如无法区分, 则比较前一轮成绩, 以此类推".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviousRound {
    /// The whole ladder as it stood after the round before, then the one before that.
    #[default]
    WholeLadder,
    /// Only the points as they stood.
    PointsOnly,
    /// 对手分逆减: 对手分 without the last round's opponent, then without the last two.
    OpponentsDescending,
}
