//! 积分编排制, rounds 2 and later.

use super::card::Card;
use super::{Pairing, PairingError, Reason, seat};
use crate::{Event, RoundNo, TableNo};

/// Pairs the cards, which are in list order.
pub(super) fn pair(
    _event: &Event,
    round: RoundNo,
    mut cards: Vec<Card>,
) -> Result<Vec<Pairing>, PairingError> {
    let stuck = PairingError::Impossible { round, stuck: cards.iter().map(|card| card.no).collect() };
    let bye = if cards.len() % 2 == 1 {
        let last = cards.iter().rposition(|card| !card.barred_from_bye).unwrap_or(cards.len() - 1);
        Some(cards.remove(last))
    } else {
        None
    };
    let mut free: Vec<usize> = (0..cards.len()).collect();
    let mut pairs = Vec::new();
    if !search(&cards, &mut free, &mut pairs, &mut 1_000_000) {
        return Err(stuck);
    }
    pairs.sort_by_key(|&(a, b)| core::cmp::Reverse((cards[a].score, cards[a].score + cards[b].score)));
    let mut pairings: Vec<Pairing> = Vec::new();
    for (&(a, b), table) in pairs.iter().zip(1..) {
        pairings.push(seat(&cards[a], &cards[b], TableNo(table), vec![Reason::SameScore(cards[a].score)]));
    }
    let table = TableNo(pairings.len() as u16 + 1);
    pairings.extend(bye.map(|card| Pairing {
        table,
        red: card.no,
        black: None,
        reasons: vec![Reason::Bye { score: card.score, passed_over: Vec::new() }],
    }));
    Ok(pairings)
}

fn search(cards: &[Card], free: &mut Vec<usize>, pairs: &mut Vec<(usize, usize)>, budget: &mut u32) -> bool {
    let Some(&a) = free.first() else { return true };
    for place in 1..free.len() {
        let b = free[place];
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        if cards[a].met.contains(&cards[b].no) || cards[a].forbidden.contains(&cards[b].no) {
            continue;
        }
        let mut rest: Vec<usize> = free.iter().copied().filter(|&c| c != a && c != b).collect();
        pairs.push((a, b));
        if search(cards, &mut rest, pairs, budget) {
            return true;
        }
        pairs.pop();
    }
    false
}
