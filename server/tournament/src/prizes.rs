//! 奖金: who gets which prize (R-65 to R-69). Equals share: the amounts of the places that they take are added up and
//! divided among them. A list says too who was equal to a prize winner and got nothing (F63). Where each person may have one prize
//! only, the best counts.

use core::cmp::Reverse;
use core::fmt;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An amount in 分, hundredths of a yuan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(pub u64);

impl Money {
    /// Whole yuan.
    #[must_use]
    pub const fn yuan(yuan: u64) -> Money {
        Money(yuan * 100)
    }
}

impl core::ops::Add for Money {
    type Output = Money;

    fn add(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }
}

impl core::iter::Sum for Money {
    fn sum<I: Iterator<Item = Money>>(all: I) -> Money {
        all.fold(Money(0), core::ops::Add::add)
    }
}

/// Whole yuan without a point, else with two digits after it.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (yuan, fen) = (self.0 / 100, self.0 % 100);
        if fen == 0 { f.pad(&yuan.to_string()) } else { f.pad(&format!("{yuan}.{fen:02}")) }
    }
}

impl core::str::FromStr for Money {
    type Err = MoneyError;

    /// Reads `300`, `0.5` or `12.34`, in yuan.
    fn from_str(text: &str) -> Result<Money, MoneyError> {
        let wrong = || MoneyError(text.to_owned());
        let text = text.trim().trim_end_matches('元');
        let (yuan, fen) = text.split_once('.').unwrap_or((text, ""));
        if fen.len() > 2 || !fen.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(wrong());
        }
        let yuan: u64 = yuan.parse().map_err(|_| wrong())?;
        let fen: u64 = format!("{fen:0<2}").parse().map_err(|_| wrong())?;
        yuan.checked_mul(100).and_then(|all| all.checked_add(fen)).map(Money).ok_or_else(wrong)
    }
}

/// The text is no amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is no amount: write yuan, such as 300 or 12.50")]
pub struct MoneyError(String);

/// Down to which unit a share is rounded; what is left over goes to nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// 分.
    #[default]
    Fen,
    /// 元.
    Yuan,
}

/// One prize won, or missed by a hair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Award<T> {
    /// Whose.
    pub who: T,
    /// The place, shared by equals.
    pub rank: u16,
    /// How much; nothing for an equal who comes away empty-handed.
    pub amount: Money,
    /// How many share it with this one.
    pub shared_with: u16,
}

/// Gives prizes to a ranking: `ranked` in order, each with the rank (equals have the same); `amounts` for places 1, 2, 3, …
///
/// Equals share the sum of the places that they take, as far as there are prizes for them.
///
/// ```
/// use tournament::{Money, Rounding, give_prizes};
/// let amounts = [600, 300].map(Money::yuan);
/// let awards = give_prizes([("甲", 1), ("乙", 1), ("丙", 3)], &amounts, Rounding::Fen);
/// assert_eq!(awards.iter().map(|award| award.amount.to_string()).collect::<Vec<_>>(), ["450", "450"]);
/// ```
pub fn give_prizes<T>(
    ranked: impl IntoIterator<Item = (T, u16)>,
    amounts: &[Money],
    rounding: Rounding,
) -> Vec<Award<T>> {
    let mut awards: Vec<Award<T>> = Vec::new();
    let mut group: Vec<T> = Vec::new();
    let mut rank_of_group = 0;
    let mut places = amounts.iter().copied();
    let mut give = |group: &mut Vec<T>, rank: u16| {
        let taken: Vec<Money> = places.by_ref().take(group.len()).collect();
        if taken.is_empty() {
            return;
        }
        let sum: Money = taken.iter().copied().sum();
        let unit = match rounding {
            Rounding::Fen => 1,
            Rounding::Yuan => 100,
        };
        let share = Money(sum.0 / group.len() as u64 / unit * unit);
        let shared_with = group.len() as u16 - 1;
        awards.extend(group.drain(..).map(|who| Award { who, rank, amount: share, shared_with }));
    };
    for (who, rank) in ranked {
        if rank != rank_of_group && !group.is_empty() {
            give(&mut group, rank_of_group);
            group.clear();
        }
        rank_of_group = rank;
        group.push(who);
    }
    if !group.is_empty() {
        give(&mut group, rank_of_group);
    }
    awards
}

/// One list of prizes with those who may win them.
#[derive(Clone, Debug)]
pub struct Contest<'a, T, P> {
    /// In order: who, the person that he is (a team is none), the rank.
    pub ranked: Vec<(T, Option<P>, u16)>,
    /// Amounts of places 1, 2, 3, …
    pub amounts: &'a [Money],
    /// How shares are rounded.
    pub rounding: Rounding,
}

