//! 赛制: by which system an event is paired and ranked. The Swiss system finds each round from the last; a round robin
//! follows its table, a knock-out its bracket.

use serde::{Deserialize, Serialize};

use crate::words::Words;

/// 赛制.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum System {
    /// 积分编排制.
    #[default]
    Swiss,
    /// 循环赛: everybody meets everybody.
    RoundRobin {
        /// 双循环: twice, with colours changed.
        double: bool,
    },
    /// 淘汰赛: the loser is out, down to a final and a match for third place.
    Knockout {
        /// 加赛: so many more games where a tie is drawn, colours changed, each in a round of its own. If the last of them
        /// is drawn too, Black goes on.
        replays: u16,
    },
}

impl System {
    /// Its name.
    #[must_use]
    pub fn words(self) -> Words {
        match self {
            System::Swiss => Words::new("积分编排制", "Swiss system"),
            System::RoundRobin { double: false } => Words::new("单循环", "round robin"),
            System::RoundRobin { double: true } => Words::new("双循环", "double round robin"),
            System::Knockout { replays } => Words::new(
                format!("淘汰赛，和棋加赛{replays}局，末局再和黑方晋级"),
                format!("knock-out, {replays} more games after a draw, Black goes on if the last is drawn"),
            ),
        }
    }

    /// How many rounds it takes so many entrants; `None`: as many as the organiser sets. A knock-out may be decided
    /// earlier: this is the most that it can take.
    #[must_use]
    pub fn rounds(self, entrants: usize) -> Option<u16> {
        let rounds = match self {
            System::Swiss => return None,
            System::RoundRobin { double } => {
                let once = entrants.next_multiple_of(2).saturating_sub(1);
                if double { 2 * once } else { once }
            }
            System::Knockout { replays } => {
                let stages = entrants.max(2).next_power_of_two().trailing_zeros() as usize;
                stages * (usize::from(replays) + 1)
            }
        };
        Some(u16::try_from(rounds).unwrap_or(u16::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_and_a_bracket_know_their_rounds() {
        assert_eq!(System::Swiss.rounds(60), None);
        assert_eq!(System::RoundRobin { double: false }.rounds(8), Some(7));
        assert_eq!(System::RoundRobin { double: true }.rounds(7), Some(14));
        assert_eq!(System::Knockout { replays: 0 }.rounds(12), Some(4));
        assert_eq!(System::Knockout { replays: 2 }.rounds(16), Some(12));
    }
}
