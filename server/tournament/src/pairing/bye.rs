//! Who has the bye 轮空, and what is done where no complete pairing without a rematch exists.

use super::card::Card;
use super::complete::{Pairs, complete};
use super::field::Field;
use super::segments::{MOST_FIGURES, completable};
use crate::matching::{Cost, Stuck};
use crate::{Event, RoundNo};

/// The place of the one who has the bye: of the lowest score the last in the list who has not had one, or the next above
/// without whom the rest can be paired. `None`: there is no complete pairing without a rematch, whoever has it.
pub(super) fn choose(event: &Event, round: RoundNo, cards: &[Card], field: &Field<'_>) -> Option<usize> {
    let last = cards.iter().rposition(|card| !card.barred_from_bye);
    if let Some(last) = last {
        let rest = cards.iter().enumerate().filter(|&(place, _)| place != last).map(|(_, card)| card);
        if completable(&Field::new(event, round, rest.collect()), 0..cards.len() - 1) {
            return Some(last);
        }
    }
    let mates = complete(&WithBye { cards, field }).ok()?;
    mates.last().copied()
}

/// The field and, as one more to be paired, the bye.
struct WithBye<'a> {
    cards: &'a [Card],
    field: &'a Field<'a>,
}

impl Pairs<2> for WithBye<'_> {
    fn size(&self) -> usize {
        self.cards.len() + 1
    }

    fn cost(&self, a: usize, b: usize) -> Cost<2> {
        if a.max(b) < self.cards.len() {
            return Cost::ZERO;
        }
        Cost(bye_figures(self.cards, a.min(b)))
    }

    fn allowed(&self, a: usize, b: usize) -> bool {
        a.max(b) == self.cards.len() || self.field.can_meet(a, b)
    }

    fn likely(&self) -> Vec<(usize, usize)> {
        likely_with_bye(self.cards.len())
    }
}

/// A second bye, and how far up the list the bye is.
fn bye_figures(cards: &[Card], place: usize) -> [i64; 2] {
    [i64::from(cards[place].barred_from_bye), (cards.len() - 1 - place) as i64]
}

fn likely_with_bye(size: usize) -> Vec<(usize, usize)> {
    let near = (0..size).flat_map(|a| (a + 1..size.min(a + 12)).map(move |b| (a, b)));
    near.chain((0..size).map(|place| (place, size))).collect()
}

/// The pairs, and the place of the bye, where rematches are allowed and weigh most.
pub(super) type WithRematches = (Vec<(usize, usize)>, Option<usize>);

/// The best pairing with as few rematches as there must be.
pub(super) fn with_rematches(cards: &[Card], field: &Field<'_>) -> Result<WithRematches, Stuck> {
    match field.layers.len() + 6 {
        0..=16 => forced::<16>(cards, field),
        _ => forced::<MOST_FIGURES>(cards, field),
    }
}

fn forced<const W: usize>(cards: &[Card], field: &Field<'_>) -> Result<WithRematches, Stuck> {
    let mates = complete::<W>(&Forced { cards, field })?;
    let upper = mates.iter().enumerate().filter(|&(place, &mate)| place < mate);
    let (byes, pairs): (Vec<_>, Vec<_>) =
        upper.map(|(place, &mate)| (place, mate)).partition(|&(_, mate)| mate == cards.len());
    Ok((pairs, byes.first().map(|&(place, _)| place)))
}

/// The field, and the bye if it is odd.
struct Forced<'a> {
    cards: &'a [Card],
    field: &'a Field<'a>,
}

impl<const W: usize> Pairs<W> for Forced<'_> {
    fn size(&self) -> usize {
        self.cards.len().next_multiple_of(2)
    }

    fn cost(&self, a: usize, b: usize) -> Cost<W> {
        let (upper, lower) = (a.min(b), a.max(b));
        let mut cost = Cost::ZERO;
        if lower == self.cards.len() {
            cost.0[1..3].copy_from_slice(&bye_figures(self.cards, upper));
            return cost;
        }
        cost.0[0] = i64::from(self.field.has_met(upper, lower));
        let step = (3 + self.field.layer(upper)).min(W - 4);
        cost.0[step] = self.field.score(upper) - self.field.score(lower);
        cost.0[W - 3..].copy_from_slice(&self.field.quality(upper, lower));
        cost
    }

    fn allowed(&self, a: usize, b: usize) -> bool {
        a.max(b) == self.cards.len() || self.field.may_meet(a, b)
    }

    fn likely(&self) -> Vec<(usize, usize)> {
        let size = self.cards.len();
        let mut pairs = likely_with_bye(size);
        pairs.retain(|&(_, b)| b < <Self as Pairs<W>>::size(self));
        pairs
    }
}
