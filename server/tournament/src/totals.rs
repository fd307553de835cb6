//! 团体总分 of an individual event: the members' figures added up, by the individuals' ladder.
//!
//! Regulation A ranks a team by 团体队员的分值总和 and leaves ties open. Here they go by the sums of 对手分 and of 胜局, then by the
//! best member's rank. A team that lacks a member keeps what the others made.

use crate::standings::Standing;
use crate::{EntrantNo, Figure, LadderKey};

/// One team's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamTotal<T> {
    /// The team.
    pub team: T,
    /// 名次; equals share one.
    pub rank: u16,
    /// Sum of the members' 积分.
    pub points: Figure,
    /// Sum of their 对手分.
    pub opponents: Figure,
    /// Sum of their 胜局.
    pub wins: Figure,
    /// The best member's rank.
    pub best: u16,
    /// The members who are in the standing, best first.
    pub members: Vec<EntrantNo>,
}

/// The teams of an individual event, best first. A team without a member in the standing is left out.
#[must_use]
pub fn team_totals<T>(
    standing: &Standing,
    teams: impl IntoIterator<Item = (T, Vec<EntrantNo>)>,
) -> Vec<TeamTotal<T>> {
    let column = |key: LadderKey| standing.ladder.0.iter().position(|&rung| rung == key);
    let of_team = |(team, members): (T, Vec<EntrantNo>)| {
        let rows: Vec<_> = standing.rows.iter().filter(|row| members.contains(&row.no)).collect();
        let sum = |key| {
            let column = column(key);
            rows.iter().filter_map(|row| row.figures[column?]).sum::<Figure>()
        };
        Some(TeamTotal {
            team,
            rank: 0,
            points: sum(LadderKey::Points),
            opponents: sum(LadderKey::Opponents),
            wins: sum(LadderKey::Wins),
            best: rows.first()?.rank,
            members: rows.iter().map(|row| row.no).collect(),
        })
    };
    let mut totals: Vec<TeamTotal<T>> = teams.into_iter().filter_map(of_team).collect();
    let key = |total: &TeamTotal<T>| {
        let more_first = [total.points, total.opponents, total.wins].map(core::cmp::Reverse);
        (more_first, total.best)
    };
    totals.sort_by_key(key);
    for place in 0..totals.len() {
        let equal = place > 0 && key(&totals[place]) == key(&totals[place - 1]);
        totals[place].rank = if equal { totals[place - 1].rank } else { place as u16 + 1 };
    }
    totals
}

#[cfg(test)]
mod tests {
    use xiangqi::BySide;

    use super::*;
    use crate::{Entrant, Event, EventData, Points, ResultEntry, RoundNo, TableNo, standings};

    #[test]
    fn a_team_has_what_its_members_have() {
        let entrants = (1..=6).map(|no| Entrant::new(EntrantNo(no), format!("P{no}"), "")).collect();
        let mut event = Event::new(EventData { rounds: 1, entrants, ..EventData::default() }).unwrap();
        for (table, red, black, score) in [(1, 1, 2, [2, 0]), (2, 4, 3, [1, 1]), (3, 5, 6, [2, 0])] {
            let score = BySide { red: Points(score[0]), black: Points(score[1]) };
            let game =
                ResultEntry::played(RoundNo(1), TableNo(table), EntrantNo(red), EntrantNo(black), score);
            event.record(game).unwrap();
        }
        let standing = standings(&event, RoundNo(1));
        let teams = [("north", vec![1, 3]), ("south", vec![2, 4]), ("east", vec![5, 6]), ("nobody", vec![9])];
        let numbered = teams.map(|(team, members)| (team, members.into_iter().map(EntrantNo).collect()));
        let totals = team_totals(&standing, numbered);
        let line: Vec<_> = totals.iter().map(|t| (t.rank, t.team, t.points.to_string())).collect();
        assert_eq!(line, [(1, "north", "3".into()), (2, "east", "2".into()), (3, "south", "1".into())]);
        assert_eq!(totals[0].members, [EntrantNo(1), EntrantNo(3)]);
    }
}
