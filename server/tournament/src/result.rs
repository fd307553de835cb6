//! What came of a game or a match, or in the place of one.

use serde::{Deserialize, Serialize};
use xiangqi::{BySide, Side};

use crate::{EntrantNo, Points, RoundNo, TableNo};

/// What sort of result it is. The kind decides what counts as met, as a colour, and for 对手分.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
    /// A game that was played, whatever ended it: the board, the flag, fouls, discipline.
    Played,
    /// 弃权: one of the two did not play.
    Forfeit,
    /// 双方弃权: neither played, or they agreed on a result without play.
    DoubleForfeit,
    /// 轮空: no opponent, scored like a win.
    Bye,
    /// Not in this round, by arrangement or because the entrant was not there yet.
    Absent,
}

impl ResultKind {
    /// Whether a result of this kind is between two entrants.
    #[must_use]
    pub const fn has_opponent(self) -> bool {
        match self {
            ResultKind::Played | ResultKind::Forfeit | ResultKind::DoubleForfeit => true,
            ResultKind::Bye | ResultKind::Absent => false,
        }
    }
}

/// One game's (or match's) result; or one entrant's bye or absence, then with no Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultEntry {
    /// The round.
    pub round: RoundNo,
    /// The table; byes and absences may have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<TableNo>,
    /// Who played Red (a team: at home), or the one with the bye or the absence.
    pub red: EntrantNo,
    /// Who played Black (a team: away).
    pub black: Option<EntrantNo>,
    /// Points, Red's first.
    #[serde(with = "pair")]
    pub score: BySide<Points>,
    /// What sort of result it is.
    pub kind: ResultKind,
    /// Fouls noted, Red's first.
    #[serde(with = "pair", default)]
    pub fouls: BySide<u16>,
    /// A team match: what the boards came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boards: Option<BoardTally>,
}

/// The boards of one team match, added up, home first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardTally {
    /// 局分: points on all boards.
    #[serde(with = "pair")]
    pub points: BySide<Points>,
    /// 胜局: boards won.
    #[serde(with = "pair")]
    pub wins: BySide<u16>,
}

impl ResultEntry {
    /// A played game's result.
    #[must_use]
    pub fn played(
        round: RoundNo,
        table: TableNo,
        red: EntrantNo,
        black: EntrantNo,
        score: BySide<Points>,
    ) -> ResultEntry {
        let (table, black) = (Some(table), Some(black));
        let (kind, fouls) = (ResultKind::Played, BySide::both(0));
        ResultEntry { round, table, red, black, score, kind, fouls, boards: None }
    }

    /// A bye's result.
    #[must_use]
    pub fn bye(round: RoundNo, entrant: EntrantNo, points: Points) -> ResultEntry {
        ResultEntry::alone(round, entrant, points, ResultKind::Bye)
    }

    /// An absence without points.
    #[must_use]
    pub fn absent(round: RoundNo, entrant: EntrantNo) -> ResultEntry {
        ResultEntry::alone(round, entrant, Points(0), ResultKind::Absent)
    }

    fn alone(round: RoundNo, red: EntrantNo, points: Points, kind: ResultKind) -> ResultEntry {
        let score = BySide { red: points, black: Points(0) };
        ResultEntry {
            round,
            table: None,
            red,
            black: None,
            score,
            kind,
            fouls: BySide::both(0),
            boards: None,
        }
    }

    /// The one or two entrants, each with the side.
    pub fn entrants(&self) -> impl Iterator<Item = (Side, EntrantNo)> + use<> {
        [Some((Side::Red, self.red)), self.black.map(|black| (Side::Black, black))].into_iter().flatten()
    }
}

/// Two values as `[red, black]`.
mod pair {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use xiangqi::BySide;

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        of: &BySide<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        [&of.red, &of.black].serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BySide<T>, D::Error> {
        let [red, black] = <[T; 2]>::deserialize(deserializer)?;
        Ok(BySide { red, black })
    }
}
