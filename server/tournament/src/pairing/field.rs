//! The field to be paired: the cards in list order, with what decides between two pairings of them.
//!
//! A pairing is better than another if it is better in the first of these in which they differ:
//!
//! 1. fewer rematches, then fewer second byes; then the bye goes as far down the list as it can;
//! 2. the sum of the score differences of the pairs, by the score of the higher of the two, the highest score first;
//! 3. fewer pairs that were paired before but did not play;
//! 4. fewer pairs in which somebody gets a third colour in a row, or a surplus of three;
//! 5. fewer pairs of two who are both strongly due the same colour; then fewer in which both are due the same at all;
//! 6. fewer entrants who float the same way as in the last round;
//! 7. neighbours in the list meet: the sum of the squares of the distances (pattern `half`: of the distances from half the
//!    score's number of entrants).

use std::collections::BTreeMap;
use std::ops::Range;

use xiangqi::{BySide, Side};

use super::card::{Card, Due, Float};
use crate::{EntrantNo, Event, Pattern, RoundNo, ThirdColour};

/// Criteria 3 to 7 of one pair, weightiest first: 3 and 4, 5 and 6, 7. The two or three counts of one figure are kept
/// apart by factors of [`APART`].
pub(super) type Quality = [i64; 3];

/// More than any count of a round can come to, so that sums of counts do not run into one another. Three counts and the
/// duals of a matching (at most as many times as large as there are entrants, 2^16) fit into 63 bits.
pub(super) const APART: i64 = 1 << 20;

/// Whether a segment of this many is small enough to compare distances exactly. In larger ones criterion 7 is met only so
/// far that each entrant, from the top of the list, takes the nearest free partner where the others allow it.
pub(super) const fn compares_distances(size: usize) -> bool {
    size <= 200
}

/// Cards in list order, and the rules for pairs of them.
pub(super) struct Field<'a> {
    pub cards: Vec<&'a Card>,
    players: Vec<Player>,
    /// The scores, highest first, each with its places in the list.
    pub layers: Vec<Range<usize>>,
    pattern: Pattern,
    third: Third,
}

/// What the event makes of third colours in this round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Third {
    Counts,
    Forbidden,
    Ignored,
}

/// A card, prepared for comparing millions of pairs.
struct Player {
    score: i64,
    layer: usize,
    due: Due,
    overdone: BySide<bool>,
    floated: Option<Float>,
    /// Places of those it has met.
    met: Vec<usize>,
    /// Places of those the organiser forbids.
    forbidden: Vec<usize>,
    /// Places of those it was paired with without playing.
    missed: Vec<usize>,
}

impl<'a> Field<'a> {
    /// Cards that stand in list order.
    pub fn new(event: &Event, round: RoundNo, cards: Vec<&'a Card>) -> Field<'a> {
        let place_of: BTreeMap<EntrantNo, usize> = cards.iter().map(|card| card.no).zip(0..).collect();
        let mut layers: Vec<Range<usize>> = Vec::new();
        let mut players = Vec::with_capacity(cards.len());
        for (place, card) in cards.iter().enumerate() {
            match layers.last_mut() {
                Some(layer) if cards[layer.start].score == card.score => layer.end = place + 1,
                Some(_) | None => layers.push(place..place + 1),
            }
            let places = |of: &mut dyn Iterator<Item = &EntrantNo>| -> Vec<usize> {
                let mut places: Vec<usize> = of.filter_map(|no| place_of.get(no).copied()).collect();
                places.sort_unstable();
                places
            };
            players.push(Player {
                score: i64::from(card.score.0),
                layer: layers.len() - 1,
                due: card.due(),
                overdone: card.overdone(),
                floated: card.floated,
                met: places(&mut card.met.iter()),
                forbidden: places(&mut card.forbidden.iter()),
                missed: places(&mut card.missed.iter()),
            });
        }
        let third = match event.data().options.third_colour {
            ThirdColour::Avoid => Third::Counts,
            ThirdColour::Forbid => Third::Forbidden,
            ThirdColour::FreeInLastRound if round == event.rounds() => Third::Ignored,
            ThirdColour::FreeInLastRound => Third::Counts,
        };
        Field { cards, players, layers, pattern: event.data().options.pattern, third }
    }

    pub fn len(&self) -> usize {
        self.cards.len()
    }

    pub fn score(&self, place: usize) -> i64 {
        self.players[place].score
    }

    /// Which of the layers the entrant is in.
    pub fn layer(&self, place: usize) -> usize {
        self.players[place].layer
    }

    pub fn due(&self, place: usize) -> Due {
        self.players[place].due
    }

    pub fn due_side(&self, place: usize) -> Option<Side> {
        self.players[place].due.side()
    }

    pub fn has_met(&self, a: usize, b: usize) -> bool {
        self.players[a].met.binary_search(&b).is_ok()
    }

    /// Whether the two may be paired at all, rematches aside.
    pub fn may_meet(&self, a: usize, b: usize) -> bool {
        let forbidden = &self.players[a].forbidden;
        a != b
            && (forbidden.is_empty() || forbidden.binary_search(&b).is_err())
            && (self.third != Third::Forbidden || !self.third_colour(a, b))
    }

    /// Whether the two may be paired without a rematch.
    pub fn can_meet(&self, a: usize, b: usize) -> bool {
        self.may_meet(a, b) && !self.has_met(a, b)
    }

    /// An upper bound of how many of the others an entrant cannot meet; `None` if no useful one is known.
    pub fn most_barred(&self, places: Range<usize>) -> Option<usize> {
        let barred = |player: &Player| player.met.len() + player.forbidden.len();
        (self.third != Third::Forbidden)
            .then(|| self.players[places].iter().map(barred).max().unwrap_or_default())
    }

    /// Whether neither way of giving the colours spares both a third in a row or a surplus of three.
    fn third_colour(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.players[a].overdone, self.players[b].overdone);
        (a.red || b.black) && (a.black || b.red)
    }

