//! The ladder 名次判定: the list of figures that are compared, one after the other, to rank the entrants.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::words::Words;

/// One rung of the ladder. The JSON names are part of the event file's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LadderKey {
    /// 积分: the points scored (场分 in a team event). More is better.
    Points,
    /// 对手分: the sum of the final points of all opponents; the bye by the rule of 2011 (art. 14.4). More is better.
    Opponents,
    /// 胜局: games won (胜场, matches won, in a team event). More is better.
    Wins,
    /// 犯规: fouls. Fewer is better.
    Fouls,
    /// 后走局数: games played with Black. More is better.
    BlackGames,
    /// 后走胜局: games won with Black. More is better.
    BlackWins,
    /// 累进分: the sum of the running totals after each round. More is better.
    Progressive,
    /// 累进分 again, without round 1, then without rounds 1 and 2, and so on (art. 14.3.2).
    ProgressiveCut,
    /// 直胜: points from the games among those still equal, if they have all met one another. More is better.
    Direct,
    /// 小分: the points of the opponents beaten and half those of the opponents drawn with. More is better.
    Sonneborn,
    /// 局分: points on all boards of the team (全队总局分). Team events. More is better.
    BoardPoints,
    /// 全队胜局: games won on all boards of the team. Team events. More is better.
    BoardWins,
    /// 名次: the place that a knock-out has made sure of, 8 among the last eight. Fewer is better. The whole ladder of a
    /// knock-out, and nothing elsewhere.
    Place,
    /// 比较前一轮成绩, 以此类推: the rungs above this one, as they stood one round earlier, then two, until they separate.
    PreviousRound,
}

impl LadderKey {
    /// Every key, in the order of declaration.
    pub const ALL: [LadderKey; 14] = [
        LadderKey::Points,
        LadderKey::Opponents,
        LadderKey::Wins,
        LadderKey::Fouls,
        LadderKey::BlackGames,
        LadderKey::BlackWins,
        LadderKey::Progressive,
        LadderKey::ProgressiveCut,
        LadderKey::Direct,
        LadderKey::Sonneborn,
        LadderKey::BoardPoints,
        LadderKey::BoardWins,
        LadderKey::Place,
        LadderKey::PreviousRound,
    ];

    /// The key's name in event files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LadderKey::Points => "points",
            LadderKey::Opponents => "opponents",
            LadderKey::Wins => "wins",
            LadderKey::Fouls => "fouls",
            LadderKey::BlackGames => "black_games",
            LadderKey::BlackWins => "black_wins",
            LadderKey::Progressive => "progressive",
            LadderKey::ProgressiveCut => "progressive_cut",
            LadderKey::Direct => "direct",
            LadderKey::Sonneborn => "sonneborn",
            LadderKey::BoardPoints => "board_points",
            LadderKey::BoardWins => "board_wins",
            LadderKey::Place => "place",
            LadderKey::PreviousRound => "previous_round",
        }
    }

    /// The heading of its column.
    #[must_use]
    pub fn heading(self) -> Words {
        let (zh, en) = match self {
            LadderKey::Points => ("积分", "points"),
            LadderKey::Opponents => ("对手分", "opponents' points"),
            LadderKey::Wins => ("胜局", "wins"),
            LadderKey::Fouls => ("犯规", "fouls"),
            LadderKey::BlackGames => ("后走局数", "games with Black"),
            LadderKey::BlackWins => ("后走胜局", "wins with Black"),
            LadderKey::Progressive => ("累进分", "progressive score"),
            LadderKey::ProgressiveCut => ("累进分(去首轮)", "progressive score without the first rounds"),
            LadderKey::Direct => ("直胜", "direct encounter"),
            LadderKey::Sonneborn => ("小分", "Sonneborn-Berger"),
            LadderKey::BoardPoints => ("局分", "board points"),
            LadderKey::BoardWins => ("全队胜局", "board wins"),
            LadderKey::Place => ("进入前几名", "last so many"),
            LadderKey::PreviousRound => ("前一轮成绩", "previous round"),
        };
        Words::new(zh, en)
    }

    /// Whether the smaller figure ranks first.
    #[must_use]
    pub const fn fewer_is_better(self) -> bool {
        matches!(self, LadderKey::Fouls | LadderKey::Place)
    }
}

impl fmt::Display for LadderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The rungs, first compared first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ladder(pub Vec<LadderKey>);

impl Ladder {
    /// Regulation A, individuals (= art. 14.3.1 of the rules of 2011): 积分, 对手分, 胜局, 犯规, 后走局数, 前一轮.
    #[must_use]
    pub fn regulation_a() -> Ladder {
        Ladder(vec![
            LadderKey::Points,
            LadderKey::Opponents,
            LadderKey::Wins,
            LadderKey::Fouls,
            LadderKey::BlackGames,
            LadderKey::PreviousRound,
        ])
    }

    /// Regulation B, teams: 场分, 团体对手分, 全队总局分, 全队胜场, 全队胜局, 全队犯规, 前一轮.
    #[must_use]
    pub fn regulation_b() -> Ladder {
        Ladder(vec![
            LadderKey::Points,
            LadderKey::Opponents,
            LadderKey::BoardPoints,
            LadderKey::Wins,
            LadderKey::BoardWins,
            LadderKey::Fouls,
            LadderKey::PreviousRound,
        ])
    }

    /// Art. 14.3.2 of the rules of 2011: 积分, 累进分, 胜局, 犯规, 后走局数, then 累进分 without the first rounds.
    #[must_use]
    pub fn progressive() -> Ladder {
        Ladder(vec![
            LadderKey::Points,
            LadderKey::Progressive,
            LadderKey::Wins,
            LadderKey::Fouls,
            LadderKey::BlackGames,
            LadderKey::ProgressiveCut,
        ])
    }

    /// Art. 14.1, round robins: 积分, 小分, 胜局, 直胜, 犯规, 后走局数.
    #[must_use]
    pub fn round_robin() -> Ladder {
        Ladder(vec![
            LadderKey::Points,
            LadderKey::Sonneborn,
            LadderKey::Wins,
            LadderKey::Direct,
            LadderKey::Fouls,
            LadderKey::BlackGames,
        ])
    }
}

/// The ladder of regulation A.
impl Default for Ladder {
    fn default() -> Ladder {
        Ladder::regulation_a()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_names_of_the_event_file() {
        for key in LadderKey::ALL {
            assert_eq!(serde_json::to_string(&key).unwrap(), format!("\"{key}\""));
        }
    }
}
