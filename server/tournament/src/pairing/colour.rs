//! 先后走: who of a pair plays Red (a team: at home).

use xiangqi::Side;

use super::card::Card;
use crate::{EntrantNo, RoundNo, TableNo};

/// Why the colours were given as they were, in the order in which the rules are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourRule {
    /// Another game with this colour would be the entrant's third in a row.
    ThirdInRow(EntrantNo),
    /// The entrant has had one colour more often than the opponent has.
    Surplus(EntrantNo),
    /// The entrant's last colour alternates.
    Alternates(EntrantNo),
    /// The two had different colours in this round; they change.
    ChangesFrom(RoundNo),
    /// No history decides: the smaller number has Red on odd tables, the larger on even ones.
    TableParity,
    /// The same, by the pair's place in its group, whose tables do not begin at 1.
    OrderParity,
}

/// Who of the two plays Red, and why.
pub(crate) fn decide(a: &Card, b: &Card, table: TableNo) -> (EntrantNo, ColourRule) {
    let gets = |who: &Card, side: Side, rule: ColourRule| {
        let other = if who.no == a.no { b } else { a };
        (if side == Side::Red { who.no } else { other.no }, rule)
    };
    let (twice_a, twice_b) = (a.twice_running(), b.twice_running());
    match (twice_a, twice_b) {
        (Some(side), other) if other != Some(side) => {
            return gets(a, side.opposite(), ColourRule::ThirdInRow(a.no));
        }
        (None, Some(side)) => return gets(b, side.opposite(), ColourRule::ThirdInRow(b.no)),
        (Some(_) | None, _) => {}
    }
    let (surplus_a, surplus_b) = (a.surplus(), b.surplus());
    if surplus_a != surplus_b {
        // The larger surplus of the two, of either colour, is the one that is mended.
        let who = if surplus_a.abs() >= surplus_b.abs() { a } else { b };
        let side = if surplus_a < surplus_b { Side::Red } else { Side::Black };
        return gets(a, side, ColourRule::Surplus(who.no));
    }
    match (a.last_colour(), b.last_colour()) {
        (Some(last), other) if other != Some(last) => {
            return gets(a, last.opposite(), ColourRule::Alternates(a.no));
        }
        (None, Some(last)) => return gets(b, last.opposite(), ColourRule::Alternates(b.no)),
        (Some(_) | None, _) => {}
    }
    let colour_of_b = |round: RoundNo| b.colours.iter().find(|&&(of, _)| of == round).map(|&(_, side)| side);
    let differed = a.colours.iter().rev().find(|&&(round, side)| colour_of_b(round) == Some(side.opposite()));
    if let Some(&(round, side)) = differed {
        return gets(a, side.opposite(), ColourRule::ChangesFrom(round));
    }
    let (smaller, larger) = (a.no.min(b.no), a.no.max(b.no));
    (if table.0 % 2 == 1 { smaller } else { larger }, ColourRule::TableParity)
}
