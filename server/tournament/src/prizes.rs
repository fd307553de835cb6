//! 奖金: who gets which prize (R-65 to R-69). Equals share: the amounts of the places that they take are added up and
//! divided among them. A list says too who was equal to a prize winner and got nothing (F63).

use serde::{Deserialize, Serialize};

use core::fmt;

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