/// Gives the prizes of several lists, but one to each person: the best counts, of equal ones that of the earlier list. Who has
/// a better one elsewhere drops out of a list, and those behind move up.
///
/// The largest prize still to be given goes first, so that nobody drops out of a list for less than he would have had there.
pub fn give_one_prize_each<T: Clone, P: Ord + Clone>(lists: &[Contest<'_, T, P>]) -> Vec<Vec<Award<T>>> {
    let mut has: BTreeMap<P, usize> = BTreeMap::new();
    loop {
        let awards: Vec<_> = lists.iter().enumerate().map(|(at, list)| given(list, at, &has)).collect();
        let open = awards.iter().enumerate().flat_map(|(at, list)| list.iter().map(move |award| (at, award)));
        let open = open.filter_map(|(at, award)| Some((award.amount, at, award.who.1.as_ref()?)));
        let best = open
            .filter(|(amount, _, person)| *amount > Money(0) && !has.contains_key(*person))
            .max_by_key(|(amount, at, _)| (*amount, Reverse(*at)));
        match best {
            Some((_, at, person)) => {
                has.insert(person.clone(), at);
            }
            None => {
                let plain = |award: Award<(T, Option<P>)>| Award {
                    who: award.who.0,
                    rank: award.rank,
                    amount: award.amount,
                    shared_with: award.shared_with,
                };
                return awards.into_iter().map(|list| list.into_iter().map(plain).collect()).collect();
            }
        }
    }
}

/// The awards of the list numbered `at` among those who have no prize in another.
fn given<T: Clone, P: Ord + Clone>(
    list: &Contest<'_, T, P>,
    at: usize,
    has: &BTreeMap<P, usize>,
) -> Vec<Award<(T, Option<P>)>> {
    let stays =
        |person: &Option<P>| person.as_ref().and_then(|person| has.get(person)).is_none_or(|of| *of == at);
    let left = list.ranked.iter().filter(|(_, person, _)| stays(person));
    let left = left.map(|(who, person, rank)| ((who.clone(), person.clone()), *rank));
    give_prizes(close_ranks(left), list.amounts, list.rounding)
}

/// Ranks among those who are left of a ranking: 1, 2, 2, 4.
pub fn close_ranks<T>(ranked: impl IntoIterator<Item = (T, u16)>) -> Vec<(T, u16)> {
    let mut closed: Vec<(T, u16)> = Vec::new();
    let mut before = None;
    for (who, rank) in ranked {
        let closed_rank = match (before, closed.last()) {
            (Some(before), Some((_, last))) if before == rank => *last,
            (_, _) => closed.len() as u16 + 1,
        };
        before = Some(rank);
        closed.push((who, closed_rank));
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(ranks: &[u16], amounts: &[u64], rounding: Rounding) -> Vec<String> {
        let amounts: Vec<Money> = amounts.iter().copied().map(Money::yuan).collect();
        let ranked = ranks.iter().map(|&rank| ((), rank));
        give_prizes(ranked, &amounts, rounding).iter().map(|award| award.amount.to_string()).collect()
    }

    #[test]
    fn equals_share_the_sum_of_their_places() {
        assert_eq!(shares(&[1, 2, 2, 4], &[500, 400, 300], Rounding::Fen), ["500", "350", "350"]);
    }

    #[test]
    fn equals_at_the_last_prize_share_it_however_many_they_are() {
        assert_eq!(shares(&[1, 2, 2, 2], &[600, 100], Rounding::Fen), ["600", "33.33", "33.33", "33.33"]);
        assert_eq!(shares(&[1, 2, 2, 2], &[600, 100], Rounding::Yuan), ["600", "33", "33", "33"]);
        assert_eq!(shares(&[1, 1, 1, 1], &[600], Rounding::Yuan), ["150"; 4]);
    }

    #[test]
    fn regulation_b_gives_53500_to_twelve_teams() {
        let amounts = [15_000, 10_000, 8_000, 6_000, 4_000, 3_000, 2_000, 1_500, 1_000, 1_000, 1_000, 1_000];
        let ranks: Vec<u16> = (1..=24).collect();
        let given =
            give_prizes(ranks.iter().map(|&rank| (rank, rank)), &amounts.map(Money::yuan), Rounding::Fen);
        assert_eq!(given.len(), 12);
        assert_eq!(given.iter().map(|award| award.amount).sum::<Money>(), Money::yuan(53_500));
    }

    /// Names with their ranks, and amounts in yuan.
    type List<'a> = (&'a [(&'static str, u16)], &'a [u64]);

    fn one_each(lists: &[List<'_>]) -> Vec<Vec<(&'static str, u16, u64)>> {
        let amounts: Vec<Vec<Money>> =
            lists.iter().map(|(_, amounts)| amounts.iter().copied().map(Money::yuan).collect()).collect();
        let contest = |((ranked, _), amounts)| {
            let ranked: &[(&'static str, u16)] = ranked;
            let amounts: &Vec<Money> = amounts;
            let ranked = ranked.iter().map(|&(name, rank)| (name, Some(name), rank)).collect();
            Contest { ranked, amounts, rounding: Rounding::Fen }
        };
        let contests: Vec<_> = lists.iter().copied().zip(&amounts).map(contest).collect();
        let short = |award: &Award<&'static str>| (award.who, award.rank, award.amount.0 / 100);
        give_one_prize_each(&contests).iter().map(|list| list.iter().map(short).collect()).collect()
    }

    #[test]
    fn of_two_prizes_the_better_counts_and_the_others_move_up() {
        // 甲 is first of all and first of the members; 乙 is third of all but then first of the members.
        let all: &[_] = &[("甲", 1), ("丙", 2), ("乙", 3)];
        let members: &[_] = &[("甲", 1), ("乙", 2), ("丁", 3)];
        assert_eq!(
            one_each(&[(all, &[1000, 500, 100]), (members, &[300, 200])]),
            [vec![("甲", 1, 1000), ("丙", 2, 500)], vec![("乙", 1, 300), ("丁", 2, 200)]]
        );
    }

    #[test]
    fn of_two_equal_prizes_the_earlier_list_counts() {
        let list: &[_] = &[("甲", 1), ("乙", 2)];
        assert_eq!(one_each(&[(list, &[300]), (list, &[300])]), [vec![("甲", 1, 300)], vec![("乙", 1, 300)]]);
    }

    #[test]
    fn an_equal_who_wins_elsewhere_leaves_the_whole_prize_to_the_other() {
        let shared: &[_] = &[("甲", 1), ("乙", 1)];
        let best: &[_] = &[("甲", 1)];
        assert_eq!(
            one_each(&[(shared, &[600]), (best, &[500])]),
            [vec![("乙", 1, 600)], vec![("甲", 1, 500)]]
        );
    }

    #[test]
    fn nobody_has_two_prizes_and_nobody_would_rather_have_another() {
        let mut dice = crate::draw::Dice::new(5);
        for _ in 0..500 {
            let people = 3 + dice.below(8) as u32;
            let amounts: Vec<Vec<Money>> = (0..3)
                .map(|_| {
                    let mut of: Vec<_> =
                        (0..1 + dice.below(4)).map(|_| Money::yuan(1 + dice.below(9))).collect();
                    of.sort_unstable_by_key(|amount| Reverse(*amount));
                    of
                })
                .collect();
            let lists: Vec<Contest<'_, u32, u32>> = amounts
                .iter()
                .map(|amounts| {
                    let mut order: Vec<u32> = (0..people).filter(|_| dice.below(3) > 0).collect();
                    crate::draw::shuffle(&mut order, &mut dice);
                    let ranked = order.into_iter().zip(1..).map(|(no, rank)| (no, Some(no), rank)).collect();
                    Contest { ranked, amounts, rounding: Rounding::Fen }
                })
                .collect();
            let given = give_one_prize_each(&lists);
            let mut has: BTreeMap<u32, Money> = BTreeMap::new();
            for award in given.iter().flatten() {
                assert_eq!(has.insert(award.who, award.amount), None, "two prizes");
            }
            // Who stands above a winner in his list has a prize at least as good, there or elsewhere.
            for (list, awards) in lists.iter().zip(&given) {
                for award in awards {
                    let above = list.ranked.iter().take_while(|(no, ..)| *no != award.who);
                    for (no, ..) in above {
                        assert!(has.get(no).is_some_and(|own| *own >= award.amount), "{no} goes without");
                    }
                }
            }
        }
    }

    #[test]
    fn fewer_entrants_than_prizes_leave_prizes_over() {
        assert_eq!(shares(&[1], &[500, 400], Rounding::Fen), ["500"]);
        assert!(shares(&[], &[500], Rounding::Fen).is_empty());
    }

    #[test]
    fn amounts_are_read_in_yuan() {
        let read = |text: &str| text.parse::<Money>();
        assert_eq!(read("300"), Ok(Money::yuan(300)));
        assert_eq!(read("12.5元"), Ok(Money(1_250)));
        assert_eq!(read("0.05"), Ok(Money(5)));
        for wrong in ["", "-1", "1.234", "三百", "1.+2", "99999999999999999999"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