    /// Criteria 3 to 7 of a pair.
    pub fn quality(&self, a: usize, b: usize) -> Quality {
        let (upper, lower) = (a.min(b), a.max(b));
        let (p, q) = (&self.players[upper], &self.players[lower]);
        let [met, colours, _] = self.quality_at_least(upper, lower);
        let missed = !p.missed.is_empty() && p.missed.binary_search(&lower).is_ok();
        let distance = (lower - upper) as i64;
        let off = match self.pattern {
            Pattern::Half if p.score == q.score => distance - self.layers[p.layer].len() as i64 / 2,
            Pattern::Half | Pattern::Adjacent => distance,
        };
        [met + counts([false, missed], 0), colours, off * off]
    }

    /// What criteria 3 to 7 come to at least for a pair of the kinds ([`Self::kinds`]) of these two: without what they
    /// missed of one another and their distance.
    pub fn quality_at_least(&self, a: usize, b: usize) -> Quality {
        let (p, q) = (&self.players[a.min(b)], &self.players[a.max(b)]);
        let third = self.third == Third::Counts && self.third_colour(a, b);
        let (strong, mild) = match (p.due, q.due) {
            (Due::Strong(x), Due::Strong(y)) => (x == y, false),
            (Due::Strong(x) | Due::Mild(x), Due::Strong(y) | Due::Mild(y)) => (false, x == y),
            (Due::Nothing, _) | (_, Due::Nothing) => (false, false),
        };
        let floats = p.score != q.score;
        let repeats = i64::from(floats && p.floated == Some(Float::Down))
            + i64::from(floats && q.floated == Some(Float::Up));
        [counts([false, false], i64::from(third)), counts([strong, mild], repeats), 0]
    }

    /// The places of a range, counted from its start, by kind: those of one kind differ only in whom they have met or missed
    /// and where they stand inside their score.
    pub fn kinds(&self, range: Range<usize>) -> Vec<Vec<usize>> {
        let mut kinds: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (place, player) in self.players[range].iter().enumerate() {
            let BySide { red, black } = player.overdone;
            kinds.entry((player.layer, player.due, [red, black], player.floated)).or_default().push(place);
        }
        kinds.into_values().collect()
    }

    /// How far from an entrant in the list its best partner of the same score stands.
    pub fn reach(&self, place: usize) -> usize {
        match self.pattern {
            Pattern::Adjacent => 0,
            Pattern::Half => self.layers[self.players[place].layer].len() / 2,
        }
    }
}

/// Two or three counts of one figure, the weightiest first.
fn counts([first, second]: [bool; 2], third: i64) -> i64 {
    (i64::from(first) * APART + i64::from(second)) * APART + third
}
