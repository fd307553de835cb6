//! 名次: the standing after any round, a pure function of the results. A correction two rounds back changes every later
//! standing and nothing else.
//!
//! The ladder is unrolled into columns. The entrants are split by the first column, each group of equals by the second,
//! and so on; the column at which two neighbours were split is the reason why one ranks above the other.

mod column;
mod figures;

pub use column::Column;

use std::collections::BTreeSet;

use crate::ledger::Ledger;
use crate::words::Words;
use crate::{EntrantNo, Event, Figure, Ladder, LadderKey, RoundNo};
pub(crate) use figures::Snapshot;

/// A standing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The last round counted.
    pub after: RoundNo,
    /// The rungs, which name the figures of each row.
    pub ladder: Ladder,
    /// Best first.
    pub rows: Vec<Row>,
    /// Who has no result yet in the rounds counted: while somebody is here the standing is provisional.
    pub open: Vec<EntrantNo>,
}

/// One entrant in a standing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// 名次. Equals share one.
    pub rank: u16,
    /// Whether another has the same rank: no rung separates them, so lots decide.
    pub shared: bool,
    /// The entrant.
    pub no: EntrantNo,
    /// Its figures, one for each rung. 直胜 has one only where it was compared, 前一轮 never: see [`Row::below`].
    pub figures: Vec<Option<Figure>>,
    /// What puts this entrant below the one before; the first has nothing, and equals have nothing.
    pub below: Option<Decision>,
}

/// Why one entrant ranks above the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The column that separates the two.
    pub column: Column,
    /// The figure of the better.
    pub better: Figure,
    /// The figure of the worse.
    pub worse: Figure,
}

impl Decision {
    /// The reason as a sentence: 对手分 92 > 88.
    #[must_use]
    pub fn words(&self) -> Words {
        let sign = if self.better > self.worse { '>' } else { '<' };
        let heading = self.column.heading();
        let sentence = |heading: &str| format!("{heading} {} {sign} {}", self.better, self.worse);
        Words::new(sentence(&heading.zh), sentence(&heading.en))
    }
}

/// The standing after a round.
#[must_use]
pub fn standings(event: &Event, after: RoundNo) -> Standing {
    let data = event.data();
    let ledger = Ledger::of(event, after);
    let snapshots: Vec<Snapshot<'_>> =
        (0..=after.0).map(|round| Snapshot::new(event, &ledger, RoundNo(round))).collect();
    let ladder = event.ladder();
    let columns = column::unroll(&ladder, data.options.previous_round, after);
    let mut ranking = Ranking::new(&snapshots, &columns, ledger.numbers.len());
    ranking.split((0..ledger.numbers.len()).collect(), 0, None);

    let now = &snapshots[usize::from(after.0)];
    let mut rows: Vec<Row> = Vec::with_capacity(ranking.ranked.len());
    for (place, below) in ranking.ranked {
        let equal = below.is_none() && !rows.is_empty();
        let next = rows.len() as u16 + 1;
        let rank = match rows.last_mut() {
            Some(before) if equal => {
                before.shared = true;
                before.rank
            }
            Some(_) | None => next,
        };
        let figure = |&key: &LadderKey| match now.figure(key, place) {
            None if key == LadderKey::Direct => ranking.direct[place],
            None if key == LadderKey::ProgressiveCut => Some(now.progressive(place, RoundNo(1))),
            figure => figure,
        };
        let figures = ladder.0.iter().map(figure).collect();
        rows.push(Row { rank, shared: equal, no: ledger.numbers[place], figures, below });
    }
    let open: BTreeSet<EntrantNo> = after.up_to().flat_map(|round| event.open(round)).collect();
    Standing { after, ladder, rows, open: open.into_iter().collect() }
}

/// The entrants being split into ever smaller groups of equals.
struct Ranking<'a> {
    snapshots: &'a [Snapshot<'a>],
    columns: &'a [Column],
    /// Best first, each with what puts it below the one before.
    ranked: Vec<(usize, Option<Decision>)>,
    /// 直胜 where it was compared.
    direct: Vec<Option<Figure>>,
}

impl<'a> Ranking<'a> {
    fn new(snapshots: &'a [Snapshot<'a>], columns: &'a [Column], entrants: usize) -> Ranking<'a> {
        Ranking { snapshots, columns, ranked: Vec::with_capacity(entrants), direct: vec![None; entrants] }
    }

