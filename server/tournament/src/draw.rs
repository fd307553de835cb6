//! 抽签: the draw of numbers. The seed comes in as an argument and is printed with the record, so anyone can draw again.

use crate::EntrantNo;

/// Draws the numbers 1 to N at random. The answer is in the order of the numbers drawn.
///
/// ```
/// use tournament::{EntrantNo, draw_numbers};
/// let drawn = draw_numbers(vec!["甲", "乙", "丙"], 7);
/// assert_eq!(drawn[0].0, EntrantNo(1));
/// assert_eq!(drawn, draw_numbers(vec!["甲", "乙", "丙"], 7));
/// ```
#[must_use]
pub fn draw_numbers<T>(names: Vec<T>, seed: u64) -> Vec<(EntrantNo, T)> {
    let mut names = names;
    shuffle(&mut names, &mut Dice::new(seed));
    names.into_iter().zip(1..).map(|(name, no)| (EntrantNo(no), name)).collect()
}

/// 分档抽签: the upper half of a ranked list draws the odd numbers, the lower half the even ones. With an odd field the
/// upper half is the larger one.
#[must_use]
pub fn draw_halves<T>(ranked: Vec<T>, seed: u64) -> Vec<(EntrantNo, T)> {
    let mut dice = Dice::new(seed);
    let mut upper = ranked;
    let mut lower = upper.split_off(upper.len().div_ceil(2));
    shuffle(&mut upper, &mut dice);
    shuffle(&mut lower, &mut dice);
    let odd = (1..).step_by(2).zip(upper);
    let even = (2..).step_by(2).zip(lower);
    let mut drawn: Vec<(EntrantNo, T)> = odd.chain(even).map(|(no, name)| (EntrantNo(no), name)).collect();
    drawn.sort_by_key(|(no, _)| *no);
    drawn
}

/// Fisher and Yates.
pub(crate) fn shuffle<T>(items: &mut [T], dice: &mut Dice) {
    for last in (1..items.len()).rev() {
        items.swap(last, dice.below(last as u64 + 1) as usize);
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, well mixed, and the same on every machine for ever.
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, each equally likely: throws outside the largest multiple of `n` are thrown again.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        let fair = u64::MAX - u64::MAX % n;
        loop {
            let throw = self.next();
            if throw < fair {
                return throw % n;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_number_is_drawn_once() {
        let drawn = draw_numbers((0..60).collect(), 1);
        assert_eq!(drawn.iter().map(|(no, _)| no.0).collect::<Vec<_>>(), (1..=60).collect::<Vec<_>>());
        assert_eq!(drawn.iter().map(|(_, name)| *name).collect::<BTreeSet<_>>().len(), 60);
        assert_ne!(draw_numbers((0..60).collect(), 1), draw_numbers((0..60).collect(), 2));
    }

    #[test]
    fn each_of_three_draws_each_number_about_as_often() {
        let mut first = [0; 3];
        for seed in 0..3000 {
            first[draw_numbers(vec![0, 1, 2], seed)[0].1] += 1;
        }
        assert!(first.iter().all(|&n| (900..1100).contains(&n)), "{first:?}");
    }

    #[test]
    fn the_upper_half_draws_odd_numbers() {
        for (no, place) in draw_halves((0..9).collect(), 5) {
            assert_eq!(no.0 % 2 == 1, place < 5, "{no} drawn by place {place}");
        }
    }
}
