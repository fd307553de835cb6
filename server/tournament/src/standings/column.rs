//! The ladder unrolled: the columns that are compared one after the other.

use serde::Serialize;

use super::Snapshot;
use crate::words::Words;
use crate::{Figure, Ladder, LadderKey, PreviousRound, RoundNo};

/// One column of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    /// A rung as it stands now.
    Now {
        /// The rung.
        key: LadderKey,
    },
    /// A rung as it stood after an earlier round.
    Earlier {
        /// The rung.
        key: LadderKey,
        /// The earlier round.
        after: RoundNo,
    },
    /// 累进分 without the points of the first rounds.
    ProgressiveWithout {
        /// The last round left out.
        first: RoundNo,
    },
    /// 对手分逆减: 对手分 of the opponents of rounds 1 to `until` only.
    OpponentsUntil {
        /// The last round counted.
        until: RoundNo,
    },
}

impl Column {
    /// The heading, which says what it shows.
    #[must_use]
    pub fn heading(self) -> Words {
        match self {
            Column::Now { key } => key.heading(),
            Column::Earlier { key, after } => {
                let Words { zh, en } = key.heading();
                Words::new(format!("第{after}轮后{zh}"), format!("{en} after round {after}"))
            }
            Column::ProgressiveWithout { first: RoundNo(1) } => {
                Words::new("去首轮累进分", "progressive score without round 1")
            }
            Column::ProgressiveWithout { first } => Words::new(
                format!("去前{first}轮累进分"),
                format!("progressive score without rounds 1-{first}"),
            ),
            Column::OpponentsUntil { until } => Words::new(
                format!("前{until}轮对手分"),
                format!("points of the opponents of rounds 1-{until}"),
            ),
        }
    }

    /// The rung of the ladder that the column was unrolled from.
    #[must_use]
    pub fn rung(self) -> LadderKey {
        match self {
            Column::Now { key } => key,
            Column::Earlier { .. } | Column::OpponentsUntil { .. } => LadderKey::PreviousRound,
            Column::ProgressiveWithout { .. } => LadderKey::ProgressiveCut,
        }
    }

    /// The rung whose figures stand in the column.
    #[must_use]
    pub fn key(self) -> LadderKey {
        match self {
            Column::Now { key } | Column::Earlier { key, .. } => key,
            Column::ProgressiveWithout { .. } => LadderKey::Progressive,
            Column::OpponentsUntil { .. } => LadderKey::Opponents,
        }
    }

    /// The figures of a group of equals, in its order; `None` if the column cannot compare this group.
    pub(super) fn figures(self, snapshots: &[Snapshot<'_>], group: &[usize]) -> Option<Vec<Figure>> {
        let now = snapshots.last()?;
        match self {
            Column::Now { key } => figures_at(now, key, group),
            Column::Earlier { key, after } => figures_at(&snapshots[usize::from(after.0)], key, group),
            Column::ProgressiveWithout { first } => {
                Some(group.iter().map(|&place| now.progressive(place, first)).collect())
            }
            Column::OpponentsUntil { until } => {
                Some(group.iter().map(|&place| now.opponents(place, until)).collect())
            }
        }
    }
}

fn figures_at(snapshot: &Snapshot<'_>, key: LadderKey, group: &[usize]) -> Option<Vec<Figure>> {
    if key == LadderKey::Direct {
        snapshot.direct(group)
    } else {
        group.iter().map(|&place| snapshot.figure(key, place)).collect()
    }
}

/// The columns of a ladder after a round.
pub(super) fn unroll(ladder: &Ladder, previous: PreviousRound, after: RoundNo) -> Vec<Column> {
    let mut columns = Vec::new();
    for (place, &key) in ladder.0.iter().enumerate() {
        let earlier_rounds = || (1..after.0).map(RoundNo);
        match key {
            LadderKey::ProgressiveCut => {
                columns.extend(earlier_rounds().map(|first| Column::ProgressiveWithout { first }));
            }
            LadderKey::PreviousRound => {
                let above = ladder.0[..place].iter().filter(|&&key| key != LadderKey::ProgressiveCut);
                match previous {
                    PreviousRound::WholeLadder => columns.extend(
                        earlier_rounds()
                            .rev()
                            .flat_map(|after| above.clone().map(move |&key| Column::Earlier { key, after })),
                    ),
                    PreviousRound::PointsOnly => columns.extend(
                        earlier_rounds().rev().map(|after| Column::Earlier { key: LadderKey::Points, after }),
                    ),
                    PreviousRound::OpponentsDescending => {
                        columns.extend(earlier_rounds().rev().map(|until| Column::OpponentsUntil { until }));
                    }
                }
            }
            LadderKey::Points
            | LadderKey::Opponents
            | LadderKey::Wins
            | LadderKey::Fouls
            | LadderKey::BlackGames
            | LadderKey::BlackWins
            | LadderKey::Progressive
            | LadderKey::Direct
            | LadderKey::Sonneborn
            | LadderKey::BoardPoints
            | LadderKey::BoardWins
            | LadderKey::Place => columns.push(Column::Now { key }),
        }
    }
    columns
}