    /// Ranks a group of equals by the columns from `from` on. `below` puts the first of them below those ranked before.
    fn split(&mut self, group: Vec<usize>, from: usize, below: Option<Decision>) {
        let split = match group.len() {
            0 | 1 => None,
            _ => (from..self.columns.len()).find_map(|at| Some((at, self.compare(at, &group)?))),
        };
        let Some((at, figures)) = split else {
            // Alone, or equal in every column: by number, with one rank.
            let belows = core::iter::once(below).chain(core::iter::repeat(None));
            self.ranked.extend(group.into_iter().zip(belows));
            return;
        };
        let column = self.columns[at];
        let mut order: Vec<(Figure, usize)> = figures.into_iter().zip(group).collect();
        order.sort_by(|a, b| {
            let better_first = if column.key().fewer_is_better() { a.0.cmp(&b.0) } else { b.0.cmp(&a.0) };
            better_first.then(a.1.cmp(&b.1))
        });
        let mut below = below;
        let mut better = None;
        for equals in order.chunk_by(|a, b| a.0 == b.0) {
            let worse = equals[0].0;
            let below = match better {
                None => below.take(),
                Some(better) => Some(Decision { column, better, worse }),
            };
            better = Some(worse);
            self.split(equals.iter().map(|&(_, place)| place).collect(), at + 1, below);
        }
    }

    /// The group's figures in a column, if they differ.
    fn compare(&mut self, at: usize, group: &[usize]) -> Option<Vec<Figure>> {
        let figures = self.columns[at].figures(self.snapshots, group)?;
        if self.columns[at] == (Column::Now { key: LadderKey::Direct }) {
            for (&place, &figure) in group.iter().zip(&figures) {
                self.direct[place] = Some(figure);
            }
        }
        figures.iter().any(|&figure| figure != figures[0]).then_some(figures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four players, two rounds; 1 and 2 draw, then both win.
    fn event(ladder: &str) -> Event {
        Event::from_json(&format!(
            r#"{{"rounds":3,"ladder":{ladder},
            "entrants":[{{"no":1,"name":"A"}},{{"no":2,"name":"B"}},{{"no":3,"name":"C"}},{{"no":4,"name":"D"}}],
            "results":[
            {{"round":1,"table":1,"red":1,"black":2,"score":[1,1],"kind":"played"}},
            {{"round":1,"table":2,"red":4,"black":3,"score":[0,2],"kind":"played","fouls":[1,0]}},
            {{"round":2,"table":1,"red":3,"black":1,"score":[0,2],"kind":"played"}},
            {{"round":2,"table":2,"red":2,"black":4,"score":[2,0],"kind":"played"}}]}}"#
        ))
        .unwrap()
    }

    fn ranks(standing: &Standing) -> Vec<(u16, u16)> {
        standing.rows.iter().map(|row| (row.rank, row.no.0)).collect()
    }

    #[test]
    fn opponents_count_with_the_points_they_have_now() {
        let standing = standings(&event(r#"["points","opponents"]"#), RoundNo(2));
        assert_eq!(ranks(&standing), [(1, 1), (2, 2), (3, 3), (4, 4)]);
        let figures: Vec<_> = standing.rows.iter().map(|row| row.figures[1].unwrap().to_string()).collect();
        // 1 met 2 and 3 (3 + 2), 2 met 1 and 4 (3 + 0), 3 met 4 and 1 (0 + 3), 4 met 3 and 2 (2 + 3).
        assert_eq!(figures, ["5", "3", "3", "5"]);
        let below = standing.rows[1].below.clone().unwrap();
        assert_eq!(below.words().zh, "对手分 5 > 3");
        assert_eq!(below.words().en, "opponents' points 5 > 3");
    }

    #[test]
    fn those_whom_nothing_separates_share_a_rank() {
        let standing = standings(&event(r#"["points"]"#), RoundNo(2));
        assert_eq!(ranks(&standing), [(1, 1), (1, 2), (3, 3), (4, 4)]);
        assert!(standing.rows[0].shared && standing.rows[1].shared && !standing.rows[2].shared);
    }

    #[test]
    fn the_previous_round_is_the_whole_ladder_as_it_stood_then() {
        let standing = standings(&event(r#"["points","wins","previous_round"]"#), RoundNo(2));
        assert_eq!(ranks(&standing)[..2], [(1, 1), (1, 2)], "equal after round 1 too");
        let standing = standings(&event(r#"["wins","previous_round"]"#), RoundNo(2));
        assert_eq!(ranks(&standing), [(1, 3), (2, 1), (2, 2), (4, 4)]);
        let below = standing.rows[1].below.clone().unwrap();
        assert_eq!(below.column, Column::Earlier { key: LadderKey::Wins, after: RoundNo(1) });
        assert_eq!(below.words().zh, "第1轮后胜局 1 > 0");
    }

    #[test]
    fn fewer_fouls_rank_first() {
        let standing = standings(&event(r#"["fouls"]"#), RoundNo(2));
        assert_eq!(ranks(&standing).last(), Some(&(4, 4)));
        assert_eq!(standing.rows[3].below.clone().unwrap().words().en, "fouls 0 < 1");
    }

    #[test]
    fn an_earlier_standing_ignores_later_rounds() {
        let standing = standings(&event(r#"["points"]"#), RoundNo(1));
        assert_eq!(ranks(&standing), [(1, 3), (2, 1), (2, 2), (4, 4)]);
    }
}
